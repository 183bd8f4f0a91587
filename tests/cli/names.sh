# Sessions named by parts of ids and by titles; odd characters everywhere.
. "$TESTS_DIR/cli/cli.sh"

a=$(tine new --title 'Alpha beta')
b=$(tine new --title 'Gamma')
expect_text 'the whole id' "$a" tine show "$a" --json
expect_text 'the end of an id' "$a" tine show "${a: -8}" --json
expect_text 'the whole start of an id' "$b" tine show "${b:0:35}" --json
expect_text 'the title' "$a" tine show 'Alpha beta' --json
expect_status 'a start that both have' 4 tine show "${a:0:4}"
expect_status 'too little of an id' 3 tine show "${a: -3}"
expect_status 'an empty name' 2 tine show ''
tine new --title 'Gamma' >/dev/null
expect_status 'a title that two have' 4 tine show Gamma

expect_status 'a title with a control character is refused' 1 tine new --title "$(printf 'a\033[31mb')"
odd=$(printf 'Ti"\\ $x `y` \303\251\342\202\254 \360\237\230\200 \342\200\256x')
c=$(tine new --title "$odd" --id odd.id:1-2_3)
expect_equal 'an id with all its characters' odd.id:1-2_3 echo "$c"
expect_json 'a title is kept as it is' 'j["session"]["title"] == "Ti\"\\ $x `y` \u00e9\u20ac \U0001F600 \u202ex"' tine show odd.id:1-2_3 --json
expect_text 'what turns the direction of writing is shown' '\u202e' tine sessions
expect_text 'a title names its session' odd.id:1-2_3 tine show "$odd" --json
expect_status 'a title that is not UTF-8' 2 tine new --title "$(printf '\377')"
expect_status 'a label that is not UTF-8' 2 tine label "$a" -1 "$(printf '\377')"
expect_status 'a name that is not UTF-8' 2 tine show "$(printf '\377')"
tine send odd.id:1-2_3 --no-run --id e1 "$(printf 'esc \033]0;x\007 wide \346\274\242\345\255\227 \302\233')" >/dev/null
expect_text 'text goes into a pipe as it is' "$(printf '\033]0;x')" tine show odd.id:1-2_3
expect_json 'labels may be odd too' 'j["label"] == "\u6f22 \"x\" #1"' tine label odd.id:1-2_3 e1 "$(printf '\346\274\242 "x" #1')" --json
expect_json 'and name their message' 'j["point"]["message"] == "e1"' tine fork odd.id:1-2_3 --after "$(printf '@\346\274\242 "x" #1')" --json

if command -v script >/dev/null; then
    on_terminal() { script -qec "stty cols 40; '$TINE' --home '$scratch/home' $1" /dev/null </dev/null; }
    expect_not 'on a terminal the text of messages is escaped' sh -c "printf '%s' \"\$0\" | grep -q ']0;x$(printf '\007')'" "$(on_terminal 'show odd.id:1-2_3')"
    expect_text 'and shown' '\e]0;x\x07' on_terminal 'show odd.id:1-2_3'
    expect_text 'colours are used' "$(printf '\033[36m')" on_terminal 'sessions'
    NO_COLOR=1 expect_not 'unless NO_COLOR is set' sh -c "printf '%s' \"\$0\" | grep -q '$(printf '\033')\\[36m'" "$(NO_COLOR=1 on_terminal sessions)"
    tine new --id wrap >/dev/null
    tine send wrap --no-run 'one two three four five six seven eight nine ten eleven twelve thirteen' >/dev/null
    expect_text 'long lines are wrapped between words' 'eight' on_terminal 'show wrap'
    expect_not 'to the width' sh -c "printf '%s' \"\$0\" | tr -d '\r' | grep '^   ' | grep -q '.\\{41\\}'" "$(NO_COLOR=1 on_terminal 'show wrap')"
    expect_text 'an empty home says what to do' 'tine new' script -qec "'$TINE' --home '$scratch/empty' sessions" /dev/null
fi
tap_done

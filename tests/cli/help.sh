# The help agrees with the program: each command is listed, each option is taken.
. "$TESTS_DIR/cli/cli.sh"

expect 'tine --help' tine --help
expect_equal 'tine --version is the version of the project' \
    "tine $(sed -n "s/^ *version: '\(.*\)',/\1/p" "$TESTS_DIR/../meson.build")" tine --version
expect_status 'no command' 2 tine
expect_status 'an unknown command' 2 tine frok
expect_text 'is guessed' 'did you mean "fork"' tine frok
expect_status 'help for an unknown command' 2 tine help frok
expect_equal 'tine help is tine --help' "$(tine help)" tine --help
expect_text 'exit codes are documented' 'conflict' tine help

commands=$("$TINE" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
expect 'there are commands' test -n "$commands"
for wanted in new sessions show send fork rewind undo redo adopt files cat diff merge restore workspace tree log search label rename edit rm \
    export import backup verify gc demo help; do
    expect "$wanted is listed" sh -c "echo '$commands' | grep -qx '$wanted'"
done
for command in $commands; do
    expect_text "$command has a usage" "usage: tine $command" tine help "$command"
    expect_equal "$command --help says the same" "$(tine help "$command")" tine "$command" --help
    expect_status "$command refuses unknown options" 2 tine "$command" --nosuch
    # An option that is known gives no such complaint, whatever else is wrong with the line.
    tine help "$command" | sed -n '/^Options/,/^$/s/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\)\( [A-Z]\)\{0,1\}.*/\2\3/p' |
        while read -r option value; do
            if [ -n "$value" ]; then set -- "$option=1"; else set -- "$option"; fi
            if tine "$command" "$@" --help 2>&1 </dev/null | grep -q 'unknown option\|takes no value'; then
                echo "$command $option"
            fi
        done >"$scratch/refused"
    expect_equal "$command takes the options of its help" '' cat "$scratch/refused"
done
expect_not 'the help opens no database' test -e "$scratch/home"

expect_status 'an option without its value' 2 tine new --title
expect_status 'an option as a value' 2 tine new --title --json
expect_status 'a value for a switch' 2 tine sessions --all=1
expect_status 'an option twice' 2 tine new --title a --title b
expect_status 'too many arguments' 2 tine undo a b
expect_status 'too few arguments' 2 tine adopt a
expect_text 'the usage is shown' 'usage: tine adopt SESSION FROM' tine adopt a
expect_equal 'after -- everything is a word' -- sh -c '"$0" --home "$1" new --id d --title x >/dev/null; "$0" --home "$1" send d --no-run --json -- -- >/dev/null; "$0" --home "$1" show d | sed -n "s/^   //p"' "$TINE" "$scratch/home"
expect_equal 'global options stand anywhere' d "$TINE" new --title y --home "$scratch/other" --id d
usage_json() { tine fork --json --nosuch 2>&1; }
problem() { tine show nosuch --json 2>&1 >/dev/null; }
tine show nosuch --json 2>"$scratch/problem" >/dev/null
expect 'errors are problem objects with --json' json_check \
    'j["status"] == 404 and j["code"] == "session_not_found" and j["type"] == "about:blank" and j["title"] == "Not Found" and "nosuch" in j["detail"]' "$scratch/problem"
tine fork d --json --after '#1' --before '#2' 2>"$scratch/problem" >/dev/null
expect 'wrong lines too' json_check 'j["code"] == "usage"' "$scratch/problem"
expect_text 'errors name the command' 'tine: show: session "nosuch"' tine show nosuch
tap_done

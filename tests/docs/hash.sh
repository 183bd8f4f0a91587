# docs/hash.md is right: its tables, its example and its program agree with one another, and the
# program finds in every export the hashes that tine computed.
. "$TESTS_DIR/tap.sh" || exit 1
export LC_ALL=C.UTF-8
TINE=$(realpath "$TINE")
TESTS_DIR=$(realpath "$TESTS_DIR")
page=$TESTS_DIR/../docs/hash.md
cd "$scratch" || exit 1

if ! command -v python3 >/dev/null; then
    echo 'ok 1 - docs/hash.md # SKIP there is no python3'
    echo 1..1
    exit 0
fi

block() { # language: the first such block of the page
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'
}
block python >hashes.py
block jsonl >example.jsonl
home() { # name arguments...: the program in a home of its own
    local home=$1
    shift
    "$TINE" --home "$scratch/$home" "$@"
}

expect 'the page has a program and an example' test -s hashes.py -a -s example.jsonl
expect_text 'the program agrees with the example' '2 acts, 0 wrong' python3 hashes.py example.jsonl
expect 'tine takes the example' home example import example.jsonl
expect_text 'which verifies' ' 0 problems' home example verify
expect 'the tables give the hashes' python3 "$TESTS_DIR/docs/hash_tables.py" "$page"

sed 's/"hi"/"ho"/' example.jsonl >altered.jsonl
expect_not 'the program sees a change' python3 hashes.py altered.jsonl
expect_text 'and what it spoils' '2 acts, 2 wrong' python3 hashes.py altered.jsonl
expect_not 'so does tine' home altered import altered.jsonl

# A family with all that the command line can make: forks, every move, state, usage, odd bytes,
# a message with an open call, an erased one.
home demo demo >/dev/null
demo() { home demo "$@"; }
demo new --id odd --title 'Odd "ones"' --metadata '{"a":  1}' \
    --state '{"k":12345678901234567890,"gone":1,"long":"'"$(printf '%0300d' 7)"'"}' >/dev/null
printf '{"parts": [ {"type":"text",\n"text":"a\\u00e9 \\" ,\\"body\\":"} ],"metadata":{ "x" :1.10},"turn":"τ"}' |
    demo send odd --no-run --input - >/dev/null
printf '{"text":"x","state":{"gone":null,"k":[1,  2]},"usage":{"input_tokens":7,"cost":0.123456789}}' |
    demo send odd --no-run --input - >/dev/null
demo send odd --no-run --id last "$(printf 'control \001 and \302\205')" >/dev/null
demo send odd --no-run --role system 'in no turn' >/dev/null
demo fork odd --id odd-fork >/dev/null
demo rewind odd-fork --before last >/dev/null
demo fork odd-fork --id odd-grandchild >/dev/null # begins at a move
demo send odd-grandchild --no-run 'one more' >/dev/null
demo rewind odd-grandchild --before '#0' >/dev/null # to the beginning
demo rm odd --purge >/dev/null

export_checks() { # what home arguments...
    local what=$1 home=$2
    shift 2
    home "$home" export "$@" >export.jsonl
    expect_text "$what: every hash is found again" ', 0 wrong' python3 hashes.py export.jsonl
}
export_checks 'the demo' demo demo
expect 'it has acts' test "$(grep -c '^{"act"' export.jsonl)" -gt 20
export_checks 'odd ones' demo odd-fork
expect 'among them an erased one' grep -q '"erased":true' export.jsonl
expect 'a text' grep -q '"body_text"' export.jsonl
expect 'and a change of state' grep -q '"state":"' export.jsonl
export_checks 'everything' demo --all

# The kinds of act that the command line cannot make: written by the page's rules, taken by tine.
expect 'acts of all kinds are written' python3 "$TESTS_DIR/docs/hash_kinds.py" "$scratch" kinds.jsonl
expect 'and tine computes the same hashes' home kinds import kinds.jsonl
expect_text 'and verifies them' ' 0 problems' home kinds verify
export_checks 'all kinds' kinds --all
tap_done

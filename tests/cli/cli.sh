# For the tests of the command line: the program with a home of its own, and checks of exit codes.
#
#   . "$TESTS_DIR/cli/cli.sh"
#   tine ARGUMENT...                         the program, in the home $scratch/home
#   expect_status WHAT CODE command...       the command ends with this exit code
#   expect_equal  WHAT TEXT command...       its stdout is exactly TEXT
#   expect_json   WHAT EXPRESSION command... its stdout is JSON, and the Python expression over it,
#                                            as `j`, holds (without python3: it succeeds)
#   serve DIR [ARGUMENT...]                  starts a server on this home; $server is its address
#
# With TINE_TEST_SERVER=1 a server has the home, and nothing else is different.
# shellcheck shell=bash
. "$TESTS_DIR/tap.sh"
unset TINE_HOME TINE_DB TINE_SERVER TINE_TOKEN TINE_CONFIG TINE_LISTEN
for name in OPENAI ANTHROPIC OPENROUTER; do unset "${name}_API_KEY" "${name}_BASE_URL"; done
export LC_ALL=C.UTF-8 TZ=UTC

# Servers that were started, by their ids; they end with the script.
servers=''
stop_servers() {
    local pid
    for pid in $servers; do kill "$pid" 2>/dev/null; done
    for pid in $servers; do wait "$pid" 2>/dev/null; done
    servers=''
}
trap 'stop_servers; rm -rf "$scratch"' EXIT

serve() { # home arguments...
    local home=$1 i out
    out=$scratch/serve.$RANDOM$RANDOM
    shift
    "$TINE" serve --home "$home" --listen 127.0.0.1:0 --log off "$@" >"$out" 2>"$out.err" &
    servers="$servers $!"
    for i in $(seq 200); do
        server=$(sed -n 's/^listening on //p' "$out")
        [ -z "$server" ] || return 0
        sleep 0.05
    done
    cat "$out.err" >&2
    return 1
}
[ -z "${TINE_TEST_SERVER-}" ] || serve "$scratch/home" || exit 1

tine() {
    "$TINE" --home "$scratch/home" "$@"
}

expect_status() {
    local what=$1 code=$2 output status=0
    shift 2
    output=$("$@" 2>&1 </dev/null) || status=$?
    if [ "$status" = "$code" ]; then
        tap_result ok "$what"
    else
        tap_result failed "$what" "status $status, not $code: $output"
    fi
}

expect_equal() {
    local what=$1 text=$2 output
    shift 2
    output=$("$@" 2>"$scratch/stderr")
    if [ "$output" = "$text" ]; then
        tap_result ok "$what"
    else
        tap_result failed "$what" "expected \"$text\", got \"$output\" $(cat "$scratch/stderr")"
    fi
}

json_check() { # expression file
    if command -v python3 >/dev/null; then
        python3 -c '
import json, sys
def unique(pairs):
    names = [name for name, value in pairs]
    assert len(names) == len(set(names)), "a member stands twice"
    return dict(pairs)
j = json.load(open(sys.argv[2], encoding="utf-8"), object_pairs_hook=unique)
assert eval("(" + sys.argv[1] + ")"), j' "$1" "$2"
    fi
}

expect_json() {
    local what=$1 expression=$2 output
    shift 2
    if "$@" >"$scratch/json" 2>"$scratch/stderr" &&
        output=$(json_check "$expression" "$scratch/json" 2>&1); then
        tap_result ok "$what"
    else
        tap_result failed "$what" "$output $(cat "$scratch/stderr")"
    fi
}

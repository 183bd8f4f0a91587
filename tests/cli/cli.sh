# For the tests of the command line: the program with a home of its own, and checks of exit codes.
#
#   . "$TESTS_DIR/cli/cli.sh"
#   tine ARGUMENT...                         the program, in the home $scratch/home
#   expect_status WHAT CODE command...       the command ends with this exit code
#   expect_equal  WHAT TEXT command...       its stdout is exactly TEXT
#   expect_json   WHAT EXPRESSION command... its stdout is JSON, and the Python expression over it,
#                                            as `j`, holds (without python3: it succeeds)
# shellcheck shell=bash
. "$TESTS_DIR/tap.sh"
unset TINE_HOME TINE_DB
export LC_ALL=C.UTF-8 TZ=UTC

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

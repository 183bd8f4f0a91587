# For test scripts: each expectation prints one TAP result, and the plan comes at the end.
#
#   . "$TESTS_DIR/tap.sh"
#   expect      'what should hold' command...     the command succeeds
#   expect_not  'what should hold' command...     the command fails (and is not killed)
#   expect_text 'what should hold' TEXT command...    its output contains TEXT
#   tap_done                                      last line of the script
#
# $scratch is an empty directory that goes away at the end. The output of a command is shown,
# as TAP comments, when its expectation fails.
# shellcheck shell=bash
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tap_count=0
tap_failed=0

tap_result() { # verdict what output
    tap_count=$((tap_count + 1))
    if [ "$1" = ok ]; then
        printf 'ok %d - %s\n' "$tap_count" "$2"
    else
        tap_failed=$((tap_failed + 1))
        printf 'not ok %d - %s\n' "$tap_count" "$2"
        printf '%s\n' "$3" | sed 's/^/# /'
    fi
}

expect() {
    local what=$1 output verdict=ok
    shift
    output=$("$@" 2>&1) || verdict=failed
    tap_result $verdict "$what" "$output"
}

expect_not() {
    local what=$1 output status=0
    shift
    output=$("$@" 2>&1) || status=$?
    if [ $status -gt 0 ] && [ $status -lt 128 ]; then
        tap_result ok "$what"
    else
        tap_result failed "$what" "status $status: $output"
    fi
}

expect_text() {
    local what=$1 text=$2 output
    shift 2
    output=$("$@" 2>&1)
    case $output in
    *"$text"*) tap_result ok "$what" ;;
    *) tap_result failed "$what" "looked for \"$text\" in: $output" ;;
    esac
}

tap_done() {
    echo "1..$tap_count"
    exit $((tap_failed > 0))
}

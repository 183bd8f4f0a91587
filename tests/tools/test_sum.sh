# tools/test_sum.py counts right: a test run that says too little must not look like success.
. "$TESTS_DIR/tap.sh"
cd "$scratch" || exit 1

# program NAME RESULT STATUS STDOUT: one line of meson's log (STDOUT with \n for line ends)
program() {
    printf '{"name": "tine:fast / %s", "result": "%s", "returncode": %d, "stdout": "%s"}\n' "$@"
}
summary() {
    python3 "$TESTS_DIR/../tools/test_sum.py" "$@"
}
# counts WHAT LINE STATUS: what stands in log.json sums up to this last line and exit status
counts() {
    local output status=0 verdict=failed
    output=$(summary meson dir log.json -) || status=$?
    if [ "$(tail -n 1 <<<"$output")" = "$2" ] && [ $status -eq "$3" ]; then
        verdict=ok
    fi
    tap_result $verdict "$1" "status $status: $output"
}

program a OK 0 '1..2\nok 1 - x\nok 2 - y\n' >log.json
counts 'every result counts' '2 passed, 0 failed' 0
program a FAIL 1 '1..3\nok 1 - x\nnot ok 2 - y\nnot ok 3 - z\n' >log.json
counts 'every failure counts' '1 passed, 2 failed' 1
program a ERROR -6 '1..3\nok 1 - x\n' >log.json
counts 'a crash is a failure' '1 passed, 1 failed' 1
program a ERROR 23 '1..1\nok 1 - x\n' >log.json
counts 'a leak at the end is a failure' '1 passed, 1 failed' 1
program a TIMEOUT -15 '1..2\nok 1 - x\n' >log.json
counts 'a time-out is a failure' '1 passed, 1 failed' 1
program a ERROR 0 '1..2\nok 1 - x\n' >log.json
counts 'a missing result is a failure' '1 passed, 1 failed' 1
{ program a SKIP 0 ''; program b OK 0 '1..1\nok 1\n'; } >log.json
counts 'a test that reports nothing is a failure' '1 passed, 1 failed' 1
program a SKIP 0 '1..0 # SKIP no such machine\n' >log.json
counts 'nothing passed is no success' '0 passed, 0 failed' 1
expect_text 'a skipped test is listed with its reason' 'dir: a: no such machine' \
    summary meson dir log.json -
program a OK 0 '1..2\nok 1 - x\nok 2 - y # SKIP later\n' >log.json
counts 'a skipped result is not counted' '1 passed, 0 failed' 0
program a FAIL 0 '1..2\nok 1 - x\nnot ok 2 # SKIP y\n' >log.json
counts 'a skip in the words of cmocka is not counted' '1 passed, 0 failed' 0
rm log.json
counts 'no log is a failure' '0 passed, 1 failed' 1

echo 'three words here' >words
expect_text 'the output of a failed check is shown' 'three words here' summary check c failed words
expect 'a check counts as one test' summary check c ok words
expect_not 'no tests at all is no success' summary
tap_done

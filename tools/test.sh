#!/bin/bash
# Runs the steps given as arguments one after another, then says how all of it went. The last
# line is `N passed, M failed`; exit 1 when something failed or nothing passed.
#
#   tools/test.sh STEP...            each step is one argument:
#
#   check NAME COMMAND...            a command that must succeed; counts as one test
#   build DIR                        configure and build DIR (no warning is let through); one test
#   meson DIR OPTION...              `meson test` in DIR; every single TAP result counts. Passed
#                                    over when the build of DIR failed.
set -u
cd "$(dirname "$0")/.." || exit 1

# A finding of a sanitizer ends the test that made it, and the report of a bad address comes
# from the sanitizer and not from cmocka, which would catch the signal.
export ASAN_OPTIONS=detect_leaks=1:halt_on_error=1:abort_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1:allow_user_segv_handler=0
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
results=()
broken_builds=" "

# Adds one result to what tools/test_sum.py reads: check NAME ok|failed LOG
step_check() {
    local name=$1 log=$logs/${1//\//_}.log started=$SECONDS verdict=ok
    shift
    printf '== %s' "$name"
    "$@" >"$log" 2>&1 </dev/null || verdict=failed
    printf ': %s (%d s)\n' "$verdict" $((SECONDS - started))
    results+=(check "$name" "$verdict" "$log")
    [ $verdict = ok ]
}

build_run() {
    tools/configure.sh "$1" && ninja -C "$1"
}

# New kernels place memory where the thread sanitizer does not expect it; without address
# randomisation it runs everywhere. Some containers forbid this, and then it runs as it is.
without_randomisation=()
if setarch -R true 2>/dev/null; then
    without_randomisation=(--wrapper 'setarch -R')
fi

# Many tests wait for a program or a clock: one more at a time than there are processors.
at_once=$(($(nproc) + 1))

step_meson() {
    local dir=$1 log=$1/meson-logs/testlog.json wrapper=()
    shift
    case $broken_builds in *" $dir "*) return ;; esac
    case $dir in */asan | */tsan) wrapper=("${without_randomisation[@]}") ;; esac
    rm -f "${log%.json}"*.json
    echo "== tests in $dir $*"
    meson test -C "$dir" --no-rebuild --num-processes "$at_once" "${wrapper[@]}" "$@" 2>&1 </dev/null |
        grep -aE '^ *[0-9]+/[0-9]+ |^ERROR|^No '
    # with a wrapper meson puts the wrapper's name in the name of the log
    for log in "${log%.json}"*.json; do
        results+=(meson "$dir" "$log" -)
    done
}

for step in "$@"; do
    read -r kind name rest <<<"$step"
    # shellcheck disable=SC2086  # the rest of a step is meant to split
    case $kind in
    check) step_check "$name" $rest ;;
    build) step_check "build of $name" build_run "$name" || broken_builds+="$name " ;;
    meson) step_meson "$name" $rest ;;
    *)     echo "test: unknown step \"$step\"" >&2; exit 1 ;;
    esac
done

python3 tools/test_sum.py "${results[@]}"

#!/bin/sh
# Runs every fuzz target in build/fuzz for some seconds, starting from its corpus.
#
#   tools/fuzz.sh SECONDS
#
# What libFuzzer finds worth keeping goes to build/fuzz/found/NAME; what breaks a target goes
# to build/fuzz/broken. Copy such a file to tests/fuzz/corpus/NAME to keep it as a test.
set -eu
cd "$(dirname "$0")/.."

seconds=$1
status=0
mkdir -p build/fuzz/broken
for target in build/fuzz/tests/fuzz/fuzz_*; do
    [ -f "$target" ] && [ -x "$target" ] || continue
    name=${target##*/fuzz_}
    found=build/fuzz/found/$name
    mkdir -p "$found"
    echo "== fuzz $name, $seconds s"
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/broken/$name-" \
        "$found" "tests/fuzz/corpus/$name" || { echo "== fuzz $name FAILED"; status=1; }
done
[ $status -eq 0 ] || echo 'the inputs that failed are in build/fuzz/broken'
exit $status

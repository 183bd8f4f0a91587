# libtine as other programs see it: what it shows, and that a program can be built with it.
. "$TESTS_DIR/tap.sh" || exit 1
build=$(dirname "$TINE")
shared=$build/src/client/libtine.so
static=$build/src/client/libtine.a
include=$TESTS_DIR/../include

visible() { # options file: names that can be seen from outside, but for ours
    nm "$@" | awk '$2 ~ /^[TDBRVW]$/ { print $3 }' | sed 's/@.*//' | grep -v '^tine_' | grep -v -e '^__asan' -e '^__odr_asan' -e '^asan' -e '^__sanitizer'
}
declared() {
    grep -oE '\btine_[a-z_]+\(' "$include/tine.h" | tr -d '(' | grep -v _call | sort -u
}
defined() {
    nm -D --defined-only "$shared" | sed -n 's/.* T \(tine_[a-z_]*\)@.*/\1/p' | sort -u
}
same() { diff <(declared) <(defined); }

expect 'the shared library is there' test -s "$shared"
expect_not 'it shows nothing but tine_*' visible -D --defined-only "$shared"
expect_not 'nor does the static one' visible --defined-only "$static"
expect 'what the header declares is there, and nothing else' same

if command -v cc >/dev/null && ! nm "$static" | grep -q -e __asan -e __tsan -e __ubsan -e __sancov; then
    printf '#include <tine.h>\nint arena_alloc(void);\nint arena_alloc(void) { return 3; }\n%s\n' \
        'int main(void) { struct tine_error e; return tine_connect(0, &e) ? arena_alloc() - 3 : 1; }' >"$scratch/user.c"
    expect 'a program is built with the shared one' \
        cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$include" "$scratch/user.c" "$shared" -Wl,-rpath,"$(dirname "$shared")" -o "$scratch/shared"
    expect 'and runs' "$scratch/shared"
    expect 'another with the static one' \
        cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$include" "$scratch/user.c" "$static" -lcurl -lpthread -o "$scratch/static"
    expect 'and runs, with a name that the library uses inside' "$scratch/static"
fi
if command -v c++ >/dev/null; then
    printf '#include <tine.h>\nint main() { return tine_version()[0] == 0; }\n' >"$scratch/user.cc"
    expect 'C++ takes the header' c++ -Wall -Wextra -Werror -I"$include" -fsyntax-only "$scratch/user.cc"
fi
tap_done

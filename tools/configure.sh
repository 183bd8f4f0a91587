#!/bin/sh
# Makes a build directory ready for ninja; does nothing when it is ready already.
#
#   tools/configure.sh DIR           build  build/asan  build/tsan  build/fuzz
#
#   build        the release, by gcc                     (optimised, hardened, asserts on)
#   build/asan   all tests under ASan, UBSan and leaks, by clang
#   build/tsan   the threaded tests under TSan, by clang
#   build/fuzz   the fuzz targets, by clang
set -eu
cd "$(dirname "$0")/.."

dir=$1
case $dir in
build)      cc=gcc;   options= ;;
build/asan) cc=clang; options='-Db_sanitize=address,undefined -Doptimization=1' ;;
build/tsan) cc=clang; options='-Db_sanitize=thread -Doptimization=1' ;;
build/fuzz) cc=clang; options='-Db_sanitize=address,undefined -Doptimization=1 -Dfuzz=true' ;;
*)          echo "configure: unknown build directory \"$dir\"" >&2; exit 1 ;;
esac

if [ ! -f "$dir/build.ninja" ]; then
    # shellcheck disable=SC2086  # the options are meant to split
    CC=$cc meson setup "$dir" $options
elif [ "$dir" != build/fuzz ] && ! grep -q cmocka "$dir/build.ninja" &&
     pkg-config --exists cmocka; then
    # Configured before cmocka was installed, so the tests were left out: look again.
    meson setup --reconfigure "$dir"
fi

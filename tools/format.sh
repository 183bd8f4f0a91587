#!/bin/sh
# Lays out every C file of ours with clang-format.
#
#   tools/format.sh            change the files
#   tools/format.sh --check    change nothing; exit 1 and say where the layout differs
set -eu
cd "$(dirname "$0")/.."

case ${1-} in
--check) set -- --dry-run -Werror ;;
'')      set -- -i ;;
*)       echo 'usage: tools/format.sh [--check]' >&2; exit 1 ;;
esac
find src tests -name '*.[ch]' -print0 | sort -z | xargs -0 -r clang-format "$@"

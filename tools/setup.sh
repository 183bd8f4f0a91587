#!/bin/sh
# Installs the Debian packages that a kind of work needs, and only those that are missing.
#
#   tools/setup.sh PROFILE...        profiles: build test bench lint fuzz
#
# Says nothing and takes no time when everything is there. Exit 1 when something is missing
# and could not be installed; the message says what to install by hand.
set -u

packages_of() {
    case $1 in
    build) echo build-essential gcc meson ninja-build pkg-config \
                libsqlite3-dev libssl-dev libuv1-dev libmicrohttpd-dev \
                libcurl4-openssl-dev libcyaml-dev libzstd-dev libgit2-dev libarchive-dev \
                libncurses-dev libmd4c-dev libunistring-dev bubblewrap ;;
    # llvm brings the symbolizer: without it a sanitizer report has no function names
    test)  echo libcmocka-dev libjson-c-dev clang libclang-rt-14-dev llvm clang-format python3 python3-jsonschema curl jq git \
                tmux ncurses-term ;;
    bench) echo wrk python3 git ;;
    lint)  echo clang-format clang-tidy python3 ;;
    fuzz)  echo clang libclang-rt-14-dev llvm ;;
    *)     return 1 ;;
    esac
}

give_up() {
    echo "setup: $1" >&2
    echo "setup: please install by hand:$missing" >&2
    exit 1
}

wanted=
for profile in "$@"; do
    packages=$(packages_of "$profile") || {
        echo "setup: unknown profile \"$profile\" (there are: build test bench lint fuzz)" >&2
        exit 1
    }
    wanted="$wanted $packages"
done
[ -n "$wanted" ] || { echo "usage: tools/setup.sh PROFILE... (build test bench lint fuzz)" >&2; exit 1; }

missing=$wanted
command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    give_up "this is not a Debian system (there is no apt-get), so nothing was installed; the
setup: names below are those of Debian 12"

# A package counts when it is wholly installed; known but removed or half unpacked does not.
# shellcheck disable=SC2086  # the list is meant to split
installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' $wanted 2>/dev/null)"
missing=
for package in $wanted; do
    case "$installed $missing " in
    *" installed=$package "* | *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        give_up "packages are missing, and installing them needs root or sudo"
    as_root=sudo
fi

echo "setup: installing$missing"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update ||
    give_up "apt-get update failed (see above; is there a network?)"
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends $missing ||
    give_up "apt-get install failed (see above; the names are those of Debian 12)"

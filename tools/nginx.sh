#!/bin/sh
# Unpacks nginx into build/nginx for the benchmark to compare with. The package is not installed:
# installing it would start a server.
set -eu
cd "$(dirname "$0")/.."
[ -x build/nginx/usr/sbin/nginx ] && exit 0
mkdir -p build/nginx/deb
cd build/nginx/deb
apt-get -q download nginx >/dev/null 2>&1 ||
    { apt-get -q update >/dev/null 2>&1 && apt-get -q download nginx >/dev/null 2>&1; } ||
    { echo 'nginx: the package cannot be fetched; the comparison with it is left out' >&2; exit 0; }
for deb in *.deb; do
    dpkg-deb -x "$deb" ..
done

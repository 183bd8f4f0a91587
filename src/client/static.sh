#!/bin/sh
# Makes libtine.a of the library's parts: one object in which only tine_* can be seen, so that no
# name of its inside can clash with one of the program.
#
#   static.sh PARTS.a LIBTINE.a
set -eu
object=$2.o
ld -r -o "$object" --whole-archive "$1"
objcopy --localize-hidden "$object"
rm -f "$2"
ar rcs "$2" "$object"
rm -f "$object"

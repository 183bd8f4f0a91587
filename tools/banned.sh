#!/bin/bash
# Checks that src/ does not use functions that we do not allow.
#
#   tools/banned.sh [SRC]            SRC: the tree to check; without it, src/
#
# Prints each use as file:line: reason, and exits 1 when there is one. Comments and string
# literals are not looked at. (Variable-length arrays are left to the compiler: -Wvla.)
set -eu

# `function: what to use in its place`
banned='
strcpy:     struct buf, or memcpy with a known length
strcat:     struct buf
strncpy:    struct buf, or memcpy with a known length
sprintf:    struct buf, or snprintf
strtok:     struct str
atoi:       a parser that reports errors
gmtime:     gmtime_r
localtime:  localtime_r
alloca:     an arena
'

src=${1-$(dirname "$0")/../src}
cd "$src"

find . -name '*.[ch]' -printf '%P\n' | sort | xargs -r -d '\n' awk -v banned="$banned" '
# The line without comments and literals. A comment that goes on is remembered in `in_comment`.
function code_of(line,    out, i, c, two, quote) {
    out = quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\")
                i++
            else if (c == quote)
                quote = ""
        } else if (two == "//") {
            break
        } else if (two == "/*") {
            in_comment = 1
            out = out " "
            i++
        } else if (c == "\"" || c == squote) {
            quote = c
            out = out " "
        } else {
            out = out c
        }
    }
    return out
}

BEGIN {
    squote = sprintf("%c", 39)
    n = split(banned, lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], part, /: */) == 2)
            instead[part[1]] = part[2]
}

FNR == 1 {
    in_comment = 0
}

{
    code = code_of($0)
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (word in instead) {
            printf "src/%s:%d: %s is not allowed; use %s\n", FILENAME, FNR, word, instead[word]
            violations++
        }
    }
}

END {
    exit violations > 0
}' || exit 1

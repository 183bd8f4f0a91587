#!/bin/bash
# Checks that a folder of src/ includes only itself and what it may use.
#
#   tools/layers.sh [SRC]            SRC: the tree to check; without it, src/
#
# Prints each violation as file:line: reason, and exits 1 when there is one.
set -eu

# The house, from the bottom up: `folder: the folders whose headers it may use`.
# A name means the files directly in that folder; `x/*` means each sub-folder of x. On the left
# `x/*` gives the sub-folders of x one rule each, so they do not see one another. A folder may
# always use itself. A file may have a row of its own, as main.c has.
layers='
base:           -
json:           base
store:          base
store/*:        base store
message:        base json store
workspace:      base store
agent:          base json store message workspace
agent/*:        base json store message workspace agent
engine:         base store message workspace agent
config:         base agent
http:           base json store engine
dialect:        base json store message agent engine http
dialect/*:      base json store message agent engine http dialect
dialect/root.c: base json store message agent engine http dialect dialect/*
client:         base json
tui:            base json client
house:          base json store message workspace agent engine config http dialect dialect/*
cli:            base json store message workspace agent engine config http dialect dialect/* client house
cli/chat.c:     base json store message workspace agent engine config http dialect dialect/* client house cli tui
main.c:         base json store store/* message workspace agent agent/* engine config http dialect dialect/* client house cli tui
'

# Headers from outside, and generated ones, that belong to one folder: `header: folder`.
fences='
sqlite3.h:      store/sqlite
sqlite_*.h:     store/sqlite
native_*.h:     dialect/native
json-c/*:       json
microhttpd.h:   http
zstd.h:         store
archive.h:      workspace
archive_entry.h: workspace
git2.h:         workspace
git2/*:         workspace
uv.h:           http
ncurses.h:      tui
md4c.h:         tui
unigbrk.h:      tui
libpq*:         store/postgres
postgresql/*:   store/postgres
'

src=${1-$(dirname "$0")/../src}
cd "$src"

find . -name '*.[ch]' -printf '%P\n' | sort | xargs -r -d '\n' awk -v layers="$layers" -v fences="$fences" '
function report(reason) {
    printf "src/%s:%d: %s\n", FILENAME, FNR, reason
    violations++
}

# The folder of a path; a file with a row of its own stands for itself.
function folder_of(path) {
    if (path !~ /\// || (path ~ /\.c$/ && path in may_use))
        return path
    sub(/\/[^\/]*$/, "", path)
    return path
}

# The name of the rule for a folder: the folder itself, or "parent/*"; "" when there is none.
function rule_of(folder,    parent) {
    if (folder in may_use)
        return folder
    parent = folder
    sub(/\/[^\/]*$/, "/*", parent)
    return parent in may_use ? parent : ""
}

function is_like(text, pattern,    star) {
    star = index(pattern, "*")
    if (!star)
        return text == pattern
    return substr(text, 1, star - 1) == substr(pattern, 1, star - 1) &&
        (substr(pattern, star + 1) == "" ||
         substr(text, length(text) - length(pattern) + star + 1) == substr(pattern, star + 1))
}

# True when the header is fenced; a use from elsewhere is reported.
function is_fenced(header, from,    i) {
    for (i = 1; i <= fence_count; i++)
        if (is_like(header, fence_header[i])) {
            if (from != fence_folder[i])
                report("\"" header "\" may be included only in " fence_folder[i])
            return 1
        }
    return 0
}

function check(header, is_quoted, from,    to, n, i, allowed) {
    if (is_fenced(header, from) || !is_quoted)
        return
    if (header !~ /\// || header ~ /\.\./) {
        report("\"" header "\": write the path from src/, as in \"base/buf.h\"")
        return
    }
    to = folder_of(header)
    if (to == from)
        return
    n = split(may_use[rule_of(from)], allowed, " ")
    for (i = 1; i <= n; i++)
        if (is_like(to, allowed[i]))
            return
    report(from " may not use " to " (\"" header "\")")
}

BEGIN {
    n = split(layers, lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], part, /: */) == 2)
            may_use[part[1]] = part[2]
    n = split(fences, lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], part, /: */) == 2) {
            fence_header[++fence_count] = part[1]
            fence_folder[fence_count] = part[2]
        }
}

FNR == 1 && rule_of(folder_of(FILENAME)) == "" {
    report("folder " folder_of(FILENAME) " is not in the table of tools/layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    is_quoted = $0 ~ /include[ \t]*"/
    header = $0
    sub(/^[^"<]*["<]/, "", header)
    sub(/[">].*$/, "", header)
    check(header, is_quoted, folder_of(FILENAME))
}

END {
    exit violations > 0
}' || exit 1

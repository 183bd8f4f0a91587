# Turns SQL files into a C header, on standard output. Works with any POSIX awk.
#
# Named queries:
#
#   awk -f sql_embed.awk -v form=queries -v macro=M FILE...
#
#   A query starts with a line `-- name: some_query` and goes on to the next such line.
#   Comments and blank lines are dropped. The header is one table, to be read with an X macro:
#       #define M(X) X(SOME_QUERY, "select ...\n" "from ...\n") ...
#
# Migrations:
#
#   awk -f sql_embed.awk -v form=migrations -v macro=M -v prefix=P 0001.sql 0002.sql ...
#
#   Files are taken byte for byte (the comments in a schema are worth keeping in the database),
#   as arrays of characters, because ISO C only promises string literals of 4095 characters:
#       static const char P_0001[] = {...};
#       #define M(X) X(1, P_0001) ...
#
# A mistake in the input is written to standard error as file:line: reason, and exit is 1.

BEGIN {
    LITERAL_MAX = 4095
    if (form == "queries")
        queries_write()
    else if (form == "migrations")
        migrations_write()
    else
        fail("sql_embed: form is \"queries\" or \"migrations\"")
    exit 0
}

function fail(reason) {
    print reason > "/dev/stderr"
    exit 1
}

function guard_open() {
    printf "/* Generated from SQL by tools/sql_embed.awk. */\n#ifndef %s_H\n#define %s_H\n\n", macro, macro
}

function guard_close() {
    printf "\n#endif\n"
}

# ---- named queries

function queries_write(    i, file, line, number, result) {
    count = 0
    for (i = 1; i < ARGC; i++) {
        file = ARGV[i]
        number = 0
        while ((result = (getline line < file)) > 0)
            query_line(file, ++number, line)
        if (result < 0)
            fail(file ": cannot be read")
        query_end(file, number)
        query = ""
    }
    guard_open()
    printf "#define %s(X)", macro
    for (i = 1; i <= count; i++)
        printf " \\\n    X(%s,%s)", toupper(names[i]), texts[i]
    printf "\n"
    guard_close()
}

function query_line(file, number, line) {
    if (line ~ /^-- *name:/) {
        query_end(file, number)
        sub(/^-- *name:[ \t]*/, "", line)
        sub(/[ \t\r]+$/, "", line)
        query_begin(file, number, line)
        return
    }
    line = uncommented(line)
    if (quote == "" || quote == "*") {
        sub(/[ \t\r]+$/, "", line)
        if (line == "")
            return
    }
    if (query == "")
        fail(file ":" number ": this stands before the first \"-- name:\"")
    texts[count] = texts[count] " \\\n      \"" escaped(line) "\\n\""
    length_bytes += length(line) + 1
}

function query_begin(file, number, name) {
    if (name !~ /^[a-z][a-z0-9_]*$/)
        fail(file ":" number ": \"" name "\" is no query name (a-z, 0-9 and _)")
    if (name in seen)
        fail(file ":" number ": query \"" name "\" was named before, at " seen[name])
    seen[name] = file ":" number
    names[++count] = query = name
    texts[count] = ""
    length_bytes = 0
    quote = ""
}

function query_end(file, number) {
    if (quote != "")
        fail(file ":" number ": query \"" query "\" ends inside a quoted text or comment")
    if (query != "" && texts[count] == "")
        fail(file ":" number ": query \"" query "\" is empty")
    if (query != "" && length_bytes > LITERAL_MAX)
        fail(file ":" number ": query \"" query "\" is longer than " LITERAL_MAX " characters")
}

# The line without its comments. What is open at the end of the line (a quoted text, or a
# comment as "*") is remembered in the global `quote` for the next line.
function uncommented(line,    out, i, c, two) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (quote == "*") {
            if (two == "*/") {
                quote = ""
                out = out " "
                i++
            }
            continue
        }
        if (quote == "" && two == "--")
            break
        if (quote == "" && two == "/*") {
            quote = "*"
            i++
            continue
        }
        if (quote == "" && (c == "'" || c == "\""))
            quote = c
        else if (c == quote)
            quote = ""
        out = out c
    }
    return out
}

# Character by character: what gsub makes of backslashes differs between awks.
function escaped(line,    out, i, c) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\\" || c == "\"")
            c = "\\" c
        else if (c == "\t")
            c = "\\t"
        else if (c == "\r")
            c = "\\r"
        out = out c
    }
    return out
}

# ---- migrations

function migrations_write(    i, c, file, name, table) {
    for (i = 1; i < 256; i++) {
        c = sprintf("%c", i)
        constant[c] = (i >= 32 && i < 127) ? "'" c "'" : sprintf("'\\%03o'", i)
    }
    constant["\\"] = "'\\\\'"
    constant["'"] = "'\\''"

    guard_open()
    table = ""
    for (i = 1; i < ARGC; i++) {
        file = ARGV[i]
        name = file
        sub(/^.*\//, "", name)
        if (name !~ /^[0-9][0-9][0-9][0-9]\.sql$/)
            fail(file ": a migration is named by four digits, like 0001.sql")
        sub(/\.sql$/, "", name)
        if (name + 0 != i)
            fail(file ": this is number " i " in the list; migrations go 1, 2, 3 without gaps")
        migration_write(file, prefix "_" name)
        table = table " \\\n    X(" i ", " prefix "_" name ")"
    }
    printf "#define %s(X)%s\n", macro, table
    guard_close()
}

function migration_write(file, variable,    line, result, empty, i) {
    printf "static const char %s[] = {\n", variable
    empty = 1
    while ((result = (getline line < file)) > 0) {
        empty = 0
        printf "    "
        for (i = 1; i <= length(line); i++)
            printf "%s,", constant[substr(line, i, 1)]
        printf "'\\n',\n"
    }
    if (result < 0)
        fail(file ": cannot be read")
    if (empty)
        fail(file ": is empty")
    printf "    '\\0'};\n\n"
}

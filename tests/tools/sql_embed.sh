# tools/sql_embed.awk makes headers that compile and hold the SQL that was meant.
. "$TESTS_DIR/tap.sh"
embed=$TESTS_DIR/../tools/sql_embed.awk
cd "$scratch" || exit 1

queries() {
    LC_ALL=C awk -f "$embed" -v form=queries -v macro=QUERIES "$@"
}
migrations() {
    LC_ALL=C awk -f "$embed" -v form=migrations -v macro=MIGRATIONS -v prefix=migration "$@"
}
# refuses WHAT REASON SQL: these queries are refused with this reason, at a line
refuses() {
    printf '%s\n' "$3" >bad.sql
    expect_text "$1" "$2" queries bad.sql
    expect_not "$1 (status)" queries bad.sql
}
# The program that was built from a.c with the flags of the house prints the text of a file.
program() {
    "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror -o a a.c
}
prints() {
    ./a | diff - "$1"
}

cat >queries.sql <<'END'
-- The queries of a test.

-- name: first_query
-- What it is for,
-- in two lines.
select a, '-- no comment', "b""/*" -- a comment
  from t /* another,
  in two lines */ where c = 'it''s \ this';

-- name: second
select 'two
lines';
END
cat >wanted.txt <<'END'
[FIRST_QUERY]
select a, '-- no comment', "b""/*"
  from t
  where c = 'it''s \ this';
[SECOND]
select 'two
lines';
END
cat >a.c <<'END'
#include <stdio.h>
#include "queries.h"
#define X(name, sql) printf("[%s]\n%s", #name, sql);
int main(void)
{
    QUERIES(X)
    return 0;
}
END
queries queries.sql >queries.h
expect 'a header of queries compiles' program
expect 'comments go, the rest stays as it is' prints wanted.txt

refuses 'a name twice' 'bad.sql:3: query "a" was named before, at bad.sql:1' \
    $'-- name: a\nselect 1;\n-- name: a\nselect 2;'
refuses 'a query with no text' 'query "a" is empty' $'-- name: a\n-- only words\n-- name: b\nselect 1;'
refuses 'an odd name' '"a b" is no query name' $'-- name: a b\nselect 1;'
refuses 'SQL before the first name' 'before the first' 'select 1;'
refuses 'an open quote' 'ends inside' $'-- name: a\nselect \'1;'
refuses 'a query that is too long' 'is longer than' \
    "$(echo '-- name: a'; for i in $(seq 500); do echo "select $i;"; done)"
expect_not 'a file that is not there' queries none.sql

{
    echo "-- it's a \"schema\" with \\ and é"
    for i in $(seq 500); do echo "create table t$i (a integer); -- number $i"; done
} >0001.sql
echo 'drop table t1;' >0002.sql
cat >a.c <<'END'
#include <stdio.h>
#include "migrations.h"
#define X(number, sql) printf("[%d]\n%s", number, sql);
int main(void)
{
    MIGRATIONS(X)
    return 0;
}
END
{ echo '[1]'; cat 0001.sql; echo '[2]'; cat 0002.sql; } >wanted.txt
migrations ./0001.sql ./0002.sql >migrations.h
expect 'a header of long migrations compiles' program
expect 'migrations stay byte for byte' prints wanted.txt
expect_text 'a gap is refused' 'without gaps' migrations 0002.sql
cp 0001.sql first.sql
expect_text 'an odd file name is refused' 'four digits' migrations first.sql
: >0001.sql
expect_text 'an empty migration is refused' 'is empty' migrations 0001.sql
tap_done

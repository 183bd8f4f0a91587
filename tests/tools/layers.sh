# tools/layers.sh finds what it should and lets through what it should.
. "$TESTS_DIR/tap.sh"
layers=$TESTS_DIR/../tools/layers.sh

# tree FILE LINE...: a new tree with one file, which has these lines
tree() {
    rm -rf "$scratch/src"
    mkdir -p "$scratch/src/$(dirname "$1")"
    local file=$scratch/src/$1
    shift
    printf '%s\n' "$@" >"$file"
}
allowed() {
    tree "$2" "$3"
    expect "$1" "$layers" "$scratch/src"
}
refused() {
    tree "$2" "$3"
    expect_not "$1" "$layers" "$scratch/src"
}

allowed 'a folder may use itself'             base/buf.c          '#include "base/buf.h"'
allowed 'a folder may use what stands below'  engine/fork.c       '#include "store/store.h"'
allowed 'a sub-folder may use its parent'     store/sqlite/tree.c '#include "store/store.h"'
allowed 'a dialect may use the shared files'  dialect/ash/a.c     '#include "dialect/wire.h"'
allowed 'a folder may use the C library'      base/buf.c          '#include <string.h>'
allowed 'main.c may use a concrete store'     main.c              '#include "store/sqlite/open.h"'
allowed 'sqlite3.h in store/sqlite'           store/sqlite/a.c    '#include <sqlite3.h>'
allowed 'generated SQL in store/sqlite'       store/sqlite/a.c    '#include "sqlite_queries.h"'
allowed 'json-c in json'                      json/a.c            '#include <json-c/json.h>'
allowed 'the root knows the dialects'         dialect/root.c      '#include "dialect/native/b.h"'
refused 'a shared file knows no dialect'      dialect/wire.c      '#include "dialect/native/b.h"'
refused 'base uses nothing of ours'           base/buf.c          '#include "json/json.h"'
refused 'nobody looks up'                     store/a.c           '#include "engine/fork.h"'
refused 'a store knows no JSON'               store/sqlite/a.c    '#include "json/json.h"'
refused 'the engine knows no JSON'            engine/a.c          '#include "json/json.h"'
refused 'the engine knows no concrete store'  engine/a.c          '#include "store/sqlite/open.h"'
refused 'dialects do not see one another'     dialect/ash/a.c     '#include "dialect/native/b.h"'
allowed 'chat starts the terminal UI'         cli/chat.c          '#include "tui/run.h"'
refused 'cli does not use tui'                cli/a.c             '#include "tui/b.h"'
refused 'tui does not use cli'                tui/a.c             '#include "cli/b.h"'
refused 'sqlite3.h elsewhere'                 engine/a.c          '# include <sqlite3.h>'
refused 'generated SQL elsewhere'             cli/a.c             '#include "sqlite_queries.h"'
refused 'json-c elsewhere'                    cli/a.c             '#include <json-c/json.h>'
refused 'libpq elsewhere'                     store/sqlite/a.c    '#include <libpq-fe.h>'
refused 'an include that is not from src/'    base/a.c            '#include "buf.h"'
refused 'an include that climbs'              base/a.c            '#include "base/../cli/b.h"'
refused 'a folder that is not in the table'   attic/a.c           ''
refused 'a header is checked like a source'   base/buf.h          '#include "json/json.h"'

tree base/buf.c '/* one */' '#include "json/json.h"'
expect_text 'a violation names file, line and reason' \
    'src/base/buf.c:2: base may not use json' "$layers" "$scratch/src"
tap_done

# verify, gc, backup, demo, homes and databases, and what happens when stdout fails.
. "$TESTS_DIR/cli/cli.sh"

expect_equal 'demo prints its first session' demo tine demo
expect_equal 'a second time as well' demo tine demo
expect_json 'and says that it was there' 'j == {"session": "demo", "made": False}' tine demo --json
expect_json 'four sessions' 'len(j["sessions"]) == 4' tine tree demo --json
expect_text 'the tour shows the command lines' "\$ tine fork demo --after @diagnosis" \
    "$TINE" --home "$scratch/tour" demo --tour
expect_text 'and a second time the tree' 'Load in bulk' "$TINE" --home "$scratch/tour" demo --tour
expect_equal 'with or without a tour it is the same' \
    "$(tine tree demo --rewound)" "$TINE" --home "$scratch/tour" tree demo --rewound

left() { "$TINE" --home "$scratch/left" demo --tour | head -n 5 >/dev/null; "$TINE" --home "$scratch/left" tree demo --rewound; }
expect_equal 'also when its reader leaves in the middle' "$(tine tree demo --rewound)" left

expect_text 'verify finds nothing wrong' ' 0 problems' tine verify
expect_json 'verify --json' 'j["problems"] == [] and j["sessions"] == 4 and j["entries"] > 10' tine verify --json
expect_json 'gc --json' '{"sessions", "entries", "bytes_after"} <= set(j)' tine gc --json --keep 0
expect 'gc' tine gc
mkdir -p "$scratch/home/work/999999/of a session that is gone"
expect_json 'gc with another database leaves the directories of the home' 'j["directories"] == 0' \
    "$TINE" --home "$scratch/home" --db "sqlite:$scratch/other.db" gc --json
expect_json 'gc removes directories of sessions that are gone' 'j["directories"] == 1' tine gc --json
expect 'they are gone' test ! -e "$scratch/home/work/999999"
expect 'all is still well' tine verify

expect_equal 'backup prints the path' "$scratch/copy.db" tine backup "$scratch/copy.db"
expect_text 'which is a database' 'Load in bulk' "$TINE" --db "sqlite:$scratch/copy.db" sessions
expect_status 'it is not written over' 4 tine backup "$scratch/copy.db"
expect_status 'a directory that is not there' 1 tine backup "$scratch/no/copy.db"
expect_json 'backup --json' 'j["bytes"] > 1000' tine backup "$scratch/copy2.db" --json

# What somebody else changes in the file is found.
alter() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()' "$@"; }
altered() { # what SQL
    cp "$scratch/copy.db" "$scratch/altered.db"
    expect "altering $1" alter "$scratch/altered.db" "$2"
    expect_status "an altered $1 does not verify" 1 "$TINE" --db "sqlite:$scratch/altered.db" verify
}
altered 'body' "UPDATE entry SET body = replace(body, 'a', 'b') WHERE e = (SELECT max(e) FROM entry WHERE seen)"
altered 'line' 'UPDATE line SET depth = depth + 1 WHERE n0 > 1'
altered 'move' 'UPDATE move SET utop = 0'
altered 'title' "UPDATE session SET title_n = 7 WHERE id = 'demo'"
altered 'numbering' 'UPDATE entry SET n = n + 100 WHERE e = (SELECT max(e) FROM entry)'
altered 'id' 'DELETE FROM drawn WHERE n = 2'

expect_equal 'TINE_HOME is used' '' env TINE_HOME="$scratch/by-env" "$TINE" sessions
expect 'and made' test -e "$scratch/by-env/tine.db"
expect_equal 'for its user only' 700 stat -c %a "$scratch/by-env"
expect_equal 'TINE_DB is used' demo env TINE_DB="sqlite:$scratch/copy2.db" "$TINE" demo
expect_equal 'XDG_DATA_HOME is used' '' env XDG_DATA_HOME="$scratch/xdg" "$TINE" sessions
expect 'with a directory of its own' test -e "$scratch/xdg/tine/tine.db"
expect_equal 'HOME is used' '' env -u XDG_DATA_HOME HOME="$scratch/user" "$TINE" sessions
expect 'as XDG says' test -e "$scratch/user/.local/share/tine/tine.db"
expect_equal 'an option wins over the environment' demo env TINE_HOME="$scratch/nowhere" TINE_DB=sqlite:/no "$TINE" --home "$scratch/home" demo
expect_text 'PostgreSQL is refused clearly' 'only sqlite' "$TINE" --db postgres://x/y sessions
expect_status 'with a failure' 1 "$TINE" --db postgres://x/y sessions
expect_text 'a path without a kind is explained' 'sqlite:PATH' "$TINE" --db tine.db sessions
expect_status 'a home that cannot be made' 1 "$TINE" --home /dev/null/x sessions
echo 'no database' >"$scratch/text.db"
expect_not 'another file is refused' "$TINE" --db "sqlite:$scratch/text.db" sessions
expect_equal 'and left alone' 'no database' cat "$scratch/text.db"

if [ -e /dev/full ]; then
    full() { tine show demo >/dev/full; }
    expect_status 'a full disk is noticed' 1 full
    expect_text 'and said' 'No space left' full
    full_export() { tine export --all >/dev/full; }
    expect_status 'also by export' 1 full_export
    full_json() { tine new --json --id full >/dev/full; }
    expect_status 'also in JSON' 1 full_json
fi
closed() { tine show demo >&-; }
expect_status 'a closed stdout is noticed' 1 closed
pipe() { { tine log demo; echo "status $?" >&2; } | true; }
expect_text 'a reader that leaves is no failure' 'status 0' pipe
for i in $(seq 30); do head -c 20000 /dev/zero | tr '\0' x | tine send demo --no-run - >/dev/null; done
pipe_long() { { tine show demo; echo "status $?" >&2; } | head -c 10 >/dev/null; }
expect_text 'also in the middle of a long answer' 'status 0' pipe_long
quiet() { { tine show demo 2>&1 >&3 3>&-; } 3>&1 >"$scratch/said" | head -c 10 >/dev/null; cat "$scratch/said"; }
expect_equal 'and without a word' '' quiet
tap_done

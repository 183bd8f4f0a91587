# Which server a command speaks to, and that all of them give the same answers.
. "$TESTS_DIR/cli/cli.sh"

inside() { "$TINE" --home "$scratch/inside" "$@"; }
inside demo >/dev/null
serve "$scratch/remote" --demo
remote=$server
serve "$scratch/served" --demo
home() { "$TINE" --home "$scratch/served" "$@"; }
remote() { "$TINE" --server "$remote" "$@"; }
settled() { # without ids and times
    sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/ID/g; s/"[a-z]+_at":"[^"]*"/TIME/g; s/[0-9-]{10} [0-9:]{5}/TIME/g
        s/"(hash|next)":"[^"]*"/HASH/g'
}
same() { # arguments: the three ways give the same output and exit code
    local a b c
    a=$(inside "$@" 2>&1 | settled; echo "${PIPESTATUS[0]}")
    b=$(home "$@" 2>&1 | settled; echo "${PIPESTATUS[0]}")
    c=$(remote "$@" 2>&1 | settled; echo "${PIPESTATUS[0]}")
    [ "$a" = "$b" ] && [ "$b" = "$c" ] || { diff <(echo "$a") <(echo "$b"); diff <(echo "$b") <(echo "$c"); return 1; }
}
while read -r line; do
    # shellcheck disable=SC2086  # the words of a command line
    expect "the same in all three ways: $line" same $line
done <<'LINES'
sessions
sessions --json --limit 2
show demo
show demo --json --all
show demo --raw
show nosuch
show nosuch --json
tree demo --rewound
tree demo --json --rewound
log demo
log demo --json
label demo --json
search index
search --json bulk
fork demo --before -1 --dry-run
fork demo --before @nosuch
fork demo --after #99
rewind demo --after -1
undo demo-bulk
adopt demo demo --json
agents --json
answer demo yes
cancel demo
events demo --since 0 --limit 5
new --id x --title y --json
send x --no-run --id m hello
send x --no-run --id m other
rename x z
edit x --archive --json
rm x --json
rm x
LINES

expect_equal 'TINE_SERVER names a server' "$(home sessions)" env TINE_SERVER="$server" "$TINE" sessions
expect_equal 'a home goes before it' "$(inside sessions)" env TINE_SERVER="$server" "$TINE" --home "$scratch/inside" sessions
expect_status 'a server that is not there' 1 "$TINE" --server http://127.0.0.1:1 sessions
expect_text 'is named' 'http://127.0.0.1:1' "$TINE" --server http://127.0.0.1:1 sessions
expect_status 'an address that is none' 1 "$TINE" --server nosuch sessions
for command in 'export --all' "import /dev/null" "backup $scratch/y" verify gc 'user list'; do
    # shellcheck disable=SC2086
    expect_status "a home is needed: $command" 2 remote $command
done
expect_text 'and that is said' 'works on a home' remote verify
expect_text 'they work while a server has the home' ' 0 problems' home verify
expect 'all of them' home backup "$scratch/copy.db"
expect_text 'another database is not that of the server' 'demo' "$TINE" --home "$scratch/served" --db "sqlite:$scratch/copy.db" sessions
expect_status 'one server for a home' 5 "$TINE" serve --home "$scratch/served" --listen 127.0.0.1:0
expect_text 'which is named' "$server" "$TINE" serve --home "$scratch/served" --listen 127.0.0.1:0

# What is written in one process is there in the others.
before=$server
home new --id after --title 'After' >/dev/null
expect_text 'what the server wrote is in the file' 'After' "$TINE" --home "$scratch/served" export after
stop_servers
expect_text 'and is there when it is gone' 'After' home sessions
expect_status 'which is noticed' 1 "$TINE" --server "$before" sessions

# Users: a token is needed, and a command says so.
token=$(inside user add anna)
serve "$scratch/inside"
expect_status 'without a token nobody comes in' 1 inside sessions
expect_text 'and is told what to do' 'TINE_TOKEN' inside sessions
expect_equal 'a token is shown by the environment' '' env TINE_TOKEN="$token" "$TINE" --home "$scratch/inside" sessions
expect_json 'or an option' 'j["user"] == "anna"' inside --token "$token" new --json
expect_status 'a wrong one is refused' 1 inside --token wrong sessions
expect_status 'another user sees nothing of the others' 3 inside --token "$token" show demo
tap_done

# user add, token, list, remove.
. "$TESTS_DIR/cli/cli.sh"
unset TINE_CONFIG TINE_LISTEN

expect_equal 'nobody at first' '' tine user list
expect_json 'nobody at first, as JSON' 'j == {"users": []}' tine user list --json
token=$(tine user add ana)
expect 'a token is printed' sh -c "echo '$token' | grep -qxE 'tine_[A-Za-z0-9_-]{43}'"
expect_equal 'the user is there' 'ana  1 token  0 sessions' tine user list
expect_status 'add a second time' 4 tine user add ana
expect_text 'says what to do' 'tine user token ana gives a further token' tine user add ana
second=$(tine user token ana --label laptop)
expect 'a further token is another one' test "$token" != "$second"
expect_equal 'both count' 'ana  2 tokens  0 sessions' tine user list
expect_status 'a token for nobody' 3 tine user token ben
expect_json 'add --json' 'j["user"] == "ben" and j["token"].startswith("tine_") and len(j["token"]) == 48 and j["label"] == "ci"' \
    tine user add ben --label ci --json
expect_json 'list --json' '[(u["name"], u["tokens"], u["sessions"]) for u in j["users"]] == [("ana", 2, 0), ("ben", 1, 0)]
    and all(u["created_at"].endswith("Z") for u in j["users"])' tine user list --json

# Only the hash is kept, and it is the SHA-256 of the token.
expect_equal 'the token stands nowhere in the home' '' sh -c "grep -rlF -e '$token' -e '$second' '$scratch/home'"
expect 'its SHA-256 does' python3 -c '
import hashlib, sys
home, token = sys.argv[1:]
want = hashlib.sha256(token.encode()).digest()
data = b"".join(open(f"{home}/{name}", "rb").read() for name in ("tine.db", "tine.db-wal")
                if __import__("os").path.exists(f"{home}/{name}"))
sys.exit(want not in data)' "$scratch/home" "$token"
expect 'tokens do not repeat' sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" --home "$1" user token ana; done | sort | uniq -d | { ! grep .; }' \
    "$TINE" "$scratch/home"

tine new --id own >/dev/null
expect_text 'the local user is listed when it has sessions' 'local  0 tokens  1 session' tine user list
expect 'it can get a token' tine user add local
expect_equal 'remove says what stays' 'local: 1 token taken away; 1 session stays, and belongs to that name still' tine user remove local
expect 'the session is still there' tine show own
expect_equal 'remove' 'ben: 1 token taken away' tine user remove ben
expect_status 'nobody of that name any more' 3 tine user remove ben
expect_json 'remove --json' 'j == {"user": "ana", "tokens": 10, "sessions": 0}' tine user remove ana --json
expect_equal 'only the local one is left' 'local  0 tokens  1 session' tine user list
expect 'and can come back' tine user add ben

expect_status 'a name with a blank' 2 tine user add 'a b'
expect_status 'an empty name' 2 tine user add ''
expect_status 'a long name' 2 tine user add "$(printf '%0129d' 0)"
expect 'the longest name' tine user add "$(printf '%0128d' 0)"
expect_status 'a slash' 2 tine user add a/b
expect_status 'no name' 2 tine user add
expect_status 'a name for list' 2 tine user list ana
expect_status 'a label for remove' 2 tine user remove ben --label x
expect_status 'a long label' 2 tine user token ben --label "$(printf '%0129d' 0)"
expect_status 'another verb' 2 tine user rename a

# The database that the configuration names is the one that the server opens.
echo "db: sqlite:$scratch/elsewhere.db" >"$scratch/tine.yaml"
elsewhere() { env TINE_HOME="$scratch/home2" TINE_CONFIG="$scratch/tine.yaml" "$TINE" user "$@"; }
expect 'a user in the database of the configuration' elsewhere add cyd
expect 'which is that one' test -e "$scratch/elsewhere.db"
expect_equal 'and has the user' 'cyd  1 token  0 sessions' "$TINE" --db "sqlite:$scratch/elsewhere.db" user list
echo 'listen: nowhere' >"$scratch/tine.yaml"
expect_status 'a bad configuration is said' 1 elsewhere list
tap_done

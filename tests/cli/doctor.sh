# doctor: a line for everything, and an exit code for what is bad.
. "$TESTS_DIR/cli/cli.sh"
unset TINE_CONFIG TINE_LISTEN OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY OPENROUTER_API_KEY OLLAMA_HOST
level() { # what arguments...: the levels of the findings about one thing
    local what=$1
    shift
    "$@" doctor | sed -n "s/^\([a-z]*\) *$what .*/\1/p" | tr '\n' ' '
}
home() { "$TINE" --home "$scratch/home" "$@"; }

expect_status 'a fresh machine is well' 0 tine doctor
expect_not 'and doctor makes no home' test -e "$scratch/home"
tine doctor >"$scratch/fresh" 2>&1
for what in version home disk config database server access sandbox agent; do
    expect_text "it looks at: $what" "  $what " cat "$scratch/fresh"
done
for words in "$scratch/home is not there yet and is made when needed" ', SQLite 3.' ', libmicrohttpd 0.' ', libuv 1.' ', libcurl ' \
    'none runs; tine serve starts one at 127.0.0.1:8463' 'open to whoever is on this machine' 'tine/shell is the default'; do
    expect_text "it says: $words" "$words" cat "$scratch/fresh"
done
expect_json 'as JSON' 'j["bad"] == 0 and j["ok"] >= 7 and all(f["level"] in ("ok", "warn", "bad") and f["what"] and f["detail"] for f in j["findings"])
    and j["ok"] + j["warn"] + j["bad"] == len(j["findings"])' tine doctor --json

tine demo >/dev/null
expect_text 'the database is opened' 'opens: 4 sessions, ' tine doctor
expect_equal 'home and database are kept from others' 'ok ' level home home
chmod 755 "$scratch/home"
expect_equal 'a home for all is a warning' 'warn ' level home home
expect_text 'with what to do' 'chmod 700' tine doctor
expect_status 'and no failure' 0 tine doctor
chmod 700 "$scratch/home"
touch "$scratch/plain"
expect_equal 'a home that is a file' 'bad ' level home "$TINE" --home "$scratch/plain"
expect_status 'is a failure' 1 "$TINE" --home "$scratch/plain" doctor
head -c 5000 /dev/urandom >"$scratch/noise.db"
expect_equal 'a database that is none' 'bad ' level database "$TINE" --db "sqlite:$scratch/noise.db"
expect_text 'a password is not shown' 'postgres://u:***@h/d' "$TINE" --home "$scratch/home" --db postgres://u:hunter2@h/d doctor
expect_equal 'nowhere' '' sh -c '"$0" --home "$1" --db postgres://u:hunter2@h/d doctor 2>&1 | grep hunter2' "$TINE" "$scratch/home"

echo 'lisen: x' >"$scratch/bad.yaml"
expect_equal 'a bad configuration' 'bad ' level config env TINE_CONFIG="$scratch/bad.yaml" "$TINE" --home "$scratch/home"
expect_text 'is told line and key' "bad.yaml:1: lisen: there is no such key here" tine doctor --config "$scratch/bad.yaml"
expect_text 'and the rest is looked at' 'opens: 4 sessions, ' tine doctor --config "$scratch/bad.yaml"
expect_equal 'a good one' 'ok ' level config env TINE_CONFIG="$TESTS_DIR/../docs/tine.yaml" "$TINE" --home "$scratch/home"
expect_equal 'whose default agent lacks its key' 'ok bad ' level agent env TINE_CONFIG="$TESTS_DIR/../docs/tine.yaml" "$TINE" --home "$scratch/home"
expect_text 'which is said by name' 'OPENAI_API_KEY, which is not set' tine doctor --config "$TESTS_DIR/../docs/tine.yaml"

export OPENAI_API_KEY=sk-hunter2
expect_text 'a key makes a model the default' 'tine/openai is the default' tine doctor
expect_text 'because of the variable' 'OPENAI_API_KEY is set' tine doctor
expect_equal 'the key is not shown' '' sh -c '{ "$0" doctor; "$0" doctor --json; } 2>&1 | grep hunter2' "$TINE"
expect_equal 'nor a password in an address' '' env OPENAI_BASE_URL=http://u:hunter2@h/v1 sh -c '"$0" doctor 2>&1 | grep hunter2' "$TINE"
unset OPENAI_API_KEY

wide() { env TINE_LISTEN=0.0.0.0:8463 "$TINE" --home "$scratch/home" "$@"; }
expect_equal 'an open door to other machines' 'bad ' level access wide
expect_text 'and what to do' 'tine user add NAME' wide doctor
token=$(tine user add ana)
expect_equal 'with a user it is well' 'ok ' level access wide
expect_equal 'tokens are not shown' '' sh -c "'$TINE' --home '$scratch/home' doctor | grep -F '$token'"
echo 'sandbox: off' >"$scratch/off.yaml"
expect_equal 'a sandbox that is off is a warning' 'warn ' level sandbox env TINE_CONFIG="$scratch/off.yaml" "$TINE" --home "$scratch/home"

"$TINE" --home "$scratch/home" serve --listen 127.0.0.1:0 --log off >"$scratch/serve" 2>&1 &
server=$!
for _ in $(seq 100); do grep -q '^listening on ' "$scratch/serve" && break; sleep 0.1; done
address=$(sed -n 's/^listening on //p' "$scratch/serve")
expect_text 'a server that runs is found' "runs at $address" tine doctor
expect 'a user can be added meanwhile' tine user add ben
kill "$server"
wait "$server"
expect_text 'and when it is gone, it is gone' 'none runs' tine doctor
expect_status 'an argument' 2 tine doctor now
tap_done

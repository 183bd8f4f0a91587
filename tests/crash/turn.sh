# A server that is killed while a turn runs: what was said is kept and marked, and the next start
# says so.
. "$TESTS_DIR/tap.sh" || exit 1
home=$scratch/home
config=$scratch/tine.yaml
cat >"$config" <<'END'
agents:
  - name: test/actor
    kind: scripted
    default: true
    script: '[[{"say":{"parts":[{"type":"tool_call","id":"c1","name":"look","arguments":{}}]}},{"delta":"I was about"},{"sleep_ms":700},{"delta":" to say"},{"wait":true}]]'
END

start() { # the server; its pid in $server
    "$TINE" serve --listen 127.0.0.1:0 --home "$home" --config "$config" --log off \
        >"$scratch/out" 2>"$scratch/err" &
    server=$!
    for _ in $(seq 100); do
        grep -q '^listening on' "$scratch/out" && return 0
        sleep 0.1
    done
    return 1
}
tine() { "$TINE" --home "$home" "$@"; }
running() { # a draft with all of it is in the database
    for _ in $(seq 100); do
        tine show s --json | grep -q '"state":"running"' && break
        sleep 0.1
    done
    sleep 1.5
}

listening() { grep '^listening on' "$scratch/out"; }

start
expect 'the server starts' listening
expect 'a session' tine new --id s --agent test/actor
tine send s 'go on' >"$scratch/said" 2>&1 &
sender=$!
running
kill -9 "$server"
wait "$server" 2>/dev/null
wait "$sender" 2>/dev/null
expect_text 'a command that finds no server ends the turn' '"state":"failed"' tine show s --json
start
expect 'it starts again' listening
expect_text 'the turn has failed' '"state":"failed"' tine show s --json
expect_text 'the journal says why' 'interrupted' tine log s
expect_text 'the open call has a result' '"output":"interrupted"' tine show s --json
expect_text 'and so does the session' 'turn failed' tine show s
expect_text 'what was being said is kept' 'I was about to say' tine show s
expect 'the next turn can begin' tine send s --no-run 'and now'
kill "$server"
wait "$server"
expect 'the server ends well' test $? -eq 0
expect 'verify is clean' tine verify
tap_done

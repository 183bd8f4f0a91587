# send with an agent that answers, cancel, agents, events: in this process and through a server.
. "$TESTS_DIR/cli/cli.sh"

if ! "$TINE" --home "$scratch/probe" new --id probe >/dev/null ||
    ! "$TINE" --home "$scratch/probe" send probe 'echo works' 2>"$scratch/why" | grep -q works; then
    echo "ok 1 - send # SKIP commands cannot be run here: $(cat "$scratch/why")"
    echo 1..1
    exit 0
fi

expect_text 'agents are listed' 'tine/shell' tine agents
expect_json 'also as JSON' 'any(a["id"] == "tine/shell" and a["default"] for a in j["agents"])' tine agents --json
expect_json 'or one of them' 'j["id"] == "tine/shell" and j["kind"] == "shell"' tine agents tine/shell --json
expect_status 'one that is not there' 3 tine agents no/such
expect_status 'one that has no name' 2 tine agents nosuch

tine new --id s --title 'Shell' >/dev/null
expect_text 'the answer is printed' 'four is 4' tine send s 'echo four is $((2 + 2))'
expect_json 'and stored' \
    '[m["role"] for m in j["messages"]] == ["user", "assistant"] and "four is 4" in j["messages"][1]["parts"][0]["text"] and
     j["session"]["turn"]["state"] == "done"' tine show s --json
expect_json 'with --json the turn is printed' \
    'j["turn"]["state"] == "done" and [m["role"] for m in j["messages"]] == ["user", "assistant"]' tine send s --json 'echo hi'
from_stdin() { printf 'echo from stdin\n' | tine send s -; }
expect_text 'a command from stdin' 'from stdin' from_stdin
slowly() { tine send s 'echo first; sleep 2; echo second' | { read -r _; read -r line; echo "$line after $SECONDS"; cat >/dev/null; }; }
SECONDS=0
expect_not 'the text comes while it is said' sh -c 'case $0 in "first after 0" | "first after 1") exit 1 ;; esac' "$(SECONDS=0; slowly)"
expect_equal 'other roles are only stored' m-1 tine send s --role assistant --id m-1 'I say so'
expect_equal 'so is what need not be answered' m-2 tine send s --no-run --id m-2 'echo no'
batch() { printf '{"messages":[{"text":"a"},{"role":"assistant","text":"b"}]}' | tine send s --input -; }
expect_equal 'and a batch' 2 sh -c 'printf "%s\n" "$0" | wc -l' "$(batch)"
batch_run() { printf '{"messages":[{"text":"echo batch of $((1 + 1))"}],"run":true}' | tine send s --input -; }
expect_text 'unless it says so' 'batch of 2' batch_run
contrary() { printf '{"text":"x","run":true}' | tine send s --no-run --input -; }
expect_not 'which does not go with --no-run' contrary
expect_status '--no-run and --wait do not go together' 2 tine send s --no-run --wait x
expect_status 'expect-head' 4 tine send s --expect-head nosuch 'echo x'
expect_json 'a session has one answer at a time, in its order' \
    'all(m["settled"] for m in j["messages"])' tine show s --json

# Stopping it: Ctrl-C, tine cancel.
interrupted() { timeout --foreground -s INT 1 "$TINE" --home "$scratch/home" send s 'echo begun; sleep 20; echo never'; }
expect_text 'Ctrl-C stops the turn' 'interrupted' interrupted
expect_json 'and it is over' 'j["session"]["turn"]["state"] == "cancelled"' tine show s --json --tail 2
expect_not 'what comes later is not said' sh -c '"$0" --home "$1" show s --tail 1 | grep -q never' "$TINE" "$scratch/home"
expect_status 'nothing to cancel is a conflict' 4 tine cancel s
if [ -n "${TINE_TEST_SERVER-}" ]; then
    tine send s 'sleep 20' >"$scratch/first" 2>&1 &
    first=$!
    running() { for _ in $(seq 100); do tine show s --json --tail 1 | grep -q '"state":"running"' && return 0; sleep 0.05; done; return 1; }
    expect 'a turn runs' running
    expect_status 'a second one is a conflict' 4 tine send s 'echo second'
    tine send s --wait 'echo waited' >"$scratch/second" 2>&1 &
    second=$!
    expect_text 'a fork is made meanwhile' 'fork' tine fork s --json
    sleep 0.3
    expect_equal 'cancel prints the session' s tine cancel s
    wait $first
    expect 'whoever waited is told' test $? -eq 1
    expect_text 'why' 'cancelled' cat "$scratch/first"
    wait $second
    expect_text 'a send that waited is dropped, too' 'cancelled' cat "$scratch/second"
    tine send s 'sleep 1.5' >/dev/null 2>&1 &
    third=$!
    expect 'another turn runs' running
    expect_text '--wait comes after it' 'my turn' tine send s --wait 'echo my turn'
    wait $third
fi

# The example program of the library, against a server.
if [ -n "${TINE_TEST_SERVER-}" ]; then
    tine new --id tree --title 'Tree' >/dev/null
    tine send tree --no-run --id ground 'the ground' >/dev/null
    branches() { TINE_SERVER=$server "$(dirname "$TINE")/examples/branches" "$@"; }
    expect_text 'branches prints the first answer' 'left 2' branches Tree '#0' 'echo left $((1 + 1))' 'echo right $((1 + 2))'
    expect_text 'and the second' 'right 3' branches tree grou 'echo left $((1 + 1))' 'echo right $((1 + 2))'
    expect_json 'each in a fork' 'sorted(s["title"] for s in j["sessions"])[1:] == ["Tree (fork %d)" % n for n in (1, 2, 3, 4)]' tine tree tree --json
    expect_text 'and says what is wrong' 'session_not_found' branches nosuch '#0' a b
fi

# Events.
expect_equal 'events of before' 'session.created' sh -c '"$0" --home "$1" events s --since 0 --limit 1 | awk "{print \$2}"' "$TINE" "$scratch/home"
one_line() { tine events s --since 0 --limit 3 --json | while read -r line; do printf '%s' "$line" >"$scratch/line"; json_check '{"id", "type", "data"} == set(j)' "$scratch/line" || return 1; done; }
expect 'each line is an object with --json' one_line
expect_status 'an event that is none' 2 tine events --since x
expect_status 'a type that is none' 1 tine events --types nosuch --limit 1
expect_status 'a session that is not there' 3 tine events nosuch
timeout 10 "$TINE" --home "$scratch/home" events s --types message. --limit 1 >"$scratch/events" 2>&1 &
listener=$!
sleep 0.7
tine send s --no-run 'listen to this' >/dev/null
wait $listener
expect 'who listens is told' test $? -eq 0
expect_text 'what happens' 'listen to this' cat "$scratch/events"
expect_status 'Ctrl-C ends it' 124 timeout --foreground -s INT 0.7 "$TINE" --home "$scratch/home" events
tap_done

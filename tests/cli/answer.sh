# A turn that asks: on the terminal, without one, and answered from elsewhere.
. "$TESTS_DIR/cli/cli.sh"

mkdir -p "$scratch/asking"
cat >"$scratch/asking/tine.yaml" <<'YAML'
agents:
  - name: test/asks
    kind: scripted
    script: '[[{"question":"which colour?"},{"say":{"text":"after"}}]]'
    default: true
YAML
asking() { "$TINE" --home "$scratch/asking" "$@"; }
asking new --id a >/dev/null
expect_text 'without a terminal the answer is no' 'no answer: nobody is there to ask' asking send a go
expect_text 'and that is said' 'the answer is no' sh -c '"$0" --home "$1" send a go 2>&1 </dev/null' "$TINE" "$scratch/asking"
expect_status 'nothing to answer is a conflict' 4 asking answer a yes
expect_status 'an answer is yes or no' 2 asking answer a maybe
expect_status '--always goes with yes' 2 asking answer a no --always tool
expect_status 'and is of the tool or the session' 2 asking answer a yes --always ever

# On a terminal.
if command -v python3 >/dev/null; then
    typed() { # session line
        python3 - "$TINE" --home "$scratch/asking" send "$1" go 3<<<"$2" <<'PY'
import os, pty, sys
line = os.read(3, 1000)
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen, sent = b"", False
while True:
    try:
        more = os.read(fd, 4096)
    except OSError:
        break
    if not more:
        break
    seen += more
    if not sent and b"> " in seen:
        os.write(fd, line)
        sent = True
sys.stdout.write(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
    }
    expect_text 'on a terminal it is asked' 'which colour?' typed a green
    expect_text 'and the answer is said' 'green' asking show a --tail 2
fi

# Of a server, from another process.
serve "$scratch/asking" || exit 1
asking new --id b >/dev/null
asking send b go >"$scratch/sent" 2>&1 </dev/null &
sender=$!
waits() { for _ in $(seq 100); do asking show b --json --tail 1 | grep -q '"state":"waiting"' && return 0; sleep 0.05; done; return 1; }
expect 'the turn waits' waits
expect_status 'an answer to something else' 4 asking answer b yes --id nothing
expect_equal 'an answer prints the session' b asking answer b yes deep blue
wait $sender
expect 'whoever sent goes on' test $? -eq 0
expect_text 'was told how to answer' 'tine answer b' cat "$scratch/sent"
expect_text 'and sees what was answered' 'deep blue' cat "$scratch/sent"
expect_status 'without a stream it is a conflict that it waits' 4 asking send b --json go
expect_equal 'which a cancel ends' b asking cancel b
if command -v python3 >/dev/null; then
    expect_text 'a terminal asks through a server, too' 'which colour?' typed a red
    expect_text 'and the answer is taken' 'red' asking show a --tail 2
fi
tap_done

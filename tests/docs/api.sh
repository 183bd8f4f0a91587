# The examples of docs/api.md work: every ```sh block is run, in order, against a server, and every
# request in it succeeds.
. "$TESTS_DIR/tap.sh" || exit 1
page=$TESTS_DIR/../docs/api.md
server=${WIRE_SERVER-$(dirname "$TINE")/tests/wire/wire_server}
command -v curl >/dev/null || { echo '1..0 # SKIP there is no curl'; exit 0; }
mkdir "$scratch/home"
cat >"$scratch/tine.yaml" <<'YAML'
agents:
  - {name: test/echo, kind: scripted, default: true, script: '[[{"delta":"h"},{"echo":true}]]'}
YAML
"$server" "$scratch/home" 127.0.0.1:0 "$scratch/tine.yaml" >"$scratch/out" 2>&1 &
pid=$!
for _ in $(seq 100); do
    [ -s "$scratch/out" ] && break
    sleep 0.1
done
tine=$(sed -n 's/^listening on //p' "$scratch/out")/api/v1
expect 'the server listens' test "$tine" != /api/v1

# One curl command at a time, so that a failure names its line.
curl() { command curl --fail-with-body "$@"; }
run() {
    local line command=''
    while IFS= read -r line; do
        command+=${command:+$'\n'}$line
        # a command goes on to the line where its quotes are closed
        [ $(($(printf '%s' "$command" | tr -cd "'" | wc -c) % 2)) -eq 0 ] || continue
        expect "${command%%$'\n'*}" eval "$command"
        command=
    done
}
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >"$scratch/commands"
run <"$scratch/commands"
expect 'there were many' test "$tap_count" -gt 30
kill "$pid"
wait "$pid"
expect 'the server stops with success' test $? -eq 0
tap_done

# Further ports and the dialect at the root: tine serve --listen NAME=ADDR:PORT, --root, the file.
. "$TESTS_DIR/cli/cli.sh"
unset TINE_CONFIG TINE_LISTEN OPENAI_API_KEY
cd "$scratch" || exit 1

expect_status 'a dialect that is none' 2 tine serve --listen smoke=127.0.0.1:0
expect_text 'is named' 'there is no dialect "smoke" (there are: kagent, docker-agent, ash, esc)' \
    tine serve --listen smoke=127.0.0.1:0
expect_status 'the native API is no dialect of the root' 2 tine serve --root native
expect_text 'and is named' 'there is no dialect "native"' tine serve --root native
expect_status 'a name without an address' 2 tine serve --listen ash=
expect_text 'is told so' '--listen ash: "" is no address with a port' tine serve --listen ash=
expect_status 'two main addresses' 2 tine serve --listen 127.0.0.1:0 --listen 127.0.0.1:0
expect_text 'are told so' '--listen is given twice without a NAME=' tine serve --listen 127.0.0.1:0 --listen 127.0.0.1:0
expect_text 'an address that is none' '--listen ash: "4100" is no address with a port' \
    tine serve --listen 127.0.0.1:0 --listen ash=4100
expect_text 'nor as the main one' '--listen: "4100" is no address with a port' tine serve --listen 4100
for port in 99999 65536 4294967376 0x50 -1 +80 '' '80 '; do
    expect_status "port \"$port\"" 2 tine serve --listen 127.0.0.1:0 --listen "kagent=127.0.0.1:$port"
    expect_text 'is named' "127.0.0.1:$port\"" tine serve --listen 127.0.0.1:0 --listen "kagent=127.0.0.1:$port"
done
expect_text 'with what a port is' '--listen kagent: "127.0.0.1:99999" has the port "99999", which is no number from 0 to 65535' \
    tine serve --listen kagent=127.0.0.1:99999
expect_text 'the main one, too' '--listen: "127.0.0.1:70000" has the port "70000"' tine serve --listen 127.0.0.1:70000
expect_text 'and that of the environment' 'TINE_LISTEN: "127.0.0.1:70000" has the port "70000"' \
    env TINE_LISTEN=127.0.0.1:70000 "$TINE" --home "$scratch/nowhere" serve
expect_text 'a name with a blank' 'there is no dialect "ka gent"' tine serve --listen 'ka gent=127.0.0.1:0'
expect_text 'an address with a blank' '--listen ash: "local host:0" is no address with a port' \
    tine serve --listen 'ash=local host:0'
expect_text 'a further port for other machines needs users' '"0.0.0.0:0" can be reached from other machines' \
    tine serve --listen 127.0.0.1:0 --listen ash=0.0.0.0:0
many=$(for _ in 1 2 3 4 5 6 7 8 9; do echo --listen ash=127.0.0.1:0; done)
# shellcheck disable=SC2086
expect_text 'nine are too many' 'there may be 8 further ports' tine serve $many
expect_text 'no other option can be given twice' '--log is given twice' tine serve --log off --log off

printf 'listen_as: {ash: "127.0.0.1:0", esc: "127.0.0.1:1"}\nroot: kagent\nusers: [{name: g, right: run, proxy: true}]\n' >tine.yaml
expect_text 'the file is shown' 'listen   127.0.0.1:1 as esc  (the file)' tine config show --config tine.yaml
expect_text 'with its root' 'root     kagent  (the file)' tine config show --config tine.yaml
expect_text 'and who speaks for others' 'user     g: run, speaks for others' tine config show --config tine.yaml
expect_json 'as JSON' 'j["root"] == "kagent" and j["listen_as"] == {"ash": "127.0.0.1:0", "esc": "127.0.0.1:1"} and j["users"][0]["proxy"]' \
    tine config show --config tine.yaml --json

serve "$scratch/served" --config tine.yaml --listen esc=127.0.0.1:0 --listen esc=127.0.0.1:0 --root ash
out=$(grep -l "$server" "$scratch"/serve.*) # what it printed
expect_equal 'a line for each port' 'ash esc esc' sh -c 'sed -n "/^api/d; s|^\([a-z]*\) *http://127.0.0.1:.*|\1|p" "$0" | xargs' "$out"
port() { # dialect, which
    sed -n "s|^$1 *http://127.0.0.1:||p" "$out" | sed -n "$2p"
}
get() { # port, path
    curl -s "http://127.0.0.1:$1$2"
}
expect_text 'the port of a dialect speaks it' '"detail":"Not Found"' get "$(port esc 1)" /api/sessions
expect_text 'so does another of the same' '"detail":"Not Found"' get "$(port esc 2)" /api/sessions
expect_text 'and that of the file' '"sessions":[' get "$(port ash 1)" /api/sessions
expect_text 'the option wins over the root of the file' '"sessions":[' get "${server##*:}" /api/sessions
expect_text 'the native API is everywhere' '"sessions":[' get "$(port esc 1)" /api/v1/sessions
expect_text 'a port that is taken' "cannot listen at \"127.0.0.1:$(port ash 1)\": Address already in use" \
    "$TINE" --home "$scratch/other" serve --listen 127.0.0.1:0 --listen "ash=127.0.0.1:$(port ash 1)"
expect_text 'the home says where the main one is' "$server" "$TINE" --home "$scratch/served" doctor

printf 'listen_as: {ash: "0.0.0.0:4100"}\n' >open.yaml
expect_text 'doctor looks at further ports, too' '0.0.0.0:4100 can be reached from other machines, and there are no users' \
    tine doctor --config open.yaml
tap_done

# config check and show: which file, is it good, and what is in force.
. "$TESTS_DIR/cli/cli.sh"
unset TINE_CONFIG TINE_LISTEN OPENAI_API_KEY
cd "$scratch" || exit 1

expect_text 'the example of the documentation is good' 'is good: 3 agents, 4 users' \
    tine config check "$TESTS_DIR/../docs/tine.yaml"
# The keys that there are, as the program names them when one is wrong.
keys() { # before and after the wrong key
    printf '%b' "$1nosuch: x$2" >unknown.yaml
    tine config check unknown.yaml 2>&1 | sed 's/.*there are: //; s/[,)]//g'
}
missing() { # keys of the program that the example does not have
    for key in $(keys '' '\n') $(keys 'limits: {' '}\n') $(keys 'listen_as: {' '}\n') $(keys 'users: [{' '}]\n') $(keys 'agents: [{' '}]\n'); do
        [ "$key" = script ] || grep -qE "^[ #{-]*(.*[ {,])?$key:" "$TESTS_DIR/../docs/tine.yaml" || echo "$key"
    done
}
expect_text 'the program names its keys' 'queued_sends' keys 'limits: {' '}\n'
expect_equal 'the example has every key but the one for tests' '' missing
echo 'log: text' >good.yaml
expect_equal 'a good file' 'good.yaml is good: 0 agents, 0 users' tine config check good.yaml
expect_json 'as JSON' 'j == {"file": "good.yaml", "agents": 0, "users": 0}' tine config check good.yaml --json
expect_equal 'no file at all' 'there is no configuration file, and none is needed' tine config check
expect_not 'and no home is made' test -e "$scratch/home"

printf 'log: text\nagents:\n  - name: a/b\n    kind: shel\n' >bad.yaml
expect_status 'a bad file' 1 tine config check bad.yaml
expect_text 'is told line and key' \
    'tine: config: bad.yaml:4: agents[0].kind: "shel" is no kind of agent (there are: shell,' tine config check bad.yaml
tine config check bad.yaml --json 2>"$scratch/problem" >/dev/null
expect 'as JSON too' json_check 'j["code"] == "invalid" and j["detail"].startswith("bad.yaml:4: agents[0].kind: ")' "$scratch/problem"
expect_status 'a file that is not there' 3 tine config check nosuch.yaml
expect_status 'nor by its option' 3 tine config check --config nosuch.yaml
expect_status 'nor by the environment' 3 env TINE_CONFIG=nosuch.yaml "$TINE" --home "$scratch/home" config check
expect_status 'a directory' 1 tine config check .
printf 'agents: [{name: a/b, kind: openai, model: m, api_key: sk-hunter2}]\n' >secret.yaml
expect_text 'a secret is refused' 'secrets do not belong into this file' tine config check secret.yaml
expect_equal 'and not repeated' '' sh -c '"$0" config check secret.yaml 2>&1 | grep hunter2' "$TINE"
printf 'a: &x [*x]\n' >bomb.yaml
expect_text 'aliases are refused' 'anchors (&name) are not taken' tine config check bomb.yaml
head -c 2000000 /dev/zero | tr '\0' '#' >large.yaml
expect_text 'a large file is refused' 'has more than 1048576 bytes' tine config check large.yaml

# Which file, and who wins.
mkdir "$scratch/home"
echo 'listen: 127.0.0.1:1111' >"$scratch/home/tine.yaml"
echo 'listen: 127.0.0.1:2222' >other.yaml
listen() { # --config=FILE or nothing, then the program
    local option=$1
    shift
    "$@" config show --json $option | sed 's/.*"listen":{"value":"\([^"]*\)","by":"\([^"]*\)".*/\1 \2/'
}
expect_equal 'the file of the home' '127.0.0.1:1111 the file' listen '' "$TINE" --home "$scratch/home"
expect_equal 'TINE_CONFIG wins over it' '127.0.0.1:2222 the file' \
    listen '' env TINE_CONFIG=other.yaml "$TINE" --home "$scratch/home"
expect_equal '--config wins over that' '127.0.0.1:2222 the file' \
    listen --config=other.yaml env TINE_CONFIG=nosuch.yaml "$TINE" --home "$scratch/home"
expect_equal 'TINE_LISTEN wins over the file' '127.0.0.1:3333 TINE_LISTEN' \
    listen '' env TINE_LISTEN=127.0.0.1:3333 "$TINE" --home "$scratch/home"
expect_equal 'nothing said: the default' '127.0.0.1:8463 the default' listen '' "$TINE" --home "$scratch/none"
expect_status 'an empty --config' 2 tine config show --config=

# What is shown.
expect_text 'show names the home' "home     $scratch/home" tine config show
expect_text 'and the file' "file     $scratch/home/tine.yaml  (the home)" tine config show
expect_text 'and the database' "db       sqlite:$scratch/home/tine.db  (--home)" tine config show
expect_text 'without the password' 'postgres://tine:***@db.example.org/tine  (TINE_DB)' \
    env TINE_HOME="$scratch/home" TINE_DB=postgres://tine:hunter2@db.example.org/tine "$TINE" config show
show_example() { tine config show --config "$TESTS_DIR/../docs/tine.yaml" "$@"; }
expect_text 'agents with the name of their key' \
    'agent    team/coder: openai, model gpt-4o-mini at https://api.openai.com/v1, key in OPENAI_API_KEY (not set), the default' show_example
expect_text 'limits' 'limit    workers: 64' show_example
expect_text 'users' 'user     guest: read' show_example
export OPENAI_API_KEY=sk-hunter2
expect_text 'it says that the key is set' 'key in OPENAI_API_KEY (set)' show_example
expect_equal 'and never shows it' 0 sh -c '{ "$0" config show --config "$1"; "$0" config show --json --config "$1"; } | grep -c hunter2 || true' "$TINE" "$TESTS_DIR/../docs/tine.yaml"
expect_json 'show --json' 'j["sandbox"] is True and len(j["agents"]) == 3 and j["agents"][1]["key_is_set"] is True
    and j["users"][0] == {"name": "ana", "right": "admin", "proxy": False} and j["limits"]["turns"] == 64 and j["hosts"] == ["tine.example.org"]' \
    show_example --json
expect_status 'a bad file is not shown' 1 tine config show --config bad.yaml

expect_status 'another verb' 2 tine config edit
expect_status 'no verb' 2 tine config
expect_status 'a file for show' 2 tine config show good.yaml
expect_status 'two files' 2 tine config check good.yaml --config good.yaml
tap_done

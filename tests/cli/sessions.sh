# new, sessions, show, send, rename, edit, rm, log, search: what they do, print and refuse.
. "$TESTS_DIR/cli/cli.sh"

expect_equal 'an empty home has no sessions' '' tine sessions
expect_json 'and says so in JSON' 'j == {"sessions": []}' tine sessions --json

id=$(tine new --title 'First one')
expect 'new prints an id' test "${#id}" = 36
expect_json 'new --json prints a session' \
    'j["title"] == "Second" and j["agent"] == "tine/shell" and j["metadata"] == {"a": 1} and
     j["state"] == {"k": [1]} and j["user"] == "local" and j["parent"] is None and
     j["head"] is None or j["messages"] == 0' \
    tine new --json --title Second --agent tine/shell --metadata '{"a":1}' --state '{"k":[1]}' --id two
expect_status 'an agent that is not there cannot be had' 3 tine new --agent acme/coder
expect_status 'an id that is taken is a conflict' 4 tine new --id two
expect_status 'metadata must be JSON' 2 tine new --metadata '{a:1}'
expect_status 'metadata must be an object' 2 tine new --metadata '[1]'
expect_status 'an id with other characters is refused' 1 tine new --id 'a b'
expect_text 'sessions lists them' 'First one' tine sessions
expect_json 'sessions --json has rows, newest first' \
    '[s["title"] for s in j["sessions"]] == ["Second", "First one"]' tine sessions --json
expect_json 'a page says where the next begins' 'len(j["sessions"]) == 1 and j["next"]' \
    tine sessions --json --limit 1
next=$(sed 's/.*"next":"\([^"]*\)".*/\1/' "$scratch/json")
expect_json 'and the next page begins there' \
    '[s["title"] for s in j["sessions"]] == ["First one"] and "next" not in j' \
    tine sessions --json --limit 1 --cursor "$next"
expect_status 'a wrong cursor is refused' 2 tine sessions --cursor 5x

if [ -z "${TINE_TEST_SERVER-}" ]; then
    # of an agent that only the command knows which makes the session
    echo 'agents: [{name: acme/coder, kind: external}]' >"$scratch/agents.yaml"
    expect 'an agent of the configuration' env TINE_CONFIG="$scratch/agents.yaml" "$TINE" --home "$scratch/home" \
        new --id orphan --agent acme/coder
    expect_status 'an agent that is not there cannot answer' 3 tine send orphan hello
    expect_json 'and nothing is stored' 'j["messages"] == []' tine show orphan --json
    expect 'it goes' tine rm orphan
fi
m=$(tine send two --no-run hello world)
expect 'send prints the id of the message' test "${#m}" = 36
expect_text 'words are joined' 'hello world' tine show two
expect_equal 'an id of ones own is kept' m-1 tine send two --no-run --role assistant --id m-1 'hi'
expect_equal 'the same again is the same' m-1 tine send two --no-run --role assistant --id m-1 'hi'
expect_json 'and says so' 'j["repeated"] is True' \
    tine send two --no-run --role assistant --id m-1 'hi' --json
expect_status 'with other bytes it is a conflict' 4 tine send two --no-run --id m-1 'ho'
expect_status 'a role that is none is refused' 2 tine send two --no-run --role boss x
expect_status 'an empty text is refused' 2 tine send two --no-run ''
expect_status 'a session that is not there' 3 tine send nosuch --no-run x
expect_status 'expect-head refuses when the head is another' 4 \
    tine send two --no-run --expect-head "$m" x

from_stdin() { printf 'line 1\nline "2"\n' | tine send two --no-run -; }
expect 'text comes from stdin' from_stdin
expect_json 'and loses one line feed' \
    'j["messages"][-1]["parts"] == [{"type": "text", "text": "line 1\nline \"2\""}]' \
    tine show two --json --tail 1
bad_utf8() { printf 'a\377b' | tine send two --no-run -; }
expect_status 'text that is not UTF-8 is refused' 1 bad_utf8
too_long() { head -c 9000000 /dev/zero | tr '\0' a | tine send two --no-run -; }
expect_status 'text that is too long is refused' 1 too_long

batch='{"messages":[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"ls","arguments":{"n":12345678901234567890}}],
 "usage":{"input_tokens":5,"output_tokens":7,"cost":0.000000001}},
 {"role":"tool","parts":[{"type":"tool_result","call":"c","output":"a.txt","error":false}],"state":{"x":1,"k":null}}]}'
send_batch() { printf '%s' "$batch" | tine send two --no-run --input - --json; }
expect_json 'a batch comes as JSON' 'len(j["messages"]) == 2 and j["messages"][0]["usage"]["cost"] == 1e-9' send_batch
expect_json 'a message has all its members' \
    '{"id", "index", "role", "turn", "parts", "metadata", "usage", "session", "files", "hash", "settled",
      "created_at"} == set(j["messages"][0])' tine show two --json
expect_text 'large integers survive' '12345678901234567890' tine show two --json
expect_json 'state and usage are at the head' \
    'j["session"]["state"] == {"x": 1} and j["session"]["usage"]["output_tokens"] == 7' tine show two --json
unknown() { printf '{"tetx":"a"}' | tine send two --no-run --input -; }
expect_text 'an unknown member is named' 'unknown member "tetx"' unknown
expect_status 'and refused' 1 unknown
half() { printf '{"messages":[{"text":"one"},{"text":2}]}' | tine send two --no-run --input -; }
expect_status 'a batch is stored whole' 1 half
expect_not 'or not at all' sh -c '"$0" --home "$1" show two | grep -q one' "$TINE" "$scratch/home"

expect_json 'show --from --limit is a page' \
    '[m["index"] for m in j["messages"]] == [1, 2] and j["next"] == 3' tine show two --json --from 1 --limit 2
expect_json 'show --at is the past' 'len(j["messages"]) == 2' tine show two --json --at m-1
tine send two --no-run --role system 'be brief' >/dev/null
expect_json 'system messages are not in the list' 'all(m["role"] != "system" for m in j["messages"])' tine show two --json
expect_json 'but with --all they are' 'any(m["role"] == "system" for m in j["messages"])' tine show two --json --all
expect_status '--tail and --from do not go together' 2 tine show two --tail 1 --from 1
expect_status 'a limit must be a number' 2 tine show two --limit many

expect_equal 'rename prints the id' two tine rename two 'Another title'
expect_text 'and renames' 'Another title' tine sessions
expect_json 'edit changes metadata' 'j["metadata"] == {"b": 2}' tine edit two --json --metadata '{"b":2}'
expect_equal 'edit archives' two tine edit two --archive
expect_json 'the archived are not listed' 'len(j["sessions"]) == 1' tine sessions --json
expect_json 'or alone' '[s["id"] for s in j["sessions"]] == ["two"]' tine sessions --json --archived
expect_json 'or with the others' 'len(j["sessions"]) == 2' tine sessions --json --all
expect_equal 'edit brings it back' two tine edit two --unarchive
expect_status 'edit wants to know what' 2 tine edit two

expect_json 'search finds words' 'any(h["snippet"] and h["matches"] for h in j["hits"])' tine search --json hello
expect_text 'also in the output of tools' 'txt' tine search a.txt
expect_equal 'and nothing where there is nothing' '' tine search nosuchword
expect 'a session to look in' tine new --id haystack --title straw
for text in 'one needle' straw 'two needles' 'three needle'; do
    tine send haystack --no-run "$text" >"$scratch/out" || exit 1
done
expect_json 'search in a session says the places' '[h["index"] for h in j["hits"]] == [3, 0] and "next" not in j' \
    tine search needle --session haystack --json
expect_text 'for people too' '#0  user' tine search 'one' needle --session haystack
expect_json 'the title is not looked at' '[h["index"] for h in j["hits"]] == [1]' \
    tine search straw --session hayst --json
expect_json 'before a place' '[h["index"] for h in j["hits"]] == [2, 0]' \
    tine search 'needle*' --session haystack --json --before 3
expect_json 'after a place' '[h["index"] for h in j["hits"]] == [2, 3]' \
    tine search 'needle*' --session haystack --json --after 0
expect_json 'from the beginning, one at a time' '[h["index"] for h in j["hits"]] == [0] and j["next"] == 0' \
    tine search 'needle*' --session haystack --json --after -1 --limit 1
expect_status 'a session that is not there' 3 tine search needle --session nosuch
expect_status 'before and after together' 2 tine search needle --session haystack --before 1 --after 1
expect_status 'a place goes with a session' 2 tine search needle --before 1
expect_status 'a place is a number' 2 tine search needle --session haystack --after x
expect_status 'from 0 on' 2 tine search needle --session haystack --before -1
expect 'it goes' tine rm haystack
expect_json 'the log has all that was done' \
    '{"created", "message", "renamed", "updated", "archived", "unarchived"} <= {e["act"] for e in j["entries"]}' \
    tine log two --json
expect_text 'for people too' 'renamed' tine log two

expect_equal 'rm prints the id' two tine rm two
expect_status 'and it is gone' 3 tine show two
expect_json 'rm --json' 'list(j) == ["deleted"]' tine rm "$id" --json
tap_done

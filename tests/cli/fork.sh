# fork, rewind, undo, redo, adopt, tree, label: over points named in every way.
. "$TESTS_DIR/cli/cli.sh"

count() { # session: how many messages it shows
    tine show "$1" | grep -c '^#'
}

tine new --id root --title 'The plan' >/dev/null
for i in 0 1 2 3 4 5; do
    tine send root --no-run --id "msg-$i" --role "$([ $((i % 2)) = 0 ] && echo user || echo assistant)" "words of $i" >/dev/null
done

f=$(tine fork root)
expect_equal 'a fork without a point has everything' 6 count "$f"
expect_json 'fork --json is the reply of the API' \
    'j["session"]["parent"]["session"] == "root" and j["session"]["title"] == "The plan (fork 2)" and
     j["point"] == {"message": "msg-3", "side": "before", "index": 3, "snapped": False} and
     j["excluded"]["id"] == "msg-3" and j["session"]["messages"] == 3' \
    tine fork root --before msg-3 --json
expect_json 'by place' 'j["session"]["messages"] == 2' tine fork root --before '#2' --json --id by-place
expect_json 'by place from the end' 'j["session"]["messages"] == 5' tine fork root --before -1 --json
expect_json 'after a message' 'j["session"]["messages"] == 3' tine fork root --after '#2' --json
expect_json 'by the unique start of an id' 'j["point"]["message"] == "msg-4"' tine fork root --after=msg-4 --json
expect_status 'a start that several have is a conflict' 4 tine fork root --after msg-
expect_status 'a message that is not there' 3 tine fork root --after nosuch
expect_status 'a place that is not there' 3 tine fork root --after '#99'
expect_status 'two points' 2 tine fork root --after '#1' --before '#2'
expect_status 'no place' 2 tine fork root --after '#x'
expect_status 'zero from the end' 2 tine fork root --after -0
expect_text 'a comment sign the shell ate is explained' "'#4'" tine fork root --after
expect_json 'before a turn' 'j["session"]["messages"] == 0 or j["session"]["messages"] % 2 == 0' \
    tine fork root --before-turn "$(tine show root --json --from 2 --limit 1 | sed 's/.*"turn":"\([^"]*\)","parts.*/\1/')" --json
expect_status 'a turn that is not there' 3 tine fork root --before-turn nosuch
expect_json 'a dry run makes nothing' 'j["session"]["id"] is None and j["point"]["index"] == 1' \
    tine fork root --after '#0' --dry-run --json
expect_text 'and says what it would do' 'would make' tine fork root --after '#0' --dry-run
expect_json 'title, agent and metadata can be given' \
    'j["session"]["title"] == "" and j["session"]["agent"] == "tine/shell" and j["session"]["metadata"] == {"x": 1}' \
    tine fork root --title '' --agent tine/shell --metadata '{"x":1}' --json

expect_equal 'a label prints its message' msg-3 tine label root '#3' 'good idea'
expect_json 'labels are listed' \
    'j["labels"] == [{"label": "good idea", "message": "msg-3", "index": 3, "inherited": False}]' \
    tine label root --json
expect_json 'a label names a point' 'j["point"]["message"] == "msg-3"' tine fork root --after '@good idea' --json
expect_status 'a label that is not there' 3 tine fork root --after @nosuch
expect_status 'a label needs a text' 2 tine label root '#3'
expect_equal 'labels go away' msg-3 tine label root '@good idea' --remove
expect_json 'and are gone' 'j["labels"] == []' tine label root --json
tine label root msg-1 'kept' >/dev/null

expect_equal 'rewind prints the session' root tine rewind root --after msg-1
expect_equal 'and takes messages away' 2 count root
expect_status 'a rewind to where one is, is refused' 1 tine rewind root --after msg-1
expect_status 'a rewind needs a point' 2 tine rewind root
expect_equal 'undo' root tine undo root
expect_equal 'brings them back' 6 count root
expect_equal 'redo' root tine redo root
expect_equal 'takes them away again' 2 count root
expect_status 'nothing to redo is a conflict' 4 tine redo root
expect_json 'rewind --json is the reply of the API' \
    'j["rewind"]["dropped"] == 1 and j["rewind"]["kept"] == 1 and j["rewind"]["act"] == "rewind" and
     j["excluded"]["id"] == "msg-1" and j["files"]["conflicts"] == []' \
    tine rewind root --before msg-1 --json
expect_json 'one can go to what was rewound away' 'j["session"]["messages"] == 5' tine rewind root --after msg-4 --json
expect_text 'a dry run says what would be' 'would have 1 message, 4 dropped' tine rewind root --after msg-0 --dry-run
expect_equal 'and moves nothing' 5 count root
expect_status 'expect-head' 4 tine undo root --expect-head nosuch
expect_status 'nothing to undo in a fork' 4 tine undo "$f"

tine send by-place --no-run --id by-1 'another way' >/dev/null
expect_equal 'adopt prints the session' root tine adopt root by-place
expect_equal 'and takes over' 3 count root
expect_text 'the words' 'another way' tine show root
expect_equal 'as one act' root tine undo root
expect_equal 'to undo' 5 count root
tine new --id stranger >/dev/null
expect_status 'strangers cannot be adopted' 1 tine adopt root stranger

expect_json 'the tree has the family' \
    'j["root"] == "root" and j["sessions"][0]["current"] and len(j["sessions"]) > 5 and
     {"id", "title", "parent", "point", "index", "messages", "own_messages", "usage", "files_changed",
      "updated_at", "current"} == set(j["sessions"][0])' \
    tine tree root --json
expect_json 'and what was rewound' 'any(s["rewound"] for s in j["sessions"]) and any(s["labels"] for s in j["sessions"])' \
    tine tree root --json --rewound
expect_text 'the drawing has boxes' '├─ ' tine tree root
expect_text 'and marks the session' '◀ here' tine tree by-place
expect_text 'and labels' '@kept' tine tree root
expect_text 'and rewound stretches' 'rewound at #' tine tree root --rewound
LC_ALL=C expect_text 'in ASCII where that is all there is' '|- ' tine tree root

# An open tool call is no place to cut.
open='{"messages":[{"text":"run it"},{"role":"assistant","id":"call","parts":[{"type":"tool_call","id":"c","name":"x","arguments":{}}]}]}'
tine new --id open >/dev/null
printf '%s' "$open" | tine send open --no-run --input - >/dev/null
expect_status 'a fork there is a conflict' 4 tine fork open --after call
expect_json 'and snaps when asked' 'j["point"]["snapped"] and j["session"]["messages"] == 1' tine fork open --after call --snap --json

# A source that is gone leaves its forks alone.
tine rm root >/dev/null
expect_equal 'forks outlive their source' 6 count "$f"
expect_json 'and remember it' 'j["session"]["parent"]["deleted"] and j["session"]["parent"]["title"] == "The plan"' tine show "$f" --json
expect_text 'also in the tree' 'which was deleted' tine tree "$f"
tap_done

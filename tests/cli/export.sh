# export and import: nothing is lost, and nothing that was cut or changed comes in.
. "$TESTS_DIR/cli/cli.sh"

tine demo >/dev/null
tine new --id second --title 'Odd "ones"' --metadata '{"a":  1}' --state '{"k":12345678901234567890}' >/dev/null
printf '{"parts": [ {"type":"text",\n"text":"a\\u00e9\\n"} ],"metadata":{ "x" :1.10}}' | tine send second --no-run --input - >/dev/null
tine send second --no-run --id two "$(printf 'control \001 and \302\205')" >/dev/null
tine label second two 'the "label"' >/dev/null
tine rm demo-transaction >/dev/null

other() { "$TINE" --home "$scratch/other" "$@"; }
third() { "$TINE" --home "$scratch/third" "$@"; }
log_of() { other log "$1" | cut -c8-; } # without the event numbers, which are the store's
body() { sed 1d "$1" | sed '$d'; } # without the head and the end

expect 'everything is exported' tine export --all -o "$scratch/all.jsonl"
expect_json 'with counts' 'j["items"] > 20 and j["sessions"] == 4' tine export --all --json -o "$scratch/again.jsonl"
expect_equal 'twice the same' "$(body "$scratch/all.jsonl")" body "$scratch/again.jsonl"
expect_status 'a file that exists is not written over' 4 tine export --all -o "$scratch/all.jsonl"
expect_status 'a session or all' 2 tine export
expect_status 'not both' 2 tine export demo --all
expect_status 'a session that is not there' 3 tine export nosuch
expect_status 'a directory that is not there' 1 tine export --all -o "$scratch/no/such"
every_line() { while read -r line; do printf '%s' "$line" | python3 -m json.tool >/dev/null || return 1; done <"$scratch/all.jsonl"; }
command -v python3 >/dev/null && expect 'every line is JSON' every_line

expect_text 'a fresh home takes it' '4 sessions' other import "$scratch/all.jsonl"
expect 'which verifies' other verify
expect 'and exports' other export --all -o "$scratch/other.jsonl"
expect_equal 'the same' "$(body "$scratch/all.jsonl")" body "$scratch/other.jsonl"
for session in demo demo-bulk demo-strict second; do
    expect_equal "$session is the same there" "$(tine show $session --json --raw)" other show $session --json --raw
    expect_equal "its log is, too" "$(tine log $session | cut -c8-)" log_of $session
done
expect_equal 'and the tree' "$(tine tree demo --rewound)" other tree demo --rewound
expect_status 'a second time it is a conflict' 4 other import "$scratch/all.jsonl"
expect 'undo works there' other undo demo

tine export second >"$scratch/second.jsonl"
from_stdin() { third import <"$scratch/second.jsonl"; }
expect 'one family comes through a pipe' from_stdin
expect_json 'alone' '[s["id"] for s in j["sessions"]] == ["second"]' third sessions --json

# What was deleted and emptied: forks of a session without a name, erased bodies, adopted entries
# whose source is gone.
old() { "$TINE" --home "$scratch/old" "$@"; }
new() { "$TINE" --home "$scratch/new" "$@"; }
old new --id p >/dev/null
for i in 1 2 3 4; do old send p --no-run --id "p$i" "text $i" >/dev/null; done
old fork p --after p2 --id early >/dev/null
old send early --no-run 'another way' >/dev/null
old rewind p --after p3 >/dev/null
old adopt p early >/dev/null
old fork p --id late >/dev/null
old rm early --purge >/dev/null
old rm p --purge >/dev/null
old export --all -o "$scratch/old.jsonl" >/dev/null
expect 'a family with gaps is imported' new import "$scratch/old.jsonl"
expect 'and verifies' new verify
new export --all -o "$scratch/new.jsonl" >/dev/null
expect_equal 'and is the same' "$(body "$scratch/old.jsonl")" body "$scratch/new.jsonl"
expect_equal 'to look at, too' "$(old show late --raw)" new show late --raw

# Damage: always refused, with the line, and nothing is left behind.
lines=$(wc -l <"$scratch/all.jsonl")
refused() { # what file
    rm -rf "$scratch/fresh"
    expect_status "$1" 1 "$TINE" --home "$scratch/fresh" import "$2"
    expect_text "$1: the line is named" 'line ' "$TINE" --home "$scratch/fresh" import "$2"
    expect_equal "$1: nothing is left" '' "$TINE" --home "$scratch/fresh" sessions --all
}
head -n $((lines - 1)) "$scratch/all.jsonl" >"$scratch/cut"
refused 'without its end' "$scratch/cut"
head -n $((lines / 2)) "$scratch/all.jsonl" >"$scratch/cut"
refused 'half' "$scratch/cut"
head -c 3000 "$scratch/all.jsonl" >"$scratch/cut"
refused 'cut in a line' "$scratch/cut"
sed 's/50,000 rows/50,001 rows/' "$scratch/all.jsonl" >"$scratch/changed"
refused 'a word changed' "$scratch/changed"
sed '5d' "$scratch/all.jsonl" >"$scratch/changed"
refused 'a line gone' "$scratch/changed"
{ cat "$scratch/all.jsonl"; echo '{}'; } >"$scratch/changed"
refused 'something added' "$scratch/changed"
echo 'hello' >"$scratch/changed"
refused 'something else' "$scratch/changed"
: >"$scratch/changed"
refused 'nothing' "$scratch/changed"
head -c 100000 /dev/urandom >"$scratch/changed"
refused 'noise' "$scratch/changed"

# Changed with a right hash at the end, as somebody with intent would: the path hashes tell.
if command -v python3 >/dev/null; then
    python3 - "$scratch/all.jsonl" "$scratch/forged" <<'PY'
import hashlib, json, sys
lines = open(sys.argv[1], "rb").read().replace(b"50,000 rows", b"50,001 rows").splitlines(True)
end = json.loads(lines[-1])
end["end"]["sha256"] = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
open(sys.argv[2], "wb").write(b"".join(lines[:-1]) + json.dumps(end).encode() + b"\n")
PY
    rm -rf "$scratch/fresh"
    expect_not 'a forged file is refused' "$TINE" --home "$scratch/fresh" import "$scratch/forged"
    expect_equal 'and leaves nothing' '' "$TINE" --home "$scratch/fresh" sessions --all
fi
expect_status 'a file that is not there' 1 tine import "$scratch/nosuch"
expect_status 'a directory' 1 tine import "$scratch"

# ---- whose ----
two() { "$TINE" --home "$scratch/two" "$@"; }
two new --id mine >/dev/null
expect 'sessions become a user'"'"'s' two import "$scratch/all.jsonl" --user ana
expect_text 'nothing is left out silently' 'say whose to export with --user NAME' two export --all
expect_status 'but refused' 1 two export --all
expect_text 'a user is named' '"demo-bulk"' two export --all --user ana
expect_equal 'and has no sessions of others' '' sh -c '"$0" --home "$1" export --all --user ana | grep "\"mine\""' "$TINE" "$scratch/two"
expect_text 'the local user is one' '"mine"' two export --all --user local
expect 'one session of a user' two export demo --user ana
expect_status 'a session of somebody else' 3 two export demo
expect_status 'a user who is not there' 3 two export --all --user bob
tap_done

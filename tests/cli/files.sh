# Files: listed and read at any message, forked, rewound, compared, merged, brought back; attached
# directories; what others have changed; odd names.
. "$TESTS_DIR/cli/cli.sh"

if ! "$TINE" --home "$scratch/probe" new --id probe >/dev/null ||
    ! "$TINE" --home "$scratch/probe" send probe 'echo works' 2>"$scratch/why" | grep -q works; then
    echo "ok 1 - files # SKIP commands cannot be run here: $(cat "$scratch/why")"
    echo 1..1
    exit 0
fi

run() { tine send "$@" >/dev/null; }
plain() { printf '%s\n' "$1" | awk '{ print $1, $3 }'; }

# ---- lists, and files at any message ----

tine new --id s --title 'Files' >/dev/null
run s 'mkdir -p d/e; printf "one\ntwo\nthree\n" >a.txt; echo deep >d/e/f.txt; ln -s a.txt l; chmod 750 d'
run s 'printf "one\nTWO\nthree\n" >a.txt; rm d/e/f.txt; chmod +x a.txt; printf "\0\1\2" >b.bin'
expect_equal 'the files now' '-rwxr-xr-x a.txt
-rw-r--r-- b.bin
drwxr-x--- d/
lrwxrwxrwx l' plain "$(tine files s)"
expect_equal 'at a message, with all below' '-rw-r--r-- a.txt
drwxr-x--- d/
drwxr-xr-x d/e/
-rw-r--r-- d/e/f.txt
lrwxrwxrwx l' plain "$(tine files s --deep --at '#1')"
expect_equal 'a directory' '-rw-r--r-- d/e/f.txt' plain "$(tine files s ./d/e/ --at '#1')"
expect_text 'a link says where it leads' 'l -> a.txt' tine files s
expect_json 'as JSON' 'len(j["files"]) == 4 and j["files"][0]["path"] == "a.txt" and j["files"][0]["mode"] == "0755" and
    j["files"][3]["target"] == "a.txt" and len(j["tree"]) == 64 and j["left_out"] == 0' tine files s --json
expect_json 'at a message' '[f["path"] for f in j["files"]] == ["a.txt", "d", "d/e", "d/e/f.txt", "l"]' tine files s -r --at '#1' --json
expect_equal 'before anything there is nothing' '' tine files s --at '#0'
expect_status 'a directory that is not there' 3 tine files s nosuch
expect_status 'a path that leads out' 2 tine files s ../x
expect_status 'an absolute one' 2 tine files s /etc
expect_status 'a message that is not there' 3 tine files s --at nosuch

expect_equal 'a file now' 'one
TWO
three' tine cat s:a.txt
expect_equal 'at a message' 'one
two
three' tine cat 's:a.txt@#1'
expect_equal 'by --at' deep tine cat s:d/e/f.txt --at '#1'
tine label s '#1' plan >/dev/null
expect_equal 'at a label' deep tine cat s:d/e/f.txt@@plan
expect_equal 'by a part of the id of the message' deep tine cat "s:d/e/f.txt@$(tine show s --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["messages"][1]["id"][:35])')"
bytes() { tine cat s:b.bin | od -An -tx1; }
expect_equal 'any bytes' ' 00 01 02' bytes
expect_json 'as JSON' 'j["text"] == "one\nTWO\nthree\n" and j["size"] == 14 and j["at"] is None' tine cat s:a.txt --json
run s 'printf "\377\376" >latin; : >empty; echo at >user@host; mkdir @types; echo t >@types/i'
expect_json 'what is no text is base64' 'j["bytes"] == "//4=" and "text" not in j' tine cat s:latin --json
expect_equal 'an empty file' '' tine cat s:empty
expect_status 'which is there' 0 tine cat s:empty
expect_status 'an @ names a message' 3 tine cat s:user@host
expect_equal 'one more at the end: now' at tine cat s:user@host@
expect_equal 'with --at all is the path' at tine cat s:user@host --at -1
expect_equal 'a slash behind it is of no message' t tine cat s:@types/i
expect_status 'a file that is not there' 3 tine cat s:d/e/f.txt
expect_status 'nor at that message' 3 tine cat 's:b.bin@#1'
expect_status 'no path' 2 tine cat s:
expect_status 'no colon' 2 tine cat s
expect_status 'out of the directory' 2 tine cat s:../tine.db
expect_status 'another session' 3 tine cat nosuch:a.txt
tine new --id a:b >/dev/null
run a:b 'echo colon >c:d'
expect_equal 'ids and names may have colons' colon tine cat a:b:c:d
expect_text 'show says where files changed' 'files changed' tine show s
expect_not 'and where they did not' sh -c '"$0" --home "$1" show s --from 2 --limit 1 | grep -q "files changed"' "$TINE" "$scratch/home"

# ---- diff ----

expect_equal 'a diff with a message of before' '2 messages in common
+++ Files  s
+ #2 user  printf "one\nTWO\nthree\n" >a.txt; rm d/e/f.txt; chmod +x a.txt; printf "\0\1\2" >b.bin
+ #3 assistant  (no output)

M  a.txt  +1 -1
A  b.bin  (binary)
D  d/e/f.txt  +0 -1' sh -c '"$0" --home "$1" diff "s@#1" "s@#3" --stat | sed "s/  s at #3$/  s/"' "$TINE" "$scratch/home"
expect_text 'patches' '-two
+TWO' tine diff 's@#1'
expect_text 'in both directions' '-TWO
+two' tine diff s@-1 s --with-at '#1'
expect_equal 'only messages' '2 messages in common' sh -c '"$0" --home "$1" diff s --at "#1" --messages | head -1' "$TINE" "$scratch/home"
expect_not 'without files' sh -c '"$0" --home "$1" diff s --at "#1" --messages | grep -q "^M  a.txt"' "$TINE" "$scratch/home"
expect_not 'only files' sh -c '"$0" --home "$1" diff s --at "#1" --files | grep -q common' "$TINE" "$scratch/home"
expect_json 'as JSON' 'j["index"] == 2 and [f["status"] for f in j["files"] if f["path"] in ("a.txt", "b.bin")] == ["modified", "added"] and
    "patch" in j["files"][-1]' tine diff 's@#1' 's@#3' --json
expect_json 'without patches' 'not any("patch" in f for f in j["files"])' tine diff 's@#1' s --stat --json
expect_text 'the same place twice' 'no file differs' tine diff 's@#1' 's@#1'
expect_status 'nothing to compare with' 2 tine diff s
expect_status 'not of the family' 1 tine diff s a:b
if command -v git >/dev/null; then
    applied() {
        mkdir -p "$scratch/apply" && cd "$scratch/apply" && printf 'one\ntwo\nthree\n' >a.txt &&
            mkdir -p d/e && echo deep >d/e/f.txt && tine diff 's@#1' 's@#3' --files | grep -v ^Binary |
            git apply --include=a.txt --include=d/e/f.txt && cat a.txt && test ! -e d/e/f.txt
    }
    expect_equal 'git apply takes the patches' 'one
TWO
three' applied
fi

# ---- fork ----

expect_equal 'a fork has the files of its point' '-rw-r--r-- a.txt
drwxr-x--- d/
lrwxrwxrwx l' plain "$(tine fork s --after '#1' --id point >/dev/null; tine files point)"
dir=$(tine workspace show s)
echo live >"$dir/live.txt"
tine fork s --id live --files live >/dev/null
expect_equal 'a live one what is there now' live tine cat live:live.txt
tine fork s --id none --files none >/dev/null
expect_equal 'or none' '' tine files none
expect_status 'or something else' 2 tine fork s --files some
expect_text 'a dry run says what would be different' 'd/e/f.txt' tine fork s --after '#1' --dry-run
rm "$dir/live.txt"

# ---- rewind, undo, conflicts ----

tine new --id r --title 'Back' >/dev/null
run r 'echo 1 >a; echo 1 >b'
run r 'echo 2 >a; echo 2 >c; rm b'
expect_equal 'a dry run says what would go' 'rewind: the session would have 2 messages, 2 dropped, 2 files would be written, 1 deleted
  write     a
  write     b
  delete    c' tine rewind r --after '#1' --dry-run
expect_equal 'and changes nothing' 2 tine cat r:a
expect_equal 'a rewind' r tine rewind r --after '#1'
expect_equal 'takes the files back' '1 1' sh -c 'echo $("$0" --home "$1" cat r:a) $("$0" --home "$1" cat r:b)' "$TINE" "$scratch/home"
expect_status 'all of them' 3 tine cat r:c
expect_equal 'undo' r tine undo r
expect_equal 'brings them again' '2 2' sh -c 'echo $("$0" --home "$1" cat r:a) $("$0" --home "$1" cat r:c)' "$TINE" "$scratch/home"
expect_json 'as JSON' 'j["files"]["deleted"] == ["c"] and sorted(j["files"]["restored"]) == ["a", "b"] and j["files"]["conflicts"] == []' \
    tine rewind r --after '#1' --json --dry-run
tine rewind r --after '#1' --conversation >/dev/null
expect_json 'only the conversation' 'j["session"]["messages"] == 2' tine show r --json
expect_equal 'the files stay' 2 tine cat r:a
tine undo r >/dev/null
tine rewind r --after '#1' --files >/dev/null
expect_equal 'only the files' 1 tine cat r:a
expect_json 'the conversation stays' 'j["session"]["messages"] == 4' tine show r --json
expect_text 'the journal says so' 'files only' tine log r
tine undo r >/dev/null
expect_equal 'undo knows the scope' 2 tine cat r:a
expect_status 'two scopes' 2 tine rewind r --after '#1' --files --conversation

echo mine >"$(tine workspace show r)/a"
expect_status 'what somebody else changed is a conflict' 4 tine rewind r --after '#1'
expect_text 'which is named' '  a  (somebody else changed it)' tine rewind r --after '#1'
expect_text 'with what --force does' 'with --force they are written over; tine undo brings them back' tine rewind r --after '#1'
expect_equal 'and stays' mine tine cat r:a
expect_text 'a dry run says so' 'a  (conflict: somebody else changed it)' tine rewind r --after '#1' --dry-run
tine rewind r --after '#1' --json 2>"$scratch/problem" >/dev/null
expect 'with --json the conflicts are in the problem' json_check \
    'j["code"] == "files_conflict" and j["conflicts"] == [{"path": "a", "reason": "foreign"}]' "$scratch/problem"
expect_equal 'force' r tine rewind r --after '#1' --force
expect_equal 'writes over it' 1 tine cat r:a
tine undo r --force >/dev/null
expect_equal 'undo brings it back' mine tine cat r:a

# ---- restore ----

expect_equal 'one file back' r tine restore r 'a@#1'
expect_equal 'as it was' 1 tine cat r:a
expect_equal 'the others stay' 2 tine cat r:c
expect_json 'by --at, as JSON' 'j["files"]["restored"] == ["a"]' tine restore r a --at '#3' --json
run r 'mkdir -p d/e; echo x >d/e/x'
run r 'rm -r d'
expect_equal 'a directory' r tine restore r 'd@#5'
expect_equal 'with all that was in it' x tine cat r:d/e/x
expect_status 'a file that was not there' 3 tine restore r 'nosuch@#1'
expect_status 'no message' 2 tine restore r a

# ---- merge, adopt ----

tine new --id base --title 'Base' >/dev/null
run base 'printf "1\n2\n3\n4\n5\n6\n7\n" >n; echo x >same'
tine fork base --id other --title Other >/dev/null
run base 'sed -i 1s/1/one/ n'
run other 'sed -i 7s/7/seven/ n; echo new >new'
expect_equal 'a merge can be tried' 'merge: 2 files would be written
  write     n
  write     new' tine merge base other --dry-run
expect_equal 'and made' base tine merge base other
expect_equal 'both changes are there' 'one 2 3 4 5 6 seven' sh -c 'echo $("$0" --home "$1" cat base:n)' "$TINE" "$scratch/home"
expect_text 'a message tells of it' 'Merged' tine show base --all
expect_text 'the journal too' '(merged)' tine log base
expect_status 'there is nothing more' 4 tine merge base other
expect_text 'the tree counts changed files' 'files' tine tree base
tine undo base >/dev/null
expect_equal 'undo takes it back' 'one 2 3 4 5 6 7' sh -c 'echo $("$0" --home "$1" cat base:n)' "$TINE" "$scratch/home"
run other 'sed -i 1s/1/uno/ n'
expect_status 'changes of the same lines' 4 tine merge base other
expect_text 'are named' '  n  (both changed the same lines)' tine merge base other
expect_text 'with what --force does' 'with --force what FROM has is taken' tine merge base other
expect_equal 'and nothing is half done' 'one 2 3 4 5 6 7' sh -c 'echo $("$0" --home "$1" cat base:n)' "$TINE" "$scratch/home"
expect_status 'new neither' 3 tine cat base:new
expect_text 'a dry run says so' 'n  (conflict: both changed the same lines)' tine merge base other --dry-run
expect_equal 'force takes theirs' base tine merge base other --force
expect_text 'where they clash' 'uno' tine cat base:n
tine undo base >/dev/null
expect_equal 'adopt takes the files, too' base tine adopt base other
expect_equal 'as they are there' "$(tine cat other:n)" tine cat base:n
tine undo base >/dev/null
tine adopt base other --conversation >/dev/null
expect_equal 'or only the conversation' 'one 2 3 4 5 6 7' sh -c 'echo $("$0" --home "$1" cat base:n)' "$TINE" "$scratch/home"
expect_status 'a merge with a stranger' 1 tine merge base s

# ---- attached directories ----

mkdir "$scratch/project"
echo there >"$scratch/project/was"
attached() { cd "$scratch" && tine new --id at --attach project; }
expect_equal 'a session in a directory that is there' at attached
expect_equal 'is told where it is' "$scratch/project" tine workspace show at
expect_json 'as JSON' 'j["mode"] == "attached" and j["dir"].endswith("/project")' tine workspace show at --json
expect_equal 'it sees what is there' there tine cat at:was
run at 'echo done >work'
expect_equal 'and works there' 'done' cat "$scratch/project/work"
tine new --id at2 >/dev/null
expect_equal 'a second one' at2 tine workspace attach at2 "$scratch/project"
run at2 'echo two >work; echo two >two'
expect_status 'a rewind does not destroy what the other did' 4 tine rewind at --before '#0'
expect_equal 'it is there' two cat "$scratch/project/work"
expect_equal 'detach' at2 tine workspace detach at2
expect_equal 'keeps the files' two tine cat at2:work
expect_not 'elsewhere' test "$(tine workspace show at2)" = "$scratch/project"
expect_equal 'and leaves the directory' two cat "$scratch/project/two"
expect_equal 'a session without files' bare tine new --id bare --no-files
expect_equal 'has no directory' '' tine workspace show bare
expect_json 'as JSON' 'j["mode"] == "none" and j["dir"] is None' tine workspace show bare --json
expect_status 'both' 2 tine new --attach "$scratch" --no-files
expect_status 'a directory that is not there' 1 tine workspace attach at2 nosuch
expect_status 'nor by its whole name' 1 tine workspace attach at2 /nosuch/dir
expect_status 'no directory' 2 tine workspace attach at2
expect_status 'another verb' 2 tine workspace open at2

# ---- while a turn runs ----

if [ -n "${TINE_TEST_SERVER-}" ]; then
    tine new --id busy >/dev/null
    run busy 'echo before >f'
    tine send busy 'echo during >f; sleep 5' >/dev/null 2>&1 &
    turn=$!
    running() { for _ in $(seq 100); do tine show busy --json --tail 1 | grep -q '"state":"running"' && return 0; sleep 0.05; done; return 1; }
    expect 'a turn runs' running
    expect_text 'files can be listed meanwhile' 'f' tine files busy
    expect_equal 'and read' before tine cat 'busy:f@#1'
    expect_status 'and compared' 0 tine diff 'busy@#1'
    expect_status 'but not taken back' 4 tine rewind busy --after '#1'
    tine cancel busy >/dev/null
    wait $turn
fi

# ---- odd names ----

tine new --id odd >/dev/null
run odd 'touch "$(printf "new\nline")" "$(printf "esc\033[31m")" "$(printf "\377latin")" "with space"'
expect_equal 'are shown as escapes' 'esc\e[31m
new\nline
with space
\xFFlatin' sh -c '"$0" --home "$1" files odd | sed "s/^[^ ]* *[0-9]*  //"' "$TINE" "$scratch/home"
expect_status 'and can be read' 0 tine cat "odd:$(printf '\377latin')" --at -1
expect_status 'and restored' 0 tine restore odd "$(printf '\377latin')" --at -1
expect_status 'a line feed too' 0 tine cat "odd:$(printf 'new\nline')"
if command -v script >/dev/null; then
    on_terminal() { script -qec "stty cols 40; '$TINE' --home '$scratch/home' $1" /dev/null </dev/null; }
    run odd 'printf "a\033]0;x\007b\377\n" >esc.txt'
    expect_text 'content is made safe on a terminal' 'a\e]0;x\x07b\xff' on_terminal 'cat odd:esc.txt'
    expect_text 'patches too' '+a\e]0;x\x07b\xff' on_terminal 'diff odd --at "#1" --files'
    expect_text 'which are coloured' "$(printf '\033[32m+')" on_terminal 'diff odd --at "#1" --files'
    run odd 'printf "no end" >end.txt; touch a@b'
    expect_equal 'a last line without an end gets one there' 'no end' \
        sh -c 'head -1 "$0"' <(on_terminal 'cat odd:end.txt; echo next' | tr -d '\r')
    expect_equal 'but not elsewhere' 6 sh -c '"$0" --home "$1" cat odd:end.txt | wc -c' "$TINE" "$scratch/home"
    expect_text 'an @ in a path is explained' 'one more @ at its end' on_terminal 'cat odd:a@b'
    tine new --id unused >/dev/null
    expect_text 'no files are told' 'there are no files' on_terminal 'files unused'
fi

# ---- a directory that is gone ----

mkdir "$scratch/gone" && echo 1 >"$scratch/gone/f"
tine new --id gone --attach "$scratch/gone" >/dev/null
run gone 'echo 2 >f'
rm -r "$scratch/gone"
expect_status 'is no list of old files' 4 tine files gone
expect_equal 'what was recorded can be read' 2 tine cat 'gone:f@-1'
expect_status 'and listed' 0 tine files gone --at -1
tine workspace detach gone >/dev/null
expect_text 'and laid out elsewhere' '  f' tine files gone

# ---- what is not kept ----

tine new --id special >/dev/null
run special 'mkfifo pipe'
run special 'rm pipe'
expect_text 'is told when it does not come back' 'left as it is: pipe' tine rewind special --after '#1'
expect_text 'a fork of what has no title' 'would make "(untitled)"' tine fork special --dry-run
tap_done

# rm --purge: no word of what nobody shows any more is left in any file.
. "$TESTS_DIR/cli/cli.sh"

words_left() { grep -rilE 'xylophon|zanzibar' "$scratch/home"; }
say() { tine send "$@" --no-run; }

old=$(tine new --title 'Zanzibar')
for i in 1 2 3 4; do say "$old" "xylophone $i" >"$scratch/out"; done
kept=$(tine fork "$old" --after '#0' --title 'Kept')
say "$kept" 'of its own' >"$scratch/out"
tine rewind "$kept" --before '#0' >"$scratch/out"
tine undo "$kept" >"$scratch/out"
expect_text 'the words are found' 'xylophone 4' tine search xylophone
expect 'the words are in the files' words_left

expect 'a source is purged' tine rm --purge "$old"
expect_text 'its fork has what it had' 'xylophone 1' tine show "$kept"
expect_equal 'what only the source had is not found' '' tine search '"xylophone 3"'
expect_text 'all is well' ' 0 problems' tine verify
expect 'the fork is purged too' tine rm --purge "$kept"
expect_not 'no file has a word of it' words_left
expect_text 'all is well again' '0 sessions' tine verify

# A body that a living fork does not show is emptied, and its hash stays.
old=$(tine new --title 'Source')
for i in 1 2 3; do say "$old" "xylophone $i" >"$scratch/out"; done
kept=$(tine fork "$old")
tine rewind "$kept" --after '#0' >"$scratch/out"
expect 'the source goes' tine rm --purge "$old"
tine undo "$kept" >"$scratch/out"
expect_text 'what the fork had rewound away is emptied' '(erased)' tine show "$kept"
expect_text 'what it showed is there' 'xylophone 1' tine show "$kept"
expect_text 'hashes agree' ' 0 problems' tine verify
expect_json 'an emptied message says so' '[m.get("erased") for m in j["messages"]] == [None, True, True]' \
    tine show "$kept" --json

tap_done

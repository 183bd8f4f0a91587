# Several processes at once, on a home that none of them finds there.
. "$TESTS_DIR/cli/cli.sh"

# Ten programs at the same moment: each makes a session and says something in it.
crowd() { # home
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        { id=$("$TINE" --home "$1" new --title "T") && "$TINE" --home "$1" send "$id" "hello" --no-run; } \
            >"$1.$i.out" 2>"$1.$i.err" &
    done
    wait
    cat "$1".*.err
}

for round in 1 2 3 4 5; do
    expect_equal "round $round: nobody was turned away" '' crowd "$scratch/home$round"
    expect_json "round $round: ten sessions with a message each" \
        'len(j["sessions"]) == 10 and all(s["messages"] == 1 for s in j["sessions"])' \
        "$TINE" --home "$scratch/home$round" sessions --json
    expect_text "round $round: all is well" '10 sessions, 10 entries, 0 problems' \
        "$TINE" --home "$scratch/home$round" verify
done

# Forks of one session by many programs: one unbroken series of titles.
source=$(tine new --title 'Series')
forks() { for i in 1 2 3 4 5 6 7 8 9 10 11 12; do tine fork "$source" >"$scratch/fork.$i" 2>&1 & done; wait; }
expect 'twelve programs fork one session' forks
expect_json 'their titles are a series' \
    'sorted(s["title"] for s in j["sessions"] if "fork" in s["title"]) == sorted("Series (fork %d)" % n for n in range(1, 13))' \
    tine sessions --json

tap_done

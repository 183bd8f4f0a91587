# docs/limits.md names the same limits, with the same values, as the headers that have them.
. "$TESTS_DIR/tap.sh" || exit 1
page=$TESTS_DIR/../docs/limits.md
src=$TESTS_DIR/../src

# LIMIT_X VALUE, one a line
sed -n 's/^ *\(LIMIT_[A-Z_]*\) = \([0-9 *]*\).*/\1 \2/p
    s/^#define \(LIMIT_[A-Z_]*\) *INT64_C(\([0-9]*\)).*/\1 \2/p' "$src/store/limits.h" |
    while read -r name value; do
        echo "$name $((value))"
    done >"$scratch/header"
sed -n 's/^| `\(LIMIT_[A-Z_]*\)` | \([0-9,]*\) .*/\1 \2/p' "$page" | tr -d , >"$scratch/page"
expect 'the header has limits' test -s "$scratch/header"
expect 'the page has them, in their order, with their values' diff "$scratch/header" "$scratch/page"

# the same for the edge
sed -n 's/^ *\(EDGE_[A-Z_]*\) = \([0-9 *]*\).*/\1 \2/p' "$src/http/limits.h" |
    while read -r name value; do
        echo "$name $((value))"
    done >"$scratch/edge_header"
sed -n 's/^| `\(EDGE_[A-Z_]*\)` | \([0-9,]*\) .*/\1 \2/p' "$page" | tr -d , >"$scratch/edge_page"
expect 'the edge has limits' test -s "$scratch/edge_header"
expect 'the page has those, too' diff "$scratch/edge_header" "$scratch/edge_page"

# The faults that the page names are faults.
sed -n 's/^FAULT([A-Z_]*, [0-9]*, "\([a-z_]*\)".*/\1/p' "$src/base/fault.def" >"$scratch/faults"
grep -E '^. `(LIMIT|EDGE)_' "$page" | cut -d'|' -f5 | grep -o '`[a-z_]*`' | tr -d '`' | sort -u >"$scratch/named"
expect 'faults are named' test -s "$scratch/named"
while read -r fault; do
    expect "$fault is a fault" grep -qx "$fault" "$scratch/faults"
done <"$scratch/named"
tap_done

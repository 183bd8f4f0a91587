# docs/cli.md and the program have the same commands, options and exit codes.
. "$TESTS_DIR/tap.sh" || exit 1
export LC_ALL=C.UTF-8
page=$TESTS_DIR/../docs/cli.md

"$TINE" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$scratch/commands"
sed -n 's/^## tine \([a-z]*\)$/\1/p' "$page" >"$scratch/sections"
expect 'there are commands' test -s "$scratch/commands"
expect 'the sections are the commands, in their order' diff "$scratch/commands" "$scratch/sections"

section() { # of a command
    sed -n "/^## tine $1\$/,/^## /p" "$page"
}
general() { # what stands before the first command
    sed '/^## tine /,$d' "$page"
}
options_of() { # of a help text on stdin
    sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}
missing() { # options, text: the options that the text does not mention
    for option in $1; do
        printf '%s\n' "$2" | grep -q -e "\`${option}[ \`=]" || echo "$option"
    done
}
while read -r command; do
    own=$("$TINE" help "$command" | sed -n '/^Options$/,/^$/p' | options_of)
    expect "$command: every option is explained" test -z "$(missing "$own" "$(section "$command")")"
    known=$("$TINE" help "$command" | options_of)
    for option in $(section "$command" | grep -oE '^- `--[a-z-]+' | sed 's/^- `//'); do
        expect "$command: $option exists" grep -qxe "$option" <<<"$known"
    done
    expect_text "$command: the usage is the program's" "$("$TINE" help "$command" | sed -n '1s/^usage: //p')" \
        section "$command"
    expect_text "$command: the page has an example" '$ ' section "$command"
done <"$scratch/commands"
all=$("$TINE" help | sed -n '/^Options of all/,/^$/p' | options_of)
expect 'the options of all commands are explained' test -z "$(missing "$all" "$(general)")"

"$TINE" help | sed -n '/^Exit codes/,/^$/s/^  \([0-9]\)  .*/\1/p' >"$scratch/codes"
sed -n '/^## Exit codes/,/^## /s/^| \([0-9]\) .*/\1/p' "$page" >"$scratch/page-codes"
expect 'the exit codes are the same' diff "$scratch/codes" "$scratch/page-codes"
tap_done

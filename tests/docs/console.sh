# Pages whose ```console blocks are run; sourced by those who run them, after tap.sh.
#
# A page is one session of a shell in an empty directory with a fresh home. In a block
#   $ COMMAND      is run, with what it writes to stderr
#   > MORE         directly below continues the command
#   ...            among the output stands for any number of lines
# Ids, short ids, times, hashes, salts and sizes differ from run to run and are not compared. With
# DOCS_UPDATE=1 what was printed is put into the pages.
unset TINE_HOME TINE_DB TINE_SERVER TINE_TOKEN TINE_CONFIG TINE_LISTEN XDG_DATA_HOME NO_COLOR COLUMNS
export LC_ALL=C.UTF-8 TZ=UTC
root=$(cd "$TESTS_DIR/.." && pwd)
mkdir "$scratch/bin"
ln -s "$(realpath "$TINE")" "$scratch/bin/tine"
export PATH="$scratch/bin:$PATH"

# What differs from run to run becomes a word.
settle() {
    sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/ID/g
        s/\b[0-9a-f]{64}\b/HASH/g; s/\b[0-9a-f]{32}\b/SALT/g; s/\b[0-9a-f]{8}\b/ID/g
        s/[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?Z)?/TIME/g
        s/("[a-z]+_us":)[0-9]+/\1TIME/g; s/"next":"[0-9A-Za-z._-]+"/"next":"CURSOR"/g
        s/\b[0-9]+ (bytes|after$)/SIZE \1/g; s/("bytes[a-z_]*":)[0-9]+/\1SIZE/g'
}

# Is that what the page says? A line of three dots stands for any lines.
agrees() { # expected actual
    local pattern
    pattern=$(printf '%s' "$1" | settle | sed -E 's/[][\\*?]/\\&/g; s/^\.\.\.$/*/')
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $(printf '%s' "$2" | settle) == $pattern ]]
}

# Runs the command at hand and looks at what it printed.
finish() {
    local what
    [ -n "$command" ] || return 0
    what="$page:$at: ${command%%$'\n'*}"
    (exit "$status")
    eval "$command" >"$scratch/output" 2>&1 </dev/null
    status=$?
    output=$(cat "$scratch/output")
    if agrees "$expected" "$output"; then
        tap_result ok "$what"
        output=$expected
    else
        tap_result failed "$what" "$(diff <(printf '%s\n' "$expected") <(printf '%s\n' "$output"))"
    fi
    [ -z "$output" ] || printf '%s\n' "$output" >>"$scratch/page"
    command=
}

run_page() {
    local page=$1 line number=0 in_block='' command='' expected='' at=0 status=0 output
    export TINE_HOME="$scratch/${page//\//-}.home"
    mkdir "$scratch/cwd" && cd "$scratch/cwd" || exit 1
    : >"$scratch/page"
    while IFS= read -r line <&3; do
        number=$((number + 1))
        case $in_block:$line in
        :'```console') in_block=yes ;;
        yes:'```') finish; in_block= ;;
        yes:'$ '*) finish; command=${line#'$ '} expected='' at=$number ;;
        yes:'> '*)
            if [ -z "$expected" ]; then
                command+=$'\n'${line#'> '}
            else
                expected+=$'\n'$line
                continue
            fi ;;
        yes:*) expected+=${expected:+$'\n'}$line; continue ;;
        esac
        printf '%s\n' "$line" >>"$scratch/page"
    done 3<"$root/$page"
    cd / && rm -rf "$scratch/cwd"
    [ -z "${DOCS_UPDATE-}" ] || cmp -s "$scratch/page" "$root/$page" ||
        sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/2026-05-04 10:12/g' "$scratch/page" >"$root/$page"
}

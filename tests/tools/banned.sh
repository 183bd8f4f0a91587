# tools/banned.sh finds banned functions, and only those.
. "$TESTS_DIR/tap.sh"
banned=$TESTS_DIR/../tools/banned.sh
mkdir -p "$scratch/src/base"

# code LINE...: the tree has one file, with these lines
code() {
    printf '%s\n' "$@" >"$scratch/src/base/a.c"
}

for word in strcpy strcat strncpy sprintf strtok atoi gmtime localtime alloca; do
    code "x = $word (y);"
    expect_not "$word is found" "$banned" "$scratch/src"
done

code 'f = sprintf;'
expect_not 'a name without a call is found' "$banned" "$scratch/src"
code '/* one' 'two */ atoi(s);'
expect_not 'code after a comment is found' "$banned" "$scratch/src"
code "c = '\"'; atoi(s); d = '\"';"
expect_not 'code between quotes is found' "$banned" "$scratch/src"

code 'snprintf(a, n, f); strtok_r(a, b, c); gmtime_r(a, b); my_atoi(s);'
expect 'names that contain one are allowed' "$banned" "$scratch/src"
code '/* never atoi() */ // nor strcpy()' '/* here' 'sprintf' 'too */'
expect 'comments are not looked at' "$banned" "$scratch/src"
code 'puts("no \"atoi\" here");'
expect 'strings are not looked at' "$banned" "$scratch/src"

code 'int x;' 'x = atoi(s);'
expect_text 'a use is reported with file and line' 'src/base/a.c:2: atoi' \
    "$banned" "$scratch/src"
tap_done

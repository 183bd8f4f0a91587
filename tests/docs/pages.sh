# The pages tell the truth: each ```console block is run, and what it prints is what the page says.
#
#   TINE=build/tine TESTS_DIR=tests bash tests/docs/pages.sh                    compare
#   TINE=build/tine TESTS_DIR=tests DOCS_UPDATE=1 bash tests/docs/pages.sh      and put what was
#                                                                  printed into the pages
. "$TESTS_DIR/tap.sh" || exit 1
. "$TESTS_DIR/docs/console.sh"

# Every link to a file leads somewhere, every link to a heading has one, every path named exists.
slugs() { # the anchors of a page
    sed -n 's/^#\{1,6\} //p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'
}
check_links() {
    local page=$1 folder link file anchor
    folder=$(dirname "$root/$page")
    grep -oE '\]\([^)]+\)' "$root/$page" | sed 's/^](//; s/)$//' | while read -r link; do
        case $link in http*) continue ;; esac
        file=${link%%#*} anchor=''
        case $link in *'#'*) anchor=${link#*#} ;; esac
        file=${file:+$folder/$file}
        file=${file:-$root/$page}
        if [ ! -e "$file" ]; then
            echo "$page: $link leads nowhere"
        elif [ -n "$anchor" ] && ! slugs "$file" | grep -qx -- "$anchor"; then
            echo "$page: $link names no heading"
        fi
    done >"$scratch/broken"
    grep -oE '`(src|tools|tests|docs)/[a-z0-9_./-]+`' "$root/$page" | tr -d '`' | while read -r file; do
        [ -e "$root/$file" ] || echo "$page: $file does not exist"
    done >>"$scratch/broken"
    expect "$page: its links and paths lead somewhere" test ! -s "$scratch/broken"
    sed 's/^/# /' "$scratch/broken"
}

pages=$(cd "$root" && ls README.md CONTRIBUTING.md docs/*.md)
for page in $pages; do
    check_links "$page"
    [ "$page" = docs/fork-contracts.md ] || run_page "$page" # that has a test of its own
done
index() { # each page of docs/ stands in its index
    for page in "$root"/docs/*.md; do
        page=${page##*/}
        [ "$page" = README.md ] || grep -q "($page)" "$root/docs/README.md" || echo "$page"
    done
}
expect_text 'every page stands in the index' 'all of them' sh -c "test -z '$(index)' && echo all of them || echo 'missing: $(index)'"
tap_done

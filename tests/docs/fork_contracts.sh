# docs/fork-contracts.md against a fresh server: with the dialects at their prefixes, then all of them
# at the root. With DOCS_UPDATE=1 what the first run prints is put into the page.
. "$TESTS_DIR/tap.sh" || exit 1
. "$TESTS_DIR/docs/console.sh"
for need in curl jq; do
    command -v $need >/dev/null || { echo "1..0 # SKIP there is no $need"; exit 0; }
done

contracts() { # where: prefix or root
    local server
    mkdir "$scratch/$1.home"
    printf 'sandbox: off\n' >"$scratch/$1.home/tine.yaml"
    tine serve --home "$scratch/$1.home" --listen 127.0.0.1:0 --log off >"$scratch/$1.out" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        grep -q '^listening' "$scratch/$1.out" && break
        sleep 0.05
    done
    SERVER=$(sed -n 's/^listening on //p' "$scratch/$1.out")
    expect "a server for the page at the $1" test -n "$SERVER"
    case $1 in
    prefix) KAGENT=$SERVER/kagent DOCKER=$SERVER/docker-agent ASH=$SERVER/ash ;;
    root) KAGENT=$SERVER DOCKER=$SERVER ASH=$SERVER ;;
    esac
    run_page docs/fork-contracts.md
    kill "$server"
    wait "$server"
    expect "the server at the $1 ends well" test $? = 0
}

contracts prefix
unset DOCS_UPDATE
contracts root
tap_done

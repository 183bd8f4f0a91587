# The OpenAPI document passes a linter that knows nothing of tine: Redocly's, from npm. It is
# installed into the build directory when it is not there.
. "$TESTS_DIR/tap.sh" || exit 1
version=1.34.5
cache=$(dirname "$TINE")/redocly-$version
redocly=$cache/node_modules/.bin/redocly
server=${WIRE_SERVER-$(dirname "$TINE")/tests/wire/wire_server}

skip_all() { echo "1..0 # SKIP $1"; exit 0; }
command -v npm >/dev/null || skip_all 'there is no npm'
if [ ! -x "$redocly" ]; then
    mkdir -p "$cache" || skip_all "$cache cannot be made"
    timeout 300 npm install --prefix "$cache" --no-audit --no-fund --silent \
        "@redocly/cli@$version" >"$scratch/npm" 2>&1 ||
        skip_all "npm cannot install the linter: $(tail -1 "$scratch/npm")"
fi
mkdir "$scratch/home"
: >"$scratch/tine.yaml"
"$server" "$scratch/home" 127.0.0.1:0 "$scratch/tine.yaml" >"$scratch/out" 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do
    [ -s "$scratch/out" ] && break
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' "$scratch/out")
python3 - "$url/api/v1/openapi.json" "$scratch/openapi.json" <<'PY'
import sys, urllib.request
open(sys.argv[2], "wb").write(urllib.request.urlopen(sys.argv[1]).read())
PY
kill "$pid" && wait "$pid"
expect 'the server stops with success' test $? -eq 0
cat >"$scratch/redocly.yaml" <<'YAML'
extends: [recommended-strict]
rules:
  no-server-example.com: off
YAML
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
expect 'the document passes the linter' \
    "$redocly" lint --config "$scratch/redocly.yaml" "$scratch/openapi.json"
tap_done

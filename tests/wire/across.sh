# Every dialect with every other, on one server. The tests are in Python; this finds one that has
# jsonschema.
WIRE_SERVER=${WIRE_SERVER-$(dirname "$TINE")/tests/wire/wire_server}
export WIRE_SERVER PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import jsonschema' 2>/dev/null; then
        exec "$python" "$TESTS_DIR/wire/across.py"
    fi
done
echo '1..0 # SKIP there is no python3 with jsonschema (Debian: python3-jsonschema)'

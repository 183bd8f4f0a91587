# docker-agent's API: every route and error, the events of a run, approvals, forks.
WIRE_SERVER=${WIRE_SERVER-$(dirname "$TINE")/tests/wire/wire_server}
WIRE_SUBSESSION=${WIRE_SUBSESSION-$(dirname "$TINE")/tests/wire/wire_subsession}
export WIRE_SERVER WIRE_SUBSESSION PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import jsonschema' 2>/dev/null; then
        exec "$python" "$TESTS_DIR/wire/docker_agent.py"
    fi
done
echo '1..0 # SKIP there is no python3 with jsonschema (Debian: python3-jsonschema)'

#!/bin/bash
# kill -9 under load, again and again: nothing acknowledged is lost.
exec python3 "$TESTS_DIR/soak/soak.py" --seconds 9 --rounds 3 --clients 20 --stop kill

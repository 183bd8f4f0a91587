#!/bin/bash
# SIGTERM under load, again and again: exit 0 within 5 s, and nothing acknowledged is lost.
exec python3 "$TESTS_DIR/soak/soak.py" --seconds 9 --rounds 3 --clients 20 --stop term

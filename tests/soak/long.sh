#!/bin/bash
# A hundred clients for two minutes.
exec python3 "$TESTS_DIR/soak/soak.py" --seconds 120 --clients 100

#!/bin/bash
# Many clients for a short while; the long runs are in make test-long.
exec python3 "$TESTS_DIR/soak/soak.py" --seconds 8 --clients 20

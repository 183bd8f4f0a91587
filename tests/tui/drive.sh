# Drives the program in a terminal: drive.sh NAME runs NAME.py beside this script.
export PYTHONDONTWRITEBYTECODE=1
if ! command -v tmux >/dev/null; then
    echo '1..0 # SKIP there is no tmux'
    exit 0
fi
exec python3 "$TESTS_DIR/tui/drive_$1.py"

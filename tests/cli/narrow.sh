# On a narrow terminal the lines of tree, log and events are cut to its width; elsewhere nothing is.
. "$TESTS_DIR/cli/cli.sh"

long='A title that is rather long for a window of sixty columns, with ünïcode 漢字 and more of it'
tine new --id wide --title "$long" >/dev/null
tine send wide --no-run "$long, said by the user and then said again: $long" >/dev/null
tine send wide --no-run --role assistant 'short' >/dev/null
tine fork wide --after '#0' --id wide-2 >/dev/null
tine fork wide-2 --id wide-3 >/dev/null
tine send wide-3 --no-run "$long" >/dev/null
tine rewind wide --before -1 >/dev/null
tine label wide '#0' 'a label that is not short' >/dev/null
tine rename wide "$long once more" >/dev/null
mkdir -p "$scratch/dir"
for n in 1 2 3 4; do echo "$n" >"$scratch/dir/$n $long"; done
tine new --id narrow --attach "$scratch/dir" >/dev/null

# The widest line that the command shows on a terminal of that many columns.
widest() { # columns arguments...
    python3 - "$TINE" --home "$scratch/home" "$@" <<'PY'
import os, pty, re, struct, sys, fcntl, termios, unicodedata
tine, home, columns, *rest = sys.argv[1], sys.argv[2:4], int(sys.argv[4]), *sys.argv[5:]
pid, fd = pty.fork()
if pid == 0:
    os.environ.pop("COLUMNS", None)
    os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(tine, [tine, *home, *rest])
out = b""
try:
    while piece := os.read(fd, 65536):
        out += piece
except OSError:
    pass
_, status = os.waitpid(pid, 0)
lines = re.sub(r"\x1b\[[0-9;]*m", "", out.decode()).replace("\r", "").splitlines()
width = lambda line: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
print(f"{status} {len(lines) > 2} {max(map(width, lines))}")
PY
}

for columns in 40 60 100; do
    for command in 'tree wide' 'tree wide --rewound' 'log wide' 'events wide --since 0 --limit 4' \
        'diff wide wide-3 --messages' 'files narrow'; do
        # shellcheck disable=SC2086
        said=$(widest "$columns" $command)
        widest=${said##* }
        expect "$command shows its lines in $columns columns ($said)" test "${said% *}" = '0 True' -a "$widest" -le "$columns"
    done
done
expect_text 'where it is no terminal nothing is cut' "said again: $long" tine log wide

tap_done

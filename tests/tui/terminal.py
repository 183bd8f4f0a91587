"""Programs in terminals that tmux draws: typed into, looked at, resized.

Each test has a tmux server of its own, which is stopped at the end with all that runs in it.
"""
import atexit
import fcntl
import os
import pty
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import traceback

import looks

POLL_SECONDS = 0.02
PATIENCE = 15.0  # seconds, on a machine that does other things as well
SANITIZERS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
REPORTS = tempfile.mkdtemp(prefix="tine-reports-")  # of sanitizers: on the screen they would be lost
atexit.register(shutil.rmtree, REPORTS, ignore_errors=True)


class Tmux:
    """A tmux server. Its escape-time is what tmux has by itself."""

    def __init__(self):
        self.name = f"tine-test-{os.getpid()}"
        self.count = 0
        atexit.register(self.stop)
        # The screen of a program that has ended can still be looked at. The first session holds the
        # server, whatever becomes of the others.
        self.run("new-session", "-d", "-s", "hold", "exec cat", ";",
                 "set-option", "-g", "remain-on-exit", "on", ";",
                 "set-option", "-g", "status", "off", ";",
                 "set-option", "-g", "history-limit", "100")

    def run(self, *words, check=True):
        done = subprocess.run(["tmux", "-L", self.name, "-f", "/dev/null", *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean())
        if check and done.returncode:
            raise RuntimeError(f"tmux {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode(errors="replace")

    def stop(self):
        self.run("kill-server", check=False)


def clean(**more):
    """The environment without what would make one run another than the next."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
            if name in os.environ}
    for name in SANITIZERS:
        kept[name] = os.environ.get(name, "") + f":log_path={REPORTS}/report"
    kept.update(LANG="C.UTF-8", TZ="UTC", TERM="xterm-256color", SHELL="/bin/sh")
    kept.update({name: value for name, value in more.items() if value is not None})
    return kept


class Terminal:
    """A program in a pane of `columns` by `rows`. env: more of the environment, TERM above all."""

    def __init__(self, tmux, command, columns=100, rows=30, folder=None, **env):
        tmux.count += 1
        self.tmux, self.session = tmux, f"t{tmux.count}"
        env.setdefault("TERM", "tmux-256color")
        given = [f"{name}={value}" for name, value in clean(**env).items()]
        line = shlex.join(["exec", "env", "-i", *given, *command])
        words = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "-s", self.session]
        if folder:
            words += ["-c", folder]
        tmux.run(*words, line)

    def run(self, command, *words):
        return self.tmux.run(command, "-t", self.session, *words)

    def show(self, format):
        return self.tmux.run("display-message", "-p", "-t", self.session, format).rstrip("\n")

    # ---- typing

    def keys(self, *names, pause=0.0):
        """Keys by tmux's names (Escape, Enter, Up, C-c), each sent on its own."""
        for name in names:
            self.run("send-keys", name)
            if pause:
                time.sleep(pause)

    def type(self, text):
        self.run("send-keys", "-l", "--", text)

    def bytes(self, data):
        """Bytes as they are."""
        if isinstance(data, str):
            data = data.encode()
        for first in range(0, len(data), 2000):
            self.run("send-keys", "-H", *(f"{byte:02x}" for byte in data[first:first + 2000]))

    def say(self, text):
        self.type(text)
        self.keys("Enter")

    def paste(self, text):
        """As a terminal that brackets pastes sends it."""
        self.bytes(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    # ---- looking

    def screen(self):
        return self.run("capture-pane", "-p")

    def everything(self):
        """Also what has scrolled away: one line does when the program ends."""
        return self.run("capture-pane", "-p", "-S", "-")

    def coloured(self):
        return self.run("capture-pane", "-e", "-N", "-p")

    def looks(self):
        return looks.parse(self.coloured())

    def look_at(self, text, offset=0):
        return looks.look_at(self.looks(), text, offset)

    def lines(self):
        return self.screen().split("\n")

    def line_with(self, text):
        for line in self.lines():
            if text in line:
                return line
        return None

    def cursor(self):
        """(column, row), both from 0."""
        column, row = self.show("#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    def column_of(self, text):
        """Where the text stands on tmux's own grid, however wide it takes what is before it."""
        self.run("copy-mode")
        self.run("send-keys", "-X", "search-backward-text", text)
        found = self.show("#{copy_cursor_x} #{copy_cursor_word}")
        self.run("send-keys", "-X", "cancel")
        return int(found.split()[0])

    def resize(self, columns, rows):
        self.run("resize-window", "-x", str(columns), "-y", str(rows))

    def alternate(self):
        return self.show("#{alternate_on}") == "1"

    def pid(self):
        return int(self.show("#{pane_pid}"))

    def dead(self):
        return self.show("#{pane_dead}") == "1"

    def status(self):
        """The exit status of a program that has ended; -N: signal N ended it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            killed, status = self.show("#{pane_dead_signal} #{pane_dead_status}").split(" ")
            if killed or status:
                return -int(killed) if killed else int(status)
            # tmux may have missed that its child has ended: another one makes it look
            self.tmux.run("run-shell", "true")
            time.sleep(POLL_SECONDS)
        return None

    # ---- waiting

    def until(self, what, seconds=PATIENCE):
        """Waits for a text, or for what a function says of the screen; the screen, or None."""
        test = what if callable(what) else lambda screen: what in screen
        end = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if test(screen):
                return screen
            if time.monotonic() >= end or self.dead():
                return None
            time.sleep(POLL_SECONDS)

    def wait_for(self, tap, what, words=None, seconds=PATIENCE):
        """The same as a result; the whole screen is shown when it did not come."""
        found = self.until(what, seconds)
        if words is None:
            words = f"the screen shows {what!r}"
        tap.check(found is not None, words, *([] if found else self.framed()))
        return found or ""

    def wait_gone(self, tap, text, words=None, seconds=PATIENCE):
        return self.wait_for(tap, lambda screen: text not in screen,
                             words or f"the screen does not show {text!r} any more", seconds)

    def wait_end(self, tap, words, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not self.dead() and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        return tap.check(self.dead(), words, *([] if self.dead() else self.framed()))

    def settled(self, seconds=0.25):
        """The screen when it has not changed for a while."""
        last = self.screen()
        quiet = time.monotonic() + seconds
        end = time.monotonic() + PATIENCE
        while time.monotonic() < min(quiet, end):
            time.sleep(POLL_SECONDS)
            screen = self.screen()
            if screen != last:
                last = screen
                quiet = time.monotonic() + seconds
        return last

    def never(self, tap, text, seconds, words):
        """The text is not seen during that time."""
        found = self.until(text, seconds)
        return tap.check(found is None, words, *([] if found is None else self.framed()))

    def framed(self):
        return ["the screen:", *("|" + line for line in self.screen().rstrip("\n").split("\n"))]

    def close(self):
        """Takes the terminal away, and waits for the program to end of it."""
        pid = self.pid()
        self.tmux.run("kill-session", "-t", self.session, check=False)
        end = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            self.tmux.run("run-shell", "true")  # tmux may have missed that its child has ended
            time.sleep(POLL_SECONDS)


class Client:
    """A terminal with a tmux client in it that is attached to the session: what is written there
    goes through tmux's own reading of keys, which waits `escape-time` behind an Esc."""

    def __init__(self, terminal, columns=100, rows=30):
        tmux = terminal.tmux
        self.terminal = terminal
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = clean(TERM="xterm-256color")
            os.execvpe("tmux", ["tmux", "-L", tmux.name, "-f", "/dev/null", "attach", "-t",
                                terminal.session], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.reader = threading.Thread(target=self.drain, daemon=True)
        self.reader.start()
        end = time.monotonic() + PATIENCE
        while terminal.show("#{session_attached}") == "0" and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        time.sleep(0.2)  # what the client asks the terminal at first is not answered here

    def drain(self):
        while True:
            try:
                if select.select([self.fd], [], [], 1)[0] and not os.read(self.fd, 65536):
                    return
            except OSError:
                return

    def write(self, data, pause=0.0):
        """The bytes; with a pause, one by one."""
        if isinstance(data, str):
            data = data.encode()
        if not pause:
            os.write(self.fd, data)
            return
        for byte in data:
            os.write(self.fd, bytes([byte]))
            time.sleep(pause)

    def close(self):
        try:
            os.kill(self.pid, signal.SIGHUP)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        self.reader.join(2)
        os.close(self.fd)


def spoken(command, until, keys=b"", then=None, columns=100, rows=30, **env):
    """The very bytes that a program sends to its terminal until it has sent the text `until` and, when
    `keys` were pressed then, the text `then`."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(command[0], list(command), clean(**env))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    out = b""
    end = time.monotonic() + PATIENCE
    for text, more in ((until, keys), (then, b"")):
        while text and text.encode() not in out and time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    out += os.read(fd, 65536)
                except OSError:
                    break
        os.write(fd, more)
    os.kill(pid, signal.SIGTERM)
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.waitpid(pid, 0)
    os.close(fd)
    return out.decode(errors="replace")


def run(tap, scenarios):
    """Runs the functions one after another; one that breaks down is a failed result."""
    for scenario in scenarios:
        name = scenario.__name__.replace("_", " ")
        print(f"# {name}", flush=True)
        try:
            scenario(tap)
        except Exception as error:  # the others are run all the same
            tap.check(False, f"{name}: the test broke down: {error}", traceback.format_exc())
    for name in sorted(os.listdir(REPORTS)):
        with open(os.path.join(REPORTS, name), errors="replace") as file:
            tap.check(False, "no sanitizer has anything to say", file.read()[:8000])
    return tap.done()

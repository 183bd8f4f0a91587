#!/usr/bin/env python3
"""The terminal UI, through a terminal of its own: what a person waits for, and what it takes.

    tui.py [--entries N] [--rounds N]         the program is $TINE

Opening a session costs what is seen of it, whatever its length: at most 2 times as long as a short
one. A key that is pressed is shown soon, also while an agent talks as fast as it can. A session that
was scrolled through stays small in memory: under 40 MiB. Exit 1 when a bar is missed.
"""
import argparse
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import sys
import tempfile
import termios
import threading
import time

from served import TINE, Server, Table

OPEN_BAR = 2.0
KEY_BAR_MS = 50.0
MEMORY_BAR = 40 * 1024 * 1024
SHORT = 100
BATCH = 500
ROWS, COLUMNS = 40, 120
PATIENCE = 60.0
PAGES = 300
FLOOD_PIECE = "word after word after word, and **some** of them `marked`; "
FLOOD_PIECES = 1700  # of one turn; the turns follow one another
LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюя"  # that nothing else on the screen has
SANITIZERS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")


class Program:
    """`tine chat` in a pseudo terminal, whose output is read as it comes."""

    def __init__(self, home, *words):
        self.begun = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color",
                           "LANG": "C.UTF-8", "TINE_THEME": "dark"}
            for name in SANITIZERS:
                if name in os.environ:
                    environment[name] = os.environ[name]
            os.execve(TINE, [TINE, "chat", *words, "--home", home], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.text = b""

    def read(self, seconds):
        """Takes what has come within that time; False: nothing."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            raise RuntimeError(f"the program has ended: {self.plain()[-400:]!r}") from None
        if not data:
            raise RuntimeError("the program has ended")
        self.text += data
        return True

    def plain(self):
        return ESCAPES.sub(b"", self.text)

    def until(self, text, seconds=PATIENCE):
        """Reads until the text has come; the time that this took, in milliseconds."""
        begun = time.perf_counter()
        end = begun + seconds
        while text not in self.text and text not in self.plain():
            left = end - time.perf_counter()
            if left <= 0 or not self.read(left):
                raise RuntimeError(f"{text!r} did not come: {self.plain()[-400:]!r}")
        return (time.perf_counter() - begun) * 1000

    def quiet(self, seconds=0.3):
        while self.read(seconds):
            self.text = b""

    def press(self, data):
        os.write(self.fd, data)

    def memory(self):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        try:
            while self.read(PATIENCE):
                self.text = b""
        except RuntimeError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


# ---- conversations

def messages(server, name, entries):
    """A session whose last message says so."""
    server.call("POST", "/sessions", {"id": name, "title": name})
    for first in range(0, entries, BATCH):
        batch = [{"role": "user" if n % 2 == 0 else "assistant",
                  "text": f"message {n} of {name}, with *a few* words that are laid out"
                          if n < entries - 1 else f"lastof{name}"}
                 for n in range(first, min(first + BATCH, entries))]
        server.call("POST", f"/sessions/{name}/messages", {"messages": batch, "run": False})


def config():
    flood = [[{"delta": FLOOD_PIECE}] * FLOOD_PIECES + [{"say": {"text": "And so on."}}]]
    echo = [[{"echo": True}]]
    lines = ["agents:"]
    for name, script in (("echo", echo), ("flood", flood)):
        lines += [f"  - name: bench/{name}", "    kind: scripted",
                  f"    script: {json.dumps(json.dumps(script, separators=(',', ':')))}"]
    return "\n".join(lines) + "\n"


class Flood:
    """An agent that talks as fast as it can, turn after turn, until it is stopped."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.over = False
        self.turns = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over:
            self.server.call("POST", f"/sessions/{self.name}/messages", {"text": "go"})
            self.turns += 1

    def stop(self):
        self.over = True
        self.thread.join()


# ---- what is measured

def open_once(home, name):
    """How long it took until the newest message was seen: in all, and since the first byte came."""
    program = Program(home, name)
    program.read(PATIENCE)
    first = time.perf_counter()
    program.until(b"lastof" + name.encode())
    seen = time.perf_counter()
    program.end()
    return (seen - program.begun) * 1000, (seen - first) * 1000


def opening(table, rounds, home, entries):
    open_once(home, "short"), open_once(home, "long")
    pairs = [(open_once(home, "short"), open_once(home, "long")) for _ in range(rounds)]
    for place, what in ((0, "to the first screen"), (1, "the same, since the first byte")):
        few = statistics.median(pair[0][place] for pair in pairs)
        many = statistics.median(pair[1][place] for pair in pairs)
        table.row(f"open {entries} messages, {what}", f"{many / few:.2f}x", f"<= {OPEN_BAR:g}",
                  many / few <= OPEN_BAR, f"{many:.1f} ms against {few:.1f} ms with {SHORT}")


def keystrokes(program, rounds):
    """Presses letters one after another: how long until each is seen, in milliseconds."""
    times = []
    for number in range(rounds):
        letter = LETTERS[number % len(LETTERS)].encode()
        if number and number % len(LETTERS) == 0:
            program.press(b"\x15")  # Ctrl-U
            time.sleep(0.1)
        while program.read(0):
            pass
        program.text = b""
        begun = time.perf_counter()
        program.press(letter)
        while letter not in program.text:
            if not program.read(PATIENCE):
                raise RuntimeError("a key was not shown")
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.007)
    return times


def tail(times):
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.95))]


def typing(table, rounds, server, home):
    server.call("POST", "/sessions", {"id": "idle", "title": "idle", "agent": "bench/echo"})
    server.call("POST", "/sessions", {"id": "flood", "title": "flood", "agent": "bench/flood"})
    program = Program(home, "idle")
    program.until(b"say something")
    program.quiet()
    idle = keystrokes(program, rounds)
    program.end()

    program = Program(home, "flood")
    program.until(b"say something")
    program.quiet()
    flood = Flood(server, "flood")
    program.until(b"word after word")
    begun, turns = time.perf_counter(), flood.turns
    busy = keystrokes(program, rounds)
    turns = (flood.turns - turns) / (time.perf_counter() - begun)
    flood.stop()
    program.end()
    a, b = statistics.median(idle), statistics.median(busy)
    table.row("key to screen, idle", f"{a:.2f} ms", f"<= {KEY_BAR_MS:g} ms", a <= KEY_BAR_MS,
              f"95 of 100 within {tail(idle):.2f} ms")
    table.row("key to screen while an agent talks at full speed", f"{b:.2f} ms",
              f"<= {KEY_BAR_MS:g} ms", b <= KEY_BAR_MS,
              f"{b / a:.2f}x; 95 of 100 within {tail(busy):.2f} ms; "
              f"{turns * FLOOD_PIECES / 1000:.0f} thousand pieces of text a second")


def scrolled(home, name):
    """Resident memory after a way through the conversation: to its beginning, and pages down."""
    program = Program(home, name)
    program.until(b"lastof" + name.encode())
    program.quiet()
    at_first = program.memory()
    for _ in range(PAGES):
        program.press(b"\x1b[5~")  # Page Up
        program.read(0.05)
    program.quiet()
    program.text = b""
    program.press(b"\x1b[1;5H")  # Ctrl-Home
    program.until(f"message 0 of {name}".encode())
    for _ in range(PAGES):
        program.press(b"\x1b[6~")
        program.read(0.05)
        program.text = b""
    program.quiet()
    program.press(b"\x1b[1;5F")
    program.until(b"lastof" + name.encode())
    program.quiet()
    after = program.memory()
    program.end()
    return at_first, after


def mib(number):
    return f"{number / 1024 / 1024:.1f} MiB"


def memory(table, home, entries, where, bar):
    first, after = scrolled(home, "long")
    table.row(f"memory with {entries} messages, {where}", mib(after),
              f"< {mib(bar)}" if bar else "none", not bar or after < bar,
              f"{mib(first)} when it was opened")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--entries", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    table = Table()
    folder = tempfile.mkdtemp(prefix="tine-tui-bench-")
    home = os.path.join(folder, "home")
    os.mkdir(home, 0o700)
    server = Server(home, config())
    try:
        messages(server, "short", SHORT)
        messages(server, "long", given.entries)
        opening(table, given.rounds, home, given.entries)
        typing(table, given.rounds * 10, server, home)
        memory(table, home, given.entries, "server outside", MEMORY_BAR)
    finally:
        server.stop()
    memory(table, home, given.entries, "server inside", 0)
    shutil.rmtree(folder)
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())

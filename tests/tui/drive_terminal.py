"""The terminal is as it was when the program has ended, however it ended."""
import os
import signal
import subprocess
import sys
import time

from home import TINE, Home, wait_until
from tap import Tap
from terminal import Terminal, Tmux, clean, run

tmux = Tmux()
home = Home()

SHELL = """
stty -a >$0/before; echo MARK-BEFORE
"$1" chat talk --home "$2"; echo "EXIT $?"
stty -a >$0/after; echo MARK-AFTER
exec cat
"""


def in_a_shell(tap):
    """The chat as a shell runs it."""
    terminal = Terminal(tmux, ["sh", "-c", SHELL, home.folder, TINE, home.home], HOME=home.person)
    terminal.wait_for(tap, lambda screen: "Answer number 3." in screen and "ready" in screen,
                      "the chat is open in a shell")
    tap.check(terminal.alternate(), "on the other screen")
    return terminal


def program_of(terminal):
    """The process id of the chat."""
    out = subprocess.run(["ps", "--ppid", str(terminal.pid()), "-o", "pid="],
                         stdout=subprocess.PIPE, text=True).stdout.split()
    return int(out[0])


def check_left(tap, terminal, words, status=None):
    terminal.wait_for(tap, "MARK-AFTER", f"{words}: the shell goes on")
    tap.check(not terminal.alternate(), f"{words}: the other screen is left")
    screen = terminal.settled()
    tap.check("MARK-BEFORE" in screen, f"{words}: what stood there is back", screen)
    tap.check("Answer number" not in screen, f"{words}: nothing of the chat is left", screen)
    with open(os.path.join(home.folder, "before")) as a, \
            open(os.path.join(home.folder, "after")) as b:
        tap.same(a.read(), b.read(), f"{words}: stty says the same")
    if status is not None:
        tap.check(f"EXIT {status}" in screen, f"{words}: exit code {status}", screen)
    flags = terminal.show("#{mouse_any_flag} #{cursor_flag} #{keypad_flag} #{keypad_cursor_flag}")
    tap.same(flags, "0 1 0 0", f"{words}: mouse, cursor and keypad are as before")
    terminal.type("hello")
    terminal.keys("Enter")
    terminal.wait_for(tap, lambda screen: screen.count("hello") == 2,
                      f"{words}: the terminal takes lines again")
    terminal.close()


def by_hand(tap):
    for words, keys in (("Ctrl-D", ["C-d"]), ("/quit", ["/quit", "Enter"])):
        terminal = in_a_shell(tap)
        terminal.keys(*keys)
        check_left(tap, terminal, words, 0)


def by_signal(tap):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        terminal = in_a_shell(tap)
        os.kill(program_of(terminal), number)
        check_left(tap, terminal, number.name)


def from_backtrack(tap):
    terminal = in_a_shell(tap)
    terminal.keys("Escape")
    terminal.wait_for(tap, "BACKTRACK MODE", "in backtrack mode")
    os.kill(program_of(terminal), signal.SIGTERM)
    check_left(tap, terminal, "SIGTERM in backtrack mode")


def by_a_crash(tap):
    terminal = in_a_shell(tap)
    os.kill(program_of(terminal), signal.SIGABRT)  # of others a sanitizer would make a report
    check_left(tap, terminal, "SIGABRT")


def when_the_terminal_goes(tap):
    terminal = home.chat(tmux, "talk")
    terminal.until("Answer number 3.")
    pid = terminal.pid()
    terminal.close()
    gone = wait_until(lambda: not os.path.exists(f"/proc/{pid}") or
                      "Z" in open(f"/proc/{pid}/stat").read().split(")")[-1].split()[0])
    tap.check(gone, "without its terminal the program ends")


def for_a_while(tap):
    """Ctrl-Z, as job control of a shell has it."""
    terminal = Terminal(tmux, ["bash", "--norc", "-i"], HOME=home.person, PS1="$ ")
    terminal.until("$ ")
    terminal.say(f"stty -a >{home.folder}/before; {TINE} chat talk --home {home.home}")
    terminal.wait_for(tap, lambda screen: "Answer number 3." in screen and "ready" in screen,
                      "the chat is open")
    terminal.keys("C-z")
    terminal.wait_for(tap, "Stopped", "Ctrl-Z gives the shell back")
    tap.check(not terminal.alternate(), "and its screen")
    terminal.say(f"stty -a >{home.folder}/after; echo DONE")
    terminal.wait_for(tap, lambda screen: "\nDONE" in screen, "which works")
    with open(os.path.join(home.folder, "before")) as a, \
            open(os.path.join(home.folder, "after")) as b:
        tap.same(a.read(), b.read(), "stty says the same")
    terminal.say("fg")
    terminal.wait_for(tap, lambda screen: "Answer number 3." in screen and terminal.alternate(),
                      "fg brings the chat back")
    terminal.type("typed again")
    terminal.wait_for(tap, "typed again", "which takes keys")
    terminal.close()


def not_a_terminal(tap):
    done = subprocess.run([TINE, "chat", "talk", "--home", home.home], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=clean(HOME=home.person), timeout=30)
    tap.check(done.returncode not in (0,) and done.returncode < 128, "without a terminal it fails",
              done.returncode)
    tap.check("terminal" in done.stderr and done.stdout == "", "and says why", done.stderr)


if __name__ == "__main__":
    home.talk()
    sys.exit(run(Tap(), [by_hand, by_signal, from_backtrack, by_a_crash, when_the_terminal_goes,
                         for_a_while, not_a_terminal]))

"""Sizes: resized at any time, small, narrow."""
import sys
import time

import looks
from backtrack_flows import BANNER, HINT, KEYS, at
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()


def fits(screen, columns):
    return all(looks.width(line) <= columns for line in screen.split("\n"))


def while_it_streams(tap):
    home.new("stream", "A long answer", "test/stream")
    chat = home.chat(tmux, "stream")
    chat.wait_for(tap, "test/stream", "the session opens")
    chat.say("tell me everything")
    chat.wait_for(tap, "Line 3 of the answer", "the answer streams")
    for columns, rows in ((60, 20), (140, 45), (61, 12), (100, 30)):
        chat.resize(columns, rows)
        screen = chat.until(lambda screen: "test/stream" in screen and
                            "A long answer" in screen.split("\n")[0] and
                            len(screen.rstrip("\n").split("\n")) == rows, 5)
        tap.check(screen and fits(screen, columns), f"it fits {columns} by {rows} meanwhile",
                  *chat.framed())
    chat.wait_for(tap, "ready", "the turn ends")
    chat.wait_for(tap, "Line 30 of the answer", "and its end is seen")
    tap.same(chat.settled().count("Line 30 of the answer"), 1, "once")
    chat.close()


def while_it_is_typed(tap):
    home.talk("typed", "About typing")
    chat = home.chat(tmux, "typed")
    chat.wait_for(tap, "Answer number 3.", "the session opens")
    chat.type("a long line that is being typed and goes on until it is wider than a terminal of "
              "sixty columns")
    chat.until("sixty columns")
    chat.resize(60, 24)
    chat.wait_for(tap, lambda screen: "sixty columns" in screen.replace("\n", " ") and
                  fits(screen, 60), "what is typed is wrapped anew")
    chat.keys("BSpace")
    chat.wait_for(tap, lambda screen: "sixty column" in screen and "sixty columns" not in screen,
                  "and goes on")
    chat.close()


def narrow(tap):
    home.talk("narrow", "A talk whose title is rather long, longer than sixty columns are wide")
    chat = home.chat(tmux, "narrow", columns=60, rows=24)
    chat.wait_for(tap, "Answer number 3.", "it works in 60 columns")
    screen = chat.settled()
    tap.check(fits(screen, 60), "nothing is wider")
    tap.kept("narrow-chat", screen, "the chat in 60 columns")
    chat.keys("Escape")
    chat.wait_for(tap, at(6), "backtrack mode, too")
    screen = chat.settled()
    tap.check(HINT in screen and KEYS in screen, "with its banner and its keys in full", screen)
    tap.kept("narrow-backtrack", screen, "backtrack mode in 60 columns")
    chat.keys("q")
    chat.wait_gone(tap, BANNER, "it is left")
    chat.keys("C-t")
    chat.wait_for(tap, lambda screen: "say something" not in screen, "the tree opens")
    tap.kept("narrow-tree", chat.settled(), "the tree in 60 columns")
    chat.keys("q")
    chat.wait_for(tap, "say something", "and is left")
    chat.say("/help")
    chat.wait_for(tap, "Help", "help opens")
    tap.check(fits(chat.settled(), 60), "and fits")
    chat.close()


def tiny(tap):
    home.talk("tiny", "Tiny")
    chat = home.chat(tmux, "tiny", columns=60, rows=24)
    chat.wait_for(tap, "Answer number 3.", "a session is open")
    for columns, rows in ((20, 6), (10, 3), (4, 2), (1, 1), (60, 24)):
        chat.resize(columns, rows)
        time.sleep(0.15)
        chat.keys("Escape")
        time.sleep(0.15)
        chat.keys("q", "C-u")
        tap.check(not chat.dead(), f"{columns} by {rows} does not end it")
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "Tiny" in screen,
                  "it is itself again when there is room")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [while_it_streams, while_it_is_typed, narrow, tiny]))

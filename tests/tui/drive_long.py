"""A conversation of 100,000 messages: opened, scrolled, searched, stepped through without delay."""
import sys
import time

from backtrack_flows import BANNER, at
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()
COUNT = 100000
SOON = 3.0  # seconds, on a machine that does other things as well; a scan of everything takes longer
NEEDLE = 31415


def conversation():
    home.new("long", "A very long talk")
    texts = [f"Message number {n} is this one." for n in range(1, COUNT + 1)]
    texts[NEEDLE - 1] = f"Message number {NEEDLE} has the needle."
    home.store("long", *texts)
    home.tine("search", "needle")  # what was just stored goes into the index with the first search


def shown(number):
    return f"Message number {number} is this one."


def soon(tap, chat, what, words):
    begun = time.monotonic()
    found = chat.until(what)
    took = time.monotonic() - begun
    tap.check(found is not None and took < SOON, f"{words}, within {SOON:g} s",
              f"took {took:.2f} s", *chat.framed())


def opens(tap):
    chat = home.chat(tmux, "long")
    soon(tap, chat, shown(COUNT), "its end is seen")
    chat.wait_for(tap, "100000 messages", "all of it is counted")
    chat.close()


def scrolls(tap):
    chat = home.chat(tmux, "long")
    chat.until(shown(COUNT))
    chat.settled()
    chat.keys("PPage")
    soon(tap, chat, lambda screen: shown(COUNT) not in screen, "a page up")
    tap.check("/100000" in chat.settled(), "the place is told", chat.screen())
    chat.keys("NPage")
    soon(tap, chat, shown(COUNT), "and down again")
    chat.keys("C-Home")
    soon(tap, chat, shown(1), "its beginning")
    tap.kept("long-beginning", chat.settled(), "the screen of the beginning")
    chat.keys("C-End")
    soon(tap, chat, shown(COUNT), "its end")
    chat.settled()
    for _ in range(4):
        chat.bytes("\x1b[<64;10;10M")
    soon(tap, chat, lambda screen: shown(COUNT) not in screen, "the wheel up")
    for _ in range(8):
        chat.bytes("\x1b[<65;10;10M")
    soon(tap, chat, shown(COUNT), "the wheel down")
    chat.settled()
    for _ in range(30):
        chat.keys("PPage")
    soon(tap, chat, lambda screen: "Message number 99" in screen and shown(COUNT) not in screen,
         "thirty pages up")
    before = chat.settled()
    home.tine("send", "long", "--no-run", "said elsewhere")
    chat.wait_for(tap, "/100001", "a message that is added meanwhile is counted")
    places = [line for line in before.split("\n") if "Message number" in line]
    tap.same([line for line in chat.settled().split("\n") if "Message number" in line], places,
             "and does not move what is being read")
    chat.keys("C-End")
    soon(tap, chat, "said elsewhere", "it stands at the end")
    home.tine("rewind", "long", "--after", f"#{COUNT - 1}")
    chat.until("100000 messages")
    chat.close()


def finds(tap):
    chat = home.chat(tmux, "long")
    chat.until(shown(COUNT))
    chat.settled()
    chat.keys("C-f")
    chat.type("needle")
    soon(tap, chat, "has the needle", "a word far back is found while it is typed")
    look = chat.look_at("has the needle", len("has the "))
    tap.check(look != chat.look_at("has the needle"), "and stands out", look)
    tap.kept("long-found", chat.settled(), "the screen of what was found")
    chat.keys("C-u")
    chat.type("number")
    chat.wait_for(tap, lambda screen: "message 100000" in screen, "another word")
    chat.keys("Up")
    chat.wait_for(tap, "message 99999", "Up finds the older one")
    chat.keys("Up")
    chat.wait_for(tap, "message 99998", "and the one before")
    chat.keys("Down")
    chat.wait_for(tap, "message 99999", "Down finds the newer one")
    chat.keys("C-u")
    chat.type("needle")
    chat.wait_for(tap, "has the needle", "and the first word again")
    chat.keys("Escape")
    chat.wait_for(tap, "has the needle", "Esc leaves the search where it is")
    tap.check(BANNER not in chat.settled(), "and does not step back")
    chat.close()


def steps_back(tap):
    chat = home.chat(tmux, "long")
    chat.until(shown(COUNT))
    chat.settled()
    chat.keys("Escape")
    soon(tap, chat, at(COUNT), "backtrack mode")
    time.sleep(1.1)
    chat.keys("Home")
    soon(tap, chat, at(1), "Home")
    chat.keys("End")
    soon(tap, chat, at(COUNT), "End")
    chat.keys("Tab", "Up", "Up")
    soon(tap, chat, at(COUNT - 5), "messages of the person only")
    chat.keys("Home", "Enter")
    soon(tap, chat, lambda screen: BANNER not in screen and
         shown(1) in screen.split("\n")[chat.cursor()[1]], "a fork before the first message")
    chat.close()


if __name__ == "__main__":
    conversation()
    sys.exit(run(Tap(), [opens, scrolls, finds, steps_back]))

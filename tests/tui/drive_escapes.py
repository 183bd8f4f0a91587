"""The Escs of backtrack mode with a client attached, at tmux's own escape-time: tmux holds an Esc back
for 500 ms, and sends it together with what comes meanwhile."""
import sys
import time

from backtrack_flows import BANNER, at, chatting
from home import Home
from tap import Tap
from terminal import Client, Tmux, run

tmux = Tmux()
home = Home()
ESC = b"\x1b"
LONG = 1.5  # seconds: a run is over, whatever tmux holds back


def opened(tap, name):
    home.talk(name, f"About {name}")
    chat = home.chat(tmux, name)
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "ready" in screen,
                  f"{name} is open")
    client = Client(chat)
    tap.same(tmux.run("show-options", "-s", "-v", "escape-time").strip(), "500",
             "tmux has its own escape-time")
    return chat, client


def write(client, *pieces, pause):
    for piece in pieces:
        client.write(piece)
        time.sleep(pause)


def slow(tap):
    chat, client = opened(tap, "slow")
    client.write(ESC)
    chat.wait_for(tap, at(6), "one Esc enters")
    for to in (5, 4, 3):
        time.sleep(LONG)
        client.write(ESC)
        chat.wait_for(tap, at(to), f"a slow Esc steps back to message {to}")
    client.write(b"\x1b[B")
    chat.wait_for(tap, at(4), "Down steps to the newer one")
    time.sleep(LONG)
    client.write(ESC)
    chat.wait_for(tap, at(3), "Esc steps back")
    time.sleep(LONG)
    client.write(b"\r")
    chat.wait_for(tap, lambda screen: BANNER not in screen and "2 messages" in screen,
                  "Enter forks")
    client.close()
    chat.close()


def fast(tap):
    chat, client = opened(tap, "fast")
    before = home.shown("fast")
    for pause in (0.0, 0.05, 0.1, 0.2, 0.4):
        write(client, ESC, ESC, pause=pause)
        chat.wait_for(tap, at(5), f"two Escs {int(pause * 1000)} ms apart enter and step back")
        time.sleep(0.1)
        client.write(b"q")
        chat.wait_for(tap, chatting, "q cancels")
        time.sleep(LONG)
    for pause in (0.0, 0.05, 0.1, 0.2, 0.4, 0.55):
        write(client, ESC, ESC, ESC, pause=pause)
        time.sleep(0.7)
        chat.wait_for(tap, chatting, f"three Escs {int(pause * 1000)} ms apart cancel")
        time.sleep(LONG)
    tap.same(home.shown("fast"), before, "nothing was done to the session")
    client.close()
    chat.close()


def with_a_key_behind(tap):
    chat, client = opened(tap, "behind")
    client.write(ESC)
    chat.wait_for(tap, at(6), "one Esc enters")
    time.sleep(LONG)
    client.write(b"\x1b")
    time.sleep(0.1)
    client.write(b"\x1b[A")
    chat.wait_for(tap, at(4), "Esc and Up right behind it are two steps")
    time.sleep(LONG)
    client.write(b"\x1b")
    time.sleep(0.1)
    client.write(b"j")
    chat.wait_for(tap, at(4), "Esc and j are one step each way")
    time.sleep(LONG)
    write(client, ESC, b"\r", pause=0.1)
    chat.wait_for(tap, lambda screen: BANNER not in screen and "2 messages" in screen,
                  "Esc and Enter right behind it fork one step further back")
    chat.wait_for(tap, lambda screen: "Question number 2?" in screen.split("\n")[chat.cursor()[1]],
                  "before the message that was stepped to")
    client.write(b"\x15")  # Ctrl-U
    chat.wait_for(tap, chatting, "the composer is cleared")
    time.sleep(LONG)
    sessions = len(home.sessions())
    write(client, ESC, b"\r", pause=0.1)
    chat.wait_for(tap, lambda screen: len(home.sessions()) == sessions + 1,
                  "from the chat they enter and fork at the newest message")
    client.close()
    chat.close()


def split_and_late(tap):
    """As a slow connection brings keys: byte by byte."""
    chat, client = opened(tap, "split")
    client.write(ESC)
    chat.wait_for(tap, at(6), "one Esc enters")
    time.sleep(LONG)
    client.write(b"\x1b[A", pause=0.1)
    chat.wait_for(tap, at(5), "Up whose bytes come 100 ms apart is one step")
    chat.never(tap, lambda screen: BANNER not in screen, 0.7, "and no Esc is seen in it")
    client.write(b"\x1b[1~", pause=0.15)
    chat.wait_for(tap, at(1), "Home likewise")
    client.write(b"\x1bOB", pause=0.1)
    chat.wait_for(tap, at(2), "Down of the other kind likewise")
    client.close()
    # Without a client nobody holds an Esc back: a break within a key may be short only.
    for gap in (0.0, 0.01):
        chat.bytes(b"\x1b")
        time.sleep(gap)
        chat.bytes(b"[B")
    chat.until(at(4), 3)
    tap.check(BANNER in chat.screen(), "keys that come in two pieces right behind each other",
              *chat.framed())
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [slow, fast, with_a_key_behind, split_and_late]))

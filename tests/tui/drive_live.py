"""What another client does is seen at once."""
import sys
import threading
import time

from backtrack_flows import at
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()


def opened(tap, name, **more):
    home.talk(name, f"About {name}")
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "6 messages" in screen,
                  f"{name} is open")
    return chat


def adds(tap):
    chat = opened(tap, "adds")
    home.tine("send", "adds", "--no-run", "said elsewhere")
    chat.wait_for(tap, lambda screen: "said elsewhere" in screen and "7 messages" in screen,
                  "a message of another client is seen")
    home.tine("send", "adds", "and answered")
    chat.wait_for(tap, lambda screen: screen.count("and answered") == 2 and "9 messages" in screen,
                  "a turn that it runs is seen, once")
    home.tine("edit", "adds", "--title", "Another title", check=False)
    chat.wait_for(tap, lambda screen: "Another title" in screen.split("\n")[0],
                  "a new title is seen")
    chat.close()


def rewinds(tap):
    chat = opened(tap, "rewinds")
    home.tine("rewind", "rewinds", "--after", "#1")
    chat.wait_for(tap, lambda screen: "Answer number 3." not in screen and "2 messages" in screen,
                  "a rewind of another client is seen")
    tap.check("Answer number 1." in chat.screen(), "what stays is there")
    home.tine("undo", "rewinds")
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "6 messages" in screen,
                  "and its undo")
    chat.close()


def forks(tap):
    chat = opened(tap, "forks", columns=140)
    home.tine("fork", "forks", "--after", "#3", "--title", "Branched off")
    chat.wait_for(tap, "Branched off", "a fork of another client is seen in the list beside")
    tap.check("Answer number 3." in chat.screen(), "the conversation stays as it is")
    home.tine("new", "--title", "Quite another")
    chat.wait_for(tap, "Quite another", "and so is a new session")
    chat.close()


def streams_elsewhere(tap):
    home.new("elsewhere", "Elsewhere", "test/stream")
    chat = home.chat(tmux, "elsewhere")
    chat.wait_for(tap, "Elsewhere", "a session is open")
    thread = threading.Thread(target=home.tine, args=("send", "elsewhere", "go"))
    thread.start()
    chat.wait_for(tap, "Line 3 of the answer", "a turn that another client runs streams here")
    chat.wait_for(tap, "answering", "and its state is told")
    thread.join()
    chat.wait_for(tap, "ready", "to its end")
    chat.close()


def in_backtrack(tap):
    chat = opened(tap, "back")
    chat.keys("Escape")
    chat.until(at(6))
    time.sleep(1.1)
    chat.keys("Up", "Up")
    chat.wait_for(tap, at(4), "a message is marked")
    home.tine("send", "back", "--no-run", "said meanwhile")
    chat.wait_for(tap, at(4), "the mark stays when something is added")
    chat.wait_for(tap, "message 4 of 7", "which is counted")
    home.tine("rewind", "back", "--after", "#1")
    chat.wait_for(tap, at(2), "when it is rewound away the newest is marked")
    chat.keys("q")
    chat.wait_for(tap, "2 messages", "and the chat is as it is now")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [adds, rewinds, forks, streams_elsewhere, in_backtrack]))

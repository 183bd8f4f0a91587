"""The list of sessions, the search over all of them, and the agents."""
import sys

from backtrack_flows import chatting
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()


def conversations():
    home.talk("trains", "A talk about trains")
    home.new("boats", "Boats and harbours")
    home.store("boats", "Is there a ferry?", "There is one at noon.")
    home.tine("fork", "trains", "--after", "#3", "--id", "trams", "--title", "Trams instead")
    home.new("planes", "Planes", "test/tools")


def opened(tap, name="trains", **more):
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, "say something", f"{name} is open")
    chat.settled()
    return chat


def is_listed(tap):
    chat = opened(tap)
    chat.keys("C-s")
    chat.wait_for(tap, lambda screen: "Sessions" in screen and "Boats and harbours" in screen,
                  "Ctrl-S lists the sessions")
    screen = chat.settled()
    tap.check(all(title in screen for title in ("Planes", "Trams instead", "A talk about trains")),
              "all of them", screen)
    tap.kept("sessions", screen, "the screen of the list")
    chat.keys("Escape")
    chat.wait_for(tap, chatting, "Esc leaves it")
    chat.say("/sessions")
    chat.wait_for(tap, "Boats and harbours", "/sessions opens it, too")
    chat.type("boats")
    chat.wait_gone(tap, "Planes", "typing narrows it")
    tap.check("Boats and harbours" in chat.settled(), "to what has these words", chat.screen())
    chat.keys("Enter")
    chat.wait_for(tap, "There is one at noon.", "Enter opens the session")
    tap.check("Boats and harbours" in chat.screen().split("\n")[0], "in the chat")
    chat.close()


def is_live(tap):
    chat = opened(tap)
    chat.keys("C-s")
    chat.wait_for(tap, "Boats and harbours", "the list is open")
    home.tine("new", "--id", "late", "--title", "Made just now")
    chat.wait_for(tap, "Made just now", "a session that another client makes appears")
    home.tine("rm", "late")
    chat.wait_gone(tap, "Made just now", "and goes when it is deleted")
    chat.close()


def stands_beside(tap):
    chat = opened(tap, columns=140)
    chat.wait_for(tap, "Boats and harbours", "in a wide terminal the list stands beside the chat")
    tap.kept("wide-chat", chat.settled(), "the screen of both")
    row = next(at for at, line in enumerate(chat.lines()) if "Boats and harbours" in line)
    chat.bytes(f"\x1b[<0;5;{row + 1}M\x1b[<0;5;{row + 1}m")
    chat.wait_for(tap, "There is one at noon.", "a click opens a session")
    chat.close()


def is_searched(tap):
    chat = opened(tap)
    chat.say("/search ferry")
    chat.wait_for(tap, "Is there a ferry?", "/search finds words in all sessions")
    tap.kept("search", chat.settled(), "the screen of what was found")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: "Boats and harbours" in screen.split("\n")[0] and
                  "Is there a ferry?" in screen, "Enter opens the session at the message")
    chat.say("/search zebra")
    chat.wait_for(tap, lambda screen: "zebra" in screen and chat.settled(), "what is nowhere")
    chat.keys("Escape")
    chat.wait_for(tap, chatting, "leads back")
    chat.close()


def chooses_agents(tap):
    chat = opened(tap)
    chat.say("/agent")
    chat.wait_for(tap, lambda screen: "test/tools" in screen and "test/shell" in screen,
                  "/agent lists the agents")
    tap.kept("agents", chat.settled(), "the screen of the agents")
    chat.keys("Escape")
    chat.wait_for(tap, chatting, "Esc leaves it")
    chat.say("/agent test/tools")
    chat.wait_for(tap, "go on from here with it", "/agent NAME asks where that one is to answer")
    chat.type("f")
    chat.wait_for(tap, lambda screen: "test/tools" in screen and "forked from" in screen,
                  "here: in a fork")
    chat.say("what is here?")
    chat.wait_for(tap, "There are three files.", "who answers there")
    tap.check(home.newest() not in ("trains", "boats", "trams", "planes"), "which is a new session")
    chat.close()
    chat = home.chat(tmux, "--new", "--agent", "test/tools")
    chat.wait_for(tap, lambda screen: "Start a conversation" in screen and "test/tools" in screen,
                  "--new --agent begins with it")
    chat.close()


if __name__ == "__main__":
    conversations()
    sys.exit(run(Tap(), [is_listed, is_live, stands_beside, is_searched, chooses_agents]))

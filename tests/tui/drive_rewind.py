"""Rewind from backtrack mode: what would go is shown first, and the choice is the person's."""
import json
import os
import sys
import time

from backtrack_flows import BANNER, at, chatting
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()
LONG = 1.1


def working(name):
    """A session with files: each answer of the shell changes some."""
    home.new(name, f"About {name}", "test/shell")
    for command in ("echo one >a.txt", "echo two >a.txt; echo new >b.txt",
                    "echo three >a.txt; mkdir d; echo x >d/c.txt"):
        home.tine("send", name, command)
    return name


def files(name):
    listed = json.loads(home.tine("files", name, "--deep", "--json"))["files"]
    return sorted(one["path"] for one in listed if one["type"] == "file")


def content(name, path):
    return home.tine("cat", f"{name}:{path}")


def marked(tap, name, place):
    """The chat with the message marked, and the box of `r` open."""
    chat = home.chat(tmux, name)
    chat.wait_for(tap, lambda screen: "6 messages" in screen and "ready" in screen,
                  f"{name} is open")
    chat.keys("Escape")
    chat.until(BANNER)
    time.sleep(LONG)
    chat.keys(*["Up"] * (6 - place))
    chat.wait_for(tap, at(place), f"message {place} is marked")
    return chat


def shows_first(tap):
    working("dry")
    before = home.shown("dry")
    chat = marked(tap, "dry", 2)
    chat.keys("r")
    chat.wait_for(tap, "would go", "r shows what would be dropped")
    screen = chat.settled()
    tap.check("4 messages would go" in screen and "2 messages would stay" in screen,
              "how many messages", screen)
    tap.check("echo two" in screen, "from which on", screen)
    tap.check("a.txt" in screen and "b.txt" in screen and "d/c.txt" in screen,
              "and which files would change", screen)
    tap.check(all(word in screen for word in ("conversation", "files", "both")),
              "the choice is: conversation, files, both", screen)
    tap.kept("rewind", screen, "the screen of that question")
    tap.same((home.shown("dry"), content("dry", "a.txt")), (before, "three\n"),
             "nothing was done yet")
    chat.keys("Escape")
    chat.wait_gone(tap, "would go", "Esc gives it up")
    tap.same(home.shown("dry"), before, "and nothing was done")
    tap.check(BANNER in chat.screen(), "the mark is where it was", chat.screen())
    chat.close()


def rewinds_both(tap):
    working("both")
    chat = marked(tap, "both", 2)
    chat.keys("r")
    chat.until("would go")
    chat.type("b")
    chat.wait_for(tap, lambda screen: chatting(screen) and "2 messages" in screen,
                  "b takes back both")
    tap.same(len(home.texts("both")), 2, "the messages")
    tap.same((files("both"), content("both", "a.txt")), (["a.txt"], "one\n"), "and the files")
    chat.say("/undo")
    chat.wait_for(tap, "6 messages", "/undo brings back")
    tap.same((files("both"), content("both", "a.txt")), (["a.txt", "b.txt", "d/c.txt"], "three\n"),
             "messages and files")
    chat.say("/redo")
    chat.wait_for(tap, "2 messages", "/redo takes them away again")
    tap.same(files("both"), ["a.txt"], "the files, too")
    chat.close()


def rewinds_the_conversation(tap):
    working("talk")
    chat = marked(tap, "talk", 2)
    chat.keys("r")
    chat.until("would go")
    chat.type("c")
    chat.wait_for(tap, lambda screen: chatting(screen) and "2 messages" in screen,
                  "c takes back the conversation")
    tap.same(len(home.texts("talk")), 2, "its messages are gone")
    tap.same(content("talk", "a.txt"), "three\n", "its files stay")
    chat.close()


def rewinds_files(tap):
    working("files")
    chat = marked(tap, "files", 2)
    chat.keys("r")
    chat.until("would go")
    chat.type("f")
    chat.wait_for(tap, lambda screen: "would go" not in screen, "f takes back the files")
    chat.settled()
    tap.same(len(home.texts("files")), 6, "the messages stay")
    tap.same((files("files"), content("files", "a.txt")), (["a.txt"], "one\n"),
             "the files are as they were there")
    chat.close()


def rewinds_before_a_question(tap):
    working("question")
    chat = marked(tap, "question", 3)
    chat.keys("r")
    chat.wait_for(tap, "2 messages would stay", "at a message of the person it goes before it")
    chat.type("b")
    chat.wait_for(tap, lambda screen: BANNER not in screen and "2 messages" in screen,
                  "and is done")
    tap.same(len(home.texts("question")), 2, "two messages are left")
    chat.close()


def asks_about_conflicts(tap):
    working("conflict")
    folder = home.tine("workspace", "show", "conflict").strip()
    with open(os.path.join(folder, "a.txt"), "w") as out:
        out.write("mine\n")
    chat = marked(tap, "conflict", 2)
    chat.keys("r")
    chat.wait_for(tap, "conflict", "files that somebody else changed are named")
    tap.check("a.txt" in chat.settled(), "by name", chat.screen())
    tap.kept("rewind-conflict", chat.screen(), "the screen with a conflict")
    chat.type("b")
    chat.wait_for(tap, "Files are in conflict", "it is asked whether to write over them")
    chat.type("n")
    chat.wait_gone(tap, "Files are in conflict", "no")
    tap.same((content("conflict", "a.txt"), len(home.texts("conflict"))), ("mine\n", 6),
             "changes nothing")
    chat.keys("r")
    chat.until("would go")
    chat.type("b")
    chat.until("Files are in conflict")
    chat.type("o")
    chat.wait_for(tap, "2 messages", "o writes over them")
    tap.same(content("conflict", "a.txt"), "one\n", "as they were there")
    chat.close()


def asks_when_a_turn_runs(tap):
    home.talk("runs", "About runs", "test/wait", pairs=2)
    chat = home.chat(tmux, "runs")
    chat.wait_for(tap, "Answer number 2.", "the session is open")
    chat.say("think")
    chat.wait_for(tap, "thinking about it", "a turn runs")
    chat.say("/rewind 2")
    chat.wait_for(tap, "A turn is running", "a rewind meanwhile asks")
    tap.same(len(home.texts("runs")), 5, "and does nothing before")
    tap.kept("rewind-running", chat.settled(), "the screen of that question")
    chat.keys("Escape")
    chat.wait_gone(tap, "A turn is running", "it can be given up")
    tap.check("answering" in chat.settled(), "and the turn goes on", chat.screen())
    chat.say("/rewind 2")
    chat.until("A turn is running")
    chat.type("s")
    chat.wait_for(tap, "2 messages would stay", "stopped, it shows what would go")
    chat.type("b")
    chat.wait_for(tap, lambda screen: "2 messages" in screen and chatting(screen),
                  "and takes it back")
    tap.same(len(home.texts("runs")), 2, "two messages are left")
    chat.close()


def asks_before_an_undo(tap):
    home.talk("undone", "About undone", "test/wait", pairs=2)
    home.tine("rewind", "undone", "--after", "#1")
    chat = home.chat(tmux, "undone")
    chat.wait_for(tap, "2 messages", "the session is open")
    chat.say("think")
    chat.wait_for(tap, "thinking about it", "a turn runs")
    chat.say("/undo")
    chat.wait_for(tap, "A turn is running", "an undo meanwhile asks, too")
    chat.keys("Escape")
    chat.wait_gone(tap, "A turn is running", "and can be given up")
    tap.check("answering" in chat.settled(), "the turn goes on", chat.screen())
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [shows_first, rewinds_both, rewinds_the_conversation, rewinds_files,
                         rewinds_before_a_question, asks_about_conflicts, asks_when_a_turn_runs,
                         asks_before_an_undo]))

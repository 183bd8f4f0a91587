"""Every slash command does what it says."""
import json
import os
import sys
import time

from backtrack_flows import chatting
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()


def opened(tap, name, **more):
    if name not in home.sessions():
        home.talk(name, f"About {name}")
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, lambda screen: "messages" in screen and "say something" in screen,
                  f"{name} is open")
    return chat


def new(tap):
    chat = opened(tap, "new")
    chat.say("/new Fresh air")
    chat.wait_for(tap, lambda screen: "Start a conversation" in screen and "Fresh air" in screen,
                  "/new begins a conversation with that title")
    chat.say("hello")
    chat.wait_for(tap, "2 messages", "the first message makes it")
    shown = json.loads(home.tine("show", home.newest(), "--json"))["session"]
    tap.same(shown["title"], "Fresh air", "with its title")
    chat.close()


def fork(tap):
    chat = opened(tap, "fork")
    before = home.shown("fork")
    chat.say("/fork 2")
    chat.wait_for(tap, lambda screen: "2 messages" in screen and "forked from" in screen,
                  "/fork 2 forks after message 2")
    tap.same(len(home.texts(home.newest())), 2, "the fork has two messages")
    chat.close()
    chat = opened(tap, "fork")
    chat.say("/fork before 3")
    chat.wait_for(tap, lambda screen: "forked from" in screen and
                  "Question number 2?" in screen.split("\n")[chat.cursor()[1]],
                  "/fork before 3 puts the text into the composer")
    chat.close()
    chat = opened(tap, "fork")
    chat.say("/fork")
    chat.wait_for(tap, lambda screen: "6 messages" in screen and "forked from" in screen,
                  "/fork takes everything")
    tap.same(home.shown("fork"), before, "the original is untouched")
    chat.say("/fork 99")
    chat.wait_for(tap, "✗", "a message that is not there is a failure")
    time.sleep(1.5)
    tap.check("✗" in chat.screen(), "which stays", *chat.framed())
    chat.keys("Enter")
    chat.wait_gone(tap, "✗", "until it was read")
    chat.close()


def rewind_undo_redo(tap):
    chat = opened(tap, "rewind")
    chat.say("/rewind 4")
    chat.wait_for(tap, "2 messages would go", "/rewind shows what would go")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: chatting(screen) and "4 messages" in screen,
                  "and takes it back")
    tap.same(len(home.texts("rewind")), 4, "four messages are left")
    chat.say("/undo")
    chat.wait_for(tap, lambda screen: chatting(screen) and "6 messages" in screen, "/undo")
    chat.say("/redo")
    chat.wait_for(tap, lambda screen: chatting(screen) and "4 messages" in screen, "/redo")
    chat.say("/redo")
    chat.wait_for(tap, "nothing to redo", "nothing to redo is said")
    chat.say("/rewind")
    chat.wait_for(tap, "/rewind needs to know more", "/rewind wants a place")
    chat.close()


def adopt(tap):
    chat = opened(tap, "adopt")
    home.tine("fork", "adopt", "--after", "#3", "--id", "winner", "--title", "The winner")
    home.store("winner", "A better question?", "A better answer.")
    chat.say("/adopt The winner")
    chat.wait_for(tap, "2 messages of “The winner” would be taken over",
                  "/adopt shows what would be taken over")
    tap.kept("adopt", chat.settled(), "the screen of that question")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: chatting(screen) and "A better answer." in screen,
                  "and takes it over")
    tap.same(home.texts("adopt")[4:], [("user", "A better question?"),
                                       ("assistant", "A better answer.")], "in place of its own")
    chat.say("/adopt nosuch session")
    chat.wait_for(tap, "✗", "a session that is not there is a failure")
    chat.close()


def tree_and_diff(tap):
    chat = opened(tap, "tree")
    home.tine("fork", "tree", "--after", "#3", "--id", "branch", "--title", "The branch")
    home.store("branch", "A branch question?", "A branch answer.")
    chat.say("/tree")
    chat.wait_for(tap, lambda screen: "The branch" in screen and "say something" not in screen,
                  "/tree shows the family")
    chat.keys("q")
    chat.wait_for(tap, chatting, "q leaves it")
    chat.say("/diff The branch")
    chat.wait_for(tap, lambda screen: "A branch answer." in screen and
                  "Answer number 3." in screen and "say something" not in screen,
                  "/diff compares with another session")
    chat.keys("q")
    chat.wait_for(tap, chatting, "q leaves it")
    chat.say("/diff 2")
    chat.wait_for(tap, lambda screen: "at 2" in screen and "Question number 2?" in screen,
                  "/diff 2 compares with message 2")
    chat.close()
    chat = opened(tap, "branch")
    chat.say("/diff")
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "A branch answer." in screen,
                  "/diff of a fork compares with its parent")
    chat.close()


def merge_and_files(tap):
    home.new("work", "Work", "test/shell")
    home.tine("send", "work", "echo one >a.txt; mkdir d; echo x >d/c.txt")
    home.tine("fork", "work", "--id", "side", "--title", "Side work")
    home.tine("send", "side", "echo two >b.txt; rm -r d")
    chat = opened(tap, "work")
    chat.say("/files")
    chat.wait_for(tap, "a.txt", "/files shows the files")
    tap.kept("files", chat.settled(), "the screen of the files")
    chat.keys("q")
    chat.wait_for(tap, chatting, "q leaves it")
    chat.say("/merge Side work")
    chat.wait_for(tap, lambda screen: "b.txt" in screen and "would be" in screen,
                  "/merge shows what would be written")
    chat.keys("Enter")
    chat.wait_for(tap, chatting, "and does it")
    tap.check("b.txt" in home.tine("files", "work") and "d/" not in home.tine("files", "work"),
              "the files of the other branch are here", home.tine("files", "work"))
    chat.close()


def label_and_title(tap):
    chat = opened(tap, "label")
    chat.say("/label plan 2")
    chat.wait_for(tap, lambda screen: "plan" in screen, "/label names a message")
    tap.check("plan" in home.tine("label", "label"), "on the server", home.tine("label", "label"))
    chat.say("/fork @plan")
    chat.wait_for(tap, lambda screen: "forked from" in screen and "2 messages" in screen,
                  "the name can be used")
    chat.say("/title A better title")
    chat.wait_for(tap, lambda screen: "A better title" in screen.split("\n")[0],
                  "/title names the session")
    chat.close()


def export(tap):
    chat = opened(tap, "export")
    chat.say("/export out.md")
    chat.wait_for(tap, "out.md", "/export writes the conversation")
    path = os.path.join(home.person, "out.md")
    end = time.monotonic() + 5
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)
    text = open(path).read() if os.path.exists(path) else ""
    tap.check("Question number 1?" in text and "Answer number 3." in text, "to the file", text)
    chat.say("/export out.md")
    chat.wait_for(tap, lambda screen: "✗" in screen or "exist" in screen,
                  "a file that is there is not written over")
    chat.close()


def help_and_quit(tap):
    chat = opened(tap, "help", rows=40)
    chat.say("/help")
    chat.wait_for(tap, "Backtrack mode", "/help shows the keys")
    chat.keys("G", "End")
    chat.wait_for(tap, "/quit", "and the commands")
    chat.keys("q")
    chat.wait_for(tap, chatting, "q leaves it")
    chat.say("/quit")
    chat.wait_end(tap, "/quit ends the program")
    tap.same(chat.status(), 0, "with exit code 0")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [new, fork, rewind_undo_redo, adopt, tree_and_diff, merge_and_files,
                         label_and_title, export, help_and_quit]))

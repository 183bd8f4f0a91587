"""The composer: several lines, history, pastes, an editor of one's own, completion."""
import os
import sys

from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()


def opened(tap, name, **more):
    home.new(name, name)
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, "say something", f"{name}: the composer is there")
    return chat


def takes_several_lines(tap):
    chat = opened(tap, "lines")
    chat.type("first line")
    chat.bytes("\x1b\r")  # Alt-Enter
    chat.type("second line")
    chat.keys("C-j")
    chat.type("third line")
    chat.wait_for(tap, "third line", "Alt-Enter and Ctrl-J begin new lines")
    tap.same(home.texts("lines"), [], "and send nothing")
    tap.kept("composer-lines", chat.settled(), "the screen of a composer with three lines")
    chat.keys("Up", "Home")
    chat.type("the ")
    chat.wait_for(tap, "the second line", "Up and Home move in it")
    chat.keys("Enter")
    chat.wait_for(tap, "2 messages", "Enter sends all of it")
    tap.same(home.texts("lines")[0], ("user", "first line\nthe second line\nthird line"),
             "as it was written")
    chat.close()


def remembers(tap):
    chat = opened(tap, "history")
    for text in ("one thing", "another thing"):
        chat.say(text)
        chat.wait_for(tap, lambda screen: screen.count(text) >= 2 and "ready" in screen,
                      f"{text!r} is sent and answered")
    chat.keys("Up")
    chat.until(lambda screen: "another thing" in screen.split("\n")[chat.cursor()[1]])
    tap.check("another thing" in chat.lines()[chat.cursor()[1]], "Up brings back what was sent",
              *chat.framed())
    chat.keys("Up")
    chat.until(lambda screen: "one thing" in screen.split("\n")[chat.cursor()[1]])
    tap.check("one thing" in chat.lines()[chat.cursor()[1]], "and what was sent before")
    chat.keys("Down")
    chat.until(lambda screen: "another thing" in screen.split("\n")[chat.cursor()[1]])
    tap.check("another thing" in chat.lines()[chat.cursor()[1]], "Down goes the other way")
    chat.keys("C-u")
    chat.keys("C-d")
    chat.wait_end(tap, "it ends")
    chat.close()
    chat = home.chat(tmux, "history")
    chat.wait_for(tap, "say something", "it is opened again")
    chat.keys("Up")
    chat.until(lambda screen: "another thing" in screen.split("\n")[chat.cursor()[1]])
    tap.check("another thing" in chat.lines()[chat.cursor()[1]], "the history is still there",
              *chat.framed())
    chat.close()


def pastes(tap):
    chat = opened(tap, "paste")
    bad = "echo one\n\x1b[2J\x1b]0;owned\x07\x1b[31mred\x1b[0m\rtwo\x00\tthree"
    chat.paste(bad)
    chat.wait_for(tap, "echo one", "a paste goes into the composer")
    screen = chat.settled()
    tap.same(home.texts("paste"), [], "and is not sent, line breaks or not")
    tap.check("paste" in screen.split("\n")[0], "escape sequences in it do nothing", screen)
    tap.check(chat.show("#{pane_title}") != "owned", "not even to the title")
    tap.check("red" in screen, "and are shown as what they are", screen)
    tap.kept("composer-paste", screen, "the screen after such a paste")
    chat.keys("Enter")
    chat.wait_for(tap, "2 messages", "it is sent with Enter")
    text = home.texts("paste")[0][1]
    tap.check("echo one" in text and "three" in text, "as one message", repr(text))
    screen = chat.settled()
    tap.check("paste" in screen.split("\n")[0] and chat.show("#{pane_title}") != "owned",
              "what the agent says of it does nothing to the terminal, either", screen)
    chat.close()


def pastes_much(tap):
    chat = opened(tap, "much")
    chat.bytes(b"\x1b[200~")
    for first in range(0, 400, 20):
        chat.bytes("".join(f"line {n} of a long paste\n" for n in range(first, first + 20)))
    chat.bytes(b"the end\x1b[201~")
    chat.wait_for(tap, "the end", "a long paste is taken")
    tap.check("much" in chat.settled().split("\n")[0], "and leaves room for the rest",
              chat.screen())
    chat.keys("Enter")
    chat.wait_for(tap, "2 messages", "it is sent")
    tap.same(len(home.texts("much")[0][1].split("\n")), 401, "with all its lines")
    chat.close()


def edits_elsewhere(tap):
    script = os.path.join(home.folder, "editor.sh")
    with open(script, "w") as out:
        out.write('#!/bin/sh\nstty -a >"$(dirname "$0")/stty"\n'
                  'cp "$1" "$(dirname "$0")/given"\nprintf "more\\nfrom the editor" >>"$1"\n')
    os.chmod(script, 0o755)
    chat = opened(tap, "editor", EDITOR=script)
    chat.type("some ")
    chat.until("some ")
    chat.keys("C-o")
    chat.wait_for(tap, "from the editor", "what the editor wrote is in the composer")
    with open(os.path.join(home.folder, "given")) as file:
        tap.same(file.read().strip("\n"), "some ", "the editor was given what stood there")
    with open(os.path.join(home.folder, "stty")) as file:
        text = file.read()
        tap.check(" icanon" in text and " echo " in text, "on a terminal as editors want it", text)
    tap.check(chat.alternate(), "the screen is back")
    chat.keys("Enter")
    chat.wait_for(tap, "2 messages", "and can be sent")
    text = home.texts("editor")[0][1]
    tap.check(text.startswith("some") and text.endswith("more\nfrom the editor"), "all of it",
              repr(text))
    chat.close()
    chat = opened(tap, "editor-fails", EDITOR="false")
    chat.type("keep me")
    chat.until("keep me")
    chat.keys("C-x", "C-e")
    chat.wait_for(tap, "✗", "an editor that fails is a failure that is told")
    tap.check("keep me" in chat.settled(), "and the text is still there", chat.screen())
    chat.close()


COMMANDS = ("new fork rewind undo redo adopt tree diff merge files label search sessions agent "
            "title export help quit").split()


def completes(tap):
    chat = opened(tap, "complete")
    chat.type("/")
    chat.wait_for(tap, "/fork", "a slash offers commands")
    tap.kept("composer-offers", chat.settled(), "the screen of the offers")
    chat.type("re")
    chat.wait_gone(tap, "/fork", "typing narrows them")
    screen = chat.settled()
    tap.check("/rewind" in screen and "/redo" in screen, "to those that begin so", screen)
    chat.type("w")
    chat.until(lambda screen: "/redo" not in screen)
    chat.keys("Tab")
    chat.wait_for(tap, lambda screen: "/rewind" in screen.split("\n")[chat.cursor()[1]],
                  "Tab completes")
    chat.keys("C-u")
    missing = []
    for name in COMMANDS:
        chat.type("/" + name[:-1])
        if not chat.until(f"/{name}", 5):
            missing.append(name)
        chat.keys("C-u")
        chat.until(lambda screen: "/" + name not in screen, 5)
    tap.same(missing, [], "every command is offered")
    chat.type("/nosuch")
    chat.keys("Enter")
    chat.wait_for(tap, "there is no command /nosuch", "an unknown command is a failure")
    tap.same(home.texts("complete"), [], "and is not sent")
    chat.keys("C-g")
    chat.wait_gone(tap, "there is no command", "which goes away when it was read")
    chat.keys("C-u")
    chat.say("//etc is a directory")
    chat.wait_for(tap, "2 messages", "two slashes begin a text")
    tap.same(home.texts("complete")[0], ("user", "/etc is a directory"), "with one of them")
    chat.close()


def escapes(tap):
    chat = opened(tap, "escape")
    chat.say("said before")
    chat.wait_for(tap, "2 messages", "there is something to go back to")
    chat.type("half a thought")
    chat.until("half a thought")
    chat.keys("Escape")
    chat.wait_gone(tap, "half a thought", "Esc clears the text")
    tap.check("BACKTRACK" not in chat.settled(), "and does not step back", chat.screen())
    chat.keys("Up")
    chat.wait_for(tap, "half a thought", "Up brings it back")
    chat.close()


def is_wide(tap):
    chat = opened(tap, "wide")
    for text, width in (("日本語", 6), ("e\u0301a\u0300", 2), ("👍", 2)):
        before = chat.cursor()[0]
        chat.type(text)
        chat.until(lambda screen: chat.cursor()[0] == before + width, 5)
        tap.same(chat.cursor()[0] - before, width, f"{text} moves the cursor by {width}")
    chat.keys("BSpace", "BSpace")
    chat.type("|")
    chat.wait_for(tap, "日本語e\u0301|", "Backspace takes what a person sees as one character")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [takes_several_lines, remembers, pastes, pastes_much, edits_elsewhere,
                         completes, escapes, is_wide]))

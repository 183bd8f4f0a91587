"""The tree: the family drawn, folded, narrowed, and what is done there."""
import sys
import time

from backtrack_flows import chatting
from tap import Tap
from terminal import run
from tree_flows import family, marked, opened, to


def is_drawn(tap):
    home = family()
    chat = opened(tap, home, "leaf")
    screen = chat.settled()
    tap.check(all(word in screen for word in ("Speed it up", "By hand, with care", "By machine")),
              "all of the family", screen)
    tap.check(all(word in screen for word in ("msgs", "tokens", "cost", "files", "age")),
              "with its columns", screen)
    line = chat.line_with("By hand  ") or ""
    tap.check("12.5k" in line and "0.75" in line, "tokens and cost are its own", line)
    tap.check("@start" in (chat.line_with("● Speed it up") or ""), "labels are there", screen)
    tap.check("here" in (chat.line_with("By hand, with care") or ""), "where one is, is told",
              screen)
    signs = {name: (chat.line_with(name) or "").split(name)[0].strip()[-1:]
             for name in ("By hand, with care", "By machine")}
    tap.check(signs["By hand, with care"] != signs["By machine"], "the path to it is marked", signs)
    tap.check("By hand, with care" in marked(chat), "and the mark stands there", marked(chat))
    tap.kept("tree", screen, "the screen of the tree")
    chat.keys("w")
    chat.wait_for(tap, "Try two?", "w shows what was rewound away")
    tap.kept("tree-rewound", chat.settled(), "the screen with it")
    chat.keys("w")
    chat.wait_gone(tap, "Try two?", "and hides it")
    chat.keys("?")
    chat.wait_for(tap, "Keys of the tree", "? tells the keys")
    chat.keys("q")
    chat.wait_for(tap, "Tree of", "and is left")
    for key in ("q", "Escape", "C-t"):
        chat.keys(key)
        chat.wait_for(tap, chatting, f"{key} leaves the tree")
        time.sleep(0.2)
        chat.keys("C-t")
        chat.until("Tree of")
        chat.settled(0.1)
    chat.close()
    home.stop()


def is_folded_and_narrowed(tap):
    home = family()
    chat = opened(tap, home)
    tap.check(to(chat, "By hand "), "the mark moves", *chat.framed())
    chat.keys("Left")
    chat.wait_gone(tap, "By hand, with care", "Left folds")
    tap.check("[+1]" in chat.settled(), "and says how many are hidden", chat.screen())
    chat.keys("Right")
    chat.wait_for(tap, "By hand, with care", "Right unfolds")
    chat.keys("Home", "-")
    chat.wait_gone(tap, "By machine", "- folds all below the root")
    chat.keys("+")
    chat.wait_for(tap, "By machine", "+ unfolds")
    chat.keys("/")
    chat.type("care")
    chat.wait_gone(tap, "By machine", "/ narrows the tree")
    screen = chat.settled()
    tap.check("By hand, with care" in screen and "Speed it up" in screen,
              "to what has the text, and what it comes from", screen)
    tap.kept("tree-narrowed", screen, "the screen of the narrowed tree")
    tap.check("with care" in marked(chat), "which is marked", marked(chat))
    chat.keys("Enter", "Escape")
    chat.wait_for(tap, "By machine", "Esc shows all again")
    tap.check("Tree of" in chat.screen(), "and stays in the tree")
    chat.keys("/")
    chat.type("by")
    chat.keys("Enter", "Home", "n")
    chat.settled(0.1)
    first = marked(chat)
    chat.keys("n")
    chat.settled(0.1)
    second = marked(chat)
    chat.keys("N")
    chat.settled(0.1)
    tap.check("By" in first and "By" in second and first != second and marked(chat) == first,
              "n and N go from match to match", first, second, marked(chat))
    chat.close()
    home.stop()


def opens_and_forks(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By machine")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: chatting(screen) and "By machine" in screen.split("\n")[0],
                  "Enter opens the session")
    chat.keys("C-t")
    chat.until("Tree of")
    to(chat, "By hand, with care")
    before = home.shown("leaf")
    chat.keys("f")
    chat.wait_for(tap, lambda screen: chatting(screen) and "forked from" in screen, "f forks it")
    tap.same(home.texts(home.newest()), home.texts("leaf"), "the fork has what it has")
    tap.same(home.shown("leaf"), before, "which is untouched")
    chat.close()
    home.stop()


def rewinds(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By machine")
    chat.keys("r")
    chat.wait_for(tap, "would", "r shows what a rewind would do")
    tap.kept("tree-rewind", chat.settled(), "the screen of that")
    chat.keys("Escape")
    chat.settled()
    tap.same(len(home.texts("right")), 4, "Esc changes nothing")
    chat.keys("r")
    chat.until("would")
    chat.keys("Enter")
    chat.settled()
    tap.check(len(home.texts("right")) == 2 or len(home.texts("root")) == 2,
              "Enter takes it back to where they part",
              home.texts("right"), home.texts("root"))
    chat.close()
    home.stop()


def merges_and_keeps(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By hand ")
    chat.keys("m")
    chat.wait_for(tap, "b.txt", "m shows what would be merged into the session of the chat")
    tap.kept("tree-merge", chat.settled(), "the screen of that")
    chat.keys("Enter")
    chat.wait_gone(tap, "would be written", "Enter does it")
    chat.settled()
    tap.check("b.txt" in home.tine("files", "root"), "the file is there",
              home.tine("files", "root"))
    chat.keys("Escape")
    chat.settled()
    if "Tree of" not in chat.screen():
        chat.keys("C-t")
        chat.until("Tree of")
    to(chat, "By hand ")
    chat.keys("k")
    chat.wait_for(tap, "would be taken over", "k shows what keeping it would do")
    chat.type("c") if "the conversation only" in chat.settled() else chat.keys("Enter")
    chat.wait_gone(tap, "would be taken over", "and does it")
    chat.settled()
    tap.check(("assistant", "That was dear.") in home.texts("root"),
              "the session of the chat has the winner's messages", home.texts("root"))
    chat.close()
    home.stop()


def labels_titles_deletes(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By machine")
    chat.keys("l")
    chat.settled()
    chat.type("best")
    chat.keys("Enter")
    chat.wait_for(tap, "@best", "l labels the newest message")
    to(chat, "By machine")
    chat.keys("t")
    chat.settled()
    chat.keys("C-u")
    chat.type("By two machines")
    chat.keys("Enter")
    chat.wait_for(tap, "By two machines", "t changes the title")
    to(chat, "By two machines")
    chat.keys("x")
    chat.wait_for(tap, lambda screen: "elete" in screen, "x asks before it deletes")
    chat.keys("Escape")
    chat.settled()
    tap.check("right" in home.sessions(), "Esc deletes nothing")
    chat.close()
    home.stop()


def is_live(tap):
    home = family()
    chat = opened(tap, home)
    home.tine("fork", "root", "--id", "late", "--title", "Forked just now")
    chat.wait_for(tap, "Forked just now", "a fork of another client appears")
    home.tine("rm", "late")
    chat.wait_gone(tap, "Forked just now", "and goes when it is deleted")
    chat.close()
    home.stop()


if __name__ == "__main__":
    sys.exit(run(Tap(), [is_drawn, is_folded_and_narrowed, opens_and_forks, rewinds,
                         merges_and_keeps, labels_titles_deletes, is_live]))

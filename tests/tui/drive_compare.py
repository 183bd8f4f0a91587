"""Two places side by side: the messages where they part, then the files."""
import sys

from tap import Tap
from terminal import run
from tree_flows import family, opened, to


def from_the_tree(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By hand ")
    chat.keys("Space")
    chat.wait_for(tap, "1 marked", "Space marks a row")
    to(chat, "By machine")
    chat.keys("Space")
    chat.wait_for(tap, "2 marked", "and a second one")
    tap.kept("tree-marked", chat.settled(), "the screen with both")
    chat.keys("d")
    chat.wait_for(tap, lambda screen: "Try a machine?" in screen and "That was dear." in screen,
                  "d compares them")
    screen = chat.settled()
    row = next((line for line in screen.split("\n") if "By hand" in line and "By machine" in line),
               None)
    tap.check(row is not None, "side by side", screen)
    tap.check("b.txt" in screen, "with the files", screen)
    tap.kept("compare", screen, "the screen of the comparison")
    chat.resize(60, 24)
    chat.settled()
    tap.kept("compare-narrow", chat.settled(), "the same in 60 columns")
    chat.resize(100, 30)
    chat.settled()
    chat.keys("q")
    chat.wait_for(tap, "Tree of", "q leads back to the tree")
    chat.close()
    home.stop()


def with_the_chat(tap):
    home = family()
    chat = opened(tap, home)
    to(chat, "By machine")
    chat.keys("d")
    chat.wait_for(tap, lambda screen: "Try a machine?" in screen and "echo two" in screen,
                  "d without marks compares the row with the session of the chat")
    chat.keys("Escape")
    chat.wait_for(tap, "Tree of", "Esc leads back")
    chat.close()
    home.stop()


if __name__ == "__main__":
    sys.exit(run(Tap(), [from_the_tree, with_the_chat]))

"""What the tests of the tree share: a family, and the way through its rows."""
import looks
from home import Home
from terminal import Tmux

tmux = Tmux()


def family():
    """A session with two forks, one of which has a fork; labels, files, usage, a rewind."""
    home = Home()
    home.new("root", "Speed it up", "test/shell")
    home.tine("send", "root", "echo one >a.txt")
    home.tine("send", "root", "echo two >a.txt")
    home.tine("label", "root", "#1", "start")
    home.tine("fork", "root", "--after", "#1", "--id", "left", "--title", "By hand")
    home.tine("send", "left", "echo left >b.txt")
    home.store("left", {"role": "assistant", "text": "That was dear.",
                        "usage": {"input_tokens": 12000, "output_tokens": 500, "cost": 0.75}})
    home.tine("fork", "left", "--after", "#3", "--id", "leaf", "--title", "By hand, with care")
    home.tine("send", "leaf", "echo leaf >c.txt")
    home.tine("fork", "root", "--after", "#1", "--id", "right", "--title", "By machine")
    home.store("right", "Try a machine?", "It hums.", "Try two?", "They hum.")
    home.tine("rewind", "right", "--after", "#3")
    return home


def is_marked(row):
    cells = [look for _, _, look in row]
    return len(cells) > 20 and sum(look.back is not None or look.has("reverse")
                                   for look in cells) > len(cells) * 0.8


def marked(chat):
    """The line of the marked row."""
    rows = chat.looks()
    for row in rows[2:-2]:
        if is_marked(row):
            return looks.text_of(row)
    return ""


def to(chat, title):
    """Moves the mark to the row with that title."""
    chat.keys("Home")
    for _ in range(12):
        chat.settled(0.1)
        if title in marked(chat):
            return True
        chat.keys("Down")
    return False


def opened(tap, home, name="root", **more):
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, "say something", f"{name} is open")
    chat.settled()
    chat.keys("C-t")
    chat.wait_for(tap, lambda screen: "Tree of" in screen and "By machine" in screen,
                  "Ctrl-T shows the tree")
    chat.settled()
    return chat

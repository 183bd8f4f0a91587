"""What the tests of backtrack mode share."""
import re

BANNER = "BACKTRACK MODE"
HINT = "← Press Esc to step back, Enter to fork here →"
KEYS = "[Esc: Step back] [Enter: Fork here] [Esc×3: Cancel]"


def marked(screen):
    """The number of the message in the box that is marked; None: there is none."""
    lines = screen.split("\n")
    for at, line in enumerate(lines):
        if "FORK POINT" in line:
            for near in lines[at:at + 2] + lines[max(0, at - 1):at]:
                found = re.search(r"\(message (\d+)\)", near)
                if found:
                    return int(found.group(1))
    return None


def at(number):
    return lambda screen: BANNER in screen and marked(screen) == number


def chatting(screen):
    return BANNER not in screen and "say something" in screen

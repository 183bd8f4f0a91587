"""Results as TAP, and screens that are compared with kept ones."""
import difflib
import os
import re

SCREENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens")


def comment(*lines):
    for line in lines:
        for part in str(line).splitlines() or [""]:
            print("#   " + part)


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, what, *why):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}", flush=True)
        if not good:
            comment(*why)
        return good

    def same(self, left, right, what):
        return self.check(left == right, what, f"is     {left!r}", f"not    {right!r}")

    def kept(self, name, text, what):
        """The screen is the one that is kept under that name; UPDATE_SCREENS=1 keeps it."""
        path = os.path.join(SCREENS, name + ".txt")
        text = plain(text)
        if os.environ.get("UPDATE_SCREENS"):
            os.makedirs(SCREENS, exist_ok=True)
            with open(path, "w") as out:
                out.write(text)
        try:
            with open(path) as file:
                kept = file.read()
        except FileNotFoundError:
            return self.check(False, what, f"no screen is kept as {name}.txt; this is it:", text)
        return self.check(text == kept, what, *difflib.unified_diff(
            kept.splitlines(), text.splitlines(), f"kept {name}.txt", "the screen", lineterm=""))

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


# What differs from one run to the next. The width stays, because the layout hangs on it.
SPINNER = re.compile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")
LONG_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
PORT = re.compile(r"(127\.0\.0\.1:)(\d+)")
AGE_WORD = r"(?:now|\d{1,3}[mhdwy])"
# Behind a heading; what follows it stands in its column, a box may hide its end.
SPEAKER_AGE = re.compile(r"((?:You|Assistant|Tool|System)(?: \(message \d+\))?)  "
                         r"(?:" + AGE_WORD + r"( {2,}|$)|(?:" + AGE_WORD + r"|no?|\d+)(?=│))", re.M)
# At the right edge of a list, before its bar.
COLUMN_AGE = re.compile(r" +" + AGE_WORD + r"(?=( [│█▐┃|])?$)", re.M)


def speaker_age(found):
    short = found.group(1) + "  ~"
    return short if found.group(2) == "" else short.ljust(len(found.group()))


def plain(text):
    """The screen without what differs from one run to the next."""
    text = SPINNER.sub("*", text)
    text = LONG_ID.sub(lambda found: "~" * len(found.group()), text)
    text = PORT.sub(lambda found: found.group(1) + "PORT", text)
    text = "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n")) + "\n"
    text = SPEAKER_AGE.sub(speaker_age, text)
    return COLUMN_AGE.sub(lambda found: "~".rjust(len(found.group())), text)

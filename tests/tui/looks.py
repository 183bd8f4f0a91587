"""What `tmux capture-pane -e` prints, as cells: characters with how they look.

The escape sequences that tmux prints for colours and attributes are few, and known here; others are
an error, so that nothing is passed over.
"""
import re
import unicodedata

ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 5: "blink", 7: "reverse",
              8: "hidden", 9: "strike", 21: "underline", 53: "overline"}
ENDS = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 25: ("blink",),
        27: ("reverse",), 28: ("hidden",), 29: ("strike",), 55: ("overline",)}
ESCAPE = re.compile(r"\x1b(?:\[([0-9;:]*)m|\]8;[^\x1b]*\x1b\\|([\x0e\x0f])|\((.))|[\x0e\x0f]")


class Look:
    """Colours are None, a number of the palette, or (red, green, blue)."""

    def __init__(self, fore=None, back=None, attributes=frozenset()):
        self.fore, self.back, self.attributes = fore, back, attributes

    def key(self):
        return self.fore, self.back, self.attributes

    def __eq__(self, other):
        return self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def __repr__(self):
        return f"Look{self.key()}"

    def has(self, *names):
        return all(name in self.attributes for name in names)


def columns_of(character):
    """The columns of one character of a capture, as tmux counts them."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def width(text):
    return sum(columns_of(character) for character in text)


def colour(codes, at):
    """An extended colour that begins at codes[at]; the colour, and where it ends."""
    if codes[at + 1] == 5:
        return codes[at + 2], at + 3
    return tuple(codes[at + 2:at + 5]), at + 5


def apply(look, words):
    fore, back, attributes = look.fore, look.back, set(look.attributes)
    codes = [int(code or 0) for code in re.split("[;:]", words)]
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == 0:
            fore, back, attributes = None, None, set()
        elif code in ATTRIBUTES:
            attributes.add(ATTRIBUTES[code])
        elif code in ENDS:
            attributes -= set(ENDS[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            fore = code - 30 if code < 40 else code - 90 + 8
        elif 40 <= code <= 47 or 100 <= code <= 107:
            back = code - 40 if code < 50 else code - 100 + 8
        elif code == 39:
            fore = None
        elif code == 49:
            back = None
        elif code == 38:
            fore, at = colour(codes, at - 1)
        elif code == 48:
            back, at = colour(codes, at - 1)
        else:
            raise ValueError(f"unknown code {code} in {words!r}")
    return Look(fore, back, frozenset(attributes))


def cells(line, look=Look()):
    """The cells of a captured line: [(text of the cell, its columns, Look)]; and the look after."""
    out = []
    at = 0
    graphics = False
    while at < len(line):
        found = ESCAPE.match(line, at)
        if found:
            if found.group(1) is not None:
                look = apply(look, found.group(1))
            elif found.group() == "\x0e":
                graphics = True
            elif found.group() == "\x0f":
                graphics = False
            at = found.end()
            continue
        character = line[at]
        if character == "\x1b":
            raise ValueError(f"unknown escape sequence: {line[at:at + 12]!r}")
        at += 1
        if graphics:
            character = DRAWN.get(character, character)
        columns = columns_of(character)
        if columns == 0 and out:
            text, before, own = out[-1]
            out[-1] = (text + character, before, own)
        else:
            out.append((character, columns, look))
    return out, look


DRAWN = dict(zip("jklmnqtuvwx", "┘┐┌└┼─├┤┴┬│"))


def parse(capture):
    """All lines of a capture, each a list of cells."""
    out = []
    look = Look()
    for line in capture.split("\n"):
        row, look = cells(line, look)
        out.append(row)
    return out


def text_of(row):
    return "".join(cell[0] for cell in row)


def look_at(rows, text, offset=0):
    """The look of the character `offset` behind the first place where the text stands; None: it does
    not stand there."""
    for row in rows:
        line = text_of(row)
        found = line.find(text)
        if found < 0:
            continue
        at = 0
        for content, _, look in row:
            if at >= found + offset:
                return look
            at += len(content)
    return None

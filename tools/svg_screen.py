"""A screen of a terminal as a picture: cells on a grid, colours kept, SVG.

Each run of equal cells is one text that is held to its width, so that the columns stand in line in
any fixed-width font. What boxes and bars are drawn with are lines of the picture, because fonts leave
gaps between them.
"""
import re
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT = 8.4, 18.0
BASE = 13.4  # of the letters, from the top of a cell
FONT = "ui-monospace,'SFMono-Regular','DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"
FONT_SIZE = 14
MARGIN = 14
BAR = 30  # the top of the window, with its title

GROUND, INK = (0x16, 0x19, 0x1f), (0xd7, 0xdb, 0xe2)
FRAME, FRAME_TEXT = (0x2a, 0x2f, 0x38), (0xa9, 0xb1, 0xbf)
SIXTEEN = [(0x1c, 0x1f, 0x26), (0xe0, 0x6c, 0x75), (0x98, 0xc3, 0x79), (0xe5, 0xc0, 0x7b),
           (0x61, 0xaf, 0xef), (0xc6, 0x78, 0xdd), (0x56, 0xb6, 0xc2), (0xc8, 0xcc, 0xd4),
           (0x7f, 0x84, 0x8e), (0xff, 0x8f, 0x97), (0xb5, 0xe0, 0x90), (0xff, 0xd7, 0x8a),
           (0x8a, 0xc6, 0xff), (0xdd, 0x9b, 0xf0), (0x7c, 0xd6, 0xe1), (0xff, 0xff, 0xff)]

# Lines from the middle of the cell: left, right, up, down.
LINES = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud",
         "┬": "lrd", "┴": "lru", "┼": "lrud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu",
         "╴": "l", "╵": "u", "╶": "r", "╷": "d", "━": "lr", "┃": "ud", "═": "lr", "║": "ud"}
HEAVY = "━┃"
DASHED = {"┄": "lr", "┈": "lr", "╌": "lr", "┆": "ud", "┊": "ud"}
ROUND = "╭╮╰╯"
# Blocks: left, top, right, bottom as shares of the cell.
BLOCKS = {"█": (0, 0, 1, 1), "▌": (0, 0, .5, 1), "▐": (.5, 0, 1, 1), "▀": (0, 0, 1, .5),
          "▄": (0, .5, 1, 1), "▎": (0, 0, .25, 1), "▏": (0, 0, .125, 1), "▍": (0, 0, .375, 1),
          "▊": (0, 0, .75, 1), "▁": (0, .875, 1, 1), "▔": (0, 0, 1, .125), "▕": (.875, 0, 1, 1)}
FORK = "⑂"  # few fonts have it
DRAWN = set(LINES) | set(DASHED) | set(BLOCKS) | {FORK}


def rgb(colour, other):
    """Of a colour as looks.py has it; `other` stands for the terminal's own."""
    if colour is None:
        return other
    if isinstance(colour, tuple):
        return colour
    if colour < 16:
        return SIXTEEN[colour]
    if colour >= 232:
        return (8 + 10 * (colour - 232),) * 3
    place = colour - 16
    return tuple(55 + 40 * step if step else 0 for step in (place // 36, place // 6 % 6, place % 6))


def word(colour):
    return "#%02x%02x%02x" % colour


def inks(look):
    """Ink and ground of a look, all attributes that are colours worked in."""
    ink, ground = rgb(look.fore, INK), rgb(look.back, GROUND)
    if look.has("reverse"):
        ink, ground = ground, ink
    if look.has("dim"):
        ink = tuple((a * 6 + b * 4) // 10 for a, b in zip(ink, ground))
    return ink, ground


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def rect(left, top, wide, high, colour):
    return (f'<rect x="{number(left)}" y="{number(top)}" width="{number(wide)}" '
            f'height="{number(high)}" fill="{word(colour)}"/>')


def strokes(character, left, top):
    """The path of a character that is drawn with lines."""
    middle, centre = left + CELL_WIDTH / 2, top + CELL_HEIGHT / 2
    if character == FORK:
        return (f"M{number(middle)} {number(centre + 5)}V{number(centre)}"
                f"M{number(middle - 3)} {number(centre - 5)}V{number(centre - 1)}"
                f"Q{number(middle - 3)} {number(centre + 1)} {number(middle)} {number(centre + 1)}"
                f"Q{number(middle + 3)} {number(centre + 1)} {number(middle + 3)} "
                f"{number(centre - 1)}V{number(centre - 5)}")
    ends = {"l": (left, centre), "r": (left + CELL_WIDTH, centre), "u": (middle, top),
            "d": (middle, top + CELL_HEIGHT)}
    sides = LINES.get(character) or DASHED[character]
    if character in ROUND:
        (ax, ay), (bx, by) = ends[sides[0]], ends[sides[1]]
        return (f"M{number(ax)} {number(ay)}Q{number(middle)} {number(centre)} "
                f"{number(bx)} {number(by)}")
    if len(sides) == 2 and sides in ("lr", "ud"):
        (ax, ay), (bx, by) = ends[sides[0]], ends[sides[1]]
        return f"M{number(ax)} {number(ay)}L{number(bx)} {number(by)}"
    return "".join(f"M{number(middle)} {number(centre)}L{number(ends[side][0])} "
                   f"{number(ends[side][1])}" for side in sides)


class Picture:
    def __init__(self, columns, rows, title):
        self.columns, self.rows, self.title = columns, rows, title
        self.wide = columns * CELL_WIDTH + 2 * MARGIN
        self.high = rows * CELL_HEIGHT + BAR + MARGIN * 1.5
        self.left, self.top = MARGIN, BAR + MARGIN / 2
        self.grounds, self.lines, self.texts = [], {}, []

    def ground(self, row, cells):
        """One rectangle for neighbours of one colour: between two there would be a gap."""
        column = first = 0
        before = GROUND
        for colour, columns in [(inks(look)[1], columns) for _, columns, look in cells] + [(None, 0)]:
            if colour != before:
                if before != GROUND and column > first:
                    self.grounds.append(rect(self.left + first * CELL_WIDTH,
                                             self.top + row * CELL_HEIGHT,
                                             (column - first) * CELL_WIDTH, CELL_HEIGHT, before))
                first, before = column, colour
            column += columns

    def line(self, row, column, character, ink):
        left, top = self.left + column * CELL_WIDTH, self.top + row * CELL_HEIGHT
        if character in BLOCKS:
            a, b, c, d = BLOCKS[character]
            self.texts.append(rect(left + a * CELL_WIDTH, top + b * CELL_HEIGHT,
                                   (c - a) * CELL_WIDTH, (d - b) * CELL_HEIGHT, ink))
            return
        key = (ink, character in DASHED, character in HEAVY)
        self.lines.setdefault(key, []).append(strokes(character, left, top))

    def texts_of(self, row, column, text, look):
        """A run of letters of one column each. Several blanks in a row would become one: they are
        left out, and what follows is placed by itself."""
        for found in re.finditer(r"\S+(?: \S+)*", text):
            self.text(row, column + found.start(), len(found.group()), found.group(), look,
                      inks(look)[0])

    def text(self, row, column, columns, text, look, ink):
        if not text.strip():
            return
        more = ""
        if look.has("bold"):
            more += ' font-weight="bold"'
        if look.has("italic"):
            more += ' font-style="italic"'
        marks = [mark for name, mark in (("underline", "underline"), ("strike", "line-through"))
                 if look.has(name)]
        if marks:
            more += f' text-decoration="{" ".join(marks)}"'
        self.texts.append(
            f'<text x="{number(self.left + column * CELL_WIDTH)}" '
            f'y="{number(self.top + row * CELL_HEIGHT + BASE)}" fill="{word(ink)}"{more} '
            f'textLength="{number(columns * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs">'
            f'{escape(text)}</text>')

    def row(self, row, cells):
        """Runs of cells that look the same, and what is drawn with lines by itself."""
        column = 0
        run = None  # (first column, text, look)
        self.ground(row, cells)
        for character, columns, look in cells:
            ink = inks(look)[0]
            alone = columns != 1 or not character.isascii()
            if run and (alone or run[2] != look):
                self.texts_of(row, *run)
                run = None
            if character in DRAWN:
                self.line(row, column, character, ink)
            elif alone:
                self.text(row, column, columns, character, look, ink)
            elif run:
                run = (run[0], run[1] + character, look)
            else:
                run = (column, character, look)
            column += columns
        if run:
            self.texts_of(row, *run)

    def cursor(self, column, row):
        self.grounds.append(rect(self.left + column * CELL_WIDTH, self.top + row * CELL_HEIGHT,
                                 2, CELL_HEIGHT, INK))

    def svg(self):
        wide, high = number(self.wide), number(self.high)
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
               f'width="{wide}" height="{high}" role="img">',
               f"<title>{escape(self.title)}</title>",
               f'<rect width="{wide}" height="{high}" rx="9" fill="{word(FRAME)}"/>',
               f'<path d="M0 {BAR}H{wide}V{number(self.high - 9)}a9 9 0 0 1 -9 9H9'
               f'a9 9 0 0 1 -9 -9Z" fill="{word(GROUND)}"/>']
        for place, colour in enumerate(((0xff, 0x5f, 0x57), (0xfe, 0xbc, 0x2e), (0x28, 0xc8, 0x40))):
            out.append(f'<circle cx="{18 + 20 * place}" cy="{BAR // 2}" r="6" '
                       f'fill="{word(colour)}"/>')
        out.append(f'<g font-family="{FONT}" font-size="{FONT_SIZE}">')
        out.append(f'<text x="{number(self.wide / 2)}" y="{BAR / 2 + 4.5:g}" font-size="12.5" '
                   f'text-anchor="middle" fill="{word(FRAME_TEXT)}">{escape(self.title)}</text>')
        out += self.grounds
        for (ink, dashed, heavy), paths in self.lines.items():
            more = ' stroke-dasharray="2.8 2.8"' if dashed else ""
            out.append(f'<path d="{"".join(paths)}" fill="none" stroke="{word(ink)}" '
                       f'stroke-width="{2.4 if heavy else 1.2}"{more}/>')
        out += self.texts
        out += ["</g>", "</svg>"]
        return "\n".join(out) + "\n"


def picture(rows, columns, title, cursor=None):
    """The rows as looks.parse gives them."""
    out = Picture(columns, len(rows), title)
    for place, cells in enumerate(rows):
        out.row(place, cells)
    if cursor:
        out.cursor(*cursor)
    return out.svg()

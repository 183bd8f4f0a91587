"""Colours: 8, 256 and true ones, on dark and light ground, and none."""
import re
import sys

import looks
from backtrack_flows import BANNER
from home import TINE, Home
from tap import Tap
from terminal import Tmux, run, spoken

tmux = Tmux()
home = Home()
SGR = re.compile(r"\x1b\[([0-9;:]*)m")


def conversation():
    home.new("talk", "About colours", "test/tools")
    home.store("talk", "What is *here*?",
               {"role": "assistant", "parts": [
                   {"type": "reasoning", "text": "Let me look."},
                   {"type": "text", "text": "# A heading\n\nSome `code` and [a link](https://e.org)."}
               ]})


def shot(tap, what, **env):
    """The cells of the chat and of backtrack mode."""
    chat = home.chat(tmux, "talk", **env)
    chat.wait_for(tap, lambda screen: "a link" in screen and "ready" in screen, f"{what}: it opens")
    chat.settled()
    cells = chat.looks()
    chat.keys("Escape")
    chat.wait_for(tap, BANNER, f"{what}: backtrack mode")
    chat.settled()
    cells += chat.looks()
    chat.close()
    return cells


def colours_of(cells):
    out = set()
    for row in cells:
        for _, _, look in row:
            out |= {look.fore, look.back}
    return out - {None}


def eight(tap):
    cells = shot(tap, "8 colours", TERM="xterm")
    found = colours_of(cells)
    tap.check(found and all(isinstance(c, int) and c < 8 for c in found),
              "with 8 colours only these are used", found)
    faint = looks.look_at(cells, "Let me look")
    tap.check(faint and faint.has("dim"), "reasoning is dim", faint)


def many(tap):
    cells = shot(tap, "256 colours", TERM="tmux-256color")
    found = colours_of(cells)
    tap.check(any(isinstance(c, int) and c >= 16 for c in found) and
              not any(isinstance(c, tuple) for c in found), "with 256 colours more are used", found)
    user, agent = looks.look_at(cells, "You"), looks.look_at(cells, "Assistant")
    tap.check(user.fore != agent.fore, "who speaks is told by colour", user, agent)


def true(tap):
    cells = shot(tap, "true colours", TERM="tmux-256color", COLORTERM="truecolor")
    found = colours_of(cells)
    tap.check(any(isinstance(c, tuple) for c in found), "with true colours these are used", found)


def brightness(colour):
    if isinstance(colour, tuple):
        red, green, blue = colour
    elif colour >= 232:
        red = green = blue = 8 + 10 * (colour - 232)
    elif colour >= 16:
        place = colour - 16
        red, green, blue = (55 + 40 * step if step else 0
                            for step in (place // 36, place // 6 % 6, place % 6))
    else:
        raise ValueError(f"the brightness of {colour} is the terminal's own")
    return (299 * red + 587 * green + 114 * blue) / 1000


def grounds(tap):
    """On a light ground the inks are dark, and the other way round."""
    for theme, ok in (("dark", lambda b: b > 90), ("light", lambda b: b < 140)):
        cells = shot(tap, theme, TERM="tmux-256color", TINE_THEME=theme)
        inks = {look.fore for row in cells for text, _, look in row
                if look.fore is not None and look.back is None and text.strip()
                and not look.has("reverse")}
        bad = [ink for ink in inks if not ok(brightness(ink))]
        tap.check(inks and not bad, f"{theme}: every ink can be read there", inks, bad)
    dark = shot(tap, "COLORFGBG dark", TERM="tmux-256color", COLORFGBG="15;0")
    light = shot(tap, "COLORFGBG light", TERM="tmux-256color", COLORFGBG="0;15")
    tap.check(looks.look_at(dark, "Assistant").fore != looks.look_at(light, "Assistant").fore,
              "COLORFGBG says which ground it is")


def none(tap):
    for env in ({"TERM": "tmux-256color", "NO_COLOR": "1"}, {"TERM": "vt220"},
                {"TERM": "tmux-256color", "NO_COLOR": "1", "COLORTERM": "truecolor"}):
        cells = shot(tap, f"no colours {env}", **env)
        tap.same(colours_of(cells), set(), "nothing is coloured")
        sent = spoken([TINE, "chat", "talk", "--home", home.home], "a link", b"\x1b", "MODE",
                      HOME=home.person, **env)
        tap.check("a link" in sent and "MODE" in sent, "the bytes that are sent are seen")
        codes = {int(code or 0) for found in SGR.findall(sent) for code in re.split("[;:]", found)}
        tap.check(codes and not codes & set(range(30, 50)) and not codes & set(range(90, 108)),
                  "no sequence for a colour is among them", codes)
        tap.check(any(look.attributes for row in cells for _, _, look in row),
                  "what matters is told by bold, reverse and the like")


def plain_letters(tap):
    """Without UTF-8 everything is drawn in ASCII."""
    chat = home.chat(tmux, "talk", LANG="C", LC_ALL="C", TERM="xterm")
    chat.wait_for(tap, lambda screen: "a link" in screen and "ready" in screen, "it opens")
    screen = chat.settled()
    tap.check(screen.isascii(), "nothing beyond ASCII is drawn", screen)
    chat.keys("Escape")
    chat.wait_for(tap, BANNER, "backtrack mode")
    tap.check(chat.settled().isascii(), "likewise", chat.screen())
    tap.kept("ascii-backtrack", chat.screen(), "the screen of backtrack mode in ASCII")
    chat.close()


def bad_terminals(tap):
    for env, word in (({"TERM": "dumb"}, "dumb"), ({"TERM": "nosuch-terminal"}, "nosuch-terminal"),
                      ({"TERM": ""}, "TERM")):
        # what ncurses leaves behind when it refuses a terminal is not ours
        chat = home.chat(tmux, "talk", ASAN_OPTIONS="detect_leaks=0", **env)
        chat.wait_end(tap, f"TERM={env['TERM']!r} is refused")
        tap.check(chat.status() not in (0,) and word in chat.everything(),
                  "with the reason", chat.status(), chat.everything())
        chat.close()


if __name__ == "__main__":
    conversation()
    sys.exit(run(Tap(), [eight, many, true, grounds, none, plain_letters, bad_terminals]))

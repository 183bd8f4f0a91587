#!/usr/bin/env python3
"""Makes the pictures of the terminal UI in docs/pictures from the program itself.

    TINE=build/tine tools/pictures.py [NAME...]      all of them without a NAME

The program runs in tmux on a home that is laid out here; no model is needed. The same program makes
the same pictures.
"""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "tui"))
sys.dont_write_bytecode = True

from home import Home  # noqa: E402
from svg_screen import picture  # noqa: E402
from terminal import Tmux  # noqa: E402

OUT = os.path.join(HERE, "..", "docs", "pictures")
COLUMNS, ROWS = 104, 32
AGENT = "team/coder"
CONFIG = f"agents:\n  - {{name: {AGENT}, kind: external, default: true}}\nsandbox: off\nlog: \"off\"\n"

QUESTION = "The import of the members takes four minutes. Why?"
LOOK = [
    {"role": "assistant", "parts": [
        {"type": "reasoning", "text": "First I want to see how the rows are written."},
        {"type": "tool_call", "id": "1", "name": "read_file",
         "arguments": {"path": "src/import.py"}}]},
    {"role": "tool", "parts": [{"type": "tool_result", "call": "1",
                                "output": "for row in rows:\n    db.insert(row)\n    db.commit()\n"
                                          + "\n" * 38}]},
    {"role": "assistant", "usage": {"input_tokens": 2140, "output_tokens": 188, "cost": 0.0094},
     "text": "`import.py` commits **after every row**. Each commit waits for the disk:\n\n"
             "| rows | commits | time |\n|-----:|--------:|-----:|\n| 40,000 | 40,000 | 4 min |\n"
             "| 40,000 | 1 | about 1 s |\n\n"
             "Two ways out:\n\n1. one transaction around the loop\n2. load the file in bulk"},
]
PLAN = "Do the first one, and keep the errors per row."
DONE = [
    {"role": "assistant", "parts": [
        {"type": "tool_call", "id": "2", "name": "edit_file",
         "arguments": {"path": "src/import.py", "old_text": "db.commit()", "new_text": ""}}]},
    {"role": "tool", "parts": [{"type": "tool_result", "call": "2", "output": "1 change"}]},
    {"role": "assistant", "usage": {"input_tokens": 3310, "output_tokens": 240, "cost": 0.0139},
     "text": "Done; a row that fails is noted and left out:\n\n"
             "```python\nwith db.transaction():\n    for row in rows:\n"
             "        try:\n            db.insert(row)\n        except Invalid as error:\n"
             "            report(row, error)\n```\n\nThe import takes **1.4 s** now."},
]
LOOP = ("for row in rows:\n    db.insert(row)\n    db.commit()\n",
        "with db.transaction():\n    for row in rows:\n        try:\n            db.insert(row)\n"
        "        except Invalid as error:\n            report(row, error)\n")
BULK = "from db import load\n\nload(\"members.csv\", table=\"member\", strict=True)\n"


def family(home):
    """One question, and what was tried."""
    home.call("POST", "/sessions", {"id": "import", "title": "Speed up the import"})
    home.put("import", "src/import.py", LOOP[0])
    home.store("import", QUESTION, *LOOK)
    home.tine("label", "import", "-1", "diagnosis")
    fork(home, "import", "bulk", "Load in bulk")
    fork(home, "import", "queue", "A queue of rows")
    home.store("import", PLAN, *DONE)
    home.put("import", "src/import.py", LOOP[1])
    home.store("bulk", "Load it in bulk instead. Is that faster still?",
               {"role": "assistant", "text": "Yes: **0.3 s**, but one bad row stops all of it.",
                "usage": {"input_tokens": 2900, "output_tokens": 120, "cost": 0.0102}})
    home.put("bulk", "src/import.py", BULK)
    home.put("bulk", "tests/test_bulk.py", "def test_bulk():\n    assert load_all() == 40000\n")
    home.tine("label", "bulk", "-1", "fastest")
    fork(home, "bulk", "strict", "In bulk, bad rows aside")
    home.store("strict", "Can bad rows be put aside first?",
               {"role": "assistant", "text": "A pass with `csvcheck` does it: 0.2 s more.",
                "usage": {"input_tokens": 3200, "output_tokens": 95, "cost": 0.0104}})
    home.store("queue", "What about a queue with four writers?",
               {"role": "assistant", "text": "SQLite has one writer at a time; it gains nothing.",
                "usage": {"input_tokens": 2700, "output_tokens": 80, "cost": 0.0086}})
    home.tine("rewind", "queue", "--before", "#4", "--conversation")
    home.store("queue", "And batches of a thousand rows?",
               {"role": "assistant", "text": "1.6 s, and a batch that fails is tried again row by row.",
                "usage": {"input_tokens": 2750, "output_tokens": 110, "cost": 0.0091}})


def fork(home, source, name, title):
    home.tine("fork", source, "--id", name, "--title", title)


# ---- the pictures

def show(home, tmux, name, title, session, keys, until, columns=COLUMNS, rows=ROWS):
    """Opens the session, presses keys, each until its text is seen, and draws the screen."""
    chat = home.chat(tmux, session, columns=columns, rows=rows, TERM="tmux-256color",
                     COLORTERM="truecolor", TINE_THEME="dark")
    steps = [(None, until), *keys]
    for key, text in steps:
        if key:
            chat.keys(*key.split())
        if not chat.until(text):
            raise SystemExit(f"{name}: {text!r} was not seen\n" + chat.screen())
        time.sleep(0.1)
    chat.settled(0.5)
    lines = chat.looks()[:rows]
    lines += [[]] * (rows - len(lines))
    cursor = chat.cursor() if chat.show("#{cursor_flag}") == "1" else None
    chat.close()
    os.makedirs(OUT, exist_ok=True)
    with open(os.path.join(OUT, name + ".svg"), "w") as out:
        out.write(picture(lines, columns, title, cursor))
    print(os.path.normpath(os.path.join(OUT, name + ".svg")))


def main():
    wanted = sys.argv[1:] or ["chat", "backtrack", "tree", "compare"]
    home = Home(config=CONFIG)
    tmux = Tmux()
    family(home)
    pictures = {
        "chat": ("import", [], "1.4 s", 140, 45),
        "backtrack": ("import", [("Escape", "BACKTRACK MODE"), ("Up", "message 7 of"),
                                 ("Up", "message 6 of"), ("Up", "message 5 of"),
                                 ("Up", "message 4 of")], "1.4 s", COLUMNS, ROWS),
        "tree": ("strict", [("C-t", "Tree of"), ("w", "rewound at")], "csvcheck", COLUMNS, 16),
        "compare": ("import", [("C-t", "Tree of"), ("Space", "1 marked"), ("Down", "Tree of"),
                               ("Space", "2 marked"), ("d", "They share")], "1.4 s", 120, 46),
    }
    for name in wanted:
        session, keys, until, columns, rows = pictures[name]
        show(home, tmux, name, f"tine chat {session}", session, keys, until, columns, rows)
    home.stop()


if __name__ == "__main__":
    main()

"""Writes an export with acts of all kinds, hashed by the program in docs/hash.md:

hash_kinds.py FOLDER_OF_HASHES_PY FILE
"""
import hashlib
import json
import sys

sys.path.insert(0, sys.argv[1])
from hashes import content_hash, sha256, string  # noqa: E402

TIME = 1700000000000000
lines, hashes, bases, numbers = [], {None: bytes(32)}, {}, {}


def add(item):
    lines.append(json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")


def session(s, base=None, **more):
    bases[s], numbers[s] = base, 0
    if base:
        more["base"] = base
    add({"session": {"s": s, "id": "s%d" % s, "agent": "a/b", "created_us": TIME, "touched_us": TIME,
                     **more}})


def act(s, kind, body=None, to=None, **more):
    numbers[s] += 1
    n = numbers[s]
    item = {"at": [s, n], "kind": kind, "id": "01890000-0000-7000-8000-%06d%06d" % (s, n), "drawn": True,
            "at_us": TIME + len(lines), "salt": "%032x" % len(lines), **more}
    before = to if kind == "move" else [s, n - 1] if n > 1 else bases[s]
    if to:
        item["to"] = to
    item["hash"] = ""
    if body is not None:
        item["body"] = body
    found = hashes[tuple(before) if before else None]
    if kind != "move" or "state" in item:
        line = json.dumps({"act": item}, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        found = sha256(string(b"tine path 1"), found, content_hash(item, line, hashes))
    hashes[s, n] = found
    item["hash"] = found.hex()
    add({"act": item})


lines.append(b'{"tine_export":1,"owner":"local","at_us":%d}\n' % TIME)
session(1, state="sub")
act(1, "message", {"parts": []}, role="user", turn="sub turn", flags=1)
act(1, "message", {"any": ["JSON", 1.50, None]}, role="assistant", usage=[1, 2, 3])
session(2)
act(2, "message", {"é": "ü"}, role="user")
act(2, "event", [1, 2, 3])
act(2, "summary", "what happened so far")
act(2, "subsession", {}, ref=[1, 1])
act(2, "state", {}, state="0161023105757365723a02 32".replace(" ", ""))
act(2, "message", {}, role="tool", flags=2)
act(2, "move", move="rewind", scope="conversation", to=[2, 3])
act(2, "message", {}, role="system")
act(2, "move", move="rewind", to=[2, 2], state="05757365723a0232")  # carries a key over
act(2, "message", {}, role="user")
act(2, "move", move="undo", to=[2, 8])
act(2, "move", move="redo", to=[2, 10])
session(3, base=[2, 9], family=2)  # begins at the move that counts
act(3, "message", {}, role="assistant")
act(3, "move", move="rewind")  # to the beginning
act(3, "message", {}, role="user")
lines.append(b'{"end":{"items":%d,"sha256":"%s"}}\n' %
             (len(lines) - 1, hashlib.sha256(b"".join(lines)).hexdigest().encode()))
open(sys.argv[2], "wb").write(b"".join(lines))

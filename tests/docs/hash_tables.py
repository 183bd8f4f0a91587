"""Checks the tables of bytes in docs/hash.md: hash_tables.py PAGE

Each table of pieces is followed, or for a path preceded, by the hash of its bytes in the page.
"""
import hashlib
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
acts = [json.loads(line)["act"] for line in re.search(r"```jsonl\n(.*?)```", text, re.S)[1].splitlines()
        if line.startswith('{"act"')]
tables = re.findall(r"\| piece \| bytes \|\n\|---\|---\|\n((?:\|.*\n)+)", text)
assert len(tables) == 2 * len(acts), len(tables)
for i, table in enumerate(tables):
    pieces = re.findall(r"^\| [a-z ]+ \| `([0-9a-f ]+)` \|$", table, re.M)
    assert len(pieces) == table.count("\n"), table
    found = hashlib.sha256(bytes.fromhex("".join(pieces))).hexdigest()
    if i % 2 == 0:
        assert "`%s`" % found in text, "content of act %d: %s" % (i // 2 + 1, found)
        content = bytes.fromhex(found)
    else:
        assert found == acts[i // 2]["hash"], "path of act %d: %s" % (i // 2 + 1, found)
        assert bytes.fromhex(pieces[2]) == content

"""Every route of the native API, its faults, its pages, keys, streams and users."""
import http.client
import json
import os
import re
import signal
import sys
import threading
import time
from urllib.parse import quote

from files import files, rights
from wire import API, Client, Document, Server, Stream, Tap

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY",
             "OLLAMA_HOST"):
    os.environ.pop(name, None)

SCRIPTS = {
    "echo": [[{"echo": True}]],
    "talk": [[{"delta": "He"}, {"sleep_ms": 20}, {"delta": "llo"}, {"sleep_ms": 400}, {"echo": True}]],
    "wait": [[{"delta": "thinking"}, {"wait": True}]],
    "slow": [[{"delta": "a"}, {"sleep_ms": 400}, {"echo": True}]],
    "fail": [[{"delta": "half"}, {"fail": "the model is out"}]],
    "tools": [[{"reasoning": "hm"},
               {"say": {"parts": [{"type": "tool_call", "id": "c1", "name": "bash",
                                   "arguments": {"command": "ls"}}]}},
               {"output": ["c1", "a.txt"]},
               {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1",
                                                   "output": "a.txt"}]}},
               {"say": {"text": "there is a.txt", "usage": {"input_tokens": 7, "output_tokens": 3,
                                                            "cost": 0.25}}}]],
}
CONFIG = "agents:\n"
for name, script in SCRIPTS.items():
    CONFIG += f"  - name: test/{name}\n    kind: scripted\n"
    CONFIG += f"    script: {json.dumps(json.dumps(script))}\n"
    CONFIG += "    default: true\n" if name == "echo" else ""
CONFIG += "  - {name: test/outside, kind: external}\n  - {name: test/shell, kind: shell}\nsandbox: off\n"
USERS = "users:\n  - {name: ana, right: admin}\n  - {name: ben, right: run}\n" \
        "  - {name: wilma, right: write}\n  - {name: guest, right: read}\n"


# ---- sessions

def sessions(t, c):
    s = c.post("/sessions", {"title": "Ünïcode 🎄", "metadata": {"k": [1, 2]}, "limits": {"n": 1},
                             "state": {"lang": "en", "big": 12345678901234567890},
                             "workspace": {"mode": "none"}}, expect=201).json
    t.same(s["title"], "Ünïcode 🎄", "a title is kept")
    t.same(s["agent"], "test/echo", "without an agent it gets the default one")
    t.same(s["state"], {"big": 12345678901234567890, "lang": "en"}, "state is there")
    t.same((s["metadata"], s["limits"]), ({"k": [1, 2]}, {"n": 1}), "metadata and limits are there")
    t.same(c.get(f"/sessions/{s['id']}").json, s, "what was made can be got")
    t.same(c.post("/sessions", "", expect=201).json["title"], "", "an empty body is {}")
    c.post("/sessions", {"id": "mine", "agent": "test/outside"}, expect=201, what="an id of one's own")
    c.post("/sessions", {"id": "mine"}, expect=409, code="exists", what="… only once")
    for body, word in (({"tittle": 1}, "tittle"), ({"title": 1}, "title"), ('{"title":', "JSON"),
                       ("[]", "object"), ({"agent": "x"}, "agent"), ({"id": ""}, "id"),
                       ({"id": "a b"}, "id"), ({"title": "a\nb"}, "title"),
                       ({"workspace": {"mode": "attached"}}, "dir"), ('{"title":"a","title":"b"}', "twice"),
                       ({"state": {"": 1}}, "state"), (b'{"title":"\xff"}', "UTF-8")):
        reply = c.post("/sessions", body, expect=400, code="invalid")
        t.check(word in reply.json["detail"], f"refused, and named: {word}", reply.body)
    c.post("/sessions", {"id": "none", "agent": "no/body"}, expect=404, code="agent_not_found", what="an agent that is not there")
    c.get("/sessions/none", expect=404)
    c.post("/sessions", {"title": "x" * 1025}, expect=413, code="too_large", what="a title has a limit")
    c.post("/sessions", {"title": "x"}, headers={"Content-Type": "text/plain"}, expect=415,
           what="only JSON is taken")
    p = c.call("PATCH", f"/sessions/{s['id']}", {"title": "New", "archived": True,
                                                 "metadata": {}}, expect=200).json
    t.same((p["title"], p["archived"], p["metadata"], p["limits"]), ("New", True, {}, {"n": 1}),
           "what is given is changed, the rest stays")
    c.call("PATCH", f"/sessions/{s['id']}", {"agent": "x/y"}, expect=400, what="the agent cannot be changed")
    c.call("PATCH", "/sessions/none", {}, expect=404, code="session_not_found")
    c.call("HEAD", f"/sessions/{s['id']}", expect=200)
    c.call("POST", f"/sessions/{s['id']}", {}, expect=405, code="method_not_allowed")
    t.same(c.get(f"/sessions/{s['id'][:-1]}?part=1").json["id"], s["id"], "a part of an id finds it")
    t.same(c.get(f"/sessions/{quote('New')}?part=1").json["id"], s["id"], "… and so does the title")
    c.call("PATCH", "/sessions/mine", {"title": "New"}, expect=200)
    c.get("/sessions/New?part=1", expect=409, code="ambiguous", what="two with one title")
    c.get("/sessions/none", expect=404, code="session_not_found")
    c.get("/sessions/none/", expect=404)
    c.call("DELETE", "/sessions/mine?purge=1", expect=204)
    c.call("DELETE", "/sessions/mine", expect=404, code="session_not_found", what="deleted is gone")


def listing(t, c):
    c.post("/agents", {"id": "list/a", "kind": "external"}, expect=201)
    ids = [c.new(title=f"list {i}", agent="list/a") for i in range(7)]
    seen, cursor = [], ""
    while True:
        page = c.get(f"/sessions?agent=list/a&limit=3{cursor}").json
        seen += [s["id"] for s in page["sessions"]]
        if "next" not in page:
            break
        cursor = "&cursor=" + page["next"]
    t.same(seen, ids[::-1], "pages of sessions, newest first")
    first = c.get("/sessions?agent=list/a&limit=3").json["next"]
    c.get(f"/sessions?agent=list/b&cursor={first}", expect=400, what="a cursor of another list")
    c.get("/sessions?cursor=" + first[:-1] + ("A" if first[-1] != "A" else "B"), expect=400,
          what="a changed cursor")
    for bad in ("x", "%C3%BC", first + "A"):
        c.get(f"/sessions?cursor={bad}", expect=400, code="invalid")
    c.get("/sessions?cursor=%00", expect=400, code="malformed")
    c.call("PATCH", f"/sessions/{ids[0]}", {"archived": True}, expect=200)
    def ids_of(query):
        return {s["id"] for s in c.get(f"/sessions?{query}").json["sessions"]}
    t.same(ids_of("agent=list/a"), set(ids[1:]), "archived ones are not listed")
    t.same(ids_of("agent=list/a&archived=1"), {ids[0]}, "… but alone")
    t.same(ids_of("agent=list/a&archived=all"), set(ids), "… or with the others")
    for bad in ("archived=maybe", "limit=0", "limit=1001", "limit=x", "nonsense=1", "limit=1&limit=2"):
        c.get(f"/sessions?{bad}", expect=400, code="invalid", what=f"refused: {bad}")
    parent = ids[3]
    forks = [c.post(f"/sessions/{parent}/fork", {}, expect=201).json["session"]["id"] for _ in range(5)]
    seen, cursor = [], ""
    while True:
        page = c.get(f"/sessions?parent={parent}&limit=2{cursor}").json
        seen += [s["id"] for s in page["sessions"]]
        if "next" not in page:
            break
        cursor = "&cursor=" + page["next"]
    t.same(seen, forks[::-1], "pages of the forks of one")
    c.store(ids[5], "the zebra crossing")
    c.store(ids[6], "another zebra")
    c.call("PATCH", f"/sessions/{ids[4]}", {"title": "zebra in the title"}, expect=200)
    t.same(ids_of("q=zebra"), set(ids[4:7]), "words are found in titles and messages")
    page = c.get("/sessions?q=zebra&limit=2").json
    rest = c.get(f"/sessions?q=zebra&limit=2&cursor={page['next']}").json
    t.same({s["id"] for s in page["sessions"] + rest["sessions"]}, set(ids[4:7]), "… in pages, too")
    t.check("next" not in rest, "… which end")
    hits = c.get("/search?q=zebra%20cross*").json["hits"]
    t.same([(h["session"], h["snippet"][h["matches"][0][0]:h["matches"][0][1]]) for h in hits],
           [(ids[5], "zebra")], "search says where it matched")
    c.get("/search", expect=400, what="a search needs words")
    c.get("/search?q=%22", expect=400)


# ---- messages

def messages(t, c):
    s = c.new(agent="test/outside")
    reply = c.post(f"/sessions/{s}/messages", {"parts": [{"type": "text", "text": "one"},
                   {"type": "data", "data": {"n": 12345678901234567890.5}},
                   {"type": "file", "name": "f", "media_type": "text/plain", "bytes": "YQ=="}],
                   "role": "user", "id": "m1", "metadata": {"a": 1}, "run": False,
                   "usage": {"input_tokens": 5, "cost": 0.125}, "state": {"x": 1}}, expect=201).json
    m = reply["messages"][0]
    t.same((m["id"], m["index"], m["role"], m["metadata"], m["session"]),
           ("m1", 0, "user", {"a": 1}, s), "a message comes back as it was sent")
    t.same(m["usage"], {"input_tokens": 5, "output_tokens": 0, "cost": 0.125}, "… with its usage")
    again = c.post(f"/sessions/{s}/messages", {"parts": [{"type": "text", "text": "one"},
                   {"type": "data", "data": {"n": 12345678901234567890.5}},
                   {"type": "file", "name": "f", "media_type": "text/plain", "bytes": "YQ=="}],
                   "role": "user", "id": "m1", "metadata": {"a": 1}, "run": False,
                   "usage": {"input_tokens": 5, "cost": 0.125}, "state": {"x": 1}}, expect=201).json
    t.same(again["messages"][0]["hash"], m["hash"], "the same id with the same bytes: the same answer")
    c.post(f"/sessions/{s}/messages", {"text": "other", "id": "m1", "run": False}, expect=409,
           code="id_taken", what="… with others it is refused")
    batch = c.post(f"/sessions/{s}/messages", {"messages": [
        {"text": "two", "role": "assistant"}, {"text": "sys", "role": "system"},
        {"text": "three"}]}, expect=201).json["messages"]
    t.same([b["index"] for b in batch], [1, None, 2], "a batch is stored, and not run")
    c.post(f"/sessions/{s}/messages", {"messages": [{"text": "ok"}, {"tekst": "no"}]}, expect=400)
    t.same(c.get(f"/sessions/{s}").json["messages"], 3, "… whole or not at all")
    got = c.get(f"/sessions/{s}").json
    t.same((got["head"], got["state"]), (batch[2]["id"], {"x": 1}), "head and state")
    c.post(f"/sessions/{s}/messages", {"text": "x", "run": False, "expect_head": "m1"}, expect=409,
           code="head_moved")
    c.post(f"/sessions/{s}/messages", {"text": "x", "run": False, "expect_head": got["head"]},
           expect=201, what="expect_head that is right")
    for body in ({}, {"text": 1}, {"text": "a", "parts": []}, {"parts": []},
                 {"parts": [{"type": "smell"}]}, {"text": "a", "role": "boss"},
                 {"messages": []}, {"text": "a", "busy": "maybe"}, {"text": "a", "nope": 1},
                 {"text": "a", "run": False, "busy": "wait"}, {"text": "a", "role": "assistant", "run": True},
                 {"messages": [{"text": "a", "run": True}]}, "[" * 100 + "]" * 100, {"text": "a", "id": "a/b", "run": False}):
        c.post(f"/sessions/{s}/messages", body, expect=400, code="invalid")
    c.post("/sessions/none/messages", {"text": "a", "run": False}, expect=404, code="session_not_found")
    c.post("/sessions/none/messages", {"text": "a"}, expect=404, code="session_not_found")
    c.post(f"/sessions/{s}/messages", {"text": "a"}, expect=409, code="agent_external",
           what="who is run by somebody else is not run")
    t.same(c.texts(s), ["one", "two", "three", "x"], "the history")
    t.same(c.texts(s, "?all=1"), ["one", "two", "sys", "three", "x"], "… with system messages")
    t.same(c.texts(s, "?tail=2"), ["three", "x"], "the tail")
    t.same(c.texts(s, "?tail=3&all=1"), ["two", "sys", "three", "x"], "the tail of all")
    t.same(c.texts(s, "?after=m1"), ["two", "three", "x"], "after a message")
    t.same(c.texts(s, "?before=-1"), ["one", "two", "three"], "before a message")
    t.same(c.texts(s, "?after=m1&before=%233"), ["two", "three"], "between two")
    t.same(c.texts(s, "?at=%231"), ["one", "two"], "at a place")
    t.same(c.texts(s, "?from=1&limit=2"), ["two", "three"], "from a place")
    t.same(c.texts(s, "?at=m&part=1"), ["one"], "at a part of an id")
    for bad in ("at=%23x", "at=", "at=-0", "at=@", "at=m1&before=m1", "tail=1&limit=1",
                "from=1&after=m1", "tail=0", "cursor=x", "part=2"):
        c.get(f"/sessions/{s}/messages?{bad}", expect=400, what=f"refused: {bad}")
    c.get(f"/sessions/{s}/messages?at=m9", expect=404, code="message_not_found")
    c.get(f"/sessions/{s}/messages?at=@none", expect=404, code="label_not_found")
    c.get("/sessions/none/messages", expect=404, code="session_not_found")
    big = "x" * 3_000_000
    for _ in range(3):
        c.store(s, big)
    page = c.get(f"/sessions/{s}/messages?limit=100").json
    t.check(len(page["messages"]) < 7 and "next" in page, "a page ends at its bytes")
    rest, n = page, len(page["messages"])
    while "next" in rest:
        rest = c.get(f"/sessions/{s}/messages?cursor={rest['next']}").json
        n += len(rest["messages"])
    t.same(n, 7, "… and goes on behind them")
    c.post(f"/sessions/{s}/messages", {"text": "x" * 8_400_000, "run": False}, expect=413,
           code="too_large", what="a message has a limit")


def paging(t, c):
    s = c.new()
    for i in range(0, 60, 20):
        c.post(f"/sessions/{s}/messages", {"messages": [{"text": str(i + k)} for k in range(20)]}, expect=201)
    page = c.get(f"/sessions/{s}/messages?limit=7").json
    seen = page["messages"]
    steps = 0
    while "next" in page:
        # meanwhile others append, rewind, append
        c.store(s, f"noise {steps}")
        if steps % 2:
            c.post(f"/sessions/{s}/rewind", {"after": 3})
            c.store(s, "elsewhere")
        page = c.get(f"/sessions/{s}/messages?limit=7&cursor={page['next']}").json
        seen += page["messages"]
        steps += 1
    t.same([m["parts"][0]["text"] for m in seen], [str(i) for i in range(60)],
           "pages are of the history as it was when the first was read")
    t.same([m["index"] for m in seen], list(range(60)), "… with its places")
    cursor = c.get(f"/sessions/{s}/messages?limit=1").json["next"]
    other = c.new()
    c.store(other, "a")
    c.store(other, "b")
    c.get(f"/sessions/{other}/messages?cursor={cursor}", expect=400, what="a cursor of another session")
    c.get(f"/sessions/{s}/messages?cursor={cursor}&tail=1", expect=400)
    c.get(f"/sessions/{s}/raw?cursor={cursor}", expect=400, what="a cursor of another kind of list")
    raw, cursor = [], ""
    while True:
        page = c.get(f"/sessions/{s}/raw?limit=9{cursor}").json
        raw += page["entries"]
        if "next" not in page:
            break
        cursor = "&cursor=" + page["next"]
    t.same(raw, c.get(f"/sessions/{s}/raw?limit=1000").json["entries"], "the raw log in pages")
    t.check(any(e.get("kind") == "move" for e in raw), "… moves are in it")
    c.get("/sessions/none/raw", expect=404)
    c.get(f"/sessions/{s}/raw?cursor=x", expect=400)
    entries, cursor = [], ""
    while True:
        page = c.get(f"/sessions/{s}/journal?limit=9{cursor}").json
        entries += page["entries"]
        if "next" not in page:
            break
        cursor = "&cursor=" + page["next"]
    numbers = [e["event"] for e in entries]
    t.same(numbers, sorted(set(numbers)), "the journal in pages, every number once")
    t.same([e["act"] for e in entries][:2], ["created", "message"], "… from the beginning")
    since = c.get(f"/sessions/{s}/journal?since={numbers[-3]}").json["entries"]
    t.same([e["event"] for e in since], numbers[-2:], "the journal since a number")
    c.get("/sessions/none/journal", expect=404)
    c.get(f"/sessions/{s}/journal?cursor={cursor[8:]}&since=1", expect=400)


# ---- fork, rewind, undo, redo, adopt

def moves(t, c):
    s = c.new(title="Trip", agent="test/outside", metadata={"a": 1})
    ids = [c.store(s, str(i), id=f"t{i}") for i in range(5)]
    f = c.post(f"/sessions/{s}/fork", {"before": "t3"}, expect=201).json
    t.same((f["session"]["title"], f["session"]["messages"], f["excluded"]["id"], f["point"]["index"]),
           ("Trip (fork 1)", 3, "t3", 3), "a fork before a message")
    t.same(f["session"]["metadata"], {"a": 1}, "it takes over what its source has")
    fork = f["session"]["id"]
    f = c.post(f"/sessions/{s}/fork", {"after": -2, "title": "T", "agent": "test/echo", "metadata": {},
                                       "id": "own", "files": "none"}, expect=201).json["session"]
    t.same((f["id"], f["title"], f["agent"], f["messages"], f["metadata"]), ("own", "T", "test/echo", 4, {}),
           "a fork after a place from the end, with all of its own")
    c.post(f"/sessions/{s}/fork", {"id": "own"}, expect=409, code="exists")
    f = c.post(f"/sessions/{s}/fork", {"before": "t", "part": True}, expect=409, code="ambiguous")
    f = c.post(f"/sessions/{s}/fork", {"before": "t4", "part": True, "dry_run": True}, expect=200).json
    t.same((f["session"]["id"], f["session"]["messages"]), (None, 4), "a dry run makes nothing")
    turn = c.get(f"/sessions/{s}/messages?tail=1").json["messages"][0]["turn"]
    f = c.post(f"/sessions/{s}/fork", {"before_turn": turn}, expect=201).json
    t.same(f["session"]["messages"], 4, "a fork before a turn")
    for body in ({"before": "t1", "after": "t1"}, {"before": 1.5}, {"before": ""}, {"files": "some"},
                 {"scope": "both"}, {"snap": 1}, {"before": True}):
        c.post(f"/sessions/{s}/fork", body, expect=400, code="invalid")
    c.post(f"/sessions/{s}/fork", {"before": "t9"}, expect=404, code="message_not_found")
    c.post(f"/sessions/{s}/fork", {"before": 99}, expect=400, code="point_invalid")
    c.post(f"/sessions/{s}/fork", {"before": "@x"}, expect=404, code="label_not_found")
    c.post(f"/sessions/{s}/fork", {"before_turn": "x"}, expect=404, code="turn_not_found")
    c.post(f"/sessions/{s}/fork", {"expect_head": "t1"}, expect=409, code="head_moved")
    c.post(f"/sessions/{s}/fork", {"expect_head": "t4"}, expect=201)
    c.post("/sessions/none/fork", {}, expect=404, code="session_not_found")
    # labels
    l = c.call("PUT", f"/sessions/{s}/labels/t1", {"label": "plan"}, expect=200).json
    t.same(l, {"label": "plan", "message": "t1", "index": 1, "inherited": False}, "a label")
    c.call("PUT", f"/sessions/{s}/labels/-1", {"label": "end"}, expect=200)
    c.call("PUT", f"/sessions/{s}/labels/t?part=1", {"label": "x"}, expect=409, code="ambiguous")
    c.call("PUT", f"/sessions/{s}/labels/t9", {"label": "x"}, expect=404, code="message_not_found")
    c.call("PUT", f"/sessions/{s}/labels/t1", {"label": ""}, expect=400)
    c.call("PUT", f"/sessions/{s}/labels/t1", {}, expect=400)
    c.call("PUT", "/sessions/none/labels/t1", {"label": "x"}, expect=404)
    t.same([x["label"] for x in c.get(f"/sessions/{s}/labels").json["labels"]], ["plan", "end"], "labels are listed")
    t.same(c.get(f"/sessions/{fork}/labels").json["labels"][0]["inherited"], True, "a fork has its source's")
    c.get("/sessions/none/labels", expect=404)
    t.same(c.post(f"/sessions/{s}/fork", {"after": "@plan"}, expect=201).json["session"]["messages"], 2,
           "a fork at a label")
    t.same(c.call("DELETE", f"/sessions/{s}/labels/@end", expect=200).json["label"], None, "a label is taken away")
    c.call("DELETE", f"/sessions/{s}/labels/t9", expect=404, code="message_not_found")
    c.call("DELETE", f"/sessions/{s}/labels/t?part=1", expect=409, code="ambiguous")
    # rewind, undo, redo
    r = c.post(f"/sessions/{s}/rewind", {"before": "t2", "dry_run": True}).json
    t.same((r["rewind"]["id"], r["rewind"]["dropped"], r["session"]["messages"]), (None, 3, 5),
           "a dry rewind changes nothing")
    r = c.post(f"/sessions/{s}/rewind", {"before": "t2", "scope": "conversation", "force": True}).json
    t.same((r["rewind"]["from"], r["rewind"]["to"], r["rewind"]["dropped"], r["rewind"]["kept"],
            r["excluded"]["id"]), ("t4", "t1", 3, 2, "t2"), "a rewind")
    c.post(f"/sessions/{s}/rewind", {"after": "t1"}, expect=400, code="point_is_head")
    c.post(f"/sessions/{s}/rewind", {}, expect=400, code="point_invalid", what="a rewind needs a point")
    c.post(f"/sessions/{s}/rewind", {"files": "point", "after": 0}, expect=400)
    c.post(f"/sessions/{s}/rewind", {"scope": "x", "after": 0}, expect=400)
    c.post(f"/sessions/{s}/rewind", {"after": "t9"}, expect=404)
    c.post(f"/sessions/{s}/rewind", {"after": 0, "expect_head": "t4"}, expect=409, code="head_moved")
    c.post("/sessions/none/rewind", {"after": 0}, expect=404)
    t.same(c.post(f"/sessions/{s}/undo").json["rewind"]["act"], "undo", "undo")
    t.same(c.texts(s), list("01234"), "… brings all back")
    t.same(c.post(f"/sessions/{s}/redo", {}).json["session"]["messages"], 2, "redo")
    c.post(f"/sessions/{s}/redo", expect=409, code="nothing_to_redo")
    c.post(f"/sessions/{s}/undo", {"expect_head": "t4"}, expect=409, code="head_moved")
    c.post(f"/sessions/{s}/undo", {"dry_run": True, "expect_head": "t1"})
    c.post(f"/sessions/{s}/undo", {"what": 1}, expect=400)
    c.post(f"/sessions/{s}/undo")
    c.post(f"/sessions/{s}/undo", expect=409, code="nothing_to_undo")
    c.post(f"/sessions/{s}/redo", {"x": 1}, expect=400)
    for verb in ("undo", "redo"):
        c.post(f"/sessions/none/{verb}", expect=404)
    # a rewind to what was rewound away
    c.post(f"/sessions/{s}/rewind", {"after": "t0"})
    c.store(s, "other", id="o1")
    r = c.post(f"/sessions/{s}/rewind", {"after": "t3"}).json
    t.same(c.texts(s), list("0123"), "a rewind to a message that was rewound away")
    # adopt
    c.store(fork, "won", id="w1")
    a = c.post(f"/sessions/{s}/adopt", {"from": fork, "dry_run": True}).json
    t.same((a["rewind"]["added"], a["session"]["messages"]), (1, 4), "a dry adopt")
    a = c.post(f"/sessions/{s}/adopt", {"from": fork, "scope": "both"}).json
    t.same(c.texts(s), ["0", "1", "2", "won"], "adopt takes over what the other has since")
    other = c.new()
    c.post(f"/sessions/{s}/adopt", {"from": other}, expect=400, code="not_family")
    c.post(f"/sessions/{s}/adopt", {"from": "none"}, expect=404)
    c.post("/sessions/none/adopt", {"from": s}, expect=404)
    c.post(f"/sessions/{s}/adopt", {}, expect=400)
    child = c.post(f"/sessions/{s}/fork", {}, expect=201).json["session"]["id"]
    c.post(f"/sessions/{s}/adopt", {"from": child}, expect=409, code="nothing_to_adopt")
    # an open tool call
    o = c.new(agent="test/outside")
    c.store(o, "q", id="q")
    c.post(f"/sessions/{o}/messages", {"parts": [{"type": "tool_call", "id": "c", "name": "n", "arguments": {}}],
                                       "role": "assistant", "id": "call"}, expect=201)
    c.post(f"/sessions/{o}/messages", {"parts": [{"type": "tool_result", "call": "c", "output": "x"}],
                                       "role": "tool", "id": "result"}, expect=201)
    c.post(f"/sessions/{o}/fork", {"after": "call"}, expect=409, code="tool_call_open")
    c.post(f"/sessions/{o}/rewind", {"after": "call"}, expect=409, code="tool_call_open")
    f = c.post(f"/sessions/{o}/fork", {"after": "call", "snap": True}, expect=201).json
    t.same((f["point"]["snapped"], f["session"]["messages"]), (True, 1), "snap goes to the good place before")


def family(t, c):
    root = c.new(title="Root", agent="test/outside")
    for i in range(4):
        c.store(root, f"r{i}", id=f"f{i}")
    a = c.post(f"/sessions/{root}/fork", {"after": "f1"}, expect=201).json["session"]["id"]
    c.store(a, "a0", id="a0")
    b = c.post(f"/sessions/{a}/fork", {}, expect=201).json["session"]["id"]
    c.store(b, "b0", id="b0")
    c.post(f"/sessions/{root}/rewind", {"after": "f2"})
    c.call("PUT", f"/sessions/{root}/labels/f0", {"label": "start"}, expect=200)
    tree = c.get(f"/sessions/{a}/tree").json
    t.same((tree["root"], [(s["id"], s["parent"], s["current"]) for s in tree["sessions"]]),
           (root, [(root, None, False), (a, root, True), (b, a, False)]), "the family")
    whole = c.get(f"/sessions/{a}/tree?messages=1&limit=1000").json
    nodes = [(n["type"], n["session"], n["message"]) for n in whole["nodes"]]
    for node in (("turn", root, "f0"), ("label", root, "f0"), ("turn", root, "f2"), ("head", root, "f2"),
                 ("rewound", root, "f3"), ("branch", a, "f1"), ("turn", a, "a0"), ("head", a, "a0"),
                 ("branch", b, "a0"), ("head", b, "b0")):
        t.check(node in nodes, f"the tree has the {node[0]} at {node[2]}", nodes)
    t.check(("turn", a, "f0") not in nodes, "… each message once")
    t.same(whole["sessions"][0]["labels"][0]["label"], "start", "its labels")
    t.same(whole["sessions"][0]["rewound"][0]["first"]["id"], "f3", "what was rewound away")
    paged, cursor = [], ""
    while True:
        page = c.get(f"/sessions/{a}/tree?messages=1&limit=2{cursor}").json
        paged += page["nodes"]
        if "next" not in page:
            break
        cursor = "&cursor=" + page["next"]
    t.same(paged, whole["nodes"], "the nodes in pages")
    for bad in ("limit=3", "cursor=x", "messages=1&cursor=x", "messages=2"):
        c.get(f"/sessions/{a}/tree?{bad}", expect=400)
    c.get("/sessions/none/tree", expect=404)
    t.same([s["id"] for s in c.get(f"/sessions/{b}/ancestors").json["sessions"]], [a, root], "ancestors")
    t.same([s["id"] for s in c.get(f"/sessions/{root}/children").json["sessions"]], [a], "children")
    for what in ("ancestors", "children"):
        c.get(f"/sessions/none/{what}", expect=404)
    d = c.get(f"/sessions/{root}/diff?with={b}").json
    t.same((d["common"], d["index"], [m["id"] for m in d["left"]], [m["id"] for m in d["right"]], d["files"]),
           ("f1", 2, ["f2"], ["a0", "b0"], []), "where two part, and what each has since")
    d = c.get(f"/sessions/{root}/diff?with={b}&at=f3&with_at=%232").json
    t.same(([m["id"] for m in d["left"]], [m["id"] for m in d["right"]]), (["f2", "f3"], ["a0"]), "… at other places")
    d = c.get(f"/sessions/{root}/diff?with={b}&limit=1").json
    t.same((len(d["right"]), d.get("right_more"), d.get("left_more")), (1, True, None), "… cut at a limit")
    empty = c.post(f"/sessions/{root}/fork", {"before": 0}, expect=201).json["session"]["id"]
    t.same(c.get(f"/sessions/{root}/diff?with={empty}").json["common"], None, "… with nothing in common")
    other = c.new()
    c.get(f"/sessions/{root}/diff?with={other}", expect=400, code="not_family")
    c.get(f"/sessions/{root}/diff", expect=400)
    c.get(f"/sessions/{root}/diff?with=none", expect=404)
    c.get(f"/sessions/none/diff?with={root}", expect=404)
    c.get(f"/sessions/{root}/diff?with={a}&at=zz", expect=404, code="message_not_found")
    c.call("DELETE", f"/sessions/{a}", expect=204)
    chain = c.get(f"/sessions/{b}/ancestors").json["sessions"]
    t.same(chain[-1]["id"], root, "a deleted parent does not end the chain")
    t.same(c.get(f"/sessions/{b}").json["parent"]["deleted"], True, "… and is known to be deleted")


# ---- turns

def turns(t, c):
    s = c.new(agent="test/echo")
    r = c.post(f"/sessions/{s}/messages", {"text": "hello"}).json
    t.same((r["turn"]["state"], [(m["role"], m["parts"][0]["text"]) for m in r["messages"]]),
           ("done", [("user", "hello"), ("assistant", "hello")]), "a message is answered")
    t.same(c.get(f"/sessions/{s}").json["turn"], {"id": r["turn"]["id"], "state": "done"}, "the session has the turn")
    f = c.new(agent="test/fail")
    r = c.post(f"/sessions/{f}/messages", {"text": "x"}).json
    t.same((r["turn"]["state"], "the model is out" in r["turn"]["reason"]), ("failed", True), "a turn that fails says why")
    k = c.new(agent="test/tools")
    r = c.post(f"/sessions/{k}/messages", {"text": "list"}).json
    t.same([m["role"] for m in r["messages"]], ["user", "assistant", "tool", "assistant"], "a turn with a tool")
    c.post("/agents", {"id": "no/body", "kind": "external"}, expect=201)
    n = c.new(agent="no/body")
    c.call("DELETE", "/agents/no/body", expect=204)
    c.post(f"/sessions/{n}/messages", {"text": "x"}, expect=404, code="agent_not_found")
    c.post(f"/sessions/{n}/fork", {"id": "heir"}, expect=201, what="a fork keeps an agent that is gone")
    c.post(f"/sessions/{n}/fork", {"agent": "no/body"}, expect=404, code="agent_not_found", what="… but does not take one")
    # one that waits
    w = c.new(agent="test/wait")
    got = {}
    thread = threading.Thread(target=lambda: got.update(reply=c.post(f"/sessions/{w}/messages", {"text": "go"})))
    thread.start()
    while not (c.get(f"/sessions/{w}").json["turn"] or {}).get("state") == "running":
        time.sleep(0.02)
    c.post(f"/sessions/{w}/messages", {"text": "two"}, expect=409, code="turn_running")
    c.post(f"/sessions/{w}/messages", {"text": "two", "run": False}, expect=409, code="turn_running")
    c.post(f"/sessions/{w}/rewind", {"before": 0}, expect=409, code="turn_running")
    c.post(f"/sessions/{w}/undo", expect=409)
    c.post(f"/sessions/{w}/redo", expect=409)
    c.post(f"/sessions/{w}/cancel", {"x": 1}, expect=400)
    t.same(c.post(f"/sessions/{w}/cancel").json["turn"]["state"], "cancelled", "cancel")
    thread.join()
    t.same(got["reply"].json["turn"]["state"], "cancelled", "who waits for a cancelled turn is told")
    t.check(any(m.get("interrupted") for m in got["reply"].json["messages"]), "… and what was said is kept and marked",
            got["reply"].body)
    c.post(f"/sessions/{w}/cancel", expect=409, code="no_turn_running")
    c.post("/sessions/none/cancel", expect=404)
    # a send that waits for the one before
    q = c.new(agent="test/slow")
    replies = {}
    def send(name):
        replies[name] = c.post(f"/sessions/{q}/messages", {"text": name, "busy": "wait"}).json
    threads = [threading.Thread(target=send, args=(str(i),)) for i in range(3)]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    t.same(c.texts(q), ["0", "0", "1", "1", "2", "2"], "sends that wait are answered one by one")
    # deleted while it runs
    d = c.new(agent="test/wait")
    thread = threading.Thread(target=lambda: got.update(gone=c.call("POST", f"/sessions/{d}/messages", {"text": "go"})))
    thread.start()
    while not (c.get(f"/sessions/{d}").json["turn"] or {}).get("state") == "running":
        time.sleep(0.02)
    c.call("DELETE", f"/sessions/{d}", expect=204, what="a session can be deleted while a turn runs")
    thread.join(10)
    t.check(not thread.is_alive() and got["gone"].status in (200, 404), "… and who waits is answered")


def cannot_begin(t, c, document):
    """A send that waits for its turn, as a stream, and then cannot have it."""
    def ends(stream, code, what):
        events = stream.until("done")
        t.same([e[1] for e in events], ["error", "done"], f"{what}: the stream has an error and ends")
        t.same((events[0][0], events[0][2]["code"]), (None, code), f"{what}: it says why")
        wrong = document.of_schema(events[0][2], "Problem")
        t.check(not wrong, f"{what}: as a problem", *wrong, events[0])
        t.same((events[1][2]["turn"]["state"], events[1][2]["turn"]["reason"]), ("failed", events[0][2]["detail"]),
               f"{what}: done says it, too")
        t.check(stream.event() is None, f"{what}: nothing comes behind it")
    # the head moves meanwhile
    s = c.new(agent="test/slow")
    first = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "a"})
    first.until("message.delta")
    head = c.get(f"/sessions/{s}").json["head"]
    second = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "b", "busy": "wait", "expect_head": head})
    t.same(second.status, 200, "a send that waits is a stream at once")
    ends(second, "head_moved", "the head moved")
    t.same(first.until("done")[-1][2]["turn"]["state"], "done", "… and the one before it goes to its end")
    t.same(c.texts(s), ["a", "a"], "… and what it said is not there")
    # an agent that goes meanwhile stays for those who wait
    c.post("/agents", {"id": "my/slow", "kind": "scripted", "script": json.dumps(SCRIPTS["slow"])}, expect=201)
    s = c.new(agent="my/slow")
    first = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "a"})
    first.until("message.delta")
    second = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "b", "busy": "wait"})
    c.call("DELETE", "/agents/my/slow", expect=204)
    t.same([x.until("done")[-1][2]["turn"]["state"] for x in (first, second)], ["done", "done"],
           "who waits keeps the agent that there was")
    # without a stream it is a problem
    s, got = c.new(agent="test/slow"), {}
    first = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "a"})
    first.until("message.delta")
    head = c.get(f"/sessions/{s}").json["head"]
    c.post(f"/sessions/{s}/messages", {"text": "b", "busy": "wait", "expect_head": head}, expect=409, code="head_moved",
           what="without a stream it is refused")
    # the session goes meanwhile
    s = c.new(agent="test/wait")
    first = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "a"})
    first.until("message.delta")
    second = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "b", "busy": "wait"})
    c.call("DELETE", f"/sessions/{s}", expect=204)
    t.same(second.until("done")[-1][2]["turn"]["state"], "cancelled", "the session is deleted: the send is cancelled")


def streamed(t, c, document):
    s = c.new(agent="test/talk")
    stream = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "hi"})
    t.same((stream.status, stream.headers["content-type"]), (200, "text/event-stream"), "a turn as a stream")
    events = stream.until("done")
    t.check(stream.event() is None, "… that ends behind done")
    kinds = [e[1] for e in events]
    t.same([k for k in kinds if k != "message.delta"], ["turn.started", "message.added", "message.added", "turn.ended", "done"]
           if kinds[0] == "turn.started" else ["message.added", "turn.started", "message.added", "turn.ended", "done"],
           "… with all that belongs to it")
    deltas = [e for e in events if e[1] == "message.delta"]
    t.same("".join(e[2]["text"] for e in deltas), "Hello", "… and the running text")
    offset = 0
    for delta in deltas:
        t.same(delta[2]["offset"], offset, "… which says where it stands")
        offset += len(delta[2]["text"])
    t.check(all(e[0] is None for e in deltas) and events[-1][0] is None, "… without numbers")
    for event in events:
        wrong = document.of_schema(event[2], "Piece") if event[1] == "message.delta" else \
            [] if event[1] == "done" else document.of_schema(event[2], "Event")
        t.check(not wrong, f"{event[1]} is as the document says", *wrong, event)
    t.same(events[-1][2]["turn"]["state"], "done", "done says how it ended")
    # framing, byte for byte
    for block in stream.raw.decode().split("\n\n")[:-1]:
        if not re.fullmatch(r"(id: \d+\n)?event: [a-z.]+\ndata: \{.*\}", block) or "\r" in block:
            t.check(False, "the framing is exact", repr(block))
    t.check(stream.raw.endswith(b"\n\n"), "the last event is complete")
    # a failed one, a cancelled one, a queued one that is cancelled
    f = c.new(agent="test/fail")
    t.same(Stream(c, f"/sessions/{f}/messages", "POST", {"text": "x"}).until("done")[-1][2]["turn"]["state"], "failed",
           "a stream says that the turn failed")
    w = c.new(agent="test/wait")
    first = Stream(c, f"/sessions/{w}/messages", "POST", {"text": "a"})
    first.until("message.delta")
    late = Stream(c, f"/sessions/{w}/events")
    t.same(late.until("message.delta")[-1][2]["text"], "thinking", "who comes late is told what was said so far")
    late.close()
    second = Stream(c, f"/sessions/{w}/messages", "POST", {"text": "b", "busy": "wait"})
    c.post(f"/sessions/{w}/cancel")
    t.same(first.until("done")[-1][2]["turn"]["state"], "cancelled", "a stream says that the turn was cancelled")
    t.same(second.until("done")[-1][2]["turn"]["state"], "cancelled", "… also one that had not begun")
    cannot_begin(t, c, document)
    # faults come as problems, not as streams
    stream = Stream(c, "/sessions/none/messages", "POST", {"text": "x"})
    t.same((stream.status, stream.headers["content-type"]), (404, "application/problem+json"), "a fault before the stream is a problem")
    # a client that goes away does not end the turn
    g = c.new(agent="test/slow")
    stream = Stream(c, f"/sessions/{g}/messages", "POST", {"text": "bye"})
    stream.until("message.delta")
    stream.close()
    for _ in range(100):
        if c.get(f"/sessions/{g}").json["turn"]["state"] == "done":
            break
        time.sleep(0.05)
    t.same(c.texts(g), ["bye", "bye"], "a client that goes away does not end the turn")


# ---- idempotency

def once(t, c):
    def twice(method, path, body, what, status):
        key = {"Idempotency-Key": f"key {what}"}
        one = c.call(method, path, body, headers=key, expect=status)
        two = c.call(method, path, body, headers=key, expect=status)
        t.check(one.body == two.body, f"{what}: the same bytes again", one.body, two.body)
        t.same((one.headers.get("idempotent-replay"), two.headers.get("idempotent-replay")), (None, "true"),
               f"{what}: … and it says so")
        return one.json
    s = twice("POST", "/sessions", {"title": "once", "agent": "test/outside"}, "create", 201)["id"]
    t.same(sum(x["title"] == "once" for x in c.get("/sessions?limit=1000").json["sessions"]), 1, "made once")
    c.post("/sessions", {"title": "two"}, headers={"Idempotency-Key": "key create"}, expect=409,
           code="idempotency_key_reused", what="the same key with another body")
    c.post(f"/sessions/{s}/fork", {"title": "once"}, headers={"Idempotency-Key": "key create"}, expect=409,
           code="idempotency_key_reused", what="the same key on another path")
    twice("POST", f"/sessions/{s}/messages", {"text": "a", "run": False}, "append", 201)
    t.same(c.texts(s), ["a"], "appended once")
    twice("POST", f"/sessions/{s}/fork", {}, "fork", 201)
    t.same(len(c.get(f"/sessions/{s}/children").json["sessions"]), 1, "forked once")
    c.store(s, "b")
    twice("POST", f"/sessions/{s}/rewind", {"after": 0}, "rewind", 200)
    twice("POST", f"/sessions/{s}/undo", {}, "undo", 200)
    twice("POST", f"/sessions/{s}/redo", {}, "redo", 200)
    fork = c.get(f"/sessions/{s}/children").json["sessions"][0]["id"]
    c.store(fork, "c")
    twice("POST", f"/sessions/{s}/adopt", {"from": fork}, "adopt", 200)
    a = {"id": "once/bot", "kind": "scripted", "script": "[[]]"}
    twice("POST", "/agents", a, "agent", 201)
    c.post("/agents", a, expect=409, code="exists", what="… without the key it is there already")
    c.post("/agents", {**a, "description": "x"}, headers={"Idempotency-Key": "key agent"}, expect=409,
           code="idempotency_key_reused")
    made = c.post("/sessions", {"agent": "once/bot"}, headers={"Idempotency-Key": "of the bot"}, expect=201).json
    c.call("DELETE", "/agents/once/bot", expect=204)
    t.same(c.post("/sessions", {"agent": "once/bot"}, headers={"Idempotency-Key": "of the bot"}, expect=201).json, made,
           "a session is answered again also when its agent is gone")
    c.post("/agents", a, headers={"Idempotency-Key": "key agent"}, expect=201)
    c.get("/agents/once/bot", expect=404, what="an answer that is given again does nothing")
    w = c.new(agent="test/wait")
    stop = {"Idempotency-Key": "stop"}
    c.post(f"/sessions/{w}/cancel", headers=stop, expect=409, code="no_turn_running")
    turn = Stream(c, f"/sessions/{w}/messages", "POST", {"text": "a"})
    turn.until("message.delta")
    twice("POST", f"/sessions/{w}/cancel", {}, "cancel", 200)
    t.same(turn.until("done")[-1][2]["turn"]["state"], "cancelled", "… and stopped the turn")
    turn = Stream(c, f"/sessions/{w}/messages", "POST", {"text": "b"})
    turn.until("message.delta")
    t.same(c.post(f"/sessions/{w}/cancel", {}, headers={"Idempotency-Key": "key cancel"}).headers.get("idempotent-replay"),
           "true", "a key stops one turn")
    t.same(c.get(f"/sessions/{w}").json["turn"]["state"], "running", "… and not the next one")
    c.post(f"/sessions/{w}/cancel", headers=stop, what="a failed cancel is not kept")
    turn.until("done")
    for verb in ("undo", "redo", "adopt", "rewind", "messages", "cancel"):
        c.post(f"/sessions/{s}/{verb}", {"from": fork} if verb == "adopt" else {"after": 0} if verb == "rewind" else
               {"text": "q", "run": False} if verb == "messages" else {}, headers={"Idempotency-Key": "key create"}, expect=409,
               code="idempotency_key_reused")
    # failures are not kept
    key = {"Idempotency-Key": "later"}
    c.post(f"/sessions/{s}/fork", {"id": "later"}, headers={"Idempotency-Key": "l0"}, expect=201)
    c.post(f"/sessions/{s}/fork", {"id": "later"}, headers=key, expect=409, code="exists")
    c.call("DELETE", "/sessions/later", expect=204)
    c.post(f"/sessions/{s}/fork", {"id": "later"}, headers=key, expect=201, what="a failure is not kept")
    for bad in ("", "x" * 256, "a\tb"):
        c.post("/sessions", {}, headers={"Idempotency-Key": bad}, expect=400)
    # many at once
    ids, key = [], {"Idempotency-Key": "together"}
    threads = [threading.Thread(target=lambda: ids.append(c.post("/sessions", {"title": "t"}, headers=key, expect=201).json["id"]))
               for _ in range(8)]
    [x.start() for x in threads]
    [x.join() for x in threads]
    t.same(len(set(ids)), 1, "eight at once: one session")
    # turns
    e = c.new(agent="test/echo")
    key = {"Idempotency-Key": "turn"}
    one = c.post(f"/sessions/{e}/messages", {"text": "x"}, headers=key)
    two = c.post(f"/sessions/{e}/messages", {"text": "x"}, headers=key)
    t.same(two.json, one.json, "a turn that is over is answered with its messages")
    t.same(two.headers.get("idempotent-replay"), "true", "… and says so")
    t.same(c.texts(e), ["x", "x"], "… and was not run again")
    c.post(f"/sessions/{e}/messages", {"text": "y"}, headers=key, expect=409, code="idempotency_key_reused")
    over = Stream(c, f"/sessions/{e}/messages", "POST", {"text": "x"}, key)
    events = over.until("done")
    t.same([m[2]["message"]["role"] for m in events if m[1] == "message.added"], ["user", "assistant"],
           "as a stream, too")
    t.same((events[-1][1], events[-1][2]["turn"]["state"], over.headers.get("idempotent-replay")), ("done", "done", "true"),
           "… to its end")
    w = c.new(agent="test/slow")
    key = {"Idempotency-Key": "slow turn"}
    got = {}
    thread = threading.Thread(target=lambda: got.update(a=c.post(f"/sessions/{w}/messages", {"text": "z"}, headers=key)))
    thread.start()
    while not (c.get(f"/sessions/{w}").json["turn"] or {}).get("state") == "running":
        time.sleep(0.02)
    joined = Stream(c, f"/sessions/{w}/messages", "POST", {"text": "z"}, key)
    b = c.post(f"/sessions/{w}/messages", {"text": "z"}, headers=key)
    thread.join()
    t.same(b.json, got["a"].json, "a turn that runs is joined: both wait for it")
    events = joined.until("done")
    t.same((events[-1][1], [e[2]["message"]["role"] for e in events if e[1] == "message.added"]),
           ("done", ["user", "assistant"]), "… and streamed from its beginning")
    t.same(c.texts(w), ["z", "z"], "… and it ran once")


# ---- events

def events(t, c, document):
    stream = Stream(c, "/events")
    t.same((stream.status, stream.headers["content-type"]), (200, "text/event-stream"), "events are a stream")
    s = c.new(title="E", agent="test/outside")
    c.store(s, "m", id="m")
    c.store(s, "n", id="n")
    c.call("PATCH", f"/sessions/{s}", {"title": "F"}, expect=200)
    c.call("PATCH", f"/sessions/{s}", {"archived": True, "metadata": {"a": 1}}, expect=200)
    c.call("PUT", f"/sessions/{s}/labels/m", {"label": "l"}, expect=200)
    f = c.post(f"/sessions/{s}/fork", {}, expect=201).json["session"]["id"]
    c.store(f, "w")
    c.post(f"/sessions/{s}/rewind", {"after": "m"})
    c.post(f"/sessions/{s}/undo")
    c.post(f"/sessions/{s}/redo")
    c.post(f"/sessions/{s}/adopt", {"from": f})
    c.store(s, "x" * 70_000, id="large")
    got = []
    while not got or got[-1][2].get("message", {}).get("id") != "large":
        got.append(stream.event())
    # resuming
    numbers = [e[0] for e in got]
    t.same(numbers, sorted(set(numbers)), "numbers only grow")
    again = Stream(c, "/events", headers={"Last-Event-ID": str(numbers[3])})
    t.same([again.event() for _ in got[4:]], got[4:], "Last-Event-ID resumes without loss or repetition")
    again.close()
    again = Stream(c, f"/events?since={numbers[3]}&types=session.&session={s}")
    want = [e for e in got[4:] if e[1].startswith("session.") and e[2]["session"] == s]
    t.same([again.event() for _ in want], want, "since, types and session")
    again.close()
    one = Stream(c, f"/sessions/{s}/events?since={numbers[0]}&types=message.added,session.updated")
    want = [e for e in got[1:] if e[1] in ("message.added", "session.updated") and e[2]["session"] == s]
    t.same([one.event() for _ in want], want, "events of one session")
    one.close()
    # all kinds
    c.call("DELETE", f"/sessions/{f}", expect=204)
    got += stream.until("session.deleted")
    stream.close()
    # while a stream is still being closed, the newest events are told from memory
    for _ in range(50):
        again = Stream(c, f"/events?since={numbers[3]}")
        late = again.until("session.deleted")
        again.close()
        if len([e for e in late if e[2]["session"] == f]) == 1:
            break
        time.sleep(0.1)
    t.same([e[1] for e in late if e[2]["session"] == f], ["session.deleted"],
           "what a deleted session did is gone with it")
    kinds = {e[1] for e in got}
    t.same(kinds, {"session.created", "message.added", "session.updated", "session.forked", "session.rewound",
                   "session.undone", "session.redone", "session.adopted", "session.deleted"}, "every kind of event")
    for kind in sorted(kinds):
        for event in got:
            if event[1] == kind:
                wrong = document.of_schema(event[2], "Event")
                t.check(not wrong, f"{kind} is as the document says", *wrong, event)
                break
    by = {e[1]: e[2] for e in got}
    t.same(by["session.created"]["title"], "E", "created has the title")
    t.same((by["session.forked"]["session"], by["session.forked"]["from"]["session"]), (f, s), "forked has the source")
    t.same(by["session.rewound"]["move"]["to"]["message"], "m", "rewound says to where")
    t.same(by["session.deleted"]["session"], f, "deleted says what")
    t.same({e[2].get("change") for e in got if e[1] == "session.updated"}, {"renamed", "archived", "updated", "labelled"},
           "updated says what has changed")
    large = [e[2]["message"] for e in got if e[1] == "message.added" and e[2]["message"]["id"] == "large"]
    t.same(set(large[0]) if large else None, {"id", "role", "turn", "large"}, "a large message is only named")
    for bad in ("types=nothing", "types=message", "since=-1", "since=x", "types=session.,,"):
        c.get(f"/events?{bad}", expect=400, code="invalid", what=f"refused: {bad}")
    c.get("/events?session=none", expect=404)
    c.get("/events", headers={"Last-Event-ID": "abc"}, expect=400)
    c.get("/sessions/none/events", expect=404, code="session_not_found")
    c.get(f"/sessions/{s}/events?types=x", expect=400)
    ahead = Stream(c, "/events?since=999999999")
    number, kind, data = ahead.event()
    t.same((kind, set(data)), ("reset", {"reason"}), "a number that is not known: reset")
    c.store(s, "behind the reset", id="behind")
    after = ahead.event()
    t.check(after[0] > number and after[2]["message"]["id"] == "behind", "… and it goes on from there", after)
    ahead.close()
    # a listener that comes and goes while another client writes
    s = c.new(agent="test/outside")
    start = c.get(f"/sessions/{s}/journal").json["entries"][-1]["event"]
    writer = threading.Thread(target=lambda: [c.store(s, f"{i}") for i in range(150)])
    writer.start()
    seen, last, rounds = [], start, 0
    while len(seen) < 150:
        stream = Stream(c, f"/sessions/{s}/events", headers={"Last-Event-ID": str(last)})
        for _ in range(1 + rounds * 7 % 23):
            if len(seen) == 150:
                break
            number, kind, data = stream.event()
            seen.append(data["message"]["parts"][0]["text"])
            last = number
        stream.close()
        rounds += 1
    writer.join()
    t.same(seen, [str(i) for i in range(150)], f"{rounds} listeners in a row: each event once, in order")


# ---- agents, service

def agents(t, c):
    names = {a["id"]: a for a in c.get("/agents").json["agents"]}
    t.check("test/echo" in names and names["test/echo"]["fixed"] and names["test/echo"]["default"], "the configured ones are there")
    a = c.post("/agents", {"id": "my/bot", "kind": "scripted", "description": "d", "model": "m",
                           "script": "[[{\"say\":{\"text\":\"I am\"}}]]"}, expect=201).json
    t.same((a["id"], a["namespace"], a["name"], a["kind"], a["description"], a["fixed"]),
           ("my/bot", "my", "bot", "scripted", "d", False), "an agent is defined")
    c.post("/agents", {"id": "my/bot", "kind": "scripted", "script": "[[]]"}, expect=409, code="exists")
    c.post("/agents", {"id": "test/echo", "kind": "external"}, expect=409, code="exists")
    for body in ({"kind": "scripted"}, {"id": "x", "kind": "external"}, {"id": "a/b", "kind": "nothing"}, {"id": "a/b"},
                 {"id": "a/b", "kind": "external", "nope": 1}, "[]"):
        c.post("/agents", body, expect=400)
    got = c.get("/agents/my/bot").json
    t.same(got["script"], "[[{\"say\":{\"text\":\"I am\"}}]]", "an administrator sees all of it")
    p = c.call("PUT", "/agents/my/bot", {**got, "description": "e"}, expect=200).json
    t.same({**got, "description": "e"}, p, "what was got can be put")
    c.call("PUT", "/agents/my/bot", {**got, "id": "other/bot"}, expect=400)
    c.call("PUT", "/agents/test/echo", {"kind": "external"}, expect=409, code="agent_fixed")
    s = c.new(agent="my/bot")
    t.same(c.post(f"/sessions/{s}/messages", {"text": "who?"}).json["messages"][1]["parts"][0]["text"], "I am", "it answers")
    c.call("DELETE", "/agents/my/bot", expect=204)
    c.call("DELETE", "/agents/my/bot", expect=404, code="agent_not_found")
    c.call("DELETE", "/agents/test/echo", expect=409, code="agent_fixed")
    c.get("/agents/my/bot", expect=404, code="agent_not_found")
    t.same(c.get("/me").json, {"name": "local", "right": "admin", "open": True, "sees_all": True}, "who am I")


def service(t, c, server):
    t.same(c.get("//healthz").body, b'{"status":"ok"}', "healthz")
    c.get("//readyz")
    server.signal(signal.SIGUSR1)
    time.sleep(0.2)
    reply = c.get("//readyz", expect=503, code="stopping", what="not ready while stopping")
    t.check("retry-after" in reply.headers, "… with Retry-After")
    server.signal(signal.SIGUSR1)
    text = c.get("//metrics").body.decode()
    for name in ("tine_forks_total", "tine_rewinds_total", "tine_appends_total", 'tine_turns_total{state="done"}',
                 "tine_listeners", "tine_store_commits_total", "tine_snapshots_total", "tine_snapshot_seconds_total",
                 "tine_paths_restored_total", "tine_merges_total"):
        line = [l for l in text.splitlines() if l.startswith(name + " ")]
        t.check(len(line) == 1 and float(line[0].split()[-1]) >= 0, f"metrics have {name}", text[:500])
    t.check(all(l.startswith("#") or re.fullmatch(r"[a-z_]+(\{[^}]*\})? [-0-9.e+Inf]+", l) for l in text.splitlines()),
            "… in the form of Prometheus", [l for l in text.splitlines() if not l.startswith("#")][:5])
    page = c.get("//docs")
    t.check("script" not in page.headers["content-security-policy"] and b"<script" not in page.body
            and b"http://" not in page.body and b"https://" not in page.body, "the page needs nothing from elsewhere")
    for _, template, _, operation in c.document.routes:
        if f'id="{operation["operationId"]}"'.encode() not in page.body:
            t.check(False, f"the page has {operation['operationId']}")
    c.get("//docs/style.css")
    c.get("/openapi.json")
    c.get("/nothing", expect=404, code="not_found")


def too_large(t, c, method, path, length):
    """Refused by what the head says, before a byte of the body is sent."""
    line = http.client.HTTPConnection("127.0.0.1", c.server.port, timeout=30)
    line.putrequest(method, path)
    line.putheader("Content-Length", str(length))
    line.endheaders()
    reply = line.getresponse()
    body = reply.read()
    wrong = c.document.look(method, path, reply.status, {k.lower(): v for k, v in reply.getheaders()}, body)
    t.check(not wrong and reply.status == 413, f"{method} {path}: too large", *wrong, body)
    line.close()


def everywhere(t, c, locked, guest):
    """Faults that all routes have: an unknown query, no token, a page elsewhere, too large a body."""
    for method, template, _, operation in c.document.routes:
        path = re.sub(r"\{[a-z]+\}", "x", template)
        name = operation["operationId"]
        path = "/" + path
        content = operation.get("requestBody", {"content": {}})["content"]
        body = {} if "application/json" in content else b"x" if content else None
        c.call(method, path + "?bogus=1", body, expect=400, code="invalid")
        c.call(method, path, body, headers={"Origin": "http://evil.example"}, expect=403, code="origin_refused")
        c.call(method, path, body, headers={"Host": "evil.example"}, expect=403)
        if "401" in operation["responses"]:
            locked.call(method, path, body, expect=401, code="unauthorized")
            locked.call(method, path, body, headers={"Authorization": "Bearer wrong"}, expect=401)
        if "403" in operation["responses"] and "forbidden" in \
                operation["responses"]["403"]["content"]["application/problem+json"]["examples"]:
            guest.call(method, path + ("?live=1" if name == "listFiles" else ""), body, expect=403, code="forbidden")
        if name == "putFile":
            too_large(t, c, method, path[1:], 64 * 1024 * 1024 + 1)
        elif body is not None:
            most = 33_700_000 if name == "sendMessages" else 4_300_000
            c.call(method, path, b" " * most, expect=413, code="too_large")
            c.call(method, path, body, headers={"Content-Type": "text/plain"}, expect=415, code="unsupported_media_type")


# ---- users

def users(t, ana, ben, wilma, guest):
    t.same(ben.get("/me").json, {"name": "ben", "right": "run", "open": False, "sees_all": False}, "who ben is")
    a = ana.new(title="secret walnut", id="same")
    b = ben.new(title="mine", id="same")
    mine = ben.new(title="walnut of ben")
    ana.store(a, "the walnut message", id="am")
    t.same([s["title"] for s in ben.get("/sessions").json["sessions"]], ["walnut of ben", "mine"], "a list has only one's own")
    t.same({h["title"] for h in ben.get("/search?q=walnut").json["hits"]}, {"walnut of ben"}, "a search finds only one's own")
    t.same(len(ben.get("/sessions?q=walnut").json["sessions"]), 1, "… in the list, too")
    other = ana.new(title="other")
    ana.store(other, "x", id="x")
    for method, path, body in (("GET", "", None), ("PATCH", "", {}), ("DELETE", "", None), ("GET", "/messages", None),
                               ("POST", "/messages", {"text": "x"}), ("POST", "/messages", {"text": "x", "run": False}),
                               ("POST", "/fork", {}), ("POST", "/rewind", {"after": 0}), ("POST", "/undo", {}),
                               ("POST", "/redo", {}), ("POST", "/adopt", {"from": mine}), ("POST", "/cancel", {}),
                               ("GET", "/tree", None), ("GET", "/ancestors", None), ("GET", "/children", None),
                               ("GET", f"/diff?with={mine}", None), ("GET", "/journal", None), ("GET", "/raw", None),
                               ("GET", "/labels", None), ("PUT", "/labels/x", {"label": "l"}), ("DELETE", "/labels/x", None),
                               ("GET", "/events", None)):
        ben.call(method, f"/sessions/{other}{path}", body, expect=404, code="session_not_found",
                 what=f"another user's session does not exist: {method} {path}")
    ben.call("GET", f"/sessions/{mine}/diff?with={other}", expect=404)
    ben.call("POST", f"/sessions/{mine}/adopt", {"from": other}, expect=404)
    ben.call("GET", f"/sessions?parent={other}", expect=404)
    ben.call("GET", f"/events?session={other}", expect=404)
    stream = Stream(ben, "/events?since=0")
    ana.store(other, "not for ben")
    ben.store(mine, "for ben", id="last")
    got = []
    while not got or got[-1][2].get("message", {}).get("id") != "last":
        got.append(stream.event())
    stream.close()
    t.same({e[2]["session"] for e in got}, {"same", mine}, "events are only one's own")
    t.check(not any("walnut message" in json.dumps(e[2]) for e in got), "… also where ids are the same")
    key = {"Idempotency-Key": "shared"}
    one = ana.post("/sessions", {"title": "k"}, headers=key, expect=201)
    two = ben.post("/sessions", {"title": "k"}, headers=key, expect=201)
    t.check(one.json["id"] != two.json["id"], "a key belongs to its user")
    cursor = ana.get(f"/sessions?limit=1").json["next"]
    ben.get(f"/sessions?cursor={cursor}", expect=400, what="a cursor of another user's list")
    w = wilma.new(agent="test/echo")
    wilma.store(w, "x")
    wilma.post(f"/sessions/{w}/messages", {"text": "x"}, expect=403, code="forbidden", what="who may only write lets nobody answer")
    guest.get("/sessions")
    t.check("script" not in ben.get("/agents/test/echo").json, "who is no administrator does not see how an agent is made")
    t.same(ben.post(f"/sessions/{mine}/messages", {"text": "hey"}).json["turn"]["state"], "done", "who may run is answered")


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "wilma", "guest")}
    server = Server(CONFIG)
    closed = Server(CONFIG + USERS, list(tokens.items()))
    try:
        document = Document(Client(server, tap).get("/openapi.json").body)
        c = Client(server, tap, document)
        people = {n: Client(closed, tap, document, token) for n, token in tokens.items()}
        sessions(tap, c)
        listing(tap, c)
        messages(tap, c)
        paging(tap, c)
        moves(tap, c)
        family(tap, c)
        turns(tap, c)
        streamed(tap, c, document)
        once(tap, c)
        events(tap, c, document)
        agents(tap, c)
        files(tap, c, server)
        everywhere(tap, c, Client(closed, tap, document), people["guest"])
        users(tap, **people)
        rights(tap, people["ana"], people["ben"], people["guest"])
        service(tap, c, server)
        for name, status in document.unseen():
            tap.check(False, f"{name} with {status} stands in the document and was never seen")
        tap.check(not document.unseen(), "every route was seen with every status that the document names")
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

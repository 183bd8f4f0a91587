"""Messages: stored, read at every place, and in pages while others write."""


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

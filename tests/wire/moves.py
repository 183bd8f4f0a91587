"""Fork, rewind, undo, redo, adopt and labels; and the family that forks make."""


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

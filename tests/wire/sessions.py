"""Sessions: made, changed, named, deleted, listed and found."""
from urllib.parse import quote


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

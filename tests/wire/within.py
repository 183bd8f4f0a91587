"""Words found within one session: places, both ways, pages, and what is refused."""


def places(c, session, query):
    return [h["index"] for h in c.get(f"/search?session={session}&{query}").json["hits"]]


def pages(t, c, session, query, way, place):
    """Follows `next` to the end."""
    seen = []
    while True:
        page = c.get(f"/search?session={session}&{query}&{way}={place}").json
        seen += [h["index"] for h in page["hits"]]
        if "next" not in page:
            return seen
        t.check(page["next"] > place if way == "after" else page["next"] < place, "next is further on", page)
        place = page["next"]


def within(t, c):
    s = c.new(title="walrus in the title", agent="test/outside")
    for i in range(10):
        c.store(s, f"the walrus {i}" if i % 3 == 0 else f"an otter {i}", id=f"wm{i}")
    c.store(c.new(agent="test/outside"), "a walrus elsewhere")
    page = c.get(f"/search?session={s}&q=walrus").json
    t.same([h["index"] for h in page["hits"]], [9, 6, 3, 0], "hits of one session, newest first")
    t.check("next" not in page, "all of them, so there is no next", page)
    hit = page["hits"][1]
    t.same((hit["session"], hit["title"], hit["message"], hit["role"], hit["snippet"], hit["matches"]),
           (s, "walrus in the title", "wm6", "user", "the walrus 6", [[4, 10]]), "a hit has all that others have")
    t.same(c.get(f"/sessions/{s}/messages?at={hit['message']}&tail=1").json["messages"][0]["index"], hit["index"],
           "a message by its id has the same place")
    t.check(all("index" not in h for h in c.get("/search?q=walrus").json["hits"]), "without a session there is no place")
    t.same(places(c, s, "q=walrus&before=9"), [6, 3, 0], "before a place")
    t.same(places(c, s, "q=walrus&before=0"), [], "before the first there is nothing")
    t.same(places(c, s, "q=walrus&before=1000000"), [9, 6, 3, 0], "before a place that is not there")
    t.same(places(c, s, "q=walrus&after=0"), [3, 6, 9], "after a place, oldest first")
    t.same(places(c, s, "q=walrus&after=-1"), [0, 3, 6, 9], "… from the beginning")
    t.same(places(c, s, "q=walrus&after=9"), [], "after the last there is nothing")
    t.same(places(c, s, "q=wal*&limit=1"), [9], "a star finds a start")
    t.same(places(c, s, "q=%22otter%207%22"), [7], "a phrase")
    t.same(places(c, s, "q=title"), [], "titles are not looked at")
    t.same(pages(t, c, s, "q=walrus&limit=1", "before", 10), [9, 6, 3, 0], "pages, newest first")
    t.same(pages(t, c, s, "q=walrus&limit=3", "after", -1), [0, 3, 6, 9], "pages, oldest first")
    # what the session has, and nothing else
    fork = c.post(f"/sessions/{s}/fork", {"after": "wm4"}, expect=201).json["session"]["id"]
    c.store(fork, "a walrus of its own")
    t.same(places(c, fork, "q=walrus"), [5, 3, 0], "a fork has what it inherited")
    t.same({h["session"] for h in c.get(f"/search?session={fork}&q=walrus").json["hits"]}, {fork}, "… under its own name")
    c.post(f"/sessions/{s}/rewind", {"before": "wm6"})
    t.same(places(c, s, "q=walrus"), [3, 0], "what was rewound away is left out")
    c.post(f"/sessions/{s}/undo", {})
    t.same(places(c, s, "q=walrus"), [9, 6, 3, 0], "and is back after an undo")
    c.post(f"/sessions/{s}/adopt", {"from": fork})
    t.same(places(c, s, "q=walrus"), [5, 3, 0], "what was taken over is found")
    # refusals
    c.get("/search?q=walrus&session=none", expect=404, code="session_not_found")
    for query, word in (("before=x", "before"), ("after=x", "after"), ("before=-1", "before"), ("after=-2", "after"),
                        ("before=1.5", "before"), ("before=", "before"), ("after=99999999999999999999", "after"),
                        ("before=1&after=1", "after"), ("limit=0", "limit"), ("limit=1001", "limit"),
                        ("before=1&before=2", "before"), ("cursor=x", "cursor")):
        reply = c.get(f"/search?q=walrus&session={s}&{query}", expect=400, code="invalid")
        t.check(word in reply.json["detail"], f"refused, and named: {query}", reply.body)
    for query, word in (("session=", "session"), ("before=1", "before"), ("after=1", "after"),
                        (f"session={s}&session={s}", "session")):
        reply = c.get(f"/search?q=walrus&{query}", expect=400, code="invalid")
        t.check(word in reply.json["detail"], f"refused, and named: {query}", reply.body)
    c.get(f"/search?session={s}", expect=400, code="invalid", what="words are needed")
    c.get(f"/search?session={s}&q=%22", expect=400, code="invalid")

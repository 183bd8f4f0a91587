"""Users: what each may do, and that nobody sees what is another's."""
import json

from wire import Stream


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
                               ("POST", "/redo", {}), ("POST", "/adopt", {"from": mine}), ("POST", "/cancel", {}), ("POST", "/answer", {"approve": True}),
                               ("GET", "/tree", None), ("GET", "/ancestors", None), ("GET", "/children", None),
                               ("GET", f"/diff?with={mine}", None), ("GET", "/journal", None), ("GET", "/raw", None),
                               ("GET", "/labels", None), ("PUT", "/labels/x", {"label": "l"}), ("DELETE", "/labels/x", None),
                               ("GET", "/events", None)):
        ben.call(method, f"/sessions/{other}{path}", body, expect=404, code="session_not_found",
                 what=f"another user's session does not exist: {method} {path}")
    ben.call("GET", f"/sessions/{mine}/diff?with={other}", expect=404)
    ben.call("POST", f"/sessions/{mine}/adopt", {"from": other}, expect=404)
    ben.call("GET", f"/sessions?parent={other}", expect=404)
    ben.call("GET", f"/search?q=x&session={other}", expect=404, code="session_not_found")
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

"""Agents: defined, changed, deleted; and those of the configuration."""


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

"""Idempotency keys: what is asked twice is done once, and answered alike."""
import threading
import time

from wire import Stream


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

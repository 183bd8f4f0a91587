"""Turns: answered, cancelled, waited for, and as streams."""
import json
import re
import threading
import time

from config import SCRIPTS
from wire import Stream


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


def asking(t, c, document):
    """A turn that waits for an answer, over each way in which it can be seen."""
    s = c.new(agent="test/asks")
    c.post(f"/sessions/{s}/answer", {"approve": True}, expect=409, code="no_turn_running")
    c.post("/sessions/none/answer", {"approve": True}, expect=404)
    stream = Stream(c, f"/sessions/{s}/messages", "POST", {"text": "go"})
    waiting = stream.until("turn.waiting")[-1]
    asks = {"id": "q1", "tool": None, "arguments": None, "question": "which colour?"}
    wrong = document.of_schema(waiting[2], "Waiting")
    t.check(not wrong, "turn.waiting is as the document says", *wrong, waiting)
    t.same((waiting[0], waiting[2]["turn"]["state"], waiting[2]["turn"]["asks"]), (None, "waiting", asks),
           "a stream says what its turn waits for")
    turn = waiting[2]["turn"]["id"]
    t.same(c.get(f"/sessions/{s}").json["turn"], {"id": turn, "state": "waiting", "asks": asks},
           "the session says what its turn waits for")
    late = Stream(c, f"/sessions/{s}/events?types=turn.waiting")
    t.same(late.until("turn.waiting")[-1][2]["turn"]["asks"], asks, "who comes late is told it")
    late.close()
    c.post(f"/sessions/{s}/messages", {"text": "two"}, expect=409, code="turn_running")
    c.post(f"/sessions/{s}/rewind", {"before": 0}, expect=409, code="turn_running")
    for body in ({}, {"approve": "yes"}, {"approve": True, "always": "ever"}, {"approve": False, "always": "tool"},
                 {"approve": True, "x": 1}, {"approve": True, "text": 1}):
        c.post(f"/sessions/{s}/answer", body, expect=400)
    c.post(f"/sessions/{s}/answer", {"approve": True, "id": "q7"}, expect=409, code="no_turn_running",
           what="an answer to something else")
    t.same(c.post(f"/sessions/{s}/answer", {"approve": True, "text": "blue", "id": "q1"}).json["id"], s, "an answer")
    t.same(stream.until("done")[-1][2]["turn"]["state"], "done", "the turn goes on and ends")
    t.same([m["role"] for m in c.get(f"/sessions/{s}/messages").json["messages"]],
           ["user", "assistant", "assistant", "tool", "assistant"], "what was answered was said")
    c.post(f"/sessions/{s}/answer", {"approve": True}, expect=409, code="no_turn_running")
    # without a stream the reply says so at once, and the turn goes on without it
    s = c.new(agent="test/asks")
    reply = c.post(f"/sessions/{s}/messages", {"text": "go"}, headers={"Idempotency-Key": "asks 1"})
    t.same((reply.json["turn"]["state"], reply.json["turn"]["asks"], len(reply.json["messages"])), ("waiting", asks, 1),
           "a reply that waits is given when the turn asks")
    again = c.post(f"/sessions/{s}/messages", {"text": "go"}, headers={"Idempotency-Key": "asks 1"})
    t.same(again.json["turn"], reply.json["turn"], "… also when it is sent again")
    t.same(c.post(f"/sessions/{s}/cancel").json["turn"]["state"], "cancelled", "a cancel ends the waiting")
    s = c.new(agent="test/asks")
    c.post(f"/sessions/{s}/messages", {"text": "go"})
    c.post(f"/sessions/{s}/answer", {"approve": False, "text": "I will not say"})
    for _ in range(100):
        if c.get(f"/sessions/{s}").json["turn"]["state"] == "done":
            break
        time.sleep(0.05)
    t.same(c.texts(s)[1], "no answer: I will not say", "a no")


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

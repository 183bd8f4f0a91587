"""Events: every kind, resumed without loss or repetition."""
import threading

from wire import Stream


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
    # what was written over several lines is one line in an event
    lines = Stream(c, f"/sessions/{s}/events")
    c.call("POST", f"/sessions/{s}/messages", b'{"run": false, "id": "lines", "role": "assistant", "parts": [{"type": "data",'
           b'\r\n "data": {\n "a": 1 }}]}', {"Content-Type": "application/json"}, expect=201)
    t.same(lines.event()[2]["message"]["parts"], [{"type": "data", "data": {"a": 1}}], "line ends inside a message")
    lines.close()
    # all kinds
    c.call("DELETE", f"/sessions/{f}", expect=204)
    got += stream.until("session.deleted")
    stream.close()
    again = Stream(c, f"/events?since={numbers[3]}")
    late = again.until("session.deleted")
    again.close()
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

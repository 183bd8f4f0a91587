"""The Esc-Esc server's fork: POST /session/{id}/fork."""
import concurrent.futures
import os
import sys
import time

from config import CONFIG, USERS
from wire import Client, Server, Tap

FAR = "9" * 40  # beyond every integer


def fork(client, session, body=None, **more):
    return client.call("POST", f"//session/{session}/fork", body, **more)


def told(tap, reply, status, detail, what):
    tap.same((reply.status, reply.headers["content-type"], reply.json),
             (status, "application/json", {"detail": detail}), what)


def points(tap, c):
    s = c.new(title="Lunch")
    ids = [c.store(s, text) for text in ("one", "two", "three", "four")]
    before = c.get(f"/sessions/{s}").body, c.get(f"/sessions/{s}/messages").body

    whole = fork(c, s, what="a fork without a body", expect=200).json
    tap.same(set(whole), {"id", "parentID", "directory", "title", "fork_point"}, "its members")
    tap.same((whole["parentID"], whole["title"], whole["fork_point"]), (s, "Fork of Lunch", ids[3]),
             "it has everything")
    tap.same(c.texts(whole["id"]), ["one", "two", "three", "four"], "… as the native API sees it")
    for body in ({}, {"messageID": None, "message_index": None, "title": None}, {"title": ""}, ""):
        again = fork(c, s, body, expect=200).json
        tap.same((again["title"], again["fork_point"]), ("Fork of Lunch", ids[3]), f"{body!r} likewise")

    by_id = fork(c, s, {"messageID": ids[1]}, expect=200).json
    tap.same((by_id["fork_point"], c.texts(by_id["id"])), (ids[1], ["one", "two"]),
             "a message that is named is kept")
    for index in range(4):
        made = fork(c, s, {"message_index": index, "title": f"t{index}"}, expect=200).json
        tap.same((made["fork_point"], made["title"], len(c.texts(made["id"]))),
                 (ids[index], f"t{index}", index + 1), f"place {index}, counted from 0")
    nested = fork(c, by_id["id"], {"message_index": 0}, expect=200).json
    tap.same((nested["title"], nested["parentID"], c.texts(nested["id"])),
             ("Fork of Fork of Lunch", by_id["id"], ["one"]), "a fork of a fork")
    parent = c.get(f"/sessions/{by_id['id']}").json["parent"]
    tap.same((parent["session"], parent["message"], parent["side"]), (s, ids[1], "after"),
             "the native API knows where it parted")
    after = c.get(f"/sessions/{s}/messages").body
    tap.same(after, before[1], "the parent's messages are the same, byte for byte")

    c.post(f"/sessions/{s}/rewind", {"after": ids[0]}, expect=200)
    gone = fork(c, s, {"messageID": ids[2]}, expect=200).json
    tap.same((gone["fork_point"], c.texts(gone["id"])), (ids[2], ["one", "two", "three"]),
             "a message that was rewound away can be forked after")
    told(tap, fork(c, s, {"message_index": 1}), 400, "Message index out of range",
         "its place is gone, though")
    c.post(f"/sessions/{gone['id']}/rewind", {"after": ids[1]}, expect=200)
    twice = fork(c, fork(c, gone["id"], expect=200).json["id"], {"message_index": 1}, expect=200).json
    tap.same((twice["fork_point"], c.texts(twice["id"])), (ids[1], ["one", "two"]),
             "a fork of a fork of a rewound session")


def titles(tap, c):
    s = c.new()
    tap.same(fork(c, s, expect=200).json["title"], "Fork", "a session without a title")
    tap.same(fork(c, s, expect=200).json["fork_point"], None, "… and without a message")
    s = c.new(title="é" * 512)
    title = fork(c, s, expect=200).json["title"]
    tap.same((title[:9], len(title.encode())), ("Fork of é", 1024), "a long title is cut between characters")
    told(tap, fork(c, s, {"title": "x" * 1025}), 413, "title has 1025 bytes; the limit is 1024",
         "a title that is too long is refused")
    s = c.new(title="busy")
    c.store(s, "one")
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: fork(c, s).json, range(20)))
    tap.same((len({m["id"] for m in made}), {m["title"] for m in made}), (20, {"Fork of busy"}),
             "20 forks at once")


def directories(tap, c, server):
    s = c.new(title="files")
    c.call("PUT", f"/sessions/{s}/files/a.txt", b"hello", {"Content-Type": "text/plain"}, expect=201)
    c.store(s, "one")
    made = fork(c, s, expect=200).json
    tap.check(made["directory"].startswith(os.path.realpath(server.home) + "/work/"),
              "its directory is its own", made)
    tap.check(not os.path.exists(made["directory"]), "it is not laid out by the fork", made)
    c.call("PUT", f"/sessions/{made['id']}/files/b.txt", b"x", {"Content-Type": "text/plain"}, expect=201)
    tap.same(sorted(os.listdir(made["directory"])), ["a.txt", "b.txt"], "it has the files of the point")
    other = fork(c, s, expect=200).json
    tap.check(other["directory"] != made["directory"], "each fork has another one", other, made)


def faults(tap, c):
    s = c.new(title="faults")
    for text in ("one", "two"):
        c.store(s, text)
    count = len(c.get("/sessions?limit=1000").json["sessions"])
    told(tap, fork(c, "nobody"), 404, "Session nobody not found", "a session that is not there")
    told(tap, fork(c, "nobody", {"message_index": 7}), 404, "Session nobody not found", "… with a body")
    told(tap, fork(c, s, {"messageID": "m9"}), 404, "Message m9 not found", "a message that is not there")
    for index in (2, 3, -1, -2, 2**62):
        told(tap, fork(c, s, {"message_index": index}), 400, "Message index out of range",
             f"place {index}")
    told(tap, fork(c, s, '{"message_index": %s}' % FAR), 400, "Message index out of range",
         "a place beyond all numbers")
    told(tap, fork(c, s, '{"message_index": -%s}' % FAR), 400, "Message index out of range",
         "… and below")
    for number in ("1.5", "1e0", "1.0"):
        told(tap, fork(c, s, '{"message_index": %s}' % number), 400,
             '"message_index" must be a whole number', f"place {number}")
    for body, part in (({"message_index": "1"}, "message_index"), ({"messageID": 1}, "messageID"),
                       ({"title": 3}, "title"), ({"title": ["x"]}, "title"), ({"message_index": True}, "message_index"),
                       ({"messageID": "a", "message_index": 0}, "only one of"),
                       ({"messageID": ""}, "messageID"),
                       ({"message": "a"}, '"message"'), ({"messageId": "a"}, '"messageId"'),
                       ([], "object"), ("null", "object"), ("{", "not valid JSON"),
                       (b'{"title": "\xff"}', "not valid UTF-8"), ('{"title":"a","title":"b"}', "twice")):
        reply = fork(c, s, body)
        tap.check(reply.status == 400 and list(reply.json) == ["detail"] and part in reply.json["detail"],
                  f"{body!r} is refused and named", reply.status, reply.body)
    told(tap, fork(c, s, "x" * 70000), 413, "the body has 70000 bytes, and at most 65536 are taken here",
         "a body that is too large")
    tap.same(len(c.get("/sessions?limit=1000").json["sessions"]), count, "nothing was made of any of these")


def running(tap, c):
    s = c.new(agent="test/wait", title="runs")
    c.store(s, "before")
    turn = concurrent.futures.ThreadPoolExecutor(1).submit(
        Client(c.server, tap).call, "POST", f"/sessions/{s}/messages", {"text": "go"})
    while not c.get(f"/sessions/{s}").json["turn"]:
        time.sleep(0.01)
    made = fork(c, s, expect=200).json
    tap.check(c.texts(made["id"])[0] == "before", "a session whose turn runs can be forked")
    c.post(f"/sessions/{s}/cancel", expect=200)
    turn.result()

    s = c.new(title="tools")
    c.store(s, "list")
    call = c.post(f"/sessions/{s}/messages",
                  {"role": "assistant", "run": False,
                   "parts": [{"type": "tool_call", "id": "c1", "name": "ls", "arguments": {}}]},
                  expect=201).json["messages"][0]["id"]
    reply = fork(c, s, {"messageID": call})
    tap.check(reply.status == 409 and list(reply.json) == ["detail"], "between a tool call and its result", reply.body)
    made = fork(c, s, expect=200).json
    tap.same(c.texts(made["id"]), ["list"], "the end is the newest good place")


def people(tap, ana, ben, guest, nobody):
    s = ana.new(title="hers")
    ana.store(s, "one")
    told(tap, fork(ben, s), 404, f"Session {s} not found", "a session of somebody else's is not there")
    tap.same(fork(ana, s, expect=200).json["parentID"], s, "her own is")
    reply = fork(nobody, s)
    tap.same((reply.status, list(reply.json), reply.headers["www-authenticate"]), (401, ["detail"], "Bearer"),
             "without a token")
    told(tap, fork(guest, s), 403, 'user "guest" may not do this', "who may only read")


def door(tap, c, server):
    class Door:
        port = server.doors["esc"]

    d = Client(Door, tap)
    s = c.new(title="door")
    c.store(s, "one")
    made = fork(d, s, {"message_index": 0}, expect=200).json
    tap.same(made["parentID"], s, "a port of its own")
    told(tap, d.call("GET", "//nothing"), 404, "Not Found", "there a path that is none")
    reply = d.call("GET", f"//session/{s}/fork")
    told(tap, reply, 405, "Method Not Allowed", "… and a method")
    tap.same(reply.headers["allow"], "POST, OPTIONS", "… with those that there are")
    told(tap, d.call("POST", f"//session/{s}/fork", "{}", {"Content-Type": "text/plain"}), 415,
         'the body must be application/json, not "text/plain"', "… and a type")
    told(tap, d.call("POST", "//api/sessions", {}), 404, "Not Found", "paths of other dialects are not there")
    tap.same(d.get(f"/sessions/{s}").json["title"], "door", "the native API is")
    tap.same(d.call("GET", "//healthz").json, {"status": "ok"}, "and /healthz")
    text = c.call("GET", "//metrics").body.decode()
    tap.check('tine_http_requests_total{dialect="esc",route="fork",method="POST",status="200"}' in text,
              "the metrics name dialect and route", [l for l in text.splitlines() if "esc" in l])


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "guest")}
    server = Server(CONFIG + "listen_as: {esc: '127.0.0.1:0'}\n")
    closed = Server(CONFIG + USERS, list(tokens.items()))
    try:
        c = Client(server, tap)
        points(tap, c)
        titles(tap, c)
        directories(tap, c, server)
        faults(tap, c)
        running(tap, c)
        people(tap, *(Client(closed, tap, None, token) for token in tokens.values()), Client(closed, tap))
        door(tap, c, server)
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

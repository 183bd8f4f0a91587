"""Which dialect answers at the root: every rule, seen from outside."""
import json
import sys

from config import CONFIG, USERS
from wire import Client, Server, Tap

PREFIXES = {"kagent": "/kagent", "docker-agent": "/docker-agent", "ash": "/ash"}


class Port:
    """A further port of a server."""

    def __init__(self, port):
        self.port = port


def answers(tap, c, name, method, path, body=None, headers=None, what=None):
    """The root answers as the dialect does below its prefix: by metrics, which name it."""
    def count():
        text = c.send("GET", "/metrics").body.decode()
        total = {}
        for line in text.splitlines():
            if line.startswith("tine_http_requests_total{"):
                dialect = line.split('dialect="')[1].split('"')[0]
                total[dialect] = total.get(dialect, 0) + int(line.split()[-1])
        return total

    before = count()
    reply = c.send(method, path, body, headers)
    after = count()
    moved = {d for d in after if after[d] != before.get(d, 0)} - {"service"}
    tap.same(moved, {name}, what or f"{method} {path} {json.dumps(body)} is {name}'s")
    return reply


def born(c, name):
    """A session whose home this dialect is."""
    if name == "kagent":
        return c.send("POST", "/kagent/api/sessions", {"agent_ref": "test/echo"}).json["data"]["id"]
    if name == "docker-agent":
        return c.send("POST", "/docker-agent/api/sessions", {}).json["id"]
    if name == "ash":
        return c.send("POST", "/ash/api/sessions", {"agent": "test/echo"}).json["session"]["id"]
    s = c.new(title=name or "native")
    c.store(s, "one")
    if name == "esc":
        s = c.send("POST", f"/session/{s}/fork", {}).json["id"]
    return s


def undecided(tap, reply, path, names, what):
    problem = reply.json
    tap.same((reply.status, reply.headers["content-type"], problem["status"], problem["code"],
              problem["title"], problem["addresses"]),
             (300, "application/problem+json", 300, "undecided", "Multiple Choices",
              [PREFIXES[name] + path for name in names]), what)


def words(tap, c):
    s = born(c, "")
    fork = f"/api/sessions/{s}/fork"
    answers(tap, c, "kagent", "POST", fork, {"rewind_before_invocation_id": "x"})
    answers(tap, c, "docker-agent", "POST", fork, {"message_index": 0})
    answers(tap, c, "docker-agent", "POST", fork, {"user_message_index": 0})
    for body in ({"messageId": "m1"}, {"sequence": 1}, {"workspace": "none"}):
        answers(tap, c, "ash", "POST", fork, body)
    for body, part in (({"message_index": 1, "messageId": "x"}, '"messageId"'), ({"before": 1}, '"before"'),
                       ("[]", "object"), ("{", "JSON")):
        reply = answers(tap, c, "root", "POST", fork, body)
        tap.check(reply.status == 400 and reply.headers["content-type"] == "application/problem+json"
                  and part in reply.json["detail"], f"{body} is refused and named", reply.body)
    answers(tap, c, "kagent", "POST", "/api/sessions", {"agent_ref": "test/echo"})
    answers(tap, c, "ash", "POST", "/api/sessions", {"agent": "test/echo"})
    answers(tap, c, "docker-agent", "POST", "/api/sessions", {})
    answers(tap, c, "docker-agent", "POST", "/api/sessions")


def homes(tap, c):
    for home, other, fork in (("kagent", "kagent", "kagent"), ("docker-agent", "docker-agent", "docker-agent"),
                              ("ash", "ash", "ash"), ("", "docker-agent", "ash"),
                              ("esc", "docker-agent", "ash")):
        s = born(c, home)
        answers(tap, c, other, "GET", f"/api/sessions/{s}", what=f"a session of {home or 'native'}: {other}")
        answers(tap, c, fork, "POST", f"/api/sessions/{s}/fork", what=f"… its fork without a body: {fork}")
        answers(tap, c, fork, "POST", f"/api/sessions/{s}/fork", {}, what=f"… and with an empty one: {fork}")
        if home in PREFIXES:
            refusals(tap, c, home, s)
        answers(tap, c, other, "DELETE", f"/api/sessions/{s}?smoke=1", what=f"… its end: {other}")


def refusals(tap, c, home, s):
    """A fork that cannot be is refused in the shape of the session's home."""
    fork = f"/api/sessions/{s}/fork"
    for body in ("{", "[]", "null", '{"sequence": 1}}'):
        there = answers(tap, c, home, "POST", fork, body, what=f"… its fork with {body}: {home}")
        here = c.send("POST", PREFIXES[home] + fork, body)
        tap.same((there.status, there.headers["content-type"], there.body),
                 (400, here.headers["content-type"], here.body), "… refused as below its prefix")
    shape = {"kagent": {"error"}, "docker-agent": {"message"}, "ash": {"error", "statusCode"}}[home]
    for body, part in (({"before": 1}, '"before"'), ({"message_index": 1, "messageId": "x"}, '"messageId"')):
        there = answers(tap, c, home, "POST", fork, body, what=f"… with words of none, or of two: {home}")
        tap.check(there.status == 400 and there.headers["content-type"].startswith("application/json")
                  and set(there.json) == shape and part in "".join(map(str, there.json.values())),
                  f"… refused in its shape: {body}", there.status, there.headers, there.body)


def only(tap, c):
    s = born(c, "")
    answers(tap, c, "kagent", "GET", f"/api/sessions/{s}/tasks")
    answers(tap, c, "kagent", "POST", "/api/sessions/fork", {"session_id": s})
    answers(tap, c, "docker-agent", "PATCH", f"/api/sessions/{s}/title", {"title": "x"})
    answers(tap, c, "ash", "POST", f"/api/sessions/{s}/pause")
    answers(tap, c, "ash", "GET", f"/api/sessions/{s}/history")
    answers(tap, c, "esc", "POST", f"/session/{s}/fork", {"message_index": 0})
    answers(tap, c, "native", "GET", "/api/v1/sessions")
    tap.same(c.send("GET", "/healthz").json, {"status": "ok"}, "/healthz is the service's")


def nobody_says(tap, c):
    three = ("kagent", "docker-agent", "ash")
    for path in ("/api/sessions", "/api/agents", "/health", "/api/sessions?limit=3&x=%41"):
        undecided(tap, c.send("GET", path), path, three, f"GET {path} could be anybody's")
    undecided(tap, c.send("GET", "/api/sessions/nobody"), "/api/sessions/nobody", three,
              "so could a session that is not there")
    undecided(tap, c.send("POST", "/api/sessions/nobody/fork"), "/api/sessions/nobody/fork", three,
              "and its fork")
    for headers in ({"X-User-Id": "ana"}, {"x-user-id": "ana@example.org"}):
        answers(tap, c, "kagent", "GET", "/api/sessions", headers=headers, what="a user in a header")
    answers(tap, c, "kagent", "GET", "/api/sessions?user_id=ana")
    answers(tap, c, "kagent", "GET", "/api/sessions/nobody?user_id=ana")
    answers(tap, c, "kagent", "GET", "/health?user_id=ana")
    undecided(tap, c.send("GET", "/api/sessions?user_id="), "/api/sessions?user_id=", three,
              "a user without a name is none")
    for name in PREFIXES:
        answers(tap, c, name, "GET", "/api/sessions", headers={"Tine-Dialect": name})
    answers(tap, c, "ash", "GET", "/api/sessions?user_id=ana", headers={"Tine-Dialect": "ash"})
    reply = c.send("GET", "/api/sessions", headers={"Tine-Dialect": "smoke"})
    tap.check(reply.status == 400 and '"smoke"' in reply.json["detail"], "a dialect that is none is named",
              reply.body)
    reply = c.send("GET", "/nothing")
    tap.same((reply.status, reply.json["code"]), (404, "not_found"), "a path of nobody's")
    reply = c.send("PUT", f"/session/x/fork", {})
    tap.same((reply.status, reply.json["code"], reply.headers["allow"]), (405, "method_not_allowed", "POST, OPTIONS"),
             "a method of nobody's")


def shapes(tap, c, ports):
    """Through a port everything at the root is that dialect's, errors too."""
    s = born(c, "ash")
    for name, prefix in PREFIXES.items():
        d = Client(Port(ports[name]), tap)
        for method, path, body in (("GET", "/nothing/here", None), ("GET", "/api/sessions/nobody", None),
                                   ("PUT", "/health", None), ("POST", "/api/sessions/nobody/fork", {"smoke": 1}),
                                   ("POST", "/session/x/fork", {}), ("POST", f"/api/sessions/{s}/fork", "{")):
            there, here = d.send(method, path, body), c.send(method, prefix + path, body)
            same = here.body.replace(prefix.encode(), b"")
            tap.same((there.status, there.headers.get("content-type"), there.headers.get("allow"), there.body),
                     (here.status, here.headers.get("content-type"), here.headers.get("allow"), same),
                     f"{name}: {method} {path} is the same at the root of its port")
        there = d.send("POST", "/api/sessions", "{}", {"Content-Type": "text/plain"})
        here = c.send("POST", prefix + "/api/sessions", "{}", {"Content-Type": "text/plain"})
        tap.same((there.status, there.body), (here.status, here.body), f"{name}: a body of another type")
        tap.same(d.send("GET", "/api/v1/me").json["open"], True, f"{name}: the native API is there")
        tap.same(d.send("GET", "/healthz").status, 200, f"{name}: /healthz, too")
        for where in ("/a2a", "/api/a2a", "/kagent/api/a2a"):
            card = d.send("GET", f"{where}/test/echo/.well-known/agent-card.json")
            tap.same((card.status, card.json.get("protocolVersion")), (200, "0.3.0"), f"{name}: A2A at {where}")
        reply = d.send("GET", "/api/sessions", headers={"Tine-Dialect": "docker-agent"})
        other = c.send("GET", prefix + "/api/sessions")
        tap.same(type(reply.json), type(other.json), f"{name}: the port wins over the header")


def rooted(tap, server):
    c = Client(server, tap)
    answers(tap, c, "ash", "GET", "/api/sessions", what="root: ash")
    answers(tap, c, "ash", "POST", "/api/sessions", {"agent_ref": "test/echo"}, what="… whatever the words")
    answers(tap, c, "ash", "GET", "/api/sessions", headers={"Tine-Dialect": "kagent"}, what="… and the header")
    reply, same = c.send("GET", "/nothing"), c.send("GET", "/ash/nothing")
    tap.same((reply.status, set(reply.json)), (same.status, set(same.json)), "… in its own words")
    answers(tap, c, "kagent", "GET", "/kagent/api/sessions", what="others are below their prefix")
    answers(tap, c, "native", "GET", "/api/v1/sessions", what="/api/v1 is native")


def closed_one(tap, server, tokens):
    ana, ben = (Client(server, tap, None, tokens[name]) for name in ("ana", "ben"))
    s = born(ana, "ash")
    answers(tap, ana, "ash", "GET", f"/api/sessions/{s}", what="her own session decides")
    undecided(tap, ben.send("GET", f"/api/sessions/{s}"), f"/api/sessions/{s}",
              ("kagent", "docker-agent", "ash"), "one of somebody else's does not")
    reply = Client(server, tap).send("GET", f"/api/sessions/{s}")
    tap.same((reply.status, reply.headers["content-type"]), (401, "application/problem+json"),
             "without a token nothing is decided")
    reply = Client(server, tap).send("GET", f"/api/sessions/{s}", headers={"Tine-Dialect": "ash"})
    same = Client(server, tap).send("GET", f"/ash/api/sessions/{s}")
    tap.same((reply.status, reply.body), (same.status, same.body), "… unless the dialect is named")
    tap.same(Client(server, tap).send("GET", "/ash/health").status, 200, "health needs no token")
    tap.same(Client(server, tap).send("GET", "/health", headers={"Tine-Dialect": "ash"}).status, 200,
             "… at the root neither")


def proxies(tap, server, tokens):
    """A token that may speak for others, and one that may not."""
    gate, ben = (Client(server, tap, None, tokens[name]) for name in ("gate", "ben"))
    made = gate.send("POST", "/api/sessions", {"agent_ref": "test/echo"}, {"X-User-Id": "zoe"})
    tap.same((made.status, made.json["data"]["user_id"]), (201, "zoe"), "a proxy speaks for others")
    s = made.json["data"]["id"]
    tap.same(gate.send("GET", f"/api/sessions/{s}?user_id=zoe").status, 200, "… who have their sessions")
    tap.check(gate.send("GET", f"/api/v1/sessions/{s}").status == 404, "it is not the proxy's own")
    reply = ben.send("GET", f"/api/sessions/{s}?user_id=zoe")
    tap.check(reply.status == 404 and b'"data"' not in reply.body, "nobody else can", reply.status, reply.body)


def namespaces(tap, c):
    reply = c.call("POST", "/agents", {"id": "v1/x", "kind": "external"}, expect=400)
    tap.check("v1" in reply.json["detail"] and "version" in reply.json["detail"], "no agent is in the namespace v1",
              reply.body)
    reply = c.call("PUT", "/agents/v1/x", {"kind": "external"}, expect=400)
    tap.same(reply.code, "invalid", "… however it is defined")


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "gate")}
    doors = "listen_as: {kagent: '127.0.0.1:0', docker-agent: '127.0.0.1:0', ash: '127.0.0.1:0'}\n"
    server = Server(CONFIG + doors)
    ashen = Server(CONFIG + "root: ash\n")
    closed = Server(CONFIG + USERS + "  - {name: gate, right: run, proxy: true}\n", list(tokens.items()))
    try:
        c = Client(server, tap)
        words(tap, c)
        homes(tap, c)
        only(tap, c)
        nobody_says(tap, c)
        shapes(tap, c, server.doors)
        rooted(tap, ashen)
        closed_one(tap, closed, tokens)
        proxies(tap, closed, tokens)
        namespaces(tap, c)
    finally:
        tap.same((server.stop(), ashen.stop(), closed.stop()), (0, 0, 0), "the servers stop with success")
        for one in (server, ashen, closed):
            one.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

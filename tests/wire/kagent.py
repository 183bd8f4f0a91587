"""kagent's calls: every route and error, orders, upserts, users; fork and rewind as its documents
say, and ADK's rules by name. Random ones are in adk.py."""
import json
import os
import sys
import threading
import urllib.parse

from adk import effective_of, fold
from config import CONFIG, USERS
from wire import Client, Server, Tap

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY",
             "OLLAMA_HOST"):
    os.environ.pop(name, None)

AGENT = "kagent__NS__k8s_agent"


class Kagent:
    """A client as kagent's pages and runtimes are: envelopes, errors, events as strings."""

    def __init__(self, server, tap, token=None, user=None, prefix="/kagent"):
        self.http = Client(server, tap, token=token, api="")
        self.tap, self.user, self.prefix = tap, user, prefix
        self.count = 0

    def call(self, method, path, body=None, expect=200, headers=None, what=None, error=None):
        if self.user:
            path += ("&" if "?" in path else "?") + "user_id=" + urllib.parse.quote(self.user)
        reply = self.http.send(method, self.prefix + path, body, headers)
        good = reply.status == expect
        words = None
        if expect < 400 and expect != 204:
            good = good and reply.json.get("error", False) is False
        elif expect >= 400 and error is not None:
            words = reply.json.get("error") if reply.body[:1] == b"{" else reply.body.decode()
            good = good and isinstance(words, str) and words.startswith(error)
        if what or not good:
            self.tap.check(good, what or f"{method} {path}", f"{reply.status}, not {expect}",
                           reply.body[:500])
        return reply

    def get(self, path, **more):
        return self.call("GET", path, **more).json["data"]

    def refuse(self, method, path, body, status, error, what=None, headers=None):
        return self.call(method, path, body, status, headers, what or f"{status}: {error}", error)

    def new(self, session=None, **more):
        body = {"agent_ref": AGENT, **({"id": session} if session else {}), **more}
        return self.call("POST", "/api/sessions", body, 201).json["data"]["id"]

    def event(self, session, inv, event_id=None, author="user", text=None, delta=None, rewind=None,
              **more):
        self.count += 1
        event_id = event_id or f"ev{self.count}"
        event = {"id": event_id, "invocation_id": inv, "author": author,
                 "actions": {"state_delta": delta or {}, "rewind_before_invocation_id": rewind}}
        if text:
            event["content"] = {"parts": [{"text": text}], "role": "user"}
        data = json.dumps(event)
        self.call("POST", f"/api/sessions/{session}/events", {"id": event_id, "data": data}, 201,
                  **more)
        return data

    def log(self, session, view="log"):
        rows = self.get(f"/api/sessions/{session}?order=asc&limit=-1&view={view}")["events"]
        return [json.loads(r["data"]) for r in rows]

    def seen(self, session):
        """Invocations that a model sees, by ADK's own reading of the whole log."""
        log = [{"inv": e["invocation_id"], "rewind": e["actions"].get("rewind_before_invocation_id")}
               for e in self.log(session)]
        return [e["inv"] for e in effective_of(log)]

    def effective(self, session):
        return [e["invocation_id"] for e in self.log(session, "effective")]

    def rewind(self, session, inv, **more):
        return self.call("POST", f"/api/sessions/{session}/rewind",
                         {"rewind_before_invocation_id": inv}, **more).json.get("data")

    def fork(self, session, inv=None, **more):
        body = {} if inv is None else {"rewind_before_invocation_id": inv}
        return self.call("POST", f"/api/sessions/{session}/fork", body, 201,
                         **more).json["data"]["id"]

    def save(self, session, task, history, state="completed", inv=None, expect=201, **more):
        doc = {"id": task, "contextId": session, "kind": "task", "status": {"state": state},
               "history": history, "artifacts": None,
               "metadata": {"kagent_invocation_id": inv} if inv else None}
        doc.update(more)
        return self.call("POST", "/api/tasks", doc, expect)

    def tasks(self, session, query=""):
        return self.get(f"/api/sessions/{session}/tasks{query}")

    def histories(self, session, query=""):
        return [[m["messageId"] for m in t.get("history", [])] for t in self.tasks(session, query)]


def message(message_id, role="user", inv=None, spelling="kagent_invocation_id"):
    return {"kind": "message", "messageId": message_id, "role": role,
            "parts": [{"kind": "text", "text": f"text of {message_id}"}],
            "metadata": {spelling: inv} if inv else None}


# ---- the service

def system(tap, k):
    tap.same(k.call("GET", "/health").json,
             {"error": False, "data": {"status": "OK"}, "message": "OK"}, "health")
    version = k.http.send("GET", "/kagent/version").json
    tap.same(sorted(version), ["build_date", "git_commit", "kagent_version"],
             "version stands without an envelope")
    tap.same(k.http.send("GET", "/kagent/api/me").json, {"sub": "admin@kagent.dev"}, "who I am")
    tap.same(k.http.send("GET", "/kagent/api/me?user_id=eve").json, {"sub": "eve"},
             "who I am when named")
    for path in ("toolservers", "tools", "models", "modelconfigs", "feedback"):
        tap.same(k.get(f"/api/{path}"), [], f"{path}: an array")
    names = [n["name"] for n in k.get("/api/namespaces")]
    tap.check("test" in names, "namespaces", names)
    reply = k.http.send("GET", "/kagent/api/nothing")
    tap.same((reply.status, reply.body, reply.headers["content-type"]),
             (404, b"404 page not found\n", "text/plain; charset=utf-8"), "an unknown route")
    reply = k.http.send("DELETE", "/kagent/api/sessions")
    tap.same((reply.status, reply.body), (405, b""), "another method")
    tap.same(k.http.send("GET", "/kagent/api/sessions/").status, 404, "a slash more is another path")
    for method, path in (("GET", "/api/langgraph/checkpoints"), ("POST", "/api/crewai/memory"),
                         ("POST", "/api/memories/search"), ("GET", "/api/memories"),
                         ("GET", "/api/sessions/x/shares")):
        k.refuse(method, path, {} if method == "POST" else None, 404, "tine does not offer",
                 f"{path} is not offered")


def agents(tap, k):
    listed = k.get("/api/agents")
    tap.check(all(a["deploymentReady"] and a["accepted"] for a in listed), "agents are ready")
    one = k.get("/api/agents/test/echo")
    tap.same((one["id"], one["agent"]["metadata"]),
             ("test__NS__echo", {"name": "echo", "namespace": "test"}), "one agent")
    tap.same({a["agent"]["metadata"]["namespace"] for a in k.get("/api/agents?namespace=test")},
             {"test"}, "agents of a namespace")
    k.refuse("GET", "/api/agents/no/body", None, 404, "Agent not found")
    for method, path in (("POST", "/api/agents"), ("PUT", "/api/agents")):
        k.refuse(method, path, {}, 405, "agents are defined", f"{method} agents")
    k.refuse("DELETE", "/api/agents/test/echo", None, 405, "agents are defined")
    k.new("ref1", agent_ref="kagent/new-agent")
    tap.same(k.get("/api/sessions/ref1")["session"]["agent_id"], "kagent__NS__new_agent",
             "an agent by its name")
    k.new("ref2", agent_ref="kagent__NS__new_agent")
    native = k.http.send("GET", "/api/v1/sessions/ref2").json
    tap.same(native["agent"], "kagent/new-agent", "the encoded form finds the same agent")
    tap.same(k.http.send("GET", "/api/v1/agents/kagent/new-agent").json["kind"], "external",
             "an unknown agent is one that somebody else runs")
    for ref in ("alone", "a/b/c", "kagent/", "/x", "v1/x", "ns/na me"):
        k.refuse("POST", "/api/sessions", {"agent_ref": ref}, 400,
                 "Agent ref is invalid, please check the agent ref " + ref)


# ---- sessions

def sessions(tap, k):
    reply = k.call("POST", "/api/sessions", {"agent_ref": AGENT, "name": "One", "user_id": "x",
                                             "unknown": [1], "source": "user"}, 201)
    made = reply.json["data"]
    tap.same(reply.json["message"], "Successfully created session", "create")
    tap.same({m: made[m] for m in ("name", "user_id", "agent_id", "source")},
             {"name": "One", "user_id": "admin@kagent.dev", "agent_id": AGENT, "source": "user"},
             "what was made")
    first = k.get(f"/api/sessions/{made['id']}")
    tap.same(first["events"], [], "no events: an array")
    k.event(made["id"], "i1")
    again = k.call("POST", "/api/sessions", {"agent_ref": "kagent/other", "id": made["id"]}, 201)
    again = again.json["data"]
    tap.same((again["id"], again.get("name"), again["agent_id"], again.get("source"),
              again["created_at"]),
             (made["id"], None, "kagent__NS__other", None, made["created_at"]),
             "a known id is made anew: what is not said is gone, created_at stays")
    tap.same(len(k.log(made["id"])), 1, "… and so do its events")
    k.refuse("POST", "/api/sessions", {}, 400, "agent_ref is required")
    k.refuse("POST", "/api/sessions", b"{\"agent", 400, "Invalid request body")
    k.refuse("POST", "/api/sessions", [], 400, "Invalid request body: the body must be an object")
    k.refuse("POST", "/api/sessions", {"agent_ref": 7}, 400, "Invalid request body")
    k.refuse("POST", "/api/sessions", {"agent_ref": AGENT, "id": "a b"}, 400,
             "Failed to create session: the id of the session")
    k.refuse("POST", "/api/sessions", {"agent_ref": AGENT, "source": "ghost"}, 400,
             "Invalid request body: source")
    k.new("by-agent", source="agent")
    k.new("by-user", source="user")
    listed = [s["id"] for s in k.get("/api/sessions")]
    tap.same(listed[:2], ["by-user", "by-agent"], "the newest first")
    k.event("by-agent", "i1")
    listed = [s["id"] for s in k.get("/api/sessions")]
    tap.same(listed[0], "by-agent", "… by what was last written")
    of_agent = [s["id"] for s in k.get("/api/sessions/agent/kagent/k8s-agent")]
    tap.check("by-user" in of_agent and "by-agent" not in of_agent,
              "the list of an agent leaves out what agents made", of_agent)
    k.refuse("GET", "/api/sessions/agent/no/body", None, 404, "Agent not found")
    k.refuse("GET", "/api/sessions/nobody", None, 404, "Session not found")
    for method in ("PUT", "PATCH"):
        changed = k.call(method, "/api/sessions/by-user", {"name": method}).json["data"]
        tap.same((changed["name"], changed["agent_id"]), (method, AGENT), f"{method} of the name")
    changed = k.call("PATCH", "/api/sessions/by-user", {"agent_ref": "kagent/other"}).json["data"]
    tap.same((changed["name"], changed["agent_id"]), ("PATCH", "kagent__NS__other"), "of the agent")
    k.refuse("PATCH", "/api/sessions/by-user", {}, 400,
             "at least one of name or agent_ref is required")
    k.refuse("PATCH", "/api/sessions/nobody", {"name": "x"}, 404, "Session not found")
    for _ in range(2):
        gone = k.call("DELETE", "/api/sessions/by-user").json
        tap.same((gone["data"], gone["message"]), ({}, "Session deleted successfully"),
                 "deleted, and deleted again")
    k.refuse("GET", "/api/sessions/by-user", None, 404, "Session not found")


# ---- events

def events(tap, k):
    s = k.new("events")
    # A token that nobody would write the same way again.
    token = rb'"{\u0022invocation_id\u0022: \"a\\u00e9\",\/**\/ \t \"x\": 1.50e1 \ud83d\ude00 \u0000}"'
    body = b'{"id":"odd","data":' + token + b'}'
    reply = k.call("POST", f"/api/sessions/{s}/events", body, 201)
    tap.check(b'"data":' + token in reply.body, "the reply has the data as it came", reply.body)
    tap.same((reply.json["data"]["created_at"], reply.json["message"]),
             ("0001-01-01T00:00:00Z", "Event added to session successfully"), "posted")
    raw = k.http.send("GET", f"/kagent/api/sessions/{s}").body
    tap.check(b'"data":' + token in raw, "data that is no JSON goes out byte for byte", raw)
    k.call("POST", f"/api/sessions/{s}/events", body, 201, what="the same again is nothing new")
    tap.same(len(k.get(f"/api/sessions/{s}")["events"]), 1, "… and is not stored again")
    k.refuse("POST", f"/api/sessions/{s}/events", {"id": "odd", "data": "else"}, 409,
             "Failed to store event: message \"odd\" is already in session")
    good = rb'"{\"invocation_id\":\"\u0061\/b\",\"author\":\"user\",\"big\":12345678901234567890}"'
    k.call("POST", f"/api/sessions/{s}/events", b'{"id":"good","data":' + good + b',"x":null}', 201)
    raw = k.http.send("GET", f"/kagent/api/sessions/{s}").body
    tap.check(b'"data":' + good in raw, "data that is JSON goes out byte for byte")
    k.call("POST", f"/api/sessions/{s}/rewind", {"rewind_before_invocation_id": "a/b"},
           what="its invocation is known")
    k.refuse("POST", f"/api/sessions/{s}/events", b"{", 400, "Invalid request body")
    k.refuse("POST", f"/api/sessions/{s}/events", {"data": "x"}, 400, "Invalid request body")
    k.refuse("POST", f"/api/sessions/{s}/events", {"id": "x", "data": {}}, 400,
             "Invalid request body")
    k.refuse("POST", f"/api/sessions/{s}/events", {"id": "a b", "data": "x"}, 400,
             "Failed to store event: the id of the message")
    k.refuse("POST", f"/api/sessions/{s}/events",
             {"id": "z", "data": json.dumps({"invocation_id": "i" * 300})}, 413,
             "Failed to store event: the name of the turn")
    k.refuse("POST", "/api/sessions/nobody/events", {"id": "x", "data": "{}"}, 404,
             "Session not found")
    k.refuse("POST", f"/api/sessions/{s}/events", {"id": "x", "data": "{}"}, 403,
             "Session does not belong to this agent", headers={"X-Agent-Name": "kagent__NS__other"})
    k.refuse("POST", "/api/sessions/nobody/events", b"{", 400, "Invalid request body",
             "the body is looked at before the session",
             headers={"X-Agent-Name": "kagent__NS__other"})
    k.call("POST", f"/api/sessions/{s}/events", {"id": "fit", "data": "{}"}, 201,
           headers={"X-Agent-Name": "kagent/k8s-agent"}, what="either form of the agent's name")
    reading(tap, k)
    shapes(tap, k)
    shown(tap, k)


def reading(tap, k):
    s = k.new("reading")
    for i in range(5):
        k.event(s, f"i{i}", f"r{i}")
    rows = k.get(f"/api/sessions/{s}?order=asc")["events"]
    tap.same([r["id"] for r in rows], [f"r{i}" for i in range(5)], "order=asc")
    tap.same(sorted(rows[0]), ["created_at", "data", "id", "session_id", "updated_at", "user_id"],
             "a row")
    times = [r["created_at"] for r in rows]
    tap.check(sorted(set(times)) == times, "created_at only grows", times)

    def ids(query):
        return [r["id"] for r in k.get(f"/api/sessions/{s}{query}")["events"]]
    tap.same(ids(""), ["r4", "r3", "r2", "r1", "r0"], "without an order the newest come first")
    tap.same(ids("?order=ascending"), ["r4", "r3", "r2", "r1", "r0"], "… and with any other")
    tap.same(ids("?limit=2"), ["r4", "r3"], "limit")
    tap.same(ids("?order=asc&limit=2"), ["r0", "r1"], "limit, ascending")
    tap.same(ids("?order=asc&limit=-1"), ["r0", "r1", "r2", "r3", "r4"], "limit=-1 is all")
    tap.same(ids("?limit=0"), ["r4", "r3", "r2", "r1", "r0"], "limit=0 is all")
    tap.same(ids(f"?order=asc&after={times[2]}"), ["r3", "r4"], "after is strict")
    moved = times[2].replace("Z", "+00:00")
    tap.same(ids(f"?order=asc&after={urllib.parse.quote(moved)}&limit=1"), ["r3"],
             "after with an offset")
    tap.same(ids("?after=2999-01-01T00:00:00Z"), [], "nothing after")
    k.refuse("GET", f"/api/sessions/{s}?after=yesterday", None, 400,
             "Failed to parse after timestamp")
    k.refuse("GET", f"/api/sessions/{s}?limit=many", None, 400, "Failed to parse limit")
    k.refuse("GET", f"/api/sessions/{s}?view=odd", None, 400, "view must be")


def shapes(tap, k):
    for shape, first in (("Go", '{"InvocationID":"%s","Author":"user","Actions":{"StateDelta":{"k":1}}}'),
                         ("newer Go", '{"invocationId":"%s","actions":{"stateDelta":{"k":1}}}')):
        s = k.new()
        for inv in ("A", "B"):
            k.call("POST", f"/api/sessions/{s}/events", {"id": inv, "data": first % inv}, 201)
        k.rewind(s, "B")
        rows = k.get(f"/api/sessions/{s}")["events"]
        tap.same([r["id"] for r in rows], ["A"], f"{shape}: effective events without markers")
        tap.same(len(k.log(s)), 3, f"{shape}: view=log has it all")
        tap.same(k.http.send("GET", f"/api/v1/sessions/{s}").json["state"], {"k": 1},
                 f"{shape}: state")
    s = k.new()
    for i in range(2):
        k.call("POST", f"/api/sessions/{s}/events", {"id": f"c{i}", "data": json.dumps(
            {"timestamp": i, "items": [{"role": "user"}], "type": "conversation_items"})}, 201)
    tap.same([r["id"] for r in k.get(f"/api/sessions/{s}")["events"]], ["c1", "c0"],
             "items of the OpenAI runtime, newest first")


def shown(tap, k):
    s = k.new()
    k.event(s, "i1", text="Hello")
    k.event(s, "i1", author="bot", text="Good day")
    k.event(s, "header_update", author="system", delta={"headers": {}})
    native = k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]
    tap.same([(m["role"], m["parts"], m["turn"]) for m in native],
             [("user", [{"type": "text", "text": "Hello"}], "i1"),
              ("assistant", [{"type": "text", "text": "Good day"}], "i1")],
             "events and no tasks: their text shows everywhere else")
    hits = k.http.send("GET", "/api/v1/search?q=Good+day").json["hits"]
    tap.check(any(h["session"] == s for h in hits), "… and is found")
    tap.same([[m["messageId"] for m in t["history"]] for t in k.tasks(s)],
             [[m["id"] for m in native]], "… and is a task")
    k.call("POST", f"/api/sessions/{s}/events", {"id": "used", "data": json.dumps(
        {"invocation_id": "i1", "author": "bot", "usage_metadata": {"prompt_token_count": 7,
                                                                    "candidates_token_count": 3}})}, 201)
    usage = k.http.send("GET", f"/api/v1/sessions/{s}").json["usage"]
    tap.same((usage["input_tokens"], usage["output_tokens"]), (7, 3), "usage is that of its events")
    many = [{"kind": "message", "messageId": f"many-{n}", "role": "user", "parts": []} for n in range(10001)]
    k.refuse("POST", "/api/tasks", {"id": "many", "contextId": s, "status": {"state": "completed"},
                                    "history": many}, 413,
             "the history has 10001 messages; the limit is 10000")
    k.refuse("POST", f"/api/sessions/{s}/events", {"id": "big", "data": "x" * 4500000}, 413,
             "Failed to store event: data has")
    refused(tap, k)
    fork = k.fork(s)
    tap.same(k.get(f"/api/sessions/{fork}")["session"]["name"], "Fork of Hello",
             "a fork of what has no name is named by its first words")


def refused(tap, k):
    """A task that is refused leaves nothing behind: no session, and none of its messages."""
    big = [message(f"small-{n}") for n in range(1500)] + [message("huge")]
    big[-1]["parts"][0]["text"] = "x" * 5_000_000  # as an entry it is its parts and itself
    long_turn = [message(f"small-{n}") for n in range(1500)] + [message("last", inv="i" * 300)]
    for what, history, task in (("a message", big, "huge"), ("an invocation", long_turn, "long"),
                                ("an id", [message("m")], "t" * 200)):
        s = k.new()
        for session in (s, f"new-{what[-2:]}"):
            reply = k.call("POST", "/api/tasks", {"id": task, "contextId": session, "status": {"state": "completed"},
                                                  "history": history}, 413, {"X-Agent-Name": AGENT},
                           f"a task with {what} that is too long")
            tap.check(reply.json["error"].startswith("Failed to create task: "), "… is refused", reply.body)
        tap.same(k.http.send("GET", f"/api/v1/sessions/{s}").json["messages"], 0, "… and leaves no message")
        tap.same(k.http.send("GET", f"/api/v1/sessions/new-{what[-2:]}").status, 404, "… and no session")
        tap.same(k.tasks(s), [], "… and no task")


# ---- ADK's rules

def adk(tap, k):
    def make(*words):
        """A session of events and rewinds: "A", "R(B)"; "R(1)" names the first rewind's marker."""
        s, markers = k.new(), []
        for word in words:
            if word.startswith("R("):
                target = word[2:-1]
                target = markers[int(target) - 1] if target.isdigit() else target
                markers.append(k.rewind(s, target)["invocation_id"])
            else:
                k.event(s, word[0])
        return s

    cases = [
        ("a target inside what was removed brings it back", "A B C R(B) D R(C)", "A B"),
        ("a rewind to a marker takes it back", "A B C R(B) R(1)", "A B C"),
        ("before the first there is nothing", "A B R(A)", ""),
        ("… and what comes then is all", "A B R(A) C", "C"),
        ("a resumed invocation goes from its first event on", "A B A' R(A)", ""),
        ("two rewinds in a row", "A B C R(C) R(B)", "A"),
        ("the same rewind twice", "A B C R(B) R(B)", "A"),
        ("a rewind to something rewound away", "A B C D R(B) E R(D)", "A B C"),
        ("redo of a redo", "A B R(B) R(1) R(2)", "A"),
        ("a late event stands where it arrived", "A B R(B) B' C", "A B C"),
    ]
    for what, words, left in cases:
        s = make(*words.split())
        tap.same((k.seen(s), k.effective(s)), (left.split(), left.split()), f"{words}: {what}")
        markers = sum(w.startswith("R(") for w in words.split())
        tap.same(len(k.log(s)), len(words.split()), f"{words}: {markers} markers are in the log")
    state(tap, k)
    posted(tap, k)
    elsewhere(tap, k)


def folded(k, s):
    return fold([{"delta": e["actions"]["state_delta"]} for e in k.log(s)])


def state(tap, k):
    s = k.new()
    k.event(s, "A", delta={"k": 1, "same": {"a": 1, "b": [1]}, "app:x": 1, "temp:t": 1})
    k.event(s, "B", delta={"k": 2, "j": [1], "same": {"b": [True], "a": 1.0}, "app:x": 2,
                           "user:u": 3, "temp:t": 2})
    data = k.rewind(s, "B")
    marker = k.log(s)[-1]
    tap.same(sorted(marker), ["actions", "author", "id", "invocation_id", "timestamp"],
             "a marker has only members that ADK knows")
    tap.same((marker["id"], marker["invocation_id"], marker["author"]),
             (data["invocation_id"][2:], data["invocation_id"], "user"), "… and its own ids")
    tap.same(marker["actions"], {"state_delta": {"k": 1, "j": None}, "artifact_delta": {},
                                 "rewind_before_invocation_id": "B"},
             "the change of state by ADK's rule: 1 is 1.0, app: and user: stay")
    tap.same(folded(k, s), {"k": 1, "same": {"b": [True], "a": 1.0}, "app:x": 2, "user:u": 3,
                            "j": None}, "what folding comes to")
    tap.same(k.http.send("GET", f"/api/v1/sessions/{s}").json["state"],
             {"k": 1, "same": {"a": 1, "b": [1]}, "app:x": 2, "user:u": 3},
             "the state of the session itself")
    k.event(s, "C", delta={"k": None})
    k.rewind(s, "C")
    tap.same(k.log(s)[-1]["actions"]["state_delta"], {"k": 1, "j": None},
             "what is null already is told again")
    tap.same((data["rewind_before_invocation_id"], data["session"]["id"]), ("B", s),
             "the reply to a rewind")


def posted(tap, k):
    s = k.new()
    for inv in "ABC":
        k.event(s, inv, delta={"k": inv})
    mine = k.event(s, "mark", "mark1", rewind="B", delta={"k": "A"})
    tap.same((k.effective(s), k.seen(s)), (["A"], ["A"]), "a marker that a runtime posts moves")
    tap.same(json.dumps(k.log(s)[-1]), mine, "… and is given as it came, once")
    tap.same(len(k.log(s)), 4, "… without a marker beside it")
    k.call("POST", f"/api/sessions/{s}/events", {"id": "mark1", "data": mine}, 201,
           what="the same marker again is nothing new")
    tap.same(len(k.log(s)), 4, "… and moves nothing")
    k.event(s, "D")
    k.rewind(s, "mark")
    tap.same((k.effective(s), k.seen(s)), (["A", "B", "C"], ["A", "B", "C"]),
             "a rewind to it takes it back")
    k.event(s, "lost", rewind="nowhere")
    tap.same((k.effective(s), k.seen(s)), (["A", "B", "C"], ["A", "B", "C"]),
             "one that names nothing is kept and does nothing")


def elsewhere(tap, k):
    s = k.new()
    k.event(s, "A", "a1", text="one", delta={"k": 1})
    k.event(s, "A", "a2", author="bot", text="two", delta={"k": 2})
    k.event(s, "B", "b1", text="three", delta={"k": 3})
    k.http.send("POST", f"/api/v1/sessions/{s}/rewind", {"after": "a2"})
    tap.same((k.effective(s), k.seen(s)), (["A", "A"], ["A", "A"]),
             "a rewind of the native API is a marker")
    tap.same(k.log(s)[-1]["actions"]["rewind_before_invocation_id"], "B", "… that ADK can follow")
    k.http.send("POST", f"/api/v1/sessions/{s}/undo", {})
    tap.same((k.effective(s), k.seen(s)), (["A", "A", "B"], ["A", "A", "B"]), "and so is an undo")
    k.http.send("POST", f"/api/v1/sessions/{s}/rewind", {"after": "a1"})
    tap.same([e["id"] for e in k.log(s)], ["a1"],
             "into the middle of an invocation: markers cannot say it, effective events do")
    k.event(s, "C", "c1", delta={"k": 4, "app:x": 4})
    k.rewind(s, "C")
    rows = k.get(f"/api/sessions/{s}?order=asc")["events"]
    tap.same([r["id"] for r in rows], ["a1", f"{s}~state"],
             "… and one state event, for what they do not fold to")
    tap.same(folded(k, s), {"k": 1, "app:x": 4}, "… so that they do")
    s = k.http.send("POST", "/api/v1/sessions", {"state": {"given": 1}}).json["id"]
    k.http.send("POST", f"/api/v1/sessions/{s}/messages", {"text": "hello"})
    log = k.log(s)
    tap.same([(e["author"], e.get("content", {}).get("parts")) for e in log],
             [("user", [{"text": "hello"}]), ("test__NS__echo", [{"text": "hello"}]),
              ("user", None)], "a turn that tine ran, as events")
    tap.same(fold([{"delta": e["actions"]["state_delta"]} for e in log]), {"given": 1},
             "… with the state that the session was given")
    known = {"content", "usage_metadata", "interrupted", "invocation_id", "author", "actions", "id",
             "timestamp"}
    tap.check(all(set(e) <= known for e in log), "only members that ADK's model knows")
    s = k.http.send("POST", "/api/v1/sessions", {"agent": "test/tools"}).json["id"]
    k.http.send("POST", f"/api/v1/sessions/{s}/messages", {"text": "list"})
    parts = [p for e in k.log(s) for p in e["content"]["parts"]]
    tap.check({"function_call": {"id": "c1", "name": "bash", "args": {"command": "ls"}}} in parts
              and {"function_response": {"id": "c1", "name": "bash",
                                         "response": {"result": "a.txt"}}} in parts,
              "tool calls and their results", parts)
    k.rewind(s, k.log(s)[0]["invocation_id"])
    tap.same(k.effective(s), [], "a turn that tine ran is an invocation, too")


# ---- forks

def forks(tap, k):
    s = k.new("source", name="Plan")
    for inv in ("A", "B", "C"):
        k.event(s, inv, f"src{inv}", delta={"k": inv, "app:x": inv})
        k.save(s, f"task-{inv}", [message(f"u{inv}"), message(f"a{inv}", "agent", inv)], inv=inv)
    k.rewind(s, "C")
    k.event(s, "D", "srcD")
    before = k.http.send("GET", f"/kagent/api/sessions/{s}?order=asc").body
    tasks = k.http.send("GET", f"/kagent/api/sessions/{s}/tasks").body
    reply = k.call("POST", f"/api/sessions/{s}/fork", {"rewind_before_invocation_id": "D"}, 201)
    fork = reply.json["data"]
    tap.same((fork["name"], fork["user_id"], fork["agent_id"], fork["forked_from"]),
             ("Fork of Plan", "admin@kagent.dev", AGENT, {"session_id": s}),
             "a fork is answered like a new session")
    raw = k.get(f"/api/sessions/{fork['id']}?order=asc")["events"]
    source = k.get(f"/api/sessions/{s}?order=asc")["events"]
    tap.same([r["data"] for r in raw], [r["data"] for r in source[:4]],
             "the events before the boundary with their markers, data unchanged")
    tap.same([r["id"] for r in raw], [f"{fork['id']}~{r['id']}" for r in source[:4]],
             "rows have ids of their own")
    tap.same({r["session_id"] for r in raw}, {fork["id"]}, "… in the new session")
    k.event(fork["id"], "E", "ownE", delta={"k": "E"})
    k.rewind(fork["id"], "B")
    second = k.fork(fork["id"], "E")
    tap.same(k.seen(second), ["A", "B"], "a fork of a fork of a rewound session")
    k.event(second, "F", "ownF")
    k.rewind(second, "C")
    tap.same((k.seen(second), k.effective(second)), (["A", "B"], ["A", "B"]),
             "… rewound to what its grandparent had rewound away")
    third = k.fork(second)
    tap.same([e["id"] for e in k.log(third)], [e["id"] for e in k.log(second)], "… and forked again")
    tap.same((k.http.send("GET", f"/kagent/api/sessions/{s}?order=asc").body,
              k.http.send("GET", f"/kagent/api/sessions/{s}/tasks").body), (before, tasks),
             "the source is the same byte for byte")
    tap.same(k.http.send("GET", f"/api/v1/sessions/{fork['id']}").json["state"]["app:x"], "C",
             "app: values are not lost")
    named = k.call("POST", "/api/sessions/fork", {"session_id": s, "rewind_before_invocation_id": "B"},
                   201).json["data"]["id"]
    tap.same(k.effective(named), ["A"], "the session in the body")
    tap.same(len(k.log(k.fork(s, "nowhere"))), len(k.log(s)), "an unknown boundary: everything")
    tap.same(len(k.log(k.fork(s))), len(k.log(s)), "no boundary: everything")
    empty = k.fork(s, "A")
    tap.same((k.log(empty), k.histories(empty)), ([], [[]]),
             "before the first event: no events, and one task with no messages")
    k.refuse("POST", f"/api/sessions/{s}/fork", {"rewind_before_invocation_id": ""}, 400,
             "Failed to fork session: the invocation id is empty")
    k.refuse("POST", f"/api/sessions/{s}/fork", {"rewind_before_invocation_id": "header_update"},
             400, "Failed to fork session: \"header_update\"")
    k.refuse("POST", f"/api/sessions/{s}/fork", {"rewind_before_invocation_id": 7}, 400,
             "Invalid request body")
    k.refuse("POST", f"/api/sessions/{s}/fork", b"{", 400, "Invalid request body")
    k.refuse("POST", "/api/sessions/nobody/fork", {}, 404, "Session not found")
    k.refuse("POST", "/api/sessions/fork", {}, 400, "session_id is required")
    k.refuse("POST", "/api/sessions/fork", {"session_id": "nobody"}, 404, "Session not found")
    for body, headers in (({"request_id": "once-1"}, None), ({}, {"Idempotency-Key": "once-2"})):
        made = [k.call("POST", f"/api/sessions/{s}/fork", body, 201, headers).json["data"]["id"]
                for _ in range(2)]
        tap.same(made[0], made[1], "a fork that is asked for twice is made once")
    k.refuse("POST", f"/api/sessions/{s}/fork",
             {"request_id": "once-1", "rewind_before_invocation_id": "B"}, 409,
             "Failed to fork session", "the same key with another request")


def rewinds(tap, k):
    s = k.new("rewinds")
    for inv in "AB":
        k.event(s, inv)
    before = k.http.send("GET", f"/kagent/api/sessions/{s}").body
    path = f"/api/sessions/{s}/rewind"
    k.refuse("POST", path, {"rewind_before_invocation_id": "nowhere"}, 400,
             "Invocation ID not found: nowhere")
    k.refuse("POST", path, {"rewind_before_invocation_id": "e-0190a1b2-0000-7000-8000-000000000000"},
             400, "Invocation ID not found: e-")
    k.refuse("POST", path, {"rewind_before_invocation_id": ""}, 400,
             "Failed to rewind session: the invocation id is empty")
    k.refuse("POST", path, {"rewind_before_invocation_id": "header_update"}, 400,
             "Failed to rewind session: \"header_update\"")
    k.refuse("POST", path, {}, 400, "rewind_before_invocation_id is required")
    k.refuse("POST", path, b"{\"re", 400, "Invalid request body")
    k.refuse("POST", path, {"rewind_before_invocation_id": ["A"]}, 400, "Invalid request body")
    k.refuse("POST", "/api/sessions/nobody/rewind", {"rewind_before_invocation_id": "A"}, 404,
             "Session not found")
    tap.same(k.http.send("GET", f"/kagent/api/sessions/{s}").body, before, "nothing was written")
    k.refuse("PUT", f"/api/sessions/{s}/effective_history", {}, 405, "the effective history")
    once = [k.call("POST", path, {"rewind_before_invocation_id": "B", "request_id": "r-1"}).json
            for _ in range(2)]
    tap.same(once[0], once[1], "a rewind that is asked for twice is made once")
    tap.same(len(k.log(s)), 3, "… and has one marker")
    running(tap, k)
    files(tap, k)


def running(tap, k):
    s = k.http.send("POST", "/api/v1/sessions", {"agent": "test/wait"}).json["id"]
    k.http.send("POST", f"/api/v1/sessions/{s}/messages", {"text": "before", "run": False})
    first = k.log(s)[0]["invocation_id"]
    turn = threading.Thread(target=lambda: Client(k.http.server, k.tap).send(
        "POST", f"/api/v1/sessions/{s}/messages", {"text": "wait"}))
    turn.start()
    while len(k.log(s)) < 2:
        pass
    k.refuse("POST", f"/api/sessions/{s}/rewind", {"rewind_before_invocation_id": first}, 409,
             "Failed to rewind session", "rewind while a turn runs")
    fork = k.fork(s, what="fork while a turn runs")
    tap.same([e["content"]["parts"][0]["text"] for e in k.log(fork)], ["before", "wait"],
             "… takes what has settled")
    k.call("DELETE", f"/api/sessions/{s}")
    turn.join()


def files(tap, k):
    s = k.new()
    k.event(s, "A")
    put = k.http.send("PUT", f"/api/v1/sessions/{s}/files/a.txt", b"mine",
                      {"Content-Type": "application/octet-stream"})
    tap.same(put.status, 201, "a file of the session")
    place = k.http.send("GET", f"/api/v1/sessions/{s}/workspace").json["dir"]
    k.event(s, "B")
    with open(os.path.join(place, "a.txt"), "w") as file:
        file.write("somebody else's")
    k.refuse("POST", f"/api/sessions/{s}/rewind", {"rewind_before_invocation_id": "A"}, 409,
             "Failed to rewind session: others have changed these files since: a.txt",
             "files that others changed are named")


# ---- tasks

def tasks(tap, k):
    s = k.new("tasks")
    k.event(s, "A", "tA")
    reply = k.save(s, "t1", [message("u1"), message("a1", "agent", "A")], inv="A")
    tap.same((reply.json["message"], sorted(reply.json["data"])),
             ("Successfully created task", ["contextId", "history", "id", "kind", "metadata",
                                            "status"]), "a task is answered without what is empty")
    bare = k.call("POST", "/api/tasks", {"id": "t0", "contextId": s, "status": {"state": "failed"},
                                         "history": [], "artifacts": [], "metadata": {}}, 201)
    tap.same(bare.json["data"], {"kind": "task", "id": "t0", "contextId": s,
                                 "status": {"state": "failed"}}, "… and with its kind")
    tap.same(k.get("/api/tasks/t1")["id"], "t1", "read by its id")
    native = k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]
    tap.same([(m["id"], m["role"], m["turn"], m["parts"][0]["text"]) for m in native],
             [("u1", "user", "A", "text of u1"), ("a1", "assistant", "A", "text of a1")],
             "its messages show everywhere else, each once")
    k.save(s, "t1", [message("u1"), message("a1", "agent", "A"), message("a2", "agent", "A")],
           inv="A")
    tap.same([m["id"] for m in k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]],
             ["u1", "a1", "a2"], "a task that is saved again brings what is new")
    tap.same([t["id"] for t in k.tasks(s)], ["t1", "t0"], "in the order in which they began")
    tap.same([m["metadata"]["kagent_invocation_id"] for m in k.tasks(s)[0]["history"]], ["A"] * 3,
             "the invocation is on every message")
    k.refuse("POST", "/api/tasks", b"{", 400, "Invalid legacy task payload")
    k.refuse("POST", "/api/tasks", {"id": "x"}, 400, "Invalid legacy task payload: a task needs")
    k.refuse("POST", "/api/tasks", {"id": "x", "contextId": s}, 400,
             "Invalid legacy task payload: a task needs a \"status\"")
    k.refuse("POST", "/api/tasks", {"id": "x", "contextId": "nobody", "status": {"state": "working"}},
             400, "Failed to create task: contextId \"nobody\" names no session")
    other = k.new()
    k.save(other, "t1", [], expect=409)
    k.refuse("POST", "/api/tasks", {"id": "t1", "contextId": other, "status": {"state": "working"}},
             409, "Task ID is already in use")
    eve = Kagent(k.http.server, tap, user="eve")
    theirs = eve.new()
    eve.refuse("POST", "/api/tasks",
               {"id": "t1", "contextId": theirs, "status": {"state": "working"}}, 409,
               "Task ID is already in use", "another user's id")
    eve.refuse("GET", "/api/tasks/t1", None, 404, "Task not found", "another user's task")
    for path in ("/api/tasks/t1", f"/api/sessions/{s}/tasks"):
        k.refuse("GET", path, None, 400, "Unsupported A2A version", headers={"A2A-Version": "1.0"})
    k.refuse("GET", "/api/tasks/none", None, 404, "Task not found")
    k.refuse("GET", "/api/sessions/nobody/tasks", None, 404, "Session not found for given ID")
    k.refuse("GET", f"/api/sessions/{s}/tasks?view=odd", None, 400, "view must be")
    for _ in range(2):
        tap.same(k.call("DELETE", "/api/tasks/t0", None, 204).body, b"", "deleted")
    k.refuse("GET", "/api/tasks/t0", None, 404, "Task not found")
    tap.same([t["id"] for t in k.tasks(s)], ["t1"], "… and in no list")
    early(tap, k)
    cuts(tap, k)
    late(tap, k)


def early(tap, k):
    k.call("POST", "/api/tasks", {"id": "first", "contextId": "made-by-task",
                                  "status": {"state": "submitted"}, "history": [message("f1")]}, 201,
           headers={"X-Agent-Name": AGENT}, what="a task before its session: X-Agent-Name says whose")
    tap.same(k.get("/api/sessions/made-by-task")["session"]["agent_id"], AGENT, "… it is")
    s = k.new(name="Early")
    k.save(s, "early", [message("q1")], "submitted")
    tap.same(k.histories(s), [["q1"]], "a task that names no invocation yet is in the list")
    tap.same(k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"], [],
             "… but in no turn")
    k.event(s, "header_update", author="system", delta={"headers": {}})
    k.event(s, "X", text="what the user said")
    native = k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]
    tap.same([(m["id"], m["turn"]) for m in native], [("q1", "X")],
             "the first event of a new invocation says whose it is")
    k.event(s, "X", author="bot", text="what the agent said")
    k.save(s, "early", [message("q1"), message("r1", "agent", "X", "adk_invocation_id")],
           "input-required", inv="X")
    k.save(s, "early", [message("q1"), message("r1", "agent", "X", "adk_invocation_id"),
                        message("q2")], "working", inv="X")
    k.event(s, "Y", text="a person said yes")
    k.save(s, "early", [message("q1"), message("r1", "agent", "X", "adk_invocation_id"),
                        message("q2"), message("r2", "agent", "Y")], inv="Y")
    native = k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]
    tap.same([(m["id"], m["turn"]) for m in native],
             [("q1", "X"), ("r1", "X"), ("q2", "Y"), ("r2", "Y")],
             "one task with two invocations: each message in its own")
    k.rewind(s, "Y")
    tap.same(k.histories(s), [["q1", "r1"]], "a boundary inside a task cuts its history")
    tap.same([m["id"] for m in k.http.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"]],
             ["q1", "r1"], "… everywhere")
    k.save(s, "lone", [message("x1")], "failed")
    tap.same(k.histories(s, "?view=turns"), [["q1", "r1"], ["x1"]],
             "a task that failed before its first event is a turn by itself")
    k.rewind(s, "task:lone")
    tap.same(k.histories(s, "?view=turns"), [["q1", "r1"]], "… and can be rewound")


def cuts(tap, k):
    s = k.new("cuts")
    usage = {"totalTokenCount": 10, "promptTokenCount": 7, "candidatesTokenCount": 3}
    for inv in "ABCD":
        k.event(s, inv)
        k.save(s, f"cut-{inv}", [message(f"u-{inv}"), message(f"a-{inv}", "agent", inv)],
               metadata={"kagent_invocation_id": inv, "kagent_usage_metadata": usage})
    k.rewind(s, "C")
    merged = k.tasks(s)
    tap.same([(t["id"], t["contextId"], t["status"]["state"]) for t in merged],
             [(s, s, "completed")], "after a rewind: one completed task, whose id is the session's")
    tap.same([m["messageId"] for m in merged[0]["history"]], ["u-A", "a-A", "u-B", "a-B"],
             "… with everything before the cut")
    tap.same([m["metadata"]["kagent_invocation_id"] for m in merged[0]["history"]],
             ["A", "A", "B", "B"], "… the invocation on every message, users' too")
    tap.same(merged[0]["metadata"]["kagent_usage_metadata"]["totalTokenCount"], 20,
             "… and the usage once")
    tap.same(k.get(f"/api/tasks/{s}")["id"], s, "a reload finds it by its id")
    k.refuse("GET", "/api/tasks/cut-C", None, 404, "Task not found", "what was rewound away is hidden")
    k.event(s, "E")
    k.save(s, "cut-E", [message("u-E"), message("a-E", "agent", "E")], inv="E")
    tap.same(k.histories(s), [["u-A", "a-A", "u-B", "a-B"], ["u-E", "a-E"]],
             "then one task for each turn since")
    tap.same([t["id"] for t in k.tasks(s, "?view=turns")], ["cut-A", "cut-B", "cut-E"],
             "view=turns: one a turn throughout")
    fork = k.fork(s, "B")
    tap.same([(t["id"], t["contextId"], [m["messageId"] for m in t["history"]])
              for t in k.tasks(fork)], [(f"{fork}~fork", fork, ["u-A", "a-A"])],
             "a fork: one task with a new id")
    tap.same([m["taskId"] for m in k.tasks(fork)[0]["history"]], [f"{fork}~fork"] * 2,
             "… that its messages name")
    k.event(fork, "F")
    k.save(fork, "cut-F", [message("u-F"), message("a-F", "agent", "F")], inv="F")
    again = k.fork(fork, "F")
    tap.same(k.histories(again), [["u-A", "a-A"]], "a boundary behind a merged task")
    again = k.fork(s, "E")
    inside = k.fork(again, "B")
    tap.same(k.histories(inside), [["u-A", "a-A"]],
             "a boundary inside a merged task: a fork of a fork works")
    k.rewind(fork, "A")
    tap.same((k.histories(fork), k.effective(fork)), ([[]], []),
             "a fork rewound before everything it was given")


def late(tap, k):
    s = k.new("late")
    for inv in "AB":
        k.event(s, inv)
        k.save(s, f"late-{inv}", [message(f"lu-{inv}")], "working", inv=inv)
    k.rewind(s, "B")
    fork = k.fork(s)
    k.save(s, "late-B", [message("lu-B"), message("la-B", "agent", "B")], inv="B")
    tap.same(k.histories(s), [["lu-A"]], "a late save of what was rewound away stays away")
    k.save(s, "late-A", [message("lu-A"), message("la-A", "agent", "A")], inv="A")
    tap.same(k.histories(s), [["lu-A", "la-A"]], "a late save counts where its turn is on the path")
    tap.same(k.histories(fork), [["lu-A"]], "… but not in a fork that was made before")
    k.event(s, "B", author="bot", delta={"late": True})
    tap.same(k.effective(s), ["A", "B"], "a late event stands where it arrived")
    k.http.send("POST", f"/api/v1/sessions/{s}/undo", {})
    tap.same(k.histories(s, "?view=turns"), [["lu-A", "la-A"], ["lu-B", "la-B"]],
             "undo brings back the task with what came late")


# ---- users

def users(tap, k, closed, tokens):
    eve, mallory = (Kagent(k.http.server, tap, user=u) for u in ("eve", "mallory"))
    eve.new("mine", name="Eve's")
    tap.same(eve.get("/api/sessions/mine")["session"]["user_id"], "eve", "a user of the query")
    mallory.refuse("GET", "/api/sessions/mine", None, 404, "Session not found",
                   "a session of another user does not exist")
    k.refuse("GET", "/api/sessions/mine", None, 404, "Session not found", "… nor for nobody's")
    mallory.new("mine", name="Mallory's")
    tap.same((eve.get("/api/sessions/mine")["session"]["name"],
              mallory.get("/api/sessions/mine")["session"]["name"]), ("Eve's", "Mallory's"),
             "two users may have the same id")
    tap.same(k.get("/api/sessions/mine", headers={"X-User-Id": "eve"})["session"]["name"], "Eve's",
             "a user of the header")
    tap.same(eve.get("/api/sessions/mine", headers={"X-User-Id": "mallory"})["session"]["name"],
             "Eve's", "the query comes first")
    nobody = Kagent(k.http.server, tap, user="admin@kagent.dev")
    k.new("operators")
    tap.same(nobody.get("/api/sessions/operators")["session"]["user_id"], "admin@kagent.dev",
             "whom clients name when nobody has logged in is the operator")
    tap.same([s["id"] for s in mallory.get("/api/sessions")], ["mine"], "a list is one user's")
    k.refuse("GET", "/api/sessions?user_id=" + "x" * 200, None, 400, "Failed to get user ID",
             "a name that is too long")
    ben = Kagent(closed, tap, tokens["ben"])
    ben.new("bens")
    tap.same(ben.get("/api/sessions/bens?user_id=ana")["session"]["user_id"], "ben",
             "who has a token of his own is himself, whatever the request says")
    gate = Kagent(closed, tap, tokens["gate"], user="ana@example.org")
    gate.new("anas")
    tap.same(gate.get("/api/sessions/anas")["session"]["user_id"], "ana@example.org",
             "a trusted proxy speaks for others")
    ben.refuse("GET", "/api/sessions/anas", None, 404, "Session not found")
    guest = Kagent(closed, tap, tokens["guest"])
    guest.refuse("POST", "/api/sessions", {"agent_ref": AGENT}, 403, "", "who may only read")
    reply = Client(closed, tap).send("GET", "/kagent/api/sessions")
    tap.same((reply.status, reply.body), (401, b"Unauthorized\n"), "without a token")
    tap.same(Client(closed, tap).send("GET", "/kagent/health").status, 200, "health needs none")


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "guest", "gate")}
    server = Server(CONFIG)
    closed = Server(CONFIG + USERS + "  - {name: gate, right: run, proxy: true}\n",
                    list(tokens.items()))
    try:
        k = Kagent(server, tap)
        system(tap, k)
        agents(tap, k)
        sessions(tap, k)
        events(tap, k)
        adk(tap, k)
        forks(tap, k)
        rewinds(tap, k)
        tasks(tap, k)
        users(tap, k, closed, tokens)
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

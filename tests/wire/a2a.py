"""A2A 0.3: cards, calls, streams, tasks, and kagent's rewind as a control message."""
import http.client
import json
import re
import sys
import threading
import time
import uuid

from wire import Client, Server, Tap

SCRIPTS = {
    "echo": [[{"echo": True}]],
    "other": [[{"echo": True}]],
    "talk": [[{"delta": "He"}, {"sleep_ms": 20}, {"delta": "llo"}, {"sleep_ms": 100},
              {"say": {"text": "Hello", "usage": {"input_tokens": 7, "output_tokens": 3}}}]],
    "wait": [[{"delta": "thinking"}, {"wait": True}]],
    "quiet": [[{"wait": True}]],
    "slow": [[{"delta": "a"}, {"sleep_ms": 600}, {"echo": True}]],
    "fail": [[{"delta": "half"}, {"fail": "the model is out"}]],
    "asks": [[{"delta": "hm"}, {"question": "which colour?"}, {"echo": True}]],
    "tool-asks": [[{"ask": {"tool": "bash", "arguments": {"command": "ls"}}}, {"echo": True}]],
    "tools": [[{"say": {"parts": [{"type": "text", "text": "let me see"},
                                  {"type": "tool_call", "id": "c1", "name": "bash",
                                   "arguments": {"command": "ls"}}],
                        "usage": {"input_tokens": 5, "output_tokens": 2}}},
               {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1",
                                                   "output": "a.txt"}]}},
               {"say": {"text": "there is a.txt", "usage": {"input_tokens": 7, "output_tokens": 3}}}]],
}
CONFIG = "agents:\n"
for agent, script in SCRIPTS.items():
    CONFIG += f"  - name: test/{agent}\n    kind: scripted\n    description: It is {agent}.\n"
    CONFIG += f"    script: {json.dumps(json.dumps(script))}\n"
    CONFIG += "    default: true\n" if agent == "tool-asks" else ""
CONFIG += "  - {name: test/outside, kind: external}\nsandbox: off\n"
USERS = "users:\n  - {name: ana, right: admin}\n  - {name: ben, right: run}\n" \
        "  - {name: wilma, right: write}\n  - {name: guest, right: read}\n"

LINE_MAX = 640 * 1000
FINAL = ("completed", "failed", "canceled", "input-required")


# ---- a client

def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Sse:
    """A stream, read as it comes; all of its bytes are kept."""

    def __init__(self, agent, method, params, call_id=1, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", agent.c.server.port, timeout=30)
        self.connection.request("POST", agent.path, compact(
            {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}),
            {"Content-Type": "application/json", "Accept": "text/event-stream", **agent.head(headers)})
        self.reply = self.connection.getresponse()
        self.status = self.reply.status
        self.type = self.reply.getheader("Content-Type")
        self.raw = b""
        self.told = 0  # bytes of it

    def event(self):
        """The next one; None at the end."""
        while True:
            end = self.raw.find(b"\n\n", self.told)
            if end >= 0:
                block, self.told = self.raw[self.told:end], end + 2
                if block.startswith(b"data: "):
                    return json.loads(block[6:])
                continue
            data = self.reply.read1(1 << 16)
            if not data:
                return None
            self.raw += data

    def results(self):
        """All that are left."""
        got = []
        while True:
            event = self.event()
            if event is None:
                return got
            got.append(event.get("result", event))

    def until(self, good):
        while True:
            event = self.event()
            if event is None or good(event["result"]):
                return event and event["result"]

    def close(self):
        self.connection.close()


class Agent:
    """One agent of a server, at one of its addresses."""

    def __init__(self, t, c, name="echo", prefix="/a2a", slash=""):
        self.t, self.c, self.path = t, c, f"{prefix}/test/{name}{slash}"

    def head(self, headers=None):
        sent = dict(headers or {})
        if self.c.token:
            sent["Authorization"] = f"Bearer {self.c.token}"
        return sent

    def post(self, body, headers=None):
        body = body if isinstance(body, (bytes, str)) else compact(body)
        return self.c.send("POST", self.path, body, self.head(headers))

    def call(self, method, params=None, call_id=1, headers=None):
        reply = self.post({"jsonrpc": "2.0", "id": call_id, "method": method,
                           **({} if params is None else {"params": params})}, headers)
        if reply.status != 200 or reply.json.get("jsonrpc") != "2.0" or reply.json.get("id") != call_id:
            self.t.check(False, f"{method} answers as JSON-RPC does", reply.status, reply.body)
        return reply.json

    def result(self, method, params=None, **more):
        answer = self.call(method, params, **more)
        if "result" not in answer:
            self.t.check(False, f"{method} has a result", answer)
            return {"id": "", "contextId": "", "status": {"state": ""}, "history": [], "metadata": {}}
        return answer["result"]

    def refused(self, code, method, params=None, what=None, word="", **more):
        answer = self.call(method, params, **more)
        error = answer.get("error", {})
        self.t.check(error.get("code") == code and word in error.get("message", "") and "result" not in answer,
                     what or f"{method} is refused with {code}", f"wanted {code} {word!r}", answer)
        return error

    def send(self, text, context=None, task=None, **more):
        return self.result("message/send", {"message": message(text, context, task)}, **more)

    def stream(self, text, context=None, task=None, **more):
        return Sse(self, "message/stream", {"message": message(text, context, task)}, **more)


def message(text, context=None, task=None, **more):
    built = {"kind": "message", "messageId": str(uuid.uuid4()), "role": "user",
             "parts": [{"kind": "text", "text": text}], **more}
    if context:
        built["contextId"] = context
    if task:
        built["taskId"] = task
    return built


def texts(task):
    return ["".join(p.get("text", "") for p in m["parts"]) for m in task.get("history", [])]


def framed(t, stream, what):
    """Every byte of a stream is as it must be, and exactly one event is final."""
    blocks = stream.raw.split(b"\n\n")
    good = blocks[-1] == b"" and b"\r" not in stream.raw
    results = []
    for block in blocks[:-1]:
        good = good and re.fullmatch(rb"data: (\{.*\})", block) is not None
        if block.startswith(b"data: "):
            results.append(json.loads(block[6:])["result"])
    final = [r for r in results if r.get("final")]
    return t.check(good and len(final) == 1 and results and results[-1] is final[0]
                   and final[0]["status"]["state"] in FINAL, what, stream.raw[:3000])


# ---- the card

def cards(t, c):
    for prefix in ("/a2a", "/api/a2a", "/kagent/api/a2a"):
        for name in ("agent-card.json", "agent.json"):
            reply = c.send("GET", f"{prefix}/test/echo/.well-known/{name}")
            card = reply.json
            t.same((reply.status, card["url"]), (200, f"http://127.0.0.1:{c.server.port}{prefix}/test/echo"),
                   f"the card {name} below {prefix} says where the agent is")
    t.same({k: card[k] for k in ("protocolVersion", "name", "description", "preferredTransport", "capabilities")},
           {"protocolVersion": "0.3.0", "name": "echo", "description": "It is echo.", "preferredTransport": "JSONRPC",
            "capabilities": {"streaming": True, "pushNotifications": False, "stateTransitionHistory": False}},
           "the card has what 0.3 wants")
    t.check("text/plain" in card["defaultInputModes"] and "text/plain" in card["defaultOutputModes"]
            and card["version"] and isinstance(card["skills"], list)
            and all(k in s for s in card["skills"] for k in ("id", "name", "description", "tags")),
            "… and modes, version and skills", card)
    t.check("security" not in card, "… and no security where nobody needs a token")
    tag = reply.headers["etag"]
    t.check("max-age" in reply.headers["cache-control"], "the card may be kept for a while", reply.headers)
    again = c.send("GET", "/kagent/api/a2a/test/echo/.well-known/agent.json", headers={"If-None-Match": tag})
    t.same((again.status, again.body), (304, b""), "… and is not sent again when it is known")
    elsewhere = c.send("GET", "/a2a/test/echo/.well-known/agent-card.json",
                       headers={"Host": f"localhost:{c.server.port}"}).json
    t.same(elsewhere["url"], f"http://localhost:{c.server.port}/a2a/test/echo", "the card names the host that was asked")
    for method, path in (("GET", "/a2a/test/none/.well-known/agent-card.json"), ("POST", "/api/a2a/test/none"),
                         ("POST", "/a2a/test/none/"), ("POST", "/a2a/v1/echo")):
        reply = c.send(method, path, {} if method == "POST" else None)
        name = "/".join(path.split("a2a/")[1].split("/")[:2])
        t.same((reply.status, reply.body.decode().strip()), (404, f"Agent {name} not found"),
               f"{method} {path}: an agent that is not there")
    for path in ("/a2a/test/echo", "/api/a2a/test/echo/", "/kagent/api/a2a/test/echo"):
        reply = c.send("GET", path)
        t.same((reply.status, "POST" in reply.headers.get("allow", "")), (405, True), f"GET {path} is no method there")


# ---- the envelope

def envelopes(t, c):
    a = Agent(t, c)
    def broken(code, body, what, headers=None, call_id=None):
        reply = a.post(body, headers)
        answer = reply.json if reply.body else {}
        t.check((reply.status, answer.get("error", {}).get("code"), answer.get("id", "none"))
                == (200, code, call_id) and reply.headers["content-type"] == "application/json", what,
                reply.status, reply.headers, reply.body)
    broken(-32005, "no JSON", "another content type is refused before anything is read", {"Content-Type": "text/plain"})
    broken(-32005, "{}", "… also when it would be JSON", {"Content-Type": "application/x-www-form-urlencoded"})
    broken(-32700, "{\"jsonrpc\":", "what is no JSON")
    broken(-32600, [{"jsonrpc": "2.0", "id": 1, "method": "tasks/get"}], "several calls at once")
    broken(-32600, "[]", "no call at all")
    broken(-32600, "7", "a number")
    broken(-32600, {"jsonrpc": "2.0", "id": {"a": 1}, "method": "tasks/get"}, "an id that is an object")
    broken(-32600, {"jsonrpc": "2.0", "id": True, "method": "tasks/get"}, "an id that is true")
    broken(-32600, {"jsonrpc": "2.0", "id": "x" * 2000, "method": "tasks/get"}, "an id that is too long")
    broken(-32600, {"jsonrpc": "1.0", "id": 3, "method": "tasks/get"}, "another version of JSON-RPC", call_id=3)
    broken(-32600, {"id": 3, "method": "tasks/get"}, "no version of JSON-RPC", call_id=3)
    broken(-32600, {"jsonrpc": "2.0", "id": 3}, "no method", call_id=3)
    broken(-32600, {"jsonrpc": "2.0", "id": 3, "method": 5}, "a method that is no string", call_id=3)
    broken(-32601, {"jsonrpc": "2.0", "id": 3, "method": "message/ssend"}, "a method that is not there", call_id=3)
    broken(-32601, {"jsonrpc": "2.0", "id": 3, "method": "SendMessage"}, "a method of 1.0", call_id=3)
    broken(-32602, {"jsonrpc": "2.0", "id": 3, "method": "tasks/get", "params": [1]}, "params that are no object", call_id=3)
    broken(-32602, {"jsonrpc": "2.0", "id": 3, "method": "tasks/get", "params": {"": "x"}}, "params without an id", call_id=3)
    broken(-32009, {"jsonrpc": "2.0", "id": 3, "method": "tasks/get"}, "a version that is not spoken", {"A2A-Version": "1.0"}, 3)
    broken(-32009, {"jsonrpc": "2.0", "id": 3, "method": "SendMessage"}, "… is looked at before the method", {"A2A-Version": "7"}, 3)
    for number in (7, "seven", None, 1.5, "", -1, "ü\n"):
        error = a.refused(-32001, "tasks/get", {"id": "none"}, f"an id {number!r} comes back as it was", call_id=number)
        t.check("none" in error.get("message", ""), "… and the reason names the task")
    reply = a.post({"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": "none"}}).json
    t.same((reply["id"], reply["error"]["code"]), (None, -32001), "a call without an id is answered, too")
    for head in ({"A2A-Version": "0.3"}, {"A2A-Version": "0.3.0"}, {"A2A-Version": ""}, {"Content-Type": "application/a2a+json"}):
        a.refused(-32001, "tasks/get", {"id": "none"}, f"{head} is taken", headers=head)
    for method in ("set", "get", "list", "delete"):
        a.refused(-32003, f"tasks/pushNotificationConfig/{method}", {"id": "x"})
    a.refused(-32007, "agent/getAuthenticatedExtendedCard")
    reply = a.post(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"' + b"x" * (11 << 20) + b'"}}')
    t.same((reply.status, reply.json["error"]["code"]), (413, -32602), "a call that is too large")


# ---- message/send

def sends(t, c):
    a = Agent(t, c)
    said = message("hello")
    task = a.result("message/send", {"message": said})
    t.same((task["kind"], task["status"]["state"], texts(task)), ("task", "completed", ["hello", "hello"]),
           "a message is answered with its task")
    session, turn = task["id"].split("~")
    t.same((task["contextId"], task["metadata"]["kagent_invocation_id"]), (session, turn), "… whose id has session and turn")
    mine, answer = task["history"]
    t.same({k: mine[k] for k in said}, said, "… with the message as it came")
    t.check(all(m["contextId"] == session and m["taskId"] == task["id"] and m["kind"] == "message"
                and m["metadata"]["kagent_invocation_id"] == turn for m in task["history"]), "… and the ids of the task", task)
    t.same((answer["role"], answer["parts"]), ("agent", [{"kind": "text", "text": "hello"}]), "… and the agent's answer")
    t.same([(x["artifactId"], x["parts"]) for x in task["artifacts"]], [(f"{turn}-0", [{"kind": "text", "text": "hello"}])],
           "… which is an artifact, too")
    t.check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", task["status"]["timestamp"]), "… and a time", task["status"])
    t.same(a.result("tasks/get", {"id": task["id"]}), task, "tasks/get gives the same")
    known = c.get(f"/sessions/{session}").json
    t.same((known["title"], known["agent"], known["messages"]), ("hello", "test/echo", 2), "it is a session like any other")
    native = c.get(f"/sessions/{session}/messages").json["messages"]
    t.check(native[0]["parts"] == [{"type": "text", "text": "hello"}] and native[0]["id"] != said["messageId"]
            and native[0]["metadata"]["a2a"]["message"] == said, "… with the message as it came beside it", native)
    more = a.send("again", session)
    t.same((more["contextId"], more["id"] != task["id"], texts(more)), (session, True, ["again", "again"]),
           "a context goes on with another task")
    t.same([m["parts"][0]["text"] for m in c.get(f"/sessions/{session}/messages").json["messages"]],
           ["hello", "hello", "again", "again"], "… in the same session")
    same = message("hello")
    first, second = (a.result("message/send", {"message": same}) for _ in range(2))
    t.check(first["id"] != second["id"], "a client may use a messageId again")
    # a context of the client's own
    mine = a.send("x", "my-context.1")
    t.same(mine["contextId"], "my-context.1", "a client may choose the context")
    a.refused(-32602, "message/send", {"message": message("x", "no context")}, "… if it can be an id", "id")
    Agent(t, c, "other").refused(-32602, "message/send", {"message": message("x", "my-context.1")},
                                 "a context of another agent is refused", "test/echo")
    Agent(t, c, "other").refused(-32001, "tasks/get", {"id": mine["id"]}, "… and so is its task")
    # at every address
    for prefix, slash in (("/a2a", "/"), ("/api/a2a", ""), ("/api/a2a", "/"), ("/kagent/api/a2a", ""), ("/kagent/api/a2a", "/")):
        t.same(texts(Agent(t, c, "echo", prefix, slash).send("y", "my-context.1"))[-1], "y", f"… also at {prefix}/…{slash}")
    # how much of the history
    t.check("history" not in a.result("message/send", {"message": message("z"), "configuration": {"historyLength": 0}}),
            "no history is sent when none is wanted")
    t.same(texts(a.result("message/send", {"message": message("z"), "configuration": {"historyLength": 1}})), ["z"],
           "… and one message when one is")
    t.check("history" not in a.result("tasks/get", {"id": task["id"], "historyLength": 0}), "tasks/get likewise")
    t.same(len(a.result("tasks/get", {"id": task["id"], "historyLength": 9})["history"]), 2, "… and not more than there are")
    # parts of every kind
    parts = [{"kind": "text", "text": "see"}, {"kind": "text", "text": "this"},
             {"kind": "file", "file": {"name": "a.txt", "mimeType": "text/plain", "bytes": "YQ=="}},
             {"kind": "file", "file": {"uri": "https://example.com/b"}, "metadata": {"x": 1}},
             {"kind": "data", "data": {"n": 12345678901234567890}}]
    rich = a.result("message/send", {"message": {**message(""), "parts": parts, "metadata": {"mine": [1, {"a": None}]},
                                                 "extensions": ["urn:x"], "referenceTaskIds": ["t"]}})
    t.same((rich["history"][0]["parts"], rich["history"][0]["metadata"]["mine"], rich["history"][0]["extensions"]),
           (parts, [1, {"a": None}], ["urn:x"]), "parts of every kind come back as they came")
    t.same([p["type"] for p in c.get(f"/sessions/{rich['contextId']}/messages").json["messages"][0]["parts"]],
           ["text", "text", "file", "file", "data"], "… and are parts of the native API")
    # not waiting
    slow = Agent(t, c, "slow")
    task = slow.result("message/send", {"message": message("later"), "configuration": {"blocking": False}})
    t.check(task["status"]["state"] in ("submitted", "working") and texts(task) == ["later"], "the answer need not be waited for", task)
    slow.refused(-32004, "message/send", {"message": message("now", task["contextId"])},
                 "a context takes one message at a time", "running")
    slow.refused(-32004, "message/send", {"message": message("now", None, task["id"])}, "… and so does a task", "waits for nothing")
    while slow.result("tasks/get", {"id": task["id"]})["status"]["state"] != "completed":
        time.sleep(0.05)
    t.same(texts(slow.result("tasks/get", {"id": task["id"]})), ["later", "later"], "… and is there when it is ready")
    slow.refused(-32004, "message/send", {"message": message("more", None, task["id"])}, "a task that has ended takes no more", "ended")
    failed = Agent(t, c, "fail").send("x")
    t.check(failed["status"]["state"] == "failed" and "the model is out" in failed["status"]["message"]["parts"][0]["text"],
            "a turn that fails is a failed task with the reason", failed)
    after = Agent(t, c, "fail").send("y", failed["contextId"])
    t.same([Agent(t, c, "fail").result("tasks/get", {"id": x["id"]})["status"]["state"] for x in (failed, after)],
           ["failed", "failed"], "… also when others came after it")
    tools = Agent(t, c, "tools").send("list")
    kinds = [(m["role"], [p.get("metadata", {}).get("kagent_type", p["kind"]) for p in m["parts"]]) for m in tools["history"]]
    t.same(kinds, [("user", ["text"]), ("agent", ["text", "function_call"]), ("agent", ["function_response"]), ("agent", ["text"])],
           "tools are data parts")
    t.same((tools["history"][1]["parts"][1]["data"], tools["history"][2]["parts"][0]["data"]["response"]["result"]),
           ({"id": "c1", "name": "bash", "args": {"command": "ls"}}, "a.txt"), "… with their arguments and results")
    t.same(tools["metadata"]["kagent_usage_metadata"], {"totalTokenCount": 17, "promptTokenCount": 12, "candidatesTokenCount": 5},
           "the task says what it used")
    t.same([x["artifactId"].split("-")[-1] for x in tools["artifacts"]], ["0", "2"], "… and has an artifact for each text")


def refusals(t, c):
    a = Agent(t, c)
    count = lambda: len(c.get("/sessions?limit=1000").json["sessions"])
    before = count()
    good = message("x", "never-made")
    def bad(word, **change):
        params = {"message": {k: v for k, v in {**good, **change}.items() if v is not None}}
        a.refused(-32602, "message/send", params, f"message/send with {json.dumps(change)[:60]}", word)
    a.refused(-32602, "message/send", {}, "no message", "params.message")
    a.refused(-32602, "message/send", None, "no params", "params.message")
    a.refused(-32602, "message/send", {"message": 5}, "a message that is none", "params.message")
    bad("messageId", messageId=None)
    bad("messageId", messageId=5)
    bad("kind", kind="task")
    bad("role", role=None)
    bad("role", role="agent")
    bad("parts", parts=None)
    bad("parts", parts="invalid")
    bad("parts", parts=[])
    bad("parts[0]", parts=["x"])
    bad("parts[0].kind", parts=[{"kind": "video"}])
    bad("parts[1].text", parts=[{"kind": "text", "text": "a"}, {"kind": "text"}])
    bad("parts[0].data", parts=[{"kind": "data", "data": 5}])
    bad("parts[0].file", parts=[{"kind": "file"}])
    bad("parts[0].file", parts=[{"kind": "file", "file": {"bytes": "", "uri": ""}}])
    bad("parts has more", parts=[{"kind": "text", "text": "a"}] * 1001)
    bad("contextId", contextId=5)
    bad("taskId", taskId=5)
    bad("metadata", metadata=[])
    for word, configuration in (("blocking", {"blocking": "no"}), ("historyLength", {"historyLength": -1}),
                                ("historyLength", {"historyLength": 1.5}), ("configuration", 5)):
        a.refused(-32602, "message/send", {"message": good, "configuration": configuration}, f"configuration {configuration}", word)
    a.refused(-32003, "message/send", {"message": good, "configuration": {"pushNotificationConfig": {"url": "http://x"}}})
    a.refused(-32001, "message/send", {"message": message("x", None, "none")}, "a task that is not there", "none")
    a.refused(-32602, "message/stream", {"message": {**good, "parts": []}}, "message/stream is refused likewise", "parts")
    Agent(t, c, "outside").refused(-32004, "message/send", {"message": message("x", "never-made")},
                                   "an agent that somebody else runs", "outside")
    for method in ("tasks/get", "tasks/cancel"):
        a.refused(-32602, method, {}, f"{method} without an id", "params.id")
        a.refused(-32602, method, {"id": 5}, f"{method} with a number", "params.id")
        a.refused(-32001, method, {"id": "none~x"}, f"{method} of none")
    a.refused(-32602, "tasks/get", {"id": "x", "historyLength": -1}, "a negative length", "historyLength")
    t.same(count(), before, "what was refused has made no session")


def peak_bytes(server):
    """The most memory that the server has ever had."""
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) << 10


def hostile(t, c):
    a = Agent(t, c)
    title = lambda task: c.get("/sessions/" + task["contextId"]).json["title"]
    t.same([title(a.send(x)) for x in ("a\tb\u007f", "one\r\ntwo", "\u0000x\ny", "\n")], ["a b ", "one", " x", ""],
           "a first line with control characters is sent, and is a title without them")
    before = peak_bytes(c.server)
    task = a.result("message/send", {"message": {**message("x"), "parts": [{"kind": "text", "text": "y" * 3000}] * 1000}})
    t.same(len(task["history"][0]["parts"]), 1000, "a message of a thousand long parts")
    grown = peak_bytes(c.server) - before
    t.check(grown < 600 << 20, "… needs memory for what it is, and not for each part once more", grown)
    for params in ("tasks/get", {"id": "x" * 149 + "ä"}), ("x" * 99 + "ä", None):
        a.refused(-32001 if params[1] else -32601, *params, "a name that is cut inside a character is quoted as UTF-8", "\ufffd")


# ---- message/stream

def streams(t, c):
    a = Agent(t, c, "talk")
    said = message("hi")
    s = Sse(a, "message/stream", {"message": said}, "call-1")
    t.same((s.status, s.type), (200, "text/event-stream"), "message/stream is a stream")
    got = s.results()
    framed(t, s, "… framed byte for byte, with one final event at its end")
    t.check(all(json.loads(b[6:])["id"] == "call-1" and json.loads(b[6:])["jsonrpc"] == "2.0"
                for b in s.raw.split(b"\n\n")[:-1]), "… each event with the id of the call")
    task = got[0]
    t.same((task["kind"], task["status"]["state"], task["history"][0]["messageId"]), ("task", "submitted", said["messageId"]),
           "… the task first, with what the user said")
    t.same((got[1]["kind"], got[1]["status"]["state"], got[1]["final"]), ("status-update", "working", False), "… then that it is worked on")
    chunks = [e for e in got if e["kind"] == "artifact-update" and not e["lastChunk"]]
    t.same("".join(e["artifact"]["parts"][0]["text"] for e in chunks), "Hello", "… the text as it comes")
    t.same([e["append"] for e in chunks], [False] + [True] * (len(chunks) - 1), "… each piece behind the one before")
    spoken = [e for e in got if e["kind"] == "status-update" and "message" in e["status"]]
    t.same([(e["status"]["state"], e["status"]["message"]["parts"]) for e in spoken],
           [("working", [{"kind": "text", "text": "Hello"}])], "… the message when it is whole")
    t.same(spoken[0]["metadata"]["kagent_usage_metadata"], {"totalTokenCount": 10, "promptTokenCount": 7, "candidatesTokenCount": 3},
           "… with what it used")
    last = [e for e in got if e["kind"] == "artifact-update" and e["lastChunk"]]
    t.same([(e["artifact"]["parts"], e["append"]) for e in last], [([{"kind": "text", "text": "Hello"}], False)],
           "… and its text once more as the whole artifact")
    t.same(len({e["artifact"]["artifactId"] for e in chunks + last}), 1, "… which is the one that grew")
    t.check(all(e["taskId"] == task["id"] and e["contextId"] == task["contextId"] for e in got[1:])
            and all(e["metadata"]["kagent_invocation_id"] == task["id"].split("~")[1] for e in got), "… everything names task and turn")
    t.same((got[-1]["status"]["state"], "message" in got[-1]["status"]), ("completed", False), "… and the end says how it ended")
    known = a.result("tasks/get", {"id": task["id"]})
    t.same((known["history"][0], known["artifacts"][0]["artifactId"], [m["messageId"] for m in known["history"]][1]),
           (task["history"][0], last[0]["artifact"]["artifactId"], spoken[0]["status"]["message"]["messageId"]),
           "tasks/get has the same message, artifact and ids")
    s = Agent(t, c, "tools").stream("list")
    got = s.results()
    framed(t, s, "a turn with a tool, byte for byte")
    parts = [p.get("metadata", {}).get("kagent_type", p["kind"]) for e in got if e["kind"] == "status-update"
             for p in e["status"].get("message", {}).get("parts", [])]
    t.same(parts, ["text", "function_call", "function_response", "text"], "… tells calls and results as statuses")
    s = Agent(t, c, "fail").stream("x")
    got = s.results()
    framed(t, s, "a turn that fails ends its stream")
    t.check(got[-1]["status"]["state"] == "failed" and "the model is out" in got[-1]["status"]["message"]["parts"][0]["text"],
            "… with the reason", got[-1])
    s = a.stream("more", task["contextId"])
    t.same(s.results()[0]["contextId"], task["contextId"], "a stream goes on in its context")
    s = Sse(a, "message/stream", {"message": {**message("x"), "messageId": ""}})
    first = s.results()[0]
    t.check(first["history"][0]["messageId"] and
            first["history"][0] == a.result("tasks/get", {"id": first["id"]})["history"][0],
            "a message without an id of its own gets one", first)
    pretty = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {"message": message("x")}}, indent=2)
    raw = a.post(pretty.replace("\n", "\r\n")).body
    t.check(b"\r" not in raw and all(re.fullmatch(rb"data: \{[^\n]*\}", b) for b in raw.split(b"\n\n")[:-1]),
            "what was sent in many lines comes back in one", raw[:600])
    # a refusal is no stream
    s = Sse(a, "message/stream", {"message": {"kind": "message"}})
    t.same((s.type, json.loads(s.reply.read())["error"]["code"]), ("application/json", -32602), "a refusal is no stream")
    # long text
    long = "ü" * 350_000
    s = Agent(t, c, "echo").stream(long)
    got = s.results()
    lines = [b for b in s.raw.split(b"\n\n") if not b.startswith(b'data: {"jsonrpc":"2.0","id":1,"result":{"kind":"task"')]
    t.check(max(map(len, lines)) < LINE_MAX, "no line is too long for its reader", max(map(len, lines)))
    pieces = [e for e in got if e["kind"] == "artifact-update"]
    t.same(("".join(e["artifact"]["parts"][0]["text"] for e in pieces) == long, [e["lastChunk"] for e in pieces].count(True),
            pieces[-1]["lastChunk"], [e["append"] for e in pieces[:2]]), (True, 1, True, [False, True]), "… long text comes in pieces")
    # one that is left does not end its turn
    s = Agent(t, c, "slow").stream("bye")
    task = s.event()["result"]
    s.close()
    for _ in range(100):
        if Agent(t, c, "slow").result("tasks/get", {"id": task["id"]})["status"]["state"] == "completed":
            break
        time.sleep(0.05)
    t.same(texts(Agent(t, c, "slow").result("tasks/get", {"id": task["id"]})), ["bye", "bye"], "a client that leaves does not end its task")


# ---- cancel, resubscribe

def cancels(t, c):
    a = Agent(t, c, "wait")
    s = a.stream("go")
    task = s.event()["result"]
    s.until(lambda e: e["kind"] == "artifact-update")
    second = Sse(a, "tasks/resubscribe", {"id": task["id"]}, "two")
    first = second.event()
    t.same((second.status, second.type, first["id"], first["result"]["kind"], first["result"]["status"]["state"], texts(first["result"])),
           (200, "text/event-stream", "two", "task", "working", ["go"]), "a second client comes to the same task")
    heard = second.until(lambda e: e["kind"] == "artifact-update")
    t.same((heard["artifact"]["parts"][0]["text"], heard["append"]), ("thinking", False), "… and is told what was said so far")
    t.same(a.result("tasks/get", {"id": task["id"]})["status"]["state"], "working", "… which is being worked on")
    stopped = a.result("tasks/cancel", {"id": task["id"]})
    t.same((stopped["id"], stopped["status"]["state"]), (task["id"], "canceled"), "a task can be cancelled in the middle")
    ends = [x.results() for x in (s, second)]
    t.same([e[-1]["status"]["state"] for e in ends], ["canceled", "canceled"], "… and both streams end with it")
    framed(t, s, "… byte for byte")
    framed(t, second, "… the second, too")
    t.same(texts(stopped), ["go", "thinking"], "… what was said is kept")
    t.same(a.result("tasks/cancel", {"id": task["id"]})["status"]["state"], "canceled", "a second cancel says the same")
    done = Agent(t, c).send("x")
    Agent(t, c).refused(-32002, "tasks/cancel", {"id": done["id"]}, "what has ended cannot be cancelled", "ended")
    # what is over
    s = Sse(Agent(t, c), "tasks/resubscribe", {"id": done["id"]})
    t.same((s.type, s.results()), ("text/event-stream", [done]), "a task that has ended is told, and that is all")
    for params, code in (({"id": "none"}, -32001), ({}, -32602), ({"id": 7}, -32602)):
        s = Sse(a, "tasks/resubscribe", params, 9)
        got = s.results()
        t.check(s.type == "text/event-stream" and len(got) == 1 and got[0]["error"]["code"] == code and got[0]["id"] == 9
                and re.fullmatch(rb"data: \{.*\}\n\n", s.raw), f"tasks/resubscribe {params} is refused as an event", s.raw)
    # messages that came before the second client are in its task, and not told again
    a = Agent(t, c, "slow")
    s = a.stream("one")
    task = s.event()["result"]
    late = Sse(a, "tasks/resubscribe", {"id": task["id"]})
    got = late.results()
    ids = [m["messageId"] for m in got[0]["history"]] + [e["status"]["message"]["messageId"] for e in got[1:]
                                                         if e["kind"] == "status-update" and "message" in e["status"]]
    t.same((len(ids), len(set(ids)), got[-1]["status"]["state"]), (2, 2, "completed"), "a late client has every message once")
    mine = [json.dumps(e, sort_keys=True) for e in s.results() if e["kind"] == "artifact-update" and e["lastChunk"]]
    t.same(mine, [json.dumps(e, sort_keys=True) for e in got if e["kind"] == "artifact-update" and e["lastChunk"]],
           "… in the same words as the first")


# ---- tasks that wait

def waits(t, c):
    a = Agent(t, c, "asks")
    s = a.stream("paint it")
    got = s.results()
    framed(t, s, "a turn that asks ends its stream")
    task = got[0]
    t.same((got[-1]["status"]["state"], got[-1]["final"], got[-1]["status"]["message"]["parts"][0]["text"]),
           ("input-required", True, "which colour?"), "… with the question")
    now = a.result("tasks/get", {"id": task["id"]})
    t.same((now["status"]["state"], now["status"]["message"]["parts"][0]["text"]), ("input-required", "which colour?"), "tasks/get says so, too")
    a.refused(-32004, "message/send", {"message": message("x", task["contextId"])}, "another message has to wait", "is waiting")
    s = Sse(a, "tasks/resubscribe", {"id": task["id"]})
    t.same([e["status"]["state"] for e in s.results() if "status" in e], ["input-required"] * 2, "who comes to it is asked, too")
    s = a.stream("blue", None, task["id"])
    got = s.results()
    framed(t, s, "the answer goes on with the task")
    t.same((got[0]["kind"], got[0]["id"], got[-1]["status"]["state"]), ("task", task["id"], "completed"), "… the same one, to its end")
    done = a.result("tasks/get", {"id": task["id"]})
    t.same((done["status"]["state"], texts(done)), ("completed", ["paint it", "blue", "paint it"]), "… and the agent has the answer")
    # without a stream
    asked = a.send("again", task["contextId"])
    t.same((asked["status"]["state"], asked["contextId"]), ("input-required", task["contextId"]), "message/send comes back when it is asked")
    t.same(texts(a.send("red", None, asked["id"])), ["again", "red", "again"], "… and once more when it is answered")
    asked = a.send("third", task["contextId"])
    now = a.result("message/send", {"message": message("green", None, asked["id"]), "configuration": {"blocking": False}})
    t.same(now["id"], asked["id"], "… or at once")
    while a.result("tasks/get", {"id": asked["id"]})["status"]["state"] != "completed":
        time.sleep(0.05)
    asked = a.send("fourth")
    t.same(a.result("tasks/cancel", {"id": asked["id"]})["status"]["state"], "canceled", "a task that waits can be cancelled")
    a.refused(-32004, "message/send", {"message": message("late", None, asked["id"])}, "… and takes no answer then", "ended")
    tools = Agent(t, c, "tool-asks")
    for answer, ran in ((message("yes"), "ran"), (message("No."), None),
                        ({**message(""), "parts": [{"kind": "data", "data": {"decision": "approve"}}]}, "ran"),
                        ({**message(""), "parts": [{"kind": "data", "data": {"decision_type": "reject"}}]}, None)):
        asked = tools.send("do it", tool_session(c))
        if not t.same(asked["status"]["state"], "input-required", "a tool that needs a yes"):
            continue
        call = asked["status"]["message"]["parts"][1]
        t.same((call["data"]["name"], call["data"]["args"]["originalFunctionCall"]["name"], call["metadata"]["kagent_is_long_running"]),
               ("adk_request_confirmation", "bash", True), "… is asked for as kagent asks")
        tools.refused(-32602, "message/send", {"message": message("maybe", None, asked["id"])}, "… and wants a yes or a no", "approve")
        done = tools.result("message/send", {"message": {**answer, "taskId": asked["id"]}})
        result = [p["data"]["response"] for m in done["history"] for p in m["parts"]
                  if p.get("metadata", {}).get("kagent_type") == "function_response"]
        t.check(done["status"]["state"] == "completed" and len(result) == 1 and (result[0]["result"] == ran) == bool(ran)
                and result[0]["isError"] == (not ran), f"… {answer['parts']}", done)


def tool_session(c):
    """A session whose settings want a yes for tools."""
    return c.send("POST", "/docker-agent/api/sessions", {"permissions": {"ask": ["bash"]}}).json["id"]


def ends_late(t, c):
    """Others may write much into the session while a turn has nothing to say."""
    a = Agent(t, c, "quiet")
    task = a.result("message/send", {"message": message("go"), "configuration": {"blocking": False}})
    for i in range(40):
        c.send("PATCH", "/api/v1/sessions/" + task["contextId"], {"title": f"title {i}"})
    a.result("tasks/cancel", {"id": task["id"]})
    again = a.result("message/send", {"message": message("go on", task["contextId"]), "configuration": {"blocking": False}})
    t.same(a.result("tasks/get", {"id": task["id"]})["status"]["state"], "canceled",
           "a task that was cancelled long after its last message is a cancelled one")
    page = a.result("tasks/list", {"contextId": task["contextId"]})["tasks"]
    t.same([x["status"]["state"] for x in page], ["canceled", "working"], "… in the list, too")
    a.result("tasks/cancel", {"id": again["id"]})


# ---- tasks/list

def lists(t, c):
    a = Agent(t, c)
    context = a.send("0")["contextId"]
    for i in range(1, 5):
        a.send(str(i), context)
    page = a.result("tasks/list", {"contextId": context})
    t.same(([texts(x)[0] for x in page["tasks"]], page["totalSize"], page["pageSize"], page["nextPageToken"]),
           (["0", "1", "2", "3", "4"], 5, 50, ""), "tasks/list: the tasks of a context, oldest first")
    t.check(not any("artifacts" in x for x in page["tasks"]), "… without artifacts")
    t.check(all("artifacts" in x for x in a.result("tasks/list", {"contextId": context, "includeArtifacts": True})["tasks"]),
            "… unless they are wanted")
    seen, token = [], ""
    while True:
        page = a.result("tasks/list", {"contextId": context, "pageSize": 2, "pageToken": token, "historyLength": 1})
        seen += [texts(x) for x in page["tasks"]]
        token = page["nextPageToken"]
        if not token:
            break
    t.same(seen, [[str(i)] for i in range(5)], "… page by page, with as much history as is wanted")
    t.same(a.result("tasks/list", {"contextId": context, "status": "failed"})["totalSize"], 0, "… by state")
    t.check(not any("history" in x for x in a.result("tasks/list", {"contextId": context, "historyLength": 0})["tasks"]),
            "… or without any history")
    Agent(t, c, "other").refused(-32602, "tasks/list", {"contextId": context}, "tasks/list at another agent's address", "test/echo")
    for params in ({}, {"contextId": "none"}, {"contextId": context, "pageSize": 0}, {"contextId": context, "pageSize": 101},
                   {"contextId": context, "pageToken": "x"}):
        a.refused(-32602, "tasks/list", params, f"tasks/list {params}")


# ---- rewind

def control(invocation, context=None, **more):
    return {"message": {"role": "user", **({"contextId": context} if context else {}),
                        "metadata": {"kagent_rewind_before_invocation_id": invocation}, **more}}


def rewinds(t, c):
    a = Agent(t, c, "echo", "/api/a2a", "/")
    made = [a.send(x) if i == 0 else None for i, x in enumerate(["one"])]
    context = made[0]["contextId"]
    tasks = made + [a.send(x, context) for x in ("two", "three")]
    turns = [x["metadata"]["kagent_invocation_id"] for x in tasks]
    before = c.get(f"/sessions/{context}/messages").json["messages"]
    s = Sse(a, "message/stream", control(turns[1], context, kind="message", messageId="m1", parts=[{"kind": "text", "text": ""}]), "r")
    got = s.results()
    t.same((s.status, s.type, len(got)), (200, "text/event-stream", 2), "a rewind is a stream of two events")
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    whole = got[0]
    exact = b"".join(b"data: " + json.dumps({"jsonrpc": "2.0", "id": "r", "result": x}, separators=(",", ":"),
                                            ensure_ascii=False).encode() + b"\n\n" for x in got)
    t.check(s.raw == exact, "… byte for byte: one line each, no CR, nothing else", s.raw, exact)
    t.check(re.fullmatch(rb'data: \{"jsonrpc":"2.0","id":"r","result":\{"kind":"status-update","taskId":"' + context.encode() +
                         rb'","contextId":"' + context.encode() + rb'","status":\{"state":"completed","timestamp":"' + stamp.encode() +
                         rb'"\},"final":true\}\}', s.raw.split(b"\n\n")[1]), "… the second: completed and final", s.raw)
    t.same((whole["kind"], whole["id"], whole["contextId"], whole["status"]["state"], texts(whole)),
           ("task", context, context, "completed", ["one", "one"]), "… the first: the whole conversation as one task")
    t.same([m["messageId"] for m in whole["history"]], [m["messageId"] for m in tasks[0]["history"]], "… with the ids that its messages had")
    t.check(all(m["metadata"]["kagent_invocation_id"] == turns[0] and m["taskId"] == m["contextId"] == context for m in whole["history"]),
            "… and their invocation", whole)
    t.same(len(c.get(f"/sessions/{context}/messages").json["messages"]), 2, "… the session is where it was then")
    listed = a.result("tasks/list", {"contextId": context})["tasks"]
    t.same([(x["id"], texts(x)) for x in listed], [(context, ["one", "one"])], "a reload finds the same task")
    t.same(a.result("tasks/get", {"id": context})["history"], whole["history"], "… by its id, too")
    a.refused(-32001, "tasks/get", {"id": tasks[2]["id"]}, "what was rewound away is not there")
    t.same(texts(a.result("tasks/get", {"id": tasks[0]["id"]})), ["one", "one"], "what was kept still is")
    four = a.send("four", context)
    t.same([texts(x) for x in a.result("tasks/list", {"contextId": context})["tasks"]], [["one", "one"], ["four", "four"]],
           "what is said afterwards is a task of its own")
    # to what was rewound away, and again to the same place
    again = a.result("message/send", {"message": message("ignored", context), "metadata": {"kagent_rewind_before_invocation_id": turns[2]}})
    t.same((again["id"], texts(again)), (context, ["one", "one", "two", "two"]),
           "message/send answers with the task; the way leads to what was rewound away, too")
    twice = a.result("message/send", control(turns[2], context))
    t.same(twice["history"], again["history"], "the same again changes nothing")
    start = a.result("message/send", control(turns[0], context))
    t.same((start["status"]["state"], start["history"]), ("completed", []), "to the very start")
    five = a.send("five", context)
    t.same([(x["id"], texts(x)) for x in a.result("tasks/list", {"contextId": context})["tasks"]],
           [(context, []), (five["id"], ["five", "five"])], "… and on from there")
    # nothing is lost
    for _ in range(4):
        c.post(f"/sessions/{context}/undo")
    t.check(len(before) == 6 and c.get(f"/sessions/{context}/messages").json["messages"] == before, "undo brings everything back")
    # what cannot be
    count = lambda: len(c.get("/sessions?limit=1000").json["sessions"])
    sessions, head = count(), c.get(f"/sessions/{context}").json["head"]
    slow = Agent(t, c, "wait")
    busy = slow.stream("go")
    running = busy.event()["result"]
    sessions += 1
    for agent, params, word in ((a, control("e-none", context), "e-none"), (a, control("", context), "empty"),
                                (a, control("header_update", context), "header_update"), (a, control(turns[0]), "contextId"),
                                (a, control(turns[0], "no-session"), "no-session"), (a, control(turns[0], "not an id"), "not an id"),
                                (Agent(t, c, "other"), control(turns[0], context), "test/echo"),
                                (slow, control(running["metadata"]["kagent_invocation_id"], running["contextId"]), "running")):
        s = Sse(agent, "message/stream", params, 3)
        got = s.results()
        framed(t, s, f"a rewind that cannot be ends its stream: {word}")
        t.check(len(got) == 1 and got[0]["status"]["state"] == "failed" and got[0]["final"]
                and word in got[0]["status"]["message"]["parts"][0]["text"], "… with one event and the reason", got)
        task = agent.result("message/send", params)
        t.check(task["kind"] == "task" and task["status"]["state"] == "failed"
                and word in task["status"]["message"]["parts"][0]["text"], "… message/send: a failed task", task)
    a.refused(-32602, "message/stream", control(5, context), "an invocation that is no string", "kagent_rewind_before_invocation_id")
    t.same((count(), c.get(f"/sessions/{context}").json["head"]), (sessions, head), "… no session is made, and none has moved")
    slow.result("tasks/cancel", {"id": running["id"]})
    busy.close()
    # a fork begins with what it came with
    fork = c.post(f"/sessions/{context}/fork", {"before_turn": turns[2]}, expect=201).json["session"]["id"]
    listed = a.result("tasks/list", {"contextId": fork})["tasks"]
    t.same([(x["id"], x["status"]["state"], texts(x)) for x in listed],
           [(f"{fork}~fork", "completed", ["one", "one", "two", "two"])], "a fork has one task with what it came with")
    t.check(all(m["contextId"] == fork and m["taskId"] == f"{fork}~fork" for m in listed[0]["history"]), "… whose messages name it")
    t.same(a.result("tasks/get", {"id": f"{fork}~fork"})["history"], listed[0]["history"], "… found by its id")
    six = a.send("six", fork)
    t.same([texts(x) for x in a.result("tasks/list", {"contextId": fork})["tasks"]], [["one", "one", "two", "two"], ["six", "six"]],
           "… and goes on by itself")
    t.same(texts(a.result("message/send", control(six["metadata"]["kagent_invocation_id"], fork))), ["one", "one", "two", "two"],
           "a fork can be rewound")
    deep = c.post(f"/sessions/{fork}/fork", {"before_turn": turns[1]}, expect=201).json["session"]["id"]
    t.same([(x["id"], texts(x)) for x in a.result("tasks/list", {"contextId": deep})["tasks"]], [(f"{deep}~fork", ["one", "one"])],
           "a fork of a fork that was rewound")
    used = Agent(t, c, "tools").send("list")
    more = Agent(t, c, "tools").send("list", used["contextId"])
    back = Agent(t, c, "tools").result("message/send", control(more["metadata"]["kagent_invocation_id"], used["contextId"]))
    t.same(back["metadata"]["kagent_usage_metadata"], used["metadata"]["kagent_usage_metadata"], "what was used is summed over what is kept")


# ---- many, and others

def many(t, c):
    a = Agent(t, c, "talk")
    got = {}
    def run(i):
        if i % 2:
            got[i] = texts(a.send(f"m{i}", f"many-{i}"))
        else:
            events = a.stream(f"m{i}", f"many-{i}").results()
            got[i] = texts(events[0]) + [e["artifact"]["parts"][0]["text"] for e in events
                                         if e["kind"] == "artifact-update" and e["lastChunk"]]
    threads = [threading.Thread(target=run, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    t.same(got, {i: [f"m{i}", "Hello"] for i in range(20)}, "20 messages at once in contexts of their own")
    wins = []
    slow = Agent(t, c, "slow")
    def race(i):
        wins.append(slow.call("message/send", {"message": message(f"r{i}", "race")}))
    threads = [threading.Thread(target=race, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    t.check(sum("result" in x for x in wins) == 1 and all(x["error"]["code"] == -32004 for x in wins if "error" in x),
            "of six at once in one new context one is answered", wins)


def users_named(t, c):
    a = Agent(t, c)
    alice = {"X-User-Id": "alice"}
    task = a.send("mine", "shared-name", headers=alice)
    t.same(c.get("/sessions/shared-name").json["user"], "alice", "X-User-Id says whose the session is")
    a.refused(-32001, "tasks/get", {"id": task["id"]}, "… which another user does not see", headers={"X-User-Id": "bob"})
    other = a.send("his", "shared-name", headers={"X-User-Id": "bob"})
    t.same((other["contextId"], texts(other)), ("shared-name", ["his", "his"]), "… and who may have one of the same name")
    t.same(texts(a.result("tasks/get", {"id": task["id"]}, headers=alice)), ["mine", "mine"], "… beside it")
    hers = a.send("only hers", "hers", headers=alice)
    t.same([texts(a.send("the operator's", "hers")), c.get("/sessions/hers").json["messages"]], [["the operator's"] * 2, 4],
           "the operator of an open server sees every session")
    t.same(texts(a.result("tasks/get", {"id": hers["id"]})), ["only hers"] * 2, "… and every task")
    a.refused(-32602, "message/send", {"message": message("x", "shared-name")}, "… but must say which of two", "shared-name")
    asks, wait = Agent(t, c, "asks"), Agent(t, c, "wait")
    asked = asks.send("q", headers=alice)
    t.same(texts(asks.send("a", None, asked["id"])), ["q", "a", "q"], "… answers in them")
    task = wait.result("message/send", {"message": message("x"), "configuration": {"blocking": False}}, headers=alice)
    t.same(wait.result("tasks/cancel", {"id": task["id"]})["status"]["state"], "canceled", "… and cancels in them")
    own = a.send("z", "own", headers={"X-User-Id": "admin@kagent.dev"})
    t.same(texts(a.result("tasks/get", {"id": own["id"]})), ["z", "z"], "kagent's own name is the caller's")
    t.same([x["metadata"]["kagent_user_id"] for x in (own, a.send("y", "unnamed"), hers)],
           ["admin@kagent.dev", "admin@kagent.dev", "alice"], "… and a task says whose it is as a session does")


def users(t):
    server = Server(CONFIG + USERS, [("ana", "token-ana"), ("ben", "token-ben"), ("wilma", "token-wilma"), ("guest", "token-guest")])
    try:
        ana, ben, wilma, guest, nobody = (Agent(t, Client(server, t, token=f"token-{x}" if x else None))
                                          for x in ("ana", "ben", "wilma", "guest", None))
        reply = nobody.post({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "x"}})
        t.same((reply.status, "error" in reply.json), (401, True), "without a token nobody is answered")
        card = nobody.c.send("GET", "/a2a/test/echo/.well-known/agent-card.json")
        t.check(card.status == 200 and card.json["security"] == [{"token": []}]
                and card.json["securitySchemes"]["token"]["scheme"] == "bearer", "… but the card says how to come in", card.body)
        task = ben.send("x")
        t.same(texts(task), ["x", "x"], "who may run is answered")
        for agent in (ana, guest):
            agent.refused(-32001, "tasks/get", {"id": task["id"]}, "another user's task does not exist")
            agent.refused(-32602, "tasks/list", {"contextId": task["contextId"]}, "… nor does the context")
        t.same(ana.send("mine", task["contextId"])["contextId"], task["contextId"], "… so its name is free")
        for agent, status in ((guest, 403), (wilma, 403)):
            reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message("x")}})
            t.same(reply.status, status, "who may not run is told by HTTP")
        reply = guest.post({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": control("x", "y")})
        t.same(reply.status, 403, "… who may not write cannot rewind")
        reply = guest.post({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": {"id": "x"}})
        t.same(reply.status, 403, "… nor cancel")
        reply = ben.post({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message("x")}}, {"X-User-Id": "ana"})
        t.same(reply.status, 403, "nobody speaks for others")
        t.same(texts(ben.send("y", headers={"X-User-Id": "ben"})), ["y", "y"], "… but for oneself")
    finally:
        t.same(server.stop(), 0, "the server ends")
        server.clear()


def main():
    t = Tap()
    server = Server(CONFIG)
    try:
        c = Client(server, t)
        for part in (cards, envelopes, sends, refusals, hostile, streams, cancels, waits, ends_late, lists, rewinds, many, users_named):
            part(t, c)
    finally:
        t.same(server.stop(), 0, "the server ends when it is told to")
        server.clear()
    users(t)
    return t.done()


sys.exit(main())

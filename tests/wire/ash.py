"""The wire of ash."""
import base64
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from wire import Client, Server, Tap

ASH = "/ash/api"
NOBODY = "00000000-0000-7000-8000-000000000000"
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
SESSION = {"id", "tenantId", "agentName", "sandboxId", "status", "runnerId", "parentSessionId", "createdAt",
           "lastActiveAt"}
MESSAGE = {"id", "sessionId", "tenantId", "role", "content", "sequence", "createdAt"}
EVENT = {"id", "sessionId", "tenantId", "type", "data", "sequence", "createdAt"}

CALL = {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
SCRIPTS = {
    "default/echo": [[{"echo": True}]],
    # its n-th answer says how many user messages it was shown
    "default/counting": [[{"say": {"text": f"I know {n}"}}] for n in range(1, 9)],
    "default/tools": [[{"reasoning": "hm"}, {"delta": "let me "}, {"delta": "see"},
                       {"say": {"parts": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "let me see"},
                                          CALL]}},
                       {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1", "output": "a.txt"}]}},
                       {"say": {"text": "there is a.txt"}}]],
    "default/slow": [[{"delta": "let me "}, {"sleep_ms": 300}, {"delta": "see"}, {"say": {"text": "let me see"}}]],
    "default/asks": [[{"ask": {"tool": "bash", "arguments": {"command": "ls"}}}, {"say": {"text": "so"}}]],
    "default/wait": [[{"delta": "thinking"}, {"wait": True}]],
    "default/fail": [[{"fail": "the model is out"}]],
    "other/echo": [[{"echo": True}]],
    "default/a--b": [[{"echo": True}]],
    "a--b/c": [[{"echo": True}]],
}
CONFIG = "agents:\n"
for name, script in SCRIPTS.items():
    CONFIG += f"  - name: {name}\n    kind: scripted\n    script: {json.dumps(json.dumps(script))}\n"
    CONFIG += "    default: true\n" if name == "default/echo" else ""
CONFIG += "sandbox: off\n"
USERS = "users:\n  - {name: ana, right: admin}\n  - {name: ben, right: run}\n" \
        "  - {name: wilma, right: write}\n  - {name: guest, right: read}\n"


class Ash:
    """A client that checks what it does not say otherwise: status, and that errors look like ash's."""

    def __init__(self, client):
        self.c, self.t = client, client.tap

    def call(self, method, path, body=None, expect=200, error=None, what=None, **more):
        path = path[1:] if path.startswith("//") else ASH + path
        reply = self.c.send(method, path, body, **more)
        wrong = [] if reply.status == expect else [f"status {reply.status}, not {expect}"]
        if expect >= 400:
            said = json.loads(reply.body or b"{}")
            if set(said) != {"error", "statusCode"} or said["statusCode"] != reply.status:
                wrong.append("no error of ash's")
            elif error is not None and said["error"] != error:
                wrong.append(f"the error is not {error!r}")
            elif not said["error"]:
                wrong.append("no reason")
        if wrong or what:
            self.t.check(not wrong, what or f"{method} {path}", *wrong, reply.body[:500])
        return reply

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)

    def new(self, agent="echo", **members):
        return self.post("/sessions", {"agent": agent, **members}, expect=201).json["session"]["id"]

    def say(self, session, content, **members):
        """The events of a turn."""
        return frames(self.post(f"/sessions/{session}/messages", {"content": content, **members}).body)

    def rows(self, session, query=""):
        return self.get(f"/sessions/{session}/messages{query}").json["messages"]

    def texts(self, session):
        return [text_of(row) for row in self.rows(session)]

    def status(self, session):
        return self.get(f"/sessions/{session}").json["session"]["status"]

    def fork(self, session, body=None, **more):
        return self.post(f"/sessions/{session}/fork", body, expect=201, **more).json["session"]["id"]

    def resumed(self, session, body=None):
        fork = self.fork(session, body)
        self.post(f"/sessions/{fork}/resume")
        return fork

    def put(self, session, files, **more):
        return self.post(f"/sessions/{session}/files",
                         {"files": [{"path": p, "content": base64.b64encode(b).decode()} for p, b in files.items()]},
                         **more)

    def files(self, session):
        listed = self.get(f"/sessions/{session}/files?includeHidden=true").json["files"]
        return {f["path"]: self.get(f"/sessions/{session}/files/{urllib.parse.quote(f['path'])}").body for f in listed}

    def run(self, session, command, **members):
        return self.post(f"/sessions/{session}/exec", {"command": command, **members}).json


def text_of(row):
    content = json.loads(row["content"])
    content = content["message"]["content"] if content["type"] == "assistant" else content["content"]
    return content if isinstance(content, str) else "".join(b.get("text", "") for b in content)


def frames(body):
    """Events as ash's own parser reads them: the last "event: ", and one JSON for each "data: "."""
    got, kind = [], None
    for line in body.decode().split("\n"):
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            got.append((kind, json.loads(line[6:])))
    return got


def kinds(events):
    return [kind for kind, _ in events]


# ---- agents

def agents(t, a):
    listed = {agent["name"]: agent for agent in a.get("/agents").json["agents"]}
    t.check({"echo", "other--echo", "default--a--b", "a--b/c"} <= set(listed), "agents are named without a namespace", listed)
    for name in ("echo", "other--echo", "default--a--b", "a--b%2Fc"):
        shown = a.get(f"/agents/{name}").json["agent"]["name"]
        t.same(shown, name.replace("%2F", "/"), f"the name {name} comes back")
    session = a.post("/sessions", {"agent": "other--echo"}, expect=201).json["session"]
    t.same(session["agentName"], "other--echo", "a session has an agent of another namespace")
    t.same([s["id"] for s in a.get("/sessions?agent=other--echo").json["sessions"]], [session["id"]], "… and is listed by it")
    made = a.post("/agents", {"name": "mine", "systemPrompt": "be kind", "env": {"KEY": "secret", "A": "1"}}, expect=201).json["agent"]
    t.same((made["name"], made["version"], made["env"]), ("mine", 1, {"KEY": "***", "A": "***"}), "an agent is deployed; its variables are not shown")
    t.check(TIME.match(made["createdAt"]) and TIME.match(made["updatedAt"]) and made["path"] and made["tenantId"] == "local", "… with its times", made)
    t.same(a.post("/agents", {"name": "mine", "systemPrompt": "be brief"}, expect=201).json["agent"]["version"], 2, "deployed again it has another version")
    native = a.c.send("GET", "/api/v1/agents/default/mine").json
    t.same((native["kind"], native["prompt"]), ("scripted", "be brief"), "it is an agent of tine, of the kind of the default one")
    t.same(a.call("PATCH", "/agents/mine", {"env": {"B": "2"}}).json["agent"]["env"], {"B": "***"}, "its variables are changed")
    files = [{"path": "CLAUDE.md", "content": base64.b64encode(b"do this").decode()},
             {"path": "data/x.txt", "content": base64.b64encode(b"x").decode()}]
    a.post("/agents", {"name": "filed", "files": files}, expect=201)
    t.same(a.c.send("GET", "/api/v1/agents/default/filed").json["prompt"], "do this", "CLAUDE.md is the prompt")
    s = a.new("filed")
    t.same(a.files(s), {"CLAUDE.md": b"do this", "data/x.txt": b"x"}, "a session begins with the files of its agent")
    s = a.new("mine", extraEnv={"A": "mine"})
    t.same(a.run(s, "echo $A$B")["stdout"], "mine2\n", "… and with its variables")
    t.same(a.call("DELETE", "/agents/filed").json, {"ok": True}, "an agent is deleted")
    a.get("/agents/filed", expect=404, error='Agent "filed" not found', what="… and is gone")
    a.call("DELETE", "/agents/filed", expect=404)
    a.call("PATCH", "/agents/filed", {}, expect=404)
    a.call("DELETE", "/agents/echo", expect=409, what="one of the configuration stays")
    for body, error in (({}, "body must have required property 'name'"), ({"name": "a b"}, None), ({"name": "x/y"}, None),
                        ({"name": "x"}, "Agent directory must contain CLAUDE.md"),
                        ({"name": "x", "files": []}, "Agent directory must contain CLAUDE.md"),
                        ({"name": "x", "path": "/etc"}, None), ({"name": "x", "systemPrompt": 1}, None),
                        ({"name": "x", "systemPrompt": "p", "env": {"A": 1}}, None),
                        ({"name": "x", "systemPrompt": "p", "env": {"A B": "1"}}, None),
                        ({"name": "x", "files": [{"path": "../CLAUDE.md", "content": ""}]}, "Invalid file path"),
                        ({"name": "x", "files": [{"path": "CLAUDE.md", "content": "?"}]}, None),
                        ({"name": "x", "files": [{"path": "CLAUDE.md"}]}, None),
                        ({"name": "x", "systemPrompt": "p", "files": [1]}, None),
                        ({"name": "x", "systemPrompt": "p", "files": [{"path": "../x", "content": ""}]}, "Invalid file path"),
                        ({"name": "x", "systemPrompt": "p", "files": [{"path": "a//b", "content": ""}]}, "Invalid file path"),
                        ({"name": "x", "systemPrompt": "p", "files": [{"path": ".git/config", "content": ""}]}, "Invalid file path"),
                        ({"name": "x", "systemPrompt": "p", "files": [{"path": "a/b", "content": ""}, {"path": "a", "content": ""}]},
                         "body/files/1/path is a directory of body/files/0/path")):
        a.post("/agents", body, expect=400, error=error, what=f"no agent: {body}")
    a.post("/agents", {"name": "x", "systemPrompt": "p" * 140000}, expect=413, what="a prompt has a limit")
    a.post("/agents", {"name": "x", "systemPrompt": "a\0b"}, expect=400)
    a.post("/agents", {"name": "x", "files": [{"path": "CLAUDE.md", "content": "QUFB" * 40000}]}, expect=413, what="files have one")
    a.get("/agents/x", expect=404)
    a.post("/agents", "{", expect=400)


# ---- sessions and their life

def sessions(t, a):
    made = a.post("/sessions", {"agent": "echo", "model": "m", "extraEnv": {"X": "1"}, "allowedTools": ["Bash"],
                                "disallowedTools": ["Write"], "betas": ["b"], "mcpServers": {"s": {}}, "unknown": 1,
                                "systemPrompt": "p", "permissionMode": "default", "credentialId": None}, expect=201).json
    s = made["session"]
    t.same((set(made), set(s)), ({"session"}, SESSION), "a session has these members and no other")
    t.check(UUID.match(s["id"]) and TIME.match(s["createdAt"]) and TIME.match(s["lastActiveAt"]), "… ids and times", s)
    t.same((s["status"], s["agentName"], s["tenantId"], s["runnerId"], s["parentSessionId"], s["sandboxId"]),
           ("active", "echo", "local", None, None, s["id"]), "a new session")
    t.same(a.get(f"/sessions/{s['id']}").json, made, "it is read again")
    second = a.new()
    t.same([x["id"] for x in a.get("/sessions?limit=1&status=none&includeTotal=true").json["sessions"]][:2], [second, s["id"]],
           "the newest is listed first; what ash ignores is ignored")
    a.say(s["id"], "hi")
    t.same([x["id"] for x in a.get("/sessions").json["sessions"]][:2], [second, s["id"]], "… by when it was made")
    t.same(a.get("/sessions?agent=nobody").json, {"sessions": []}, "no session of that agent")
    a.post("/sessions", {"agent": "x"}, expect=404, error='Agent "x" not found', what="no session without its agent")
    for body in ({}, {"agent": 1}, {"agent": "echo", "model": 1}, {"agent": "echo", "extraEnv": {"a": 1}},
                 {"agent": "echo", "extraEnv": {"1": "x"}}, {"agent": "echo", "allowedTools": [1]}, [], "{"):
        a.post("/sessions", body, expect=400, what=f"no session: {body}")
    a.post("/sessions", {"agent": "echo", "extraEnv": {"a": "x" * 40000}}, expect=413, what="variables have a limit")
    a.post("/sessions", {"agent": "echo", "systemPrompt": "x" * 60000}, expect=201, what="a long prompt")
    a.post("/sessions", {"agent": "echo", "systemPrompt": "x" * 70000}, expect=413, what="… has a limit, too")
    config = a.call("PATCH", f"/sessions/{s['id']}/config", {"model": "other", "disallowedTools": [], "betas": ["c"]}).json
    t.same(config["session"]["id"], s["id"], "a session is configured")
    t.same(a.run(s["id"], "echo $X")["stdout"], "1\n", "… and keeps its variables")
    a.call("PATCH", f"/sessions/{s['id']}/config", {"model": 1}, expect=400)
    before = a.c.send("GET", f"/docker-agent/api/sessions/{s['id']}").body
    a.call("PATCH", f"/sessions/{s['id']}/config", {"disallowedTools": ["Bash"], "betas": ["b" * 70000]}, expect=413, what="a configuration has a limit")
    t.same(a.c.send("GET", f"/docker-agent/api/sessions/{s['id']}").body, before, "… and what is refused is not half of it done")
    a.call("PATCH", f"/sessions/{NOBODY}/config", {}, expect=404, error="Session not found")
    native = a.c.send("POST", "/api/v1/sessions", {"agent": "default/echo", "id": "by-hand"}).json
    t.same(a.status(native["id"]), "active", "a session that was made natively is active")


def verbs(a, s):
    """What each verb answers: (status, error or the status of the session then)."""
    def said(reply):
        body = reply.json
        return reply.status, body.get("error") or body.get("session", {}).get("status") or body.get("exitCode")

    def stream(reply):
        return (reply.status, kinds(frames(reply.body))[-1]) if reply.status == 200 else said(reply)
    send = lambda method, path, body=None: a.c.send(method, f"{ASH}/sessions/{s}{path}", body)
    return {
        "pause": lambda: said(send("POST", "/pause")),
        "stop": lambda: said(send("POST", "/stop")),
        "resume": lambda: said(send("POST", "/resume")),
        "delete": lambda: said(send("DELETE", "")),
        "messages": lambda: stream(send("POST", "/messages", {"content": "x"})),
        "exec": lambda: said(send("POST", "/exec", {"command": "true"})),
        "fork": lambda: said(send("POST", "/fork")),
        "put": lambda: (send("POST", "/files", {"files": []}).status,),
        "list": lambda: (lambda r: (r.status, r.json["source"]))(send("GET", "/files")),
        "config": lambda: said(send("PATCH", "/config", {})),
    }


ENTER = {"active": (), "paused": ("/pause",), "stopped": ("/stop",), "ended": ("",)}
ENDED = "Session has ended — create a new session"


def matrix(t, a):
    for status, way in ENTER.items():
        expected = {
            "pause": (200, "paused") if status == "active" else (400, f'Cannot pause session with status "{status}"'),
            "stop": (200, "stopped") if status == "active" else (400, f'Cannot stop session with status "{status}"'),
            "resume": (410, ENDED) if status == "ended" else (200, "active"),
            "delete": (200, "ended"),
            "messages": (200, "done") if status == "active" else (400, f"Session is {status}"),
            "exec": (200, 0) if status == "active" else (400, f"Session is {status}"),
            "fork": (201, "paused"),
            "put": (400,) if status == "ended" else (200,),
            "list": (200, "sandbox" if status == "active" else "snapshot"),
            "config": (200, status),
        }
        for verb, want in expected.items():
            s = a.new()
            for path in way:
                a.call("POST" if path else "DELETE", f"/sessions/{s}{path}")
            t.same(a.status(s), status, f"it is {status}")
            t.same(verbs(a, s)[verb](), want, f"{verb} of a session that is {status}")
            after = want[1] if verb in ("pause", "stop", "resume", "delete") and want[0] == 200 else status
            t.same(a.status(s), after, "… and what it is then")
    for verb in ("pause", "stop", "resume", "fork"):
        a.post(f"/sessions/{NOBODY}/{verb}", expect=404, error="Session not found", what=f"{verb} of no session")
    s = a.new()
    for body, more in ((None, {"headers": {"Content-Type": "application/json"}}), ({}, {}), (None, {})):
        a.post(f"/sessions/{s}/pause", body, **more)
        a.post(f"/sessions/{s}/resume", body, what="a verb takes no body, an empty one and {}", **more)
    a.call("DELETE", f"/sessions/{s}")
    a.call("DELETE", f"/sessions/{s}", what="a session is ended again and again")
    t.check(s in [x["id"] for x in a.get("/sessions").json["sessions"]], "an ended one stays in the list")
    a.call("DELETE", f"/sessions/{NOBODY}", expect=404, error="Session not found")


def statuses_of_others(t, a):
    """A status is the session's own: forks of other dialects do not have it."""
    s = a.new()
    a.post(f"/sessions/{s}/stop")
    native = a.c.send("POST", f"/api/v1/sessions/{s}/fork", {}).json["session"]["id"]
    t.same(a.status(native), "active", "a native fork of one that is stopped is active")
    fork = a.fork(s)
    t.same(a.status(fork), "paused", "a fork through ash is paused")
    native = a.c.send("POST", f"/api/v1/sessions/{fork}/fork", {}).json["session"]["id"]
    t.same(a.status(native), "active", "… and a native fork of that is active")
    t.same((a.status(a.fork(fork)), a.status(fork), a.status(s)), ("paused", "paused", "stopped"), "a fork of a fork is paused")


def stopping(t, a):
    for verb, status in (("pause", "paused"), ("stop", "stopped"), ("", "ended")):
        s = a.new("wait")
        got = []
        thread = threading.Thread(target=lambda: got.extend(a.say(s, "go")))
        thread.start()
        for _ in range(400):
            if (a.c.send("GET", f"/api/v1/sessions/{s}").json["turn"] or {}).get("state") == "running":
                break
            time.sleep(0.01)
        a.post(f"/sessions/{s}/messages", {"content": "x"}, expect=409, what="one turn at a time")
        a.post(f"/sessions/{s}/exec", {"command": "true"}, expect=409, what="no command while a turn works there")
        a.call("POST" if verb else "DELETE", f"/sessions/{s}" + (f"/{verb}" if verb else ""))
        thread.join()
        t.same(kinds(got)[-2:], ["error", "done"], f"{verb or 'delete'} stops a turn that runs")
        t.same(a.status(s), status, f"… and it is {status}")


def permissions(t, a):
    def result(session):
        return dict(a.say(session, "x")).get("tool_result")
    ran, refused = {"tool_use_id": "c1", "content": "ran"}, True
    t.same(result(a.new("asks")), ran, "tools run without a question")
    no = a.new("asks", disallowedTools=["Bash"])
    t.same(result(no).get("is_error"), refused, "… but for those that are not allowed")
    t.same(result(a.resumed(no)).get("is_error"), refused, "… in a fork, too")
    a.call("PATCH", f"/sessions/{no}/config", {"disallowedTools": []})
    t.same(result(no)["content"], "ran", "… until they are")
    t.same(result(a.new("asks", permissionMode="default", allowedTools=["Bash"])), ran, "what is allowed is not asked for")
    s = a.new("asks", permissionMode="default")
    got = []
    thread = threading.Thread(target=lambda: got.extend(a.say(s, "x")))
    thread.start()
    for _ in range(400):
        if (a.c.send("GET", f"/api/v1/sessions/{s}").json["turn"] or {}).get("state") == "waiting":
            break
        time.sleep(0.01)
    a.c.send("POST", f"/docker-agent/api/sessions/{s}/resume", {"confirmation": "approve"})
    thread.join()
    asked = dict(got).get("permission_request")
    t.same(asked, {"id": "c1", "name": "bash", "input": {"command": "ls"}}, "a mode that asks: the stream says so")
    t.same(dict(got).get("tool_result"), ran, "… and the answer comes over another dialect")


# ---- messages

def messages(t, a):
    s = a.new("tools")
    body = a.post(f"/sessions/{s}/messages", {"content": "look"}).body
    events = frames(body)
    order = [k for n, k in enumerate(kinds(events)) if not ("delta" in k and k == kinds(events)[n - 1])]
    t.same(order, ["session_start", "thinking_delta", "text_delta", "tool_use", "message", "tool_result", "message", "text_delta",
                   "message", "turn_complete", "message", "done"], "a turn as events")
    t.check(b"\r" not in body and body.endswith(b"\n\n") and
            all(re.match(rb"^event: [a-z_]+\ndata: \{.*\}$", f) for f in body[:-2].split(b"\n\n")), "… each of two lines", body[:500])
    said = dict((k, d) for k, d in events if k != "message")
    t.check(said["session_start"]["sessionId"] == s and said["session_start"]["version"], "… the start")
    t.same("".join(d["delta"] for k, d in events if k == "text_delta"), "let me seethere is a.txt", "… the text, in pieces")
    t.same(said["thinking_delta"], {"delta": "hm"}, "… what it thinks")
    t.same(said["tool_use"], {"id": "c1", "name": "bash", "input": {"command": "ls"}}, "… the call of a tool")
    t.same(said["tool_result"], {"tool_use_id": "c1", "content": "a.txt"}, "… its result")
    t.same(said["turn_complete"], {"numTurns": 2, "result": "there is a.txt"}, "… the end")
    t.same(said["done"], {"sessionId": s}, "… and done")
    raw = [d for k, d in events if k == "message"]
    t.same(raw[0], {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "let me see"},
        {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}]}, "session_id": s}, "a message as it is")
    t.same((raw[3]["type"], raw[3]["subtype"], raw[3]["is_error"], raw[3]["num_turns"]), ("result", "success", False, 2), "the result as it is")
    rows = a.rows(s)
    t.same(([r["role"] for r in rows], [r["sequence"] for r in rows], {frozenset(r) for r in rows}),
           (["user", "assistant", "assistant"], [1, 2, 4], {frozenset(MESSAGE)}), "results of tools are no messages; their places stay free")
    t.same(json.loads(rows[0]["content"]), {"type": "user", "content": "look"}, "what the user said")
    t.same(json.loads(rows[1]["content"]), raw[0], "… and the agent")
    t.check(all(r["sessionId"] == s and r["tenantId"] == "local" and TIME.match(r["createdAt"]) for r in rows), "… whose and when")
    t.same([r["sequence"] for r in a.rows(s, "?after=1")], [2, 4], "a page after a message")
    t.same([r["sequence"] for r in a.rows(s, "?after=2&limit=1")], [4], "… with a limit")
    t.same([r["sequence"] for r in a.rows(s, "?limit=2&other=x")], [1, 2], "… of messages")
    a.get(f"/sessions/{NOBODY}/messages", expect=404, error="Session not found")
    parts = a.say(a.new("slow"), "look", includePartialMessages=True)
    t.check(any(d.get("type") == "stream_event" and d["event"]["delta"]["type"] == "text_delta" for k, d in parts if k == "message"),
            "partial messages, when they are wanted", parts)
    t.same("".join(d["delta"] for k, d in parts if k == "text_delta"), "let me see", "… and the text once")
    whole = a.say(a.new("tools"), "look", includePartialMessages=False)
    t.same([k for k in kinds(whole) if "delta" in k], ["thinking_delta"], "… and none when they are not")
    failed = a.say(a.new("fail"), "x")
    t.same((kinds(failed), failed[1][1]), (["session_start", "error", "done"], {"error": "the model is out"}), "a turn that fails")
    for content in ("text", "", "ü\n\"\\", [{"type": "text", "text": "one"}], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                    [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                     {"type": "text", "text": "what is it"},
                     {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}}],
                    [{"type": "document", "source": {"type": "url", "url": "https://x/y"}}],
                    [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]):
        s = a.new()
        a.say(s, content)
        t.same(json.loads(a.rows(s)[0]["content"]), {"type": "user", "content": content}, f"content comes back as it was sent: {content!r:.60}")
    shown = a.c.send("GET", f"/api/v1/sessions/{s}/messages").json["messages"][0]["parts"]
    t.same(shown, [{"type": "text", "text": "a"}], "… and other dialects read its parts")
    s = a.new()
    for body in ({}, {"content": 1}, {"content": []}, {"content": [1]}, {"content": [{"type": "video"}]}, {"content": [{"type": "text"}]},
                 {"content": [{"type": "image", "source": {"type": "file"}}]}, {"content": [{"type": "text", "text": "x"}] * 21},
                 {"content": "x" * 500001}, "{", {"content": "x", "includePartialMessages": 1}):
        a.post(f"/sessions/{s}/messages", body, expect=400, what=f"no message: {str(body)[:60]}")
    a.post(f"/sessions/{s}/messages", {"content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png",
           "data": "A" * 9000000}}]}, expect=413, what="a message has a limit")
    t.same(a.rows(s), [], "… and nothing was written")
    t.same(kinds(a.say(s, "é" * 500000))[-1], "done", "500,000 characters are taken")
    a.post(f"/sessions/{NOBODY}/messages", {"content": "x"}, expect=404, error="Session not found")


class Model:
    """The model server of the agents' tests."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../agent/model_server.py")
        self.process = subprocess.Popen([sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def seen(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/seen") as reply:
            return [json.loads(line)["model"] for line in reply.read().decode().splitlines()]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def wishes(t, a, model):
    """What a message says of the model and its calls counts for its turn alone."""
    s = a.new("modelled")
    body = {"content": "x", "model": "calls-forever", "maxTurns": 2}
    said = a.post(f"/sessions/{s}/messages", body).body.decode()
    t.same((model.seen(), "Stopped after 2 steps" in said), (["calls-forever"] * 2, True), "model and maxTurns of a message")
    a.post(f"/sessions/{s}/messages", {"content": "x"})
    t.same(model.seen()[2:], ["comments"], "… are not those of the next")
    for member, value in (("maxTurns", 0), ("maxTurns", -1), ("maxTurns", 1.5), ("maxTurns", 1001), ("maxTurns", "2"),
                          ("model", 1), ("model", "m" * 300)):
        reply = a.post(f"/sessions/{s}/messages", {"content": "x", member: value}, expect=400)
        t.check(member in json.loads(reply.body)["error"], f"{member} cannot be {str(value)[:9]}", reply.body)
    a.post(f"/sessions/{a.new('echo')}/messages", {"content": "x", "model": "m"}, expect=400, error="body/model: the agent has no model")
    t.same(len(model.seen()), 3, "… and nothing is run")
    t.same(len(frames(a.post(f"/sessions/{a.new('echo')}/messages", {"content": "x", "model": None, "maxTurns": 3}).body)) > 3, True,
           "an agent that calls no model keeps to any number of calls")


def events(t, a):
    s = a.new("tools")
    a.say(s, "look")
    got = a.get(f"/sessions/{s}/events").json["events"]
    t.same(([e["type"] for e in got], {frozenset(e) for e in got}),
           (["lifecycle", "reasoning", "text", "tool_start", "tool_result", "text", "turn_complete"], {frozenset(EVENT)}), "events of a turn")
    data = [json.loads(e["data"]) for e in got]
    t.same((data[0], data[1], data[2]), ({"action": "created"}, {"text": "hm"}, {"text": "let me see"}), "… what they say")
    t.same((data[3], data[4]), ({"id": "c1", "name": "bash", "input": {"command": "ls"}},
                                {"tool_use_id": "c1", "content": "a.txt", "is_error": False}), "… of tools")
    t.check(all(x["sequence"] < y["sequence"] for x, y in zip(got, got[1:])) and len({e["id"] for e in got}) == len(got), "their numbers grow")
    pages, after = [], 0
    while True:
        page = a.get(f"/sessions/{s}/events?limit=2&after={after}").json["events"]
        if not page:
            break
        pages += page
        after = page[-1]["sequence"]
    t.same(pages, got, "pages of events are the same events")
    t.same([e["type"] for e in a.get(f"/sessions/{s}/events?type=text").json["events"]], ["text", "text"], "events of one type")
    f = a.fork(s)
    got = a.get(f"/sessions/{f}/events").json["events"]
    t.same([json.loads(e["data"]) for e in got], [{"action": "forked", "parentSessionId": s}], "a fork has no events of its parent")
    failed = a.new("fail")
    a.say(failed, "x")
    t.same([json.loads(e["data"])["error"] for e in a.get(f"/sessions/{failed}/events?type=error").json["events"]], ["the model is out"], "an error")
    t.same(a.get(f"/sessions/{s}/logs?after=-1").json, {"logs": [], "source": "sandbox"}, "logs")
    for path in ("events", "logs", "history", "files", "workspace"):
        a.get(f"/sessions/{NOBODY}/{path}", expect=404, error="Session not found", what=f"no {path} of no session")


# ---- forks

def forks(t, a):
    s = a.new("counting")
    for text in ("one", "two", "three"):
        a.say(s, text)
    before = a.c.send("GET", f"{ASH}/sessions/{s}/messages").body, a.c.send("GET", f"/api/v1/sessions/{s}").body
    rows = a.rows(s)
    for body, more in ((None, {}), ({}, {}), (None, {"headers": {"Content-Type": "application/json", "Content-Length": "0"}})):
        reply = a.post(f"/sessions/{s}/fork", body, expect=201, what="a fork of everything: no body, {}, an empty one", **more).json
        f = reply["session"]
        t.same((set(reply), f["status"], f["parentSessionId"], f["agentName"]), ({"session"}, "paused", s, "counting"), "… paused, and whose it is")
        copies = a.rows(f["id"])
        t.same([{k: r[k] for k in ("role", "content", "sequence", "createdAt")} for r in copies],
               [{k: r[k] for k in ("role", "content", "sequence", "createdAt")} for r in rows], "… with the same messages")
        t.check(not {r["id"] for r in copies} & {r["id"] for r in rows} and all(r["sessionId"] == f["id"] for r in copies), "… under other ids")
    a.post(f"/sessions/{f['id']}/messages", {"content": "x"}, expect=400, error="Session is paused", what="a fork is resumed first")
    a.post(f"/sessions/{f['id']}/resume")
    t.same(a.say(f["id"], "four")[-3][1]["result"], "I know 4", "the forked agent knows the history")
    for n, row in enumerate(rows):
        by_id, by_place = a.fork(s, {"messageId": row["id"]}), a.fork(s, {"sequence": row["sequence"]})
        want = [r["content"] for r in rows[:n + 1]]
        t.same(([r["content"] for r in a.rows(by_id)], [r["content"] for r in a.rows(by_place)]), (want, want), f"a cut after message {n + 1}")
    cut = a.resumed(s, {"sequence": 2})
    t.same(a.say(cut, "again")[-3][1]["result"], "I know 2", "… and the agent knows that much")
    t.same([r["sequence"] for r in a.rows(cut)], [1, 2, 3, 4], "… numbers go on")
    copied = a.rows(f["id"])[1]["id"]
    second = a.fork(f["id"], {"messageId": copied})
    t.same(a.texts(second), ["one", "I know 1"], "a copied message is named by its id in the fork")
    t.same(a.texts(a.fork(f["id"], {"messageId": rows[1]["id"]})), ["one", "I know 1"], "… or by the one it has where it was said")
    t.same([x["id"] for x in a.get(f"/sessions/{second}/history").json["sessions"]], [f["id"], s], "the chain of parents, nearest first")
    t.same(a.get(f"/sessions/{s}/history").json, {"sessions": []}, "… of one that has none")
    t.same((a.c.send("GET", f"{ASH}/sessions/{s}/messages").body, a.c.send("GET", f"/api/v1/sessions/{s}").body.replace(b'"children":16', b'"children":0')),
           before, "the parent is as it was, byte for byte")
    for body in ({"messageId": 1}, {"messageId": ""}, {"sequence": "1"}, {"sequence": 0}, {"sequence": -1}, {"sequence": 1.5}, {"workspace": "x"},
                 {"workspace": 1}, {"messageId": rows[0]["id"], "sequence": 1}, {"message_index": 1}, {"x": 1}, {"messageId": None}, [], "{"):
        a.post(f"/sessions/{s}/fork", body, expect=400, what=f"no fork: {body}")
    a.post(f"/sessions/{s}/fork", '{"sequence": 99999999999999999999}', expect=404, error="Message with sequence 99999999999999999999 not found", what="a very large number")
    for body, error in (({"messageId": "no such"}, 'Message "no such" not found'), ({"messageId": NOBODY}, f'Message "{NOBODY}" not found'),
                        ({"sequence": 7}, "Message with sequence 7 not found"), ({"messageId": f"{second}~{rows[0]['id']}"}, None)):
        a.post(f"/sessions/{s}/fork", body, expect=404, error=error, what=f"a message that is not there: {body}")
    a.c.send("PUT", "/api/v1/agents/default/brief", {"kind": "scripted"})
    gone = a.new("brief")
    a.c.send("DELETE", "/api/v1/agents/default/brief")
    a.post(f"/sessions/{gone}/fork", expect=404, error='Agent "brief" not found', what="no fork without its agent")


def tool_forks(t, a):
    s = a.new("tools")
    a.say(s, "look")
    rows = a.rows(s)
    f = a.resumed(s, {"messageId": rows[1]["id"]})
    entries = [m["role"] for m in a.c.send("GET", f"/api/v1/sessions/{f}/messages").json["messages"]]
    t.same((entries, len(a.rows(f))), (["user", "assistant", "tool"], 2), "a cut after a call of tools keeps their results")
    a.post(f"/sessions/{s}/fork", {"sequence": 3}, expect=404, what="… which are no messages to cut at")
    t.same([r["sequence"] for r in a.rows(a.fork(s, {"sequence": 4}))], [1, 2, 4], "places stay free in a fork, too")
    a.say(f, "more")
    t.same([r["sequence"] for r in a.rows(f)], [1, 2, 4, 5, 7], "… and numbers go on behind them")
    native = a.c.send("POST", "/api/v1/sessions", {"agent": "default/echo"}).json["id"]
    a.c.send("POST", f"/api/v1/sessions/{native}/messages", {"messages": [{"text": "q"}, {"role": "assistant", "parts": [CALL]}], "run": False})
    t.same(a.texts(a.fork(native)), ["q"], "a fork of everything goes to the newest good place")
    a.post(f"/sessions/{native}/fork", {"sequence": 2}, expect=409, what="a cut at a call that has no result is refused")


def rewound(t, a):
    """A fork of a fork of a session that was rewound."""
    s = a.new("counting")
    for text in ("one", "two", "three"):
        a.say(s, text)
    lost = a.rows(s)[-1]["id"]
    a.c.send("POST", f"/api/v1/sessions/{s}/rewind", {"after": 1})
    a.say(s, "other")
    t.same(a.texts(s), ["one", "I know 1", "other", "I know 2"], "what was rewound is not listed")
    f = a.resumed(s)
    a.say(f, "more")
    g = a.resumed(f, {"sequence": 4})
    t.same(a.texts(g), ["one", "I know 1", "other", "I know 2"], "a fork of a fork of a rewound session")
    t.same(a.say(g, "last")[-3][1]["result"], "I know 3", "… whose agent knows what is on the path")
    t.same([x["id"] for x in a.get(f"/sessions/{g}/history").json["sessions"]], [f, s], "… and where it comes from")
    t.same(a.texts(a.fork(s, {"messageId": lost})), ["one", "I know 1", "two", "I know 2", "three", "I know 3"], "what was rewound away can be forked")


def fork_files(t, a):
    s = a.new(extraEnv={"X": "from the parent"})
    a.put(s, {"a.txt": b"1"})
    a.say(s, "first")
    a.put(s, {"a.txt": b"2", "dir/b.bin": bytes(range(256))})
    a.say(s, "second")
    now = {"a.txt": b"2", "dir/b.bin": bytes(range(256))}
    directory = a.c.send("GET", f"/api/v1/sessions/{s}/workspace").json["dir"]
    with open(os.path.join(directory, "live.txt"), "w") as file:
        file.write("not recorded")
    t.same(a.files(a.fork(s)), now, "a fork has the files of the point")
    t.same(a.files(a.fork(s, {"workspace": "snapshot", "sequence": 2})), {"a.txt": b"1"}, "… of an earlier one")
    t.same(a.files(a.fork(s, {"workspace": "live"})), {**now, "live.txt": b"not recorded"}, "live: those of the directory as it is")
    t.same(a.files(a.fork(s, {"workspace": "live", "sequence": 2})), {**now, "live.txt": b"not recorded"}, "… also with a cut")
    t.same(a.files(a.fork(s, {"workspace": "none"})), {}, "none: no files")
    f = a.resumed(s)
    t.same(a.run(f, "echo $X; cat a.txt")["stdout"], "from the parent\n2", "variables and files are those of the parent")
    a.run(f, "echo 3 >a.txt; rm -r dir")
    t.same((a.files(f), a.files(s)["a.txt"]), ({"a.txt": b"3\n"}, b"2"), "the fork works in a directory of its own")
    settings = lambda session: a.c.send("GET", f"/api/v1/sessions/{session}").json
    t.same(settings(f)["title"], settings(s)["title"], "no title stays none")


def together(t, a):
    s = a.new()
    a.c.send("PATCH", f"/api/v1/sessions/{s}", {"title": "T"})
    a.say(s, "x")
    made, lock = [], threading.Lock()

    def one():
        f = a.fork(s)
        with lock:
            made.append(f)
    threads = [threading.Thread(target=one) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    titles = sorted(a.c.send("GET", f"/api/v1/sessions/{f}").json["title"] for f in made)
    t.same(titles, sorted(f"T (fork {n})" for n in range(1, 21)), "20 forks at once have the titles of one series")
    t.same({tuple(a.texts(f)) for f in made}, {("x", "x")}, "… and all of the messages")


# ---- files

def files(t, a):
    s = a.new()
    t.same(a.get(f"/sessions/{s}/files").json, {"files": [], "source": "sandbox"}, "no files yet")
    put = a.put(s, {"a.txt": b"hello", "dir/b": b"\xff\x00", ".hidden": b"h", "node_modules/m.js": b"m"}).json["files"]
    t.same(put[0], {"path": "a.txt", "written": True, "size": 5}, "files are written")
    listed = a.get(f"/sessions/{s}/files").json
    t.same(([f["path"] for f in listed["files"]], listed["source"], set(listed["files"][0])), (["a.txt", "dir/b"], "sandbox", {"path", "size", "modifiedAt"}),
           "they are listed, without what is hidden")
    t.check({".hidden", "a.txt", "dir/b"} <= {f["path"] for f in a.get(f"/sessions/{s}/files?includeHidden=true").json["files"]}, "… or with it")
    raw = a.get(f"/sessions/{s}/files/dir/b")
    t.same((raw.body, raw.headers["x-ash-source"]), (b"\xff\x00", "sandbox"), "a file as bytes")
    t.same(a.get(f"/sessions/{s}/files/a.txt?format=json").json, {"path": "a.txt", "content": "hello", "size": 5, "source": "sandbox"}, "… and as JSON")
    t.same(a.get(f"/sessions/{s}/files/dir/b?format=json").json["content"], "\ufffd\0", "… where bytes that are no text cannot be told apart")
    entries = a.c.send("GET", f"/api/v1/sessions/{s}/raw").json["entries"]
    t.same([e["kind"] for e in entries], ["files"], "files that are written together are one act")
    t.same(a.post(f"/sessions/{s}/files", {"files": [{"path": "c", "content": "eA=="}], "targetPath": "to/there/"}).json["files"][0]["path"], "to/there/c",
           "files are written below a path")
    mixed = a.put(s, {"ok": b"1", "a.txt/below": b"2", ".git/x": b"3"}).json["files"]
    t.same([f["written"] for f in mixed], [True, False, False], "what cannot be written says why, beside what can")
    t.check(mixed[1]["error"] and "size" not in mixed[1], "… in words", mixed)
    t.same(a.call("DELETE", f"/sessions/{s}/files/dir/b").json, {"path": "dir/b", "deleted": True}, "a file is deleted")
    a.get(f"/sessions/{s}/files/dir/b", expect=404, error="File not found", what="… and gone")
    a.call("DELETE", f"/sessions/{s}/files/dir/b", expect=404, error="File not found")
    for path in ("..%2Fx", "a/../../x", "%2Fetc/passwd", "/etc/passwd", "a%00b", "x..y"):
        for method in ("GET", "DELETE"):
            a.call(method, f"/sessions/{s}/files/{path}", expect=400, error="Invalid file path", what=f"{method} of the path {path}")
    for body, error in (({"files": [{"path": "../x", "content": ""}]}, "Invalid file path"), ({"files": [{"path": "/x", "content": ""}]}, "Invalid file path"),
                        ({"files": [], "targetPath": "../x"}, "Invalid file path"), ({}, None), ({"files": [{"path": "x"}]}, None),
                        ({"files": [{"path": "x", "content": "?"}]}, None), ({"files": [{"path": "x", "content": ""}] * 501}, None), ({"files": 1}, None)):
        a.post(f"/sessions/{s}/files", body, expect=400, error=error, what=f"no files: {str(body)[:60]}")
    a.put(s, {"large": b"x" * (1024 * 1024 + 1)})
    a.get(f"/sessions/{s}/files/large?format=json", expect=413, what="JSON of a file has a limit")
    t.same(len(a.get(f"/sessions/{s}/files/large").body), 1024 * 1024 + 1, "… its bytes another")
    a.put(NOBODY, {}, expect=404, error="Session not found")
    a.get(f"/sessions/{NOBODY}/files/x", expect=404, error="Session not found")
    a.call("DELETE", f"/sessions/{NOBODY}/files/x", expect=404, error="Session not found")
    a.post(f"/sessions/{s}/pause")
    t.same((a.get(f"/sessions/{s}/files/a.txt").headers["x-ash-source"], a.get(f"/sessions/{s}/files").json["source"]), ("snapshot", "snapshot"),
           "one that is not active shows what was recorded")


def bundle(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for path, content in files:
            info = tarfile.TarInfo(path)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                info.size, info.mode = len(content), 0o755
            tar.addfile(info, io.BytesIO(content or b""))
    return base64.b64encode(out.getvalue()).decode()


def workspace(t, a):
    s = a.new()
    long = "d/" * 60 + "ü.txt"
    a.put(s, {"a.txt": b"one", long: b"deep", ".env": b"KEY=1", "node_modules/x": b"x", "sub/.env": b"y"})
    a.run(s, "mkdir empty; chmod 755 a.txt; ln -s a.txt link")
    reply = a.get(f"/sessions/{s}/workspace")
    t.same((reply.headers["content-type"], reply.headers["content-disposition"]), ("application/gzip", f'attachment; filename="{s}.tar.gz"'), "all files as one")
    with tarfile.open(fileobj=io.BytesIO(reply.body)) as tar:
        found = {m.name: m for m in tar}
        t.check({"a.txt", long, "empty", "link"} <= set(found) and not {".env", "sub/.env", "node_modules/x", "node_modules"} & set(found),
                "… without what has secrets or can be made again", sorted(found))
        t.same((tar.extractfile("a.txt").read(), found["a.txt"].mode, found["link"].linkname), (b"one", 0o755, "a.txt"), "… as they are")
    t.same(a.get(f"/sessions/{s}/workspace").body, reply.body, "the same files are the same bytes")
    other = a.new()
    t.same(a.post(f"/sessions/{other}/workspace", {"bundle": base64.b64encode(reply.body).decode()}).json, {"message": "Workspace restored to live sandbox"},
           "a bundle is taken in")
    t.same(a.files(other), {"a.txt": b"one", long: b"deep"}, "… with its files")
    t.same(a.run(other, "stat -c %a a.txt")["stdout"], "755\n", "… and their modes")
    a.post(f"/sessions/{other}/pause")
    t.same(a.post(f"/sessions/{other}/workspace", {"bundle": bundle([("./a.txt", b"two"), ("evil", None), ("né.txt", b"n")])}).json, {"message": "Workspace saved as snapshot"},
           "… also while it is paused")
    t.same(a.files(other), {"a.txt": b"two", long: b"deep", "né.txt": b"n"}, "… over those that are there; links are not made")
    for text in (bundle([("a.txt", b"bad"), ("../x", b"1")]), bundle([("/etc/x", b"1")]), base64.b64encode(b"no gzip").decode(),
                 base64.b64encode(b"\x1f\x8bno gzip").decode(), "?"):
        a.post(f"/sessions/{other}/workspace", {"bundle": text}, expect=400, what="a bundle that is none, or leads elsewhere")
    a.post(f"/sessions/{other}/workspace", {"bundle": ""}, expect=400, error="Empty bundle", what="an empty bundle")
    for files in ([("a.txt", b"bad"), ("new/x", b"1"), ("f", b"1"), ("f/x", b"1")], [("a.txt", b"bad"), ("d", b"a directory")], [("a.txt/x", b"a file")]):
        a.post(f"/sessions/{other}/workspace", {"bundle": bundle(files)}, expect=400, error="Invalid file path", what="a bundle whose files are in each other's way")
    t.same(a.files(other), {"a.txt": b"two", long: b"deep", "né.txt": b"n"}, "… and nothing of it was written")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, target in (("first", None), ("second", "first"), ("third", "/etc/passwd")):
            info = tarfile.TarInfo(name)
            info.size = 0 if target else 3
            if target:
                info.type, info.linkname = tarfile.LNKTYPE, target
            tar.addfile(info, io.BytesIO(b"" if target else b"one"))
    twice = a.new()
    a.post(f"/sessions/{twice}/workspace", {"bundle": base64.b64encode(out.getvalue()).decode()})
    t.same(a.files(twice), {"first": b"one", "second": b"one"}, "a file with two names is both; nothing leads out")
    with tempfile.TemporaryDirectory() as there:
        for size, expect in ((300_000, 200), (10 ** 10, 413)):
            with open(os.path.join(there, "hole"), "wb") as file:
                file.write(b"x")
                file.truncate(size)
            packed = subprocess.run(["tar", "-C", there, "-Scz", "hole"], stdout=subprocess.PIPE, check=True).stdout
            a.post(f"/sessions/{twice}/workspace", {"bundle": base64.b64encode(packed).decode()}, expect=expect, what=f"a file with a hole, {size} bytes")
    t.same(a.files(twice)["hole"], b"x" + b"\0" * 299_999, "a hole at the end of a file is kept, within the limits")
    a.post(f"/sessions/{NOBODY}/workspace", {"bundle": ""}, expect=404)
    none = a.c.send("POST", "/api/v1/sessions", {"agent": "default/echo", "workspace": {"mode": "none"}}).json["id"]
    a.get(f"/sessions/{none}/workspace", expect=404, error="No workspace available for this session", what="a session without files has no bundle")


def commands(t, a):
    s = a.new(extraEnv={"GREETING": "hi \"you\"", "PATH": "/usr/bin:/bin"})
    t.same(a.run(s, "echo out; echo err >&2; exit 3"), {"exitCode": 3, "stdout": "out\n", "stderr": "err\n"}, "a command, both its outputs, its exit code")
    t.same(a.run(s, "echo $GREETING")["stdout"], 'hi "you"\n', "it has the session's variables")
    t.same(a.run(s, "printf '\\377x'")["stdout"], "\ufffdx", "what is no text becomes text")
    a.run(s, "echo 1 >made.txt")
    t.same(a.files(s), {"made.txt": b"1\n"}, "what it does to files is recorded")
    journal = a.c.send("GET", f"/api/v1/sessions/{s}/files?deep=1").json
    t.same([f["path"] for f in journal["files"]], ["made.txt"], "… for everybody")
    start = time.monotonic()
    slow = a.run(s, "echo begun; sleep 20", timeout=300)
    t.check(time.monotonic() - start < 15 and slow["exitCode"] == 124 and slow["stdout"] == "begun\n" and "300 ms" in slow["stderr"], "it is stopped in time", slow)
    many = a.run(s, "head -c 9000000 /dev/zero | tr '\\0' x; head -c 9000000 /dev/zero | tr '\\0' y >&2")
    t.check(4000000 < len(many["stdout"]) < 4300000 and 4000000 < len(many["stderr"]) < 4300000, "what it prints has a limit",
            len(many["stdout"]), len(many["stderr"]))
    for body in ({}, {"command": 1}, {"command": ""}, {"command": "a\0b"}, {"command": "x", "timeout": 0}, {"command": "x", "timeout": 300001},
                 {"command": "x", "timeout": "1"}, {"command": "x", "timeout": 1.5}):
        a.post(f"/sessions/{s}/exec", body, expect=400, what=f"no command: {body!r}")
    a.post(f"/sessions/{s}/exec", {"command": "#" * 130000}, expect=413, what="a command has a limit")
    a.post(f"/sessions/{NOBODY}/exec", {"command": "x"}, expect=404, error="Session not found")
    undone = a.new()
    a.say(undone, "x")
    a.run(undone, "echo 1 >f")
    moved = a.c.send("POST", f"/api/v1/sessions/{undone}/rewind", {"after": 0})
    t.same((moved.status, a.files(undone)), (200, {}), "a rewind takes back what a command did")


def crowd(t, a, server):
    """So many commands at once and no more."""
    gate = os.path.join(server.home, "gate")
    os.mkdir(gate)
    sessions = [a.new() for _ in range(17)]
    wait = f"touch {gate}/$$; while [ ! -e {gate}/go ]; do sleep 0.05; done; echo went"
    got = []
    threads = [threading.Thread(target=lambda s=s: got.append(a.run(s, wait)["stdout"])) for s in sessions[:16]]
    for thread in threads:
        thread.start()
    for _ in range(600):
        if len(os.listdir(gate)) == 16:
            break
        time.sleep(0.05)
    a.post(f"/sessions/{sessions[16]}/exec", {"command": "true"}, expect=503, what="16 commands run at once, and no 17th")
    with open(os.path.join(gate, "go"), "w"):
        pass
    for thread in threads:
        thread.join()
    t.same(got, ["went\n"] * 16, "… and those come to their end")
    t.same(a.run(sessions[16], "echo then")["stdout"], "then\n", "… after which there is room again")


def stop(t, a, server):
    """A command that runs does not keep the server from stopping."""
    s = a.new()
    directory = a.run(s, "pwd")["stdout"].strip()
    replies = []
    thread = threading.Thread(target=lambda: replies.append(a.c.send("POST", f"{ASH}/sessions/{s}/exec", {"command": "touch begun; sleep 100"})))
    thread.start()
    for _ in range(400):
        if os.path.exists(os.path.join(directory, "begun")):
            break
        time.sleep(0.05)
    start = time.monotonic()
    t.same(server.stop(), 0, "the server stops with success")
    thread.join()
    t.check(time.monotonic() - start < 20 and replies[0].status == 503, "… and soon, also while a command runs", replies[0].body)


# ---- who may

def keys(t, server, people):
    none = Ash(Client(server, t))
    none.get("/sessions", expect=401, error="Missing Authorization header", what="no key")
    none.get("/sessions", expect=401, error="Invalid Authorization header format", headers={"Authorization": "Basic eA=="}, what="another header")
    none.get("/sessions", expect=401, error="Invalid API key", headers={"Authorization": "Bearer no"}, what="a wrong key")
    none.get("//ash/health", what="health needs none")
    ana, ben, wilma, guest = (Ash(people[n]) for n in ("ana", "ben", "wilma", "guest"))
    s = ben.new()
    t.same(ben.get(f"/sessions/{s}").json["session"]["tenantId"], "ben", "the tenant is the user")
    for method, path, body in (("GET", "", None), ("DELETE", "", None), ("PATCH", "/config", {}), ("POST", "/pause", None), ("POST", "/fork", None),
                               ("GET", "/messages", None), ("POST", "/messages", {"content": "x"}), ("POST", "/exec", {"command": "id"}),
                               ("GET", "/files", None), ("GET", "/files/x", None), ("POST", "/files", {"files": []}), ("GET", "/history", None),
                               ("GET", "/workspace", None), ("GET", "/events", None)):
        ana.call(method, f"/sessions/{s}{path}", body, expect=404, error="Session not found", what=f"another tenant's session is not there: {method} {path}")
    t.same(ana.get("/sessions").json, {"sessions": []}, "… and not listed")
    w = wilma.new()
    wilma.post(f"/sessions/{w}/messages", {"content": "x"}, expect=403, what="who may only write runs no agent")
    wilma.post(f"/sessions/{w}/exec", {"command": "x"}, expect=403, what="… and no command")
    guest.post("/sessions", {"agent": "echo"}, expect=403, what="who may only read makes nothing")
    ben.post("/agents", {"name": "x", "systemPrompt": "x"}, expect=403, what="agents are an administrator's")


def service(t, a):
    health = a.get("//ash/health").json
    t.same(set(health), {"status", "version", "coordinatorId", "activeSessions", "activeSandboxes", "remoteRunners", "uptime", "pool"}, "health")
    t.same(len(health["pool"]), 10, "… and its pool")
    for method, path in (("GET", "/queue"), ("GET", "/usage"), ("POST", "/credentials"), ("PUT", "/sessions"), ("DELETE", f"/sessions/{NOBODY}/fork"),
                         ("GET", f"/sessions/{NOBODY}/attachments"), ("GET", "/analytics")):
        reply = a.call(method, path, expect=404, what=f"there is no {method} {path}")
        t.check(reply.json["error"].startswith(f"Route {method}:"), "… and it says so", reply.body)
    a.call("POST", f"/sessions/{a.new()}/fork", "x=1", headers={"Content-Type": "text/plain"}, expect=415, what="a body is JSON")


def main():
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_HOST"):
        os.environ.pop(name, None)
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "wilma", "guest")}
    model = Model()
    server = Server(CONFIG.replace("sandbox:", f"  - {{name: default/modelled, kind: openai, model: comments, "
                                               f"base_url: 'http://127.0.0.1:{model.port}/v1'}}\nsandbox:"))
    closed = Server(CONFIG + USERS, list(tokens.items()))
    try:
        a = Ash(Client(server, tap))
        for test in (agents, sessions, matrix, statuses_of_others, stopping, permissions, messages, events, forks, tool_forks, rewound, fork_files,
                     together, files, workspace, commands, service):
            test(tap, a)
        wishes(tap, a, model)
        crowd(tap, a, server)
        keys(tap, closed, {n: Client(closed, tap, None, token) for n, token in tokens.items()})
    finally:
        stop(tap, a, server)
        tap.same(closed.stop(), 0, "a server stops with success")
        server.clear()
        closed.clear()
        model.stop()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

"""docker-agent's API: every route and error, the events of a run, approvals, forks."""
import http.client
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from config import CONFIG as SHARED, USERS
from wire import Client, Server, Tap

LONG = "x" * 30_000
QUOTES = '"' * 3_000
SCRIPTS = {
    "permit": [[{"reasoning": "may I?"}, {"ask": {"tool": "bash", "arguments": {"command": "ls"}}},
                {"ask": {"tool": "bash", "arguments": {"command": "pwd"}}}, {"say": {"text": "over"}}]],
    "careful": [[{"ask": {"tool": "read_file", "reads": True}}, {"ask": {"tool": "bash"}}, {"say": {"text": "over"}}]],
    "curious": [[{"question": "which colour?"}]],
    "wide": [[{"delta": "a" * 20_000}, {"delta": QUOTES}, {"say": {"text": "a" * 20_000 + QUOTES}},
              {"say": {"parts": [{"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": LONG}}]}},
              {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1", "output": LONG, "error": True}]}},
              {"say": {"parts": [{"type": "reasoning", "text": "so"}, {"type": "text", "text": "done"}],
                       "usage": {"input_tokens": 5, "output_tokens": 2, "cost": 0.5}}}]],
}
EXTRA = ""
for name, script in SCRIPTS.items():
    EXTRA += f"  - name: test/{name}\n    kind: scripted\n"
    EXTRA += f"    description: {name} one\n    script: {json.dumps(json.dumps(script))}\n"
EXTRA += "  - {name: other/echo2, kind: scripted, script: '[[{\"echo\": true}]]'}\n"
EXTRA += "  - {name: twin/same, kind: external}\n  - {name: test/same, kind: external}\n"
EXTRA += "  - {name: lab/modelled, kind: openai, model: m1, base_url: 'http://127.0.0.1:9/v1', description: has tools}\n"
CONFIG = SHARED.replace("  - {name: test/outside", EXTRA + "  - {name: test/outside")
PREFIX = "/docker-agent"


class Docker:
    """A client that looks at the form of every reply."""

    def __init__(self, server, tap, token=None):
        self.server, self.tap = server, tap
        self.native = Client(server, tap, token=token)

    def say(self, method, path, body=None, expect=200, message=None, headers=None):
        reply = self.native.send(method, PREFIX + path, body, headers)
        wrong = []
        if reply.status != expect:
            wrong.append(f"status {reply.status}, not {expect}")
        if reply.headers.get("content-type") != "application/json":
            wrong.append(f"content type {reply.headers.get('content-type')!r}")
        if not reply.body.endswith(b"\n"):
            wrong.append("no line feed at the end")
        if reply.status >= 400 and list(reply.json) != ["message"]:
            wrong.append("an error is {\"message\"} and nothing else")
        if message is not None and message not in reply.json.get("message", ""):
            wrong.append(f"the message is not {message!r}")
        if wrong or message is not None:
            self.tap.check(not wrong, f"{method} {path[:80]} {str(body)[:80]}: {message or expect}", *wrong, reply.body[:500])
        return reply

    def get(self, path, **more):
        return self.say("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.say("POST", path, body, **more)

    def new(self, **template):
        return self.post("/api/sessions", template).json["id"]

    def run(self, session, agent, text, **more):
        stream = Run(self, session, agent, [{"role": "user", "content": text}], **more)
        return stream.rest()

    def session(self, session):
        return self.get(f"/api/sessions/{session}").json

    def messages(self, session):
        return self.session(session).get("messages", [])

    def texts(self, session):
        return [(m["message"]["role"], m["message"]["content"]) for m in self.messages(session)]


class Run:
    """The stream of a run, event by event; every line is looked at."""

    def __init__(self, docker, session, agent, body, member=None, expect=200):
        self.tap = docker.tap
        self.connection = http.client.HTTPConnection("127.0.0.1", docker.server.port, timeout=30)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if docker.native.token:
            headers["Authorization"] = f"Bearer {docker.native.token}"
        path = f"{PREFIX}/api/sessions/{session}/agent/{agent}" + (f"/{member}" if member else "")
        self.connection.request("POST", path, body if isinstance(body, str) else json.dumps(body), headers)
        self.reply = self.connection.getresponse()
        if self.reply.status != expect:
            self.tap.check(False, f"POST {path}", self.reply.status, self.reply.read()[:500])
        self.type = self.reply.getheader("content-type")
        self.raw = b""

    def event(self):
        """The next one; None at the end."""
        line = self.reply.readline()
        while line.startswith(b":") or line == b"\n" and not self.raw:
            line = self.reply.readline()
        if not line:
            return None
        end = self.reply.readline()
        self.raw += line + end
        if not line.startswith(b"data: {") or end != b"\n" or b"\r" in line or len(line) >= 65536:
            self.tap.check(False, "the framing is exact", line[:100], end, len(line))
        return json.loads(line[len("data: "):])

    def until(self, kind):
        got = []
        while not got or got[-1]["type"] != kind:
            event = self.event()
            if event is None:
                self.tap.check(False, f"{kind} comes", [e["type"] for e in got])
                break
            got.append(event)
        return got

    def rest(self):
        got = []
        while True:
            event = self.event()
            if event is None:
                self.connection.close()
                return got
            got.append(event)

    def close(self):
        self.reply.close()
        self.connection.close()


def kinds(events):
    return [e["type"] for e in events]


def of(events, kind):
    return [e for e in events if e["type"] == kind]


# ---- the parts

def service(t, d):
    t.same(d.get("/api/ping").body, b'{"status":"ok"}\n', "ping")
    t.same(d.get("/health").json["status"], "ok", "health")
    r = d.get("/ready").json
    t.same((r["ready"], r["store_connected"], r["toolset_health"]), (True, True, "ok"), "ready")
    t.same(d.get("/api/nowhere", expect=404).body, b'{"message":"Not Found"}\n', "an unknown route")
    t.same(d.say("PUT", "/api/sessions", {}, expect=405).body, b'{"message":"Method Not Allowed"}\n', "a wrong method")
    for path in ("/api/sessions/x/steer", "/api/sessions/x/followup", "/api/sessions/x/summaries"):
        t.same(d.post(path, {}, expect=404).body, b'{"message":"Not Found"}\n', f"{path} is not there")


def agents(t, d):
    listed = d.get("/api/agents").json
    names = [a["name"] for a in listed]
    t.same(names, sorted(names), "agents are listed by name")
    t.check({"echo", "permit", "twin.same", "test.same", "echo2"} <= set(names), "with short names where these say enough", names)
    t.same([a for a in listed if a["name"] == "permit"], [{"name": "permit", "description": "permit one", "multi": False}],
           "an agent of the list")
    config = d.get("/api/agents/permit").json
    t.same((config["agents"][0]["name"], config["agents"][0]["Name"], config["agents"][0]["model"], config["metadata"]),
           ("root", "root", "scripted/scripted", {}), "its configuration")
    for name in ("test.permit", "test_permit", "other.echo2", "other_echo2"):
        d.get(f"/api/agents/{name}")
    t.same(len(d.get("/api/agents/modelled").json["agents"][0]["toolsets"]),
           d.get("/api/agents/modelled/root/tools/count").json["available_tools"], "tools are counted")
    t.check(d.get("/api/agents/modelled/root/tools/count").json["available_tools"] > 3, "… and there are some")
    t.same(d.get("/api/agents/permit/permit/tools/count").json, {"available_tools": 0}, "a script has none")
    for name in ("nobody", "same", "test.nobody", "test/permit"):
        t.same(d.get(f"/api/agents/{name}", expect=404).body, b'{"message":"Not Found"}\n', f"no agent {name}")
    d.get("/api/agents/nobody/root/tools/count", expect=404, message="failed to get agent tool count: agent \"nobody\" not found")
    d.get("/api/agents/same/root/tools/count", expect=404, message="several agents are called \"same\"")
    d.get("/api/agents/permit/other/tools/count", expect=404, message="agent \"other\" not found")


TEMPLATE = {
    "id": "mine", "title": "  A plan ", "messages": [{"message": {}}], "tools_approved": True, "thinking": True,
    "hide_tool_results": True, "max_iterations": 7, "starred": True, "safety_policy": "strict",
    "max_consecutive_tool_calls": 3, "max_old_tool_call_tokens": 4000, "max_tool_result_tokens": 5000,
    "permissions": {"allow": ["read_*", "shell:cmd=ls*"], "ask": ["bash"], "deny": ["write_file"]},
    "agent_model_overrides": {"root": "openai/m2"}, "custom_models_used": ["openai/m2"], "unknown": 1,
}


def sessions(t, d):
    made = d.post("/api/sessions").json
    t.same({k: made[k] for k in ("title", "messages", "tools_approved", "SendUserMessage", "max_iterations", "input_tokens",
                                 "output_tokens", "cost", "thinking", "hide_tool_results", "starred")},
           {"title": "", "messages": None, "tools_approved": False, "SendUserMessage": True, "max_iterations": 0,
            "input_tokens": 0, "output_tokens": 0, "cost": 0, "thinking": False, "hide_tool_results": False, "starred": False},
           "a new session")
    full = d.post("/api/sessions", TEMPLATE).json
    t.check(full["id"] != "mine" and full["title"] == "A plan" and full["messages"] is None, "id and messages of a template do not count", full)
    for key in ("tools_approved", "thinking", "hide_tool_results", "max_iterations", "starred", "safety_policy",
                "max_consecutive_tool_calls", "max_old_tool_call_tokens", "max_tool_result_tokens", "permissions",
                "agent_model_overrides", "custom_models_used"):
        t.same(full[key], TEMPLATE[key], f"{key} is given back")
    s = full["id"]
    got = d.session(s)
    t.check("messages" not in got and "parent_id" not in got, "an empty session has no messages, and no parent", got)
    t.same((got["title"], got["tools_approved"], got["permissions"], got["safety_policy"], got["agent_model_overrides"]),
           ("A plan", True, TEMPLATE["permissions"], "strict", {"root": "openai/m2"}), "a session is read")
    t.same(d.post("/api/sessions", '{"TOOLS_Approved": true, "Title": null}').json["tools_approved"], True,
           "names of members are taken in any case, null is nothing")
    # what could not be read again is not kept
    count = len(d.get("/api/sessions").json)
    for deep in range(61, 65):
        made = d.native.send("POST", PREFIX + "/api/sessions", '{"permissions": {"deny": ["bash"]}, "custom_models_used": %s}' % ("[" * deep + "]" * deep))
        t.check(made.status in (200, 400), f"a template of depth {deep + 1}", made.status, made.body)
        count += made.status == 200
        t.same(len(d.get("/api/sessions").json), count, "… makes a session that is listed, or none")
    # the list
    time.sleep(0.01)
    newest = d.new(title="newest")
    d.say("PATCH", f"/api/sessions/{s}/title", {"title": "touched"})
    listed = d.get("/api/sessions").json
    t.same((listed[0]["id"], listed[0]["title"], listed[0]["num_messages"]), (newest, "newest", 0), "the newest first, whoever was touched")
    t.check(all(len(row["created_at"]) == len("2026-05-04T10:12:00Z") for row in listed), "times to the second", listed[0])
    status = d.get(f"/api/sessions/{s}/status").json
    t.same((status["id"], status["streaming"], status["num_messages"], status["title"]), (s, False, 0, "touched"), "status")
    # bad templates
    for body, why in (('{"title": 3}', '"title" must be a string'), ('{"title": ', "invalid request body"), ("[]", "must be an object"),
                      ('{"max_iterations": -1}', "max_iterations"), ('{"max_iterations": 1.5}', "max_iterations"),
                      ('{"max_tool_result_tokens": "x"}', "max_tool_result_tokens"), ('{"max_tool_result_tokens": 0.5}', "whole number"),
                      ('{"permissions": {"deny": [1]}}', "a list of strings"), ('{"permissions": []}', '"permissions" must be an object'),
                      ('{"permissions": {"deny": ["shell:cmd=rm*"]}}', "cannot be honoured"),
                      ('{"permissions": {"ask": ["*_file"]}}', "cannot be honoured"),
                      (json.dumps({"permissions": {"allow": ["x"] * 1000}}), "more than 256 rules"),
                      ('{"working_dir": "/nowhere/at/all"}', "failed to create session"), ('{"working_dir": "here"}', "failed to create session")):
        d.post("/api/sessions", body, expect=400, message=why)
    d.post("/api/sessions", json.dumps({"safety_policy": "x" * 100_000}), expect=413, message="failed to create session")
    d.post("/api/sessions", json.dumps({"title": "x" * 300_000}), expect=413, message="bytes")
    d.post("/api/sessions", "a=b", expect=400, headers={"Content-Type": "application/x-www-form-urlencoded"},
           message="invalid request body: code=415, message=Unsupported Media Type")
    t.same(len(d.get("/api/sessions").json), len(listed), "what was refused made no session")
    # gone
    t.same(d.say("DELETE", f"/api/sessions/{s}").body, b'{"message":"session deleted"}\n', "a session is deleted")
    d.get(f"/api/sessions/{s}", expect=404, message="session not found: session not found")
    d.get(f"/api/sessions/{s}/status", expect=404, message="session not found: session not found")
    d.say("DELETE", f"/api/sessions/{s}", expect=404, message="failed to delete session: session not found")
    two = [d.new(), d.new()]
    t.same(d.post("/api/sessions/batch/delete", {"session_ids": two + ["none"]}).json,
           {"deleted_count": 2, "failed_count": 1, "failed_ids": ["none"]}, "several are deleted")
    d.post("/api/sessions/batch/delete", {"session_ids": []}, expect=400, message="session_ids cannot be empty")
    d.post("/api/sessions/batch/delete", {"session_ids": [1]}, expect=400, message="a list of strings")
    d.post("/api/sessions/batch/delete", {"session_ids": ["x"] * 1001}, expect=400, message="at most 1000")


def changes(t, d):
    s = d.new(title="one")
    t.same(d.say("PATCH", f"/api/sessions/{s}/title", {"title": "two"}).json, {"id": s, "title": "two"}, "a title")
    t.same(d.say("PATCH", f"/api/sessions/{s}/permissions", {"permissions": {"allow": ["a"], "ask": ["b"], "deny": ["c*"]}}).body,
           b'{"message":"session permissions updated"}\n', "permissions")
    t.same(d.session(s)["permissions"], {"allow": ["a"], "ask": ["b"], "deny": ["c*"]}, "… are there")
    d.say("PATCH", f"/api/sessions/{s}/permissions", {"permissions": None})
    t.check("permissions" not in d.session(s), "… and gone")
    t.same(d.post(f"/api/sessions/{s}/tools/toggle").body, b"null\n", "tools are approved")
    t.same(d.session(s)["tools_approved"], True, "… all of them")
    d.post(f"/api/sessions/{s}/tools/toggle", {})
    t.same(d.session(s)["tools_approved"], False, "… and not any more")
    d.post(f"/api/sessions/{s}/thinking/toggle")
    t.same(d.session(s)["thinking"], True, "thinking")
    t.same(d.say("PATCH", f"/api/sessions/{s}/starred", {"starred": True}).body, b'{"status":"updated"}\n', "starred")
    d.say("PATCH", f"/api/sessions/{s}/tokens", {"input_tokens": 100, "output_tokens": 20, "cost": 0.5})
    got = d.session(s)
    t.same((got["input_tokens"], got["output_tokens"]), (100, 20), "tokens that a client counted")
    for method, path, body, why in (
            ("PATCH", "title", {"title": 1}, '"title" must be a string'), ("PATCH", "permissions", {"permissions": 1}, "an object"),
            ("PATCH", "permissions", {"permissions": {"deny": ["a[b]"]}}, "cannot be honoured"),
            ("PATCH", "starred", {"starred": "yes"}, "true or false"), ("PATCH", "tokens", {"input_tokens": -1}, "whole numbers"),
            ("PATCH", "tokens", {"cost": "x"}, "a number"), ("PATCH", "title", "{", "invalid request body"),
            ("POST", "resume", {"confirmation": "maybe"}, "confirmation must be"), ("POST", "resume", "{]", "invalid request body"),
            ("POST", "elicitation", {"action": "perhaps"}, "action must be"), ("POST", "elicitation", {"content": []}, "an object")):
        d.say(method, f"/api/sessions/{s}/{path}", body, expect=400, message=why)
    d.say("PATCH", f"/api/sessions/{s}/title", {"title": "x" * 5000}, expect=413, message="failed to update session title")
    for method, path, body, why in (
            ("PATCH", "title", {"title": "x"}, "failed to update session title: session not found"),
            ("PATCH", "permissions", {}, "failed to update session permissions: session not found"),
            ("PATCH", "starred", {}, "failed to set starred: session not found"), ("PATCH", "tokens", {}, "failed to update tokens: session not found"),
            ("POST", "tools/toggle", None, "tool approval mode: session not found"), ("POST", "thinking/toggle", None, "session not found"),
            ("POST", "resume", {"confirmation": "approve"}, "failed to resume session: session not found"),
            ("POST", "elicitation", {"action": "accept"}, "failed to resume elicitation: session not found"),
            ("POST", "messages", {"message": {"message": {"role": "user", "content": "x"}}}, "failed to add message: session not found"),
            ("POST", "agent/echo", [{"content": "x"}], "failed to run session: session not found"),
            ("POST", "fork", None, "failed to fork session: session not found"),
            ("POST", "fork", {"message_index": -1}, "failed to fork session: session not found")):
        d.say(method, f"/api/sessions/none/{path}", body, expect=404, message=why)


def running(t, d):
    s = d.new(tools_approved=True)
    run = Run(d, s, "tools", [{"role": "user", "content": "list"}])
    t.same(run.type, "text/event-stream", "a run is a stream")
    events = run.rest()
    t.same([k for k in kinds(events) if k not in ("tool_call_output", "agent_choice_reasoning")],
           ["agent_info", "team_info", "toolset_info", "user_message", "stream_started", "toolset_info", "message_added",
            "token_usage", "tool_call", "tool_call_response", "message_added", "agent_choice", "message_added",
            "token_usage", "stream_stopped"], "its events, in their order")
    t.same((events[3]["message"], events[3]["session_id"], events[3]["session_position"]), ("list", s, 0), "what the user said")
    t.same(of(events, "agent_choice")[0]["content"], "there is a.txt", "what the agent says")
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    t.same(of(events, "tool_call")[0]["tool_call"], call, "a call")
    done = of(events, "tool_call_response")[0]
    t.same((done["tool_call"], done["tool_call_id"], done["response"], done["result"], done["tool_definition"]["name"]),
           (call, "c1", "a.txt", {"output": "a.txt"}, "bash"), "… and its result")
    usage = of(events, "token_usage")[-1]["usage"]
    t.same((usage["input_tokens"], usage["output_tokens"], usage["cost"], usage["last_message"]["Cost"]), (7, 3, 0.25, 0.25), "tokens")
    t.same(events[-1]["reason"], "normal", "the end")
    t.check(all("timestamp" in e for e in events), "each has a time")
    got = d.session(s)
    t.same([(m["agentName"], m["agent_name"], m["message"]["role"], m["message"]["content"]) for m in got["messages"]],
           [("", "", "user", "list"), ("root", "root", "assistant", ""), ("root", "root", "tool", "a.txt"),
            ("root", "root", "assistant", "there is a.txt")], "the session has the messages")
    t.same((got["messages"][1]["message"]["tool_calls"], got["messages"][2]["message"]["tool_call_id"]), ([call], "c1"), "… with the call")
    last = got["messages"][3]["message"]
    t.same((last["usage"], last["cost"], got["input_tokens"], got["output_tokens"]),
           ({"input_tokens": 7, "output_tokens": 3, "cached_input_tokens": 0, "cached_write_tokens": 0}, 0.25, 7, 3), "… and the usage")
    row = [r for r in d.get("/api/sessions").json if r["id"] == s][0]
    t.same((row["num_messages"], row["input_tokens"], row["output_tokens"]), (4, 7, 3), "… and the list knows it")
    # all forms of the body and the path
    s = d.new()
    sent = [{"role": "user", "content": "one"}]
    Run(d, s, "echo", sent).rest()
    sent += [{"role": "assistant", "content": "two"}]
    Run(d, s, "echo", {"messages": sent}, member="root").rest()
    Run(d, s, "test.echo", {"MESSAGES": sent + [{"role": "system", "content": "three"}]}, member="echo").rest()
    Run(d, s, "other_echo2", [{"Content": "four"}]).rest()
    t.same(d.texts(s), [(who, text) for text in ("one", "two", "three", "four") for who in ("user", "assistant")],
           "only the last message is new, and its role does not count")
    t.same(d.native.get(f"/sessions/{s}").json["agent"], "other/echo2", "the run says who answers")
    # running text
    events = d.run(d.new(), "talk", "hi")
    t.same("".join(e["content"] for e in of(events, "agent_choice")), "Hello", "running text")
    # too wide for one line
    s = d.new(tools_approved=True)
    events = d.run(s, "wide", "go")
    said = "".join(e["content"] for e in of(events, "agent_choice"))
    t.same(said, "a" * 20_000 + QUOTES + "done", "a long text comes in pieces, and whole")
    done = of(events, "tool_call_response")[0]
    t.check("cut here: it has 30000 bytes" in done["response"] and done["result"]["isError"], "a long output is cut, and says so", done["response"][-100:])
    t.check("cut" in json.loads(of(events, "tool_call")[0]["tool_call"]["function"]["arguments"]), "long arguments stay JSON")
    got = d.messages(s)
    t.same((len(got[3]["message"]["content"]), got[3]["message"]["is_error"], got[4]["message"]["reasoning_content"]), (30_000, True, "so"),
           "what is stored is whole")
    for text in ("\u00e4" * 100_000 + '"' * 100_000, "\u0001\n" * 50_000):
        s = d.new()
        events = d.run(s, "echo", text)
        t.check("".join(e["content"] for e in of(events, "agent_choice")) == text, "an answer of any length comes whole")
        t.check("cut here" in of(events, "user_message")[0]["message"], "what the user said is not told at any length")
        t.check([m["message"]["content"] for m in d.messages(s)] == [text, text], "… and stored as it is")
    # a failed one
    s = d.new()
    events = d.run(s, "fail", "x")
    t.same((kinds(events)[-2:], "the model is out" in events[-2]["error"], events[-1]["reason"]),
           (["error", "stream_stopped"], True, "error"), "a turn that fails says why")
    # bad ones
    for path, body, status, why in (
            ("echo", [], 400, "there is no message"), ("echo", {}, 400, "there is no message"), ("echo", None, 400, "there is no message"),
            ("echo", {"messages": {}}, 400, "an array"), ("echo", [3], 400, "must be an object"), ("echo", [{"content": 3}], 400, "a string"),
            ("echo", [{"role": "user"}], 400, "empty"), ("echo", [{"content": ""}], 400, "empty"), ("echo", "{", 400, "invalid request body"),
            ("echo", [{"multi_content": [1]}], 400, "a list of objects"), ("echo", {"messages": [{"content": "x"}], "model": 1}, 400, "a string"),
            ("nobody", [{"content": "x"}], 404, "failed to run session: agent \"nobody\" not found"),
            ("same", [{"content": "x"}], 404, "several agents"), ("echo/other", [{"content": "x"}], 404, "agent \"other\" not found in \"echo\""),
            ("outside", [{"content": "x"}], 409, "failed to run session"),
            ("echo", {"messages": [{"content": "x"}], "model": "a/b"}, 422, "model switching is not supported")):
        d.post(f"/api/sessions/{s}/agent/{path}", body, expect=status, message=why)
    t.same((len(d.messages(s)), d.native.get(f"/sessions/{s}").json["agent"]), (2, "test/fail"), "what was refused said nothing, and changed nothing")
    # a model that is said stays
    run = Run(d, s, "modelled", {"messages": [{"content": "x"}], "model": "openai/m9"})
    events = run.until("stream_started")
    d.native.post(f"/sessions/{s}/cancel")
    t.same((run.rest()[-1]["reason"], of(events, "toolset_info")[0]["available_tools"] > 3), ("canceled", True), "an agent with a model and tools")
    t.same(d.session(s)["agent_model_overrides"], {"root": "openai/m9"}, "a model that is said stays")


def models(t, d):
    """A model that is too long is refused as a whole, and the session goes on."""
    s = d.new()
    before = d.session(s)
    d.post(f"/api/sessions/{s}/agent/modelled", {"messages": [{"content": "x"}], "model": "m" * 40_000}, expect=413, message="failed to run session")
    t.same(d.session(s), before, "nothing of it was kept")
    t.same(d.native.get(f"/sessions/{s}").json["agent"], "test/echo", "… nor the agent")


def busy(t, d):
    s = d.new()
    run = Run(d, s, "wait", [{"content": "go"}])
    run.until("agent_choice")
    t.same(d.get(f"/api/sessions/{s}/status").json["streaming"], True, "it runs")
    t.same(d.post(f"/api/sessions/{s}/agent/echo", [{"content": "x"}], expect=409).body,
           b'{"message":"session is already processing a request"}\n', "one run at a time")
    t.same(d.native.get(f"/sessions/{s}").json["agent"], "test/wait", "… and the agent stays")
    d.post(f"/api/sessions/{s}/messages", {"message": {"message": {"role": "user", "content": "x"}}}, expect=409, message="failed to add message")
    d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve"}, expect=409, message="failed to resume session: nothing is waiting for it")
    d.post(f"/api/sessions/{s}/elicitation", {"action": "accept"}, expect=409, message="nothing is waiting for it")
    t.same(d.post(f"/api/sessions/{s}/fork").json["input_tokens"], 0, "it can be forked while it runs")
    d.native.post(f"/sessions/{s}/cancel")
    t.same(run.rest()[-1]["reason"], "canceled", "a cancelled one says so")
    # whoever goes away wants it to stop
    run = Run(d, s, "wait", [{"content": "again"}])
    run.until("agent_choice")
    run.close()
    for _ in range(200):
        if not d.get(f"/api/sessions/{s}/status").json["streaming"]:
            break
        time.sleep(0.05)
    t.same(d.native.get(f"/sessions/{s}").json["turn"]["state"], "cancelled", "a client that goes away cancels its run")
    run = Run(d, s, "wait", [{"content": "more"}])
    run.until("agent_choice")
    t.same(d.say("DELETE", f"/api/sessions/{s}").status, 200, "deleted while it runs")
    t.same(run.rest()[-1]["reason"], "canceled", "… and the stream ends")


def approvals(t, d):
    def asked(session, agent="permit"):
        run = Run(d, session, agent, [{"content": "go"}])
        return run, run.until("tool_call_confirmation")
    s = d.new()
    run, events = asked(s)
    t.same(kinds(events)[-3:], ["message_added", "token_usage", "tool_call_confirmation"], "a tool needs a yes")
    t.check("tool_call" not in kinds(events), "… before it runs")
    t.same((events[-1]["tool_call"]["id"], events[-1]["tool_call"]["function"], events[-1]["tool_definition"]["name"]),
           ("c1", {"name": "bash", "arguments": '{"command": "ls"}'}, "bash"), "… and it says which")
    d.post(f"/api/sessions/{s}/elicitation", {"action": "accept"}, expect=409, message="waits for a confirmation")
    d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve-tool", "tool_name": "other"}, expect=400, message='it waits for the tool "bash"')
    t.same(d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve"}).body, b'{"message":"session resumed"}\n', "a yes")
    events = run.until("tool_call_confirmation")
    t.same(kinds(events)[:3], ["tool_call", "tool_call_response", "message_added"], "… lets it run")
    t.same((events[1]["response"], events[-1]["tool_call"]["id"]), ("ran", "c2"), "… once")
    d.post(f"/api/sessions/{s}/resume", {"confirmation": "reject", "reason": "not today"})
    events = run.rest()
    done = of(events, "tool_call_response")[0]
    t.check(done["result"]["isError"] and "not today" in done["response"], "a no says why", done)
    t.same((events[-1]["reason"], of(events, "agent_choice")[0]["content"]), ("normal", "over"), "… and the turn goes on")
    t.same(d.session(s)["tools_approved"], False, "nothing else was approved")
    d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve"}, expect=409, message="nothing is waiting for it")
    # for the session
    run, _ = asked(s)
    f = d.post(f"/api/sessions/{s}/fork", {"user_message_index": 1}).json["id"]
    d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve-session"})
    t.same([e["response"] for e in of(run.rest(), "tool_call_response")], ["ran", "ran"], "a yes for the session asks no more")
    t.same((d.session(s)["tools_approved"], d.session(f)["tools_approved"]), (True, False), "… and is kept there, and nowhere else")
    # for the tool
    run, _ = asked(f)
    d.post(f"/api/sessions/{f}/resume", {"confirmation": "approve-tool", "tool_name": "bash"})
    t.same([e["response"] for e in of(run.rest(), "tool_call_response")], ["ran", "ran"], "a yes for the tool")
    t.same((d.session(f)["tools_approved"], d.session(f)["permissions"]), (False, {"allow": ["bash"]}), "… is a rule")
    g = d.post(f"/api/sessions/{f}/fork", {"user_message_index": 0}).json
    t.same(g["permissions"], {"allow": ["bash"]}, "… that a fork takes over")
    # rules
    s = d.new(permissions={"deny": ["ba*"]})
    done = of(d.run(s, "careful", "go"), "tool_call_response")
    t.same([d_["result"].get("isError", False) for d_ in done], [False, True], "what is denied is not asked, what only reads runs")
    s = d.new(tools_approved=True, permissions={"deny": ["bash"]})
    t.check(of(d.run(s, "careful", "go"), "tool_call_response")[1]["result"]["isError"], "a denied tool is denied also where all are approved")
    s = d.new(tools_approved=True)
    t.check("tool_call_confirmation" not in kinds(d.run(s, "permit", "go")), "where all are approved nobody is asked")


def elicitation(t, d):
    for action, content, said in (("accept", {"colour": "red", "n": [1, None]}, {"colour": "red", "n": [1, None]}), ("decline", None, "declined"),
                                  ("cancel", None, "cancelled"), ("accept", None, {})):
        s = d.new()
        run = Run(d, s, "curious", [{"content": "go"}])
        asked = run.until("elicitation_request")[-1]
        t.same((asked["message"], asked["elicitation_id"]), ("which colour?", "q1"), "a question")
        d.post(f"/api/sessions/{s}/resume", {"confirmation": "approve"}, expect=409, message="waits for an elicitation")
        t.same(d.post(f"/api/sessions/{s}/elicitation", {"action": action, "content": content}).body, b"null\n", f"{action}")
        text = of(run.rest(), "agent_choice")[0]["content"]
        t.check(json.loads(text) == said if isinstance(said, dict) else text.startswith("no answer") and said in text, "… reaches the agent", text)


PARTS = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "high"}},
         {"type": "file", "file": {"path": "/a b.txt", "mime_type": "text/plain"}}, {"type": "document", "document": {"x": [1.50, 12345678901234567890]}}]
ODD = {"role": "assistant", "content": "hm", "reasoning_content": "because", "thinking_signature": "sig", "thought_signature": "AAE=",
       "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":  1}"}},
                      {"id": "k2", "type": "function", "function": {"name": "g", "arguments": "not json"}}],
       "usage": {"input_tokens": 3, "output_tokens": 4, "cached_input_tokens": 1, "cached_write_tokens": 2, "reasoning_tokens": 9},
       "model": "openai/m", "cost": 0.125, "cache_control": True, "created_at": "2026-01-01T00:00:00Z"}


def parts(t, d):
    s = d.new()
    events = Run(d, s, "echo", [{"role": "user", "content": "see this", "multi_content": PARTS}]).rest()
    t.same(of(events, "user_message")[0]["multi_content"], PARTS, "parts are told")
    t.same(of(events, "user_message")[0]["message"], "see this", "… and what is said beside them")
    got = d.messages(s)[0]["message"]
    t.same((got["content"], got["multi_content"]), ("see this", PARTS), "parts come back equal")
    lines = json.dumps([{"content": "in lines", "multi_content": PARTS}], indent=2).replace("\n", "\r\n")
    told = of(Run(d, d.new(), "echo", lines).rest(), "user_message")[0]
    t.same((told["message"], told["multi_content"]), ("in lines", PARTS), "parts that came in several lines are told in one")
    zero = of(Run(d, d.new(), "echo", [{"content": "a\0" + "b" * 30_000}]).rest(), "user_message")[0]["message"]
    t.check(zero.startswith("a\0bbb") and len(zero) > 10_000, "a NUL is no end of a long text", zero[:50])
    t.check(b"12345678901234567890" in d.get(f"/api/sessions/{s}").body, "… large numbers too")
    native = d.native.get(f"/sessions/{s}/messages").json["messages"][0]["parts"]
    t.same([p["type"] for p in native], ["text", "text", "file", "file", "data"], "… and the native API has words for them")
    Run(d, s, "echo", [{"multi_content": PARTS}]).rest()
    t.same(d.messages(s)[2]["message"]["content"], "", "parts alone")
    # messages that nobody answers
    for message, wrapped in (({"role": "user", "content": "q", "multi_content": PARTS}, {"agentName": "", "implicit": True}), (ODD, {"agent_name": "coder"}),
                             ({"role": "tool", "content": "r1", "tool_call_id": "k1", "is_error": True}, {"agentName": "coder"}),
                             ({"role": "system", "content": "hidden"}, {})):
        t.same(d.post(f"/api/sessions/{s}/messages", {"message": {**wrapped, "message": message}}, expect=201).body, b'{"status":"added"}\n', "a message is added")
    user, agent, tool = d.messages(s)[4:]
    t.same((user["implicit"], user["agent_name"], user["message"]["multi_content"]), (True, "", PARTS), "an implicit message")
    t.same((agent["message"], agent["agentName"]), (ODD, "coder"), "every member comes back equal")
    t.same({k: tool["message"][k] for k in ("role", "content", "tool_call_id", "is_error")},
           {"role": "tool", "content": "r1", "tool_call_id": "k1", "is_error": True}, "a result")
    t.same(d.session(s)["input_tokens"], 3, "its tokens count")
    for body, why in (({}, "message is required"), ({"message": {}}, "message is required"), ({"message": {"message": {"content": "x"}}}, '"role" must be'),
                      ({"message": {"message": {"role": "robot"}}}, '"role" must be'), ({"message": 1}, "an object"),
                      ({"message": {"message": {"role": "user", "content": "x", "usage": {"input_tokens": -1}}}}, "whole numbers"),
                      ({"message": {"message": {"role": "user", "content": "x"}, "implicit": "yes"}}, "true or false")):
        d.post(f"/api/sessions/{s}/messages", body, expect=400, message=why)
    f = d.post(f"/api/sessions/{s}/fork", {"message_index": 4}).json
    t.same([m["message"] for m in f["messages"]], [m["message"] for m in d.messages(s)[:4]], "a fork has them equal, too")
    # what another dialect said
    n = d.native.new()
    d.native.post(f"/sessions/{n}/messages", {"messages": [
        {"parts": [{"type": "text", "text": "a"}, {"type": "file", "name": "p.png", "media_type": "image/png", "bytes": "AAAA"},
                   {"type": "file", "name": "b.txt", "media_type": "text/plain", "uri": "file:///b.txt"}, {"type": "data", "data": {"k": 1}}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {}}, {"type": "tool_call", "id": "2", "name": "g", "arguments": "raw"}]},
        {"role": "tool", "parts": [{"type": "tool_result", "call": "1", "output": {"x": 1}}, {"type": "tool_result", "call": "2", "output": "two", "error": True}]},
        {"role": "system", "text": "hidden"}], "run": False}, expect=201)
    got = [m["message"] for m in d.messages(n)]
    t.same(got[0]["multi_content"], [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                                     {"type": "file", "file": {"path": "b.txt", "mime_type": "text/plain"}}, {"type": "text", "text": '{"k": 1}'}], "parts of the native API")
    t.same(([c["function"]["arguments"] for c in got[1]["tool_calls"]], got[2]["content"], got[2]["tool_call_id"], len(got)),
           (["{}", "raw"], '{"x": 1}\ntwo', "1", 3), "calls and results of the native API")
    t.same(d.session(n)["tools_approved"], True, "a session of the native API asks nobody")


def history(d, session):
    """All that there is of a session, through both APIs, as bytes."""
    return (d.get(f"/api/sessions/{session}").body, d.native.send("GET", f"/api/v1/sessions/{session}/messages?all=1").body,
            d.native.send("GET", f"/api/v1/sessions/{session}/journal").body)


def forks(t, d, server):
    template = {k: v for k, v in TEMPLATE.items() if k != "agent_model_overrides"}
    s = d.post("/api/sessions", {**template, "title": "Original"}).json["id"]
    for text in ("one", "two", "three"):
        d.run(s, "tools" if text == "two" else "echo", text)
    before = history(d, s)
    f = d.post(f"/api/sessions/{s}/fork", {"user_message_index": 2}).json
    t.same((f["title"], f["parent_id"], f["fork_point"], len(f["messages"])), ("Original (fork 1)", s, 6, 6), "a fork before the third question")
    t.same((f["input_tokens"], f["output_tokens"]), (7, 3), "its tokens are those of what it has")
    t.same((f["tools_approved"], f["permissions"], f["safety_policy"], f["thinking"]), (True, TEMPLATE["permissions"], "strict", True), "it takes over what the session may")
    t.check("agent_model_overrides" not in f, "… and the reply names no models")
    t.same({k: v for k, v in d.session(f["id"]).items()}, f, "it is read as it was answered")
    native = d.native.get(f"/sessions/{f['id']}").json
    t.same((native["parent"]["session"], native["parent"]["side"], native["usage"]["cost"], native["usage"]["inherited"]["cost"]), (s, "before", 0, 0.25),
           "the parent is known; what was inherited costs nothing again")
    cases = (({"user_message_index": 0}, 0), ({"message_index": 0}, 0), (None, 0), ({}, 0), ({"user_message_index": 1}, 2), ({"message_index": 2}, 2),
             ({"message_index": 6}, 6), ({"Message_Index": 2, "other": 1}, 2))
    for n, (body, kept) in enumerate(cases):
        r = d.post(f"/api/sessions/{s}/fork", body).json
        t.same((r["title"], r["fork_point"], len(r.get("messages", [])), "messages" in r), (f"Original (fork {n + 2})", kept, kept, kept > 0), f"fork {body}")
        t.same(r.get("messages", []), d.messages(s)[:kept], f"fork {body}: everything before it")
    t.same((r["input_tokens"], r["output_tokens"]), (0, 0), "what was cut off is not counted")
    for body, why in (({"message_index": 1}, "is not a user message: 1 is of an agent"), ({"message_index": 4}, "4 is of a tool"),
                      ({"message_index": 8}, "fork message index out of range: 8"), ({"message_index": 9}, "fork message index out of range: 9"),
                      ({"message_index": -1}, "fork message index out of range: -1"), ({"message_index": 10 ** 15}, "out of range"),
                      ({"message_index": 10 ** 30}, f"fork message index out of range: {10 ** 30}"), ({"user_message_index": -10 ** 30}, "out of range: -1000"),
                      ('{"message_index": 1e0}', "must be a whole number"), ('{"message_index": 0.0}', "must be a whole number"),
                      ({"user_message_index": 3}, "fork user-message index out of range: 3"), ({"user_message_index": -1}, "fork user-message index out of range: -1"),
                      ({"message_index": "2"}, '"message_index" must be a number'), ({"message_index": 1.5}, '"message_index" must be a whole number'),
                      ({"user_message_index": 0.0}, "must be a whole number"), ('{"message_index": 1e0}', "must be a whole number"),
                      ('{"message_index": 99999999999999999999}', "out of range: 99999999999999999999"), ({"user_message_index": True}, "must be a number"),
                      ({"user_message_index": [0]}, "must be a number"), ({"message_index": 2, "user_message_index": 1}, "cannot be given together"),
                      ({"message_index": None}, "one of message_index and user_message_index must be given"), ({"index": 2}, "one of message_index"),
                      ("[]", "must be an object"), ("3", "must be an object"), ("{", "invalid request body"), ('"x"', "must be an object")):
        d.post(f"/api/sessions/{s}/fork", body, expect=400, message=why)
    t.same(history(d, s), before, "the parent is as it was, byte for byte")
    t.same(len([r for r in d.get("/api/sessions").json if r["title"].startswith("Original (fork")]), len(cases) + 1, "what was refused made no fork")
    e = d.new(title="")
    d.post(f"/api/sessions/{e}/fork", None, expect=400, message="fork user-message index out of range: 0")
    d.run(e, "echo", "x")
    t.same(d.post(f"/api/sessions/{e}/fork").json["title"], "", "no title stays none")
    # titles
    for title, want in (("Q1 (fork 2) Analysis", "Q1 (fork 2) Analysis (fork 1)"), ("T (branched)", "T (branched) (fork 1)"), ("Deep (fork 4)", "Deep (fork 5)")):
        x = d.new(title=title)
        d.run(x, "echo", "x")
        t.same(d.post(f"/api/sessions/{x}/fork").json["title"], want, f"the title after {title!r}")
    # many at once
    x = d.new(title="Many")
    d.run(x, "echo", "x")
    d.run(x, "echo", "y")
    before, titles = history(d, x), []
    threads = [threading.Thread(target=lambda: titles.append(Docker(server, t).post(f"/api/sessions/{x}/fork", {"user_message_index": 1}).json["title"]))
               for _ in range(20)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    t.same(sorted(titles), sorted(f"Many (fork {n})" for n in range(1, 21)), "twenty forks at once have twenty titles, without gaps")
    t.same(history(d, x), before, "… and the parent is as it was")
    # a fork of a fork of a rewound session
    d.native.post(f"/sessions/{x}/rewind", {"before": 2})
    d.run(x, "echo", "z")
    t.same(d.texts(x), [("user", "x"), ("assistant", "x"), ("user", "z"), ("assistant", "z")], "a rewound session")
    f = d.post(f"/api/sessions/{x}/fork", {"message_index": 2}).json["id"]
    d.run(f, "echo", "w")
    g = d.post(f"/api/sessions/{f}/fork", {"user_message_index": 1}).json
    t.same([m["message"]["content"] for m in g["messages"]], ["x", "x"], "a fork of a fork of it")
    t.same((g["parent_id"], g["title"], g["fork_point"]), (f, "Many (fork 22)", 2), "… with the parent and the next title")
    d.run(g["id"], "echo", "v")
    t.same(d.texts(g["id"]), [("user", "x"), ("assistant", "x"), ("user", "v"), ("assistant", "v")], "… goes its own way")
    t.same(d.texts(f), [("user", "x"), ("assistant", "x"), ("user", "w"), ("assistant", "w")], "… and the others theirs")
    d.say("DELETE", f"/api/sessions/{f}")
    t.same((d.session(g["id"])["parent_id"], len(d.messages(g["id"]))), (f, 4), "a fork outlives its parent")
    # tokens that a client counted are not the fork's
    d.say("PATCH", f"/api/sessions/{s}/tokens", {"input_tokens": 1000, "output_tokens": 500})
    t.same(d.post(f"/api/sessions/{s}/fork", {"user_message_index": 2}).json["input_tokens"], 7, "a fork counts its own tokens")
    d.run(s, "tools", "more")
    t.same(d.session(s)["input_tokens"], 1007, "… and its parent goes on from what was said")


def subsessions(t, d, server):
    s = d.new(title="Delegates")
    d.run(s, "echo", "first")
    subprocess.run([os.environ["WIRE_SUBSESSION"], os.path.join(server.home, "tine.db"), "local", s], check=True)
    d.run(s, "echo", "second")
    flat = [("user", "first"), ("assistant", "first"), ("assistant", ""), ("user", "Please proceed."), ("user", "Please look closer."),
            ("assistant", "looked closer"), ("assistant", "proceeded"), ("tool", "done"), ("user", "second"), ("assistant", "second")]
    t.same(d.texts(s), flat, "sub-sessions are flattened in place")
    t.same([r["num_messages"] for r in d.get("/api/sessions").json if r["id"] == s], [10], "… and the list counts them")
    t.same(len(d.get("/api/sessions").json), len({r["id"] for r in d.get("/api/sessions").json}), "… and does not show them")
    before = history(d, s)
    db = sqlite3.connect(os.path.join(server.home, "tine.db"))
    table = next(name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'sessions')"))
    hidden = {row[0] for row in db.execute(f"SELECT id FROM {table}")} - {r["id"] for r in d.get("/api/sessions").json}
    db.close()
    subs = [i for i in hidden if d.native.send("GET", f"{PREFIX}/api/sessions/{i}").status == 200]
    t.check(subs, "the sub-sessions have ids")
    for sub in subs:
        d.say("DELETE", f"/api/sessions/{sub}", expect=400, message="is a sub-session")
    t.same(d.texts(s), flat, "… and cannot be deleted by themselves: their parent would not be whole")
    for body, why in (({"message_index": 3}, "fork message index falls inside a sub-session at ordinal 3"), ({"message_index": 4}, "inside a sub-session at ordinal 4"),
                      ({"message_index": 5}, "inside a sub-session at ordinal 5"), ({"message_index": 6}, "inside a sub-session"),
                      ({"user_message_index": 1}, "fork user-message index falls inside a sub-session at ordinal 1"),
                      ({"user_message_index": 2}, "fork user-message index falls inside a sub-session at ordinal 2"),
                      ({"message_index": 2}, "not a user message"), ({"message_index": 7}, "7 is of a tool"), ({"message_index": 10}, "out of range: 10"),
                      ({"user_message_index": 4}, "out of range: 4")):
        d.post(f"/api/sessions/{s}/fork", body, expect=400, message=why)
    for body in ({"message_index": 8}, {"user_message_index": 3}):
        f = d.post(f"/api/sessions/{s}/fork", body).json
        t.same([(m["message"]["role"], m["message"]["content"]) for m in f["messages"]], flat[:8], f"fork {body}: sub-sessions whole")
        t.same((f["fork_point"], f["input_tokens"], f["output_tokens"]), (8, 20, 2), "… with their tokens")
    t.same(history(d, s), before, "the parent is as it was, byte for byte")
    d.say("DELETE", f"/api/sessions/{s}")
    t.same(d.texts(f["id"]), flat[:8], "a fork keeps the sub-sessions when the parent goes")


def root(t, d):
    """The paths as docker-agent's documents print them."""
    made = d.native.send("POST", "/api/sessions", {"title": "At the root", "tools_approved": True})
    t.same((made.status, made.headers["content-type"]), (200, "application/json"), "a session is made at the root")
    s = made.json["id"]
    d.native.send("POST", f"/api/sessions/{s}/agent/echo", [{"role": "user", "content": "x"}])
    fork = d.native.send("POST", f"/api/sessions/{s}/fork", {"user_message_index": 0})
    t.same((fork.status, fork.json["title"], fork.json["parent_id"]), (200, "At the root (fork 1)", s), "… and forked")
    t.same(d.native.send("GET", f"/api/sessions/{s}").body, d.get(f"/api/sessions/{s}").body, "… and read, as below the prefix")
    t.same(d.native.send("GET", "/api/sessions", headers={"Tine-Dialect": "docker-agent"}).body, d.get("/api/sessions").body, "… and listed")
    t.same(d.native.send("POST", f"/api/sessions/{s}/fork", {"message_index": 1}).body,
           b'{"message":"fork message index is not a user message: 1 is of an agent"}\n', "errors, too")


def directories(t, d):
    with tempfile.TemporaryDirectory(prefix="tine-dir-") as folder:
        folder = os.path.realpath(folder)
        with open(os.path.join(folder, "a.txt"), "w") as out:
            out.write("a")
        made = d.post("/api/sessions", {"working_dir": folder}).json
        t.same((made["working_dir"], d.session(made["id"])["working_dir"]), (folder, folder), "a directory that is attached")
        t.same([r.get("working_dir") for r in d.get("/api/sessions").json if r["id"] == made["id"]], [folder], "… and listed")
        d.run(made["id"], "echo", "one")
        d.run(made["id"], "echo", "two")
        f = d.post(f"/api/sessions/{made['id']}/fork", {"user_message_index": 1}).json
        t.check("working_dir" not in f, "a fork has files of its own", f)
        t.same(d.native.send("GET", f"/api/v1/sessions/{f['id']}/files/a.txt").body, b"a", "… the same ones")
        d.say("DELETE", f"/api/sessions/{made['id']}")
        t.check(os.path.exists(os.path.join(folder, "a.txt")), "nobody deletes what was attached")


def users(t, closed, tokens):
    ana, ben, wilma, guest = (Docker(closed, t, tokens[n]) for n in ("ana", "ben", "wilma", "guest"))
    nobody = Docker(closed, t)
    for path in ("/health", "/ready", "/api/ping"):
        nobody.get(path)
    nobody.get("/api/sessions", expect=401, message="")
    nobody.get("/api/agents", expect=401, message="")
    s = ben.new(title="ben's")
    t.same((len(ana.get("/api/sessions").json), len(ben.get("/api/sessions").json)), (0, 1), "each sees the own")
    for method, path, body in (("GET", "", None), ("DELETE", "", None), ("POST", "/fork", None), ("PATCH", "/title", {"title": "x"}),
                               ("POST", "/tools/toggle", None), ("POST", "/agent/echo", [{"content": "x"}]), ("GET", "/status", None)):
        ana.say(method, f"/api/sessions/{s}{path}", body, expect=404, message="session not found")
    ben.run(s, "echo", "hi")
    t.same(len(ben.messages(s)), 2, "one who may run runs")
    w = wilma.new()
    wilma.post(f"/api/sessions/{w}/agent/echo", [{"content": "x"}], expect=403, message="may not")
    wilma.post("/api/sessions", {"working_dir": "/tmp"}, expect=403, message="may not attach a directory")
    guest.post("/api/sessions", {}, expect=403, message="may not")
    guest.get("/api/agents")


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "wilma", "guest")}
    server = Server(CONFIG)
    closed = Server(CONFIG + USERS, list(tokens.items()))
    try:
        d = Docker(server, tap)
        service(tap, d)
        agents(tap, d)
        sessions(tap, d)
        changes(tap, d)
        running(tap, d)
        models(tap, d)
        busy(tap, d)
        approvals(tap, d)
        elicitation(tap, d)
        parts(tap, d)
        forks(tap, d, server)
        subsessions(tap, d, server)
        directories(tap, d)
        root(tap, d)
        users(tap, closed, tokens)
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

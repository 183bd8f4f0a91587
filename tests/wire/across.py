"""A session made in one dialect is read, forked and rewound in each of the others."""
import itertools
import json
import sys

from config import CONFIG
from wire import Client, Server, Tap

ASKED = ("the first question", "the second question")


# ---- each dialect in its own words: how it makes, reads, forks and rewinds

class Dialect:
    def __init__(self, c):
        self.c = c

    def say(self, method, path, body=None, expect=200, headers=None):
        reply = self.c.send(method, path, body, headers)
        if reply.status != expect:
            self.c.tap.check(False, f"{method} {path} answers {expect}",
                             f"status {reply.status}", reply.body[:600])
        return reply

    def make(self):
        raise NotImplementedError

    def texts(self, session):
        """What was said, as (who, text)."""
        raise NotImplementedError

    def shown(self, session):
        """All that it shows of a session, as bytes."""
        raise NotImplementedError


def turns(c, session):
    """The turns of the questions, by the native API, which sees everything."""
    rows = c.send("GET", f"/api/v1/sessions/{session}/messages").json["messages"]
    return [row["turn"] for row in rows if row["role"] == "user"]


class Native(Dialect):
    name = "native"

    def make(self):
        session = self.say("POST", "/api/v1/sessions", {"title": "made natively"}, 201).json["id"]
        for text in ASKED:
            self.say("POST", f"/api/v1/sessions/{session}/messages", {"text": text})
        return session

    def texts(self, session):
        rows = self.say("GET", f"/api/v1/sessions/{session}/messages").json["messages"]
        return [(row["role"], "".join(p.get("text", "") for p in row["parts"])) for row in rows]

    def shown(self, session):
        return self.say("GET", f"/api/v1/sessions/{session}/messages").body

    def fork(self, session):
        return self.say("POST", f"/api/v1/sessions/{session}/fork", {"before": 2}, 201).json["session"]["id"]

    def fork_all(self, session):
        return self.say("POST", f"/api/v1/sessions/{session}/fork", {}, 201).json["session"]["id"]

    def rewind(self, session):
        self.say("POST", f"/api/v1/sessions/{session}/rewind", {"before": 2})


class Kagent(Dialect):
    name = "kagent"

    def event(self, session, invocation, author, text):
        number = next(self.numbers)
        role = "user" if author == "user" else "model"
        data = {"id": f"ev-{number}", "invocation_id": invocation, "author": author,
                "content": {"parts": [{"text": text}], "role": role},
                "actions": {"state_delta": {"turn": invocation}}, "timestamp": 1755850000.5 + number}
        self.say("POST", f"/kagent/api/sessions/{session}/events",
                 {"id": f"ev-{number}", "data": json.dumps(data)}, 201)

    def task(self, session, invocation, *said, state="completed"):
        history = [{"kind": "message", "messageId": f"{session}-{invocation}-{n}", "role": role,
                    "parts": [{"kind": "text", "text": text}], "contextId": session,
                    "taskId": f"task-{session}-{invocation}",
                    "metadata": {"kagent_invocation_id": invocation} if role == "agent" else {}}
                   for n, (role, text) in enumerate(said)]
        metadata = {"kagent_invocation_id": invocation} if state == "completed" else {}
        self.say("POST", "/kagent/api/tasks",
                 {"kind": "task", "id": f"task-{session}-{invocation}", "contextId": session,
                  "status": {"state": state, "timestamp": "2026-05-04T10:12:00Z"},
                  "history": history, "metadata": metadata}, 201)

    numbers = itertools.count(1)

    def make(self):
        session = self.say("POST", "/kagent/api/sessions",
                           {"agent_ref": "test/runtime", "name": "made by kagent"}, 201).json["data"]["id"]
        for n, text in enumerate(ASKED):
            invocation = f"e-{session}-{n}"
            self.task(session, invocation, ("user", text), state="submitted")
            self.event(session, invocation, "user", text)
            self.event(session, invocation, "runtime", text)
            self.task(session, invocation, ("user", text), ("agent", text))
        return session

    def texts(self, session):
        tasks = self.say("GET", f"/kagent/api/sessions/{session}/tasks").json.get("data", [])
        return [("user" if m["role"] == "user" else "assistant",
                 "".join(p.get("text", "") for p in m["parts"]))
                for task in tasks for m in task.get("history", [])]

    def shown(self, session):
        return (self.say("GET", f"/kagent/api/sessions/{session}?order=asc").body
                + self.say("GET", f"/kagent/api/sessions/{session}/tasks").body)

    def events(self, session):
        rows = self.say("GET", f"/kagent/api/sessions/{session}?order=asc&view=effective").json["data"]["events"]
        events = [json.loads(row["data"]) for row in rows]
        return [("user" if e["author"] == "user" else "assistant",
                 "".join(p.get("text") or "" for p in e["content"]["parts"]))
                for e in events if e.get("content")]

    def fork(self, session):
        return self.say("POST", f"/kagent/api/sessions/{session}/fork",
                        {"rewind_before_invocation_id": turns(self.c, session)[1]}, 201).json["data"]["id"]

    def fork_all(self, session):
        return self.say("POST", f"/kagent/api/sessions/{session}/fork", {}, 201).json["data"]["id"]

    def rewind(self, session):
        reply = self.c.send("POST", f"/kagent/api/sessions/{session}/rewind",
                            {"rewind_before_invocation_id": turns(self.c, session)[1]})
        self.c.tap.check(reply.status in (200, 201), "kagent rewinds", reply.status, reply.body[:300])


class A2A(Dialect):
    name = "a2a"
    number = itertools.count(1)

    def rpc(self, method, params, agent="test/echo"):
        reply = self.say("POST", f"/a2a/{agent}", {"jsonrpc": "2.0", "id": next(self.number),
                                                   "method": method, "params": params}).json
        return reply

    def make(self):
        context = None
        for text in ASKED:
            message = {"kind": "message", "messageId": f"m{next(self.number)}", "role": "user",
                       "parts": [{"kind": "text", "text": text}]}
            if context:
                message["contextId"] = context
            context = self.rpc("message/send", {"message": message})["result"]["contextId"]
        return context

    def texts(self, session):
        """By the ids of the tasks that kagent's list names."""
        said = []
        listed = self.say("GET", f"/kagent/api/sessions/{session}/tasks").json.get("data", [])
        for task in listed:
            got = self.rpc("tasks/get", {"id": task["id"]}, self.agent(session)).get("result", {})
            said += [("user" if m["role"] == "user" else "assistant",
                      "".join(p.get("text", "") for p in m["parts"])) for m in got.get("history", [])]
        return said

    def agent(self, session):
        return self.c.send("GET", f"/api/v1/sessions/{session}").json["agent"]

    def shown(self, session):
        return b""

    def rewind(self, session):
        reply = self.rpc("message/send", {"message": {
            "role": "user", "contextId": session,
            "metadata": {"kagent_rewind_before_invocation_id": turns(self.c, session)[1]}}},
                         self.agent(session))
        self.c.tap.check(reply.get("result", {}).get("status", {}).get("state") == "completed",
                         "a control message rewinds", reply)


class DockerAgent(Dialect):
    name = "docker-agent"

    def make(self):
        session = self.say("POST", "/docker-agent/api/sessions",
                           {"title": "made by docker-agent", "tools_approved": True}).json["id"]
        for n in range(len(ASKED)):
            said = [{"role": "user", "content": text} for text in ASKED[:n + 1]]
            self.say("POST", f"/docker-agent/api/sessions/{session}/agent/echo", said)
        return session

    def texts(self, session):
        rows = self.say("GET", f"/docker-agent/api/sessions/{session}").json.get("messages", [])
        return [(row["message"]["role"], row["message"]["content"]) for row in rows]

    def shown(self, session):
        return self.say("GET", f"/docker-agent/api/sessions/{session}").body

    def fork(self, session):
        return self.say("POST", f"/docker-agent/api/sessions/{session}/fork",
                        {"user_message_index": 1}).json["id"]


class Ash(Dialect):
    name = "ash"

    def make(self):
        # an agent of the namespace "default" is ash's own
        self.c.send("POST", "/ash/api/agents", {"name": "echoing", "systemPrompt": "unused"})
        self.c.send("PUT", "/api/v1/agents/default/echoing",
                    {"kind": "scripted", "script": json.dumps([[{"echo": True}]])})
        session = self.say("POST", "/ash/api/sessions", {"agent": "echoing"}, 201).json["session"]["id"]
        for text in ASKED:
            self.say("POST", f"/ash/api/sessions/{session}/messages", {"content": text})
        return session

    def rows(self, session):
        return self.say("GET", f"/ash/api/sessions/{session}/messages").json["messages"]

    def texts(self, session):
        said = []
        for row in self.rows(session):
            content = json.loads(row["content"])
            content = content["message"]["content"] if content["type"] == "assistant" else content["content"]
            text = content if isinstance(content, str) else "".join(b.get("text", "") for b in content)
            said.append((row["role"], text))
        return said

    def shown(self, session):
        return self.say("GET", f"/ash/api/sessions/{session}/messages").body

    def fork(self, session):
        return self.say("POST", f"/ash/api/sessions/{session}/fork",
                        {"sequence": self.rows(session)[1]["sequence"]}, 201).json["session"]["id"]

    def fork_all(self, session):
        return self.say("POST", f"/ash/api/sessions/{session}/fork", None, 201).json["session"]["id"]


class Esc(Dialect):
    name = "esc"

    def fork(self, session):
        return self.say("POST", f"/session/{session}/fork", {"message_index": 1}).json["id"]

    def fork_all(self, session):
        return self.say("POST", f"/session/{session}/fork", {}).json["id"]


# ---- all pairs

def said(asked):
    return [(who, text) for text in asked for who in ("user", "assistant")]


def unchanged(readers, session):
    return {reader.name: reader.shown(session) for reader in readers}


def pairs(t, makers, readers, forkers, rewinders):
    for maker in makers:
        session = maker.make()
        for reader in readers:
            t.same(reader.texts(session), said(ASKED), f"{maker.name} makes, {reader.name} reads")
        for forker in forkers:
            before = unchanged(readers, session)
            fork = forker.fork(session)
            t.same(unchanged(readers, session), before,
                   f"{maker.name} makes, {forker.name} forks: the parent is as it was, byte for byte")
            for reader in readers:
                t.same(reader.texts(fork), said(ASKED[:1]),
                       f"{maker.name} makes, {forker.name} forks, {reader.name} reads")
        for rewinder in rewinders:
            copy = makers[0].fork_all(session)
            rewinder.rewind(copy)
            for reader in readers:
                t.same(reader.texts(copy), said(ASKED[:1]),
                       f"{maker.name} makes, {rewinder.name} rewinds, {reader.name} reads")
            makers[0].c.send("POST", f"/api/v1/sessions/{copy}/undo", {})
            for reader in readers:
                t.same(reader.texts(copy), said(ASKED),
                       f"{maker.name} makes, {rewinder.name} rewinds, undone, {reader.name} reads")


def chains(t, native, makers, readers, forkers):
    """A fork of a fork of a rewound session."""
    for maker, forker in itertools.product(makers, forkers):
        session = native.fork_all(maker.make())
        native.rewind(session)
        native.c.send("POST", f"/api/v1/sessions/{session}/messages",
                      {"messages": [{"role": "user", "text": "the third question"},
                                    {"role": "assistant", "text": "the third answer"}], "run": False})
        first = forker.fork(session)
        second = (forker.fork_all if hasattr(forker, "fork_all") else native.fork_all)(first)
        for reader in readers:
            t.same((reader.texts(first), reader.texts(second)), (said(ASKED[:1]), said(ASKED[:1])),
                   f"{maker.name}: a fork of a fork of a rewound session over {forker.name}, read by {reader.name}")


def main():
    tap = Tap()
    server = Server(CONFIG)
    try:
        c = Client(server, tap)
        native, kagent, a2a, docker, ash, esc = (kind(c) for kind in (Native, Kagent, A2A, DockerAgent, Ash, Esc))
        makers, readers = [native, kagent, a2a, docker, ash], [native, kagent, a2a, docker, ash]
        forkers, rewinders = [native, kagent, docker, ash, esc], [native, kagent, a2a]
        pairs(tap, makers, readers, forkers, rewinders)
        chains(tap, native, makers, readers, forkers)
        for maker in makers:
            session = maker.make()
            tap.same(kagent.events(session), said(ASKED), f"{maker.name} makes, kagent reads its events")
            tap.same(kagent.events(kagent.fork(session)), said(ASKED[:1]),
                     f"{maker.name} makes, kagent forks and reads the events")
        verdict = c.send("GET", "/readyz")
        tap.same(verdict.status, 200, "the server is well")
    finally:
        tap.same(server.stop(), 0, "the server stops with success")
        server.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fork and rewind through every wire, with 10 entries against 100,000, side by side in one run.

    wires.py [--entries N] [--rounds N]         the program is $TINE

A fork copies no history, whoever asks for it: at most 1.5 times as long. Only calls whose reply does
not carry the history are measured. Exit 1 when a bar is missed.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import statistics
import sys
import tempfile
import time

from served import Server, Table

BAR = 1.5
SMALL = 10
BATCH = 500
POSTERS = 16

class Caller:
    """One connection that stays open."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def post(self, path, body=None):
        """The reply, and how long it took in milliseconds."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        text = None if body is None else json.dumps(body)
        begun = time.perf_counter()
        self.connection.request("POST", path, text, headers)
        reply = self.connection.getresponse()
        data = reply.read()
        took = (time.perf_counter() - begun) * 1000
        if reply.status >= 300:
            raise RuntimeError(f"POST {path}: {reply.status} {data[:300]}")
        return json.loads(data), took


def messages(server, entries):
    """A session with that many messages, made through the native API."""
    session = server.call("POST", "/sessions", {"title": f"{entries} messages"})["id"]
    for first in range(0, entries, BATCH):
        batch = [{"role": "user" if n % 2 == 0 else "assistant", "text": f"message {n}"}
                 for n in range(first, min(first + BATCH, entries))]
        server.call("POST", f"/sessions/{session}/messages", {"messages": batch, "run": False})
    return session


def event(number):
    """An event as a runtime of kagent posts it; two make an invocation."""
    data = {"id": f"e{number}", "invocation_id": f"inv-{number // 2}",
            "author": "agent" if number % 2 else "user",
            "content": {"parts": [{"text": "some words"}]},
            "actions": {"state_delta": {"n": number}}}
    return {"id": f"e{number}", "data": json.dumps(data)}


def events(server, entries):
    """A session with that many events, posted by several at once."""
    caller = Caller(server)
    session = caller.post("/kagent/api/sessions", {"agent_ref": "bench/runtime",
                                                   "name": f"{entries} events"})[0]["data"]["id"]

    def some(first):
        own = Caller(server)
        for number in range(first, entries, POSTERS):
            own.post(f"/kagent/api/sessions/{session}/events", event(number))

    for number in range(min(SMALL, entries)):  # the first ones in their order
        caller.post(f"/kagent/api/sessions/{session}/events", event(number))
    with concurrent.futures.ThreadPoolExecutor(POSTERS) as pool:
        list(pool.map(some, range(SMALL, SMALL + POSTERS)))
    return session


def compare(table, rounds, what, small, big):
    """Calls the two in turn; each returns how long it took."""
    small(), big()
    pairs = [(small(), big()) for _ in range(rounds)]
    few = statistics.median(pair[0] for pair in pairs)
    many = statistics.median(pair[1] for pair in pairs)
    table.row(what, f"{many / few:.2f}x", f"<= {BAR}", many / few <= BAR,
              f"{many:.3f} ms against {few:.3f} ms")


def forks(table, rounds, server, short, long):
    caller = Caller(server)
    calls = (
        ("native", "/api/v1/sessions/{}/fork", {}),
        ("docker-agent", "/docker-agent/api/sessions/{}/fork", {"user_message_index": 0}),
        ("ash", "/ash/api/sessions/{}/fork", None),
        ("Esc-Esc server", "/session/{}/fork", {"message_index": 3}),
        ("kagent, no boundary", "/kagent/api/sessions/{}/fork", {}),
    )
    for name, path, body in calls:
        compare(table, rounds, f"fork over {name}", lambda: caller.post(path.format(short), body)[1],
                lambda: caller.post(path.format(long), body)[1])


def runtime(table, rounds, server, short, long):
    """A session that lives through kagent's calls: forks and rewinds before an invocation."""
    caller = Caller(server)
    count = [0]

    def fork(session):
        return caller.post(f"/kagent/api/sessions/{session}/fork",
                           {"rewind_before_invocation_id": "inv-4"})[1]

    def rewind(session):
        count[0] += 1
        invocation = f"more-{count[0]}"
        data = json.dumps({"id": invocation, "invocation_id": invocation, "author": "user",
                           "actions": {"state_delta": {"n": count[0]}}})
        caller.post(f"/kagent/api/sessions/{session}/events", {"id": invocation, "data": data})
        return caller.post(f"/kagent/api/sessions/{session}/rewind",
                           {"rewind_before_invocation_id": invocation})[1]

    compare(table, rounds, "fork over kagent, before an invocation", lambda: fork(short), lambda: fork(long))
    compare(table, rounds, "rewind over kagent", lambda: rewind(short), lambda: rewind(long))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--entries", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="tine-wires-") as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home, 0o700)
        server = Server(home, "limits:\n  sessions_per_user: 10000000\n")
        try:
            forks(table, given.rounds, server, messages(server, SMALL), messages(server, given.entries))
            runtime(table, given.rounds, server, events(server, SMALL), events(server, given.entries))
        finally:
            server.stop()
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())

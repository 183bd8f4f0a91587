#!/usr/bin/env python3
"""Many clients at once against a real server, which may be stopped or killed meanwhile.

    soak.py [--seconds N] [--clients N] [--stop term|kill] [--rounds N]

Clients send, fork, rewind, undo, rename and delete at random and remember what was acknowledged. A
listener follows all events and reconnects at random. In the end every acknowledged act must be
there, every event must have been heard exactly once and in order, and `tine verify` must be clean.
With --stop the server is ended under load in each round and started again on the same home.
Prints TAP. The program is $TINE.
"""
import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TINE = os.environ["TINE"]
REPORTS = ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "runtime error:",
           "ERROR: LeakSanitizer")


CONFIG = """
agents:
  - name: soak/echo
    kind: scripted
    default: true
    script: '[[{"delta":"he"},{"sleep_ms":5},{"delta":"re"},{"echo":true}]]'
"""


class Server:
    """The server process, on one home, as often as it is started."""

    def __init__(self, home):
        self.home = home
        self.port = 0
        self.process = None
        with open(os.path.join(home, "tine.yaml"), "w") as config:
            config.write(CONFIG)

    def start(self):
        log = open(os.path.join(self.home, "stderr.log"), "ab")
        self.process = subprocess.Popen(
            [TINE, "serve", "--listen", f"127.0.0.1:{self.port}", "--home", self.home,
             "--log", "off"], stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on http://"):
            raise RuntimeError(f"the server said: {line!r}")
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self, number):
        """Sends the signal; returns exit code and seconds."""
        begun = time.monotonic()
        self.process.send_signal(number)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "still running"
        self.process.stdout.close()
        return code, time.monotonic() - begun

    def stderr(self):
        with open(os.path.join(self.home, "stderr.log"), errors="replace") as log:
            return log.read()


class Known:
    """What was acknowledged, for all clients together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sessions = {}   # id -> set of message ids that were acknowledged there
        self.doomed = set()  # sessions whose deletion was asked for
        self.files = []      # (session, entry, path, content) of files that were put
        self.acts = 0
        self.unexpected = []

    def pick(self, chance):
        with self.lock:
            alive = [s for s in self.sessions if s not in self.doomed]
            return chance.choice(alive) if alive else None


class Gone(Exception):
    """The server went away before it answered."""


class Client:
    def __init__(self, server, known, seed, until):
        self.server, self.known, self.until = server, known, until
        self.chance = random.Random(seed)
        self.seed, self.count = seed, 0
        self.connection = None

    def call(self, method, path, body=None, headers=None):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                             timeout=60)
            send = {"Content-Type": "application/json"} if body is not None else {}
            send.update(headers or {})
            self.connection.request(method, "/api/v1" + path,
                                    body if body is None or isinstance(body, str)
                                    else json.dumps(body), send)
            reply = self.connection.getresponse()
            data = reply.read()
            if reply.getheader("Connection", "").lower() == "close":
                self.connection.close()
                self.connection = None
            return reply.status, json.loads(data) if data else None
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            if self.connection:
                self.connection.close()
            self.connection = None
            raise Gone() from None

    def wrong(self, what, status, reply):
        if status != 503:
            with self.known.lock:
                self.known.unexpected.append(f"{what}: {status} {reply}")

    def create(self):
        status, reply = self.call("POST", "/sessions", {"title": f"client {self.seed}"})
        if status != 201:
            return self.wrong("create", status, reply)
        with self.known.lock:
            self.known.sessions[reply["id"]] = set()
            self.known.acts += 1

    def send(self, session):
        self.count += 1
        name = f"m{self.seed}-{self.count}"
        status, reply = self.call("POST", f"/sessions/{session}/messages",
                                  {"text": f"word {self.count}", "id": name, "run": False})
        if status == 201:
            with self.known.lock:
                self.known.sessions.setdefault(session, set()).add(name)
                self.known.acts += 1
        elif status != 404 and (reply or {}).get("code") != "turn_running":
            self.wrong("send", status, reply)

    def talk(self, session):
        """A message that is answered; it waits when a turn runs."""
        self.count += 1
        name = f"m{self.seed}-{self.count}"
        status, reply = self.call("POST", f"/sessions/{session}/messages",
                                  {"text": f"word {self.count}", "id": name, "busy": "wait"})
        if status == 200:
            with self.known.lock:
                self.known.sessions.setdefault(session, set()).add(name)
                self.known.acts += 1
            if reply["turn"]["state"] == "done" and len(reply["messages"]) < 2:
                self.wrong("an answer", status, reply)
        elif status not in (404, 409):
            self.wrong("talk", status, reply)

    def fork(self, session):
        key = f"k{self.seed}-{self.count}-{self.chance.random()}"
        replies = [self.call("POST", f"/sessions/{session}/fork", {}, {"Idempotency-Key": key})
                   for _ in range(self.chance.choice((1, 1, 1, 2)))]
        status, reply = replies[0]
        if status == 201:
            if any(r != replies[0] and r[0] != 503 for r in replies):
                self.wrong("a fork sent twice", status, replies)
            with self.known.lock:
                self.known.sessions[reply["session"]["id"]] = set()
                self.known.acts += 1
        elif status != 404:
            self.wrong("fork", status, reply)

    def put(self, session):
        """A file; what was acknowledged can be read at its entry for ever."""
        self.count += 1
        path = self.chance.choice(("a.txt", "d/b.txt", "d/e/c.txt"))
        content = f"{self.seed} {self.count} " * self.chance.randint(1, 200)
        status, reply = self.call("PUT", f"/sessions/{session}/files/{path}", content)
        if status in (200, 201):
            with self.known.lock:
                self.known.files.append((session, reply["entry"], path, content))
                self.known.acts += 1
        elif status not in (400, 404, 409):
            self.wrong("put", status, reply)

    def move(self, session, verb, body):
        status, reply = self.call("POST", f"/sessions/{session}/{verb}", body)
        if status == 200:
            with self.known.lock:
                self.known.acts += 1
        elif status not in (400, 404, 409):
            self.wrong(verb, status, reply)

    def delete(self, session):
        with self.known.lock:
            self.known.doomed.add(session)
        status, reply = self.call("DELETE", f"/sessions/{session}")
        if status not in (204, 404):
            self.wrong("delete", status, reply)

    def read(self, session):
        status, reply = self.call("GET", f"/sessions/{session}/messages?tail=20")
        if status not in (200, 404):
            self.wrong("read", status, reply)

    def step(self):
        session = self.known.pick(self.chance)
        dice = self.chance.random()
        if session is None or dice < 0.04:
            self.create()
        elif dice < 0.40:
            self.send(session)
        elif dice < 0.45:
            self.put(session)
        elif dice < 0.55:
            self.talk(session)
        elif dice < 0.70:
            self.fork(session)
        elif dice < 0.80:
            self.move(session, "rewind", {"before": self.chance.randint(0, 6)})
        elif dice < 0.87:
            self.move(session, self.chance.choice(("undo", "redo")), {})
        elif dice < 0.98:
            self.read(session)
        else:
            self.delete(session)

    def run(self):
        while time.monotonic() < self.until and not self.known.unexpected:
            try:
                self.step()
            except Gone:
                time.sleep(0.05)


class Listener:
    """Follows /events, comes and goes, and keeps what it heard."""

    def __init__(self, server):
        self.server = server
        self.last = 0
        self.heard = []
        self.faults = []
        self.stop = False
        self.chance = random.Random(7)
        self.connections = 0

    def take(self, frame):
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if ": " in line)
        if "id" not in fields:
            return
        number = int(fields["id"])
        if number <= self.last:
            self.faults.append(f"{number} after {self.last}")
        if fields["event"] == "reset":
            self.faults.append(f"reset at {number}")
        self.last = number
        data = json.loads(fields["data"])
        self.heard.append((fields["event"], data.get("session"),
                           (data.get("message") or {}).get("id")))

    def listen(self, seconds):
        stream = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
        stream.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream"
                       f"\r\nLast-Event-ID: {self.last}\r\n\r\n".encode())
        source = stream.makefile("rb")
        reply = http.client.HTTPResponse(stream)
        reply.begin()
        if reply.status != 200:
            source.close()
            stream.close()
            raise OSError(reply.status)
        self.connections += 1
        until = time.monotonic() + seconds
        text = ""
        try:
            while time.monotonic() < until and not self.stop:
                piece = reply.read1(65536)
                if not piece:
                    break
                text += piece.decode()
                while "\n\n" in text:
                    frame, text = text.split("\n\n", 1)
                    self.take(frame)
        finally:
            source.close()
            reply.close()
            stream.close()

    def run(self):
        while not self.stop:
            try:
                self.listen(self.chance.uniform(0.05, 3))
            except (OSError, http.client.HTTPException, ValueError) as fault:
                if isinstance(fault, ValueError) and not isinstance(fault, UnicodeDecodeError):
                    self.faults.append(repr(fault))
                time.sleep(0.05)


class Tap:
    def __init__(self):
        self.count = self.bad = 0

    def check(self, good, what, detail=""):
        self.count += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}")
        if not good:
            for line in str(detail).split("\n")[:60]:
                print(f"# {line}")
        sys.stdout.flush()

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.bad else 0


def everything_is_there(tap, client, known):
    lost = []
    for session, messages in known.sessions.items():
        if session in known.doomed:
            continue
        status, reply = client.call("GET", f"/sessions/{session}/raw?limit=1000")
        have = set()
        while status == 200:
            have.update(entry["id"] for entry in reply["entries"])
            if not reply.get("next"):
                break
            status, reply = client.call(
                "GET", f"/sessions/{session}/raw?limit=1000&cursor={reply['next']}")
        if status != 200:
            lost.append(f"session {session}: {status} {reply}")
        lost += [f"{session}: {message}" for message in messages - have]
    tap.check(not lost, f"every acknowledged act is there ({known.acts} acts, "
              f"{len(known.sessions)} sessions)", "\n".join(lost))


def every_file_is_there(tap, client, known):
    lost = []
    for session, entry, path, content in known.files:
        if session in known.doomed or not entry:
            continue
        connection = http.client.HTTPConnection("127.0.0.1", client.server.port, timeout=60)
        connection.request("GET", f"/api/v1/sessions/{session}/files/{path}?at={entry}")
        reply = connection.getresponse()
        data = reply.read().decode()
        connection.close()
        if reply.status != 200 or data != content:
            lost.append(f"{session} {path} at {entry}: {reply.status} {data[:200]}")
    tap.check(not lost, f"every file that was put is there ({len(known.files)} puts)",
              "\n".join(lost))


def everything_was_heard(tap, listener, known, client):
    newest = None
    until = time.monotonic() + 30
    while time.monotonic() < until:  # until it has caught up
        before = listener.last
        time.sleep(0.5)
        if listener.last == before:
            break
    newest = listener.last
    heard = {}
    for kind, session, message in listener.heard:
        if kind == "message.added":
            heard[(session, message)] = heard.get((session, message), 0) + 1
    missing = [f"{session}: {message}" for session, messages in known.sessions.items()
               if session not in known.doomed for message in messages
               if heard.get((session, message)) != 1]
    tap.check(not missing, f"every event was heard once ({len(listener.heard)} events up to "
              f"{newest}, {listener.connections} connections)", "\n".join(missing[:20]))
    tap.check(not listener.faults, "events came in order", "\n".join(listener.faults[:20]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--stop", choices=("term", "kill"))
    given = parser.parse_args()
    tap, known = Tap(), Known()
    with tempfile.TemporaryDirectory(prefix="tine-soak-") as home:
        server = Server(home)
        server.start()
        listener = Listener(server)
        listening = threading.Thread(target=listener.run)
        listening.start()
        for i in range(given.rounds):
            until = time.monotonic() + given.seconds / given.rounds
            clients = [Client(server, known, i * given.clients + k, until)
                       for k in range(given.clients)]
            threads = [threading.Thread(target=c.run) for c in clients]
            for thread in threads:
                thread.start()
            if given.stop:
                time.sleep(given.seconds / given.rounds * 0.6)
                code, took = server.stop(signal.SIGTERM if given.stop == "term"
                                         else signal.SIGKILL)
                if given.stop == "term":
                    tap.check(code == 0 and took < 5.0,
                              f"SIGTERM under load: exit 0 within 5 s ({took:.1f} s)",
                              f"exit {code} after {took:.1f} s")
                server.start()
            for thread in threads:
                thread.join()
        client = Client(server, known, 999999, 0)
        tap.check(not known.unexpected, "no request was answered in an unexpected way",
                  "\n".join(known.unexpected[:10]))
        everything_is_there(tap, client, known)
        every_file_is_there(tap, client, known)
        everything_was_heard(tap, listener, known, client)
        listener.stop = True
        listening.join()
        code, took = server.stop(signal.SIGTERM)
        tap.check(code == 0, "the server ends with exit 0", f"exit {code}")
        found = [r for r in REPORTS if r in server.stderr()]
        tap.check(not found, "no report of a sanitizer", server.stderr()[:6000])
        verify = subprocess.run([TINE, "verify", "--home", home], capture_output=True, text=True)
        tap.check(verify.returncode == 0, "verify is clean", verify.stdout + verify.stderr)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

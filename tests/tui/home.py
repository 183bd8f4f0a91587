"""Homes for the tests: servers with agents that do what they were told, and conversations."""
import atexit
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from terminal import Terminal, clean

TINE = os.path.abspath(os.environ["TINE"])

ANSWER = "".join(f"Line {n} of the answer.\n\n" for n in range(1, 31))
SCRIPTS = {
    "echo": [[{"echo": True}]],
    # Says thirty lines in about three seconds.
    "stream": [[step for n in range(1, 31)
                for step in ({"delta": f"Line {n} of the answer.\n\n"}, {"sleep_ms": 100})]
               + [{"say": {"text": ANSWER}}]],
    "wait": [[{"delta": "thinking about it"}, {"wait": True}]],
    "fail": [[{"delta": "half of"}, {"fail": "the model is out"}]],
    "asks": [[{"question": "Which colour?"}, {"echo": True}]],
    "permit": [[{"ask": {"tool": "bash", "arguments": {"command": "rm -r build"}}},
                {"say": {"text": "That was that."}}]],
    "tools": [[{"reasoning": "Let me look at the directory first."},
               {"say": {"parts": [{"type": "reasoning",
                                   "text": "Let me look at the directory first."},
                                  {"type": "tool_call", "id": "c1", "name": "bash",
                                   "arguments": {"command": "ls -l"}}]}},
               {"output": ["c1", "a.txt\nb.txt\nc.txt\n"]},
               {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1",
                                                   "output": "a.txt\nb.txt\nc.txt\n"}]}},
               {"say": {"text": "There are **three** files.",
                        "usage": {"input_tokens": 1200, "output_tokens": 34, "cost": 0.25}}}]],
}
CONFIG = "agents:\n"
for name, script in SCRIPTS.items():
    CONFIG += f"  - name: test/{name}\n    kind: scripted\n"
    CONFIG += f"    script: {json.dumps(json.dumps(script))}\n"
    CONFIG += "    default: true\n" if name == "echo" else ""
CONFIG += "  - {name: test/shell, kind: shell}\n"
CONFIG += "  - {name: test/outside, kind: external}\nsandbox: off\nlog: \"off\"\n"


class Home:
    """A directory with a database, and a server that has it unless `served` is false."""

    def __init__(self, served=True, config=CONFIG):
        self.folder = tempfile.mkdtemp(prefix="tine-tui-")
        self.home = os.path.join(self.folder, "home")
        self.person = os.path.join(self.folder, "person")  # whose files the program may write
        os.mkdir(self.home, 0o700)
        os.mkdir(self.person, 0o700)
        self.config = os.path.join(self.home, "tine.yaml")
        with open(self.config, "w") as out:
            out.write(config)
        self.process = None
        self.port = None
        atexit.register(self.clear)
        if served:
            self.start()

    # ---- the server

    def start(self, port=0):
        self.process = subprocess.Popen(
            [TINE, "serve", "--listen", f"127.0.0.1:{port}", "--home", self.home],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=clean(HOME=self.person))
        line = self.process.stdout.readline().decode()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line.strip())
        if not found:
            raise RuntimeError(f"the server did not start: {line!r}")
        self.port = int(found.group(1))
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process = None

    def stop(self):
        """As an operator does it."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process = None
        return status

    def clear(self):
        if self.process:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        """One request; path is below /api/v1 unless it begins with //."""
        path = path[1:] if path.startswith("//") else "/api/v1" + path
        if not isinstance(body, (bytes, type(None))):
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        if reply.status >= 300:
            raise RuntimeError(f"{method} {path}: {reply.status} {data[:300]}")
        return json.loads(data) if data else None

    def put(self, session, path, text):
        """A file of the session, recorded as its own."""
        self.call("PUT", f"/sessions/{session}/files/{path}", text.encode())

    # ---- another client

    def tine(self, *words, check=True, text=None):
        done = subprocess.run([TINE, *words, "--home", self.home], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, input=text, text=True,
                              env=clean(HOME=self.person))
        if check and done.returncode:
            raise RuntimeError(f"tine {' '.join(words)}: {done.returncode} {done.stderr}")
        return done.stdout

    def shown(self, session):
        """A session and everything that it ever had, byte for byte, but for how many forks it has."""
        return re.sub(r'"children":\d+', '"children":N', self.tine("show", session, "--raw", "--json"))

    def sessions(self):
        return [one["id"] for one in json.loads(self.tine("sessions", "--json"))["sessions"]]

    def newest(self):
        return self.sessions()[0]

    def texts(self, session):
        """Who said what in the conversation as it is now."""
        messages = json.loads(self.tine("show", session, "--json"))["messages"]
        return [(m["role"], m["parts"][0].get("text")) for m in messages]

    # ---- conversations

    def new(self, name, title=None, agent=None, **more):
        body = {"id": name, "title": title or name, **more}
        if agent:
            body["agent"] = agent
        self.call("POST", "/sessions", body)
        return name

    def store(self, session, *messages):
        """Messages: texts, of user and assistant in turn, or whole ones."""
        batch = []
        for number, message in enumerate(messages):
            if isinstance(message, str):
                message = {"role": "user" if number % 2 == 0 else "assistant", "text": message}
            batch.append(message)
        for first in range(0, len(batch), 500):
            self.call("POST", f"/sessions/{session}/messages",
                      {"messages": batch[first:first + 500], "run": False})

    def talk(self, name="talk", title="A talk about trains", agent=None, pairs=3):
        """A short conversation: question 1, answer 1 …"""
        self.new(name, title, agent)
        texts = []
        for number in range(1, pairs + 1):
            texts += [f"Question number {number}?", f"Answer number {number}."]
        self.store(name, *texts)
        return name

    # ---- the program

    def chat(self, tmux, *words, columns=100, rows=30, **env):
        env.setdefault("HOME", self.person)
        return Terminal(tmux, [TINE, "chat", *words, "--home", self.home], columns, rows,
                        folder=self.person, **env)


def wait_until(test, seconds=15.0):
    """Waits for something that is not on the screen."""
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() >= end:
            return False
        time.sleep(0.05)
    return True

"""What the wire tests share: a server, requests that are checked against the document, TAP."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

import jsonschema

API = "/api/v1"


# ---- TAP

class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, what, *why):
        self.count += 1
        if not good:
            self.failed += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}")
        if not good:
            for line in why:
                for part in str(line)[:2000].splitlines():
                    print("# " + part)
        return good

    def same(self, left, right, what):
        return self.check(left == right, what, f"is     {left!r}", f"not    {right!r}")

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


# ---- the server

class Server:
    """A wire_server in a home of its own."""

    def __init__(self, config="", users=()):
        self.home = tempfile.mkdtemp(prefix="tine-wire-")
        path = os.path.join(self.home, "tine.yaml")
        with open(path, "w") as file:
            file.write(config)
        self.args = [os.environ["WIRE_SERVER"], self.home, "127.0.0.1:0", path]
        self.args += [f"{name}={token}" for name, token in users]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.args, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.doors = {}
        while " at " in line:
            name, port = line.split(" at ")
            self.doors[name] = int(port)
            line = self.process.stdout.readline()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line.strip())
        if not found:
            raise SystemExit(f"Bail out! the server did not start: {line!r}")
        self.port = int(found.group(1))
        del self.args[4:]  # users are there now

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=30)
        self.process.stdout.close()
        return status

    def clear(self):
        shutil.rmtree(self.home, ignore_errors=True)


# ---- the document

class Document:
    """The OpenAPI document, and what was seen of it."""

    def __init__(self, text):
        self.json = json.loads(text)
        self.seen = set()
        self.routes = []  # (method, template, pattern, operation)
        self.validators = {}
        for template, item in self.json["paths"].items():
            words = re.sub(r"\\\{path\\\}", ".+", re.escape(template))
            pattern = re.compile("^" + re.sub(r"\\\{[a-z]+\\\}", "[^/]+", words) + "$", re.DOTALL)
            for method, operation in item.items():
                self.routes.append((method.upper(), template, pattern, operation))

    def route(self, method, path):
        fits = [r for r in self.routes if r[0] == method and r[2].match(path)]
        fits.sort(key=lambda r: r[1].count("{"))
        return fits[0] if fits else None

    def validator(self, schema):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            whole = {"$schema": "https://json-schema.org/draft/2020-12/schema",
                     "components": self.json["components"], **schema}
            self.validators[key] = jsonschema.Draft202012Validator(
                whole, format_checker=jsonschema.FormatChecker())
        return self.validators[key]

    def errors(self, value, schema):
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}"
                for e in self.validator(schema).iter_errors(value)]

    def of_schema(self, value, name):
        return self.errors(value, {"$ref": f"#/components/schemas/{name}"})

    def look(self, method, path, status, headers, body):
        """What is wrong with a reply; notes that it was seen."""
        if path.startswith("http"):
            return []
        route = self.route("GET" if method == "HEAD" else method, path)
        if not route:
            return [] if status in (404, 405) else [f"{method} {path} is not in the document"]
        operation = route[3]
        self.seen.add((operation["operationId"], status))
        response = operation["responses"].get(str(status))
        if not response:
            response = operation["responses"]["default"]
            if status < 400:
                return [f"{operation['operationId']} answers {status}: not in the document"]
        if "$ref" in response:
            response = self.json["components"]["responses"][response["$ref"].split("/")[-1]]
        if method == "HEAD":
            return []
        content = response.get("content")
        if not content:
            return [f"a body where none is: {body[:80]!r}"] if body else []
        kind = headers.get("content-type", "")
        media = content.get(kind) or content.get(kind.split(";")[0]) or content.get("*/*")
        if not media:
            return [f"content type {kind!r} of {status} is not in the document"]
        if "json" not in kind:
            return []
        try:
            value = json.loads(body)
        except ValueError as error:
            return [f"no JSON: {error}"]
        wrong = self.errors(value, media["schema"])
        if status >= 400 and not wrong:
            if value["status"] != status:
                wrong.append("the problem has another status")
            examples = media.get("examples")
            if examples is not None and value["code"] not in examples:
                wrong.append(f"code {value['code']} is not among the examples of {status} in "
                             f"{operation['operationId']}")
        return wrong

    def unseen(self):
        pairs = {(r[3]["operationId"], int(s)) for r in self.routes for s in r[3]["responses"]
                 if s != "default"}
        return sorted(pairs - self.seen)


# ---- requests

class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json.get("code")


class Client:
    """A user of a server. Every reply is looked at; what is wrong with it is a failed test."""

    def __init__(self, server, tap, document=None, token=None, api=API):
        self.server, self.tap, self.document, self.token = server, tap, document, token
        self.api = api
        self.local = threading.local()

    def connection(self):
        if not getattr(self.local, "connection", None):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                               timeout=30)
        return self.local.connection

    def send(self, method, path, body=None, headers=None):
        sent = dict(headers or {})
        if self.token and "Authorization" not in sent:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body.encode() if isinstance(body, str) else body
        for attempt in (1, 2):
            try:
                self.connection().request(method, path, body, sent)
                reply = self.connection().getresponse()
                return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()},
                             reply.read())
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError,
                    http.client.CannotSendRequest):
                self.local.connection.close()
                self.local.connection = None
                if attempt == 2:
                    raise

    def call(self, method, path, body=None, headers=None, expect=None, code=None, what=None):
        """One request; path is below /api/v1 unless it begins with //."""
        path = path[1:] if path.startswith("//") else self.api + path
        reply = self.send(method, path, body, headers)
        wrong = []
        if self.document:
            wrong = self.document.look(method, urllib.parse.unquote(path.split("?")[0])
                                       if "%2F" not in path else path.split("?")[0],
                                       reply.status, reply.headers, reply.body)
        if expect is not None and reply.status != expect:
            wrong.append(f"status {reply.status}, not {expect}")
        if code is not None and (not reply.body or reply.code != code):
            wrong.append(f"code is not {code}")
        if wrong or what:
            self.tap.check(not wrong, what or f"{method} {path}", *wrong, reply.body[:600])
        return reply

    def get(self, path, **more):
        return self.call("GET", path, expect=more.pop("expect", 200), **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, expect=more.pop("expect", 200), **more)

    # what tests do all the time

    def new(self, **members):
        return self.post("/sessions", members, expect=201).json["id"]

    def store(self, session, text, **members):
        return self.post(f"/sessions/{session}/messages", {"text": text, "run": False, **members},
                         expect=201).json["messages"][0]["id"]

    def texts(self, session, query=""):
        reply = self.get(f"/sessions/{session}/messages{query}").json
        return [m["parts"][0].get("text") for m in reply["messages"]]


# ---- events

class Stream:
    """Server-sent events, read byte by byte as they come."""

    def __init__(self, client, path, method="GET", body=None, headers=None):
        self.socket = socket.create_connection(("127.0.0.1", client.server.port), timeout=30)
        lines = [f"{method} {API}{path} HTTP/1.1", f"Host: 127.0.0.1:{client.server.port}",
                 "Accept: text/event-stream"]
        if client.token:
            lines.append(f"Authorization: Bearer {client.token}")
        data = json.dumps(body).encode() if body is not None else b""
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        self.raw = self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {k.lower(): v.strip() for k, v in (l.split(":", 1) for l in rest)}
        self.chunked = self.headers.get("transfer-encoding") == "chunked"
        self.text = b""
        self.over = False
        if client.document:
            client.document.seen.add((client.document.route(method, API + path.split("?")[0])[3]
                                      ["operationId"], self.status))

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        self.buffer += data

    def read(self):
        """Some more of the body; False at its end."""
        if not self.chunked:
            if not self.buffer:
                try:
                    self.more()
                except EOFError:
                    self.over = True
                    return False
            self.text += self.buffer
            self.raw += self.buffer
            self.buffer = b""
            return True
        while b"\r\n" not in self.buffer:
            try:
                self.more()
            except EOFError:
                self.over = True
                return False
        size, self.buffer = self.buffer.split(b"\r\n", 1)
        size = int(size, 16)
        while len(self.buffer) < size + 2:
            self.more()
        self.text += self.buffer[:size]
        self.raw += self.buffer[:size]
        self.buffer = self.buffer[size + 2:]
        self.over = size == 0
        return size > 0

    def event(self, timeout=20):
        """The next event: (id or None, type, data); None at the end."""
        self.socket.settimeout(timeout)
        while True:
            while b"\n\n" not in self.text:
                if not self.read():
                    return None
            block, self.text = self.text.split(b"\n\n", 1)
            fields = {}
            for line in block.decode().split("\n"):
                if line.startswith(":"):
                    continue
                name, value = line.split(": ", 1)
                fields[name] = value
            if "event" in fields:
                number = int(fields["id"]) if "id" in fields else None
                return number, fields["event"], json.loads(fields["data"])

    def until(self, kind, timeout=20):
        got = []
        while True:
            event = self.event(timeout)
            if event is None:
                return got
            got.append(event)
            if event[1] == kind:
                return got

    def close(self):
        self.socket.close()

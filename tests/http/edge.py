"""The edge from outside: starts edge_server (its one argument) in several ways and tries it with
plain sockets. Prints TAP."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]
SLOW = float(os.environ.get("EDGE_SLOW", "1"))  # under a sanitizer everything takes longer
count = failed = 0


def check(what, good, said=""):
    global count, failed
    count += 1
    if good:
        print(f"ok {count} - {what}", flush=True)
    else:
        failed += 1
        print(f"not ok {count} - {what}", flush=True)
        for line in str(said)[:2000].splitlines():
            print(f"# {line}", flush=True)


class Server:
    """A running edge_server; its log is in self.log() when it has ended."""

    def __init__(self, *options):
        self.err = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [PROGRAM, *options], stdout=subprocess.PIPE, stderr=self.err, text=True
        )
        self.port, *self.doors = (int(word) for word in self.process.stdout.readline().split())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        check(f"{self.name()} ends well", self.process.returncode == 0, self.log())

    def name(self):
        return "the server " + " ".join(self.process.args[1:])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(10 * SLOW)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def log(self):
        self.err.seek(0)
        return self.err.read().decode(errors="replace")

    def connect(self, timeout=10, port=None):
        sock = socket.create_connection(("127.0.0.1", port or self.port), timeout * SLOW)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def raw(self, data, timeout=10, port=None):
        """Sends bytes on a new connection; all that comes back until it closes, or the reply."""
        with self.connect(timeout, port) as sock:
            try:
                sock.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return Reader(sock).reply()

    def metric(self, name):
        lines = self.get("/metrics").body.decode().splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name)), 0)

    def get(self, path, *headers, method="GET", body=None, port=None):
        return self.raw(request(path, *headers, method=method, body=body), port=port)


def request(path, *headers, method="GET", body=None, host="localhost"):
    lines = [f"{method} {path} HTTP/1.1", *headers]
    if host is not None:
        lines.insert(1, f"Host: {host}")
    if body is not None:
        lines += [f"Content-Length: {len(body)}"]
        if not any(h.lower().startswith("content-type") for h in headers):
            lines += ["Content-Type: application/json"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


class Reply:
    def __init__(self, status, head, body, closed=False):
        self.status, self.head, self.body, self.closed = status, head, body, closed

    def __repr__(self):
        return f"{self.status} {self.head} {self.body[:300]!r} closed={self.closed}"

    def json(self):
        return json.loads(self.body)


class Reader:
    """Replies on a connection, one after the other."""

    def __init__(self, sock):
        self.sock, self.data, self.end = sock, bytearray(), False

    def more(self):
        if self.end:
            return False
        try:
            got = self.sock.recv(65536)
        except ConnectionResetError:
            got = b""
        if not got:
            self.end = True
        self.data += got
        return bool(got)

    def until(self, mark):
        while mark not in self.data:
            if not self.more():
                return None
        at = self.data.index(mark)
        head = bytes(self.data[:at])
        del self.data[: at + len(mark)]
        return head

    def take(self, n):
        while len(self.data) < n and self.more():
            pass
        taken = bytes(self.data[:n])
        del self.data[:n]
        return taken

    def head(self):
        text = self.until(b"\r\n\r\n")
        if text is None:
            return Reply(0, {}, self.data, True)
        first, *lines = text.decode("latin-1").split("\r\n")
        head = {}
        for line in lines:
            name, value = line.split(":", 1)
            head[name.lower()] = value.strip()
        return Reply(int(first.split()[1]), head, b"")

    def chunk(self):
        size = self.until(b"\r\n")
        if size is None:
            return None
        data = self.take(int(size, 16))
        self.take(2)
        return data

    def reply(self, no_body=False):
        reply = self.head()
        if reply.status == 100:
            reply = self.head()
        if reply.status == 0 or no_body or reply.status == 204:
            return reply
        if reply.head.get("transfer-encoding") == "chunked":
            while chunk := self.chunk():
                reply.body += chunk
        else:
            reply.body = self.take(int(reply.head.get("content-length", 0)))
        reply.closed = reply.head.get("connection", "").lower() == "close"
        return reply


def refusal(what, reply, status, code, *words):
    """The reply must be a problem of that kind, whose detail has the words."""
    good = False
    try:
        problem = reply.json()
        good = (
            reply.status == status
            and reply.head["content-type"] == "application/problem+json"
            and reply.head["x-content-type-options"] == "nosniff"
            and "tine-request-id" in reply.head
            and problem["status"] == status
            and problem["code"] == code
            and problem["type"] == "about:blank"
            and problem["title"]
            and all(word in problem["detail"] for word in words)
            and not any(h.startswith("access-control") for h in reply.head)
        )
    except (ValueError, KeyError, AttributeError):
        pass
    check(f"{what}: {status} {code}", good, reply)


# ---- plain requests ----


def plain(server):
    r = server.get("/healthz")
    check("a fixed reply", r.status == 200 and r.json() == {"status": "ok"}, r)
    check(
        "its headers",
        r.head.get("x-content-type-options") == "nosniff"
        and r.head.get("cache-control") == "no-store"
        and r.head.get("content-type") == "application/json"
        and re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{8}", r.head.get("tine-request-id", "")),
        r,
    )
    r = server.get("/healthz", "X-Request-Id: my.id_1-2")
    check("a request id is taken over", r.head.get("tine-request-id") == "my.id_1-2", r)
    r = server.get("/healthz", "X-Request-Id: bad id")
    check("but not a bad one", r.head.get("tine-request-id") != "bad id", r)
    r = server.get("/healthz", "X-Request-Id: " + "x" * 65)
    check("nor a long one", len(r.head.get("tine-request-id", "x" * 65)) < 65, r)
    with server.connect() as sock:
        sock.sendall(request("/healthz", method="HEAD") + request("/healthz"))
        reader = Reader(sock)
        r, after = reader.reply(no_body=True), reader.reply()
    check("HEAD has the length and no body", r.head.get("content-length") == "15", r)
    check("and the connection goes on", after.body == b'{"status":"ok"}', after)
    r = server.get("/healthz", method="OPTIONS")
    check(
        "OPTIONS says what is allowed",
        r.status == 204 and r.head.get("allow") == "GET, HEAD, OPTIONS",
        r,
    )
    check(
        "and nothing about other origins",
        not any(h.startswith("access-control") for h in r.head),
        r,
    )
    check("OPTIONS * too", server.get("*", method="OPTIONS").status == 204)
    r = server.get("/healthz", method="POST", body=b"{}")
    refusal("another method", r, 405, "method_not_allowed", "GET, HEAD, OPTIONS")
    check("with Allow", r.head.get("allow") == "GET, HEAD, OPTIONS", r)
    refusal("an unknown method", server.get("/healthz", method="BREW"), 405, "method_not_allowed")
    refusal("nothing there", server.get("/nowhere"), 404, "not_found", "/nowhere")
    r = server.get("/params/fixed/x?text=a+b%20%C3%A9&n=12&flag=true")
    check(
        "a closer route wins, its query is read",
        r.status == 200 and r.json()["query"] == ["a b é", "12", "true"],
        r,
    )
    r = server.get("/files/a/b%5Cc%3F/d")
    check("a rest takes slashes", r.status == 200 and r.json()["params"] == ["a/b\\c?/d"], r)
    for path in ("a/b%2Fc", "../healthz", "%2e%2e/healthz", "a/..%2f", "a%00"):
        refusal(f"a rest that is none: {path}", server.get("/files/" + path), 400, "path_invalid")
    r = server.raw(b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    check("an absolute target", r.status == 200, r)
    r = server.raw(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    check("HTTP/1.0 is answered, and closed", r.status == 200 and r.closed, r)
    for path, word in [
        ("?other=1", "other"),
        ("?n=1&n=2", '"n" stands twice'),
        ("?n=x", "not a number"),
        ("?n=0", "between 1 and 1000"),
        ("?n=99999999999999999999", "not a number"),
        ("?flag=yes", "0, 1, true or false"),
        ("?text=" + "x" * 33, "more than 32 bytes"),
    ]:
        refusal(f"query {path[:20]}", server.get("/params/fixed/x" + path), 400, "invalid", word)
    r = server.get("/fail")
    refusal("a fault of the handler", r, 503, "busy", 'the store is "busy"\n\ufffd')
    check("worth trying again", r.head.get("retry-after") == "1", r)
    for path, key in [("/sleep?ms=5", "slept"), ("/defer?ms=5", "deferred"), ("/errand", "worked")]:
        r = server.get(path)
        check(f"{path} is answered", r.status == 200 and r.json().get(key) is True, r)
    r = server.get("/looped")
    check("a route on the loop that needs a user", r.status == 200 and b"local" in r.body, r)
    r = server.get("/inner")
    check("a connection from within", r.body.endswith(b'{"name":"local","open":true}'), r)
    r = server.get("/big?bytes=3000000")
    check("a big reply", len(r.body) == 3000000, len(r.body))


def bodies(server):
    r = server.get("/echo", method="POST", body=b'{"a":1}')
    check("a body comes back", r.status == 200 and r.body == b'{"a":1}', r)
    r = server.get("/echo", method="POST", body=b"{" + b" " * 65534 + b"}")
    check("one of the largest size", r.status == 200 and len(r.body) == 65536, r)
    r = server.get("/echo", method="POST", body=b" " * 65537)
    refusal("a larger one", r, 413, "too_large", "65537", "65536")
    r = server.raw(request("/echo", "Content-Length: 10000000000", method="POST"))
    refusal("a huge one that was only announced", r, 413, "too_large")
    with server.connect() as sock:
        sock.sendall(request("/echo", "Expect: 100-continue", "Content-Type: application/json",
                             "Content-Length: 2", method="POST"))
        reader = Reader(sock)
        r = reader.head()
        check("100-continue", r.status == 100, r)
        sock.sendall(b"{}")
        r = reader.reply()
        check("and then the body", r.status == 200 and r.body == b"{}", r)
    r = server.raw(request("/echo", "Expect: 100-continue", "Content-Type: application/json",
                           "Content-Length: 70000", method="POST"))
    refusal("100-continue for too much", r, 413, "too_large")
    refusal("another expectation", server.get("/healthz", "Expect: tea"), 417, "expectation_failed")
    with server.connect() as sock:
        head = request("/echo", "Transfer-Encoding: chunked", "Content-Type: application/json",
                       method="POST")
        sock.sendall(head + b'3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\n\r\n' + request("/healthz"))
        reader = Reader(sock)
        r, after = reader.reply(), reader.reply()
    check("a chunked body", r.body == b'{"a":1}', r)
    check("and a request after it", after.status == 200, after)
    r = server.raw(head + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 17)
    refusal("a chunked body that is too large", r, 413, "too_large", "65536")
    with server.connect() as sock:
        sock.sendall(head + b'10\r\n{"a"')
        sock.shutdown(socket.SHUT_WR)
        r = Reader(sock).reply()
    check("a chunked body that breaks off is not answered", r.status == 0, r)
    r = server.raw(head + b"xyz\r\n")
    refusal("a bad chunk size", r, 400, "malformed", "chunks")
    check("a bad chunk size closes the connection", r.closed, r)
    r = server.raw(head + b"ffffffffffffffffff\r\n")
    refusal("a huge chunk size", r, 413, "too_large", "chunk")
    r = server.raw(head + b"1\r\n1\r\n0\r\nnonsense\r\n\r\n")
    refusal("a trailer without colon", r, 400, "malformed", "colon")
    r = server.get("/echo", "Content-Type: text/plain", method="POST", body=b"{}")
    refusal("another type", r, 415, "unsupported_media_type", "text/plain")
    r = server.raw(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
    refusal("no type", r, 415, "unsupported_media_type")
    r = server.get("/echo", "Content-Type: application/json; charset=utf-8", method="POST", body=b"{}")
    check("a type with parameters", r.status == 200, r)
    r = server.get("/bytes", "Content-Type: text/plain", method="PUT", body=b"abc")
    check("a route that takes any type", r.status == 200 and r.body == b"abc", r)
    r = server.get("/healthz", body=b"{}")
    refusal("a body where none is taken", r, 400, "invalid", "takes no body")
    with server.connect() as sock:
        sock.sendall(request("/nowhere", method="POST", body=b"x" * 1000) + request("/healthz"))
        reader = Reader(sock)
        r, after = reader.reply(), reader.reply()
    check("a small body that is refused does not cost the connection",
          r.status == 404 and after.status == 200, (r, after))
    with server.connect() as sock:
        big = request("/nowhere", method="POST", body=b"x" * 3000000)
        threading.Thread(target=lambda: send_quietly(sock, big)).start()
        r = Reader(sock).reply()
    refusal("a large body that is refused: the client reads why", r, 404, "not_found")


def send_quietly(sock, data):
    try:
        sock.sendall(data)
    except OSError:
        pass


# ---- what is no good request ----


def malformed(server):
    host = b"Host: localhost\r\n"
    post = b"POST /echo HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n"
    ours = {
        "both lengths": post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        "two lengths": post + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "two other lengths": post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "an unknown coding": post + b"Transfer-Encoding: gzip\r\n\r\n{}",
        "a list of codings": post + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "a coding with a tail": post + b"Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
        "two codings": post + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
        "a coding in HTTP/1.0": b"POST /echo HTTP/1.0\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a folded header": b"GET /healthz HTTP/1.1\r\n" + host + b"X-A: b\r\n c\r\n\r\n",
        "a folded last header": b"GET /healthz HTTP/1.1\r\nHost:\r\n localhost\r\n\r\n",
        "a folded coding": post + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "a folded length": post + b"Content-Length: 1\r\n 0\r\n\r\n{}",
        "bare LF": b"GET /healthz HTTP/1.1\n" + host + b"\r\n",
        "bare LF in headers": b"GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
        "bare LF at the end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\n",
        "a NUL in a header": b"GET /healthz HTTP/1.1\r\n" + host + b"X-A: a\0b\r\n\r\n",
        "a NUL in the target": b"GET /heal\0thz HTTP/1.1\r\n" + host + b"\r\n",
        "a control character": b"GET /healthz HTTP/1.1\r\n" + host + b"X-A: a\x01b\r\n\r\n",
        "a space before the colon": b"GET /healthz HTTP/1.1\r\n" + host + b"Content-Length : 0\r\n\r\n",
        "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
        "two hosts": b"GET /healthz HTTP/1.1\r\n" + host + host + b"\r\n",
        "two spaces": b"GET  /healthz HTTP/1.1\r\n" + host + b"\r\n",
        "a space in the target": b"GET /a b HTTP/1.1\r\n" + host + b"\r\n",
        "a target that is no path": b"GET healthz HTTP/1.1\r\n" + host + b"\r\n",
        "a fragment": b"GET /healthz#a HTTP/1.1\r\n" + host + b"\r\n",
        "an empty header name": b"GET /healthz HTTP/1.1\r\n" + host + b": x\r\n\r\n",
        "a length that is no number": post + b"Content-Length: x\r\n\r\n",
        "a negative length": post + b"Content-Length: -1\r\n\r\n",
        "a list of lengths": post + b"Content-Length: 2, 2\r\n\r\n{}",
        "a signed length": post + b"Content-Length: +2\r\n\r\n{}",
        "a header without colon": b"GET /healthz HTTP/1.1\r\n" + host + b"nonsense\r\n\r\n",
        "an unknown version": b"GET /healthz HTTP/3.7\r\n" + host + b"\r\n",
    }
    for what, data in ours.items():
        r = server.raw(data)
        refusal(what, r, 400, "malformed")
        check(f"{what} closes the connection", r.closed, r)
    refusal("a length of 30 digits", server.raw(post + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n"), 413, "too_large")
    among_others(server, post)
    r = server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n")
    check("TLS where none is spoken: refused or closed", r.status in (0, 400), r)
    smuggled = server.raw(
        post + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX" + request("/me")
    )
    check("nothing smuggled is answered", b"local" not in smuggled.body, smuggled)
    for path in [
        "/a/../healthz", "/..", "/./healthz", "/%2e%2e/healthz", "/params/..%2f..%2fetc/x",
        "/params/fixed/%2E", "/params/fixed/a%00b", "/params/fixed/a%0ab", "/params/fixed/%7f",
        "/files/%", "/files/%4", "/files/%zz", "/params/fixed/%ff", "/params/fixed/%c0%ae%c0%ae",
        "/params/fixed/%ed%a0%80", "/params/fixed/x?text=%ff", "/params/fixed/x?text=%0d%0aX:y",
        "/params/fixed/\xe9",
    ]:
        refusal(f"path {path.encode()}", server.get(path), 400, "malformed")


def among_others(server, post):
    """libmicrohttpd does not say whom it refuses: those who send at the same time are left alone."""
    start, end = b"GET /healthz HTTP/1.1\r\nHost: loc", b"alhost\r\n\r\n"
    body = post + b"Transfer-Encoding: chunked\r\n\r\n1\r\n1"
    with server.connect() as idle, server.connect() as head, server.connect() as upload:
        for sock, data in ((head, start), (upload, body)):
            sock.sendall(data)
        check("one that waits", (idle.sendall(request("/healthz")), Reader(idle).reply())[1].status == 200)
        time.sleep(0.1)
        r = server.raw(post + b"Content-Length: x\r\n\r\n")
        refusal("a length that is no number, among others", r, 400, "malformed", "Content-Length")
        for what, data, statuses in (
            ("a header without colon", start + b"alhost\r\nnonsense\r\n\r\n", (400,)),
            ("a bad chunk size", post + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", (400,)),
            ("a header that is too large", start + b"x" * 100000, (431,)),
            ("a request line that is too large", b"GET /" + b"x" * 100000, (414, 431)),
        ):
            r = server.raw(data)
            check(f"{what}, among others: refused and closed", r.status in statuses and r.closed, r)
        for what, sock, rest in (("a head", head, end), ("a body", upload, b"\r\n0\r\n\r\n"),
                                 ("one that waits", idle, request("/healthz"))):
            sock.sendall(rest)
            r = Reader(sock).reply()
            check(f"{what} is not disturbed by what others send", r.status == 200, r)


def large_heads(server):
    r = server.get("/healthz", "X-Big: " + "x" * 5000)
    check("a header of 5000 bytes", r.status == 200, r)
    statuses = set()
    for size in [*range(5800, 8400, 100), 9000, 20000]:
        r = server.get("/healthz", "X-Big: " + "x" * size)
        statuses.add(r.status)
        if r.status not in (200, 431):
            check(f"a header of {size} bytes", False, r)
    check("larger ones are told no, never dropped", statuses == {200, 431}, statuses)
    r = server.get("/healthz", "X-Big: " + "x" * 6500)
    refusal("a header that is too large", r, 431, "header_too_large", "6144")
    for n in (40, 90, 120, 200):
        r = server.get("/healthz", *[f"X{i}: y" for i in range(n)])
        check(f"{n} headers", r.status in (200, 431) and (n > 90) <= (r.status == 431), r)
    r = server.get("/healthz?" + "&" * 3000)
    check("a query of separators", r.status in (200, 431, 414), r)
    r = server.get("/healthz?" + "a&" * 2500)
    check("a query of many names is answered", r.status in (400, 414, 431), r)
    r = server.get("/healthz", "Cookie: " + "a=b; " * 500)
    check("many cookies are answered", r.status in (200, 431), r)
    with server.connect() as sock:
        big = request("/healthz", "X-Big: " + "x" * 1000000)
        threading.Thread(target=lambda: send_quietly(sock, big)).start()
        r = Reader(sock).reply()
    refusal("a header of 1 MB, and the client reads it", r, 431, "header_too_large", "headers")
    with server.connect() as sock:
        big = request("/" + "x" * 1000000)
        threading.Thread(target=lambda: send_quietly(sock, big)).start()
        r = Reader(sock).reply()
    refusal("a target of 1 MB", r, 431, "header_too_large", "request line")


# ---- who may ----


def browsers(server):
    refusal("another host", server.raw(request("/me", host="evil.example")), 403, "origin_refused",
            "evil.example")
    refusal("another host, on a route for all", server.raw(request("/healthz", host="evil.example:80")),
            403, "origin_refused")
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:8463"):
        r = server.raw(request("/me", host=host))
        check(f"host {host}", r.status == 200, r)
    for host in ("192.168.0.1", "[fe80::1]", "localhost.evil", "127.0.0.1.evil", "", "[::1", "a:b"):
        refusal(f"host {host!r}", server.raw(request("/me", host=host)), 403, "origin_refused")
    own = f"http://localhost:{server.port}"
    for origin in (own, f"http://127.0.0.1:{server.port}", f"https://[::1]:{server.port}"):
        check(f"origin {origin}", server.get("/me", f"Origin: {origin}").status == 200)
    for origin in ("http://evil.example", "null", "http://localhost:1", "http://localhost", own + "0",
                   "file://", "http://evil.example:" + str(server.port)):
        refusal(f"origin {origin}", server.get("/me", f"Origin: {origin}"), 403, "origin_refused", origin)
    refusal("cross-site", server.get("/me", "Sec-Fetch-Site: cross-site"), 403, "origin_refused")
    check("same-origin", server.get("/me", "Sec-Fetch-Site: same-origin").status == 200)
    r = server.raw(b"GET http://evil.example/me HTTP/1.1\r\nHost: localhost\r\n\r\n")
    refusal("an absolute target elsewhere", r, 403, "origin_refused")


def tokens():
    alice = "Authorization: Bearer secret-alice"
    with Server("--tokens", "--host", "ui.example") as server:
        r = server.get("/me")
        refusal("no token", r, 401, "unauthorized")
        check("WWW-Authenticate", r.head.get("www-authenticate") == "Bearer", r)
        refusal("a wrong token", server.get("/me", "Authorization: Bearer x"), 401, "unauthorized")
        refusal("no bearer", server.get("/me", "Authorization: Basic eDp5"), 401, "unauthorized")
        r = server.get("/me", alice)
        check("a token", r.status == 200 and r.json() == {"name": "alice", "open": False}, r)
        check("any host", server.raw(request("/me", alice, host="tine.example")).status == 200)
        refusal("too little right", server.get("/admin", alice), 403, "forbidden", "alice")
        check("a route for all", server.get("/healthz").status == 200)
        refusal("a token in the query of no stream", server.get("/me?access_token=secret-alice"), 400,
                "invalid", "access_token")
        r = server.get("/inner")
        check("from within no token is needed", b'"open":true' in r.body, r)
        refusal("another page", server.get("/me", alice, "Origin: https://evil.example"), 403,
                "origin_refused")
        check("its own page", server.raw(
            request("/me", alice, "Origin: https://tine.example", host="tine.example")).status == 200)
        check("a listed page", server.get(
            "/me", alice, "Origin: https://ui.example", "Sec-Fetch-Site: cross-site").status == 200)
        refusal("cross-site", server.get("/me", alice, "Sec-Fetch-Site: cross-site"), 403, "origin_refused")
        with server.connect() as sock:
            sock.sendall(request("/stream?count=1&access_token=secret-alice"))
            reader = Reader(sock)
            r = reader.head()
            check("a token in the query of a stream", r.status == 200, r)
            server.get("/wake", alice, method="POST")
            check("an event comes", reader.chunk() == b"id: 1\ndata: xxxx\n\n")
        server.get("/stream?access%5Ftoken=secret-other")
        server.stop()
        check("no token is in the log", "secret" not in server.log(), server.log())
        check("the user is", 'user="alice"' in server.log(), server.log())


# ---- many, slow, and gone ----


def together(server, n):
    """n requests that arrive at the same instant are all answered."""
    socks = [server.connect() for _ in range(n)]
    for sock in socks:
        sock.sendall(request("/healthz"))
        Reader(sock).reply()
    start = time.time()
    for sock in socks:
        sock.sendall(request("/params/a/b"))
    answered = sum(Reader(sock).reply().status == 200 for sock in socks)
    check(f"{n} requests at once: all answered", answered == n, answered)
    check(f"{n} requests at once: soon", time.time() - start < 3 * SLOW, time.time() - start)
    for sock in socks:
        sock.close()


def pipelined(server):
    with server.connect() as sock:
        sock.sendall(b"".join(request(p) for p in ["/healthz", "/sleep?ms=20", "/defer?ms=5", "/nowhere"] * 5))
        reader = Reader(sock)
        statuses = [reader.reply().status for _ in range(20)]
    check("20 requests in one go, answered in order", statuses == [200, 200, 200, 404] * 5, statuses)
    with server.connect() as sock:
        for byte in request("/echo", method="POST", body=b'{"slow":1}'):
            sock.sendall(bytes([byte]))
        r = Reader(sock).reply()
    check("a request byte by byte", r.status == 200 and r.body == b'{"slow":1}', r)


def slow_reader(server):
    with server.connect() as slow:
        slow.sendall(request("/big?bytes=20000000"))
        time.sleep(0.1)
        start = time.time()
        good = all(server.get("/params/a/b").status == 200 for _ in range(50))
        check("others are served while one reads slowly", good and time.time() - start < 3 * SLOW)
        slow.settimeout(20 * SLOW)
        r = Reader(slow).reply()
        check("who gets all in the end", len(r.body) == 20000000, len(r.body))


def log_lines(server):
    server.raw(b"GET /x%0a%1b[31mfake HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.raw(b"GET /\x1b[31m\"\\ HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\"b\r\n\r\n")
    server.raw(request("/healthz?a=1&access_token=hidden-thing&b=2"))
    server.get("/healthz", "User-Agent: x\"y")
    post = b"POST /misread HTTP/1.1\r\nHost: localhost\r\n"
    before = server.metric('tine_http_refused_total{reason="malformed"}')
    server.raw(post + b"Content-Length: x\r\n\r\n")
    check("what libmicrohttpd refuses is counted", server.metric('tine_http_refused_total{reason="malformed"}') == before + 1)
    r = server.get("/" + "x" * 100000)
    server.stop()
    lines = server.log().splitlines()
    parsed = []
    for line in lines:
        try:
            parsed.append(json.loads(line))
        except ValueError:
            check("each line of the log is JSON", False, line)
    names = {"time", "level", "request_id", "method", "path", "status", "bytes", "ms", "user", "dialect",
             "route", "peer"}
    check("each line has all its members", all(set(p) == names for p in parsed), parsed[:3])
    check("there is one line for each request", len(parsed) > 50, len(parsed))
    check("no control character", not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", server.log()))
    check("a token in a query is left out", "hidden-thing" not in server.log())
    check("and what stands beside it is not",
          any("a=1&access_token=REDACTED&b=2" in p["path"] for p in parsed), parsed[-3:])
    check("what libmicrohttpd refuses is there", any((p["path"], p["status"]) == ("/misread", 400) for p in parsed), parsed[-3:])
    check("also what has no first line", any((p["request_id"], p["path"], p["status"]) == (r.head.get("tine-request-id"), "-", 431)
                                             for p in parsed), parsed[-3:])
    check("bytes that are not text are escaped", any("%1B[31m%22%5C" in p["path"] for p in parsed),
          parsed[-5:])


def slow_requests():
    with Server("--request-ms", "400", "--idle-ms", "2000", "--log", "text") as server:
        socks = {what: server.connect() for what in ("line", "headers", "body", "second")}
        reader = Reader(socks["second"])
        socks["second"].sendall(request("/healthz"))
        check("a first request", reader.reply().status == 200)
        time.sleep(0.3)  # the edge looks at the connection while it is idle
        idle = server.connect()
        start = time.time()
        parts = {
            "line": b"GET /healthz HTT",
            "headers": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
            "body": request("/echo", "Content-Type: application/json", "Content-Length: 50", method="POST"),
            "second": b"GET /healthz HTTP",
        }
        for what, sock in socks.items():
            sock.sendall(parts[what])
        answers = {}
        while len(answers) < 4 and time.time() - start < 6 * SLOW:
            time.sleep(0.1)
            for what, sock in socks.items():
                if what in answers:
                    continue
                if select.select([sock], [], [], 0)[0]:
                    answers[what] = Reader(sock).reply()
                    continue
                send_quietly(sock, b"x")
        for what in parts:
            r = answers.get(what)
            good = r and r.status == 408 and b"request_timeout" in r.body and r.closed
            check(f"a request that dribbles in ({what}): 408", good, r)
        check("others are served meanwhile", server.get("/healthz").status == 200)
        idle.settimeout(8 * SLOW)
        check("an idle connection is closed in the end", idle.recv(10) == b"")
        for sock in socks.values():
            sock.close()


def limits():
    with Server("--connections", "10", "--log", "text") as server:
        held = [server.connect() for _ in range(10)]
        for sock in held:
            sock.sendall(request("/healthz"))
            Reader(sock).reply()
        r = server.get("/healthz")
        refusal("a connection too many", r, 503, "too_many", "connections")
        check("is closed, and told when to come back", r.closed and r.head.get("retry-after") == "1", r)
        with server.connect() as sock:
            r = Reader(sock).reply()  # says nothing itself
            check("one that says nothing is told so too", r.status == 503, r)
        check("from within there is always room", b'"open":true' in on(held[0], "/inner").body)
        for sock in held:
            sock.close()
        time.sleep(0.2)
        check("later there is room again", server.get("/healthz").status == 200)
        metrics = server.get("/metrics").body.decode()
        check("and it was counted", 'tine_http_refused_total{reason="connections"} 2' in metrics, metrics)
    with Server("--peer", "3") as server:
        held = [server.connect() for _ in range(3)]
        for sock in held:
            on(sock, "/healthz")
        refusal("too many from one address", server.get("/healthz"), 503, "too_many")
        for sock in held:
            sock.close()
    with Server("--streams", "2", "--pending", "20000") as server:
        streams = [Stream(server) for _ in range(2)]
        refusal("too many streams", server.get("/stream"), 503, "too_many", "2")
        streams[0].close()
        time.sleep(0.2)
        with Stream(server) as third:
            check("later there is room again", third.status == 200)
        streams[1].close()
        with server.connect() as sock:
            sock.sendall(request("/echo", "Content-Type: application/json", "Content-Length: 50000",
                                 method="POST") + b"x" * 15000)
            time.sleep(0.2)
            r = server.get("/echo", method="POST", body=b"{" + b" " * 10000 + b"}")
            refusal("more bodies than there is room for", r, 503, "too_many", "20000")
        time.sleep(0.2)
        r = server.get("/echo", method="POST", body=b"{" + b" " * 10000 + b"}")
        check("later there is room again", r.status == 200, r)
    with Server("--workers", "1") as server:
        socks = [server.connect() for _ in range(1100)]
        socks[0].sendall(request(f"/sleep?ms={int(800 * SLOW)}"))
        time.sleep(0.05)
        for sock in socks[1:]:
            sock.sendall(request("/sleep?ms=0"))
        statuses = [Reader(sock).reply().status for sock in socks]
        check("the queue of the workers has an end", statuses.count(200) == 1025 and
              statuses.count(503) == 75, (statuses.count(200), statuses.count(503)))
        for sock in socks:
            sock.close()


def on(sock, path):
    sock.sendall(request(path))
    return Reader(sock).reply()


# ---- streams ----


class Stream:
    def __init__(self, server, path="/stream"):
        self.sock = server.connect()
        self.sock.sendall(request(path))
        self.reader = Reader(self.sock)
        self.first = self.reader.head()
        self.status = self.first.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()


def hub(server):
    return server.get("/hub").json()


def wait_for(what, seconds=5):
    end = time.time() + seconds * SLOW
    while time.time() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


def streams_unbegun():
    """Whoever wanted a stream may be gone before it begins."""
    with Server() as server:
        for linger in (b"\1\0\0\0\0\0\0\0", None) * 30:
            sock = server.connect()
            sock.sendall(request("/stream?ms=100"))
            time.sleep(0.005)
            if linger:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            sock.close()
        check("a stream whose client left before it began is closed",
              wait_for(lambda: hub(server)["sources"] == 0), hub(server))


def streams():
    with Server("--log", "off") as server:
        with Stream(server) as one:
            head = one.first.head
            check(
                "the head of a stream",
                head.get("content-type") == "text/event-stream"
                and head.get("cache-control") == "no-store"
                and head.get("x-accel-buffering") == "no",
                one.first,
            )
            server.get("/wake", method="POST")
            check("an event", one.reader.chunk() == b"id: 1\ndata: xxxx\n\n")
            server.get("/wake", method="POST")
            check("another", one.reader.chunk() == b"id: 2\ndata: xxxx\n\n")
            for path in ("/wake_now", "/wake_later"):
                slowest = 0
                for _ in range(10):
                    start = time.time()
                    server.get(path, method="POST")
                    one.reader.chunk()
                    slowest = max(slowest, time.time() - start)
                check(f"a wake from the loop itself ({path}) is not left lying", slowest < 0.3 * SLOW,
                      slowest)
        check("a client that goes is noticed at once", wait_for(lambda: hub(server)["closed"] == 1), hub(server))
        with Stream(server, "/stream?count=2&size=100000") as big:
            server.get("/wake", method="POST")
            server.get("/wake", method="POST")
            data = b""
            while chunk := big.reader.chunk():
                data += chunk
            check("events larger than any buffer, and an end",
                  data.count(b"x" * 100000) == 2 and data.count(b"id: ") == 2, len(data))
            check("after the end the connection goes on", on(big.sock, "/healthz").status == 200)
        with server.connect() as sock:
            sock.sendall(b"GET /stream?count=1 HTTP/1.0\r\nHost: localhost\r\n\r\n")
            reader = Reader(sock)
            check("a stream for HTTP/1.0", reader.head().status == 200)
            server.get("/wake", method="POST")
            while reader.more():
                pass
            check("comes without chunks and is closed", reader.data.startswith(b"id: ") and
                  reader.data.endswith(b"xxxx\n\n"), reader.data)
        with server.connect() as sock:
            sock.sendall(request("/stream", method="HEAD") + request("/healthz"))
            reader = Reader(sock)
            r, after = reader.reply(no_body=True), reader.reply()
            check("HEAD of a stream ends at once", r.status == 200 and after.status == 200, (r, after))
        many = 1000
        before = memory(server)
        all_of_them = [Stream(server) for _ in range(many)]
        check("1000 streams", all(s.status == 200 for s in all_of_them))
        each = (memory(server) - before) / many
        if SLOW == 1:
            check("an idle one costs less than 12 KiB", each < 12 * 1024, each)
        start = time.time()
        server.get("/wake", method="POST")
        reached = sum(s.reader.chunk() is not None for s in all_of_them)
        check("a wake reaches all", reached == many, reached)
        check("soon", time.time() - start < 3 * SLOW, time.time() - start)
        for s in all_of_them[::2]:
            s.close()
        check("half of them go", wait_for(lambda: hub(server)["closed"] >= 3 + many // 2), hub(server))
        server.get("/wake", method="POST")
        reached = sum(s.reader.chunk() is not None for s in all_of_them[1::2])
        check("the others go on", reached == many // 2, reached)
        slow = Stream(server, "/stream?size=100000")
        for _ in range(200):
            server.get("/wake", method="POST")
        check("a stream that nobody reads costs one buffer", wait_for(lambda: server.get("/healthz").status == 200))
        grown = memory(server) - before - many * 12 * 1024
        if SLOW == 1:
            check("and not 20 MB", grown < 8 * 1024 * 1024, grown)
        rest = all_of_them[1::2]
        started = time.time()
        server.process.send_signal(signal.SIGTERM)
        ended = sum(ends(s) for s in rest)
        slow.close()
        check("when the server stops they end cleanly", ended == len(rest), ended)
        check("it ends", server.process.wait(10 * SLOW) == 0)
        check("in time", time.time() - started < 5 * SLOW, time.time() - started)
        check("every source was closed once", "opened" in (out := server.process.stdout.read()) and
              out.split()[1] == out.split()[3], out)


def ends(stream):
    """Reads up to the last chunk: true when the stream ended as it should."""
    while True:
        chunk = stream.reader.chunk()
        if chunk is None:
            return False
        if chunk == b"":
            return True


def memory(server):
    with open(f"/proc/{server.process.pid}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(r"Rss: +(\d+)", file.read())[1]) * 1024


# ---- stopping ----


def stopping():
    with Server("--log", "off") as server:
        busy = [server.connect() for _ in range(40)]
        for i, sock in enumerate(busy):
            sock.sendall(request("/sleep?ms=300" if i % 2 else "/defer?ms=300"))
        idle = server.connect()
        idle.sendall(request("/healthz"))
        Reader(idle).reply()
        time.sleep(0.15)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
        idle.sendall(request("/healthz"))
        refusal("a request to a server that stops", Reader(idle).reply(), 503, "stopping")
        answered = sum(Reader(sock).reply().status == 200 for sock in busy)
        check("what is in work is answered", answered == 40, answered)
        check("then it ends", server.process.wait(10 * SLOW) == 0)
    with Server("--log", "off") as server:
        stuck = [server.connect() for _ in range(4)]
        for i, sock in enumerate(stuck):
            sock.sendall(request("/sleep?ms=1500" if i % 2 else "/defer?ms=1500"))
        time.sleep(0.1)
        start = time.time()
        server.get("/stop?ms=200", method="POST")
        for sock in stuck:
            check("after the grace it is over", Reader(sock).reply().status == 0)
        check("in time", time.time() - start < 1 * SLOW, time.time() - start)
        check("it ends when its handlers have", server.process.wait(10 * SLOW) == 0)
    with Server("--log", "off") as server:
        stop = threading.Event()
        statuses = []

        def load():
            while not stop.is_set():
                try:
                    statuses.append(server.get("/sleep?ms=1").status)
                except OSError:
                    statuses.append(-1)

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        start = time.time()
        code = server.stop()
        took = time.time() - start
        stop.set()
        for thread in threads:
            thread.join()
        check("stopped under load", code == 0 and took < 5 * SLOW, (code, took))
        check("nothing but answers and refusals", set(statuses) <= {200, 503, 0, -1} and
              statuses.count(200) > 10, set(statuses))


def says_no(what, reply, status, *words):
    check(f"{what}: {status} in its own way",
          reply.status == status and reply.head.get("content-type") == "text/plain" and
          reply.body.startswith(b"no: ") and all(word in reply.body.decode() for word in words), reply)


def chunked(path, body, *headers):
    head = request(path, "Transfer-Encoding: chunked", "Content-Type: application/json", *headers,
                   method="POST")
    return head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def dialects():
    """A table that writes its own faults, and one whose routes hand on to it."""
    with Server("--log", "json") as server:
        for prefix in ("/tongue", ""):
            where = prefix or "handed on"
            get = lambda path, *headers, **more: server.get(prefix + path, *headers, **more)
            check(f"{where}: a body", get("/say", method="POST", body=b"123").body == b"123")
            check(f"{where}: in chunks", server.raw(chunked(prefix + "/say", b"[1]")).body == b"[1]")
            reply = get("/say/x%2Fy/z?n=5&n=6&smoke=1&flag=maybe&text=a+b&%ff=1")
            check(f"{where}: params and query are those of its route",
                  reply.json() == {"route": "said", "params": ["x/y", "z"], "query": ["a b", "5", None]}, reply)
            check(f"{where}: a number out of range is not there",
                  get("/say/x/y?n=5000").json()["query"] == [None, None, None])
            says_no(f"{where}: a value that is no text", get("/say/x/y?text=%ff"), 400, "UTF-8")
            check(f"{where}: on the loop", get("/quiet").json()["name"] == "local")
            check(f"{where}: deferred", get("/later?ms=20").json() == {"deferred": True})
            check(f"{where}: a final slash", get("/closed/").json()["route"] == "slash")
            says_no(f"{where}: no final slash", get("/closed"), 404, "nothing at")
            says_no(f"{where}: a body that is too large", get("/say", method="POST", body=b"x" * 17), 413, "16")
            says_no(f"{where}: … in chunks", server.raw(chunked(prefix + "/say", b"x" * 17)), 413, "16")
            says_no(f"{where}: a body where none is taken", get("/nobody", method="POST", body=b"1"), 400,
                    "takes no body")
            reply = get("/say", method="PUT", body=b"1")
            says_no(f"{where}: another method", reply, 405, "POST")
            check(f"{where}: … with those that it has", reply.head.get("allow") == "POST, OPTIONS", reply)
            with server.connect() as sock:
                sock.sendall(request(prefix + "/quiet", method="HEAD"))
                check(f"{where}: HEAD", Reader(sock).reply(no_body=True).status == 200)
            with server.connect() as sock:
                sock.sendall(request(prefix + "/flow?count=1"))
                reader = Reader(sock)
                head = reader.until(b"\r\n\r\n")
                server.get("/wake_now", method="POST")
                check(f"{where}: a stream", b"text/event-stream" in head and reader.until(b"\n\n"), head)
        says_no("a body of another type", server.get("/tongue/say", "Content-Type: text/plain", method="POST", body=b"x"),
                415, "text/plain")
        says_no("below a prefix there is nothing", server.get("/tongue/x"), 404, "nothing at")
        check("elsewhere it is a problem", server.get("/x").json()["code"] == "not_found")
        text = server.get("/metrics").body.decode()
        counted = 'tine_http_requests_total{dialect="tongue",route="said",method="GET",status="200"} 4'
        check("both ways are counted as one", counted in text, [l for l in text.splitlines() if "tongue" in l])
        check("what was handed on is counted once", 'dialect="front"' not in text,
              [l for l in text.splitlines() if "front" in l])
        server.stop()
        lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]
        names = {(line["dialect"], line["route"]) for line in lines if line["path"].startswith("/say/")}
        check("the log names who answered", names == {("tongue", "said")}, names)
    with Server("--tokens", "--log", "off") as server:
        alice = "Authorization: Bearer secret-alice"
        for prefix in ("/tongue", ""):
            reply = server.get(prefix + "/say/a/b")
            says_no(f"{prefix}: no token", reply, 401, "a token is needed")
            check(f"{prefix}: … and which sort", reply.head.get("www-authenticate") == "Bearer", reply)
            check(f"{prefix}: with one", server.get(prefix + "/quiet", alice).json()["name"] == "alice")
            says_no(f"{prefix}: a right that she has not", server.get(prefix + "/rights", alice), 403, "alice")


def doors():
    """Further ports: who comes in there is told apart, and all share the limits."""
    with Server("--door", "one=127.0.0.1:0", "--door", "two=127.0.0.1:0", "--log", "off",
                "--connections", "20", "--peer", "20") as server:
        one, two = server.doors
        check("three ports", len({server.port, one, two}) == 3, (server.port, server.doors))
        for port, name in ((server.port, ""), (one, "one"), (two, "two")):
            check(f"door {name!r}", server.get("/door", port=port).json() == name)
        with server.connect(port=one) as a, server.connect(port=two) as b, server.connect() as c:
            for _ in range(3):
                for sock, name in ((a, "one"), (b, "two"), (c, "")):
                    sock.sendall(request("/door"))
                    reply = Reader(sock).reply()
                    check("a connection keeps its door", reply.json() == name, reply)
        page = "Origin: http://localhost:%d"
        check("a page of that port", server.get("/door", page % one, port=one).status == 200)
        refusal("a page of another", server.get("/door", page % two, port=one), 403, "origin_refused")
        refusal("another host", server.raw(request("/door", host="evil.example"), port=one), 403,
                "origin_refused")
        refusal("a bad path", server.raw(request("/%zz"), port=one), 400, "malformed")
        wait_for(lambda: server.metric("tine_http_connections ") <= 1)
        held = [server.connect(port=(server.port, one, two)[i % 3]) for i in range(20)]
        for sock in held:
            sock.sendall(request("/door"))
            Reader(sock).reply()
        refusal("all share one limit", server.get("/door", port=two), 503, "too_many")
        for sock in held:
            sock.close()
        wait_for(lambda: server.get("/door", port=two).status == 200)
        check("then there is room again", server.get("/door", port=one).json() == "one")
        crowd = [threading.Thread(target=lambda: server.get("/door", port=one)) for _ in range(100)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        wait_for(lambda: server.get("/door", port=one).status == 200)
        check("a crowd has passed", server.get("/door", port=two).json() == "two")
        busy = subprocess.run([PROGRAM, "--door", f"x=127.0.0.1:{one}"], capture_output=True, text=True, check=False)
        check("a port that is taken is named", busy.returncode == 1 and f"127.0.0.1:{one}" in busy.stderr, busy)
        with server.connect(port=two) as sock:
            sock.sendall(request("/sleep?ms=300"))
            time.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            check("what came through a door is answered at the end", Reader(sock).reply().status == 200)
        check("then it ends", server.process.wait(10 * SLOW) == 0)


def main():
    with Server("--log", "json") as server:
        plain(server)
        bodies(server)
        malformed(server)
        large_heads(server)
        browsers(server)
        pipelined(server)
        for n in (127, 128, 129, 256, 512):
            together(server, n)
        slow_reader(server)
        log_lines(server)
    tokens()
    slow_requests()
    limits()
    streams_unbegun()
    streams()
    stopping()
    dialects()
    doors()
    bad = subprocess.run([PROGRAM, "--listen", "192.0.2.1:1"], capture_output=True, text=True, check=False)
    check("an address that is not ours is named", bad.returncode == 1 and "192.0.2.1:1" in bad.stderr, bad)
    print(f"1..{count}")
    return failed > 0


sys.exit(main())

#!/usr/bin/env python3
"""The server under load, as ratios against nginx and against itself, all in one run.

    edge.py [--seconds N]           the program is $TINE; needs wrk, and nginx ($NGINX)

Every bar is printed with the figures behind it; exit 1 when one is missed.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import re
import resource
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from served import Server, Table

NGINX = os.environ.get("NGINX", "nginx")
STREAMS = 5000
WARM = 500  # streams that are open before memory is looked at
SPREAD = 2000  # sessions whose pages are read in turn: more than the server keeps in memory


def wrk(url, seconds, connections=64, script=None):
    """Requests a second, and how many were not answered well."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url]
    if script:
        command[1:1] = ["-s", script]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return rate, int(bad.group(1)) if bad else 0


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nginx:
    def __init__(self, folder, body):
        self.port = free_port()
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w") as conf:
            conf.write(f"""
daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid;
error_log /dev/null crit;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; sendfile on; open_file_cache max=10;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{self.port};
    location = /page {{ default_type application/json; alias {folder}/page; }}
    location / {{ default_type application/json; return 200 '{body}'; }} }}
}}
""")
        self.process = subprocess.Popen([NGINX, "-p", folder, "-c", path],
                                        stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("nginx did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fork_script(folder, session):
    path = os.path.join(folder, "fork.lua")
    with open(path, "w") as out:
        out.write('wrk.method = "POST"\nwrk.body = "{}"\n'
                  'wrk.headers["Content-Type"] = "application/json"\n'
                  f'wrk.path = "/api/v1/sessions/{session}/fork"\n')
    return path


def page_make(server):
    """A session of 50 messages; the path of its page."""
    session = server.call("POST", "/sessions", {"title": "page"})["id"]
    server.call("POST", f"/sessions/{session}/messages",
                {"messages": [{"role": "assistant" if i % 2 else "user",
                               "parts": [{"type": "text", "text": f"message {i}: " + "word " * 12}]}
                              for i in range(50)], "run": False})
    return f"/sessions/{session}/messages?limit=50"


def spread_script(folder, paths):
    path = os.path.join(folder, "spread.lua")
    with open(path, "w") as out:
        out.write("local paths = {" + ",".join(f'"/api/v1{p}"' for p in paths) + "}\n"
                  "local at = 0\n"
                  "function request()\n"
                  "  at = at % #paths + 1\n"
                  '  return wrk.format("GET", paths[at])\n'
                  "end\n")
    return path


def spread(table, server, folder, seconds, there):
    """Every page is of another session than the 1,999 before it, so that nearly each has to be
    written anew: what was read longest ago goes first from memory, and the next is of those."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        paths = list(pool.map(lambda _: page_make(server), range(SPREAD)))
    script = spread_script(folder, paths)
    wrk(server.url, 1, script=script)
    before = server.metric("tine_pages_again_total"), server.metric("tine_pages_written_total")
    runs = [wrk(server.url, seconds, script=script) for _ in range(3)]
    again = server.metric("tine_pages_again_total") - before[0]
    written = server.metric("tine_pages_written_total") - before[1]
    assert all(run[1] == 0 for run in runs), "an answer was not 200"
    rate = statistics.median(run[0] for run in runs)
    table.row(f"pages of {SPREAD:,} sessions in turn, against the short body", f"{rate / there:.2f}x",
              "none", True, f"{rate:,.0f}/s, {again / (again + written):.0%} of them from memory")


def rates(table, server, folder, seconds):
    path = page_make(server)
    with open(os.path.join(folder, "page"), "w") as page:
        json.dump(server.call("GET", path), page, separators=(",", ":"))
    nginx = Nginx(folder, '{"status":"ok"}')
    theirs = f"http://127.0.0.1:{nginx.port}"
    wrk(server.url + "/healthz", 1)
    runs = [(wrk(theirs + "/", seconds), wrk(server.url + "/healthz", seconds),
             wrk(theirs + "/page", seconds), wrk(server.url + "/api/v1" + path, seconds))
            for _ in range(3)]
    nginx.stop()
    assert all(part[1] == 0 for run in runs for part in run), "an answer was not 200"
    there, health, same, pages = (statistics.median(run[i][0] for run in runs) for i in range(4))
    size = os.path.getsize(os.path.join(folder, "page"))
    table.row("GET /healthz, against nginx with that body", f"{health / there:.2f}x", ">= 0.70",
              health / there >= 0.70, f"{health:,.0f}/s against {there:,.0f}/s")
    table.row("one page of 50 messages, read again and again, likewise", f"{pages / there:.2f}x",
              ">= 0.25", pages / there >= 0.25, f"{pages:,.0f}/s against the same")
    table.row("… against nginx with the page's own bytes", f"{pages / same:.2f}x", "none", True,
              f"{same:,.0f}/s of {size:,} bytes")
    spread(table, server, folder, seconds, there)


def forks(table, server, folder, seconds):
    session = server.call("POST", "/sessions", {"title": ""})["id"]
    server.call("POST", f"/sessions/{session}/messages", {"text": "hello", "run": False})
    script = fork_script(folder, session)
    pairs = [(wrk(server.url, seconds, 1, script), wrk(server.url, seconds, 64, script))
             for _ in range(3)]
    assert all(part[1] == 0 for pair in pairs for part in pair), "a fork was refused"
    one = statistics.median(p[0][0] for p in pairs)
    many = statistics.median(p[1][0] for p in pairs)
    table.row("durable forks, 64 connections against 1", f"{many / one:.1f}x", ">= 5",
              many / one >= 5, f"{many:,.0f}/s against {one:,.0f}/s with a commit each")


def median_ms(server, path, count=200):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        connection.request("GET", path)
        connection.getresponse().read()
        times.append(time.perf_counter() - begun)
    connection.close()
    return statistics.median(times) * 1000


def streams(table, server):
    resource.setrlimit(resource.RLIMIT_NOFILE, (STREAMS + 512, max(
        STREAMS + 512, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    session = server.call("POST", "/sessions", {"title": "listened to"})["id"]
    before = None
    sockets = []
    for _ in range(STREAMS // 50):
        if len(sockets) == WARM:
            before = server.memory()  # threads, connections to the store and their statements
        some = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for s in some:
            s.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for s in some:
            assert s.recv(65536).startswith(b"HTTP/1.1 200"), "a stream was refused"
        sockets += some
    each = (server.memory() - before) / (STREAMS - WARM)
    table.row(f"memory of each of {STREAMS:,} idle streams", f"{each / 1024:.1f} KiB", "< 12 KiB",
              each < 12 * 1024, "")
    begun = time.perf_counter()
    server.call("POST", f"/sessions/{session}/fork", {})
    waiting = {s.fileno(): s for s in sockets}
    poll = select.epoll()
    for fd in waiting:
        poll.register(fd, select.EPOLLIN)
    while waiting and time.perf_counter() - begun < 30:
        for fd, _ in poll.poll(1):
            if b"session.forked" in waiting[fd].recv(65536):
                poll.unregister(fd)
                del waiting[fd]
    took = time.perf_counter() - begun
    table.row("a fork reaches all of them", f"{STREAMS - len(waiting):,}", f"{STREAMS:,}",
              not waiting, f"in {took * 1000:.0f} ms")
    for s in sockets:
        s.close()


def at_once(table, server, unloaded):
    for count in (128, 256, 512):
        sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
        begun = time.perf_counter()
        for s in sockets:
            s.sendall(b"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answered = 0
        for s in sockets:
            s.settimeout(10)
            try:
                answered += s.recv(65536).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
        took = (time.perf_counter() - begun) * 1000
        for s in sockets:
            s.close()
        table.row(f"{count} requests at the same instant, answered", str(answered), str(count),
                  answered == count, f"in {took:.0f} ms")
    after = median_ms(server, "/api/v1/me")
    table.row("… and the API afterwards, against before", f"{after / unloaded:.2f}x", "<= 2",
              after / unloaded <= 2, f"{after:.2f} ms against {unloaded:.2f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=3)
    given = parser.parse_args()
    for need in ("wrk", NGINX):
        if not shutil.which(need):
            print(f"skipped: {need} is not installed")
            return 0
    table = Table()
    config = ("limits:\n  connections: 8192\n  connections_per_address: 8192\n"
              f"  streams: {STREAMS + 100}\n  sessions_per_user: 10000000\n")
    with tempfile.TemporaryDirectory(prefix="tine-edge-") as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home, 0o700)
        server = Server(home, config)
        try:
            unloaded = median_ms(server, "/api/v1/me")
            rates(table, server, folder, given.seconds)
            at_once(table, server, unloaded)
            streams(table, server)
            forks(table, server, folder, given.seconds)
        finally:
            server.stop()
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())

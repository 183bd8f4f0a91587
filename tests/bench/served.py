"""What the benches of the server share: a server of their own, and the table with its bars."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys

TINE = os.environ["TINE"]


class Table:
    def __init__(self):
        self.missed = 0

    def row(self, what, value, bar, good, figures):
        self.missed += not good
        print(f"{'  ' if good else '! '}{what:<52}{value:>12}   bar {bar:<10} {figures}")
        sys.stdout.flush()


class Server:
    def __init__(self, home, config=None):
        command = [TINE, "serve", "--listen", "127.0.0.1:0", "--home", home, "--log", "off"]
        if config:
            path = os.path.join(home, "tine.yaml")
            with open(path, "w") as out:
                out.write(config)
            command += ["--config", path]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        if reply.status >= 300:
            raise RuntimeError(f"{method} {path}: {reply.status} {data[:200]}")
        return json.loads(data) if data else None

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

"""A chat-completions server that plays a part: which one, the request's model says.

    python3 model_server.py            prints its port, serves until its stdin is closed

Every request is first looked at as the real API would: one that it would refuse is answered with
400 and the reason. GET /seen gives the bodies of all requests so far, one a line.
"""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = []
counts = {}
lock = threading.Lock()


class Wrong(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Wrong(reason)


def check_call(call):
    need(set(call) == {"id", "type", "function"}, "a tool call has id, type, function")
    need(call["type"] == "function" and isinstance(call["id"], str) and call["id"], "type, id")
    need(set(call["function"]) == {"name", "arguments"}, "a function has name and arguments")
    need(isinstance(call["function"]["arguments"], str), "arguments are a string")
    need(isinstance(json.loads(call["function"]["arguments"]), dict), "arguments are an object")


def check_messages(messages):
    need(isinstance(messages, list) and messages, "messages")
    waiting = []
    for message in messages:
        role = message.get("role")
        need(role in ("system", "user", "assistant", "tool"), f"role {role}")
        if role == "tool":
            need(set(message) == {"role", "tool_call_id", "content"}, "members of a tool message")
            need(isinstance(message["content"], str), "content of a tool message")
            need(message["tool_call_id"] in waiting, "a result without its call before it")
            waiting.remove(message["tool_call_id"])
            continue
        need(not waiting, f"calls without a result: {waiting}")
        if role == "assistant" and "tool_calls" in message:
            need(message["content"] is None or isinstance(message["content"], str), "content")
            need(message["tool_calls"], "tool_calls is empty")
            for call in message["tool_calls"]:
                check_call(call)
            waiting = [call["id"] for call in message["tool_calls"]]
            need(len(set(waiting)) == len(waiting), "two calls with one id")
        else:
            need(set(message) == {"role", "content"}, f"members of a {role} message")
            need(isinstance(message["content"], str), f"content of a {role} message")
    need(not waiting, f"calls without a result at the end: {waiting}")


def check_tools(tools):
    need(isinstance(tools, list) and tools, "tools is empty")
    for tool in tools:
        need(tool["type"] == "function", "type of a tool")
        function = tool["function"]
        need(set(function) == {"name", "description", "parameters"}, "members of a function")
        schema = function["parameters"]
        need(schema["type"] == "object" and isinstance(schema["properties"], dict), "parameters")
        need(set(schema["required"]) <= set(schema["properties"]), "required")


def check(request):
    allowed = {"model", "messages", "tools", "stream", "stream_options", "max_tokens",
               "max_completion_tokens"}
    need(set(request) <= allowed, f"unknown members {set(request) - allowed}")
    need(isinstance(request["model"], str), "model")
    need(request.get("stream") is True, "stream")
    need(request.get("stream_options") == {"include_usage": True}, "stream_options")
    check_messages(request["messages"])
    if "tools" in request:
        check_tools(request["tools"])


def chunk(delta=None, finish=None, **more):
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None,
                                         "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": choices, "usage": None, **more}


def data(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def call_part(index, call_id=None, name=None, arguments=None):
    call = {"index": index, "function": {}}
    if call_id:
        call.update(id=call_id, type="function")
        call["function"]["name"] = name
    if arguments is not None:
        call["function"]["arguments"] = arguments
    return chunk({"tool_calls": [call]})


def usage(given, made):
    return chunk(usage={"prompt_tokens": given, "completion_tokens": made,
                        "total_tokens": given + made})


def text_answer(pieces, finish="stop"):
    yield data(chunk({"role": "assistant", "content": ""}))
    for piece in pieces:
        yield data(chunk({"content": piece}))
    yield data(chunk({}, finish))
    yield data(usage(1000, 200))
    yield data("[DONE]")


def has_results(request):
    return any(m["role"] == "tool" for m in request["messages"])


def play_tools(request):
    if has_results(request):
        yield from text_answer(["all ", "done"])
        return
    first, second = ('{"path":"sub/a.txt","content":"grüße\\n"}', '{"command":"cat sub/a.txt; exit 3"}')
    yield data(chunk({"role": "assistant", "content": "I write."}))
    yield data(call_part(0, "call_a", "write_file", ""))
    yield data(call_part(1, "call_b", "bash", ""))
    for i in range(0, max(len(first), len(second)), 7):
        if first[i:i + 7]:
            yield data(call_part(0, arguments=first[i:i + 7]))
        if second[i:i + 7]:
            yield data(call_part(1, arguments=second[i:i + 7]))
    yield data(chunk({}, "tool_calls"))
    yield data(usage(10, 5))
    yield data("[DONE]")


def play_one_call(name, arguments):
    def play(request):
        if has_results(request):
            yield from text_answer(["seen"])
        else:
            yield data(call_part(0, "call_1", name, arguments))
            yield data(chunk({}, "tool_calls"))
            yield data("[DONE]")
    return play


def play_calls_forever(request):
    number = len(request["messages"])
    yield data(call_part(0, f"call_{number}", "list_files", "{}"))
    yield data(chunk({}, "tool_calls"))
    yield data("[DONE]")


def play_forever(request):
    while True:
        yield data(chunk({"content": "on "}))
        time.sleep(0.02)


def play_stall(request):
    yield data(chunk({"content": "first"}))
    time.sleep(30)


def play_quiet(request):
    time.sleep(30)
    yield b""


def play_error_mid(request):
    yield data(chunk({"content": "half of "}))
    yield data({"error": {"message": "the engine\nfell over", "type": "server_error"}})


def play_error_first(request):
    if counts["error-first"] == 1:
        yield data({"error": {"message": "overloaded"}})
    else:
        yield from text_answer(["ok"])


def play_huge(request):
    yield data(chunk({"content": "x"}))
    yield b"data: " + b"a" * (5 * 1024 * 1024)


def play_comments(request):
    yield b"\xef\xbb\xbf: hello\r\nevent: x\r\nid: 1\r\nretry: 5\r\n\r\n"
    for part in text_answer(["a", "b"]):
        yield b": keep-alive\r\n\r\n" + part.replace(b"\n", b"\r\n")
    yield b"data: not json, after the end\r\n\r\n"


def play_bytes(request):
    for part in text_answer(["grü", "ße 🌲", " end"]):
        for byte in part:
            yield bytes([byte])


def play_no_done(request):
    yield data(chunk({"content": "short"}))
    yield data(chunk({}, "stop")).rstrip(b"\n")


def play_cut(request):
    yield data(chunk({"content": "sho"}))


def play_reasoning(request):
    yield data(chunk({"reasoning_content": "let me "}))
    yield data(chunk({"reasoning": "think"}))
    yield from text_answer(["4"])


def play_nonsense(request):
    yield data(chunk({"content": "x"}))
    yield data("{not json")


def play_summary(request):
    if request["messages"][0]["content"].startswith("Summarise"):
        need("tools" not in request, "a summary needs no tools")
        yield from text_answer(["they counted ", "to ten"])
    else:
        yield from text_answer(["going on"])


PLAYS = {
    "hello": lambda request: text_answer(["Hel", "lo ", "grüße"]),
    "length": lambda request: text_answer(["cut o"], "length"),
    "filter": lambda request: text_answer([], "content_filter"),
    "tools": play_tools,
    "bad-arguments": play_one_call("bash", '{"command": "ec'),
    "bad-tool": play_one_call("launch_rocket", "{}"),
    "sleep": play_one_call("bash", '{"command":"echo begun; sleep 20"}'),
    "calls-forever": play_calls_forever,
    "forever": play_forever,
    "stall": play_stall,
    "quiet": play_quiet,
    "error-mid": play_error_mid,
    "error-first": play_error_first,
    "huge": play_huge,
    "comments": play_comments,
    "bytes": play_bytes,
    "no-done": play_no_done,
    "cut": play_cut,
    "reasoning": play_reasoning,
    "nonsense": play_nonsense,
    "summary": play_summary,
    "busy": lambda request: text_answer(["at last"]),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body, kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, message, **headers):
        self.answer(status, json.dumps({"error": {"message": message}}).encode(), **headers)

    def do_GET(self):
        with lock:
            self.answer(200, "\n".join(seen).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        request = json.loads(body)
        model = request["model"]
        with lock:
            seen.append(body)
            count = counts[model] = counts.get(model, 0) + 1
        try:
            need(self.path == "/v1/chat/completions", f"path {self.path}")
            need(self.headers["Content-Type"] == "application/json", "content type")
            check(request)
        except (Wrong, KeyError, ValueError) as wrong:
            self.refuse(400, f"the request is wrong: {wrong}")
            return
        if model == "busy" and count <= 2:
            self.refuse(429, "slow down", Retry_After="0")
        elif model == "busy-long":
            self.refuse(429, "come back tomorrow", Retry_After="86400")
        elif model == "busy-wait":
            self.refuse(503, "later", Retry_After="30")
        elif model == "down":
            self.refuse(500, "broken", Retry_After="0")
        elif model == "key":
            self.refuse(401, "bad key " + self.headers.get("Authorization", "none"))
        elif model == "html":
            self.answer(200, b"<html>welcome</html>", "text/html")
        elif model == "moved":
            self.answer(302, b"", Location="http://127.0.0.1:1/")
        else:
            self.stream(PLAYS[model](request))

    def stream(self, parts):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                if part:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # a client that goes away is what the tests are about


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()

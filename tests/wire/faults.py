"""Faults that every route has."""
import http.client
import re


def too_large(t, c, method, path, length):
    """Refused by what the head says, before a byte of the body is sent."""
    line = http.client.HTTPConnection("127.0.0.1", c.server.port, timeout=30)
    line.putrequest(method, path)
    line.putheader("Content-Length", str(length))
    line.endheaders()
    reply = line.getresponse()
    body = reply.read()
    wrong = c.document.look(method, path, reply.status, {k.lower(): v for k, v in reply.getheaders()}, body)
    t.check(not wrong and reply.status == 413, f"{method} {path}: too large", *wrong, body)
    line.close()


def everywhere(t, c, locked, guest):
    """Faults that all routes have: an unknown query, no token, a page elsewhere, too large a body."""
    for method, template, _, operation in c.document.routes:
        path = re.sub(r"\{[a-z]+\}", "x", template)
        name = operation["operationId"]
        path = "/" + path
        content = operation.get("requestBody", {"content": {}})["content"]
        body = {} if "application/json" in content else b"x" if content else None
        c.call(method, path + "?bogus=1", body, expect=400, code="invalid")
        c.call(method, path, body, headers={"Origin": "http://evil.example"}, expect=403, code="origin_refused")
        c.call(method, path, body, headers={"Host": "evil.example"}, expect=403)
        if "401" in operation["responses"]:
            locked.call(method, path, body, expect=401, code="unauthorized")
            locked.call(method, path, body, headers={"Authorization": "Bearer wrong"}, expect=401)
        if "403" in operation["responses"] and "forbidden" in \
                operation["responses"]["403"]["content"]["application/problem+json"]["examples"]:
            guest.call(method, path + ("?live=1" if name == "listFiles" else ""), body, expect=403, code="forbidden")
        if name == "putFile":
            too_large(t, c, method, path[1:], 64 * 1024 * 1024 + 1)
        elif body is not None:
            most = 33_700_000 if name == "sendMessages" else 4_300_000
            c.call(method, path, b" " * most, expect=413, code="too_large")
            c.call(method, path, body, headers={"Content-Type": "text/plain"}, expect=415, code="unsupported_media_type")

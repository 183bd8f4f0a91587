"""What the service says of itself: health, metrics, the page of the API."""
import re
import signal
import time


def service(t, c, server):
    t.same(c.get("//healthz").body, b'{"status":"ok"}', "healthz")
    c.get("//readyz")
    server.signal(signal.SIGUSR1)
    time.sleep(0.2)
    reply = c.get("//readyz", expect=503, code="stopping", what="not ready while stopping")
    t.check("retry-after" in reply.headers, "… with Retry-After")
    server.signal(signal.SIGUSR1)
    text = c.get("//metrics").body.decode()
    for name in ("tine_forks_total", "tine_rewinds_total", "tine_appends_total", 'tine_turns_total{state="done"}',
                 "tine_listeners", "tine_store_commits_total", "tine_snapshots_total", "tine_snapshot_seconds_total",
                 "tine_paths_restored_total", "tine_merges_total"):
        line = [l for l in text.splitlines() if l.startswith(name + " ")]
        t.check(len(line) == 1 and float(line[0].split()[-1]) >= 0, f"metrics have {name}", text[:500])
    t.check(all(l.startswith("#") or re.fullmatch(r"[a-z_]+(\{[^}]*\})? [-0-9.e+Inf]+", l) for l in text.splitlines()),
            "… in the form of Prometheus", [l for l in text.splitlines() if not l.startswith("#")][:5])
    page = c.get("//docs")
    t.check("script" not in page.headers["content-security-policy"] and b"<script" not in page.body
            and b"http://" not in page.body and b"https://" not in page.body, "the page needs nothing from elsewhere")
    for _, template, _, operation in c.document.routes:
        if f'id="{operation["operationId"]}"'.encode() not in page.body:
            t.check(False, f"the page has {operation['operationId']}")
    c.get("//docs/style.css")
    c.get("/openapi.json")
    c.get("/nothing", expect=404, code="not_found")

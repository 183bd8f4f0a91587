"""Pages of messages that are given again from memory: right after whatever happens to a session.

A page up to a message that is named (at=-1, the last one) is always read from the store, so it says
what the page without a name has to be.
"""
import os
import random
import re
import sys
import threading
import time

from wire import Client, Server, Tap

CONFIG = """agents:
  - {name: test/wait, kind: scripted, script: '[[{"delta": "thinking"}, {"wait": true}]]', default: true}
  - {name: test/external, kind: external}
"""
USERS = "users:\n  - {name: ana, right: admin}\n  - {name: ben, right: run}\n"
STEPS = 250


def metric(c, name):
    text = c.get("//metrics").body.decode()
    return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))


def shown(c, s, query=""):
    page = c.get(f"/sessions/{s}/messages?limit=1000{query}").json
    return page["messages"], page["total"]


def agree(c, s):
    """The page from memory and the page from the store, read until they agree: what was deleted is
    cleared away in the background, so the two may be of different moments. One that is out of date
    stays so."""
    for _ in range(100):
        kept = shown(c, s)
        if not kept[0] or kept == shown(c, s, "&at=-1"):
            return True
        time.sleep(0.02)
    return False


def text_of(message):
    return message["parts"][0].get("text") if message["parts"] else None


def texts(c, s, query=""):
    """Read twice: the second is given from memory."""
    pages = [c.get(f"/sessions/{s}/messages{query}") for _ in range(2)]
    c.tap.check(pages[0].body == pages[1].body, f"the same again: {query or 'all'}")
    c.tap.same(pages[1].headers["content-type"], "application/json", "… and of the same kind")
    return [text_of(m) for m in pages[1].json["messages"]]


def given_again(t, c):
    s = c.new()
    for text in "abcde":
        c.store(s, text)
    before = metric(c, "tine_pages_again_total"), metric(c, "tine_pages_written_total")
    for _ in range(4):
        c.get(f"/sessions/{s}/messages?limit=50")
    after = metric(c, "tine_pages_again_total"), metric(c, "tine_pages_written_total")
    t.same((after[0] - before[0], after[1] - before[1]), (3, 1), "a page is written once and given again")
    t.check(metric(c, "tine_pages_kept") > 0 and metric(c, "tine_pages_kept_bytes") > 0, "it is kept")
    t.same(texts(c, s), list("abcde"), "all")
    t.same(texts(c, s, "?limit=2"), list("ab"), "a limit is another page")
    t.same(texts(c, s, "?from=2&limit=2"), list("cd"), "… a place, too")
    t.same(texts(c, s, "?tail=2"), list("de"), "… the tail")
    t.same(texts(c, s, "?tail=2&all=1"), list("de"), "… the tail of all")
    first = c.get(f"/sessions/{s}/messages?limit=2").json
    t.same(texts(c, s, f"?limit=2&cursor={first['next']}"), list("cd"), "… what a cursor leads to")
    t.same(texts(c, s, f"?limit=3&cursor={first['next']}"), list("cde"), "… with another limit")
    third = first["messages"][1]["id"]
    t.same(texts(c, s, f"?after={third}"), list("cde"), "… what comes after a message")
    t.same(texts(c, s, f"?at={third}"), list("ab"), "up to a message")
    head = c.call("HEAD", f"/sessions/{s}/messages?limit=2", expect=200)
    t.same(head.body, b"", "HEAD has no body")
    c.get(f"/sessions/{s}/messages?tail=1&limit=1", expect=400, what="what is refused stays refused")
    c.get(f"/sessions/{s}/messages?tail=1&limit=1", expect=400)


def after_acts(t, c):
    s = c.new(title="T")
    t.same(texts(c, s), [], "nothing yet")
    ids = {text: c.store(s, text) for text in "abc"}
    t.same(texts(c, s), list("abc"), "after an append")
    c.post(f"/sessions/{s}/rewind", {"after": ids["a"]})
    t.same(texts(c, s), ["a"], "after a rewind")
    c.post(f"/sessions/{s}/undo", {})
    t.same(texts(c, s), list("abc"), "after an undo")
    c.post(f"/sessions/{s}/redo", {})
    t.same(texts(c, s), ["a"], "after a redo")
    c.store(s, "d")
    t.same(texts(c, s), list("ad"), "after another append")
    c.call("PATCH", f"/sessions/{s}", {"title": "U"}, expect=200)
    t.same(texts(c, s), list("ad"), "after a new title")
    c.call("PUT", f"/sessions/{s}/labels/{ids['a']}", {"label": "here"}, expect=200)
    t.same(texts(c, s, "?at=@here"), ["a"], "up to a label")
    t.same(texts(c, s, "?after=@here"), ["d"], "behind a label")
    last = c.get(f"/sessions/{s}/messages").json["messages"][-1]["id"]
    c.call("PUT", f"/sessions/{s}/labels/{last}", {"label": "here"}, expect=200)
    t.same(texts(c, s, "?at=@here"), list("ad"), "… that was moved")
    t.same(texts(c, s, "?after=@here"), [], "… behind it, too")
    f = c.post(f"/sessions/{s}/fork", {"after": ids["a"]}, expect=201).json["session"]["id"]
    t.same((texts(c, f), texts(c, s)), (["a"], list("ad")), "after a fork")
    c.store(f, "f")
    t.same((texts(c, f), texts(c, s)), (list("af"), list("ad")), "each goes its own way")
    c.post(f"/sessions/{s}/adopt", {"from": f})
    t.same(texts(c, s), list("af"), "after an adopt")
    c.call("DELETE", f"/sessions/{s}", expect=204)
    c.get(f"/sessions/{s}/messages", expect=404, code="session_not_found", what="a deleted session has no page")
    t.same(texts(c, f), list("af"), "a fork outlives its source")
    c.post("/sessions", {"id": s}, expect=201)
    t.same(texts(c, s), [], "another session of the same id has its own page")


def erased(t, c):
    """A cursor leads along a path that nobody stands on any more; then its bodies are emptied."""
    s = c.new()
    for text in ("open", "secret one", "secret two"):
        c.store(s, text)
    f = c.post(f"/sessions/{s}/fork", {}, expect=201).json["session"]["id"]
    cursor = c.get(f"/sessions/{f}/messages?limit=1").json["next"]
    c.post(f"/sessions/{f}/rewind", {"after": 0})
    t.same(texts(c, f, f"?cursor={cursor}"), ["secret one", "secret two"], "a cursor stays where it was")
    c.call("DELETE", f"/sessions/{s}?purge=1", expect=204)
    t.same(metric(c, "tine_pages_kept"), 0, "a purge leaves nothing in memory")
    for _ in range(100):
        page = c.get(f"/sessions/{f}/messages?cursor={cursor}").json["messages"]
        if all(m.get("erased") for m in page):
            break
        time.sleep(0.02)
    t.same([(m.get("erased"), m["parts"]) for m in page], [(True, [])] * 2, "what a purge has emptied is not shown")
    t.same(texts(c, f), ["open"], "the rest is")


def running(t, c):
    s = c.new(agent="test/wait")
    c.store(s, "a")
    t.same(texts(c, s), ["a"], "before a turn")
    worker = threading.Thread(target=lambda: c.post(f"/sessions/{s}/messages", {"text": "go"}, expect=None))
    worker.start()
    for _ in range(200):
        if c.get(f"/sessions/{s}").json["turn"]:
            break
        time.sleep(0.02)
    t.same(texts(c, s), ["a", "go"], "while a turn runs")
    c.post(f"/sessions/{s}/cancel", {}, expect=None)
    worker.join()
    t.same(texts(c, s)[:2], ["a", "go"], "after it was cancelled")
    t.check(agree(c, s), "with what it had said")


def owners(t, ana, ben):
    for user, text in ((ana, "of ana"), (ben, "of ben")):
        user.post("/sessions", {"id": "same"}, expect=201)
        user.store("same", text)
    for _ in range(2):
        t.same((texts(ana, "same"), texts(ben, "same")), (["of ana"], ["of ben"]), "each user has a page of one id")
    other = ana.new()
    ana.store(other, "x")
    texts(ana, other)
    ben.get(f"/sessions/{other}/messages", expect=404, code="session_not_found",
            what="a page in memory is for its owner only")
    ana.call("DELETE", "/sessions/same", expect=204)
    ana.get("/sessions/same/messages", expect=404)
    t.same(texts(ben, "same"), ["of ben"], "another user's deletion changes nothing")


def step(c, chance, family):
    s = chance.choice(family)
    act = chance.choice(["store", "store", "store", "fork", "rewind", "undo", "redo", "adopt", "label", "delete"])
    if act == "store":
        c.store(s, f"text {chance.random()}")
    elif act == "fork" and len(family) < 8:
        body = {"after": chance.randrange(3)} if chance.random() < 0.5 else {}
        reply = c.post(f"/sessions/{s}/fork", body, expect=None)
        if reply.status == 201:
            family.append(reply.json["session"]["id"])
    elif act == "rewind":
        c.post(f"/sessions/{s}/rewind", {"before": chance.randrange(4)}, expect=None)
    elif act in ("undo", "redo"):
        c.post(f"/sessions/{s}/{act}", {}, expect=None)
    elif act == "adopt":
        c.post(f"/sessions/{s}/adopt", {"from": chance.choice(family)}, expect=None)
    elif act == "delete" and len(family) > 3:
        family.remove(s)
        c.call("DELETE", f"/sessions/{s}?purge={chance.randrange(2)}", expect=204)


def by_chance(t, c, seed):
    chance = random.Random(seed)
    family = [c.new()]
    c.store(family[0], "root")
    wrong = []
    for i in range(STEPS):
        step(c, chance, family)
        wrong += [(i, s) for s in family if not agree(c, s)]
        if wrong:
            break
    t.check(not wrong, f"{STEPS} acts by chance, seed {seed}: every page is that of the store", wrong)


def main():
    tap = Tap()
    server = Server(CONFIG)
    closed = Server(CONFIG + USERS, [("ana", "ana-token-0123456789abcdef"), ("ben", "ben-token-0123456789abcdef")])
    try:
        c = Client(server, tap)
        given_again(tap, c)
        after_acts(tap, c)
        erased(tap, c)
        running(tap, c)
        owners(tap, *(Client(closed, tap, token=f"{name}-token-0123456789abcdef") for name in ("ana", "ben")))
        by_chance(tap, c, int(os.environ.get("SEED", time.time_ns() % 1000000)))
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

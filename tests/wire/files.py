"""The files of sessions over the API: listed, read, written, moved, merged; and what is refused."""
import os
import re
import shutil
import tempfile
import threading
import time
from urllib.parse import quote

from wire import Stream

HEX = re.compile(r"^[0-9a-f]{64}$")


def put(c, s, path, content, query="", **more):
    more.setdefault("headers", {"Content-Type": "application/octet-stream"})
    if isinstance(content, str):
        content = content.encode()
    return c.call("PUT", f"/sessions/{s}/files/{path}{query}", content, **more)


def read(c, s, path, query="", **more):
    return c.get(f"/sessions/{s}/files/{path}{query}", **more)


def names(c, s, query=""):
    return {f["path"]: f for f in c.get(f"/sessions/{s}/files{query}").json["files"]}


def shell(c, s, command):
    """A turn of the shell agent."""
    reply = c.post(f"/sessions/{s}/messages", {"text": command}).json
    if reply["turn"]["state"] != "done":
        c.tap.check(False, f"the shell ran: {command}", reply)
    return reply["messages"]


def on_disk(directory):
    found = {}
    for base, dirs, files in os.walk(os.fsencode(directory)):
        for name in files:
            path = os.path.join(base, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, os.fsencode(directory)).decode("latin-1")] = file.read()
    return found


# ---- lists, reading, writing

def plain(t, c):
    s = c.new(agent="test/shell")
    t.same(c.get(f"/sessions/{s}/files").json, {"files": [], "tree": None, "left_out": 0}, "a new session has no files")
    t.same(c.get(f"/sessions/{s}").json["workspace"], {"dir": None, "mode": "own"}, "it has a directory of its own")
    r = put(c, s, "a.txt", "one\n", expect=201).json
    t.same((r["file"]["path"], r["file"]["type"], r["file"]["mode"], r["file"]["size"]), ("a.txt", "file", "0644", 4),
           "a file is put")
    t.check(HEX.match(r["tree"]) and HEX.match(r["file"]["hash"]) and r["entry"], "… and recorded", r)
    again = put(c, s, "a.txt", "one\n", expect=200).json
    t.same((again["entry"], again["tree"]), (None, r["tree"]), "the same again records nothing")
    put(c, s, "dir/deep/b.bin", b"\x00\xff", "?mode=0755", expect=201)
    put(c, s, "dir/c.html", "<script>alert(1)</script>", expect=201)
    put(c, s, "empty", "", expect=201, what="an empty file")
    c.store(s, "point", id="p1")
    c.store(s, "next", id="n1")
    put(c, s, "a.txt", "two\n", expect=200)
    t.same(names(c, s)["dir"]["type"], "dir", "a directory is listed")
    t.same(list(names(c, s, "?path=a.txt")), ["a.txt"], "a file is listed by itself")
    c.get(f"/sessions/{s}/files/dir", expect=400, code="path_invalid", what="a directory has no bytes")
    t.same(sorted(names(c, s, "?path=dir")), ["dir/c.html", "dir/deep"], "… what is in it by its whole path")
    deep = c.get(f"/sessions/{s}/files?deep=1").json
    t.same([f["path"] for f in deep["files"]],
           ["a.txt", "dir", "dir/c.html", "dir/deep", "dir/deep/b.bin", "empty"], "… all below it, in order")
    t.same(names(c, s, "?deep=1")["dir/deep/b.bin"]["mode"], "0755", "… with modes")
    seen, cursor = [], ""
    while True:
        page = c.get(f"/sessions/{s}/files?" + (f"limit=2&cursor={cursor}" if cursor else "limit=2&deep=1")).json
        seen += page["files"]
        put(c, s, f"noise{len(seen)}", "x", expect=201)
        if "next" not in page:
            break
        cursor = page["next"]
    t.same(seen, deep["files"], "pages are of the files as they were when the first was read")
    c.get(f"/sessions/{s}/files?cursor={cursor}&path=dir", expect=400, what="a cursor of another directory")
    c.get(f"/sessions/{s}/files?cursor={cursor}&deep=1", expect=400)
    c.get(f"/sessions/{s}/files?cursor=x", expect=400)
    c.get(f"/sessions/{s}/files?at=p1&live=1", expect=400)
    c.get(f"/sessions/{s}/files?path=nothing", expect=404, code="file_not_found")
    c.get(f"/sessions/{s}/files?path=../x", expect=400, code="path_invalid")
    c.get(f"/sessions/{s}/files?path=/etc", expect=400, code="path_invalid")
    c.get(f"/sessions/{s}/files?at=zz", expect=404, code="message_not_found")
    c.get(f"/sessions/none/files", expect=404, code="session_not_found")
    # reading
    r = read(c, s, "a.txt")
    t.same((r.body, r.headers["content-type"]), (b"two\n", "text/plain; charset=utf-8"), "a file is read as it is now")
    t.same(read(c, s, "a.txt", "?at=p1").body, b"one\n", "… and as it was at a message")
    t.same(read(c, s, "a.txt", "?at=p&part=1").body, b"one\n", "… named by a part")
    t.same(read(c, s, "dir/deep/b.bin").headers["content-type"], "application/octet-stream", "what is no text is bytes")
    t.same(read(c, s, "empty").body, b"", "an empty file is empty")
    page = read(c, s, "dir/c.html")
    t.same((page.headers["content-type"], page.headers["content-disposition"], page.headers["x-content-type-options"],
            "sandbox" in page.headers["content-security-policy"]),
           ("text/plain; charset=utf-8", "attachment", "nosniff", True), "a page in a file is no page of the server")
    tag = r.headers["etag"]
    t.same(tag, f'"{names(c, s)["a.txt"]["hash"]}"', "the tag is the hash")
    for given in (tag, f'"x", W/{tag}', "*"):
        none = read(c, s, "a.txt", headers={"If-None-Match": given}, expect=304)
        t.same((none.body, none.headers["etag"]), (b"", tag), f"not read again: {given[:8]}")
    read(c, s, "a.txt", headers={"If-None-Match": '"other"'}, expect=200)
    h = c.call("HEAD", f"/sessions/{s}/files/a.txt", expect=200)
    t.same((h.body, h.headers["content-length"]), (b"", "4"), "HEAD says how large it is")
    read(c, s, "nothing", expect=404, code="file_not_found")
    read(c, s, "a.txt/x", expect=404)
    read(c, s, "dir", expect=400)
    read(c, s, "a.txt", "?at=zz", expect=404, code="message_not_found")
    read(c, s, "a.txt", "?at=@zz", expect=404, code="label_not_found")
    read(c, "none", "a", expect=404, code="session_not_found")
    # writing
    for bad in ("?mode=0", "?mode=888", "?mode=4755", "?mode=x", "?mode=", "?mode=000644"):
        put(c, s, "x", "x", bad, expect=400, code="invalid", what=f"refused: {bad}")
    put(c, s, "x", "x", "?expect_head=p1", expect=409, code="head_moved")
    put(c, s, "dir", "x", expect=400)
    put(c, s, "a.txt/x", "x", expect=400, code="path_invalid", what="a file is no directory")
    put(c, "none", "x", "x", expect=404, code="session_not_found")
    c.call("DELETE", f"/sessions/{s}/files/a.txt?expect_head=p1", expect=409, code="head_moved")
    c.call("DELETE", f"/sessions/{s}/files/a.txt", expect=204)
    read(c, s, "a.txt", expect=404, what="what is deleted is gone")
    t.same(read(c, s, "a.txt", "?at=p1").body, b"one\n", "… but not from the past")
    c.call("DELETE", f"/sessions/{s}/files/a.txt", expect=404, code="file_not_found")
    c.call("DELETE", "/sessions/none/files/a", expect=404, code="session_not_found")
    big = b"x" * 5_000_000
    put(c, s, "big", big, expect=201)
    t.check(read(c, s, "big").body == big, "a large file comes back")
    # ambiguous names of messages
    c.store(s, "q", id="p2")
    c.get(f"/sessions/{s}/files?at=p&part=1", expect=409, code="ambiguous")
    read(c, s, "a.txt", "?at=p&part=1", expect=409, code="ambiguous")
    return s


def escapes(t, c, server):
    """Nothing outside of the directory is ever reached, and no such path is taken for another route."""
    s = c.new(agent="test/shell")
    put(c, s, "in", "inside", expect=201)
    outside = os.path.join(server.home, "tine.yaml")
    for path in ("..", "../x", "in/../../x", "%2e%2e/x", "%2E%2e", "a/%2e%2e/b", ".", "a/./b", "/etc/passwd", "%2Fetc%2Fpasswd",
                 "a%2Fb", "..%2f..%2fetc", "a%00b", "..%5c..%5cetc", "%5cetc", "a//b", "a/", "../messages", "../../none",
                 "%2e%2e/fork", "a/.git/config", ".git/config", "x" * 256, "/".join(["d" * 200] * 20)):
        for method in ("GET", "PUT", "DELETE"):
            c.call(method, f"/sessions/{s}/files/{path}", b"x" if method == "PUT" else None, expect=400,
                   what=f"refused: {method} {path[:40]}")
    for path in ("../x", "/etc", "a/../b", "a\0b", ".."):
        c.post(f"/sessions/{s}/restore", {"path": path, "at": 0}, expect=400)
    for path in ("..%2Fx", "%2Fetc", "%2e%2e", "a%00"):
        c.post(f"/sessions/{s}/restore", {"path_bytes": path, "at": 0}, expect=400, code="path_invalid")
    # what an agent plants
    outer = tempfile.mkdtemp(prefix="tine-outer-")
    with open(os.path.join(outer, "secret"), "w") as file:
        file.write("secret")
    shell(c, s, f"ln -s {outer} x; ln -s {outer}/secret y; mkfifo pipe; ln -s /etc/passwd pw; mkdir real; echo r >real/r")
    listed = names(c, s)
    t.same((listed["x"]["type"], listed["x"]["target"], listed["y"]["type"]), ("link", outer, "link"), "links are kept as links")
    t.same((listed["pipe"]["type"], listed["pipe"]["reason"]), ("left_out", "special"), "a FIFO is left out, and told")
    t.same(c.get(f"/sessions/{s}/files").json["left_out"], 1, "… and counted")
    t.same(read(c, s, "y").body, f"{outer}/secret".encode(), "a link is read as where it leads")
    read(c, s, "pipe", expect=404, what="a FIFO has no content")
    read(c, s, "x/secret", expect=400, code="path_invalid", what="nothing is read through a link")
    c.get(f"/sessions/{s}/files?path=x", expect=400, what="nothing is listed through a link")
    put(c, s, "x/new", "x", expect=400, code="path_invalid", what="nothing is written through a link")
    put(c, s, "x/secret", "x", expect=400, code="path_invalid")
    c.call("DELETE", f"/sessions/{s}/files/x/secret", expect=400, code="path_invalid", what="nothing is deleted through a link")
    put(c, s, "y", "mine", expect=200, what="a link is replaced, not followed")
    with open(os.path.join(outer, "secret")) as file:
        t.same(file.read(), "secret", "what is outside is as it was")
    t.same(os.listdir(outer), ["secret"], "… and nothing new is there")
    # a directory that becomes a link
    point = c.store(s, "before")
    shell(c, s, f"rm -r real; ln -s {outer} real")
    c.post(f"/sessions/{s}/rewind", {"after": point})
    t.same((read(c, s, "real/r").body, os.listdir(outer)), (b"r\n", ["secret"]), "a rewind takes the link away, and follows it nowhere")
    c.post(f"/sessions/{s}/undo")
    t.same((names(c, s)["real"]["type"], os.listdir(outer)), ("link", ["secret"]), "… and undo likewise")
    shutil.rmtree(outer)
    t.check(os.path.exists(outside), "the home is as it was")


def odd_names(t, c):
    s = c.new(agent="test/shell")
    raw = b"caf\xe9\xff"
    put(c, s, quote("a\nb"), "newline", expect=201)
    put(c, s, quote(raw), "latin", expect=201)
    put(c, s, quote("back\\slash"), "b", expect=201)
    put(c, s, quote("ünï 🎄/%25 ?#&+"), "odd", expect=201)
    listed = names(c, s, "?deep=1")
    t.check("a\nb" in listed and "path_bytes" not in listed["a\nb"], "a name with a newline is text", list(listed))
    t.same(listed["caf\\xE9\\xFF"]["path_bytes"], "caf%E9%FF", "a name that is no UTF-8 has its exact bytes beside it")
    for path, content in ((quote("a\nb"), b"newline"), (quote(raw), b"latin"), ("back%5Cslash", b"b"),
                          (quote("ünï 🎄/%25 ?#&+"), b"odd")):
        t.same(read(c, s, path).body, content, f"read back: {path}")
    point = c.store(s, "here")
    c.store(s, "next")
    c.call("DELETE", f"/sessions/{s}/files/{quote(raw)}", expect=204)
    r = c.post(f"/sessions/{s}/restore", {"path_bytes": quote(raw), "at": point}).json
    t.same(r["files"]["restored"], ["caf\\xE9\\xFF"], "a name that is no UTF-8 is brought back")
    t.same(read(c, s, quote(raw)).body, b"latin", "… with its content")
    t.same(sorted(names(c, s, f"?path={quote('ünï 🎄')}")), ["ünï 🎄/%25 ?#&+"], "a directory with an odd name is listed")
    c.get(f"/sessions/{s}/files?path=%ff", expect=404, code="file_not_found")


# ---- conversation and files

def moving(t, c):
    s = c.new(agent="test/shell", title="Moving")
    one = shell(c, s, "echo one >f; echo gone >g; chmod 755 f; mkdir d; echo x >d/x")
    t.check(HEX.match(one[-1]["files"] or ""), "a message has its files", one[-1])
    two = shell(c, s, "echo two >f; rm g; echo new >h; ln -s f l")
    t.check(two[-1]["files"] != one[-1]["files"], "… and the next one its own")
    t.same(c.get(f"/sessions/{s}/files?at={one[-1]['id']}").json["tree"], one[-1]["files"], "a listing names the same tree")
    dry = c.post(f"/sessions/{s}/rewind", {"after": one[-1]["id"], "dry_run": True}).json
    t.same((sorted(dry["files"]["restored"]), sorted(dry["files"]["deleted"]), dry["files"]["conflicts"]),
           (["f", "g"], ["h", "l"], []), "a dry rewind says what would happen to files")
    t.same(read(c, s, "f").body, b"two\n", "… and does nothing")
    r = c.post(f"/sessions/{s}/rewind", {"after": one[-1]["id"]}).json
    t.same((sorted(r["files"]["restored"]), sorted(r["files"]["deleted"])), (["f", "g"], ["h", "l"]), "a rewind moves files")
    t.same((read(c, s, "f").body, read(c, s, "g").body), (b"one\n", b"gone\n"), "… they are as they were")
    read(c, s, "h", expect=404)
    c.post(f"/sessions/{s}/undo")
    t.same((read(c, s, "f").body, sorted(names(c, s))), (b"two\n", ["d", "f", "h", "l"]), "undo brings both back")
    c.post(f"/sessions/{s}/redo")
    t.same(read(c, s, "f").body, b"one\n", "redo goes again")
    c.post(f"/sessions/{s}/undo")
    count = c.get(f"/sessions/{s}").json["messages"]
    c.post(f"/sessions/{s}/rewind", {"after": one[-1]["id"], "scope": "files"})
    t.same((read(c, s, "f").body, c.get(f"/sessions/{s}").json["messages"]), (b"one\n", count), "the files alone")
    c.post(f"/sessions/{s}/undo")
    t.same((read(c, s, "f").body, c.get(f"/sessions/{s}").json["messages"]), (b"two\n", count), "… and back")
    c.post(f"/sessions/{s}/rewind", {"after": one[-1]["id"], "scope": "conversation"})
    t.same((read(c, s, "f").body, c.get(f"/sessions/{s}").json["messages"]), (b"two\n", len(one)), "the conversation alone")
    c.post(f"/sessions/{s}/undo")
    # one path back
    key = {"Idempotency-Key": "back"}
    r = c.post(f"/sessions/{s}/restore", {"path": "g", "at": one[-1]["id"]}, headers=key).json
    t.same((r["files"]["restored"], read(c, s, "g").body), (["g"], b"gone\n"), "one file is brought back")
    c.call("DELETE", f"/sessions/{s}/files/g", expect=204)
    again = c.post(f"/sessions/{s}/restore", {"path": "g", "at": one[-1]["id"]}, headers=key)
    t.same((again.json, again.headers.get("idempotent-replay")), (r, "true"), "… once for a key")
    read(c, s, "g", expect=404)
    c.post(f"/sessions/{s}/restore", {"path": "d", "at": len(one) - 1}, what="a directory, at a place")
    for body in ({}, {"path": "g"}, {"at": 0}, {"path": "g", "path_bytes": "g", "at": 0}, {"path": "g", "at": 1.5},
                 {"path": "g", "at": ""}, {"path": 1, "at": 0}):
        c.post(f"/sessions/{s}/restore", body, expect=400, code="invalid")
    c.post(f"/sessions/{s}/restore", {"path": "nothing", "at": 0}, expect=404, code="file_not_found")
    c.post(f"/sessions/{s}/restore", {"path": "g", "at": "zz"}, expect=404, code="message_not_found")
    c.post("/sessions/none/restore", {"path": "g", "at": 0}, expect=404, code="session_not_found")
    # forks
    f = c.post(f"/sessions/{s}/fork", {"after": one[-1]["id"]}, expect=201).json["session"]["id"]
    t.same((read(c, f, "f").body, c.get(f"/sessions/{f}").json["workspace"]["mode"]), (b"one\n", "own"), "a fork has the files of its point")
    put(c, f, "f", "fork\n", expect=200)
    t.same(read(c, s, "f").body, b"two\n", "… of its own")
    l = c.post(f"/sessions/{s}/fork", {"after": one[-1]["id"], "files": "live"}, expect=201).json["session"]["id"]
    t.same(read(c, l, "f").body, b"two\n", "a fork with the files as they are now")
    n = c.post(f"/sessions/{s}/fork", {"files": "none"}, expect=201).json["session"]["id"]
    t.same(c.get(f"/sessions/{n}/files").json["files"], [], "a fork without files")
    dry = c.post(f"/sessions/{s}/fork", {"after": one[-1]["id"], "dry_run": True}, expect=200).json
    t.check("g" in dry["files"]["restored"], "a dry fork says how its files would differ", dry["files"])
    tree = {x["id"]: x["files_changed"] for x in c.get(f"/sessions/{s}/tree").json["sessions"]}
    t.check(tree[f] == 1 and tree[l] > 0, "the tree counts changed files", tree)
    # adopt
    c.store(f, "won")
    dry = c.post(f"/sessions/{s}/adopt", {"from": f, "dry_run": True}).json
    t.check("f" in dry["files"]["restored"] and read(c, s, "f").body == b"two\n", "a dry adopt says what would happen to files", dry["files"])
    c.post(f"/sessions/{s}/adopt", {"from": f})
    t.same(read(c, s, "f").body, b"fork\n", "adopt takes over the files, too")
    c.post(f"/sessions/{s}/undo")
    t.same(read(c, s, "f").body, b"two\n", "… undone as one")
    c.post(f"/sessions/{s}/adopt", {"from": f, "scope": "files"})
    t.same((read(c, s, "f").body, c.get(f"/sessions/{s}").json["messages"]), (b"fork\n", count), "adopt of the files alone")


def merging(t, c):
    s = c.new(agent="test/shell")
    lines = "".join(f"line {i}\n" for i in range(20))
    put(c, s, "text", lines, expect=201)
    put(c, s, "both", "base\n", expect=201)
    c.store(s, "base", id="base")
    f = c.post(f"/sessions/{s}/fork", {}, expect=201).json["session"]["id"]
    c.post(f"/sessions/{s}/merge", {"from": f}, expect=409, code="nothing_to_merge")
    put(c, s, "text", lines.replace("line 2\n", "ours 2\n"), expect=200)
    put(c, f, "text", lines.replace("line 17\n", "theirs 17\n"), expect=200)
    put(c, f, "theirs", "new\n", expect=201)
    dry = c.post(f"/sessions/{s}/merge", {"from": f, "dry_run": True}).json
    t.same((dry["merge"]["id"], dry["merge"]["message"], sorted(dry["files"]["restored"]), dry["conflicts"]),
           (None, None, ["text", "theirs"], []), "a dry merge says what would come")
    head = c.get(f"/sessions/{s}").json["head"]
    c.post(f"/sessions/{s}/merge", {"from": f, "expect_head": "base"}, expect=409, code="head_moved")
    stream = Stream(c, f"/sessions/{s}/events?types=session.merged,files.changed,message.added")
    key = {"Idempotency-Key": "merge"}
    m = c.post(f"/sessions/{s}/merge", {"from": f, "expect_head": head}, headers=key)
    t.same(c.post(f"/sessions/{s}/merge", {"from": f, "expect_head": head}, headers=key).body, m.body, "a merge once for a key")
    m = m.json
    t.same((m["merge"]["from"], m["merge"]["message"]["role"], m["conflicts"]), (f, "system", []), "a merge, told by a message")
    t.check(m["merge"]["base"], "… and since when", m["merge"])
    t.same((read(c, s, "text").body.decode(), read(c, s, "theirs").body),
           (lines.replace("line 2\n", "ours 2\n").replace("line 17\n", "theirs 17\n"), b"new\n"), "both changes are there")
    kinds = [stream.event()[1], stream.event()[1]]
    stream.close()
    t.check("session.merged" in kinds, "those who listen are told of it", kinds)
    d = c.get(f"/sessions/{s}/diff?with={f}").json["files"]
    t.same([(x["path"], x["status"], x["additions"], x["deletions"], x["binary"]) for x in d], [("text", "modified", 1, 1, False)],
           "what still differs")
    t.check("-ours 2" in d[0]["patch"] and "+line 2" in d[0]["patch"], "… with a patch", d)
    t.check("patch" not in c.get(f"/sessions/{s}/diff?with={f}&patch=0").json["files"][0], "… or without")
    c.get(f"/sessions/{s}/diff?with={f}&patch=2", expect=400)
    c.post(f"/sessions/{s}/undo")
    read(c, s, "theirs", expect=404, what="undo takes a merge back")
    c.post(f"/sessions/{s}/redo")
    t.same(read(c, s, "theirs").body, b"new\n", "… and redo brings it again")
    # both changed the same
    put(c, s, "both", "ours\n", expect=200)
    put(c, f, "both", "theirs\n", expect=200)
    r = c.post(f"/sessions/{s}/merge", {"from": f}, expect=409, code="files_conflict").json
    t.same(r["conflicts"], [{"path": "both", "reason": "text"}], "a conflict names the file and the reason")
    t.same(read(c, s, "both").body, b"ours\n", "… and nothing has changed")
    r = c.post(f"/sessions/{s}/merge", {"from": f, "force": True}).json
    t.same(read(c, s, "both").body, b"theirs\n", "with force, theirs wins")
    other = c.new(agent="test/shell")
    c.post(f"/sessions/{s}/merge", {"from": other}, expect=400, code="not_family")
    c.post(f"/sessions/{s}/merge", {"from": "none"}, expect=404, code="session_not_found")
    c.post("/sessions/none/merge", {"from": s}, expect=404)
    for body in ({}, {"from": 1}, {"from": f, "scope": "files"}):
        c.post(f"/sessions/{s}/merge", body, expect=400, code="invalid")
    # other kinds of difference
    g = c.post(f"/sessions/{s}/fork", {}, expect=201).json["session"]["id"]
    shell(c, g, "chmod 600 text; rm theirs; printf '\\000\\001' >bin; rm both; ln -s text both; mkdir hollow; printf 'caf\\351\\n' >latin")
    d = {x["path"]: x for x in c.get(f"/sessions/{s}/diff?with={g}").json["files"]}
    t.same({k: v["status"] for k, v in d.items()},
           {"text": "mode", "theirs": "deleted", "bin": "added", "both": "type", "hollow": "added", "latin": "added"},
           "every kind of difference")
    t.check(d["bin"]["binary"] and "patch" not in d["bin"], "what is no text has no patch", d["bin"])
    t.check("%E9" in d["latin"].get("patch_bytes", ""), "a patch that is no UTF-8 has its bytes", d["latin"])


# ---- directories

def attached(t, c):
    """Two sessions in one directory: neither destroys the other's work without a word."""
    shared = tempfile.mkdtemp(prefix="tine-shared-")
    with open(os.path.join(shared, "user.txt"), "w") as file:
        file.write("by hand\n")
    a = c.new(agent="test/shell", workspace={"mode": "attached", "dir": shared})
    t.same(c.get(f"/sessions/{c.new(workspace={'mode': 'attached', 'dir': shared + '/.'})}").json["workspace"]["dir"], shared,
           "a directory has one name")
    b = c.new(agent="test/shell")
    r = c.call("PUT", f"/sessions/{b}/workspace", {"mode": "attached", "dir": shared}, expect=200).json
    t.same(r["workspace"], {"dir": shared, "mode": "attached"}, "a session is attached to a directory")
    t.same(c.get(f"/sessions/{a}/workspace").json, {"dir": shared, "mode": "attached"}, "… and says so")
    point = c.store(a, "begin")
    shell(c, a, "echo a >of_a; echo a >shared.txt")
    shell(c, b, "echo b >of_b; echo b >>shared.txt; rm user.txt")
    before = on_disk(shared)
    dry = c.post(f"/sessions/{a}/rewind", {"after": point, "dry_run": True}).json
    t.check("shared.txt" in dry["files"]["conflicts"] and "of_b" in dry["files"]["conflicts"], "a dry rewind lists conflicts", dry["files"])
    r = c.post(f"/sessions/{a}/rewind", {"after": point}, expect=409, code="files_conflict").json
    conflicts = {x["path"]: x["reason"] for x in r["conflicts"]}
    t.same({k: conflicts.get(k) for k in ("shared.txt", "of_b", "user.txt")},
           {"shared.txt": "foreign", "of_b": "foreign", "user.txt": "foreign"}, "a rewind is refused with what the other changed")
    t.check("of_a" not in conflicts, "… and not with its own", conflicts)
    t.same(on_disk(shared), before, "nothing is destroyed")
    t.same(c.get(f"/sessions/{a}").json["messages"] > 1, True, "… and the conversation has not moved")
    r = c.post(f"/sessions/{a}/rewind", {"after": point, "force": True}).json
    t.same((on_disk(shared), "shared.txt" in r["files"]["deleted"]), ({"user.txt": b"by hand\n"}, True), "force writes over it")
    c.post(f"/sessions/{a}/undo", {"force": True})
    t.same(on_disk(shared), before, "… and undo brings back what was written over")
    # by hand
    with open(os.path.join(shared, "of_a"), "w") as file:
        file.write("edited by hand\n")
    c.post(f"/sessions/{a}/rewind", {"after": point}, expect=409, code="files_conflict")
    with open(os.path.join(shared, "of_a")) as file:
        t.same(file.read(), "edited by hand\n", "what was edited by hand is not lost")
    t.same(read(c, a, "of_a").body, b"edited by hand\n", "what was edited by hand is read")
    listed = names(c, b, "?live=1")
    t.check("of_a" in listed, "a live list looks at the directory", list(listed))
    # a runtime elsewhere: its words bring its files
    x = c.new(agent="test/outside", workspace={"mode": "attached", "dir": shared})
    with open(os.path.join(shared, "work"), "w") as file:
        file.write("1")
    c.store(x, "do it")
    with open(os.path.join(shared, "work"), "w") as file:
        file.write("22")
    c.post(f"/sessions/{x}/messages", {"text": "did it", "role": "assistant"}, expect=201)
    entries = c.get(f"/sessions/{x}/messages?all=1").json["messages"]
    t.same([(m.get("kind"), m.get("foreign")) for m in entries],
           [("files", True), (None, None), ("files", False), (None, None)], "messages of a foreign runtime record the files")
    t.check(entries[1]["files"] != entries[3]["files"] and entries[3]["files"] == entries[2]["files"], "… each its own")
    again = c.post(f"/sessions/{x}/messages", {"text": "again", "id": "same", "run": False}, expect=201).json
    with open(os.path.join(shared, "work"), "w") as file:
        file.write("333")
    again = c.post(f"/sessions/{x}/messages", {"text": "again", "id": "same", "run": False}, expect=201).json
    t.same(again["repeated"], True, "a message that is sent again is the same, whatever happened to the files")
    # what may be attached
    home = c.server.home
    for body, status in (({"mode": "attached", "dir": "relative"}, 400), ({"mode": "attached", "dir": shared + "/nothing"}, 400),
                         ({"mode": "attached", "dir": os.path.join(shared, "of_a")}, 400), ({"mode": "attached", "dir": home}, 400),
                         ({"mode": "attached"}, 400), ({"mode": "own", "dir": shared}, 400), ({"mode": "theirs"}, 400), ({}, 400),
                         ({"mode": "own", "x": 1}, 400)):
        c.call("PUT", f"/sessions/{b}/workspace", body, expect=status, code="invalid", what=f"refused: {body}")
        if body:
            c.post("/sessions", {"workspace": body}, expect=status)
    c.call("PUT", "/sessions/none/workspace", {"mode": "own"}, expect=404, code="session_not_found")
    c.get("/sessions/none/workspace", expect=404)
    files = on_disk(shared)
    c.call("PUT", f"/sessions/{b}/workspace", {"mode": "own"}, expect=200)
    own = c.get(f"/sessions/{b}/workspace").json
    t.same((own["mode"], on_disk(own["dir"])), ("own", {k: v for k, v in files.items()}), "a directory of its own again, with the same files")
    t.same(on_disk(shared), files, "… and the other is as it was")
    c.call("PUT", f"/sessions/{b}/workspace", {"mode": "none"}, expect=200)
    put(c, b, "x", "x", expect=409, code="workspace_none")
    c.call("DELETE", f"/sessions/{b}/files/x", expect=409, code="workspace_none")
    # a directory that goes away
    moved = shared + "-moved"
    os.rename(shared, moved)
    put(c, a, "x", "x", expect=409, code="workspace_blocked", what="a directory that is gone blocks its session")
    read(c, a, "of_a", expect=409, code="workspace_blocked")
    c.get(f"/sessions/{a}/files?live=1", expect=409, code="workspace_blocked")
    t.check("of_a" in names(c, a), "… what is recorded is still there")
    c.call("PUT", f"/sessions/{a}/workspace", {"mode": "own"}, expect=200)
    t.check("of_a" in names(c, a, "?live=1"), "… and can be had in a directory of its own")
    own = c.get(f"/sessions/{a}/workspace").json["dir"]
    c.call("DELETE", f"/sessions/{a}", expect=204)
    t.check(not os.path.exists(own), "the directory of a session goes with it")
    shutil.rmtree(moved)


def busy(t, c):
    """While a turn works in the directory."""
    w = c.new(agent="test/wait")
    thread = threading.Thread(target=lambda: c.post(f"/sessions/{w}/messages", {"text": "go"}))
    thread.start()
    while not (c.get(f"/sessions/{w}").json["turn"] or {}).get("state") == "running":
        time.sleep(0.02)
    put(c, w, "x", "x", expect=409, code="turn_running", what="no file is put while a turn runs")
    c.call("DELETE", f"/sessions/{w}/files/x", expect=409, code="turn_running")
    c.call("PUT", f"/sessions/{w}/workspace", {"mode": "none"}, expect=409, code="turn_running")
    c.post(f"/sessions/{w}/restore", {"path": "x", "at": 0}, expect=409, code="turn_running")
    c.get(f"/sessions/{w}/files?live=1", what="the files can be listed")
    c.post(f"/sessions/{w}/cancel")
    thread.join()


def left_out(t, c):
    s = c.new(agent="test/shell")
    said = shell(c, s, "truncate -s 70M huge; echo x >small")
    t.check(any(m.get("left_out") for m in said), "a message says that something was left out", said)
    listed = names(c, s)
    t.same((listed["huge"]["type"], listed["huge"]["reason"]), ("left_out", "size"), "… and the list what and why")
    read(c, s, "huge", expect=404)


def told(t, c):
    """Those who listen are told of files."""
    s = c.new(agent="test/shell")
    stream = Stream(c, f"/sessions/{s}/events?since=0")
    r = put(c, s, "a", "1", expect=201).json
    e = stream.until("files.changed")[-1]
    t.same((e[2]["change"], e[2]["files"]), ("files", {"id": r["entry"], "tree": r["tree"], "foreign": False}),
           "an event tells that files were recorded")
    events = [e]
    threading.Thread(target=lambda: shell(c, s, "echo 2 >a")).start()
    events += stream.until("turn.ended")
    stream.close()
    bring = [x for x in events if x[1] == "message.added" and x[2].get("change") == "files"]
    t.check(len(bring) == 1 and bring[0][2]["message"]["files"] != r["tree"], "… and of a message that brings files", events)
    for event in events:
        if event[1] != "message.delta":
            wrong = c.document.of_schema(event[2], "Event")
            t.check(not wrong, f"{event[1]} is as the document says", *wrong, event)


def rights(t, ana, ben, guest):
    shared = tempfile.mkdtemp(prefix="tine-rights-")
    mine = ben.new(agent="test/echo")
    ben.call("PUT", f"/sessions/{mine}/workspace", {"mode": "attached", "dir": shared}, expect=403, code="forbidden",
             what="only the operator attaches a directory")
    ben.post("/sessions", {"workspace": {"mode": "attached", "dir": shared}}, expect=403, code="forbidden")
    t.same(ben.get(f"/sessions/{mine}/workspace").json, {"dir": None, "mode": "own"}, "… and is told where one is")
    put(ben, mine, "f", "ben", expect=201)
    theirs = ana.new(agent="test/echo", workspace={"mode": "attached", "dir": shared})
    put(ana, theirs, "f", "ana", expect=201)
    for method, path, body in (("GET", "/files", None), ("GET", "/files/f", None), ("PUT", "/files/f", b"x"),
                               ("DELETE", "/files/f", None), ("POST", "/merge", {"from": mine}),
                               ("POST", "/restore", {"path": "f", "at": 0}), ("GET", "/workspace", None),
                               ("PUT", "/workspace", {"mode": "none"})):
        ben.call(method, f"/sessions/{theirs}{path}", body, expect=404, code="session_not_found",
                 what=f"another user's files do not exist: {method} {path}")
    ben.call("POST", f"/sessions/{mine}/merge", {"from": theirs}, expect=404)
    s = guest.get("/sessions").json["sessions"]
    t.same(s, [], "a guest has nothing")
    guest.get("/sessions/none/files?live=1", expect=403, code="forbidden", what="who may only read records nothing")
    shutil.rmtree(shared)


def files(t, c, server):
    plain(t, c)
    escapes(t, c, server)
    odd_names(t, c)
    moving(t, c)
    merging(t, c)
    attached(t, c)
    busy(t, c)
    left_out(t, c)
    told(t, c)

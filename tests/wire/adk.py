"""Random conversations through kagent's calls, against a plain model that works on copied lists.

The model has ADK's rules for the log (what a marker does, which state it brings) and the rules of
docs/wires.md for tasks. After every step the session that was touched is compared: the whole log
with its data byte for byte, the effective events, the state that folding comes to, and the tasks.

    adk.py [SEQUENCES [FIRST_SEED [STEPS]]]

A sequence that fails prints its seed: adk.py 1 SEED runs it alone.
"""
import copy
import json
import os
import random
import sys

from wire import Client, Server, Tap

AGENT = "kagent__NS__random_agent"
BASE = "/kagent/api"


# ---- ADK, as it is described: on lists

def shared(key):
    return key.startswith(("app:", "user:"))


def effective_of(log):
    """Which events are left, by ADK's reading of the log from its end."""
    out, i = [], len(log) - 1
    while i >= 0:
        target = log[i]["rewind"]
        if target:
            first = next((j for j in range(i) if log[j]["inv"] == target), None)
            i = (i if first is None else first) - 1
        else:
            out.insert(0, log[i])
            i -= 1
    return out


def fold(log):
    """The state of a session that replays the log: null is a value."""
    state = {}
    for event in log:
        for key, value in event["delta"].items():
            if not key.startswith("temp:"):
                state[key] = value
    return state


def marker_delta(log, first):
    """What a rewind to before the event at `first` puts back."""
    at = {}
    for event in log[:first]:
        for key, value in event["delta"].items():
            if shared(key) or key.startswith("temp:"):
                continue
            if value is None:
                at.pop(key, None)
            else:
                at[key] = value
    now = fold(log)
    delta = {k: v for k, v in at.items() if now.get(k) != v}
    delta.update({k: None for k in now if not shared(k) and k not in at})
    return delta


# ---- the model of a session

class Act:
    """Something that happened: an event, a marker, a move, or a message of a task."""
    count = 0

    def __init__(self, kind, session, turn="", **more):
        Act.count += 1
        self.number = Act.count
        self.kind, self.session, self.turn = kind, session, turn
        self.__dict__.update(more)


class Session:
    def __init__(self, name, parent=None, keep=None):
        self.name = name
        self.acts = parent.acts[:keep] if parent else []
        self.paths = parent.paths[:keep + 1] if parent else [[]]
        self.undo, self.redo = [], []
        self.records = copy.deepcopy(parent.records) if parent else {}
        for versions in self.records.values():
            for version in versions:
                version["own"] = False
        self.tasks_saved = parent.tasks_saved if parent else False
        self.events_posted = parent.events_posted if parent else False
        self.forked = parent is not None
        self.cut_clock = Clock.now if parent else -1

    @property
    def path(self):
        return self.paths[-1]

    def add(self, act):
        self.acts.append(act)
        self.paths.append(self.path + [act])

    def move(self, kind, keep, name):
        """Goes to where the path was after `keep` acts."""
        self.acts.append(Act("move", self.name, inv="e-" + name, id=name, keep=keep, delta={},
                             how=kind))
        self.paths.append(self.paths[keep])
        self.cut_clock = Clock.tick()

    def first(self, turn):
        return next((i for i, act in enumerate(self.acts) if act.turn == turn), None)

    def has(self, turn):
        return self.first(turn) is not None

    def on_path(self, turn):
        first = self.first(turn)
        return first is not None and self.acts[first] in self.path

    # the log that ADK is given

    def log(self):
        """The events with a marker for each move, and whether markers can say it all."""
        log, exact = [], True
        for i, act in enumerate(self.acts):
            if act.kind in ("event", "marker"):
                log.append({"inv": act.turn, "rewind": act.rewind, "delta": act.delta,
                            "data": act.data, "act": act})
            elif act.kind == "move":
                keep = act.keep
                if keep and self.acts[keep - 1].kind == "marker":
                    keep -= 1
                gone = [e for e in log if self.acts.index(e["act"]) >= keep]
                if not gone:
                    continue
                first = log.index(gone[0])
                inv = gone[0]["inv"]
                before = self.acts[i - 1] if i else None
                if before and before.kind == "marker" and before.session == act.session and \
                        [e["act"] for e in effective_of(log)] == \
                        [a for a in self.paths[i + 1] if a.kind == "event"] and \
                        first_of(log, before.rewind) is not None:
                    continue  # the runtime said it itself
                if not inv or first_of(log, inv) != first:
                    exact = False
                    continue
                log.append({"inv": act.inv, "rewind": inv, "delta": marker_delta(log, first),
                            "data": None, "act": act})
        events = [a for a in self.path if a.kind == "event"]
        if [e["act"] for e in effective_of(log)] != events:
            exact = False
        return log, exact

    def events(self):
        return [a for a in self.path if a.kind == "event"]

    # tasks

    def save(self, doc, kind, turn):
        if turn and self.has(turn):
            place = self.acts[self.first(turn)]
        else:
            place = self.path[-1] if self.path else None
        version = {"kind": kind, "turn": turn, "place": place.number if place else 0,
                   "doc": copy.deepcopy(doc), "clock": Clock.tick(), "own": True}
        versions = self.records.setdefault(doc["id"], [])
        if versions and versions[-1]["own"] and versions[-1]["place"] == version["place"]:
            version["order"] = versions[-1]["order"]
            versions[-1] = version
        else:
            version["order"] = Clock.now
            versions.append(version)

    def records_seen(self):
        """(record id, last version on the path), in the order of the first ones."""
        where = {act.number: i for i, act in enumerate(self.path)}
        found = []
        for name, versions in self.records.items():
            seen = [v for v in versions if v["place"] == 0 or v["place"] in where]
            if seen:
                place = where.get(seen[0]["place"], -1)
                found.append((place, seen[0]["order"], name, seen[-1]))
        return [(name, version) for _, _, name, version in sorted(found, key=lambda f: f[:2])]

    def cut(self):
        """How many acts of the path stand before the newest cut; None: there was none."""
        moves = [i for i, a in enumerate(self.acts) if a.kind == "move" and a.session == self.name]
        if not moves and not self.forked:
            return None
        since = set(a.number for a in self.acts[moves[-1] if moves else 0:]
                    if a.session == self.name)
        cut = len(self.path)
        while cut and self.path[cut - 1].number in since:
            cut -= 1
        return cut

    def tasks(self):
        """Each task as (id, [(place, message id, invocation)])."""
        turns, begun = {}, set()  # where turns begin that begin on the path
        where = {act.number: i for i, act in enumerate(self.path)}
        for act in self.acts:
            if act.turn and act.turn not in begun:
                begun.add(act.turn)
                if act.number in where:
                    turns[act.turn] = where[act.number]
        numbers = {act.number: i for i, act in enumerate(self.path)}
        cut = self.cut() or 0
        tasks = []
        for name, version in self.records_seen():
            early = version["kind"] == "early"
            if version["kind"] == "gone" or (early and version["clock"] < self.cut_clock):
                continue
            doc = version["doc"]
            if version["turn"] in turns:
                place = turns[version["turn"]]
            else:
                place = numbers.get(version["place"], -1) + 1
                if early:
                    place = max(place, cut)
            messages = []
            for message, inv in invocations_shown(doc, version["turn"]):
                if early:
                    messages.append((place, message["messageId"], inv))
                elif inv in turns:
                    messages.append((turns[inv], message["messageId"], inv))
            if doc.get("history") and not messages:
                continue
            own = version["own"]
            tasks.append((place, len(tasks), name if own else f"{self.name}~{name}", messages))
        self.add_turns(tasks)
        return [(place, name, messages) for place, _, name, messages in sorted(tasks)]

    def add_turns(self, tasks):
        """What was shown by its events, or came with a task that is not here, is a turn's."""
        saved = [name for name, _ in self.records_seen()]
        turns = {}
        for i, act in enumerate(self.path):
            if (act.kind == "event" and act.shown) or \
                    (act.kind == "message" and act.task not in saved):
                if act.turn not in turns:
                    turns[act.turn] = []
                    tasks.append((i, len(tasks), f"{self.name}~{act.turn}", turns[act.turn]))
                turns[act.turn].append((i, act.id, act.turn))


def first_of(log, inv):
    return next((i for i, e in enumerate(log) if e["inv"] and e["inv"] == inv), None)


class Clock:
    now = 0

    @classmethod
    def tick(cls):
        cls.now += 1
        return cls.now


# ---- whose message is it

def named(thing):
    metadata = (thing or {}).get("metadata") or {}
    return metadata.get("adk_invocation_id") or metadata.get("kagent_invocation_id") or ""


def invocations_shown(doc, turn):
    """As the list of tasks tells it: from the document alone."""
    own = named(doc) or turn
    out, following = [], named(doc["status"].get("message"))
    for message in reversed(doc.get("history") or []):
        inv = named(message)
        if inv:
            following = inv
        elif message["role"] == "user" and following:
            inv = following
        else:
            inv = own
        out.insert(0, (message, inv))
    return out


def with_names(doc, found):
    """The document with the invocations that were found."""
    doc = copy.deepcopy(doc)
    for message in doc["history"]:
        if not named(message) and message["messageId"] in found:
            message["metadata"] = {"kagent_invocation_id": found[message["messageId"]]}
    return doc


FINAL = ("completed", "failed", "canceled", "rejected")


def invocations_kept(session, doc):
    """As a save tells it: [(message, invocation or "", is an entry already)], each id once."""
    rows, seen = [], set()
    for message in doc.get("history") or []:
        if message["messageId"] in seen:
            continue
        seen.add(message["messageId"])
        entry = next((a for a in session.acts if a.kind == "message" and
                      a.id == message["messageId"]), None)
        rows.append([message, entry.turn if entry else named(message), entry is not None])
    following = named(doc["status"].get("message"))
    for row in reversed(rows):
        if row[1]:
            following = row[1]
        elif row[0]["role"] == "user":
            row[1] = following
    before = ""
    for row in rows:
        if not row[1] and row[0]["role"] != "user":
            row[1] = before
        before = row[1]
    final = doc["status"]["state"] in FINAL
    rest = named(doc) or ("task:" + doc["id"] if final else "")
    if rest and (final or rest not in [r[1] for r in rows]):
        for row in rows:
            row[1] = row[1] or rest
    return rows


# ---- what a client does, on both sides

class Pair:
    """The server and the model, side by side."""

    def __init__(self, client, rng, tag):
        self.client, self.rng, self.tag = client, rng, tag
        self.sessions = {}
        self.counter = self.looks = 0
        self.steps = []

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}.{self.tag}"

    def call(self, method, path, body=None, expect=200):
        reply = self.client.send(method, path, body)
        if reply.status != expect:
            raise Wrong(f"{method} {path} {json.dumps(body)[:400]}: {reply.status}, not {expect}: "
                        f"{reply.body[:400]}")
        return reply.json if reply.body else None

    def create(self):
        name = self.fresh("s")
        self.steps.append(f"create {name}")
        self.call("POST", f"{BASE}/sessions", {"id": name, "agent_ref": AGENT}, 201)
        self.sessions[name] = Session(name)
        return name

    def event(self, name, inv, author="agent", delta=None, rewind=None, text=None):
        session = self.sessions[name]
        rng = self.rng
        event_id = self.fresh("e")
        event = {"id": event_id, "invocation_id": inv, "author": author, "timestamp": 1.5,
                 "actions": {"state_delta": delta or {}, "artifact_delta": {},
                             "rewind_before_invocation_id": rewind}}
        if text:
            event["content"] = {"parts": [{"text": text, "thought": None}], "role": "user"}
        data = json.dumps(event, ensure_ascii=rng.random() < 0.5,
                          separators=rng.choice([(",", ":"), (", ", ": ")]))
        self.steps.append(f"event {name} {event_id} {inv} {json.dumps(delta)} {rewind or ''}")
        self.post_event(name, event_id, data)
        kind = "marker" if rewind else "event"
        act = Act(kind, name, turn=inv, id=event_id, data=data, delta=dict(delta or {}),
                  rewind=rewind, shown=bool(text) and not session.tasks_saved)
        pending = self.pending(session, inv) if kind == "event" else None
        session.events_posted = True
        target = session.first(rewind) if rewind else None
        if rewind and target is None:
            moves = [i for i, a in enumerate(session.acts)
                     if a.kind == "move" and a.inv == rewind]
            target = moves[0] if moves else None
        session.add(act)
        if rewind and target is not None:
            number = len(session.acts)
            session.move("rewind", target, "?")
            session.undo.append(number)
            session.redo = []
        for message in pending[0] if pending else []:
            session.add(Act("message", name, turn=inv, id=message["messageId"],
                            task=pending[1]["id"]))
        if pending:
            session.save(pending[1], "task", pending[2])
        if rng.random() < 0.1:  # the same again changes nothing
            self.post_event(name, event_id, data)

    def post_event(self, name, event_id, data):
        self.call("POST", f"{BASE}/sessions/{name}/events", {"id": event_id, "data": data}, 201)

    def pending(self, session, inv):
        """What an event of a new invocation brings along: messages, and a task to be saved."""
        if not session.tasks_saved or not inv or inv == "header_update" or session.has(inv):
            return None
        records = [v for _, v in session.records_seen() if v["kind"] in ("task", "early")]
        if not records:
            return None
        newest = max(records, key=lambda v: v["clock"])
        doc = newest["doc"]
        if (newest["clock"] < session.cut_clock or doc["status"]["state"] in FINAL or
                doc["contextId"] != session.name):
            return None
        messages = [m for m, of, stored in invocations_kept(session, doc)
                    if not stored and (of or inv) == inv]
        if not messages:
            return None
        ours = [m["messageId"] for m in messages]
        found = {m["messageId"]: of or inv for m, of, _ in invocations_kept(session, doc)
                 if of or m["messageId"] in ours}
        turn = inv if newest["kind"] == "early" else newest["turn"]
        return messages, with_names(doc, found), turn

    def save(self, name, doc):
        session = self.sessions[name]
        self.steps.append(f"save {name} {doc['id']} {doc['status']['state']} " +
                          ",".join(f"{m['messageId']}={named(m)}" for m in doc["history"]) +
                          f" {named(doc)}")
        self.call("POST", f"{BASE}/tasks", doc, 201)
        session.tasks_saved = True
        final = doc["status"]["state"] in FINAL
        rows = invocations_kept(session, doc)
        for message, inv, stored in rows:
            if stored or not inv:
                continue
            if session.has(inv):
                due = session.on_path(inv) and not any(
                    a.kind == "event" and a.turn == inv and a.shown and a.session == name
                    for a in session.acts)
            else:
                due = final or not session.events_posted
            if due:
                session.add(Act("message", name, turn=inv, id=message["messageId"],
                                task=doc["id"]))
        turn = next((inv for _, inv, _ in rows if inv and session.has(inv)), "")
        if not turn and named(doc) and session.has(named(doc)):
            turn = named(doc)
        named_doc = with_names(doc, {m["messageId"]: inv for m, inv, _ in rows if inv})
        session.save(named_doc, "task" if turn or final else "early", turn)

    def rewind(self, name, inv):
        session = self.sessions[name]
        self.steps.append(f"rewind {name} {inv}")
        target = session.first(inv)
        if target is None:
            target = next((i for i, a in enumerate(session.acts)
                           if a.kind == "move" and a.inv == inv), None)
        path = f"{BASE}/sessions/{name}/rewind"
        body = {"rewind_before_invocation_id": inv}
        if target is None or inv == "header_update":
            self.call("POST", path, body, 400)
            return
        reply = self.call("POST", path, body)["data"]
        number = len(session.acts)
        session.move("rewind", target, reply["invocation_id"][2:])
        session.undo.append(number)
        session.redo = []

    def back(self, name, which):
        """Undo or redo, through the native API."""
        session = self.sessions[name]
        ours, theirs = (session.undo, session.redo) if which == "undo" else \
            (session.redo, session.undo)
        if not ours:
            return
        self.steps.append(f"{which} {name}")
        reply = self.call("POST", f"/api/v1/sessions/{name}/{which}", {})
        keep = ours.pop()
        number = len(session.acts)
        session.move(which, keep, reply["rewind"]["id"])
        theirs.append(number)

    def fork(self, name, inv):
        session = self.sessions[name]
        body = {} if inv is None else {"rewind_before_invocation_id": inv}
        keep = len(session.acts)
        if inv is not None:
            found = session.first(inv)
            if found is None:
                found = next((i for i, a in enumerate(session.acts)
                              if a.kind == "move" and a.inv == inv), None)
            keep = len(session.acts) if found is None else found
        reply = self.call("POST", f"{BASE}/sessions/{name}/fork", body, 201)["data"]
        self.steps.append(f"fork {name} {inv} -> {reply['id']}")
        Clock.tick()
        self.sessions[reply["id"]] = Session(reply["id"], session, keep)
        return reply["id"]

    # comparing

    def look(self, name, whole_look=False):
        """Compares the session; all of it now and then, and at the end."""
        session = self.sessions[name]
        self.looks += 1
        whole_look = whole_look or self.looks % 4 == 0
        log, exact = session.log()
        whole = self.rows(name, "log")
        events = self.rows(name, "effective")
        self.same([r["data"] for r in events], [a.data for a in session.events()],
                  f"the effective events of {name}")
        if exact:
            self.same_log(session, log, whole)
            state = fold(log)
        else:
            self.same([r["data"] for r in whole][:len(events)], [r["data"] for r in events],
                      f"{name}: what markers cannot say is given as effective events")
            state = None
        folded = fold([{"delta": json.loads(r["data"])["actions"]["state_delta"]} for r in whole])
        if state is not None:
            self.same(folded, state, f"the state of {name}")
        self.same_tasks(session, whole_look)
        if not whole_look:
            return
        kept = self.call("GET", f"/api/v1/sessions/{name}")["state"]
        folded = {k: v for k, v in folded.items() if v is not None}
        if any(a.kind == "move" and a.how != "rewind" for a in session.acts):
            kept = {k: v for k, v in kept.items() if not shared(k)}  # undo moves all state
            folded = {k: v for k, v in folded.items() if not shared(k)}
        self.same(folded, kept, f"the state of {name} in the native API")
        auto = self.call("GET", f"{BASE}/sessions/{name}")["data"]["events"]
        self.same(auto, list(reversed(whole)), f"{name} without a view, newest first")
        times = [r["created_at"][:-1].ljust(29, "0") for r in whole]
        if sorted(set(times)) != times:
            raise Wrong(f"the times of {name} do not only grow: {times}")

    def rows(self, name, view):
        reply = self.call("GET", f"{BASE}/sessions/{name}?order=asc&limit=-1&view={view}")
        return reply["data"]["events"]

    def same(self, left, right, what):
        if left != right:
            raise Wrong(f"{what}\nserver: {json.dumps(left)}\nmodel:  {json.dumps(right)}")

    def same_log(self, session, log, rows):
        self.same(len(rows), len(log), f"the length of the log of {session.name}")
        for row, event in zip(rows, log):
            act = event["act"]
            if act.kind != "move":
                self.same(row["data"], act.data, f"an event of {session.name}")
            else:
                data = json.loads(row["data"])
                self.same(set(data), {"id", "invocation_id", "author", "timestamp", "actions"},
                          "the members of a marker")
                self.same([data["id"], data["invocation_id"], data["actions"]],
                          [act.id, act.inv, {"state_delta": event["delta"], "artifact_delta": {},
                                             "rewind_before_invocation_id": event["rewind"]}],
                          f"a marker of {session.name}")
            own = act.session == session.name
            self.same(row["id"], act.id if own else f"{session.name}~{act.id}", "the id of a row")

    def same_tasks(self, session, whole_look):
        tasks = session.tasks()
        cut = session.cut()
        turns = [(name, [m[1:] for m in messages]) for _, name, messages in tasks]
        if whole_look:
            self.same(self.tasks(session.name, "?view=turns"), to_lists(turns),
                      f"the tasks of {session.name}, one for each turn")
        if cut is not None:
            seen, merged = set(), []
            for _, _, messages in tasks:
                for place, message, inv in messages:
                    if place < cut and message not in seen:
                        seen.add(message)
                        merged.append((message, inv))
            moved = any(a.kind == "move" and a.session == session.name for a in session.acts)
            first = session.name if moved else session.name + "~fork"
            turns = [(first, merged)]
            for place, name, messages in tasks:
                rest = [m[1:] for m in messages if m[0] >= cut]
                if rest or (not messages and place >= cut):
                    turns.append((name, rest))
        self.same(self.tasks(session.name, ""), to_lists(turns), f"the tasks of {session.name}")

    def tasks(self, name, query):
        out = []
        for task in self.call("GET", f"{BASE}/sessions/{name}/tasks{query}")["data"]:
            self.same(task["contextId"], name, "the context of a task")
            out.append([task["id"], [[m["messageId"],
                                      (m.get("metadata") or {}).get("kagent_invocation_id", "")]
                                     for m in task.get("history", [])]])
        return out


def to_lists(tasks):
    return [[name, [list(m) for m in messages]] for name, messages in tasks]


class Wrong(Exception):
    pass


# ---- runtimes, as they behave

VALUES = [1, 1.0, 0, True, False, None, "x", "é\"\\", [1, 2], [2, 1], {"a": 1, "b": [None]},
          {"b": [None], "a": 1.0}, 10**20, 1e20, -0.0, ""]
KEYS = ["k", "j", "long key", "app:a", "user:u", "temp:t", "z"]


class Runtime:
    """One run of an agent in a session, as a list of steps that others may come between."""

    def __init__(self, pair, session):
        self.pair, self.session, self.rng = pair, session, pair.rng
        self.inv = pair.fresh("e-inv")
        self.spelling = pair.rng.choice(["kagent_invocation_id", "adk_invocation_id"])
        self.doc = None
        self.posted = set()  # no runtime tells of an invocation before its first event
        self.steps = self.plan()

    def delta(self):
        rng = self.rng
        return {k: rng.choice(VALUES) for k in rng.sample(KEYS, rng.choice([0, 0, 1, 2, 3]))}

    def message(self, role, inv=None):
        message = {"kind": "message", "messageId": self.pair.fresh("m"), "role": role,
                   "parts": [{"kind": "text", "text": role}], "contextId": None, "metadata": None}
        if inv:
            message["metadata"] = {self.spelling: inv}
        return message

    def task(self):
        if not self.doc:
            self.doc = {"id": self.pair.fresh("t"), "contextId": self.session, "kind": "task",
                        "status": {"state": "submitted"}, "history": [self.message("user")],
                        "artifacts": None, "metadata": None}
            if self.rng.random() < 0.2:  # a2a-sdk has what the user said twice
                self.doc["history"].append(copy.deepcopy(self.doc["history"][0]))
        return self.doc

    def save(self, state=None, named_=False):
        doc = self.task()
        if state:
            doc["status"]["state"] = state
        if named_:
            doc["metadata"] = {self.spelling: self.inv}
        self.pair.save(self.session, doc)

    def say(self):
        """The agent speaks: its word is the status first, and part of the history later."""
        doc = self.task()
        said = self.message("agent", self.inv if self.rng.random() < 0.9 else None)
        if doc["status"].get("message"):
            doc["history"].append(doc["status"].pop("message"))
        if self.rng.random() < 0.5:
            doc["status"]["message"] = said
        else:
            doc["history"].append(said)
        self.save("working", named_=True)

    def event(self, author):
        self.pair.event(self.session, self.inv, author, self.delta(),
                        text="words" if self.rng.random() < 0.5 else None)
        self.posted.add(self.inv)

    def headers(self):
        self.pair.event(self.session, "header_update", "system", {"headers": {"n": self.inv}})

    def plan(self):
        rng = self.rng
        tasks = rng.random() < 0.7 or self.pair.sessions[self.session].tasks_saved
        steps = []
        if tasks:
            steps.append(lambda: self.save("submitted"))
        if rng.random() < 0.7:
            steps.append(self.headers)
        if tasks and rng.random() < 0.15:  # it never comes to an event
            steps.append(lambda: self.save("failed"))
            return steps
        steps.append(lambda: self.event("user"))
        for _ in range(rng.choice([0, 1, 1, 2])):
            steps.append(lambda: self.event("agent"))
            if tasks:
                steps.append(self.say)
        if tasks:
            end = rng.choice(["completed", "completed", "input-required", "working"])
            steps.append(lambda: self.save(end, named_=True))
            if end == "input-required":
                steps += [self.answer, lambda: self.event("user"), self.say,
                          lambda: self.save("completed", named_=True)]
        return steps

    def answer(self):
        """The user allows something: the task goes on in another invocation."""
        doc = self.task()
        if doc["status"].get("message"):
            doc["history"].append(doc["status"].pop("message"))
        doc["history"].append(self.message("user"))
        self.save("working")
        self.inv = self.pair.fresh("e-inv")


def some_invocation(rng, session):
    names = sorted({a.turn for a in session.acts if a.turn} |
                   {a.inv for a in session.acts if a.kind == "move" and a.id != "?"})
    return rng.choice(names) if names else None


def meddle(pair, runs):
    """Something that is not a runtime going on."""
    rng = pair.rng
    name = rng.choice(sorted(pair.sessions))
    session = pair.sessions[name]
    inv = some_invocation(rng, session)
    what = rng.random()
    if what < 0.35 and inv:
        pair.rewind(name, inv)
    elif what < 0.42:
        pair.rewind(name, rng.choice(["nowhere", "header_update"]))
    elif what < 0.55 and len(pair.sessions) < 6:
        name = pair.fork(name, rng.choice([inv, inv, inv, None, "nowhere"])
                         if inv != "header_update" else None)
    elif what < 0.68 and inv and inv != "header_update":  # a runtime rewinds by itself
        log, exact = session.log()
        first = first_of(log, inv)
        if exact and first is not None:
            pair.event(name, pair.fresh("e-mark"), "user", marker_delta(log, first), rewind=inv)
    elif what < 0.72:
        pair.event(name, pair.fresh("e-mark"), "user", {}, rewind="nowhere")
    elif what < 0.8:
        pair.back(name, "undo")
    elif what < 0.84:
        pair.back(name, "redo")
    elif what < 0.92 and inv and not inv.startswith("task:"):  # a late event
        moves = [a.inv for a in session.acts if a.kind == "move"]
        if inv not in moves:
            pair.event(name, inv, "agent", {"late": rng.choice(VALUES)})
    else:  # a late save
        late = [r for r in runs if r.doc and r.session == name and r.inv in r.posted]
        if late:
            run = rng.choice(late)
            run.say()
    return name


def sequence(client, seed, steps):
    pair = Pair(client, random.Random(seed), f"{seed}")
    rng = pair.rng
    runs = []
    pair.create()
    try:
        for _ in range(steps):
            going = [r for r in runs if r.steps]
            if going and rng.random() < 0.65:
                run = rng.choice(going)
                run.steps.pop(0)()
                touched = run.session
            elif rng.random() < 0.5 or not runs:
                if rng.random() < 0.15 and len(pair.sessions) < 6:
                    pair.create()
                touched = rng.choice(sorted(pair.sessions))
                if not any(r.session == touched for r in going):  # one at a time in a session
                    runs.append(Runtime(pair, touched))
            else:
                touched = meddle(pair, runs)
            pair.look(touched)
        for name in pair.sessions:
            pair.look(name, True)
    except Wrong as wrong:
        return f"{wrong}\n" + "\n".join(pair.steps)
    return None


def main():
    arguments = [int(a) for a in sys.argv[1:]]
    count = arguments[0] if arguments else int(os.environ.get("ADK_SEQUENCES", "200"))
    first = arguments[1] if len(arguments) > 1 else int(os.environ.get("ADK_SEED", "1"))
    steps = arguments[2] if len(arguments) > 2 else int(os.environ.get("ADK_STEPS", "30"))
    tap = Tap()
    server = Server("sandbox: off\n")
    failed = []
    try:
        client = Client(server, tap)
        for seed in range(first, first + count):
            wrong = sequence(client, seed, steps)
            if wrong:
                failed.append(seed)
                tap.check(False, f"seed {seed}", wrong)
                if len(failed) == 3:
                    break
    finally:
        status = server.stop()
        server.clear()
    tap.check(not failed, f"{count} random conversations are as the model says")
    tap.same(status, 0, "the server stops with success")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

-- tine, SQLite store. An address is (s, n): the n-th act of session s. Times are microseconds.

-- What the store says of itself: 'store' its own id, 'floor' the highest act number ever removed.
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES('store', lower(hex(randomblob(16)))), ('floor', 0);

CREATE TABLE owner(o INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Bytes named by their hash and shared: metadata and limits of sessions, trees of files.
CREATE TABLE object(
  o INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,
  kind INT NOT NULL,                   -- 1: JSON of a session, 2: a workspace tree
  size INT NOT NULL, born_us INT NOT NULL, data BLOB);

CREATE TABLE session(
  s            INTEGER PRIMARY KEY AUTOINCREMENT,     -- never used again
  fam          INT NOT NULL,           -- s of the root of the family
  owner        INT NOT NULL REFERENCES owner(o),
  id           TEXT NOT NULL,
  state        INT NOT NULL,           -- 0 live, 1 deleted but stood upon, 2 sub-session
  base_s       INT, base_n INT,        -- the act after which it begins; NULL: nothing; never (x, 0)
  base_v       INT NOT NULL,           -- record versions of base_s that it sees
  depth        INT NOT NULL,           -- in the tree of bases
  jump         INT NOT NULL,           -- skew-binary jump pointer in that tree
  parent_s     INT REFERENCES session(s) ON DELETE SET NULL,  -- what was forked; may differ from base_s
  parent_id    TEXT, parent_title TEXT, parent_msg TEXT, parent_side INT,
  agent        TEXT NOT NULL, title TEXT NOT NULL,
  title_base   TEXT NOT NULL, title_n INT NOT NULL,           -- "T (fork 7)": "T", 7; "T": "T", 0
  archived     INT NOT NULL,
  created_us   INT NOT NULL,
  touched_us   INT NOT NULL,           -- at most 5 s older than the newest act
  metadata     INT REFERENCES object(o), limits INT REFERENCES object(o),
  FOREIGN KEY(base_s, base_n) REFERENCES entry(s, n)          -- nobody cuts the ground under a fork
);
CREATE UNIQUE INDEX session_name ON session(owner, id) WHERE state <> 1;
CREATE INDEX session_base ON session(base_s, base_n, base_v) WHERE base_s IS NOT NULL;
CREATE INDEX session_parent ON session(parent_s) WHERE parent_s IS NOT NULL;
CREATE INDEX session_children ON session(parent_s, s) WHERE state = 0;
CREATE INDEX session_family ON session(fam);
CREATE INDEX session_list ON session(owner, touched_us, s) WHERE state = 0;
CREATE INDEX session_title ON session(owner, title_base, title_n) WHERE state = 0;
CREATE INDEX session_loose ON session(s) WHERE state = 2;
CREATE INDEX session_metadata ON session(metadata) WHERE metadata IS NOT NULL;
CREATE INDEX session_limits ON session(limits) WHERE limits IS NOT NULL;

-- A run of consecutive acts of one session; begins with its first act or with a move.
CREATE TABLE line(
  s INT NOT NULL, n0 INT NOT NULL,
  os INT, on_ INT, on0 INT,            -- origin (never a move), and the first act of the origin's line
  bs INT, bn INT,                      -- last entry on the path that this session did not write
  depth INT NOT NULL, js INT NOT NULL, jn0 INT NOT NULL, jdepth INT NOT NULL,
  vis0 INT NOT NULL, usr0 INT NOT NULL, flat0 INT NOT NULL, flatu0 INT NOT NULL,  -- facts at the origin
  PRIMARY KEY(s, n0),
  FOREIGN KEY(os, on_) REFERENCES entry(s, n)
) WITHOUT ROWID;
CREATE INDEX line_origin ON line(os, on_) WHERE os IS NOT NULL;

-- An act. What it is, what it brought and its prefix facts are in `head` (act_head.h says how):
-- reading a history takes two columns of a row and no other table.
CREATE TABLE entry(
  e     INTEGER PRIMARY KEY,           -- number of the act in the store, from one counter with note.e
  s     INT NOT NULL REFERENCES session(s), n INT NOT NULL,
  kind  INT NOT NULL,                  -- enum entry_kind
  seen  INT NOT NULL,                  -- 1: a message of the visible list
  n0    INT NOT NULL,                  -- first act of its line
  tree  INT REFERENCES object(o),      -- the workspace so far, as in head
  head  BLOB NOT NULL,
  salt  BLOB,                          -- of the content hash; NULL: erased
  chash BLOB,                          -- content hash, kept when the body was erased
  spans BLOB,                          -- which parts of the body are searched
  body  BLOB,                          -- last, so that the rest is read without it; NULL: erased
  UNIQUE(s, n)
);
CREATE INDEX entry_tree ON entry(tree) WHERE tree IS NOT NULL;

-- Acts by the id that tine drew, and by the id that a client chose.
CREATE TABLE drawn(id BLOB PRIMARY KEY, s INT NOT NULL, n INT NOT NULL) WITHOUT ROWID;
CREATE TABLE client(fam INT NOT NULL, id TEXT NOT NULL, s INT NOT NULL, n INT NOT NULL,
  PRIMARY KEY(fam, id, s)) WITHOUT ROWID;

-- Rewind, undo, redo, adopt: beside the entry of kind move.
CREATE TABLE move(
  s INT NOT NULL, n INT NOT NULL, act INT NOT NULL, scope INT NOT NULL,
  to_s INT, to_n INT,                  -- where it moved; NULL: before everything
  unext INT NOT NULL, rnext INT NOT NULL,   -- next below on the undo and the redo stack
  utop INT NOT NULL, rtop INT NOT NULL,     -- tops of both stacks after it
  PRIMARY KEY(s, n)) WITHOUT ROWID;

-- Changes of state: the delta, the change before it, now and then the whole.
CREATE TABLE state(
  s INT NOT NULL, n INT NOT NULL, ps INT, pn INT,
  hops INT NOT NULL, since INT NOT NULL, whole_size INT NOT NULL,  -- since the last whole one
  delta BLOB NOT NULL, whole BLOB,
  PRIMARY KEY(s, n)) WITHOUT ROWID;

-- Where a turn begins in a session: its first act there, whose number is the turn's in the facts.
CREATE TABLE turn(
  fam INT NOT NULL, name TEXT NOT NULL, s INT NOT NULL, n INT NOT NULL, e INT NOT NULL,
  PRIMARY KEY(name, fam, s)) WITHOUT ROWID;      -- names that tine draws come in order: one page

-- Things that are saved again and again; no place in the tree, but a place where they count.
CREATE TABLE record(
  r INTEGER PRIMARY KEY, s INT NOT NULL, v INT NOT NULL, kind INT NOT NULL,
  rec TEXT NOT NULL, turn TEXT, ps INT, pn INT, at_us INT NOT NULL, body BLOB,
  UNIQUE(s, v));
CREATE INDEX record_id ON record(s, rec, v);

CREATE TABLE note(
  e INTEGER PRIMARY KEY, owner INT NOT NULL, s INT NOT NULL, act INT NOT NULL, at_us INT NOT NULL,
  msg TEXT, was TEXT, now TEXT);
CREATE INDEX note_session ON note(s, e);

-- A reference that keeps (s, n) alive.
CREATE TABLE pin(
  s INT NOT NULL, n INT NOT NULL, by_s INT NOT NULL, by_n INT NOT NULL,
  PRIMARY KEY(s, n, by_s, by_n),
  FOREIGN KEY(s, n) REFERENCES entry(s, n)) WITHOUT ROWID;
CREATE INDEX pin_by ON pin(by_s, by_n);

CREATE TABLE label(
  in_s INT NOT NULL, s INT NOT NULL, n INT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(in_s, s, n)) WITHOUT ROWID;
CREATE UNIQUE INDEX label_text ON label(in_s, text);
CREATE INDEX label_place ON label(s, n);

-- Sessions of which something may have to go.
CREATE TABLE reap(
  s INTEGER PRIMARY KEY,
  purge INT NOT NULL);                 -- 1: no word of what goes may be left; 2: it was purged itself

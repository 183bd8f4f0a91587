-- What a server needs beside the tree: turns that are being run, answers that are given again, who
-- may come in, agents, and what is asked about the sessions of all owners.

-- The newest turn that tine ran in a session.
CREATE TABLE run(
  s          INTEGER PRIMARY KEY REFERENCES session(s),
  turn       TEXT NOT NULL,            -- its name
  state      INT NOT NULL,             -- enum run_state
  reason     TEXT,                     -- why it failed
  holder     TEXT NOT NULL,            -- who runs it
  started_us INT NOT NULL,
  ended_us   INT,                      -- NULL: it is active
  draft      BLOB);                    -- what it has said of a message that is not settled yet
CREATE INDEX run_active ON run(s) WHERE ended_us IS NULL;

-- Requests that are carried out once: the key that a client chose, and the answer.
CREATE TABLE once(
  owner INT NOT NULL, key TEXT NOT NULL,
  request BLOB NOT NULL,               -- hash of the request
  at_us INT NOT NULL, answer BLOB NOT NULL,
  PRIMARY KEY(owner, key)) WITHOUT ROWID;
CREATE INDEX once_age ON once(at_us);

-- What a user shows to come in: never the token itself, but its hash.
CREATE TABLE token(
  hash BLOB PRIMARY KEY, owner INT NOT NULL REFERENCES owner(o),
  label TEXT NOT NULL, created_us INT NOT NULL) WITHOUT ROWID;
CREATE INDEX token_owner ON token(owner, created_us);

-- Agents that were defined over the API.
CREATE TABLE agent(name TEXT PRIMARY KEY NOT NULL, body BLOB NOT NULL, at_us INT NOT NULL);

-- 'owners': the highest number of an owner ever removed; 'notes': that of a note. Neither comes back.
INSERT INTO meta VALUES('owners', 0), ('notes', (SELECT value FROM meta WHERE key = 'floor'));

-- Sessions of whomever.
CREATE INDEX session_id ON session(id) WHERE state <> 1;
CREATE INDEX session_recent ON session(touched_us, s) WHERE state = 0;

-- Deletions by the id of what was deleted.
CREATE INDEX note_deleted ON note(now, e) WHERE act = 9;

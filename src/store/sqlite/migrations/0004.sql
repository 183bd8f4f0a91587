-- Files: where a session works, which acts changed its files, and what is about to happen to them.

-- enum workspace_mode; `dir` of one that is attached.
ALTER TABLE session ADD COLUMN mode INT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN dir TEXT;

-- Acts of a session that left other files than the act before them, moves included.
CREATE TABLE files(
  s INT NOT NULL, n INT NOT NULL,
  was INT, now INT,                    -- trees; NULL: none
  foreign_ INT NOT NULL,               -- 1: somebody else did it
  PRIMARY KEY(s, n)) WITHOUT ROWID;

-- Which place of another session an act merged.
CREATE TABLE merge(
  s INT NOT NULL, n INT NOT NULL, ref_s INT NOT NULL, ref_n INT NOT NULL,
  PRIMARY KEY(s, n)) WITHOUT ROWID;

-- A directory that is being changed, and how that is finished.
CREATE TABLE intent(
  i INTEGER PRIMARY KEY AUTOINCREMENT, s INT NOT NULL UNIQUE REFERENCES session(s),
  dir TEXT NOT NULL, dev INT NOT NULL, ino INT NOT NULL,
  was BLOB NOT NULL, now BLOB NOT NULL,      -- hashes of trees
  body BLOB NOT NULL, at_us INT NOT NULL);

-- Objects that were named again after they were born: gc leaves them as if they were younger.
CREATE TABLE touch(o INTEGER PRIMARY KEY REFERENCES object(o) ON DELETE CASCADE, at_us INT NOT NULL);

-- 'gc': when the last one began.
INSERT INTO meta VALUES('gc', 0);

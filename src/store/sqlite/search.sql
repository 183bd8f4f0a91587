-- The queries of search.db, the index beside the main file.

-- name: begin
BEGIN IMMEDIATE

-- name: commit
COMMIT

-- name: rollback
ROLLBACK

-- name: mark
SELECT store, e, act FROM mark

-- name: mark_set
UPDATE mark SET e = ?1, act = ?2

-- name: doc_known
SELECT 1 FROM doc WHERE e = ?1

-- name: doc_insert
INSERT INTO doc(e) VALUES(?1)

-- name: doc_delete
DELETE FROM doc WHERE e = ?1

-- name: skip_insert
-- An act above the mark that will be gone: it must not be indexed any more.
INSERT OR IGNORE INTO skip(e) SELECT ?1 WHERE ?1 > (SELECT e FROM mark)

-- name: skip_known
SELECT 1 FROM skip WHERE e = ?1

-- name: skip_any
SELECT 1 FROM skip LIMIT 1

-- name: skip_delete
DELETE FROM skip WHERE e <= ?1

-- name: doc_count
SELECT count(*) FROM doc

-- name: text_insert
INSERT INTO text(rowid, body, who) VALUES(?1, ?2, ?3)

-- name: text_delete
INSERT INTO text(text, rowid, body, who) VALUES('delete', ?1, ?2, ?3)

-- name: text_optimize
INSERT INTO text(text) VALUES('optimize')

-- name: title_optimize
INSERT INTO title(title) VALUES('optimize')

-- name: text_match
SELECT rowid FROM text WHERE text MATCH ?1 ORDER BY rowid DESC

-- name: text_down
-- Those at or before a number, newest first.
SELECT rowid FROM text WHERE text MATCH ?1 AND rowid <= ?2 ORDER BY rowid DESC

-- name: text_up
-- Those at or behind a number, oldest first.
SELECT rowid FROM text WHERE text MATCH ?1 AND rowid >= ?2 ORDER BY rowid

-- name: title_delete
DELETE FROM title WHERE rowid = ?1

-- name: title_insert
INSERT INTO title(rowid, body, who) VALUES(?1, ?2, ?3)

-- name: title_match
SELECT rowid FROM title WHERE title MATCH ?1 ORDER BY rowid DESC

-- name: page_begin
-- The texts of a page are there until its end, and never written down.
BEGIN

-- name: page_insert
INSERT INTO page(rowid, body) VALUES(?1, ?2)

-- name: page_match
SELECT rowid, snippet(page, 0, char(2), char(3), '…', 24) FROM page WHERE page MATCH ?1

-- Every query of the store. All are prepared when a connection opens.

-- name: number_newest
SELECT max((SELECT coalesce(max(e), 0) FROM entry), (SELECT coalesce(max(e), 0) FROM note),
           (SELECT value FROM meta WHERE key = 'floor'))

-- name: read_begin
BEGIN

-- name: read_end
COMMIT

-- ---- owners ----

-- name: owner_named
SELECT o FROM owner WHERE name = ?1

-- name: owner_known
SELECT 1 FROM owner WHERE o = ?1

-- name: owner_insert
-- A number that was somebody's is not given to another.
INSERT INTO owner(o, name)
VALUES(1 + max(coalesce((SELECT max(o) FROM owner), 0), (SELECT value FROM meta WHERE key = 'owners')), ?1)

-- name: owner_list
SELECT o.o, o.name, (SELECT count(*) FROM token WHERE owner = o.o),
       (SELECT count(*) FROM session WHERE owner = o.o AND state = 0),
       (SELECT min(created_us) FROM token WHERE owner = o.o)
FROM owner o ORDER BY o.name

-- name: owner_needed
-- Deleted sessions count, too, as long as something stands on them.
SELECT 1 FROM session WHERE owner = ?1 LIMIT 1

-- name: owner_floor
UPDATE meta SET value = max(value, ?1) WHERE key = 'owners'

-- name: owner_delete
DELETE FROM owner WHERE o = ?1

-- name: token_at
SELECT t.hash, t.owner, o.name, (SELECT count(*) FROM token WHERE owner = t.owner),
       (SELECT min(created_us) FROM token WHERE owner = t.owner)
FROM token t JOIN owner o ON o.o = t.owner WHERE t.hash = ?1

-- name: token_insert
INSERT INTO token(hash, owner, label, created_us) VALUES(?1, ?2, ?3, ?4)

-- name: token_delete
DELETE FROM token WHERE owner = ?1

-- ---- objects ----

-- name: object_standing
-- Its number, and whether it was born or touched after gc last began.
SELECT o, max(born_us, coalesce((SELECT at_us FROM touch t WHERE t.o = x.o), 0)) >
          (SELECT value FROM meta WHERE key = 'gc')
FROM object x WHERE hash = ?1

-- name: object_touch
INSERT INTO touch(o, at_us) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET at_us = excluded.at_us

-- name: object_insert
INSERT INTO object(hash, kind, size, born_us, data) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: object_hash
SELECT hash FROM object WHERE o = ?1

-- name: object_at
SELECT hash, kind, size, data FROM object WHERE o = ?1

-- name: object_find
SELECT hash, kind, size, data FROM object WHERE hash = ?1

-- name: object_below
-- What a directory or a list of pieces names.
SELECT o, kind, size FROM object WHERE hash = ?1

-- name: object_scan
SELECT o, hash, kind, size, data FROM object

-- name: tree_named
SELECT o FROM object WHERE hash = ?1 AND kind = 2

-- name: gc_began
SELECT value FROM meta WHERE key = 'gc'

-- name: gc_begin
-- No two begin at the same time, whatever the clock says.
UPDATE meta SET value = max(value + 1, ?1) WHERE key = 'gc'

-- name: sweep_trees
-- All that names a tree.
SELECT tree FROM entry WHERE tree IS NOT NULL
UNION SELECT was FROM files WHERE was IS NOT NULL
UNION SELECT now FROM files WHERE now IS NOT NULL
UNION SELECT o FROM object WHERE hash IN (SELECT was FROM intent UNION SELECT now FROM intent)

-- name: sweep_json
SELECT metadata FROM session WHERE metadata IS NOT NULL
UNION SELECT limits FROM session WHERE limits IS NOT NULL
UNION SELECT settings FROM session WHERE settings IS NOT NULL

-- name: sweep_old
SELECT o FROM object x
WHERE born_us <= ?1 AND NOT EXISTS (SELECT 1 FROM touch t WHERE t.o = x.o AND t.at_us > ?1)

-- name: sweep_size
-- The bytes of an object that is still as old as that.
SELECT length(data) FROM object x
WHERE o = ?1 AND born_us <= ?2 AND NOT EXISTS (SELECT 1 FROM touch t WHERE t.o = x.o AND t.at_us > ?2)

-- name: sweep_delete
DELETE FROM object WHERE o = ?1

-- ---- sessions ----

-- name: session_named
SELECT s FROM session WHERE owner = ?1 AND id = ?2 AND state <> 1

-- name: session_any
SELECT s FROM session WHERE id = ?1 AND state <> 1 LIMIT 2

-- name: session_by_start
SELECT s FROM session WHERE owner = ?1 AND id >= ?2 AND id < ?2 || char(1114111) AND state <> 1 LIMIT 2

-- name: session_by_end
SELECT s FROM session WHERE owner = ?1 AND state = 0 AND substr(id, -length(?2)) = ?2 LIMIT 2

-- name: session_by_title
SELECT s FROM session INDEXED BY session_list WHERE owner = ?1 AND state = 0 AND title = ?2 LIMIT 2

-- name: session_any_by_start
SELECT s FROM session WHERE id >= ?1 AND id < ?1 || char(1114111) AND state <> 1 LIMIT 2

-- name: session_any_by_end
SELECT s FROM session INDEXED BY session_recent WHERE state = 0 AND substr(id, -length(?1)) = ?1 LIMIT 2

-- name: session_any_by_title
SELECT s FROM session INDEXED BY session_recent WHERE state = 0 AND title = ?1 LIMIT 2

-- name: session_id
SELECT id FROM session WHERE s = ?1

-- name: session_parent
SELECT parent_s FROM session WHERE s = ?1

-- name: session_at
SELECT x.id, x.state, x.title, x.agent, o.name, x.parent_id, x.parent_title, x.parent_msg,
       x.parent_side, coalesce((SELECT state FROM session p WHERE p.s = x.parent_s), 1), x.archived,
       x.created_us, x.touched_us, (SELECT data FROM object WHERE o = x.metadata),
       (SELECT data FROM object WHERE o = x.limits), x.base_s, x.base_n, r.turn, r.state,
       x.mode, x.dir, x.home, (SELECT data FROM object WHERE o = x.settings)
FROM session x JOIN owner o ON o.o = x.owner LEFT JOIN run r ON r.s = x.s WHERE x.s = ?1

-- name: session_child_count
SELECT count(*) FROM session WHERE parent_s = ?1 AND state = 0

-- name: session_count
SELECT count(*) FROM (SELECT 1 FROM session WHERE owner = ?1 AND state = 0 LIMIT ?2)

-- name: session_insert
INSERT INTO session(fam, owner, id, state, base_s, base_n, base_v, depth, jump, parent_s, parent_id,
                    parent_title, parent_msg, parent_side, agent, title, title_base, title_n,
                    archived, created_us, touched_us, metadata, limits, mode, dir, home, settings)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
       ?21, ?22, ?23, ?24, ?25, ?26, ?27)

-- name: session_root
-- Family and jump pointer of a session that is its own.
UPDATE session SET fam = CASE fam WHEN 0 THEN s ELSE fam END, jump = CASE jump WHEN 0 THEN s ELSE jump END
WHERE s = ?1

-- name: session_touch
UPDATE session SET touched_us = ?2 WHERE s = ?1

-- name: session_rename
UPDATE session SET title = ?2, title_base = ?3, title_n = ?4 WHERE s = ?1

-- name: session_archive
UPDATE session SET archived = ?2 WHERE s = ?1

-- name: session_objects
UPDATE session SET metadata = ?2, limits = ?3, settings = ?4 WHERE s = ?1

-- name: session_agent
UPDATE session SET agent = ?2 WHERE s = ?1

-- name: session_workspace
UPDATE session SET mode = ?2, dir = ?3 WHERE s = ?1

-- name: session_delete
UPDATE session SET state = 1, title = '', title_base = '', title_n = 0, archived = 0,
                   metadata = NULL, limits = NULL, settings = NULL, home = '', mode = 0, dir = NULL
WHERE s = ?1

-- name: session_remove
DELETE FROM session WHERE s = ?1

-- name: session_stands
-- Does anything begin at this session?
SELECT 1 FROM session WHERE base_s = ?1 LIMIT 1

-- name: session_list
SELECT s, touched_us FROM session
WHERE owner = ?1 AND state = 0 AND touched_us <= ?2 AND (?3 IS NULL OR ?3 = '' OR agent = ?3)
  AND (?4 < 0 OR archived = ?4)
ORDER BY touched_us DESC, s DESC

-- name: session_list_any
SELECT s, touched_us FROM session
WHERE state = 0 AND touched_us <= ?1 AND (?2 IS NULL OR ?2 = '' OR agent = ?2)
  AND (?3 < 0 OR archived = ?3)
ORDER BY touched_us DESC, s DESC

-- name: session_family
SELECT s FROM session WHERE fam = ?1 AND state <> 1 ORDER BY s

-- name: session_children
SELECT s FROM session WHERE parent_s = ?1 AND state = 0 ORDER BY s

-- name: title_highest
SELECT title_n FROM session WHERE owner = ?1 AND title_base = ?2 AND state = 0
ORDER BY title_n DESC LIMIT 1

-- name: link_at
SELECT s, fam, owner, state, base_s, base_n, base_v, depth, jump, touched_us FROM session WHERE s = ?1

-- name: link_named
SELECT s, fam, owner, state, base_s, base_n, base_v, depth, jump, touched_us FROM session
WHERE owner = ?1 AND id = ?2 AND state <> 1

-- name: link_any
SELECT s, fam, owner, state, base_s, base_n, base_v, depth, jump, touched_us FROM session
WHERE id = ?1 AND state <> 1 LIMIT 2

-- ---- lines ----

-- name: line_at
SELECT os, on_, on0, bs, bn, depth, js, jn0, jdepth, vis0, usr0, flat0, flatu0
FROM line WHERE s = ?1 AND n0 = ?2

-- name: line_insert
INSERT INTO line(s, n0, os, on_, on0, bs, bn, depth, js, jn0, jdepth, vis0, usr0, flat0, flatu0)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)

-- name: line_scan
-- The lines of a session with their last acts.
SELECT n0, coalesce(lead(n0) OVER (ORDER BY n0) - 1, (SELECT max(n) FROM entry WHERE s = ?1))
FROM line WHERE s = ?1 ORDER BY n0

-- ---- acts ----

-- name: act_at
SELECT n0, head FROM entry WHERE s = ?1 AND n = ?2

-- name: act_last
SELECT n0, head FROM entry WHERE s = ?1 ORDER BY n DESC LIMIT 1

-- name: act_known
SELECT 1 FROM entry WHERE s = ?1 AND n = ?2

-- name: act_kind
SELECT kind FROM entry WHERE s = ?1 AND n = ?2

-- name: act_insert
INSERT INTO entry(e, s, n, kind, seen, n0, tree, head, salt, chash, spans, body)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)

-- name: drawn_insert
INSERT INTO drawn(id, s, n) VALUES(?1, ?2, ?3)

-- name: drawn_delete
DELETE FROM drawn WHERE id = ?1

-- name: client_insert
INSERT INTO client(fam, id, s, n) VALUES(?1, ?2, ?3, ?4)

-- name: client_delete
DELETE FROM client WHERE fam = ?1 AND id = ?2 AND s = ?3

-- name: act_row
SELECT e, s, n0, head, salt, chash, spans, body FROM entry WHERE s = ?1 AND n = ?2

-- name: act_numbered
SELECT e, s, n0, head, salt, chash, spans, body FROM entry WHERE e = ?1

-- name: act_rows
-- With what stands in columns besides, for verify.
SELECT e, s, n0, head, salt, chash, spans, body, n, kind, seen, tree FROM entry ORDER BY e

-- name: entry_at
SELECT e, head, body, tree FROM entry WHERE s = ?1 AND n = ?2

-- name: entry_head
SELECT head FROM entry WHERE s = ?1 AND n = ?2

-- name: entry_scan
-- The visible messages of a range.
SELECT e, head, body, tree FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 AND seen = 1 ORDER BY n

-- name: entry_scan_all
-- Everything of a range but moves.
SELECT e, head, body, tree FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 AND kind <> 6 ORDER BY n

-- name: entry_scan_raw
SELECT e, head, body, tree FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 ORDER BY n

-- name: entry_scan_from
SELECT e, head, body, tree FROM entry WHERE s = ?1 AND n >= ?2 ORDER BY n

-- name: entry_scan_number
-- The acts of living sessions above a number of the store.
SELECT x.e, x.head, x.body, x.tree, x.s, y.owner
FROM entry x CROSS JOIN session y ON y.s = x.s
WHERE x.e > ?1 AND y.state = 0 AND (?2 < 0 OR y.owner = ?2) ORDER BY x.e

-- name: entry_number
SELECT e FROM entry WHERE s = ?1 AND n = ?2

-- name: entry_last
SELECT max(n) FROM entry WHERE s = ?1

-- name: entry_drawn
SELECT s, n FROM drawn WHERE id = ?1

-- name: entry_drawn_between
SELECT d.s, d.n FROM drawn d JOIN entry x ON x.s = d.s AND x.n = d.n
WHERE d.id BETWEEN ?1 AND ?2 AND x.kind <> 6

-- name: entry_client
SELECT s, n FROM client WHERE fam = ?1 AND id = ?2

-- name: entry_client_between
SELECT s, n FROM client WHERE fam = ?1 AND id >= ?2 AND id < ?3

-- name: entry_erase
UPDATE entry SET body = NULL, salt = NULL, spans = NULL, chash = ?2 WHERE e = ?1

-- name: line_ahead
-- What follows on a line.
SELECT n, head FROM entry WHERE s = ?1 AND n > ?2 AND n <= ?3 AND n0 = ?4 ORDER BY n

-- name: message_ahead
-- The visible messages at or after an act.
SELECT n, head FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 AND seen = 1 ORDER BY n

-- name: visible_ahead
SELECT n FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 AND seen = 1 ORDER BY n LIMIT 1

-- name: adopt_scan
SELECT n, length(body) FROM entry WHERE s = ?1 AND n BETWEEN ?2 AND ?3 AND kind <> 6 ORDER BY n

-- ---- files ----

-- name: files_insert
INSERT INTO files(s, n, was, now, foreign_) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: files_scan
SELECT n, was, now, foreign_ FROM files WHERE s = ?1 AND n > ?2 ORDER BY n

-- name: files_at
SELECT was, now, foreign_ FROM files WHERE s = ?1 AND n = ?2

-- name: merge_insert
INSERT INTO merge(s, n, ref_s, ref_n) VALUES(?1, ?2, ?3, ?4)

-- name: merge_at
SELECT ref_s, ref_n FROM merge WHERE s = ?1 AND n = ?2

-- name: merge_scan
SELECT ref_s, ref_n FROM merge WHERE s = ?1 AND n BETWEEN ?2 AND ?3

-- name: intent_of
SELECT i FROM intent WHERE s = ?1

-- name: intent_insert
INSERT INTO intent(s, dir, dev, ino, was, now, body, at_us) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- name: intent_delete
DELETE FROM intent WHERE i = ?1

-- name: intent_forget
DELETE FROM intent WHERE s = ?1

-- name: intent_list
SELECT t.i, x.owner, x.id, t.s, t.dir, t.dev, t.ino, t.was, t.now, t.body, t.at_us
FROM intent t JOIN session x ON x.s = t.s ORDER BY t.i

-- ---- turns, moves, state ----

-- name: turn_first
-- The act with which a turn begins.
SELECT s, head FROM entry WHERE e = ?1

-- name: turn_here
SELECT e FROM turn WHERE fam = ?1 AND name = ?2 AND s = ?3

-- name: turn_begins
SELECT n FROM turn WHERE fam = ?1 AND name = ?2 AND s = ?3

-- name: turn_places
SELECT s, n FROM turn WHERE fam = ?1 AND name = ?2

-- name: turn_insert
INSERT INTO turn(fam, name, s, n, e) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: turn_delete
-- A turn of a session that begins at an act.
DELETE FROM turn WHERE fam = ?1 AND name = ?2 AND s = ?3 AND n = ?4

-- name: move_at
SELECT act, scope, to_s, to_n, unext, rnext, utop, rtop FROM move WHERE s = ?1 AND n = ?2

-- name: move_tops
SELECT utop, rtop, n FROM move WHERE s = ?1 AND n < ?2 ORDER BY n DESC LIMIT 1

-- name: move_insert
INSERT INTO move(s, n, act, scope, to_s, to_n, unext, rnext, utop, rtop)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: state_at
SELECT ps, pn, hops, since, whole_size, delta, whole FROM state WHERE s = ?1 AND n = ?2

-- name: state_insert
INSERT INTO state(s, n, ps, pn, hops, since, whole_size, delta, whole)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- ---- records, notes, labels, pins ----

-- name: record_newest
SELECT max(v) FROM record WHERE s = ?1

-- name: record_seen
-- The newest version that a fork has seen.
SELECT max(base_v) FROM session WHERE base_s = ?1

-- name: record_before
SELECT v, ps, pn FROM record WHERE s = ?1 AND rec = ?2 ORDER BY v DESC LIMIT 1

-- name: record_update
UPDATE record SET kind = ?3, turn = ?4, at_us = ?5, body = ?6 WHERE s = ?1 AND v = ?2

-- name: record_insert
INSERT INTO record(s, v, kind, rec, turn, ps, pn, at_us, body)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- name: record_scan
SELECT r, rec, ps, pn, kind, at_us FROM record WHERE s = ?1 AND v <= ?2 ORDER BY v

-- name: record_at
SELECT kind, turn, at_us, body FROM record WHERE r = ?1

-- name: record_place
-- The session in which a record was saved last, whoever has it (?2 below 0) or of one owner.
SELECT x.id FROM record r JOIN session x ON x.s = r.s
WHERE r.rec = ?1 AND x.state <> 1 AND (?2 < 0 OR x.owner = ?2)
ORDER BY r.at_us DESC, r.r DESC LIMIT 1

-- name: record_rows
SELECT v, kind, rec, turn, ps, pn, at_us, body FROM record WHERE s = ?1 ORDER BY v

-- name: note_insert
INSERT INTO note(e, owner, s, act, at_us, msg, was, now) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- name: note_blank
UPDATE note SET msg = NULL, was = NULL, now = NULL WHERE s = ?1

-- name: note_scan
SELECT e, act, at_us, msg, was, now FROM note WHERE s = ?1 AND e > ?2 ORDER BY e

-- name: note_scan_number
-- Those of living sessions above a number of the store; of a deleted one, that it was deleted.
SELECT n.e, n.act, n.at_us, n.msg, n.was, n.now, n.owner, coalesce(x.id, n.now)
FROM note n LEFT JOIN session x ON x.s = n.s
WHERE n.e > ?1 AND (?2 < 0 OR n.owner = ?2)
  AND (x.state = 0 OR (n.act = 9 AND n.now IS NOT NULL AND coalesce(x.state, 1) = 1))
ORDER BY n.e

-- name: note_deleted
-- That a session of that id was deleted.
SELECT e, act, at_us, msg, was, now, owner, now FROM note
WHERE act = 9 AND now = ?1 AND e > ?2 AND (?3 < 0 OR owner = ?3) ORDER BY e

-- name: note_floor
SELECT value FROM meta WHERE key = 'notes'

-- name: note_at
SELECT e, act, at_us, msg, was, now FROM note WHERE e = ?1

-- name: note_of
SELECT s FROM note WHERE e = ?1

-- name: label_at
SELECT text FROM label WHERE in_s = ?1 AND s = ?2 AND n = ?3

-- name: label_list
SELECT s, n, text FROM label WHERE in_s = ?1 ORDER BY s, n

-- name: label_delete
-- The label of a message, and the message of a label.
DELETE FROM label WHERE in_s = ?1 AND ((s = ?2 AND n = ?3) OR text = ?4)

-- name: label_taken
SELECT 1 FROM label WHERE in_s = ?1 AND ((s = ?2 AND n = ?3) OR text = ?4)

-- name: label_insert
INSERT INTO label(in_s, s, n, text) VALUES(?1, ?2, ?3, ?4)

-- name: pin_insert
INSERT INTO pin(s, n, by_s, by_n) VALUES(?1, ?2, ?3, ?4)

-- name: pin_known
SELECT 1 FROM pin WHERE s = ?1 AND n = ?2 AND by_s = ?3 AND by_n = ?4

-- name: pinned_by
SELECT s, max(n) FROM pin WHERE by_s = ?1 AND by_n <= ?2 GROUP BY s

-- ---- turns that are run, answers that are kept, agents ----

-- name: run_at
SELECT turn, state, reason, holder, started_us, ended_us, draft FROM run WHERE s = ?1

-- name: run_active_at
SELECT turn, state FROM run WHERE s = ?1 AND ended_us IS NULL

-- name: run_active
SELECT r.turn, r.state, r.reason, r.holder, r.started_us, r.ended_us, r.draft, x.owner, x.id
FROM run r INDEXED BY run_active CROSS JOIN session x ON x.s = r.s
WHERE r.ended_us IS NULL ORDER BY r.s

-- name: run_begin
INSERT OR REPLACE INTO run(s, turn, state, holder, started_us) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: run_go_on
UPDATE run SET state = ?2 WHERE s = ?1

-- name: run_settle
-- What was being said is said: the draft goes.
UPDATE run SET state = ?2, draft = NULL WHERE s = ?1

-- name: run_end
UPDATE run SET state = ?2, reason = ?3, ended_us = ?4, draft = NULL WHERE s = ?1

-- name: run_draft
UPDATE run SET draft = ?2 WHERE s = ?1

-- name: run_delete
DELETE FROM run WHERE s = ?1

-- name: once_at
SELECT request, at_us, answer FROM once WHERE owner = ?1 AND key = ?2

-- name: once_insert
INSERT OR REPLACE INTO once(owner, key, request, at_us, answer) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: once_oldest
SELECT owner, key FROM once WHERE at_us <= ?1 ORDER BY at_us LIMIT 1

-- name: once_delete
DELETE FROM once WHERE owner = ?1 AND key = ?2

-- name: once_forget
DELETE FROM once WHERE owner = ?1

-- name: agent_known
SELECT 1 FROM agent WHERE name = ?1

-- name: agent_put
INSERT INTO agent(name, body, at_us) VALUES(?1, ?2, ?3)
ON CONFLICT DO UPDATE SET body = excluded.body, at_us = excluded.at_us

-- name: agent_delete
DELETE FROM agent WHERE name = ?1

-- name: agent_list
SELECT name, body, at_us FROM agent ORDER BY name

-- ---- clearing away ----

-- name: reap_insert
INSERT INTO reap(s, purge) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET purge = max(purge, excluded.purge)

-- name: reap_insert_dead
INSERT INTO reap(s, purge) SELECT s, ?2 FROM session WHERE s = ?1 AND state = 1
ON CONFLICT DO UPDATE SET purge = max(purge, excluded.purge)

-- name: reap_delete
DELETE FROM reap WHERE s = ?1

-- name: reap_known
SELECT 1 FROM reap WHERE s = ?1

-- name: reap_all
-- Those that purge (2) come last.
SELECT s, purge FROM reap ORDER BY purge = 2, s DESC

-- name: reap_low
SELECT max(coalesce((SELECT max(base_n) FROM session WHERE base_s = ?1), 0),
           coalesce((SELECT max(n) FROM pin WHERE s = ?1), 0))

-- name: reap_slice
SELECT e, n FROM entry WHERE s = ?1 AND n > ?2 ORDER BY n DESC LIMIT ?3

-- name: reap_records
-- Versions that no fork has seen, and those that count at a place which is gone.
DELETE FROM record
WHERE s = ?1 AND (v > coalesce((SELECT max(base_v) FROM session WHERE base_s = ?1), 0)
  OR (ps IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = ps AND e.n = pn)))

-- name: reap_labels
DELETE FROM label WHERE in_s = ?1

-- name: reap_notes
DELETE FROM note WHERE s = ?1 AND e < (SELECT max(e) FROM note WHERE s = ?1)

-- name: trim_reap_pinned
INSERT OR IGNORE INTO reap(s, purge)
SELECT DISTINCT p.s, 0 FROM pin p JOIN session x ON x.s = p.s
WHERE p.by_s = ?1 AND p.by_n > ?2 AND x.state <> 0

-- name: trim_pin
DELETE FROM pin WHERE by_s = ?1 AND by_n > ?2

-- name: trim_loose
-- A sub-session that has lost its last reference, and when that was.
SELECT x.s, x.owner, (SELECT max(at_us) FROM note WHERE s = ?1) FROM session x
WHERE x.state = 2 AND x.s IN (SELECT s FROM reap) AND NOT EXISTS (SELECT 1 FROM pin WHERE pin.s = x.s)
LIMIT 1

-- name: trim_line
DELETE FROM line WHERE s = ?1 AND n0 > ?2

-- name: trim_move
DELETE FROM move WHERE s = ?1 AND n > ?2

-- name: trim_files
DELETE FROM files WHERE s = ?1 AND n > ?2

-- name: trim_merge
DELETE FROM merge WHERE s = ?1 AND n > ?2

-- name: trim_state
DELETE FROM state WHERE s = ?1 AND n > ?2

-- name: trim_label
DELETE FROM label WHERE s = ?1 AND n > ?2

-- name: trim_entry
DELETE FROM entry WHERE s = ?1 AND n > ?2

-- name: purge_heads
-- The newest act, or the base, of everything that stands on a session and lives.
WITH RECURSIVE upon(s) AS (
  SELECT s FROM session WHERE base_s = ?1
  UNION SELECT c.s FROM session c JOIN upon ON c.base_s = upon.s)
SELECT coalesce(e.s, x.base_s), coalesce(e.n, x.base_n)
FROM upon JOIN session x ON x.s = upon.s
LEFT JOIN entry e ON e.s = x.s AND e.n = (SELECT max(n) FROM entry WHERE s = x.s)
WHERE x.state <> 1

-- name: purge_pins
-- The places that something refers to, in a session and in all that stands on it.
WITH RECURSIVE upon(s) AS (
  SELECT ?1
  UNION SELECT c.s FROM session c JOIN upon ON c.base_s = upon.s)
SELECT DISTINCT p.s, p.n FROM upon JOIN pin p ON p.s = upon.s

-- name: purge_scan
SELECT e, n FROM entry WHERE s = ?1 AND body IS NOT NULL AND kind <> 6 ORDER BY n

-- name: loose_first
-- A sub-session that nothing refers to or stands on, and that was not touched since.
SELECT x.s, x.owner, x.touched_us FROM session x INDEXED BY session_loose
WHERE x.state = 2 AND NOT EXISTS (SELECT 1 FROM pin WHERE s = x.s)
  AND NOT EXISTS (SELECT 1 FROM session c WHERE c.base_s = x.s)
  AND x.touched_us <= ?1
LIMIT 1

-- name: cleared_more
UPDATE meta SET value = value + 1 WHERE key = 'cleared'

-- name: history_mark
SELECT (SELECT max(n) FROM entry WHERE s = ?1), (SELECT value FROM meta WHERE key = 'cleared')

-- name: meta_floor
UPDATE meta SET value = max(value, ?1) WHERE key = 'floor'

-- name: gc_note_floor
UPDATE meta SET value = max(value, coalesce((SELECT max(e) FROM note WHERE at_us <= ?1
  AND NOT EXISTS (SELECT 1 FROM session x WHERE x.s = note.s)), 0)) WHERE key = 'notes'

-- name: gc_notes
DELETE FROM note WHERE at_us <= ?1 AND NOT EXISTS (SELECT 1 FROM session x WHERE x.s = note.s)

-- name: counts
SELECT (SELECT count(*) FROM session WHERE state = 0), (SELECT count(*) FROM session WHERE state = 1),
       (SELECT count(*) FROM session WHERE state = 2), (SELECT count(*) FROM entry),
       (SELECT count(*) FROM line), (SELECT count(*) FROM move), (SELECT count(*) FROM state),
       (SELECT count(*) FROM turn), (SELECT count(*) FROM record), (SELECT count(*) FROM note),
       (SELECT count(*) FROM pin), (SELECT count(*) FROM label), (SELECT count(*) FROM object),
       (SELECT count(*) FROM reap), (SELECT count(*) FROM run), (SELECT count(*) FROM once),
       (SELECT count(*) FROM token), (SELECT count(*) FROM agent)

-- ---- search ----

-- name: search_store
SELECT value FROM meta WHERE key = 'store'

-- name: search_mark_act
-- What tells an act or note with that number from another one.
SELECT head FROM entry WHERE e = ?1 UNION ALL SELECT at_us FROM note WHERE e = ?1

-- name: search_acts
SELECT e, s, spans, body FROM entry WHERE e > ?1 AND e <= ?2 ORDER BY e

-- name: search_notes
SELECT DISTINCT s FROM note WHERE e > ?1 AND e <= ?2

-- name: search_title
SELECT title, owner FROM session WHERE s = ?1 AND state = 0

-- name: search_owner
SELECT owner FROM session WHERE s = ?1

-- name: search_text
SELECT s, n, head, spans, body FROM entry WHERE e = ?1

-- name: search_living
-- A living session that has the act (?1, ?2): its own, or the nearest that stands on it.
WITH RECURSIVE upon(s, far) AS (
  SELECT ?1, 0
  UNION ALL SELECT s, 1 FROM session WHERE base_s = ?1 AND base_n >= ?2
  UNION ALL SELECT c.s, upon.far + 1 FROM upon JOIN session c ON c.base_s = upon.s WHERE upon.far > 0)
SELECT x.id, x.title FROM upon JOIN session x ON x.s = upon.s WHERE x.state = 0
ORDER BY upon.far, x.s LIMIT 1

-- name: search_referrer
-- What refers to a place that has the act (?1, ?2).
WITH RECURSIVE upon(s, low) AS (
  SELECT ?1, ?2
  UNION ALL SELECT s, 1 FROM session WHERE base_s = ?1 AND base_n >= ?2
  UNION ALL SELECT c.s, 1 FROM upon JOIN session c ON c.base_s = upon.s WHERE upon.s <> ?1)
SELECT p.by_s, p.by_n FROM upon JOIN pin p ON p.s = upon.s AND p.n >= upon.low LIMIT 1

-- ---- verify ----

-- name: verify_sessions
SELECT x.s, x.fam, x.id, x.state, x.base_s, x.base_n, x.depth, x.jump, x.title, x.title_base, x.title_n,
       x.mode, x.dir
FROM session x ORDER BY x.s

-- name: verify_orphans
-- What belongs to an act that is not there.
SELECT 'line', s, n0 FROM line l WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = l.s AND e.n = l.n0)
UNION ALL SELECT 'move', s, n FROM move m
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = m.s AND e.n = m.n AND e.kind = 6)
UNION ALL SELECT 'state change', s, n FROM state c
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = c.s AND e.n = c.n)
UNION ALL SELECT 'turn', s, n FROM turn t WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = t.s AND e.n = t.n AND e.e = t.e)
UNION ALL SELECT 'drawn id', s, n FROM drawn d WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = d.s AND e.n = d.n)
UNION ALL SELECT 'client id', s, n FROM client d WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = d.s AND e.n = d.n)
UNION ALL SELECT 'label', s, n FROM label b WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = b.s AND e.n = b.n)
UNION ALL SELECT 'label', in_s, n FROM label b WHERE NOT EXISTS (SELECT 1 FROM session x WHERE x.s = b.in_s)
UNION ALL SELECT 'reference', by_s, by_n FROM pin p
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = p.by_s AND e.n = p.by_n AND e.kind = 3)
UNION ALL SELECT 'record', s, v FROM record r WHERE NOT EXISTS (SELECT 1 FROM session x WHERE x.s = r.s)
UNION ALL SELECT 'record', s, v FROM record r
  WHERE r.ps IS NOT NULL AND NOT EXISTS (SELECT 1 FROM reap WHERE reap.s = r.s) AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = r.ps AND e.n = r.pn)
UNION ALL SELECT 'note', s, e FROM note o
  WHERE o.act <> 9 AND NOT EXISTS (SELECT 1 FROM session x WHERE x.s = o.s)
UNION ALL SELECT 'deletion', s, 0 FROM reap r WHERE NOT EXISTS (SELECT 1 FROM session x WHERE x.s = r.s)
UNION ALL SELECT 'running turn', s, 0 FROM run r
  WHERE NOT EXISTS (SELECT 1 FROM session x WHERE x.s = r.s AND x.state <> 1)
UNION ALL SELECT 'piece of metadata', s, 0 FROM session x
  WHERE EXISTS (SELECT 1 FROM object WHERE o IN (x.metadata, x.limits, x.settings) AND kind <> 1)
UNION ALL SELECT 'change of files', s, n FROM files f
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = f.s AND e.n = f.n)
UNION ALL SELECT 'merge', s, n FROM merge m
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.s = m.s AND e.n = m.n AND e.kind = 0)
UNION ALL SELECT 'move of files', s, i FROM intent t
  WHERE NOT EXISTS (SELECT 1 FROM session x WHERE x.s = t.s AND x.state <> 1)

-- name: verify_desk
-- What belongs to an owner who is not there.
SELECT 'token', owner FROM token t WHERE NOT EXISTS (SELECT 1 FROM owner WHERE o = t.owner)
UNION ALL SELECT 'kept answer', owner FROM once t WHERE NOT EXISTS (SELECT 1 FROM owner WHERE o = t.owner)

-- name: verify_runs
-- Turns that have not ended are queued, running or waiting, the others are not.
SELECT s FROM run WHERE state NOT BETWEEN 1 AND 6 OR (ended_us IS NULL) <> (state <= 3)

-- name: verify_intents
-- Moves that are going on and name a tree that is not there; ?1 means none, and needs not be.
SELECT s FROM intent i
WHERE (i.was <> ?1 AND NOT EXISTS (SELECT 1 FROM object WHERE hash = i.was AND kind = 2))
   OR (i.now <> ?1 AND NOT EXISTS (SELECT 1 FROM object WHERE hash = i.now AND kind = 2))

-- name: verify_gaps
-- Sessions whose acts are not numbered 1, 2, 3 …
SELECT s, count(*), max(n) FROM entry GROUP BY s HAVING count(*) <> max(n)

-- ---- export, import ----

-- name: export_family
SELECT s FROM session WHERE fam = ?1

-- name: export_owner
SELECT s FROM session WHERE owner = ?1

-- name: export_all
SELECT s FROM session WHERE ?1 < 0

-- name: export_pinned
-- The families that a session refers to.
SELECT DISTINCT x.fam FROM pin p JOIN session x ON x.s = p.s WHERE p.by_s = ?1

-- name: export_acts
SELECT e FROM entry WHERE s = ?1

-- name: export_notes
SELECT e FROM note WHERE s = ?1

-- name: export_session
SELECT x.fam, x.id, x.state, x.base_s, x.base_n, x.base_v, x.parent_s, x.parent_id, x.parent_title,
       x.parent_msg, x.parent_side, x.agent, x.title, x.archived, x.created_us, x.touched_us,
       (SELECT data FROM object WHERE o = x.metadata), (SELECT data FROM object WHERE o = x.limits), x.mode,
       x.home, (SELECT data FROM object WHERE o = x.settings)
FROM session x WHERE x.s = ?1

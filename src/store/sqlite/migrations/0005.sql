-- What the wires need: through which one a session came, what they keep of it, and records by their ids.

-- The dialect through which the session was made or forked; empty: the native API.
ALTER TABLE session ADD COLUMN home TEXT NOT NULL DEFAULT '';

-- What dialects and agents keep of it: JSON, as metadata is.
ALTER TABLE session ADD COLUMN settings INT REFERENCES object(o);
CREATE INDEX session_settings ON session(settings) WHERE settings IS NOT NULL;

-- Records by id, whatever their session.
CREATE INDEX record_anywhere ON record(rec, at_us);

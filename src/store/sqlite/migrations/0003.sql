-- 'cleared': how often acts were removed or emptied. Until it grows, what a session shows up to an act
-- stays as it is.
INSERT INTO meta VALUES('cleared', 0);

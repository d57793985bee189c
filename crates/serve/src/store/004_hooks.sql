-- Webhooks that receive the results of scheduled runs. Messages are signed with a key that is encrypted like the
-- secrets of targets.
CREATE TABLE hook (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  url TEXT NOT NULL,
  sealed BLOB NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
ALTER TABLE schedule ADD COLUMN hook INTEGER;

-- The result of a scheduled time, and the result of reporting it to the webhook. `due` is when the row is
-- processed next, or null if that is done.
ALTER TABLE occasion ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE occasion ADD COLUMN told TEXT NOT NULL DEFAULT '';
ALTER TABLE occasion ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occasion ADD COLUMN due INTEGER;

-- The runs of a load, newest first, for trends.
CREATE INDEX run_of_load ON run (load, started DESC, id DESC);

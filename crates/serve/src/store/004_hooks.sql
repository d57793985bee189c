-- Where schedules tell what became of their runs. What is sent is signed with a key that is sealed like the secrets of
-- targets.
CREATE TABLE hook (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  url TEXT NOT NULL,
  sealed BLOB NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
ALTER TABLE schedule ADD COLUMN hook INTEGER;

-- What came of a time, as it is told, and what came of telling it. When it is looked at next; null if that is done.
ALTER TABLE occasion ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE occasion ADD COLUMN told TEXT NOT NULL DEFAULT '';
ALTER TABLE occasion ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occasion ADD COLUMN due INTEGER;

-- The runs of a load in their order, of which a trend follows the last.
CREATE INDEX run_of_load ON run (load, started DESC, id DESC);

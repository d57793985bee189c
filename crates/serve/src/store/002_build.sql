-- Remarks from the creation of a revision, such as the assumptions of an import.
ALTER TABLE revision ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- The library of steps, which are copied into plans.
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  note TEXT NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- Schedules, and the result of each scheduled time.
CREATE TABLE schedule (
  id INTEGER PRIMARY KEY,
  plan INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
  target INTEGER NOT NULL,
  times TEXT NOT NULL,
  zone TEXT NOT NULL,
  quiet TEXT NOT NULL,
  duration TEXT NOT NULL,
  waits INTEGER NOT NULL,
  author TEXT NOT NULL,
  seen INTEGER NOT NULL
) STRICT;
CREATE TABLE occasion (
  schedule INTEGER NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  run TEXT,
  missed TEXT NOT NULL,
  PRIMARY KEY (schedule, at)
) STRICT, WITHOUT ROWID;

-- Links that show a run or a comparison without signing in.
CREATE TABLE share (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  runs TEXT NOT NULL,
  whole INTEGER NOT NULL,
  author TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

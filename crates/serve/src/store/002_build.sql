-- What was told of a revision when it was made, such as what an import guessed.
ALTER TABLE revision ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- Steps to insert into plans, as copies.
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  note TEXT NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- Runs at times.
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

-- Links by which somebody reads a run or a comparison who does not sign in.
CREATE TABLE share (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  runs TEXT NOT NULL,
  whole INTEGER NOT NULL,
  author TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

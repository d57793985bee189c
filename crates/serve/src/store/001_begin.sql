-- Data that exists only in this database: users, their sessions and tokens, and the audit log.
CREATE TABLE user (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'runner', 'admin')),
  password TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL
) STRICT;
CREATE TABLE invitation (
  hash BLOB PRIMARY KEY,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  expires INTEGER NOT NULL
) STRICT;
CREATE TABLE session (
  hash BLOB PRIMARY KEY,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created INTEGER NOT NULL,
  seen INTEGER NOT NULL
) STRICT;
CREATE TABLE token (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'push')),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
) STRICT;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  act TEXT NOT NULL,
  what TEXT NOT NULL,
  mac BLOB NOT NULL
) STRICT;

-- Targets that runs may load, with the limits of that load, and plans.
CREATE TABLE target (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  settings TEXT NOT NULL,
  granted TEXT NOT NULL,
  expires INTEGER NOT NULL,
  production INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE plan (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;
CREATE TABLE revision (
  plan INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (plan, revision)
) STRICT;

-- An index of the directory of runs, which can be rebuilt from it.
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  started TEXT NOT NULL,
  target TEXT NOT NULL,
  load TEXT NOT NULL,
  verdict TEXT NOT NULL,
  missed INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  baseline INTEGER NOT NULL,
  revision TEXT NOT NULL,
  summary TEXT NOT NULL,
  about TEXT NOT NULL
) STRICT;
CREATE INDEX run_started ON run (started DESC, id DESC);
CREATE INDEX run_load ON run (load) WHERE baseline = 1;
CREATE TABLE tag (
  run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_tag ON tag (tag);
CREATE VIRTUAL TABLE run_text USING fts5 (run UNINDEXED, words, tokenize = 'unicode61');

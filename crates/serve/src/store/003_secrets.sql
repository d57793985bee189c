-- Secrets of targets, sealed with the key in secrets.key.
CREATE TABLE secret (
  target TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  allow TEXT NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  used INTEGER,
  PRIMARY KEY (target, name)
) STRICT, WITHOUT ROWID;

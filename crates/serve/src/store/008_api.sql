-- Adds the scope 'all' of tokens. SQLite cannot change a CHECK constraint, so the table is replaced.
CREATE TABLE token_with_all (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'push', 'run', 'all')),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
) STRICT;
INSERT INTO token_with_all (id, hash, user, name, scope, created, expires, used)
  SELECT id, hash, user, name, scope, created, expires, used FROM token;
DROP TABLE token;
ALTER TABLE token_with_all RENAME TO token;

-- Requests that have an idempotency key, and their answers. Without a status there is no answer yet.
CREATE TABLE keyed (
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER,
  location TEXT NOT NULL DEFAULT '',
  body BLOB NOT NULL DEFAULT x'',
  PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keyed_at ON keyed (at);

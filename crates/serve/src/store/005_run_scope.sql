-- Adds the scope 'run' of tokens. SQLite cannot change a CHECK constraint, so the table is replaced.
CREATE TABLE token_of_any_scope (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'push', 'run')),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
) STRICT;
INSERT INTO token_of_any_scope (id, hash, user, name, scope, created, expires, used)
  SELECT id, hash, user, name, scope, created, expires, used FROM token;
DROP TABLE token;
ALTER TABLE token_of_any_scope RENAME TO token;

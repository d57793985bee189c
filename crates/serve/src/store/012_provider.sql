-- One provider of OpenID Connect at which people may sign in. Its client secret is encrypted like the secrets of
-- targets.
CREATE TABLE provider (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
-- The people who sign in there: a subject of an issuer is always the same person. 'confirmed' is when the provider last
-- said what is stored of them.
CREATE TABLE identity (
  user INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  full_name TEXT NOT NULL,
  mail TEXT NOT NULL,
  confirmed INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;
-- Where a session began. If it began at the provider: when the provider last confirmed it, its name there, and its
-- tokens, which are encrypted.
ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN checked INTEGER;
ALTER TABLE session ADD COLUMN sid TEXT;
ALTER TABLE session ADD COLUMN tokens BLOB;

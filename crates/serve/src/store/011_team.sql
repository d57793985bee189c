-- The format of the messages of a webhook, and for mail its recipients, one a line; when a message was last sent, and
-- what came of it. Of a webhook whose URL is a secret, 'url' has only its host, and the whole is sealed with its key.
ALTER TABLE hook ADD COLUMN format TEXT NOT NULL DEFAULT 'json';
ALTER TABLE hook ADD COLUMN recipients TEXT NOT NULL DEFAULT '';
ALTER TABLE hook ADD COLUMN tried INTEGER;
ALTER TABLE hook ADD COLUMN told TEXT NOT NULL DEFAULT '';

-- What happened outside of the site, such as a deployment, for charts. Without a target it concerns all of them.
CREATE TABLE annotation (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  label TEXT NOT NULL,
  target INTEGER,
  author TEXT NOT NULL,
  made INTEGER NOT NULL
) STRICT;
CREATE INDEX annotation_at ON annotation (at);

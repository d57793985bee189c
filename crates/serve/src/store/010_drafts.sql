-- Texts of plans that are edited and not saved, the newest last: what Undo goes back to. 'typed' is what could not be
-- written into the text, as a JSON object of fields.
CREATE TABLE draft (
  person INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  plan INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  text TEXT NOT NULL,
  typed TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (person, plan, number)
) STRICT;
-- The target of the last run of each plan.
CREATE TABLE last_target (
  plan INTEGER PRIMARY KEY REFERENCES plan (id) ON DELETE CASCADE,
  target INTEGER NOT NULL
) STRICT;

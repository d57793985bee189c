-- Projects: who sees which tests. A test belongs to one project, or to none and is then seen by everybody.
CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;
-- Who sees the tests of a project: users, and everybody in a group at the provider.
CREATE TABLE project_user (
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;
CREATE TABLE project_group (
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;
-- The groups in which the provider said a user was, when it was last asked.
CREATE TABLE user_group (
  user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;

-- The project of a plan with its runs, and that of the runs of a load that have no plan.
ALTER TABLE plan ADD COLUMN project INTEGER REFERENCES project (id);
CREATE TABLE load_project (
  load TEXT PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id)
) STRICT, WITHOUT ROWID;
-- The project of a run follows from its plan or its load. The indexes have it, so that who sees a run is known without
-- reading the run.
ALTER TABLE run ADD COLUMN project INTEGER;
CREATE INDEX run_seen ON run (id, project);
DROP INDEX run_of_test;
CREATE INDEX run_of_test ON run (test, started DESC, id DESC, is_search, outcome, p99_ms, goodput, target_id, project);
DROP INDEX run_of_load;
CREATE INDEX run_of_load ON run (load, started DESC, id DESC, is_search, project);
DROP INDEX run_started;
CREATE INDEX run_started ON run (started DESC, id DESC, project);

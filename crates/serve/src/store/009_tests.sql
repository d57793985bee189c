-- The plan and the target of a run, and the figures that are shown for the last runs of each test. Filled from what is
-- stored of each run.
ALTER TABLE run ADD COLUMN plan INTEGER;
ALTER TABLE run ADD COLUMN plan_revision INTEGER;
ALTER TABLE run ADD COLUMN target_id INTEGER;
ALTER TABLE run ADD COLUMN p99_ms REAL;
ALTER TABLE run ADD COLUMN goodput REAL;
-- Whether it is a search for the highest rate.
ALTER TABLE run ADD COLUMN is_search INTEGER NOT NULL DEFAULT 0;
-- The test that it belongs to: 'p' and the number of its plan, or 'l' and its load; empty if neither is known.
ALTER TABLE run ADD COLUMN test TEXT NOT NULL DEFAULT '';

CREATE TEMP TABLE named (words TEXT PRIMARY KEY, plan INTEGER NOT NULL, revision INTEGER NOT NULL);
INSERT OR IGNORE INTO named (words, plan, revision)
  SELECT plan.name || ', revision ' || revision.revision, plan.id, revision.revision
  FROM plan JOIN revision ON revision.plan = plan.id;
UPDATE run SET
  plan = (SELECT named.plan FROM named WHERE words = json_extract(run.about, '$.origin.plan')),
  plan_revision = (SELECT named.revision FROM named WHERE words = json_extract(run.about, '$.origin.plan')),
  target_id = (SELECT target.id FROM target WHERE target.name = json_extract(run.about, '$.origin.target')),
  p99_ms = json_extract(summary, '$.figures.p99_ms'),
  goodput = json_extract(summary, '$.figures.goodput'),
  is_search = json_extract(summary, '$.capacity') IS NOT NULL;
DROP TABLE named;
UPDATE run SET test = 'p' || plan WHERE plan IS NOT NULL;
-- Runs of no plan, which join the test of their load.
UPDATE run SET test = coalesce(
  (SELECT made.test FROM run AS made WHERE made.load = run.load AND made.plan IS NOT NULL
   ORDER BY made.started DESC LIMIT 1),
  'l' || load) WHERE plan IS NULL AND load <> '';
-- With everything that is read of many runs, so that their summaries are not.
CREATE INDEX run_of_test ON run (test, started DESC, id DESC, is_search, outcome, p99_ms, goodput, target_id);
DROP INDEX run_of_load;
CREATE INDEX run_of_load ON run (load, started DESC, id DESC, is_search);
CREATE INDEX run_of_no_plan ON run (load, test) WHERE plan IS NULL;

-- Whether a schedule starts no runs for now.
ALTER TABLE schedule ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;

-- How a run compared with the baseline of its load, as JSON.
CREATE TABLE against (
  run TEXT PRIMARY KEY,
  baseline TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT, WITHOUT ROWID;

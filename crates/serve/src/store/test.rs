//! Tests: a plan with its runs, or a load with the runs that were uploaded of it.

use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, Row};

use super::membership::key_of_plan;
use super::plans::Plan;
use super::runs::{name, run};
use super::{Result, Store};
use crate::history::Entry;

/// How many baselines are looked at for runs that were not compared with them, and how many runs of each.
const BASELINES_LOOKED_AT: i64 = 200;
const COMPARED_BACK: i64 = 20;

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    /// Its name in addresses.
    pub(crate) key: String,
    pub(crate) name: String,
    /// Its plan in the newest revision; a test of uploaded runs has none.
    pub(crate) plan: Option<Plan>,
    /// The project that it belongs to; without one all users see it.
    pub(crate) project: Option<i64>,
    /// The load of its newest run; empty if that is unknown, or if there is no run.
    pub(crate) load: String,
    /// How many runs it has.
    pub(crate) runs: i64,
    /// The target of its newest run, if it is listed.
    pub(crate) target: Option<i64>,
}

/// A run of a test, in what is drawn of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) id: String,
    pub(crate) started: String,
    /// The key of its outcome; empty if that is unknown.
    pub(crate) outcome: String,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) goodput: Option<f64>,
}

/// The last runs of a test, searches excepted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LastRuns {
    pub(crate) test: String,
    pub(crate) newest: Entry,
    /// The target of the newest, if it is listed.
    pub(crate) target: Option<i64>,
    pub(crate) project: Option<i64>,
    /// The oldest first.
    pub(crate) points: Vec<Point>,
}

fn point(row: &Row<'_>) -> rusqlite::Result<Point> {
    Ok(Point {
        id: row.get("id")?,
        started: row.get("started")?,
        outcome: row.get("outcome")?,
        p99_ms: row.get("p99_ms")?,
        goodput: row.get("goodput")?,
    })
}

impl Store {
    /// A test, by its name in addresses.
    pub(crate) fn test(&self, key: &str) -> Result<Option<Test>> {
        let plan = match key.strip_prefix('p').and_then(|id| id.parse().ok()) {
            Some(id) => self.plan(id)?,
            None => None,
        };
        let newest = self.read(|file| {
            let query = "SELECT id, summary, about, target_id, project FROM run WHERE test = ?1 AND is_search = 0 \
                       ORDER BY started DESC, id DESC LIMIT 1";
            let found = file.query_row(query, [key], |row| Ok((run(row)?, row.get(3)?, row.get(4)?)));
            Ok(found.optional()?)
        })?;
        let (newest, target, project): (Option<Entry>, Option<i64>, Option<i64>) = match newest {
            Some((newest, target, project)) => (Some(newest), target, project),
            None => (None, None, None),
        };
        let runs = self.read(|file| {
            let query = "SELECT count(*) FROM run WHERE test = ?1";
            Ok(file.query_row(query, [key], |row| row.get(0))?)
        })?;
        let title = plan.as_ref().map(|plan| plan.name.clone());
        let Some(title) = title.or_else(|| newest.as_ref().map(name)) else { return Ok(None) };
        let load = newest.map(|newest| newest.summary.load).unwrap_or_default();
        let project = plan.as_ref().map_or(project, |plan| plan.project);
        Ok(Some(Test { key: key.to_owned(), name: title, plan, project, load, runs, target }))
    }

    /// The test that a run belongs to; empty if there is none.
    pub(crate) fn test_of(&self, run: &str) -> Result<String> {
        self.read(|file| {
            let query = "SELECT test FROM run WHERE id = ?1";
            let test = file.query_row(query, [run], |row| row.get(0)).optional()?;
            Ok(test.unwrap_or_default())
        })
    }

    /// The last runs of every test, by the tests' names in addresses.
    pub(crate) fn last_runs(&self, each: usize) -> Result<Vec<LastRuns>> {
        self.read(|file| {
            let query = "SELECT last.id, whole.summary, whole.about, last.started, last.outcome, last.p99_ms, \
                       last.goodput, last.target_id, last.test, last.project FROM (SELECT id, started, outcome, \
                       p99_ms, goodput, target_id, test, project, \
                       row_number() OVER (PARTITION BY test ORDER BY started DESC, id DESC) AS back \
                       FROM run WHERE test <> '' AND is_search = 0) AS last \
                       LEFT JOIN run AS whole ON whole.id = last.id AND last.back = 1 \
                       WHERE last.back <= ?1 ORDER BY last.test, last.back";
            let mut all = file.prepare(query)?;
            let mut rows = all.query([i64::try_from(each).unwrap_or(i64::MAX)])?;
            let mut tests: Vec<LastRuns> = Vec::new();
            while let Some(row) = rows.next()? {
                let (test, point): (String, Point) = (row.get("test")?, point(row)?);
                match tests.last_mut().filter(|last| last.test == test) {
                    Some(last) => last.points.push(point),
                    None => tests.push(LastRuns {
                        test,
                        newest: run(row)?,
                        target: row.get("target_id")?,
                        project: row.get("project")?,
                        points: vec![point],
                    }),
                }
            }
            for test in &mut tests {
                test.points.reverse();
            }
            Ok(tests)
        })
    }

    /// How long the newest run of a plan lasted, in seconds.
    pub(crate) fn last_seconds(&self, plan: i64) -> Result<Option<f64>> {
        let key = key_of_plan(plan);
        self.read(|file| {
            let query = "SELECT json_extract(summary, '$.seconds') FROM run WHERE test = ?1 AND plan IS NOT NULL \
                       AND is_search = 0 ORDER BY started DESC, id DESC LIMIT 1";
            Ok(file.query_row(query, [key], |row| row.get(0)).optional()?)
        })
    }

    /// The baselines, newest first, each with its test.
    pub(crate) fn baselines(&self) -> Result<Vec<(String, Entry)>> {
        self.read(|file| {
            let query = "SELECT id, summary, about, test FROM run WHERE baseline = 1 \
                       ORDER BY started DESC, id DESC LIMIT 1000";
            let mut all = file.prepare(query)?;
            let found = all.query_map([], |row| Ok((row.get(3)?, run(row)?)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Store {
    /// Runs that were not yet compared with the newest baseline of their load in their project, the newest of each load
    /// first: each with the baseline. Only the last few of each load are.
    pub(crate) fn uncompared(&self, most: usize) -> Result<Vec<(String, String)>> {
        self.read(|file| {
            let mut marked = file.prepare(
                "SELECT load, id, project FROM run WHERE baseline = 1 AND load <> '' \
                 ORDER BY started DESC, id DESC LIMIT ?1",
            )?;
            let mut of_load = file.prepare(
                "SELECT last.id, EXISTS (SELECT 1 FROM against WHERE run = last.id AND baseline = ?2) FROM run AS last \
                 WHERE load = ?1 AND id <> ?2 AND is_search = 0 AND project IS ?4 \
                 ORDER BY started DESC, id DESC LIMIT ?3",
            )?;
            let (mut seen, mut found) = (HashSet::new(), Vec::new());
            let mut rows = marked.query([BASELINES_LOOKED_AT])?;
            while let Some(row) = rows.next()? {
                let (load, baseline): (String, String) = (row.get(0)?, row.get(1)?);
                let project: Option<i64> = row.get(2)?;
                if !seen.insert((load.clone(), project)) {
                    continue;
                }
                let last = of_load.query_map((&load, &baseline, COMPARED_BACK, project), |row| {
                    Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
                })?;
                for (back, run) in last.enumerate() {
                    let (run, is_compared) = run?;
                    if !is_compared {
                        found.push((back, run, baseline.clone()));
                    }
                }
            }
            // The newest run of every load is shown on the first page.
            found.sort_by_key(|(back, ..)| *back);
            let found = found.into_iter().take(most);
            Ok(found.map(|(_, run, baseline)| (run, baseline)).collect())
        })
    }

    /// Stores how a run compared with a baseline. It is compared again if there was no room for that.
    pub(crate) fn put_comparison(&self, run: &str, baseline: &str, result: &str) -> Result<()> {
        self.note_use(|file| {
            let put = "INSERT OR REPLACE INTO against (run, baseline, result) VALUES (?1, ?2, ?3)";
            file.execute(put, [run, baseline, result])?;
            Ok(())
        })
    }

    /// How a run compared with a baseline when it ended, as it was stored.
    pub(crate) fn comparison(&self, run: &str) -> Result<Option<String>> {
        self.read(|file| {
            let query = "SELECT result FROM against WHERE run = ?1";
            Ok(file.query_row(query, [run], |row| row.get(0)).optional()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use brunt_history::{About, Origin, samples};
    use brunt_record::RunOutcome;
    use rusqlite::Connection;

    use super::super::{DATABASE, MIGRATIONS, Target};
    use super::*;

    fn entry(number: usize, load: &str, plan: Option<&str>) -> Entry {
        let mut summary = samples::summary();
        summary.load = load.to_owned();
        summary.started = format!("2026-11-23T{number:02}:00:00Z");
        summary.outcome = Some(RunOutcome::Passed);
        summary.figures.p99_ms = Some(number as f64);
        summary.figures.goodput = Some(2.0 * number as f64);
        let target = plan.map(|_| "staging".to_owned());
        let origin = Origin { plan: plan.map(str::to_owned), target, ..Origin::default() };
        let about = About { origin, ..About::default() };
        Entry { id: format!("{number:024x}").parse().unwrap(), summary, about }
    }

    /// The index's entry of a run: its plan, revision and target, its test, its figures.
    type Columns = ([Option<i64>; 3], String, [f64; 2]);

    fn columns(store: &Store) -> Vec<Columns> {
        let read = store.read(|file| {
            let query =
                "SELECT plan, plan_revision, target_id, test, p99_ms, goodput FROM run ORDER BY id";
            let mut all = file.prepare(query)?;
            let rows = all.query_map([], |row| {
                let made = [row.get(0)?, row.get(1)?, row.get(2)?];
                Ok((made, row.get(3)?, [row.get(4)?, row.get(5)?]))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        });
        read.unwrap()
    }

    fn runs() -> Vec<Entry> {
        vec![
            entry(1, "x", None),
            entry(2, "x", Some("a, b, revision 2")),
            entry(3, "y", None),
            entry(4, "", None),
            entry(5, "x", Some("gone, revision 1")),
            entry(6, "z", Some("a, b, revision 1")),
        ]
    }

    #[test]
    fn test_columns_of_an_older_database_are_filled() {
        let directory = tempfile::tempdir().unwrap();
        let older = Connection::open(directory.path().join(DATABASE)).unwrap();
        for step in &MIGRATIONS[..8] {
            older.execute_batch(step).unwrap();
        }
        older.pragma_update(None, "user_version", 8).unwrap();
        older.execute("INSERT INTO plan (name) VALUES ('other'), ('a, b')", []).unwrap();
        for (plan, revision) in [(1, 1), (2, 1), (2, 2)] {
            let add = "INSERT INTO revision (plan, revision, text, author, at) VALUES (?1, ?2, '', 'ada', 1)";
            older.execute(add, [plan, revision]).unwrap();
        }
        let add = "INSERT INTO target (name, settings, granted, expires, production, reason) \
                   VALUES ('staging', '', '{}', 1, 0, '')";
        older.execute(add, []).unwrap();
        for run in runs() {
            let add = "INSERT INTO run (id, started, target, load, verdict, missed, pinned, baseline, revision, \
                       summary, about, outcome) VALUES (?1, ?2, '', ?3, 'valid', 0, 0, 0, '', ?4, ?5, 'passed')";
            let json = [
                serde_json::to_string(&run.summary).unwrap(),
                serde_json::to_string(&run.about).unwrap(),
            ];
            let id = run.id.as_str();
            older
                .execute(add, [id, &run.summary.started, &run.summary.load, &json[0], &json[1]])
                .unwrap();
        }
        drop(older);
        let store = Store::open(directory.path()).unwrap();
        let filled = columns(&store);
        let test = |number: usize| filled[number - 1].1.as_str();
        assert_eq!([1, 2, 3, 4, 5, 6].map(test), ["p2", "p2", "ly", "", "p2", "p2"]);
        assert_eq!(filled[1], ([Some(2), Some(2), Some(1)], "p2".to_owned(), [2.0, 4.0]));
        assert_eq!(filled[4].0[0], None, "its plan is not there any more");
        // A rebuilt index has the same.
        store.put_all_runs(runs().into_iter()).unwrap();
        assert_eq!(columns(&store), filled);
    }

    #[test]
    fn test_runs_are_read_together_without_searches() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        for number in 0..23 {
            store.put_run(&entry(number, if number % 5 == 4 { "y" } else { "x" }, None)).unwrap();
        }
        let mut search = entry(23, "x", None);
        search.summary.capacity = Some(brunt_history::Capacity::default());
        store.put_run(&search).unwrap();
        let last = store.last_runs(4).unwrap();
        let told: Vec<(&str, Vec<f64>)> = last
            .iter()
            .map(|it| {
                (it.test.as_str(), it.points.iter().filter_map(|point| point.p99_ms).collect())
            })
            .collect();
        let wanted = [("lx", vec![18.0, 20.0, 21.0, 22.0]), ("ly", vec![4.0, 9.0, 14.0, 19.0])];
        assert_eq!(told, wanted);
        assert_eq!(last[0].newest.summary.started, "2026-11-23T22:00:00Z");
        assert_eq!(
            store.test("lx").unwrap().map(|test| (test.runs, test.load)),
            Some((20, "x".to_owned()))
        );
        assert_eq!(store.test_of(search.id.as_str()).unwrap(), "lx");
    }

    #[test]
    fn run_is_compared_once_with_the_newest_baseline() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let id = |number: usize| format!("{number:024x}");
        for number in 1..4 {
            let mut run = entry(number, "x", None);
            run.about.baseline = number == 1;
            store.put_run(&run).unwrap();
        }
        store.put_run(&entry(9, "y", None)).unwrap();
        let uncompared = || store.uncompared(9).unwrap();
        assert_eq!(uncompared(), [(id(3), id(1)), (id(2), id(1))]);
        store.put_comparison(&id(3), &id(1), "{}").unwrap();
        assert_eq!(uncompared(), [(id(2), id(1))]);
        // What people write about a run does not lose it; removing the run does.
        store.put_run(&entry(3, "x", None)).unwrap();
        assert_eq!(store.comparison(&id(3)).unwrap().as_deref(), Some("{}"));
        store.forget_run(&id(3)).unwrap();
        assert_eq!(store.comparison(&id(3)).unwrap(), None);
    }

    #[test]
    fn target_of_last_run_must_still_be_listed() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(store.targets().unwrap(), Vec::<Target>::new());
        store.add_plan("p", "", ("ada", 1)).unwrap();
        store.put_run(&entry(1, "x", Some("p, revision 1"))).unwrap();
        assert_eq!(store.test("p1").unwrap().map(|test| test.target), Some(None));
        assert_eq!(store.last_seconds(1).unwrap(), Some(10.0));
        assert_eq!(store.last_seconds(2).unwrap(), None);
    }
}

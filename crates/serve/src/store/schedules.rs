//! Schedules: plans that run at given times, and the result of each time.

use rusqlite::Row;

use super::{Result, Store};

/// The number of past times that are kept for a schedule.
const OCCASIONS_KEPT: i64 = 200;

/// A plan that runs at given times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub(crate) id: i64,
    pub(crate) plan: i64,
    pub(crate) target: i64,
    /// A cron line.
    pub(crate) times: String,
    /// The time zone of the cron line.
    pub(crate) zone: String,
    /// Hours in which no run begins; may be empty.
    pub(crate) quiet: String,
    /// How long a run lasts; empty for the plan's duration.
    pub(crate) duration: String,
    /// Whether a run that is due in quiet hours waits for their end.
    pub(crate) waits: bool,
    pub(crate) by: String,
    /// The time up to which due times were handled.
    pub(crate) seen: i64,
    /// The webhook that receives the results.
    pub(crate) hook: Option<i64>,
    /// How many agents share its runs; without it this machine makes the load.
    pub(crate) agents: Option<u32>,
    /// Whether it starts no runs for now.
    pub(crate) paused: bool,
}

/// A time of a schedule that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DueRun {
    pub(crate) at: i64,
    /// The run that was started.
    pub(crate) run: Option<String>,
    /// Why no run was started.
    pub(crate) missed: String,
    /// The result of the run, in words; empty while it is active.
    pub(crate) outcome: String,
    /// The outcome of the message to the webhook; empty if there is none, or none yet.
    pub(crate) delivery: String,
}

/// A time that has come, whose result has not been reported yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreportedRun {
    pub(crate) schedule: i64,
    pub(crate) at: i64,
    pub(crate) run: Option<String>,
    pub(crate) missed: String,
    /// How many times the report was tried.
    pub(crate) tries: i64,
}

fn schedule(row: &Row<'_>) -> rusqlite::Result<Schedule> {
    Ok(Schedule {
        id: row.get(0)?,
        plan: row.get(1)?,
        target: row.get(2)?,
        times: row.get(3)?,
        zone: row.get(4)?,
        quiet: row.get(5)?,
        duration: row.get(6)?,
        waits: row.get(7)?,
        by: row.get(8)?,
        seen: row.get(9)?,
        hook: row.get(10)?,
        agents: row.get(11)?,
        paused: row.get(12)?,
    })
}

impl Store {
    /// All schedules.
    pub(crate) fn schedules(&self) -> Result<Vec<Schedule>> {
        self.read(|file| {
            let query = "SELECT id, plan, target, times, zone, quiet, duration, waits, author, seen, hook, \
                       agents, paused FROM schedule ORDER BY id LIMIT 1000";
            let mut all = file.prepare(query)?;
            let schedules = all.query_map([], schedule)?;
            Ok(schedules.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds a schedule, ignoring its `id`.
    pub(crate) fn add_schedule(&self, it: &Schedule) -> Result<i64> {
        self.write(|file| {
            let add = "INSERT INTO schedule (plan, target, times, zone, quiet, duration, waits, author, seen, hook, \
                       agents) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
            let values = (
                it.plan, it.target, &it.times, &it.zone, &it.quiet, &it.duration, it.waits, &it.by, it.seen, it.hook,
                it.agents,
            );
            file.execute(add, values)?;
            Ok(file.last_insert_rowid())
        })
    }

    /// One schedule.
    pub(crate) fn schedule(&self, id: i64) -> Result<Option<Schedule>> {
        Ok(self.schedules()?.into_iter().find(|schedule| schedule.id == id))
    }

    /// Replaces everything about a schedule but its plan, and whether it is paused; false if there is none.
    pub(crate) fn change_schedule(&self, it: &Schedule) -> Result<bool> {
        self.write(|file| {
            let change = "UPDATE schedule SET target = ?2, times = ?3, zone = ?4, quiet = ?5, duration = ?6, \
                          waits = ?7, author = ?8, seen = ?9, hook = ?10, agents = ?11 WHERE id = ?1";
            let values = (
                it.id, it.target, &it.times, &it.zone, &it.quiet, &it.duration, it.waits, &it.by, it.seen, it.hook,
                it.agents,
            );
            Ok(file.execute(change, values)? > 0)
        })
    }

    /// Removes a schedule; false if there is none.
    pub(crate) fn remove_schedule(&self, id: i64) -> Result<bool> {
        if self.schedule(id)?.is_none() {
            return Ok(false);
        }
        self.write(|file| Ok(file.execute("DELETE FROM schedule WHERE id = ?1", [id])? > 0))
    }

    /// Lets a schedule start no more runs, or start them again; false if there is none.
    pub(crate) fn pause_schedule(&self, id: i64, paused: bool) -> Result<bool> {
        if self.schedule(id)?.is_none() {
            return Ok(false);
        }
        self.write(|file| {
            let change = "UPDATE schedule SET paused = ?2 WHERE id = ?1";
            Ok(file.execute(change, (id, paused))? > 0)
        })
    }

    /// Stores the time up to which due times were handled.
    pub(crate) fn schedule_seen(&self, id: i64, seen: i64) -> Result<()> {
        self.write(|file| {
            file.execute("UPDATE schedule SET seen = ?2 WHERE id = ?1", (id, seen))?;
            Ok(())
        })
    }

    /// Stores a time that has come, with its run or the reason why there is none.
    pub(crate) fn add_occasion(
        &self,
        schedule: i64,
        at: i64,
        run: Option<&str>,
        missed: &str,
    ) -> Result<()> {
        self.write(|file| {
            let put = "INSERT OR REPLACE INTO occasion (schedule, at, run, missed, due) VALUES (?1, ?2, ?3, ?4, 0)";
            file.execute(put, (schedule, at, run, missed))?;
            let old = "DELETE FROM occasion WHERE schedule = ?1 AND at NOT IN \
                       (SELECT at FROM occasion WHERE schedule = ?1 ORDER BY at DESC LIMIT ?2)";
            file.execute(old, (schedule, OCCASIONS_KEPT))?;
            Ok(())
        })
    }

    /// How many times of a schedule that have come are kept.
    pub(crate) fn occasion_count(&self, schedule: i64) -> Result<i64> {
        self.read(|file| {
            let query = "SELECT count(*) FROM occasion WHERE schedule = ?1";
            Ok(file.query_row(query, [schedule], |row| row.get(0))?)
        })
    }

    /// The last times of a schedule that have come, newest first.
    pub(crate) fn occasions(&self, schedule: i64, most: i64) -> Result<Vec<DueRun>> {
        self.read(|file| {
            let query = "SELECT at, run, missed, outcome, told FROM occasion WHERE schedule = ?1 \
                       ORDER BY at DESC LIMIT ?2";
            let mut all = file.prepare(query)?;
            let runs = all.query_map((schedule, most), |row| {
                Ok(DueRun {
                    at: row.get(0)?,
                    run: row.get(1)?,
                    missed: row.get(2)?,
                    outcome: row.get(3)?,
                    delivery: row.get(4)?,
                })
            })?;
            Ok(runs.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Store {
    /// The times whose results must be reported now, oldest first.
    pub(crate) fn unreported(&self, now: i64, most: i64) -> Result<Vec<UnreportedRun>> {
        self.read(|file| {
            let query = "SELECT schedule, at, run, missed, tries FROM occasion WHERE due <= ?1 ORDER BY at LIMIT ?2";
            let mut all = file.prepare(query)?;
            let unreported = all.query_map([now, most], |row| {
                Ok(UnreportedRun {
                    schedule: row.get(0)?,
                    at: row.get(1)?,
                    run: row.get(2)?,
                    missed: row.get(3)?,
                    tries: row.get(4)?,
                })
            })?;
            Ok(unreported.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Stores the result of a time, the outcome of its report, and when to try again, if at all.
    pub(crate) fn settle(
        &self,
        of: &UnreportedRun,
        (outcome, delivery): (&str, &str),
        due: Option<i64>,
    ) -> Result<()> {
        self.write(|file| {
            let change = "UPDATE occasion SET outcome = ?3, told = ?4, tries = ?5, due = ?6 \
                          WHERE schedule = ?1 AND at = ?2";
            file.execute(change, (of.schedule, of.at, outcome, delivery, of.tries, due))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_result_is_checked_until_settled() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let plan = store.add_plan("p", "", ("ada", 1)).unwrap().unwrap();
        let id = store.add_schedule(&Schedule { plan, ..Schedule::default() }).unwrap();
        store.add_occasion(id, 60, Some("r"), "").unwrap();
        let [unreported] = &store.unreported(100, 9).unwrap()[..] else { panic!("one") };
        let tried = UnreportedRun { tries: 1, ..unreported.clone() };
        store.settle(&tried, ("valid", "no answer"), Some(200)).unwrap();
        assert_eq!(store.unreported(199, 9).unwrap(), []);
        assert_eq!(store.unreported(200, 9).unwrap(), std::slice::from_ref(&tried));
        store.settle(&tried, ("valid", "delivered"), None).unwrap();
        assert_eq!(store.unreported(i64::MAX, 9).unwrap(), []);
        let runs = store.occasions(id, 9).unwrap();
        assert_eq!((runs[0].outcome.as_str(), runs[0].delivery.as_str()), ("valid", "delivered"));
    }

    #[test]
    fn schedule_times_are_stored_and_removed_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let plan = store.add_plan("p", "", ("ada", 1)).unwrap().unwrap();
        let made = Schedule {
            plan,
            target: 1,
            times: "0 * * * *".to_owned(),
            agents: Some(3),
            ..Schedule::default()
        };
        let id = store.add_schedule(&made).unwrap();
        store.schedule_seen(id, 7).unwrap();
        assert_eq!(store.schedules().unwrap(), [Schedule { id, seen: 7, ..made.clone() }]);
        assert!(store.pause_schedule(id, true).unwrap() && !store.pause_schedule(9, true).unwrap());
        assert!(store.schedules().unwrap()[0].paused);
        let changed = Schedule {
            id,
            times: "5 * * * *".to_owned(),
            by: "bea".to_owned(),
            seen: 9,
            paused: true,
            agents: None,
            ..made
        };
        assert!(store.change_schedule(&changed).unwrap());
        assert_eq!(store.schedule(id).unwrap(), Some(changed.clone()));
        assert!(!store.change_schedule(&Schedule { id: 9, ..changed }).unwrap());
        for at in 0..OCCASIONS_KEPT + 5 {
            store.add_occasion(id, at, None, "why").unwrap();
        }
        let runs = store.occasions(id, 1_000).unwrap();
        assert_eq!((runs.len(), runs[0].at), (OCCASIONS_KEPT as usize, OCCASIONS_KEPT + 4));
        assert!(store.remove_schedule(id).unwrap() && !store.remove_schedule(id).unwrap());
        assert_eq!(store.occasions(id, 10).unwrap(), []);
    }
}

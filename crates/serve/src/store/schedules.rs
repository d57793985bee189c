//! Runs at times: what is to be run when, and what became of each time.

use rusqlite::Row;

use super::{Result, Store};

/// Times of a schedule that are kept.
const OCCASIONS_KEPT: i64 = 200;

/// A plan that is run at times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub(crate) id: i64,
    pub(crate) plan: i64,
    pub(crate) target: i64,
    /// A line of cron.
    pub(crate) times: String,
    /// The time zone of that line.
    pub(crate) zone: String,
    /// Hours in which nothing begins; may be empty.
    pub(crate) quiet: String,
    /// How long a run goes on; empty for what the plan says.
    pub(crate) duration: String,
    /// Whether it waits for the end of the quiet hours.
    pub(crate) waits: bool,
    pub(crate) by: String,
    /// Up to when times were looked at.
    pub(crate) seen: i64,
    /// The webhook that is told what became of it.
    pub(crate) hook: Option<i64>,
    /// How many agents share its runs, if it is not this machine that makes the load.
    pub(crate) agents: Option<u32>,
}

/// A time that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) at: i64,
    /// The run that it was kept by.
    pub(crate) run: Option<String>,
    /// Why it was not.
    pub(crate) missed: String,
    /// What came of the run, in words; empty while it goes on.
    pub(crate) outcome: String,
    /// What came of telling it to a webhook; empty if that is not to be done, or not yet.
    pub(crate) told: String,
}

/// A time that came, of which it is not told yet what became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Untold {
    pub(crate) schedule: i64,
    pub(crate) at: i64,
    pub(crate) run: Option<String>,
    pub(crate) missed: String,
    /// How often it was tried to tell it.
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
    })
}

impl Store {
    /// All of them.
    pub(crate) fn schedules(&self) -> Result<Vec<Schedule>> {
        self.read(|file| {
            let ask = "SELECT id, plan, target, times, zone, quiet, duration, waits, author, seen, hook, \
                       agents FROM schedule ORDER BY id LIMIT 1000";
            let mut all = file.prepare(ask)?;
            let schedules = all.query_map([], schedule)?;
            Ok(schedules.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds one, whatever its id says.
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

    /// Removes one; false if there is none.
    pub(crate) fn remove_schedule(&self, id: i64) -> Result<bool> {
        self.write(|file| Ok(file.execute("DELETE FROM schedule WHERE id = ?1", [id])? > 0))
    }

    /// Says up to when times were looked at.
    pub(crate) fn schedule_seen(&self, id: i64, seen: i64) -> Result<()> {
        self.write(|file| {
            file.execute("UPDATE schedule SET seen = ?2 WHERE id = ?1", (id, seen))?;
            Ok(())
        })
    }

    /// Notes what became of a time.
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

    /// The last times of one that came, the newest first.
    pub(crate) fn occasions(&self, schedule: i64, most: i64) -> Result<Vec<Came>> {
        self.read(|file| {
            let ask = "SELECT at, run, missed, outcome, told FROM occasion WHERE schedule = ?1 \
                       ORDER BY at DESC LIMIT ?2";
            let mut all = file.prepare(ask)?;
            let came = all.query_map((schedule, most), |row| {
                Ok(Came {
                    at: row.get(0)?,
                    run: row.get(1)?,
                    missed: row.get(2)?,
                    outcome: row.get(3)?,
                    told: row.get(4)?,
                })
            })?;
            Ok(came.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Store {
    /// Times that came of which it is to be told now what became, the oldest first.
    pub(crate) fn untold(&self, now: i64, most: i64) -> Result<Vec<Untold>> {
        self.read(|file| {
            let ask = "SELECT schedule, at, run, missed, tries FROM occasion WHERE due <= ?1 ORDER BY at LIMIT ?2";
            let mut all = file.prepare(ask)?;
            let untold = all.query_map([now, most], |row| {
                Ok(Untold {
                    schedule: row.get(0)?,
                    at: row.get(1)?,
                    run: row.get(2)?,
                    missed: row.get(3)?,
                    tries: row.get(4)?,
                })
            })?;
            Ok(untold.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes what came of a time, what came of telling it, and when to look at it again, if that is to be.
    pub(crate) fn settle(
        &self,
        of: &Untold,
        (outcome, told): (&str, &str),
        due: Option<i64>,
    ) -> Result<()> {
        self.write(|file| {
            let change = "UPDATE occasion SET outcome = ?3, told = ?4, tries = ?5, due = ?6 \
                          WHERE schedule = ?1 AND at = ?2";
            file.execute(change, (of.schedule, of.at, outcome, told, of.tries, due))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_time_is_looked_at_until_it_is_settled() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let plan = store.add_plan("p", "", ("ada", 1)).unwrap().unwrap();
        let id = store.add_schedule(&Schedule { plan, ..Schedule::default() }).unwrap();
        store.add_occasion(id, 60, Some("r"), "").unwrap();
        let [untold] = &store.untold(100, 9).unwrap()[..] else { panic!("one") };
        let tried = Untold { tries: 1, ..untold.clone() };
        store.settle(&tried, ("valid", "no answer"), Some(200)).unwrap();
        assert_eq!(store.untold(199, 9).unwrap(), []);
        assert_eq!(store.untold(200, 9).unwrap(), std::slice::from_ref(&tried));
        store.settle(&tried, ("valid", "delivered"), None).unwrap();
        assert_eq!(store.untold(i64::MAX, 9).unwrap(), []);
        let came = store.occasions(id, 9).unwrap();
        assert_eq!((came[0].outcome.as_str(), came[0].told.as_str()), ("valid", "delivered"));
    }

    #[test]
    fn times_that_came_are_kept_with_their_schedule() {
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
        assert_eq!(store.schedules().unwrap(), [Schedule { id, seen: 7, ..made }]);
        for at in 0..OCCASIONS_KEPT + 5 {
            store.add_occasion(id, at, None, "why").unwrap();
        }
        let came = store.occasions(id, 1_000).unwrap();
        assert_eq!((came.len(), came[0].at), (OCCASIONS_KEPT as usize, OCCASIONS_KEPT + 4));
        assert!(store.remove_schedule(id).unwrap() && !store.remove_schedule(id).unwrap());
        assert_eq!(store.occasions(id, 10).unwrap(), []);
    }
}

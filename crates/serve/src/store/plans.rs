//! Plans: texts with revisions. A revision never changes.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};

/// A plan in one of its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The number of the revision, counted from 1.
    pub(crate) revision: i64,
    pub(crate) text: String,
    pub(crate) by: String,
    pub(crate) at: i64,
    /// The notes of the import that made it, in lines.
    pub(crate) note: String,
    /// The project that its test belongs to; without one all users see it.
    pub(crate) project: Option<i64>,
}

const NEWEST: &str = "SELECT plan.id, name, revision, text, author, at, note, project \
                      FROM plan JOIN revision ON plan = plan.id \
                      WHERE revision = (SELECT max(revision) FROM revision WHERE plan = plan.id)";

fn plan(row: &Row<'_>) -> rusqlite::Result<Plan> {
    Ok(Plan {
        id: row.get(0)?,
        name: row.get(1)?,
        revision: row.get(2)?,
        text: row.get(3)?,
        by: row.get(4)?,
        at: row.get(5)?,
        note: row.get(6)?,
        project: row.get(7)?,
    })
}

impl Store {
    /// All plans in their newest revision, by name.
    pub(crate) fn plans(&self) -> Result<Vec<Plan>> {
        self.read(|file| {
            let mut all = file.prepare(&format!("{NEWEST} ORDER BY name"))?;
            let plans = all.query_map([], plan)?;
            Ok(plans.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A plan in its newest revision.
    pub(crate) fn plan(&self, id: i64) -> Result<Option<Plan>> {
        self.read(|file| {
            Ok(file.query_row(&format!("{NEWEST} AND plan.id = ?1"), [id], plan).optional()?)
        })
    }

    /// All revisions of a plan, newest first.
    pub(crate) fn revisions(&self, id: i64) -> Result<Vec<Plan>> {
        self.read(|file| {
            let query = "SELECT plan.id, name, revision, text, author, at, note, project FROM plan \
                       JOIN revision ON plan = plan.id WHERE plan.id = ?1 ORDER BY revision DESC LIMIT 200";
            let mut all = file.prepare(query)?;
            let plans = all.query_map([id], plan)?;
            Ok(plans.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds a plan; `None` if the name is taken.
    pub(crate) fn add_plan(&self, name: &str, text: &str, by: (&str, i64)) -> Result<Option<i64>> {
        self.add_plan_to((name, None), (text, ""), by)
    }

    /// Adds a plan to a project, with the notes of its import.
    pub(crate) fn add_plan_to(
        &self,
        (name, project): (&str, Option<i64>),
        (text, note): (&str, &str),
        by: (&str, i64),
    ) -> Result<Option<i64>> {
        self.write(|file| {
            let add = "INSERT OR IGNORE INTO plan (name, project) VALUES (?1, ?2)";
            if file.execute(add, (name, project))? == 0 {
                return Ok(None);
            }
            let id = file.last_insert_rowid();
            let add = "INSERT INTO revision (plan, revision, text, author, at, note) VALUES (?1, 1, ?2, ?3, ?4, ?5)";
            file.execute(add, (id, text, by.0, by.1, note))?;
            Ok(Some(id))
        })
    }

    /// Adds a revision that follows `after`; false if another one was added in the meantime.
    pub(crate) fn revise_plan(
        &self,
        id: i64,
        after: i64,
        text: &str,
        by: (&str, i64),
    ) -> Result<bool> {
        self.write(|file| {
            let newest = "SELECT coalesce(max(revision), 0) FROM revision WHERE plan = ?1";
            let newest: i64 = file.query_row(newest, [id], |row| row.get(0))?;
            if newest != after {
                return Ok(false);
            }
            let add = "INSERT INTO revision (plan, revision, text, author, at) VALUES (?1, ?2, ?3, ?4, ?5)";
            file.execute(add, (id, after + 1, text, by.0, by.1))?;
            Ok(true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_revision_conflict_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let id = store.add_plan("login", "a", ("ada", 1)).unwrap().unwrap();
        assert_eq!(store.add_plan("LOGIN", "b", ("bob", 2)).unwrap(), None);
        assert!(store.revise_plan(id, 1, "b", ("bob", 2)).unwrap());
        assert!(!store.revise_plan(id, 1, "c", ("cyd", 3)).unwrap());
        let newest = store.plan(id).unwrap().unwrap();
        assert_eq!((newest.revision, newest.text.as_str(), newest.by.as_str()), (2, "b", "bob"));
        assert_eq!(store.revisions(id).unwrap().len(), 2);
        assert_eq!(store.plans().unwrap(), [newest]);
    }
}

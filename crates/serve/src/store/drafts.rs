//! Drafts: what a person typed into a plan and has not saved, with the texts before it; and the target of its last run.

use rusqlite::{OptionalExtension as _, params};

use super::{Result, Store};

/// The most texts of a plan that are kept for a person.
const KEPT_MAX: i64 = 20;
/// The most plans of which a person has drafts; the oldest are dropped.
const PLANS_MAX: i64 = 30;

/// What a person typed into a plan and has not saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    /// The revision that was edited.
    pub(crate) revision: i64,
    pub(crate) text: String,
    /// What could not be written into the text, as a JSON object of fields.
    pub(crate) typed: String,
}

impl Store {
    /// The newest draft of a person.
    pub(crate) fn draft(&self, person: i64, plan: i64) -> Result<Option<Draft>> {
        self.read(|file| {
            let query = "SELECT revision, text, typed FROM draft WHERE person = ?1 AND plan = ?2 \
                       ORDER BY number DESC LIMIT 1";
            let draft = file.query_row(query, [person, plan], |row| {
                Ok(Draft { revision: row.get(0)?, text: row.get(1)?, typed: row.get(2)? })
            });
            Ok(draft.optional()?)
        })
    }

    /// Keeps a draft after the others, unless it is the newest already.
    pub(crate) fn keep_draft(&self, person: i64, plan: i64, draft: &Draft, at: i64) -> Result<()> {
        if self.draft(person, plan)?.as_ref() == Some(draft) {
            return Ok(());
        }
        self.write(|file| {
            let newest = "SELECT coalesce(max(number), 0) FROM draft WHERE person = ?1 AND plan = ?2";
            let number: i64 = file.query_row(newest, [person, plan], |row| row.get(0))?;
            let number = number + 1;
            let add = "INSERT INTO draft (person, plan, number, revision, text, typed, at) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            file.execute(
                add,
                params![person, plan, number, draft.revision, draft.text, draft.typed, at],
            )?;
            let old = "DELETE FROM draft WHERE person = ?1 AND plan = ?2 AND number <= ?3";
            file.execute(old, [person, plan, number - KEPT_MAX])?;
            let others = "DELETE FROM draft WHERE person = ?1 AND plan NOT IN (SELECT plan FROM draft \
                          WHERE person = ?1 GROUP BY plan ORDER BY max(at) DESC, plan LIMIT ?2)";
            file.execute(others, [person, PLANS_MAX])?;
            Ok(())
        })
    }

    /// Drops the newest draft, so that the one before it is the newest.
    pub(crate) fn undo_draft(&self, person: i64, plan: i64) -> Result<()> {
        self.write(|file| {
            let newest = "DELETE FROM draft WHERE person = ?1 AND plan = ?2 AND number = \
                          (SELECT max(number) FROM draft WHERE person = ?1 AND plan = ?2)";
            file.execute(newest, [person, plan])?;
            Ok(())
        })
    }

    /// Drops all drafts of a person of a plan.
    pub(crate) fn drop_drafts(&self, person: i64, plan: i64) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM draft WHERE person = ?1 AND plan = ?2", [person, plan])?;
            Ok(())
        })
    }

    /// The target of the last run of a plan.
    pub(crate) fn last_target(&self, plan: i64) -> Result<Option<i64>> {
        self.read(|file| {
            let query = "SELECT target FROM last_target WHERE plan = ?1";
            Ok(file.query_row(query, [plan], |row| row.get(0)).optional()?)
        })
    }

    /// Remembers the target of a run of a plan.
    pub(crate) fn remember_target(&self, plan: i64, target: i64) -> Result<()> {
        self.note_use(|file| {
            let put = "INSERT INTO last_target (plan, target) VALUES (?1, ?2) \
                       ON CONFLICT (plan) DO UPDATE SET target = ?2";
            file.execute(put, [plan, target])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Role;

    fn draft(text: &str) -> Draft {
        Draft { revision: 1, text: text.to_owned(), typed: "{}".to_owned() }
    }

    #[test]
    fn drafts_are_per_person_with_undo() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let plan = store.add_plan("login", "a", ("ada", 1)).unwrap().unwrap();
        let [ada, bob] =
            ["ada", "bob"].map(|name| store.add_user(name, Role::Runner, 1).unwrap().unwrap());
        for text in ["b", "c", "c"] {
            store.keep_draft(ada, plan, &draft(text), 2).unwrap();
        }
        assert_eq!(store.draft(ada, plan).unwrap(), Some(draft("c")));
        assert_eq!(store.draft(bob, plan).unwrap(), None);
        store.undo_draft(ada, plan).unwrap();
        assert_eq!(store.draft(ada, plan).unwrap(), Some(draft("b")));
        store.undo_draft(ada, plan).unwrap();
        assert_eq!(store.draft(ada, plan).unwrap(), None);
    }

    #[test]
    fn drafts_are_limited() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let ada = store.add_user("ada", Role::Runner, 1).unwrap().unwrap();
        let add = |number: i64| store.add_plan(&format!("plan {number}"), "", ("ada", 1));
        let plans: Vec<i64> = (0..=PLANS_MAX).map(|at| add(at).unwrap().unwrap()).collect();
        for (at, plan) in (0..).zip(&plans) {
            for text in 0..KEPT_MAX + 3 {
                store.keep_draft(ada, *plan, &draft(&text.to_string()), at).unwrap();
            }
        }
        let count = "SELECT count(*) FROM draft";
        let kept: i64 =
            store.read(|file| Ok(file.query_row(count, [], |row| row.get(0))?)).unwrap();
        assert_eq!(kept, KEPT_MAX * PLANS_MAX);
        assert_eq!(store.draft(ada, plans[0]).unwrap(), None);
        store.remember_target(plans[0], 7).unwrap();
        store.remember_target(plans[0], 8).unwrap();
        assert_eq!(store.last_target(plans[0]).unwrap(), Some(8));
    }
}

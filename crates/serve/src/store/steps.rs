//! The step library: steps that are inserted into plans as copies.

use rusqlite::Row;

use super::{Result, Store};

/// A stored step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) note: String,
    /// Its keys, as TOML.
    pub(crate) text: String,
    pub(crate) by: String,
    pub(crate) at: i64,
}

fn step(row: &Row<'_>) -> rusqlite::Result<Step> {
    Ok(Step {
        id: row.get(0)?,
        name: row.get(1)?,
        note: row.get(2)?,
        text: row.get(3)?,
        by: row.get(4)?,
        at: row.get(5)?,
    })
}

impl Store {
    /// All steps, by name.
    pub(crate) fn steps(&self) -> Result<Vec<Step>> {
        self.read(|file| {
            let query =
                "SELECT id, name, note, text, author, at FROM step ORDER BY name LIMIT 1000";
            let mut all = file.prepare(query)?;
            let steps = all.query_map([], step)?;
            Ok(steps.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Stores a step under a name, and replaces the one with the same name.
    pub(crate) fn keep_step(
        &self,
        name: &str,
        (text, note): (&str, &str),
        by: (&str, i64),
    ) -> Result<()> {
        self.write(|file| {
            let put = "INSERT INTO step (name, text, note, author, at) VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT (name) DO UPDATE SET text = ?2, note = ?3, author = ?4, at = ?5";
            file.execute(put, (name, text, note, by.0, by.1))?;
            Ok(())
        })
    }

    /// Removes a step. Returns its name.
    pub(crate) fn remove_step(&self, id: i64) -> Result<Option<String>> {
        self.write(|file| {
            let mut removed = file.prepare("DELETE FROM step WHERE id = ?1 RETURNING name")?;
            let names = removed.query_map([id], |row| row.get(0))?;
            let mut names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
            Ok(names.pop())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_step_is_stored_replaced_and_removed() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        store.keep_step("login", ("get = \"/\"", "a"), ("ada", 1)).unwrap();
        store.keep_step("LOGIN", ("get = \"/b\"", "b"), ("bob", 2)).unwrap();
        let [kept] = &store.steps().unwrap()[..] else { panic!("not one") };
        assert_eq!((kept.text.as_str(), kept.by.as_str()), ("get = \"/b\"", "bob"));
        assert_eq!(store.remove_step(kept.id).unwrap().as_deref(), Some("login"));
        assert_eq!(store.remove_step(kept.id).unwrap(), None);
    }
}

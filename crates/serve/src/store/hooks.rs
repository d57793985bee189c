//! Webhooks: where schedules send the results of their runs, and the keys that sign the messages, encrypted.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};

/// A webhook, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) by: String,
    pub(crate) at: i64,
}

fn hook(row: &Row<'_>) -> rusqlite::Result<Hook> {
    Ok(Hook {
        id: row.get(0)?,
        name: row.get(1)?,
        url: row.get(2)?,
        by: row.get(3)?,
        at: row.get(4)?,
    })
}

impl Store {
    /// All webhooks, by name.
    pub(crate) fn hooks(&self) -> Result<Vec<Hook>> {
        self.read(|file| {
            let ask = "SELECT id, name, url, author, at FROM hook ORDER BY name LIMIT 1000";
            let mut all = file.prepare(ask)?;
            let hooks = all.query_map([], hook)?;
            Ok(hooks.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// One webhook, and its encrypted key.
    pub(crate) fn hook(&self, id: i64) -> Result<Option<(Hook, Vec<u8>)>> {
        self.read(|file| {
            let ask = "SELECT id, name, url, author, at, sealed FROM hook WHERE id = ?1";
            Ok(file.query_row(ask, [id], |row| Ok((hook(row)?, row.get(5)?))).optional()?)
        })
    }

    /// Adds a webhook, ignoring its `id`; false if the name is taken.
    pub(crate) fn add_hook(&self, it: &Hook, sealed: &[u8]) -> Result<bool> {
        self.write(|file| {
            let add =
                "INSERT OR IGNORE INTO hook (name, url, sealed, author, at) VALUES (?1, ?2, ?3, ?4, ?5)";
            Ok(file.execute(add, (&it.name, &it.url, sealed, &it.by, it.at))? > 0)
        })
    }

    /// Removes a webhook; false if there is none. Its schedules send no more messages.
    pub(crate) fn end_hook(&self, id: i64) -> Result<bool> {
        self.write(|file| {
            file.execute("UPDATE schedule SET hook = NULL WHERE hook = ?1", [id])?;
            Ok(file.execute("DELETE FROM hook WHERE id = ?1", [id])? > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_kept_once_by_its_name_and_leaves_no_schedule_behind_that_names_it() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let given = Hook {
            id: 1,
            name: "ci".to_owned(),
            url: "https://ci.example.com/hook".to_owned(),
            by: "ada".to_owned(),
            at: 7,
        };
        assert!(store.add_hook(&given, b"sealed").unwrap());
        assert!(!store.add_hook(&Hook { name: "CI".to_owned(), ..given.clone() }, b"x").unwrap());
        assert_eq!(store.hooks().unwrap(), std::slice::from_ref(&given));
        assert_eq!(store.hook(1).unwrap(), Some((given, b"sealed".to_vec())));
        let plan = store.add_plan("p", "", ("ada", 1)).unwrap().unwrap();
        let made = crate::store::Schedule { plan, hook: Some(1), ..Default::default() };
        store.add_schedule(&made).unwrap();
        assert!(store.end_hook(1).unwrap() && !store.end_hook(1).unwrap());
        assert_eq!(store.schedules().unwrap()[0].hook, None);
    }
}

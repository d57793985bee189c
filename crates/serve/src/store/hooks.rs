//! Webhooks: where schedules send the results of their runs, and the keys that sign the messages, encrypted.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};
use crate::notice::Format;

/// What is read of a webhook.
const COLUMNS: &str = "id, name, url, author, at, format, recipients, tried, told";

/// A webhook, without its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// Its URL; only the host of it if that is a secret.
    pub(crate) url: String,
    pub(crate) format: Format,
    /// Who receives mail.
    pub(crate) to: Vec<String>,
    pub(crate) by: String,
    pub(crate) at: i64,
    /// When a message was last sent, and the result.
    pub(crate) tried: Option<(i64, String)>,
}

fn hook(row: &Row<'_>) -> rusqlite::Result<Hook> {
    Ok(Hook {
        id: row.get(0)?,
        name: row.get(1)?,
        url: row.get(2)?,
        by: row.get(3)?,
        at: row.get(4)?,
        format: Format::from_key(&row.get::<_, String>(5)?).unwrap_or_default(),
        to: row.get::<_, String>(6)?.lines().map(str::to_owned).collect(),
        tried: row
            .get::<_, Option<i64>>(7)?
            .map(|at| Ok::<_, rusqlite::Error>((at, row.get(8)?)))
            .transpose()?,
    })
}

impl Store {
    /// All webhooks, by name.
    pub(crate) fn hooks(&self) -> Result<Vec<Hook>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM hook ORDER BY name LIMIT 1000");
            let mut all = file.prepare(&query)?;
            let hooks = all.query_map([], hook)?;
            Ok(hooks.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// One webhook, and its encrypted key.
    pub(crate) fn hook(&self, id: i64) -> Result<Option<(Hook, Vec<u8>)>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS}, sealed FROM hook WHERE id = ?1");
            Ok(file
                .query_row(&query, [id], |row| Ok((hook(row)?, row.get("sealed")?)))
                .optional()?)
        })
    }

    /// Adds a webhook, ignoring its `id`, and returns its id; `None` if the name is taken.
    pub(crate) fn add_hook(&self, it: &Hook, sealed: &[u8]) -> Result<Option<i64>> {
        self.write(|file| {
            let add = "INSERT OR IGNORE INTO hook (name, url, sealed, author, at, format, recipients) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let values =
                (&it.name, &it.url, sealed, &it.by, it.at, it.format.key(), it.to.join("\n"));
            let is_added = file.execute(add, values)? > 0;
            Ok(is_added.then(|| file.last_insert_rowid()))
        })
    }

    /// Stores the result of a message to a webhook.
    pub(crate) fn hook_tried(&self, id: i64, at: i64, result: &str) -> Result<()> {
        self.note_use(|file| {
            let change = "UPDATE hook SET tried = ?2, told = ?3 WHERE id = ?1";
            file.execute(change, (id, at, result))?;
            Ok(())
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
    fn webhook_name_is_unique_and_removal_clears_schedules() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let given = Hook {
            id: 1,
            name: "ci".to_owned(),
            url: "https://ci.example.com/hook".to_owned(),
            by: "ada".to_owned(),
            at: 7,
            format: Format::Mail,
            to: vec!["a@example.com".to_owned(), "b@example.com".to_owned()],
            tried: None,
        };
        assert_eq!(store.add_hook(&given, b"sealed").unwrap(), Some(1));
        let same = Hook { name: "CI".to_owned(), ..given.clone() };
        assert_eq!(store.add_hook(&same, b"x").unwrap(), None);
        assert_eq!(store.hooks().unwrap(), std::slice::from_ref(&given));
        assert_eq!(store.hook(1).unwrap(), Some((given.clone(), b"sealed".to_vec())));
        store.hook_tried(1, 9, "no answer").unwrap();
        let tried = Some((9, "no answer".to_owned()));
        assert_eq!(store.hooks().unwrap(), [Hook { tried, ..given }]);
        let plan = store.add_plan("p", "", ("ada", 1)).unwrap().unwrap();
        let made = crate::store::Schedule { plan, hook: Some(1), ..Default::default() };
        store.add_schedule(&made).unwrap();
        assert!(store.end_hook(1).unwrap() && !store.end_hook(1).unwrap());
        assert_eq!(store.schedules().unwrap()[0].hook, None);
    }
}

//! Targets: what runs may reach, and how hard. A run can reach nothing else.

use brunt_envelope::Grant;
use rusqlite::{OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};

use super::{Result, Store};

/// A target of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The values of `${env:NAME}` in a plan: `HOST` and so on, one `NAME=value` a line.
    pub(crate) settings: String,
    pub(crate) grant: Grant,
    /// When the permission expires, in seconds since 1970.
    pub(crate) expires: i64,
    /// Whether the user must type its name before a run begins.
    pub(crate) production: bool,
    /// Who owns it, and why it may be loaded.
    pub(crate) reason: String,
}

const COLUMNS: &str = "id, name, settings, granted, expires, production, reason";

fn target(row: &Row<'_>) -> rusqlite::Result<Target> {
    let granted: String = row.get(3)?;
    Ok(Target {
        id: row.get(0)?,
        name: row.get(1)?,
        settings: row.get(2)?,
        // A grant that cannot be read permits nothing.
        grant: serde_json::from_str(&granted).unwrap_or_default(),
        expires: row.get(4)?,
        production: row.get(5)?,
        reason: row.get(6)?,
    })
}

impl Store {
    /// All targets, by name.
    pub(crate) fn targets(&self) -> Result<Vec<Target>> {
        self.read(|file| {
            let mut all = file.prepare(&format!("SELECT {COLUMNS} FROM target ORDER BY name"))?;
            let targets = all.query_map([], target)?;
            Ok(targets.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A target by id.
    pub(crate) fn target(&self, id: i64) -> Result<Option<Target>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM target WHERE id = ?1");
            Ok(file.query_row(&query, [id], target).optional()?)
        })
    }

    /// Adds a target, and returns its id; `None` if the name is taken.
    pub(crate) fn add_target(&self, target: &Target) -> Result<Option<i64>> {
        let add = "INSERT OR IGNORE INTO target (name, settings, granted, expires, production, reason) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.write(|file| {
            let added = file.execute(add, values(target))?;
            Ok((added > 0).then(|| file.last_insert_rowid()))
        })
    }

    /// Adds a target, or replaces the one with the same name, which keeps its id: schedules refer to it.
    pub(crate) fn put_target(&self, target: &Target) -> Result<()> {
        let put = "INSERT INTO target (name, settings, granted, expires, production, reason) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (name) DO UPDATE SET name = ?1, settings = ?2, \
                   granted = ?3, expires = ?4, production = ?5, reason = ?6";
        self.write(|file| {
            file.execute(put, values(target))?;
            Ok(())
        })
    }

    /// Removes a target. Returns its name, if there was one.
    pub(crate) fn end_target(&self, id: i64) -> Result<Option<String>> {
        self.write(|file| {
            let removed = "DELETE FROM target WHERE id = ?1 RETURNING name";
            Ok(file.query_row(removed, [id], |row| row.get(0)).optional()?)
        })
    }
}

/// The values of a target, in the order of its columns.
fn values(target: &Target) -> (&str, &str, String, i64, bool, &str) {
    let granted = serde_json::to_string(&target.grant).unwrap_or_default();
    (&target.name, &target.settings, granted, target.expires, target.production, &target.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_replaced_keeps_its_id() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let target = |name: &str, reason: &str| Target {
            name: name.to_owned(),
            reason: reason.to_owned(),
            ..Target::default()
        };
        let id = store.add_target(&target("staging", "a")).unwrap().unwrap();
        store.add_target(&target("other", "a")).unwrap().unwrap();
        assert_eq!(store.add_target(&target("STAGING", "b")).unwrap(), None);
        store.put_target(&target("Staging", "c")).unwrap();
        let kept = store.target(id).unwrap().unwrap();
        assert_eq!((kept.name.as_str(), kept.reason.as_str()), ("Staging", "c"));
        assert_eq!(store.targets().unwrap().len(), 2);
    }
}

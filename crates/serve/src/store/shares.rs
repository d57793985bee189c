//! Links with which runs can be read without signing in. Only the hash of a link's secret is stored.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};
use crate::auth::Hash;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) id: i64,
    /// The ids of the runs; the first of a comparison is its baseline.
    pub(crate) runs: Vec<String>,
    /// Whether addresses, the environment and the plan are shown.
    pub(crate) whole: bool,
    pub(crate) by: String,
    pub(crate) created: i64,
    pub(crate) expires: i64,
}

fn share(row: &Row<'_>) -> rusqlite::Result<Share> {
    let runs: String = row.get(1)?;
    Ok(Share {
        id: row.get(0)?,
        runs: runs.split(' ').map(str::to_owned).collect(),
        whole: row.get(2)?,
        by: row.get(3)?,
        created: row.get(4)?,
        expires: row.get(5)?,
    })
}

const COLUMNS: &str = "id, runs, whole, author, created, expires";

impl Store {
    /// Adds a link that is valid until `expires`.
    pub(crate) fn add_share(
        &self,
        hash: &Hash,
        (runs, whole): (&[String], bool),
        by: &str,
        (now, expires): (i64, i64),
    ) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM share WHERE expires < ?1", [now])?;
            let add = "INSERT INTO share (hash, runs, whole, author, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            file.execute(add, (hash, runs.join(" "), whole, by, now, expires))?;
            Ok(())
        })
    }

    /// The link with this hash, if it has not expired.
    pub(crate) fn share(&self, hash: &Hash, now: i64) -> Result<Option<Share>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM share WHERE hash = ?1 AND expires >= ?2");
            Ok(file.query_row(&query, (hash, now), share).optional()?)
        })
    }

    /// The links that have not expired, newest first.
    pub(crate) fn shares(&self, now: i64) -> Result<Vec<Share>> {
        self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS} FROM share WHERE expires >= ?1 ORDER BY id DESC LIMIT 1000"
            );
            let mut all = file.prepare(&query)?;
            let shares = all.query_map([now], share)?;
            Ok(shares.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Ends a link; false if there is none.
    pub(crate) fn end_share(&self, id: i64) -> Result<bool> {
        self.write(|file| Ok(file.execute("DELETE FROM share WHERE id = ?1", [id])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_link_expires_or_is_revoked() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let runs = ["a".to_owned(), "b".to_owned()];
        store.add_share(&[1; 32], (&runs, false), "ada", (10, 20)).unwrap();
        let found = store.share(&[1; 32], 20).unwrap().unwrap();
        assert_eq!((&found.runs[..], found.whole), (&runs[..], false));
        assert_eq!(store.share(&[1; 32], 21).unwrap(), None);
        assert_eq!(store.share(&[2; 32], 15).unwrap(), None);
        assert_eq!(store.shares(15).unwrap(), std::slice::from_ref(&found));
        assert!(store.end_share(found.id).unwrap() && !store.end_share(found.id).unwrap());
        assert_eq!(store.share(&[1; 32], 15).unwrap(), None);
    }
}

//! Secrets of targets as they are stored: encrypted, and with the addresses to which they may be sent.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};

/// A secret, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecretRow {
    /// The name of its target.
    pub(crate) target: String,
    pub(crate) name: String,
    /// The addresses of the target when it was stored, as JSON.
    pub(crate) allow: String,
    pub(crate) by: String,
    pub(crate) at: i64,
    /// When a run last received it.
    pub(crate) used: Option<i64>,
}

const COLUMNS: &str = "target, name, allow, author, at, used";

fn secret(row: &Row<'_>) -> rusqlite::Result<SecretRow> {
    Ok(SecretRow {
        target: row.get(0)?,
        name: row.get(1)?,
        allow: row.get(2)?,
        by: row.get(3)?,
        at: row.get(4)?,
        used: row.get(5)?,
    })
}

impl Store {
    /// All secrets, by target and name.
    pub(crate) fn secrets(&self) -> Result<Vec<SecretRow>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM secret ORDER BY target, name");
            let mut all = file.prepare(&query)?;
            let secrets = all.query_map([], secret)?;
            Ok(secrets.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// One secret of a target, and its encrypted value.
    pub(crate) fn secret(&self, target: &str, name: &str) -> Result<Option<(SecretRow, Vec<u8>)>> {
        self.read(|file| {
            let query =
                format!("SELECT {COLUMNS}, sealed FROM secret WHERE target = ?1 AND name = ?2");
            let found =
                file.query_row(&query, [target, name], |row| Ok((secret(row)?, row.get(6)?)));
            Ok(found.optional()?)
        })
    }

    /// Stores a secret, and replaces the one with the same name.
    pub(crate) fn put_secret(&self, row: &SecretRow, sealed: &[u8]) -> Result<()> {
        self.write(|file| {
            let add = "INSERT OR REPLACE INTO secret (target, name, sealed, allow, author, at) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let SecretRow { target, name, allow, by, at, .. } = row;
            file.execute(add, (target, name, sealed, allow, by, at))?;
            Ok(())
        })
    }

    /// How many secrets of targets, keys of webhooks and client secrets are stored.
    pub(crate) fn sealed(&self) -> Result<i64> {
        self.read(|file| {
            let query = "SELECT (SELECT count(*) FROM secret) + (SELECT count(*) FROM hook) + \
                       (SELECT count(*) FROM provider)";
            Ok(file.query_row(query, [], |row| row.get(0))?)
        })
    }

    /// Stores that a run received the secret.
    pub(crate) fn secret_used(&self, target: &str, name: &str, now: i64) -> Result<()> {
        self.note_use(|file| {
            let change = "UPDATE secret SET used = ?3 WHERE target = ?1 AND name = ?2";
            file.execute(change, (target, name, now))?;
            Ok(())
        })
    }

    /// Removes a secret. Returns whether there was one.
    pub(crate) fn end_secret(&self, target: &str, name: &str) -> Result<bool> {
        self.write(|file| {
            let removed = "DELETE FROM secret WHERE target = ?1 AND name = ?2";
            Ok(file.execute(removed, [target, name])? > 0)
        })
    }

    /// Removes all secrets of a target.
    pub(crate) fn end_secrets(&self, target: &str) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM secret WHERE target = ?1", [target])?;
            Ok(())
        })
    }
}

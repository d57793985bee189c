//! The audit trail: who did what, in lines that are each authenticated together with the line before.
//!
//! The key is in a file of its own beside the database. A change, removal or insertion of a line without the key breaks
//! the chain from there on. Lines that were cut off at the end cannot be detected from the table: the number of lines,
//! compared with a copy elsewhere, shows them.

use std::path::Path;

use ring::hmac;

use super::{Result, Store};
use crate::auth::{KeyFileError, Secret};

/// The file of the key in the directory of a site.
pub(crate) const AUDIT_KEY: &str = "audit.key";
/// What precedes the number of the first line that a key seals, if it is not the first of all.
const FROM: &str = "from line ";

/// The key that seals the trail.
pub(crate) struct AuditKey {
    key: hmac::Key,
    /// The first line that it seals: an earlier key may have been lost.
    from: i64,
}

impl AuditKey {
    pub(crate) fn new(bytes: &[u8], from: i64) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, bytes), from }
    }

    /// Reads the key of a directory, or makes one.
    pub(crate) fn stored(directory: &Path) -> std::result::Result<Self, KeyFileError> {
        let (key, line) = Secret::stored(&directory.join(AUDIT_KEY))?;
        let from = line.and_then(|line| line.strip_prefix(FROM)?.parse().ok());
        Ok(Self::new(key.bytes(), from.unwrap_or(1)))
    }

    /// Makes a key for the lines from this one on, in place of one that was lost.
    pub(crate) fn renew(directory: &Path, from: i64) -> std::result::Result<(), KeyFileError> {
        let line = format!("{FROM}{from}\n");
        Secret::store_new(&directory.join(AUDIT_KEY), &line).map(drop)
    }

    /// The first line that it seals.
    pub(crate) const fn from(&self) -> i64 {
        self.from
    }
}

/// One line of the trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AuditLine {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) who: String,
    pub(crate) act: String,
    pub(crate) what: String,
}

/// The number of the first line whose authentication code is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenAt(pub(crate) i64);

impl Store {
    /// Adds a line to the trail.
    pub(crate) fn note(
        &self,
        key: &AuditKey,
        (at, who): (i64, &str),
        act: &str,
        what: &str,
    ) -> Result<()> {
        self.write(|file| {
            let last = "SELECT coalesce(max(id), 0), (SELECT mac FROM audit ORDER BY id DESC LIMIT 1) FROM audit";
            let (last, before): (i64, Option<Vec<u8>>) =
                file.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (who, act, what) = (who.to_owned(), act.to_owned(), what.to_owned());
            let line = AuditLine { id: last + 1, at, who, act, what };
            let mac = sealed(key, &line, before.as_deref().unwrap_or_default());
            let add = "INSERT INTO audit (id, at, who, act, what, mac) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            file.execute(add, (line.id, at, line.who, line.act, line.what, mac))?;
            Ok(())
        })
    }

    /// Whether the trail has a line of this act by this user.
    pub(crate) fn has_noted(&self, who: &str, act: &str, what: &str) -> Result<bool> {
        self.read(|file| {
            let query =
                "SELECT EXISTS (SELECT 1 FROM audit WHERE who = ?1 AND act = ?2 AND what = ?3)";
            Ok(file.query_row(query, [who, act, what], |row| row.get(0))?)
        })
    }

    /// The newest lines, newest first.
    pub(crate) fn audit(&self, most: i64) -> Result<Vec<AuditLine>> {
        self.read(|file| {
            let query = "SELECT id, at, who, act, what FROM audit ORDER BY id DESC LIMIT ?1";
            let mut all = file.prepare(query)?;
            let lines = all.query_map([most], |row| {
                let (id, at, who) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(AuditLine { id, at, who, act: row.get(3)?, what: row.get(4)? })
            })?;
            Ok(lines.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// How many lines there are.
    pub(crate) fn audit_lines(&self) -> Result<i64> {
        self.read(|file| Ok(file.query_row("SELECT count(*) FROM audit", [], |row| row.get(0))?))
    }

    /// How many lines the key seals, if every one of them is unchanged; otherwise the first that is not.
    pub(crate) fn verify_audit(
        &self,
        key: &AuditKey,
    ) -> Result<std::result::Result<i64, BrokenAt>> {
        self.read(|file| {
            let mut all =
                file.prepare("SELECT id, at, who, act, what, mac FROM audit ORDER BY id")?;
            let mut rows = all.query([])?;
            let (mut count, mut before) = (0, Vec::new());
            while let Some(row) = rows.next()? {
                let (id, at, who) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let line = AuditLine { id, at, who, act: row.get(3)?, what: row.get(4)? };
                let mac: Vec<u8> = row.get(5)?;
                count += 1;
                let is_sealed = count < key.from || sealed(key, &line, &before) == mac;
                if line.id != count || !is_sealed {
                    return Ok(Err(BrokenAt(count)));
                }
                before = mac;
            }
            Ok(Ok((count - key.from + 1).max(0)))
        })
    }
}

fn sealed(key: &AuditKey, line: &AuditLine, before: &[u8]) -> Vec<u8> {
    let mut seal = hmac::Context::with_key(&key.key);
    seal.update(before);
    seal.update(&line.id.to_be_bytes());
    seal.update(&line.at.to_be_bytes());
    for text in [&line.who, &line.act, &line.what] {
        seal.update(&(text.len() as u64).to_be_bytes());
        seal.update(text.as_bytes());
    }
    seal.sign().as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_trail_detects_a_changed_byte() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let key = AuditKey::new(&[7; 32], 1);
        for number in 0..5 {
            store.note(&key, (number, "ada"), "sign-in", "").unwrap();
        }
        assert_eq!(store.verify_audit(&key).unwrap(), Ok(5));
        let other = AuditKey::new(&[8; 32], 1);
        assert_eq!(store.verify_audit(&other).unwrap(), Err(BrokenAt(1)));
        for (change, broken) in [
            ("UPDATE audit SET what = 'x' WHERE id = 5", 5),
            ("UPDATE audit SET who = 'adb' WHERE id = 3", 3),
            ("DELETE FROM audit WHERE id = 2", 2),
        ] {
            store.write(|file| Ok(file.execute_batch(change)?)).unwrap();
            assert_eq!(store.verify_audit(&key).unwrap(), Err(BrokenAt(broken)), "{change}");
        }
    }
}

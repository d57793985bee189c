//! The names of SQLite's result codes, and their meaning for a run.

use crate::BackendError;
use brunt_exchange::{Class, Meaning};
use rusqlite::ffi;
use std::ffi::c_int;

/// Primary result codes, by their numbers from 1.
const PRIMARY: [&str; 26] = [
    "ERROR",
    "INTERNAL",
    "PERM",
    "ABORT",
    "BUSY",
    "LOCKED",
    "NOMEM",
    "READONLY",
    "INTERRUPT",
    "IOERR",
    "CORRUPT",
    "NOTFOUND",
    "FULL",
    "CANTOPEN",
    "PROTOCOL",
    "EMPTY",
    "SCHEMA",
    "TOOBIG",
    "CONSTRAINT",
    "MISMATCH",
    "MISUSE",
    "NOLFS",
    "AUTH",
    "FORMAT",
    "RANGE",
    "NOTADB",
];

/// Extended result codes that a store of leases can encounter.
const EXTENDED: [(c_int, &str); 14] = [
    (ffi::SQLITE_BUSY_RECOVERY, "BUSY_RECOVERY"),
    (ffi::SQLITE_BUSY_SNAPSHOT, "BUSY_SNAPSHOT"),
    (ffi::SQLITE_BUSY_TIMEOUT, "BUSY_TIMEOUT"),
    (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "CONSTRAINT_FOREIGNKEY"),
    (ffi::SQLITE_CONSTRAINT_NOTNULL, "CONSTRAINT_NOTNULL"),
    (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "CONSTRAINT_PRIMARYKEY"),
    (ffi::SQLITE_CONSTRAINT_UNIQUE, "CONSTRAINT_UNIQUE"),
    (ffi::SQLITE_IOERR_FSYNC, "IOERR_FSYNC"),
    (ffi::SQLITE_IOERR_READ, "IOERR_READ"),
    (ffi::SQLITE_IOERR_SHORT_READ, "IOERR_SHORT_READ"),
    (ffi::SQLITE_IOERR_WRITE, "IOERR_WRITE"),
    (ffi::SQLITE_READONLY_DBMOVED, "READONLY_DBMOVED"),
    (ffi::SQLITE_READONLY_DIRECTORY, "READONLY_DIRECTORY"),
    (ffi::SQLITE_CANTOPEN_ISDIR, "CANTOPEN_ISDIR"),
];

/// The name of a result code: `SQLITE_BUSY`.
pub(super) fn name_of(code: u32) -> String {
    let code = code.cast_signed();
    if let Some((_, name)) = EXTENDED.iter().find(|(number, _)| *number == code) {
        return format!("SQLITE_{name}");
    }
    let primary = usize::try_from(code & 0xff).unwrap_or(0);
    match primary.checked_sub(1).and_then(|place| PRIMARY.get(place)) {
        Some(name) if code <= 0xff => format!("SQLITE_{name}"),
        Some(name) => format!("{code} (SQLITE_{name})"),
        None => code.to_string(),
    }
}

/// What a result code means: another connection held a lock for too long.
pub(super) fn meaning_of(code: u32) -> Option<Meaning> {
    matches!(code.cast_signed() & 0xff, ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED)
        .then_some(Meaning::Busy)
}

/// Whether a store with this error cannot continue with the file it has open.
pub(super) fn is_lost(code: u32) -> bool {
    matches!(
        code.cast_signed() & 0xff,
        ffi::SQLITE_IOERR | ffi::SQLITE_CORRUPT | ffi::SQLITE_CANTOPEN | ffi::SQLITE_NOTADB
    )
}

/// A failure with the message of the library.
pub(super) fn backend_error(code: c_int, text: &str) -> BackendError {
    let code = code.cast_unsigned();
    let class = if is_lost(code) { Class::Closed } else { Class::Result };
    let remedy = match code.cast_signed() & 0xff {
        ffi::SQLITE_BUSY => "; another connection held the lock for longer than this one waits",
        ffi::SQLITE_NOTADB => "; name a file that SQLite wrote, or one that does not exist yet",
        ffi::SQLITE_FULL => "; the disk of the database is full",
        _ => "",
    };
    BackendError::new(class, code, format!("use the database: {}: {text}{remedy}", name_of(code)))
}

impl From<rusqlite::Error> for BackendError {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(code, Some(text)) => {
                backend_error(code.extended_code, text)
            }
            rusqlite::Error::SqliteFailure(code, None) => {
                backend_error(code.extended_code, &code.to_string())
            }
            _ => Self::refused(0, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_codes_have_the_names_of_the_manual() {
        // https://www.sqlite.org/rescode.html gives the numbers.
        for (code, name) in [
            (1, "SQLITE_ERROR"),
            (5, "SQLITE_BUSY"),
            (13, "SQLITE_FULL"),
            (26, "SQLITE_NOTADB"),
            (517, "SQLITE_BUSY_SNAPSHOT"),
            (2067, "SQLITE_CONSTRAINT_UNIQUE"),
            (1555, "SQLITE_CONSTRAINT_PRIMARYKEY"),
            (3338, "3338 (SQLITE_IOERR)"),
            (0, "0"),
        ] {
            assert_eq!(name_of(code), name);
        }
    }

    #[test]
    fn sqlite_busy_codes_are_told_from_constraints() {
        let busy = Some(Meaning::Busy);
        // 19 is SQLITE_CONSTRAINT here, and a refused login in LDAP.
        for (code, meaning) in
            [(5, busy), (517, busy), (6, busy), (19, None), (2067, None), (0, None)]
        {
            assert_eq!(meaning_of(code), meaning, "{code}");
        }
    }
}

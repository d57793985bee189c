//! Requests that have an idempotency key, and their answers.

use rusqlite::OptionalExtension as _;

use super::{Result, Store};

/// How long an answer is kept, in seconds.
pub(crate) const KEPT_FOR: i64 = 24 * 3_600;
/// The most requests of a user that are kept: the newest ones.
pub(crate) const KEPT_MAX: i64 = 1_000;

/// An answer that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptAnswer {
    pub(crate) status: u16,
    /// The path of what was made; may be empty.
    pub(crate) location: String,
    pub(crate) body: Vec<u8>,
}

/// What is known about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// It is new, and belongs to this request from now on.
    New,
    /// It belongs to another request.
    Other,
    /// It belongs to this request, which has no answer yet.
    Unanswered,
    /// It belongs to this request, which was answered.
    Answered(KeptAnswer),
}

impl Store {
    /// Looks up a key of a user, and adds it if it is new. `request` is a hash of the whole request.
    pub(crate) fn begin_keyed(
        &self,
        (user, key): (i64, &str),
        request: &[u8],
        now: i64,
    ) -> Result<Keyed> {
        self.write(|file| {
            file.execute("DELETE FROM keyed WHERE at <= ?1", [now - KEPT_FOR])?;
            let query = "SELECT request = ?3, status, location, body FROM keyed WHERE user = ?1 AND key = ?2";
            let found = file.query_row(query, (user, key, request), |row| {
                let same: bool = row.get(0)?;
                let status: Option<u16> = row.get(1)?;
                let (location, body) = (row.get(2)?, row.get(3)?);
                Ok(match status {
                    _ if !same => Keyed::Other,
                    None => Keyed::Unanswered,
                    Some(status) => Keyed::Answered(KeptAnswer { status, location, body }),
                })
            });
            if let Some(found) = found.optional()? {
                return Ok(found);
            }
            let add = "INSERT INTO keyed (user, key, request, at) VALUES (?1, ?2, ?3, ?4)";
            file.execute(add, (user, key, request, now))?;
            let bound = "DELETE FROM keyed WHERE user = ?1 AND key IN (SELECT key FROM keyed WHERE user = ?1 \
                         AND key <> ?2 ORDER BY at DESC LIMIT -1 OFFSET ?3)";
            file.execute(bound, (user, key, KEPT_MAX - 1))?;
            Ok(Keyed::New)
        })
    }

    /// Keeps the answer to the request of a key.
    pub(crate) fn end_keyed(&self, (user, key): (i64, &str), answer: &KeptAnswer) -> Result<()> {
        let KeptAnswer { status, location, body } = answer;
        self.write(|file| {
            let keep = "UPDATE keyed SET status = ?3, location = ?4, body = ?5 WHERE user = ?1 AND key = ?2";
            file.execute(keep, (user, key, status, location, body))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idempotency_keys_expire_and_are_limited_per_user() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let role = crate::auth::Role::Runner;
        let [ada, bob] = ["ada", "bob"].map(|name| store.add_user(name, role, 1).unwrap().unwrap());
        let begin = |user, key: &str, request: &[u8], now| {
            store.begin_keyed((user, key), request, now).unwrap()
        };
        let answer = KeptAnswer { status: 201, location: "/x".to_owned(), body: b"{}".to_vec() };
        assert_eq!(begin(ada, "a", b"1", 0), Keyed::New);
        assert_eq!(begin(ada, "a", b"1", 0), Keyed::Unanswered);
        store.end_keyed((ada, "a"), &answer).unwrap();
        assert_eq!(begin(ada, "a", b"1", KEPT_FOR - 1), Keyed::Answered(answer));
        assert_eq!(begin(ada, "a", b"2", 0), Keyed::Other);
        assert_eq!(begin(bob, "a", b"2", 0), Keyed::New);
        assert_eq!(begin(ada, "a", b"2", KEPT_FOR), Keyed::New);
        for number in 0..KEPT_MAX {
            assert_eq!(begin(ada, &format!("k{number}"), b"1", KEPT_FOR + 1 + number), Keyed::New);
        }
        let count = |user: i64| -> i64 {
            let query = "SELECT count(*) FROM keyed WHERE user = ?1";
            store.read(|file| Ok(file.query_row(query, [user], |row| row.get(0))?)).unwrap()
        };
        assert_eq!(
            (count(ada), begin(ada, "k0", b"1", KEPT_FOR + 1)),
            (KEPT_MAX, Keyed::Unanswered)
        );
        assert_eq!(begin(ada, "a", b"1", KEPT_FOR + 1), Keyed::New);
    }
}

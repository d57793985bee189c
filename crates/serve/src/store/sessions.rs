//! Sessions: who signed in, from where, and when they were last seen.

use std::collections::HashMap;

use rusqlite::OptionalExtension as _;

use super::people::{COLUMNS, COLUMNS_COUNT, user};
use super::{Result, Store, User};
use crate::auth::Hash;

/// How long an unused session lasts, in seconds.
const IDLE_MAX: i64 = 12 * 3_600;
/// How long a session lasts at most, in seconds.
const AGE_MAX: i64 = 14 * 24 * 3_600;
/// The precision with which the last use is stored, in seconds, so that not every request writes.
const SEEN_EVERY: i64 = 60;
/// The most sessions of a user: a program that does not keep its cookie would create more.
const OF_USER_MAX: i64 = 50;

/// Where a session begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// The address of the client.
    pub(crate) address: String,
    /// The User-Agent of its browser.
    pub(crate) browser: String,
}

/// A session that has not expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveSession {
    pub(crate) user: User,
    /// When the provider last confirmed it, if it began there.
    pub(crate) checked: Option<i64>,
}

/// A session in the list of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionRow {
    /// What is stored of its secret. It gives no access.
    pub(crate) hash: Hash,
    pub(crate) created: i64,
    pub(crate) seen: i64,
    pub(crate) visitor: Visitor,
}

impl Store {
    /// Begins a session.
    pub(crate) fn begin_session(
        &self,
        user: i64,
        session: &Hash,
        (now, from): (i64, &Visitor),
    ) -> Result<()> {
        self.write(|file| {
            file.execute(
                "DELETE FROM session WHERE seen < ?1 OR created < ?2",
                (now - IDLE_MAX, now - AGE_MAX),
            )?;
            let oldest = "DELETE FROM session WHERE user = ?1 AND hash NOT IN \
                          (SELECT hash FROM session WHERE user = ?1 ORDER BY seen DESC LIMIT ?2)";
            file.execute(oldest, (user, OF_USER_MAX - 1))?;
            let add = "INSERT INTO session (hash, user, created, seen, address, browser) \
                       VALUES (?1, ?2, ?3, ?3, ?4, ?5)";
            file.execute(add, (session.as_slice(), user, now, &from.address, &from.browser))?;
            Ok(())
        })
    }

    /// A session, if it has not expired and its user may sign in.
    pub(crate) fn session(&self, session: &Hash, now: i64) -> Result<Option<LiveSession>> {
        let found = self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS}, seen, checked FROM session JOIN user ON user.id = session.user \
                 WHERE hash = ?1 AND disabled = 0 AND seen > ?2 AND session.created > ?3"
            );
            let given = (session.as_slice(), now - IDLE_MAX, now - AGE_MAX);
            let found = file.query_row(&query, given, |row| {
                let (seen, checked) = (row.get(COLUMNS_COUNT)?, row.get(COLUMNS_COUNT + 1)?);
                Ok((LiveSession { user: user(row)?, checked }, seen))
            });
            Ok(found.optional()?)
        })?;
        let Some((found, seen)): Option<(LiveSession, i64)> = found else { return Ok(None) };
        if now - seen >= SEEN_EVERY {
            self.note_use(|file| {
                let change = "UPDATE session SET seen = ?2 WHERE hash = ?1";
                file.execute(change, (session.as_slice(), now))?;
                Ok(())
            })?;
        }
        Ok(Some(found))
    }

    /// The sessions of a user that have not expired, the last used first.
    pub(crate) fn sessions(&self, user: i64, now: i64) -> Result<Vec<SessionRow>> {
        self.read(|file| {
            let query = "SELECT hash, created, seen, address, browser FROM session \
                       WHERE user = ?1 AND seen > ?2 AND created > ?3 ORDER BY seen DESC, created DESC";
            let mut all = file.prepare(query)?;
            let sessions = all.query_map((user, now - IDLE_MAX, now - AGE_MAX), |row| {
                let visitor = Visitor { address: row.get(3)?, browser: row.get(4)? };
                Ok(SessionRow {
                    hash: row.get(0)?,
                    created: row.get(1)?,
                    seen: row.get(2)?,
                    visitor,
                })
            })?;
            Ok(sessions.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// How many sessions that have not expired each user has.
    pub(crate) fn count_sessions(&self, now: i64) -> Result<HashMap<i64, i64>> {
        self.read(|file| {
            let query =
                "SELECT user, count(*) FROM session WHERE seen > ?1 AND created > ?2 GROUP BY user";
            let mut all = file.prepare(query)?;
            let given = (now - IDLE_MAX, now - AGE_MAX);
            let counts = all.query_map(given, |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(counts.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, session: &Hash) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM session WHERE hash = ?1", [session.as_slice()])?;
            Ok(())
        })
    }

    /// Ends one session of this user; false if there is none.
    pub(crate) fn end_session_of(&self, user: i64, session: &Hash) -> Result<bool> {
        self.write(|file| {
            let ended = "DELETE FROM session WHERE user = ?1 AND hash = ?2";
            Ok(file.execute(ended, (user, session.as_slice()))? > 0)
        })
    }

    /// Ends the sessions of a user, except this one. Returns how many there were.
    pub(crate) fn end_sessions(&self, user: i64, except: Option<&Hash>) -> Result<usize> {
        self.write(|file| {
            let ended = "DELETE FROM session WHERE user = ?1 AND (?2 IS NULL OR hash <> ?2)";
            Ok(file.execute(ended, (user, except.map(Hash::as_slice)))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Role, Secret};

    #[test]
    fn session_expires_when_unused() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let user = store.add_user("ada", Role::Viewer, 0).unwrap().unwrap();
        let session = Secret::new().unwrap().hash();
        store.begin_session(user, &session, (1_000, &Visitor::default())).unwrap();
        let lasts = |now| store.session(&session, now).unwrap().is_some();
        assert!(lasts(1_000 + IDLE_MAX - 1));
        // That counted as a use.
        assert!(lasts(1_000 + 2 * IDLE_MAX - 2));
        assert!(!lasts(1_000 + 3 * IDLE_MAX));
        assert!(!lasts(1_001 + AGE_MAX));
        let other = Secret::new().unwrap().hash();
        store.begin_session(user, &other, (5_000_000, &Visitor::default())).unwrap();
        assert!(store.session(&other, 5_000_000).unwrap().is_some());
        assert!(store.change_user(user, Role::Viewer, true).unwrap());
        assert!(
            store.session(&other, 5_000_000).unwrap().is_none(),
            "who may not sign in has no session"
        );
    }

    #[test]
    fn sessions_are_listed_and_ended_singly_or_all_others() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let (ada, bob) = ("ada", "bob");
        let [ada, bob] = [ada, bob].map(|name| store.add_user(name, Role::Viewer, 0));
        let (ada, bob) = (ada.unwrap().unwrap(), bob.unwrap().unwrap());
        let begin = |user, now| {
            let hash = Secret::new().unwrap().hash();
            let visitor = Visitor { address: format!("192.0.2.{now}"), browser: "curl".to_owned() };
            store.begin_session(user, &hash, (now, &visitor)).unwrap();
            hash
        };
        let (first, second, third) = (begin(ada, 1), begin(ada, 2), begin(ada, 3));
        let of_bob = begin(bob, 4);
        let listed = |user, now| -> Vec<Hash> {
            store.sessions(user, now).unwrap().into_iter().map(|row| row.hash).collect()
        };
        assert_eq!(listed(ada, 5), [third, second, first]);
        assert_eq!(store.sessions(bob, 5).unwrap()[0].visitor.address, "192.0.2.4");
        assert_eq!(store.count_sessions(5).unwrap(), HashMap::from([(ada, 3), (bob, 1)]));
        assert_eq!(listed(ada, 2 + IDLE_MAX), [third]);
        assert!(!store.end_session_of(ada, &of_bob).unwrap());
        assert!(store.end_session_of(ada, &second).unwrap());
        assert_eq!(store.end_sessions(ada, Some(&first)).unwrap(), 1);
        assert_eq!((listed(ada, 5), listed(bob, 5)), (vec![first], vec![of_bob]));
        assert_eq!(store.end_sessions(ada, None).unwrap(), 1);
        assert_eq!((listed(ada, 5), listed(bob, 5)), (vec![], vec![of_bob]));
    }

    #[test]
    fn last_administrator_cannot_be_removed() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let ada = store.add_user("ada", Role::Admin, 0).unwrap().unwrap();
        assert!(!store.has_admin().unwrap());
        store.set_password(ada, "x").unwrap();
        assert!(store.has_admin().unwrap());
        assert!(!store.change_user(ada, Role::Runner, false).unwrap());
        assert!(!store.change_user(ada, Role::Admin, true).unwrap());
        let bob = store.add_user("bob", Role::Admin, 0).unwrap().unwrap();
        assert!(!store.change_user(ada, Role::Runner, false).unwrap(), "bob has no password yet");
        store.set_password(bob, "x").unwrap();
        assert!(store.change_user(ada, Role::Runner, false).unwrap());
        assert_eq!(store.add_user("ADA", Role::Viewer, 0).unwrap(), None);
    }
}

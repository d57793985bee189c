//! Sessions: who signed in, and when they were last seen.

use rusqlite::OptionalExtension as _;

use super::people::user;
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

impl Store {
    /// Begins a session.
    pub(crate) fn begin_session(&self, user: i64, session: &Hash, now: i64) -> Result<()> {
        self.write(|file| {
            file.execute(
                "DELETE FROM session WHERE seen < ?1 OR created < ?2",
                (now - IDLE_MAX, now - AGE_MAX),
            )?;
            let oldest = "DELETE FROM session WHERE user = ?1 AND hash NOT IN \
                          (SELECT hash FROM session WHERE user = ?1 ORDER BY seen DESC LIMIT ?2)";
            file.execute(oldest, (user, OF_USER_MAX - 1))?;
            let add = "INSERT INTO session (hash, user, created, seen) VALUES (?1, ?2, ?3, ?3)";
            file.execute(add, (session.as_slice(), user, now))?;
            Ok(())
        })
    }

    /// The user of a session, if the session has not expired.
    pub(crate) fn session(&self, session: &Hash, now: i64) -> Result<Option<User>> {
        let found = self.read(|file| {
            let ask = "SELECT user.id, name, role, disabled, password IS NOT NULL, seen FROM session \
                       JOIN user ON user.id = session.user \
                       WHERE hash = ?1 AND disabled = 0 AND seen > ?2 AND session.created > ?3";
            let given = (session.as_slice(), now - IDLE_MAX, now - AGE_MAX);
            let found = file.query_row(ask, given, |row| Ok((user(row)?, row.get::<_, i64>(5)?)));
            Ok(found.optional()?)
        })?;
        let Some((user, seen)) = found else { return Ok(None) };
        if now - seen >= SEEN_EVERY {
            self.note_use(|file| {
                let change = "UPDATE session SET seen = ?2 WHERE hash = ?1";
                file.execute(change, (session.as_slice(), now))?;
                Ok(())
            })?;
        }
        Ok(Some(user))
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, session: &Hash) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM session WHERE hash = ?1", [session.as_slice()])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Role, Secret};

    #[test]
    fn a_session_lasts_while_it_is_used_and_no_longer() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let user = store.add_user("ada", Role::Viewer, 0).unwrap().unwrap();
        let session = Secret::new().unwrap().hash();
        store.begin_session(user, &session, 1_000).unwrap();
        let lasts = |now| store.session(&session, now).unwrap().is_some();
        assert!(lasts(1_000 + IDLE_MAX - 1));
        // That counted as a use.
        assert!(lasts(1_000 + 2 * IDLE_MAX - 2));
        assert!(!lasts(1_000 + 3 * IDLE_MAX));
        assert!(!lasts(1_001 + AGE_MAX));
        let other = Secret::new().unwrap().hash();
        store.begin_session(user, &other, 5_000_000).unwrap();
        assert!(store.session(&other, 5_000_000).unwrap().is_some());
        assert!(store.change_user(user, Role::Viewer, true).unwrap());
        assert!(
            store.session(&other, 5_000_000).unwrap().is_none(),
            "who may not sign in has no session"
        );
    }

    #[test]
    fn the_last_who_may_do_everything_stays() {
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

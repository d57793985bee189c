//! People who sign in at the provider, and what is stored of their sessions there.

use rusqlite::{OptionalExtension as _, Transaction};

use super::people::{COLUMNS, user};
use super::{Result, Store, User};
use crate::auth::{Hash, Role};

/// The most names that are tried for a person whose name is taken.
const NAMES_MAX: usize = 10_000;

/// Somebody as the provider knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) issuer: String,
    pub(crate) subject: String,
    pub(crate) full_name: String,
    pub(crate) mail: String,
}

/// What the provider vouched for in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vouched {
    /// When it last did.
    pub(crate) checked: i64,
    /// Its tokens, encrypted.
    pub(crate) tokens: Vec<u8>,
    /// Its own name for the session, if it has one.
    pub(crate) sid: Option<String>,
}

impl Store {
    /// The user of an identity.
    pub(crate) fn person(&self, issuer: &str, subject: &str) -> Result<Option<User>> {
        self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS} FROM user JOIN identity ON identity.user = user.id \
                 WHERE issuer = ?1 AND subject = ?2"
            );
            Ok(file.query_row(&query, [issuer, subject], user).optional()?)
        })
    }

    /// The provider's latest claims about a user, if they sign in there.
    pub(crate) fn identity(&self, user: i64) -> Result<Option<Identity>> {
        self.read(|file| {
            let query = "SELECT issuer, subject, full_name, mail FROM identity WHERE user = ?1";
            let found = file.query_row(query, [user], |row| {
                let (issuer, subject) = (row.get(0)?, row.get(1)?);
                Ok(Identity { issuer, subject, full_name: row.get(2)?, mail: row.get(3)? })
            });
            Ok(found.optional()?)
        })
    }

    /// Adds the user of an identity, by this name or, if it is taken, with a number after it.
    pub(crate) fn add_person(
        &self,
        identity: &Identity,
        name: &str,
        role: Role,
        now: i64,
    ) -> Result<Option<i64>> {
        self.write(|file| {
            let Some(id) = added(file, name, role, now)? else { return Ok(None) };
            let add = "INSERT INTO identity (user, issuer, subject, full_name, mail, confirmed) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let Identity { issuer, subject, full_name, mail } = identity;
            file.execute(add, (id, issuer, subject, full_name, mail, now))?;
            Ok(Some(id))
        })
    }

    /// Stores the provider's present claims about a user: a name, an address, and by their groups a role.
    pub(crate) fn note_person(
        &self,
        user: i64,
        identity: &Identity,
        role: Role,
        now: i64,
    ) -> Result<()> {
        self.write(|file| {
            let change =
                "UPDATE identity SET full_name = ?2, mail = ?3, confirmed = ?4 WHERE user = ?1";
            file.execute(change, (user, &identity.full_name, &identity.mail, now))?;
            file.execute("UPDATE user SET role = ?2 WHERE id = ?1", (user, role.word()))?;
            Ok(())
        })
    }

    /// Stores that the provider vouched for a session.
    pub(crate) fn vouch(&self, session: &Hash, by: &Vouched) -> Result<()> {
        self.write(|file| {
            let change = "UPDATE session SET checked = ?2, tokens = ?3, sid = ?4 WHERE hash = ?1";
            file.execute(change, (session.as_slice(), by.checked, &by.tokens, &by.sid))?;
            Ok(())
        })
    }

    /// What the provider vouched for in a session.
    pub(crate) fn vouched(&self, session: &Hash) -> Result<Option<Vouched>> {
        self.read(|file| {
            let query =
                "SELECT checked, tokens, sid FROM session WHERE hash = ?1 AND checked IS NOT NULL";
            let found = file.query_row(query, [session.as_slice()], |row| {
                Ok(Vouched { checked: row.get(0)?, tokens: row.get(1)?, sid: row.get(2)? })
            });
            Ok(found.optional()?)
        })
    }

    /// Ends the sessions that began at the provider: one by its name there, or all of a subject. Returns how many there
    /// were.
    pub(crate) fn end_vouched(
        &self,
        issuer: &str,
        subject: &str,
        sid: Option<&str>,
    ) -> Result<usize> {
        self.write(|file| {
            let of_sid = "DELETE FROM session WHERE checked IS NOT NULL AND sid = ?2 AND user IN \
                          (SELECT user FROM identity WHERE issuer = ?1)";
            let of_subject = "DELETE FROM session WHERE checked IS NOT NULL AND user IN \
                              (SELECT user FROM identity WHERE issuer = ?1 AND subject = ?2)";
            Ok(match sid {
                Some(sid) => file.execute(of_sid, [issuer, sid])?,
                None => file.execute(of_subject, [issuer, subject])?,
            })
        })
    }
}

/// Adds a user by the first name that is free.
fn added(file: &Transaction<'_>, name: &str, role: Role, now: i64) -> Result<Option<i64>> {
    let add = "INSERT OR IGNORE INTO user (name, role, created) VALUES (?1, ?2, ?3)";
    for number in 1..=NAMES_MAX {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        if file.execute(add, (name, role.word(), now))? > 0 {
            return Ok(Some(file.last_insert_rowid()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Secret;
    use crate::store::Visitor;

    fn identity(subject: &str) -> Identity {
        Identity {
            issuer: "https://sso.example.com".to_owned(),
            subject: subject.to_owned(),
            full_name: "Ada L.".to_owned(),
            mail: "ada@example.com".to_owned(),
        }
    }

    #[test]
    fn identity_is_one_person_without_a_local_password() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let local = store.add_user("ada", Role::Admin, 1).unwrap().unwrap();
        store.set_password(local, "x").unwrap();
        let first = store.add_person(&identity("1"), "ada", Role::Viewer, 2).unwrap().unwrap();
        let second = store.add_person(&identity("2"), "Ada", Role::Admin, 2).unwrap().unwrap();
        let named = |id| store.user(id).unwrap().unwrap().name;
        assert_eq!([local, first, second].map(named), ["ada", "ada-2", "Ada-3"]);
        let found = store.person("https://sso.example.com", "1").unwrap().unwrap();
        assert_eq!((found.id, found.elsewhere, found.ready), (first, true, false));
        assert_eq!(store.person("https://other.example.com", "1").unwrap(), None);
        let other = Identity { full_name: "Ada K.".to_owned(), ..identity("1") };
        store.note_person(first, &other, Role::Runner, 3).unwrap();
        assert_eq!(store.user(first).unwrap().unwrap().role, Role::Runner);
        assert_eq!(store.identity(first).unwrap(), Some(other));
        assert_eq!(store.identity(local).unwrap(), None);
        // An administrator of the provider's is none that always works.
        assert!(!store.change_user(local, Role::Viewer, false).unwrap());
    }

    #[test]
    fn provider_sessions_end_by_id_or_person() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let user = store.add_person(&identity("1"), "ada", Role::Viewer, 2).unwrap().unwrap();
        let begin = |sid: Option<&str>| {
            let hash = Secret::new().unwrap().hash();
            store.begin_session(user, &hash, (5, &Visitor::default())).unwrap();
            let by = Vouched { checked: 5, tokens: b"t".to_vec(), sid: sid.map(str::to_owned) };
            store.vouch(&hash, &by).unwrap();
            assert_eq!(store.vouched(&hash).unwrap(), Some(by));
            hash
        };
        let (first, second, third) = (begin(Some("a")), begin(Some("b")), begin(None));
        let live = |hash| store.session(hash, 6).unwrap().is_some();
        let issuer = "https://sso.example.com";
        assert_eq!(store.end_vouched("https://other.example.com", "", Some("a")).unwrap(), 0);
        assert_eq!(store.end_vouched(issuer, "", Some("a")).unwrap(), 1);
        assert_eq!([&first, &second, &third].map(live), [false, true, true]);
        assert_eq!(store.end_vouched(issuer, "2", None).unwrap(), 0);
        assert_eq!(store.end_vouched(issuer, "1", None).unwrap(), 2);
    }
}

//! People: their names, roles and passwords, and the links with which they choose a password.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store, Visibility};
use crate::auth::{Hash, Role};

/// A person who may sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) disabled: bool,
    /// Whether a password was chosen.
    pub(crate) ready: bool,
    /// Whether the user signs in at the provider, and has no password here.
    pub(crate) elsewhere: bool,
}

impl User {
    /// The tests that the user sees.
    pub(crate) fn visibility(&self) -> Visibility {
        if self.role == Role::Admin { Visibility::All } else { Visibility::OfUser(self.id) }
    }
}

/// The columns of a user.
pub(super) const COLUMNS: &str = "user.id, user.name, user.role, user.disabled, user.password IS NOT NULL, \
                                  EXISTS (SELECT 1 FROM identity WHERE identity.user = user.id)";
/// How many these are.
pub(super) const COLUMNS_COUNT: usize = 6;

pub(super) fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    Ok(User {
        id: row.get(0)?,
        name: row.get(1)?,
        // The program writes no other word here; any other gets the least role.
        role: Role::named(&row.get::<_, String>(2)?).unwrap_or(Role::Viewer),
        disabled: row.get(3)?,
        ready: row.get(4)?,
        elsewhere: row.get(5)?,
    })
}

impl Store {
    /// All users, by name.
    pub(crate) fn users(&self) -> Result<Vec<User>> {
        self.read(|file| {
            let mut all = file.prepare(&format!("SELECT {COLUMNS} FROM user ORDER BY name"))?;
            let users = all.query_map([], user)?;
            Ok(users.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A user by name.
    pub(crate) fn user_named(&self, name: &str) -> Result<Option<User>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM user WHERE name = ?1");
            Ok(file.query_row(&query, [name], user).optional()?)
        })
    }

    /// A user by id.
    pub(crate) fn user(&self, id: i64) -> Result<Option<User>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM user WHERE id = ?1");
            Ok(file.query_row(&query, [id], user).optional()?)
        })
    }

    /// Whether an administrator exists who can sign in.
    pub(crate) fn has_admin(&self) -> Result<bool> {
        self.read(|file| {
            let query = "SELECT EXISTS (SELECT 1 FROM user WHERE role = 'admin' AND disabled = 0 \
                       AND password IS NOT NULL)";
            Ok(file.query_row(query, [], |row| row.get(0))?)
        })
    }

    /// Adds a user; `None` if the name is taken.
    pub(crate) fn add_user(&self, name: &str, role: Role, now: i64) -> Result<Option<i64>> {
        self.write(|file| {
            let add = "INSERT OR IGNORE INTO user (name, role, created) VALUES (?1, ?2, ?3)";
            let added = file.execute(add, (name, role.word(), now))?;
            Ok((added > 0).then(|| file.last_insert_rowid()))
        })
    }

    /// Changes the role of a user, and ends the user's sessions. False if no administrator would remain.
    pub(crate) fn change_user(&self, id: i64, role: Role, disabled: bool) -> Result<bool> {
        self.write(|file| {
            let ready = "role = 'admin' AND disabled = 0 AND password IS NOT NULL";
            let last = format!(
                "SELECT EXISTS (SELECT 1 FROM user WHERE id = ?1 AND {ready}) \
                 AND NOT EXISTS (SELECT 1 FROM user WHERE id <> ?1 AND {ready})"
            );
            let is_last: bool = file.query_row(&last, [id], |row| row.get(0))?;
            if is_last && (role != Role::Admin || disabled) {
                return Ok(false);
            }
            let change = "UPDATE user SET role = ?2, disabled = ?3 WHERE id = ?1";
            file.execute(change, (id, role.word(), disabled))?;
            file.execute("DELETE FROM session WHERE user = ?1", [id])?;
            Ok(true)
        })
    }

    /// The hash of a user's password, if one was chosen and the user may sign in.
    pub(crate) fn password_of(&self, id: i64) -> Result<Option<String>> {
        self.read(|file| {
            let query = "SELECT password FROM user WHERE id = ?1 AND disabled = 0";
            Ok(file.query_row(query, [id], |row| row.get(0)).optional()?.flatten())
        })
    }

    /// Sets a password, and ends all sessions and links of that user.
    pub(crate) fn set_password(&self, id: i64, hash: &str) -> Result<()> {
        self.write(|file| {
            file.execute("UPDATE user SET password = ?2 WHERE id = ?1", (id, hash))?;
            file.execute("DELETE FROM session WHERE user = ?1", [id])?;
            file.execute("DELETE FROM invitation WHERE user = ?1", [id])?;
            Ok(())
        })
    }

    /// Makes a link with which a user chooses a password; it replaces any earlier link.
    pub(crate) fn invite(&self, user: i64, link: &Hash, expires: i64) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM invitation WHERE user = ?1", [user])?;
            let add = "INSERT INTO invitation (hash, user, expires) VALUES (?1, ?2, ?3)";
            file.execute(add, (link.as_slice(), user, expires))?;
            Ok(())
        })
    }

    /// The user of a link, if the link is valid. The link is invalid afterwards.
    pub(crate) fn take_invitation(&self, link: &Hash, now: i64) -> Result<Option<User>> {
        let taken: Option<i64> = self.write(|file| {
            let take = "DELETE FROM invitation WHERE hash = ?1 AND expires > ?2 RETURNING user";
            Ok(file.query_row(take, (link.as_slice(), now), |row| row.get(0)).optional()?)
        })?;
        let user = taken.map(|id| self.user(id)).transpose()?.flatten();
        Ok(user.filter(|user| !user.disabled))
    }

    /// The user of a link, if the link is valid.
    pub(crate) fn invited(&self, link: &Hash, now: i64) -> Result<Option<User>> {
        self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS} FROM user WHERE disabled = 0 AND id = \
                 (SELECT user FROM invitation WHERE hash = ?1 AND expires > ?2)"
            );
            Ok(file.query_row(&query, (link.as_slice(), now), user).optional()?)
        })
    }
}

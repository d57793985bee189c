//! Tokens: what programs send instead of a password.

use rusqlite::OptionalExtension as _;

use super::people::{COLUMNS, COLUMNS_COUNT, user};
use super::{Result, Store, User};
use crate::auth::{Hash, Scope};

/// The precision with which the last use is stored, in seconds.
const USED_EVERY: i64 = 60;

/// How long the tokens of a user who signs in at the provider are valid after it last confirmed them, in seconds: the
/// tokens of a user who has left expire even if no administrator disables them here.
const CONFIRMED_MAX: i64 = 30 * 24 * 3_600;

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenRow {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) scope: Scope,
    pub(crate) expires: i64,
    pub(crate) used: Option<i64>,
}

impl Store {
    /// Stores a token.
    pub(crate) fn add_token(
        &self,
        user: i64,
        token: &Hash,
        name: &str,
        scope: Scope,
        (now, expires): (i64, i64),
    ) -> Result<i64> {
        self.write(|file| {
            let add = "INSERT INTO token (hash, user, name, scope, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            file.execute(add, (token.as_slice(), user, name, scope.word(), now, expires))?;
            Ok(file.last_insert_rowid())
        })
    }

    /// The tokens of one user, or of all.
    pub(crate) fn tokens(&self, of: Option<i64>) -> Result<Vec<TokenRow>> {
        self.read(|file| {
            let query = "SELECT token.id, token.name, user.name, scope, expires, used FROM token \
                       JOIN user ON user.id = token.user WHERE ?1 IS NULL OR user.id = ?1 ORDER BY token.id";
            let mut all = file.prepare(query)?;
            let tokens = all.query_map([of], |row| {
                Ok(TokenRow {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    owner: row.get(2)?,
                    scope: Scope::named(&row.get::<_, String>(3)?).unwrap_or(Scope::Read),
                    expires: row.get(4)?,
                    used: row.get(5)?,
                })
            })?;
            Ok(tokens.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The user, the scope and the name of a token, if it is valid, and its owner was confirmed lately.
    pub(crate) fn token(&self, token: &Hash, now: i64) -> Result<Option<(User, Scope, String)>> {
        let found = self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS}, scope, token.name, used, token.id FROM token JOIN user ON user.id = token.user \
                 WHERE hash = ?1 AND disabled = 0 AND expires > ?2 AND NOT EXISTS \
                 (SELECT 1 FROM identity WHERE identity.user = token.user AND confirmed < ?3)"
            );
            let given = (token.as_slice(), now, now - CONFIRMED_MAX);
            let found = file.query_row(&query, given, |row| {
                let more = COLUMNS_COUNT;
                let (scope, name): (String, String) = (row.get(more)?, row.get(more + 1)?);
                let (used, id): (Option<i64>, i64) = (row.get(more + 2)?, row.get(more + 3)?);
                Ok((user(row)?, scope, name, used, id))
            });
            Ok(found.optional()?)
        })?;
        let Some((user, scope, name, last, id)) = found else { return Ok(None) };
        if last.is_none_or(|last| now - last >= USED_EVERY) {
            self.note_use(|file| {
                file.execute("UPDATE token SET used = ?2 WHERE id = ?1", (id, now))?;
                Ok(())
            })?;
        }
        Ok(Scope::named(&scope).map(|scope| (user, scope, name)))
    }

    /// Ends a token of this user, or of any user. False if there is none.
    pub(crate) fn end_token(&self, id: i64, of: Option<i64>) -> Result<bool> {
        self.write(|file| {
            let ended = "DELETE FROM token WHERE id = ?1 AND (?2 IS NULL OR user = ?2)";
            Ok(file.execute(ended, (id, of))? > 0)
        })
    }
}

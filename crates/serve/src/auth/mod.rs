//! Authentication, and what each user may do.
//!
//! People sign in with a password and then have a session, whose secret their browser keeps; programs have a token. The
//! store has only hashes of secrets, so that a copy of it gives no access.

mod limiter;
mod password;
mod role;
mod secret;

pub(crate) use limiter::{Limiter, Lock, Tried};
pub(crate) use password::{PASSWORD_MIN, PasswordError, Passwords};
pub(crate) use role::{Role, Scope};
pub(crate) use secret::{Hash, KeyFileError, RandomError, Secret, is_equal};

use crate::store::User;

/// The user who makes a request.
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    pub(crate) user: User,
    pub(crate) by: By,
}

/// How a user was authenticated.
#[derive(Clone, Debug)]
pub(crate) enum By {
    /// By a session, with its secret.
    Session(Secret),
    /// By a token.
    Token {
        /// Its name.
        name: String,
        /// What it is for.
        scope: Scope,
    },
}

impl Requester {
    /// The token that every form which changes something contains, so that no other site's page can send it.
    pub(crate) fn form_token(&self) -> String {
        match &self.by {
            By::Session(secret) => secret.form_token(),
            By::Token { .. } => String::new(),
        }
    }

    /// The name of the user in a line of the audit trail.
    pub(crate) fn named(&self) -> String {
        match &self.by {
            By::Session(_) => self.user.name.clone(),
            By::Token { name, .. } => format!("{} (token {name})", self.user.name),
        }
    }
}

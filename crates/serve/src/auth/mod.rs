//! Who somebody is and what they may do.
//!
//! People sign in with a password and then have a session, of which their browser keeps the secret; programs have a
//! token. Of secrets the store knows hashes alone, so that a copy of it opens nothing.

mod limiter;
mod password;
mod role;
mod secret;

pub(crate) use limiter::Limiter;
pub(crate) use password::{PASSWORD_MIN, Passwords};
pub(crate) use role::{Role, Scope};
pub(crate) use secret::{Hash, Secret, same};

use crate::store::User;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) user: User,
    pub(crate) by: By,
}

/// How somebody showed who they are.
#[derive(Clone, Debug)]
pub(crate) enum By {
    /// With a session, of which this is the secret.
    Session(Secret),
    /// With a token of this name, which is for this.
    Token {
        /// What it is called.
        name: String,
        /// What it is for.
        scope: Scope,
    },
}

impl Who {
    /// What a form holds that writes, so that no page of others can send it.
    pub(crate) fn form_token(&self) -> String {
        match &self.by {
            By::Session(secret) => secret.form_token(),
            By::Token { .. } => String::new(),
        }
    }

    /// How an audit line names them.
    pub(crate) fn named(&self) -> String {
        match &self.by {
            By::Session(_) => self.user.name.clone(),
            By::Token { name, .. } => format!("{} (token {name})", self.user.name),
        }
    }
}

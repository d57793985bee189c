//! [`Passwords`]: how passwords are stored and verified.
//!
//! Argon2id with the parameters that OWASP recommends (19 MiB, two passes, one lane), one at a time, so that many
//! concurrent sign-ins need no more memory than one. An unknown user takes as long as a known one.

use std::sync::{Mutex, PoisonError};

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

use super::secret::{RandomError, Secret};

/// The fewest characters of a password.
pub(crate) const PASSWORD_MIN: usize = 12;
/// The most bytes of a password that are examined.
const PASSWORD_MAX: usize = 1_000;

/// Why a password is not stored.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// It is too short.
    #[error("Write at least {PASSWORD_MIN} characters; several words are easy to remember.")]
    Short,
    /// It is too long.
    #[error("Write at most {PASSWORD_MAX} characters.")]
    Long,
    /// There is no random password.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// Its hash was not computed.
    #[error("hash a password: {0}")]
    Hash(#[from] argon2::password_hash::Error),
}

/// Stores and verifies passwords.
pub(crate) struct Passwords {
    /// Held while a hash is computed.
    turn: Mutex<()>,
    /// The hash of a random password that no user has.
    unknown_user: String,
}

impl Passwords {
    /// Creates the hash for unknown users.
    pub(crate) fn new() -> Result<Self, PasswordError> {
        let password = Secret::new()?.shown();
        Ok(Self { turn: Mutex::default(), unknown_user: hashed(&password)? })
    }

    /// The hash of a password, to be stored.
    pub(crate) fn hash(&self, password: &str) -> Result<String, PasswordError> {
        if password.chars().count() < PASSWORD_MIN {
            return Err(PasswordError::Short);
        }
        if password.len() > PASSWORD_MAX {
            return Err(PasswordError::Long);
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        hashed(password)
    }

    /// Whether a password matches this hash. Without a hash it never does, and takes as long.
    pub(crate) fn is(&self, password: &str, kept: Option<&str>) -> bool {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = password.as_bytes();
        let bytes = &bytes[..bytes.len().min(PASSWORD_MAX)];
        let right =
            Argon2::default().verify_password(bytes, kept.unwrap_or(&self.unknown_user)).is_ok();
        right && kept.is_some() && password.len() <= PASSWORD_MAX
    }
}

fn hashed(password: &str) -> Result<String, PasswordError> {
    Ok(Argon2::default().hash_password(password.as_bytes())?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_hash_uses_argon2id_with_owasp_parameters() {
        let passwords = Passwords::new().unwrap();
        let kept = passwords.hash("correct horse battery").unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(passwords.is("correct horse battery", Some(&kept)));
        assert!(!passwords.is("correct horse batterz", Some(&kept)));
        assert!(!passwords.is("correct horse battery", None));
        assert!(passwords.hash("short").unwrap_err().to_string().contains("at least 12"));
        assert!(passwords.hash(&"x".repeat(1_001)).is_err());
    }
}

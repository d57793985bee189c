//! [`Passwords`]: how passwords are stored and verified.
//!
//! Argon2id with the parameters that OWASP recommends (19 MiB, two passes, one lane), one at a time, so that many
//! concurrent sign-ins need no more memory than one. An unknown user takes as long as a known one.

use std::sync::{Mutex, PoisonError};

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

/// The fewest characters of a password.
pub(crate) const PASSWORD_MIN: usize = 12;
/// The most bytes of a password that are examined.
const PASSWORD_MAX: usize = 1_000;

/// Stores and verifies passwords.
pub(crate) struct Passwords {
    /// Held while a hash is computed.
    turn: Mutex<()>,
    /// The hash of a random password that no user has.
    nobody: String,
}

impl Passwords {
    /// Creates the hash for unknown users. The error reads after "failed to".
    pub(crate) fn new() -> Result<Self, String> {
        let password = super::Secret::new()?.shown();
        Ok(Self { turn: Mutex::default(), nobody: hashed(&password)? })
    }

    /// The hash of a password, to be stored. The error says what is wrong with the password.
    pub(crate) fn hash(&self, password: &str) -> Result<String, String> {
        if password.chars().count() < PASSWORD_MIN {
            return Err(format!(
                "Write at least {PASSWORD_MIN} characters; several words are easy to remember."
            ));
        }
        if password.len() > PASSWORD_MAX {
            return Err(format!("Write at most {PASSWORD_MAX} characters."));
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        hashed(password)
    }

    /// Whether a password matches this hash. Without a hash it never does, and takes as long.
    pub(crate) fn is(&self, password: &str, kept: Option<&str>) -> bool {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = password.as_bytes();
        let bytes = &bytes[..bytes.len().min(PASSWORD_MAX)];
        let right = Argon2::default().verify_password(bytes, kept.unwrap_or(&self.nobody)).is_ok();
        right && kept.is_some() && password.len() <= PASSWORD_MAX
    }
}

fn hashed(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| format!("hash a password: {error}"))
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
        assert!(passwords.hash("short").unwrap_err().contains("at least 12"));
        assert!(passwords.hash(&"x".repeat(1_001)).is_err());
    }
}

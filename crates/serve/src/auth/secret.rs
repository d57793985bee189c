//! [`Secret`]: 256 random bits that give access, and the hash that is stored.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::digest::{SHA256, digest};

const BYTES: usize = 32;

/// What is stored of a secret. So many random bits cannot be guessed, so a plain hash is enough.
pub(crate) type Hash = [u8; BYTES];

/// The secret of a session, a link or a token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret([u8; BYTES]);

/// The system has no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("draw random numbers: {0}")]
pub struct RandomError(#[from] getrandom::Error);

/// Why the file of a key cannot be used. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// There is no random key for it.
    #[error("make the key {}: {source}", path.display())]
    Random {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: RandomError,
    },
    /// It could not be read or written.
    #[error("{act} the key {}: {source}", path.display())]
    Io {
        /// What was done.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Its first line is no key.
    #[error("read the key {}: its first line is no key; restore the file from a backup", .0.display())]
    NoKey(PathBuf),
}

impl Secret {
    /// A new secret.
    pub(crate) fn new() -> Result<Self, RandomError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads a secret from its text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut bytes = [0; BYTES];
        let read = BASE64.decode_slice(text, &mut bytes).ok()?;
        (read == BYTES).then_some(Self(bytes))
    }

    /// The key in the first line of a file, which is created if it does not exist, and the second line.
    pub(crate) fn stored(path: &Path) -> Result<(Self, Option<String>), KeyFileError> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let mut lines = text.lines();
                let key = Self::read(lines.next().unwrap_or_default().trim());
                let key = key.ok_or_else(|| KeyFileError::NoKey(path.to_owned()))?;
                Ok((key, lines.next().map(str::to_owned)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok((Self::store_new(path, "")?, None))
            }
            Err(source) => Err(KeyFileError::Io { act: "read", path: path.to_owned(), source }),
        }
    }

    /// Writes a new key to a file, and these lines after it.
    pub(crate) fn store_new(path: &Path, lines: &str) -> Result<Self, KeyFileError> {
        let path_of = || path.to_owned();
        let key = Self::new().map_err(|source| KeyFileError::Random { path: path_of(), source })?;
        let text = format!("{}\n{lines}", key.shown());
        brunt_record::replace(path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| KeyFileError::Io { act: "write", path: path_of(), source })?;
        Ok(key)
    }

    /// The text of the secret, which is shown once.
    pub(crate) fn shown(&self) -> String {
        BASE64.encode(self.0)
    }

    /// The hash that is stored.
    pub(crate) fn hash(&self) -> Hash {
        hashed(&[&self.0])
    }

    /// The token that forms of a session contain. The session's secret cannot be computed from it.
    pub(crate) fn form_token(&self) -> String {
        BASE64.encode(hashed(&[b"form", &self.0]))
    }

    /// Its bytes, as a key.
    pub(crate) const fn bytes(&self) -> &[u8; BYTES] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

fn hashed(parts: &[&[u8]]) -> Hash {
    let all = parts.concat();
    let mut hash = [0; BYTES];
    hash.copy_from_slice(digest(&SHA256, &all).as_ref());
    hash
}

/// Whether two texts are equal. The time it takes does not depend on where they differ.
pub(crate) fn is_equal(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_round_trips_and_is_hidden_in_debug_output() {
        let secret = Secret::new().unwrap();
        assert_eq!(Secret::read(&secret.shown()), Some(secret.clone()));
        assert_ne!(secret, Secret::new().unwrap());
        assert_eq!(format!("{secret:?}"), "Secret");
        for wrong in ["", "x", &secret.shown()[1..], &format!("{}A", secret.shown()), "ä"] {
            assert_eq!(Secret::read(wrong), None, "{wrong}");
        }
        assert!(
            is_equal("ab", "ab")
                && !is_equal("ab", "ac")
                && !is_equal("ab", "abc")
                && !is_equal("", "a")
        );
    }
}

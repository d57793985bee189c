//! [`Secret`]: a password or PIN that can be used but not shown.
//!
//! Redaction is by type: this type never prints or serialises the bytes, so no report, log line or panic message can
//! contain them by accident. It does not know what the secret is used for.

use zeroize::Zeroizing;

/// The bytes of a password or PIN, wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes ownership of the bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }

    /// The bytes, for the one call that needs them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as text, if they are UTF-8.
    pub fn expose_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Whether the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_hidden_in_debug_output() {
        let secret = Secret::from("hunter2");
        let wrapped = Some((secret.clone(), 1));
        assert_eq!(format!("{wrapped:?}"), "Some((Secret(..), 1))");
        assert_eq!(format!("{secret:#?}"), "Secret(..)");
        assert_eq!(secret.expose(), b"hunter2");
        assert_eq!(secret.expose_str(), Some("hunter2"));
    }

    #[test]
    fn secret_keeps_bytes_that_are_not_utf8() {
        let secret = Secret::new(vec![0xff, 0x00]);
        assert_eq!(secret.expose(), [0xff, 0x00]);
        assert_eq!(secret.expose_str(), None);
        assert!(!secret.is_empty());
    }
}

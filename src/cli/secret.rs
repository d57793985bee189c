//! A password, in a type that cannot be printed.
//!
//! The bytes are overwritten when the value is dropped, and neither `Debug` nor `Display` shows them: a secret that
//! gets into a log or a record by accident is worse than one that is awkward to use. Where it came from is not its
//! business.

use std::fmt;

use zeroize::Zeroizing;

/// A password or PIN.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes over the bytes.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes, for the one place that sends them.
    pub(crate) fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Secret::new(b"hunter2".to_vec())), "Secret(..)");
    }
}

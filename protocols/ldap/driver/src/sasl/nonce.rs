//! The client's nonce: 24 random bytes in base64, printable in every mechanism that uses one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A fresh nonce of 32 characters.
pub(super) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)?;
    Ok(STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nonces_differ_and_have_no_comma_or_quote() {
        let (one, other) = (super::random().unwrap(), super::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        assert!(!one.contains([',', '"', '\\']));
    }
}

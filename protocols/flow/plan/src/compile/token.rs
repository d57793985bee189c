//! Tokens of HTTP: methods and names of fields.

/// Whether a byte may be in a method or the name of a field (RFC 9110 section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

//! The names of HTTP outcomes.

/// The reason phrase of a status code (RFC 9110 section 15).
pub fn status(code: u32) -> &'static str {
    let status = u16::try_from(code).ok().and_then(|code| http::StatusCode::from_u16(code).ok());
    status.and_then(|status| status.canonical_reason()).unwrap_or("unnamed")
}

//! Moments, as programs read them.

/// A time in seconds since 1970, in RFC 3339.
pub(crate) fn rfc3339(at: i64) -> String {
    jiff::Timestamp::from_second(at).map(|at| at.to_string()).unwrap_or_default()
}

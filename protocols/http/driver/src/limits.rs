//! [`Limits`]: the limits for every answer.

/// The limits for every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a head.
    pub head: usize,
    /// Fields of a head, at most [`brunt_http_wire::FIELDS_MAX`].
    pub fields: usize,
    /// Bytes of a body that are kept where a body is wanted; the rest is counted and discarded.
    pub body_kept: usize,
    /// Bytes of a body. A longer body ends the exchange and the connection.
    pub body: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 64 << 10, fields: 256, body_kept: 1 << 20, body: 4 << 30 }
    }
}

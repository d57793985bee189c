//! [`Grant`]: what a client gets a token for.

use std::sync::Arc;

/// What a client is granted.
pub(super) struct Grant {
    pub(super) subject: Arc<str>,
    pub(super) scope: Arc<str>,
    pub(super) session: Option<u64>,
    /// For the ID token.
    pub(super) nonce: Option<Box<str>>,
    /// Whether there is a refresh token.
    pub(super) renewable: bool,
}

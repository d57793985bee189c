//! [`Resend`]: whether a request may be sent again after its connection was closed before any answer.
//!
//! A server may close an idle connection at any time, without knowing that a client is about to use it. A request that
//! is sent at that moment finds the connection closed. It was most likely not processed, but that is not certain: so
//! what may be sent again depends on whether carrying it out twice has the effect of carrying it out once (RFC 9110
//! section 9.2.2). This module knows no protocol; the driver of the protocol says whether a request is safe.

use std::time::Duration;

/// A connection that was opened in advance and was idle for this time counts as kept, like one that was used before:
/// its end does not show what the request did to the server.
pub(crate) const KEPT: Duration = Duration::from_millis(20);

/// Which requests are sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resend {
    /// None: the exchange fails.
    Never,
    /// Those that may be carried out twice without another effect.
    #[default]
    Safe,
    /// All requests.
    Always,
}

impl Resend {
    /// Whether a request may be sent again; `safe` says whether it may be carried out twice.
    pub const fn allows(self, safe: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Safe => safe,
            Self::Always => true,
        }
    }
}

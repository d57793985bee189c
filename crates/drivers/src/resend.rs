//! [`Resend`]: whether a request may be sent again after its connection was closed before any answer.
//!
//! A server may close a connection that it keeps at any time, and cannot tell a client that is about to use it. A
//! request that leaves in that moment meets the end of the connection. It was most likely not processed, but that is
//! not certain: so what may be sent again depends on whether carrying it out twice has the effect of carrying it out
//! once (RFC 9110 section 9.2.2). Nothing here knows a protocol; whether a request is safe is said by its driver.

use std::time::Duration;

/// A connection that was opened in advance and stood idle for so long counts as kept, as one does that was used
/// before: its end is no sign of what the request did to the server.
pub(crate) const KEPT: Duration = Duration::from_millis(20);

/// Which requests are sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resend {
    /// None: the exchange fails.
    Never,
    /// Those that may be carried out twice without another effect.
    #[default]
    Safe,
    /// All.
    Always,
}

impl Resend {
    /// Whether a request may be sent again, `safe` being whether it may be carried out twice.
    pub const fn allows(self, safe: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Safe => safe,
            Self::Always => true,
        }
    }
}

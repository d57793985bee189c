//! [`Resend`]: whether a request may be sent again after its connection was closed before any answer.
//!
//! A server may close an idle connection at any time, without knowing that a client is about to use it. A request that
//! is sent at that moment finds the connection closed. It was most likely not processed, but that is not certain: so
//! what may be sent again depends on whether carrying it out twice has the effect of carrying it out once (RFC 9110
//! section 9.2.2). This module knows no protocol; the driver of the protocol says whether a request is safe.

use std::time::Duration;

/// A connection that was opened in advance and was idle for this time counts as kept, like one that was used before:
/// its end does not show what the request did to the server.
pub const KEPT: Duration = Duration::from_millis(20);

/// The shortest and the longest time that is taken for a round trip. A machine that is busy notices the end of a
/// connection a little later than it arrives, and a connection that took long to open lost packets.
const ROUND_TRIP: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// Whether a request that had been in flight for this time when its connection ended may have crossed that end: the
/// server can have closed the connection before the request arrived. `round_trip` is how long connecting took. A server
/// that ends a connection later has received the request, and its end is what became of it.
pub fn crossed(in_flight: Duration, round_trip: Duration) -> bool {
    let [least, most] = ROUND_TRIP;
    in_flight <= round_trip.clamp(least, most)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_closed_within_a_round_trip_can_have_crossed_the_end() {
        let crossed = |in_flight, round_trip| {
            super::crossed(Duration::from_millis(in_flight), Duration::from_millis(round_trip))
        };
        assert_eq!([0, 20, 21, 500].map(|at| crossed(at, 0)), [true, true, false, false]);
        assert_eq!([20, 150, 151].map(|at| crossed(at, 150)), [true, true, false]);
        // A connection whose first packet was lost says nothing about the way.
        assert_eq!([500, 501, 1_000].map(|at| crossed(at, 1_003)), [true, false, false]);
    }
}

//! What is said where nobody answered anything: what a server needs before it does, which no packet tells.
//!
//! A server that has no subnet for a relay keeps silent, and so does one that answers to where nobody listens. It must
//! not know what was measured besides.

use brunt_report::dhcp::Exchanges;

use super::route::Route;
use crate::cli::dhcp::args::{self, Family};

/// Where a DHCPv4 relay is answered (RFC 2131 section 4.1).
const RELAY_PORT: u16 = 67;

/// What to look at, if messages were sent and nothing came back.
pub(super) fn advice(
    figures: &Exchanges,
    family: Family,
    asked: &args::Route,
    route: &Route,
) -> Option<String> {
    let sent = figures.stages.iter().any(|stage| stage.sent > 0);
    let heard = figures.stages.iter().any(|stage| {
        stage.received + stage.naks + stage.unusable + stage.late + stage.rejected > 0
    });
    let strange = figures.foreign + figures.malformed + figures.tooshort + figures.unexpected;
    if !sent || heard || strange > 0 {
        return None;
    }
    let asks = format!("nobody answered. Is there a server at {}", route.server);
    let Some(local) = route.locals.first().filter(|_| !asked.client) else {
        return Some(asks + "?");
    };
    let whom = match (&asked.relay_addresses, family) {
        (Some(_), _) => "the relays of -J".to_owned(),
        (None, Family::V4) => format!("the relay {}", local.ip()),
        (None, Family::V6) => format!("the link of {}", local.ip()),
    };
    let port = match (family, local.port()) {
        (Family::V4, port) if port != RELAY_PORT => format!(
            " It answers to port {RELAY_PORT}, and not to {port}, unless it is told to answer to where it was asked \
             from"
        ),
        _ => String::new(),
    };
    Some(format!("{asks}, and has it a subnet for {whom}?{port}"))
}

//! The message if the server gave no answer, at all or from some moment on: which server, since when, and what a server
//! needs before it answers, which no packet reveals.
//!
//! A server that has no subnet for a relay sends no answer, and so does one whose answers go to an address where no
//! process listens. This module must not depend on other measurements.

use std::time::Duration;

use brunt_drivers::dhcp::Silence;
use brunt_report::dhcp::Exchanges;

use super::route::Route;
use crate::cli::dhcp::args::{DhcpArgs, Family};

/// The port on which a DHCPv4 relay receives answers (RFC 2131 section 4.1).
const RELAY_PORT: u16 = 67;
/// Shorter silences are not reported.
const SILENCE_MIN: Duration = Duration::from_secs(1);

/// The message and the advice, if no answer arrived, at all or from some moment on.
pub(super) fn advice(
    figures: &Exchanges,
    silence: Silence,
    args: &DhcpArgs,
    route: &Route,
) -> Option<String> {
    if figures.bad_checksum > 0 {
        return Some(damaged(figures.bad_checksum, route));
    }
    let dropped = figures.drops() > 0 || figures.stages.iter().any(|stage| stage.cut_off > 0);
    if silence.unanswered == 0 || !dropped {
        return None;
    }
    let strange = figures.foreign + figures.malformed + figures.tooshort + figures.unexpected;
    match silence.heard {
        // A process answers there, but does not speak the protocol.
        None if strange > 0 => None,
        None => Some(never(figures, silence, args, route)),
        Some(heard) => stopped(figures, silence, heard, args, route),
    }
}

/// Answers arrived damaged. Where packets pass through no wire, as between containers, a checksum that the sender left
/// to a network card is never computed.
fn damaged(count: u64, route: &Route) -> String {
    format!(
        "{count} datagrams arrived with a bad UDP checksum, so the system did not deliver them (InCsumErrors): if the \
         network of {} is virtual, turn off the offloading of checksums there (ethtool -K INTERFACE tx off); else \
         something on the way damages packets",
        route.server
    )
}

/// What arrived instead of an answer.
fn refused(figures: &Exchanges) -> String {
    match figures.unreachable {
        0 => String::new(),
        count => format!(
            "; {count} messages were rejected because nothing listens there (ICMP port unreachable)"
        ),
    }
}

/// The server answered and then stopped.
fn stopped(
    figures: &Exchanges,
    silence: Silence,
    heard: Duration,
    args: &DhcpArgs,
    route: &Route,
) -> Option<String> {
    let [first, second] = args.limits.drop_time;
    if silence.lasted() < first.max(second).max(SILENCE_MIN) {
        return None;
    }
    Some(format!(
        "no answer from {} from {:.1} s to the end, when {} messages were sent{}",
        route.server,
        heard.as_secs_f64(),
        silence.unanswered,
        refused(figures),
    ))
}

/// There was never an answer.
fn never(figures: &Exchanges, silence: Silence, args: &DhcpArgs, route: &Route) -> String {
    let sent = silence.unanswered;
    let nothing = format!("no answer from {} to any of {sent} messages", route.server);
    if figures.unreachable > 0 {
        return format!("{nothing}{}: start the server, or name its port (-N)", refused(figures));
    }
    let asks = format!("{nothing}. Is there a server");
    let Some(local) = route.locals.first().filter(|_| !args.route.client) else {
        return asks + "?";
    };
    let whom = match (&args.route.relay_addresses, args.family) {
        (Some(_), _) => "the relays of -J".to_owned(),
        (None, Family::V4) => format!("the relay {}", local.ip()),
        (None, Family::V6) => format!("the link of {}", local.ip()),
    };
    let port = match (args.family, local.port()) {
        (Family::V4, port) if port != RELAY_PORT => format!(
            " It answers to port {RELAY_PORT} and not to {port}, unless it is configured to answer the sender's port"
        ),
        _ => String::new(),
    };
    format!("{asks}, and does it have a subnet for {whom}?{port}")
}

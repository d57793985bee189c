//! The message if the server gave no answer, at all or from some moment on: which server, since when, and what a server
//! needs before it answers, which no packet reveals.
//!
//! A server that has no subnet for a relay sends no answer, and so does one whose answers go to an address where no
//! process listens. This module must not depend on other measurements.

use std::time::Duration;

use brunt_dhcp_driver::Silence;
use brunt_dhcp_driver::family::Family;

use super::route::Route;
use crate::options::args::DhcpArgs;
use crate::report::{Exchanges, StageFigures};

/// The port on which a DHCPv4 relay receives answers (RFC 2131 section 4.1).
const RELAY_PORT: u16 = 67;
/// Shorter silences are not reported.
const SILENCE_MIN: Duration = Duration::from_secs(1);

/// The message and the advice, if no answer arrived, at all or from some moment on.
pub(crate) fn advice(
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
    match (silence.last_reply, strange(figures)) {
        // A process answers there, but not what was asked.
        (None, Some((_, what))) => Some(format!(
            "no answer from {} to any of {} messages; {what}",
            route.server, silence.unanswered
        )),
        (None, None) => Some(never(figures, silence, args, route)),
        (Some(last_reply), _) => stopped(figures, silence, last_reply, args, route),
    }
}

/// What arrived and was no answer to any message: how many datagrams, and in words.
pub(crate) fn strange(figures: &Exchanges) -> Option<(u64, String)> {
    described(&[
        (figures.malformed, "malformed"),
        (figures.tooshort, "too short"),
        (figures.foreign, "to clients or transactions that are not ours"),
        (figures.unexpected, "unexpected"),
    ])
}

fn described(kinds: &[(u64, &str)]) -> Option<(u64, String)> {
    let all = kinds.iter().map(|(count, _)| count).sum();
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(count, what)| format!("{count} {what}")).collect();
    let kinds = kinds.join(", ");
    (all > 0).then(|| (all, format!("{all} datagrams came that are no answers to them: {kinds}")))
}

/// What shows that the server was there although exchanges had no answer in time: answers that came after the drop
/// time, answers that the system did not deliver, and datagrams that were no answers. If these are fewer than half of
/// the exchanges without an answer, they do not show that it was there all the time.
pub(crate) fn present(
    drops: u64,
    late: u64,
    bad_checksum: u64,
    strange: Option<(u64, String)>,
    drop_time: [Duration; 2],
) -> Option<String> {
    let damaged = bad_checksum.min(drops.saturating_sub(late));
    let came = late + damaged + strange.as_ref().map_or(0, |(count, _)| *count);
    if drops == 0 || came == 0 || came * 2 < drops {
        return None;
    }
    let [first, second] = drop_time.map(|time| time.as_secs_f64());
    let late = (late > 0).then(|| {
        format!("{late} answers came later than the drop time ({first} and {second} s, -d)")
    });
    let damaged = (damaged > 0).then(|| {
        format!("{damaged} answers came with a bad UDP checksum, so this machine's system did not deliver them")
    });
    let strange = strange.map(|(_, what)| what);
    Some(late.into_iter().chain(damaged).chain(strange).collect::<Vec<_>>().join(", and "))
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
    last_reply: Duration,
    args: &DhcpArgs,
    route: &Route,
) -> Option<String> {
    let [first, second] = args.limits.drop_time;
    if silence.lasted() < first.max(second).max(SILENCE_MIN) {
        return None;
    }
    Some(format!(
        "no answer from {} from {:.1} s to the end, when {} messages were sent{}{}{}",
        route.server,
        last_reply.as_secs_f64(),
        silence.unanswered,
        refused(figures),
        full_queue(figures.server_drops).unwrap_or_default(),
        exhausted(&figures.stages, figures.unreachable + figures.server_drops.unwrap_or(0)),
    ))
}

/// The server is there, and its system keeps messages for it until there is no more room.
fn full_queue(drops: Option<u64>) -> Option<String> {
    let lost = drops.filter(|lost| *lost > 0)?;
    Some(format!(
        "; {lost} of them were lost in the server's receive queue, which was full: the server is there, and takes \
         none or too few"
    ))
}

/// Only requests of new clients had no answer, and nothing else explains it: so does a server that has nothing left to
/// lease.
fn exhausted(stages: &[StageFigures], explained: u64) -> String {
    let Some((first, others)) = stages.split_first() else { return String::new() };
    let others_lost = others.iter().any(|stage| stage.drops > 0);
    if explained > 0 || first.received == 0 || first.drops == 0 || others_lost {
        return String::new();
    }
    let offers = first.received;
    format!("; is it running, and does it have a free address after {offers} offers?")
}

/// There was never an answer.
fn never(figures: &Exchanges, silence: Silence, args: &DhcpArgs, route: &Route) -> String {
    let sent = silence.unanswered;
    let nothing = format!("no answer from {} to any of {sent} messages", route.server);
    if figures.unreachable > 0 {
        return format!("{nothing}{}: start the server, or name its port (-N)", refused(figures));
    }
    if let Some(full) = full_queue(figures.server_drops) {
        return nothing + &full;
    }
    let question = format!("{nothing}. Is there a server");
    let Some(local) = route.locals.first().filter(|_| !args.route.client) else {
        return question + "?";
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
    format!("{question}, and does it have a subnet for {whom}?{port}")
}

#[cfg(test)]
mod tests {
    use super::*;
    fn message(drops: u64, late: u64, bad_checksum: u64) -> Option<String> {
        let drop_time = [Duration::from_secs(1), Duration::from_millis(500)];
        present(drops, late, bad_checksum, None, drop_time)
    }

    #[test]
    fn exhausted_pool_is_suspected_if_only_new_clients_lack_answers() {
        let figures = |first: (u64, u64), second: u64, unreachable| {
            let stage =
                |received, drops| StageFigures { received, drops, ..StageFigures::default() };
            exhausted(&[stage(first.0, first.1), stage(first.0, second)], unreachable)
        };
        let requested = "; is it running, and does it have a free address after 50 offers?";
        assert_eq!(figures((50, 150), 0, 0), requested);
        for (first, second, unreachable) in
            [((0, 150), 0, 0), ((50, 0), 0, 0), ((50, 150), 3, 0), ((50, 150), 0, 9)]
        {
            assert_eq!(figures(first, second, unreachable), "", "{first:?}");
        }
    }

    #[test]
    fn unrelated_datagrams_show_that_a_host_exists() {
        assert_eq!(described(&[(0, "malformed"), (0, "too short")]), None);
        let strange = described(&[(18, "malformed"), (0, "too short"), (2, "unexpected")]);
        let expected = "20 datagrams came that are no answers to them: 18 malformed, 2 unexpected";
        assert_eq!(strange, Some((20, expected.to_owned())));
        let drop_time = [Duration::from_secs(1); 2];
        assert_eq!(present(20, 0, 0, strange.clone(), drop_time).as_deref(), Some(expected));
        assert_eq!(present(41, 0, 0, strange.clone(), drop_time), None, "too few to explain it");
        assert_eq!(present(0, 0, 0, strange, drop_time), None, "everything was answered");
    }

    #[test]
    fn full_server_queue_shows_that_a_server_exists() {
        assert_eq!((full_queue(None), full_queue(Some(0))), (None, None));
        let expected = full_queue(Some(1834)).unwrap();
        assert!(
            expected.starts_with("; 1834 of them were lost in the server's receive queue"),
            "{expected}"
        );
    }

    #[test]
    fn damaged_or_late_answers_show_that_a_server_exists() {
        let damaged =
            "answers came with a bad UDP checksum, so this machine's system did not deliver them";
        assert_eq!(message(10, 0, 10), Some(format!("10 {damaged}")));
        // The count is that of all processes here, and no more than the exchanges without an answer are ours.
        assert_eq!(message(10, 0, 25), Some(format!("10 {damaged}")));
        let late = "4 answers came later than the drop time (1 and 0.5 s, -d)";
        assert_eq!(message(8, 4, 0).as_deref(), Some(late));
        assert_eq!(message(10, 4, 2), Some(format!("{late}, and 2 {damaged}")));
        for few in [(0, 0, 7), (10, 0, 4), (10, 2, 2), (9, 4, 0)] {
            assert_eq!(message(few.0, few.1, few.2), None, "{few:?}");
        }
    }
}

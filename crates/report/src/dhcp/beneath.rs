//! What the old texts have no line for: percentiles, what became of every odd reply, and what became
//! of what was dropped.

use super::delay::millis;
use super::{Attribution, Exchanges, StageFigures};
use brunt_record::Histogram;
use std::fmt::Write;

const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];
type Column = (&'static str, fn(&StageFigures) -> u64);

/// What can become of a message beside being answered or dropped, and of an answer beside being the
/// one that was waited for.
const ODDITIES: [Column; 6] = [
    ("resent", |stage| stage.resent),
    ("NAKs", |stage| stage.naks),
    ("unusable", |stage| stage.unusable),
    ("cut off", |stage| stage.cut_off),
    ("late", |stage| stage.late),
    ("twice", |stage| stage.duplicates),
];
const LABEL: usize = 27;
const COLUMN: usize = 10;

/// Adds all of it, under a heading that no old text has.
pub(super) fn beneath(text: &mut String, figures: &Exchanges) {
    text.push_str("***In more detail***\n");
    times(text, figures);
    replies(text, figures);
    let Exchanges { tooshort, locallimit, malformed, unexpected, foreign, .. } = figures;
    let _ = writeln!(text, "tooshort: {tooshort}\nlocallimit: {locallimit}");
    let _ = writeln!(text, "malformed: {malformed}\nunexpected: {unexpected}\nforeign: {foreign}");
    if figures.unreachable > 0 {
        let _ = writeln!(text, "refused (ICMP port unreachable): {}", figures.unreachable);
    }
    let Exchanges { leases_forgotten, preload_sent, preload_received, .. } = figures;
    if *leases_forgotten > 0 {
        let _ = writeln!(text, "leases forgotten: {leases_forgotten}");
    }
    if *preload_sent > 0 {
        let _ = writeln!(text, "preload: {preload_sent} sent, {preload_received} answered");
    }
    drops(text, figures);
}

fn times(text: &mut String, figures: &Exchanges) {
    let _ = write!(text, "{:<LABEL$}{:>COLUMN$}", "Milliseconds", "mean");
    for (name, _) in QUANTILES {
        let _ = write!(text, "{name:>COLUMN$}");
    }
    let _ = writeln!(text, "{:>COLUMN$}", "max");
    for stage in &figures.stages {
        row(text, &stage.title, &stage.delay);
    }
    row(text, "whole exchange, from due", &figures.response);
    row(text, "whole exchange, from sent", &figures.service);
    if !figures.life.is_empty() {
        row(text, "life of a lease, waiting", &figures.life);
    }
    text.push('\n');
}

fn row(text: &mut String, name: &str, took: &Histogram) {
    let _ = write!(text, "{name:<LABEL$}");
    let figures = std::iter::once(took.mean())
        .chain(QUANTILES.map(|(_, quantile)| took.quantile(quantile)))
        .chain([took.max()]);
    for figure in figures {
        let figure = figure.map_or_else(|| "-".to_owned(), |took| format!("{:.3}", millis(took)));
        let _ = write!(text, "{figure:>COLUMN$}");
    }
    text.push('\n');
}

fn replies(text: &mut String, figures: &Exchanges) {
    let _ = write!(text, "{:<LABEL$}", "Packets");
    for (name, _) in ODDITIES {
        let _ = write!(text, "{name:>COLUMN$}");
    }
    text.push('\n');
    for stage in &figures.stages {
        let _ = write!(text, "{:<LABEL$}", stage.title);
        for (_, pick) in ODDITIES {
            let _ = write!(text, "{:>COLUMN$}", pick(stage));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn drops(text: &mut String, figures: &Exchanges) {
    let drops = figures.drops();
    if drops == 0 {
        return;
    }
    let found = Attribution::of(figures);
    let Attribution { late, own_socket, own_stall, server_queue, elsewhere } = found;
    let _ = writeln!(text, "\nOf {drops} drops");
    let _ = writeln!(text, "  answered too late: {late}");
    let _ = writeln!(text, "  lost in our own socket: {own_socket}");
    if own_stall > 0 {
        let _ = writeln!(
            text,
            "  because brunt itself stood still, not counted against the server: {own_stall}"
        );
    }
    let _ = match server_queue {
        Some(lost) => writeln!(
            text,
            "  lost in the server's receive queue: {lost}\n  lost by the server or on the wire: {elsewhere}"
        ),
        None => {
            writeln!(
                text,
                "  lost in the server's receive queue, by it or on the wire: {elsewhere}"
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use super::super::tests::nothing;
    use super::*;
    use std::time::Duration;

    fn measured() -> Exchanges {
        let mut first = StageFigures {
            title: "REQUEST-ACK (INIT-REBOOT)".to_owned(),
            sent: 110,
            received: 100,
            drops: 10,
            resent: 1,
            naks: 2,
            late: 3,
            duplicates: 4,
            unusable: 5,
            cut_off: 6,
            ..StageFigures::default()
        };
        // Ninety-nine of one millisecond and one of a hundred.
        for n in 0..100 {
            first.delay.record(Duration::from_millis(if n < 99 { 1 } else { 100 }));
        }
        let second = StageFigures { title: "REQUEST-ACK".to_owned(), ..StageFigures::default() };
        Exchanges {
            stages: vec![first, second],
            socket_drops: 3,
            foreign: 5,
            malformed: 6,
            tooshort: 7,
            unexpected: 8,
            locallimit: 9,
            preload_sent: 20,
            preload_received: 19,
            ..nothing()
        }
    }

    #[test]
    fn all_that_is_known_is_told_once() {
        let mut text = String::new();
        beneath(&mut text, &measured());
        assert_eq!(
            text,
            "\
***In more detail***
Milliseconds                     mean       p50       p90       p99     p99.9    p99.99       max
REQUEST-ACK (INIT-REBOOT)       1.990     1.000     1.000     1.000   100.000   100.000   100.000
REQUEST-ACK                         -         -         -         -         -         -         -
whole exchange, from due            -         -         -         -         -         -         -
whole exchange, from sent           -         -         -         -         -         -         -

Packets                        resent      NAKs  unusable   cut off      late     twice
REQUEST-ACK (INIT-REBOOT)           1         2         5         6         3         4
REQUEST-ACK                         0         0         0         0         0         0

tooshort: 7
locallimit: 9
malformed: 6
unexpected: 8
foreign: 5
preload: 20 sent, 19 answered

Of 10 drops
  answered too late: 3
  lost in our own socket: 3
  lost in the server's receive queue, by it or on the wire: 4
"
        );
    }

    #[test]
    fn a_servers_queue_is_named_where_it_was_looked_at() {
        let mut text = String::new();
        beneath(&mut text, &Exchanges { server_drops: Some(3), ..measured() });
        assert!(
            text.ends_with(
                "Of 10 drops\n  answered too late: 3\n  lost in our own socket: 3\n  \
                 lost in the server's receive queue: 3\n  lost by the server or on the wire: 1\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_is_our_own_fault_has_a_line_where_there_is_any() {
        let mut figures = Exchanges { unreachable: 12, ..measured() };
        figures.stages[0].drops_stalled = 3;
        let mut text = String::new();
        beneath(&mut text, &figures);
        assert!(text.contains("foreign: 5\nrefused (ICMP port unreachable): 12\n"), "{text}");
        let end = "Of 10 drops\n  answered too late: 3\n  lost in our own socket: 3\n  \
                   because brunt itself stood still, not counted against the server: 3\n  \
                   lost in the server's receive queue, by it or on the wire: 1\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn a_run_without_drops_says_nothing_of_them() {
        let mut text = String::new();
        let mut figures = measured();
        figures.stages[0].drops = 0;
        beneath(&mut text, &figures);
        assert!(!text.contains("lost"), "{text}");
    }
}

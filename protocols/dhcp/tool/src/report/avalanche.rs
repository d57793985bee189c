//! The lines of the avalanche: how many exchanges still wait, and at the end how long it took.

use super::Exchanges;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write;
use std::time::Duration;

/// A stage in which messages had to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting<'a> {
    /// The title of the stage.
    pub title: &'a str,
    /// Messages without an answer yet.
    pub answers: u64,
    /// Messages sent again since the line before.
    pub resent: u64,
    /// Exchanges of which any message was sent again, the answered ones included.
    pub retrying: u64,
}

impl Waiting<'_> {
    /// The line, with its end, and with the time in UTC as in the original tool.
    pub(crate) fn line(&self, at: Timestamp) -> String {
        let Self { title, answers, resent, retrying } = self;
        let at = at.to_zoned(TimeZone::UTC).strftime("%Y-%b-%d %H:%M:%S%.6f");
        format!(
            "{at} {title}: still waiting for {answers} answers, resent {resent}, retrying {retrying}\n"
        )
    }
}

/// The end of an avalanche.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Provisioned {
    /// How many clients there were.
    pub clients: u64,
    /// How long it took until the last had its lease.
    pub took: Duration,
}

impl Provisioned {
    /// The lines beneath the final text.
    pub(crate) fn lines(&self, figures: &Exchanges) -> String {
        let Self { clients, took } = self;
        let sum = |pick: fn(&super::StageFigures) -> u64| figures.stages.iter().map(pick).sum();
        let (sent, resent, received): (u64, u64, u64) =
            (sum(|stage| stage.sent), sum(|stage| stage.resent), sum(|stage| stage.received));
        // The blank before the end of the first line is in the output of the original tool.
        let mut text = format!("It took {} to provision {clients} clients. \n", clock(*took));
        let _ = writeln!(text, "Requests sent + resent: {}", sent + resent);
        let _ = writeln!(text, "Requests resent: {resent}\nResponses received: {received}");
        text
    }
}

/// `hh:mm:ss.ffffff`, without the fraction where there is none.
fn clock(took: Duration) -> String {
    let (seconds, micros) = (took.as_secs(), took.subsec_micros());
    let fraction = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    format!("{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::super::StageFigures;
    use super::super::tests::nothing;
    use super::*;

    // Both as printed by `perfdhcp -4 --scenario avalanche -R 300 -t 1 10.77.0.1`.

    #[test]
    fn avalanche_line_counts_waiting_exchanges() {
        let waiting = Waiting { title: "DISCOVER-OFFER", answers: 99, resent: 24, retrying: 34 };
        assert_eq!(
            waiting.line("2026-11-21T04:40:56.184435Z".parse().unwrap()),
            "2026-Nov-21 04:40:56.184435 DISCOVER-OFFER: still waiting for 99 answers, resent 24, retrying 34\n"
        );
    }

    #[test]
    fn avalanche_summary_shows_its_duration() {
        let stage =
            |resent| StageFigures { sent: 300, received: 300, resent, ..StageFigures::default() };
        let figures = Exchanges { stages: vec![stage(109), stage(61)], ..nothing() };
        let end = Provisioned { clients: 300, took: Duration::from_micros(2_002_505) };
        assert_eq!(
            end.lines(&figures),
            "It took 00:00:02.002505 to provision 300 clients. \nRequests sent + resent: 770\n\
             Requests resent: 170\nResponses received: 600\n"
        );
    }

    #[test]
    fn clock_shows_hours_without_a_fraction() {
        assert_eq!(clock(Duration::from_secs(3 * 3600 + 25 * 60 + 45)), "03:25:45");
    }
}

//! The output of a DHCP run, in the words that operators' scripts have always read.
//!
//! Two texts are kept: the one of the performance guide of 2012 and the one of Kea's perfdhcp, which has more lines.
//! Both are made from the same [`Exchanges`]. Figures for which neither has a line follow beneath, under a heading of
//! their own. A script that stops reading at the original end never reaches them. Where the original meaning of a
//! figure was misleading, brunt uses its own: a drop is an exchange without an answer within the drop time, not one
//! that was still in flight when the counts were read.

mod attribution;
mod avalanche;
mod beneath;
mod deltas;
mod diagnostics;
mod exchanges;
mod guide;
mod interim;
mod kea;
mod significant;

pub(crate) use attribution::Attribution;
pub(crate) use avalanche::{Provisioned, Waiting};
pub(crate) use deltas::Deltas;
pub(crate) use diagnostics::{ExitReason, Lease, Letter, Offsets, Trip};
pub(crate) use diagnostics::{internals, leases, server_id, template, trips};
pub(crate) use exchanges::{
    BAD_CHECKSUM, Counted, Exchanges, ReportSettings, SERVER_QUEUE, StageFigures,
};
pub(crate) use guide::guide;
pub(crate) use interim::{LineForm, interim};
pub(crate) use kea::kea;

use std::fmt::Write;

/// The lines that are printed before anything is measured: the command in its plain spelling (a word for each switch
/// and each value), the scenario and, where several workers share the load, a remark about that. The original tool's
/// advice to use more threads is left out: it was bad advice.
pub(crate) fn banner(words: &[String], scenario: &str, workers: usize) -> String {
    let mut text = String::from("Running: perfdhcp");
    for word in words {
        text.push(' ');
        text.push_str(word);
    }
    let _ = write!(text, "\nScenario: {scenario}.\n");
    if workers > 1 {
        text.push_str("Multi-thread mode enabled.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::Histogram;
    use std::time::Duration;

    // What perfdhcp 2.2.0 printed with Kea 2.2.0, and with no server, over a veth pair:
    /// `perfdhcp -4 -r 30 -R 10 -p 1 -x ts 10.77.0.1`
    const DORA: &str = include_str!("testdata/dora.txt");
    /// `perfdhcp -6 -l rptc0 -r 30 -f 5 -F 5 -R 20 -p 2 -x t -e address-and-prefix`
    const SARR: &str = include_str!("testdata/sarr.txt");
    /// `perfdhcp -4 -r 20 -p 2 10.77.0.9`
    const UNANSWERED: &str = include_str!("testdata/unanswered.txt");

    /// The figures of a run of the original tool: its counts as it printed them, its delays from its stamps.
    pub(super) fn replayed(text: &str) -> Exchanges {
        let titles = lines_after(text, "***Statistics for: ");
        let stages: Vec<StageFigures> = titles
            .iter()
            .map(|(title, block)| {
                let stamps = lines_after(text, "***Timestamps for packets: ");
                let stamps = stamps.iter().find(|(known, _)| known == title);
                StageFigures {
                    title: title.clone(),
                    sent: count(block, "sent packets: "),
                    received: count(block, "received packets: "),
                    drops: count(block, "drops: "),
                    duplicates: count(block, "orphans: "),
                    delay: stamps.map(|(_, lines)| delays(lines)).unwrap_or_default(),
                    ..StageFigures::default()
                }
            })
            .collect();
        let line = text.lines().find(|line| line.starts_with("Rate: ")).unwrap();
        let rate: f64 = line.split(' ').nth(1).unwrap().parse().unwrap();
        let completed = stages[1].received;
        Exchanges {
            expected: line.rsplit_once("expected rate: ").map(|(_, rate)| rate.parse().unwrap()),
            completed,
            lasted: if rate > 0.0 {
                Duration::from_secs_f64(completed as f64 / rate)
            } else {
                Duration::ZERO
            },
            stages,
            ..nothing()
        }
    }

    pub(super) fn nothing() -> Exchanges {
        let requested =
            ReportSettings { counted: Counted::FourWay, rate: None, titles: Vec::new() };
        Exchanges::of_run(
            &requested,
            &brunt_record::Catalogue::default(),
            &brunt_record::Totals::new(),
        )
    }

    /// Each block that begins with a line of this kind: the rest of that line, and the lines below.
    fn lines_after<'a>(text: &'a str, heading: &str) -> Vec<(String, Vec<&'a str>)> {
        let blocks = text.split(heading).skip(1).map(|block| {
            let (title, rest) = block.split_once("***\n").unwrap();
            let rest = rest.split("***").next().unwrap();
            (title.to_owned(), rest.lines().collect())
        });
        blocks.collect()
    }

    fn count(block: &[&str], name: &str) -> u64 {
        block.iter().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap()
    }

    fn delays(lines: &[&str]) -> Histogram {
        let mut delay = Histogram::new();
        for Trip { sent, received } in read_trips(lines) {
            delay.record(received.checked_sub(sent).unwrap());
        }
        delay
    }

    fn read_trips(lines: &[&str]) -> Vec<Trip> {
        let micros = |text: &str| {
            let (clock, micros) = text.split_once('.').unwrap();
            Duration::from_micros(
                clock.parse::<u64>().unwrap() * 1_000_000 + micros.parse::<u64>().unwrap(),
            )
        };
        let stamps = lines.iter().filter_map(|line| line.strip_prefix("sent / received: "));
        let both = stamps.map(|line| line.split_once(" / ").unwrap());
        both.map(|(sent, received)| Trip { sent: micros(sent), received: micros(received) })
            .collect()
    }

    /// The part that the original tool has too.
    fn old_part(text: &str) -> &str {
        text.split_once("***Additional statistics***\n").unwrap().0
    }

    fn stamps_of(sample: &str) -> String {
        let blocks = lines_after(sample, "***Timestamps for packets: ");
        blocks.iter().map(|(title, lines)| trips(title, &read_trips(lines))).collect()
    }

    #[test]
    fn report_of_a_dora_run_equals_the_original() {
        let words = ["-4", "-r", "30", "-R", "10", "-p", "1", "-x", "ts", "10.77.0.1"];
        let mut text = banner(&words.map(str::to_owned), "basic", 2);
        text.push_str(old_part(&kea(&replayed(DORA))));
        text.push_str(&stamps_of(DORA));
        text.push_str(&server_id(&[10, 77, 0, 1]));
        assert_eq!(text, DORA);
    }

    #[test]
    fn report_of_renew_and_release_equals_the_original() {
        let words = "-6 -l rptc0 -r 30 -f 5 -F 5 -R 20 -p 2 -x t -e address-and-prefix";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let mut text = banner(&words, "basic", 2);
        text.push_str(old_part(&kea(&replayed(SARR))));
        text.push_str(&stamps_of(SARR));
        assert_eq!(text, SARR);
    }

    #[test]
    fn report_without_answers_prints_whole_lines() {
        let text = kea(&replayed(UNANSWERED));
        let run_together = "min delay: inf ms\navg delay: min delay: n/a\n";
        assert_eq!(UNANSWERED.matches(run_together).count(), 2);
        let mended = UNANSWERED.replace(run_together, "min delay: n/a\n");
        let (_, mended) = mended.split_once("enabled.\n").unwrap();
        // The original tool found none of the 39 that were dropped.
        let mended = mended.replacen("collected packets: 0", "collected packets: 39", 1);
        assert_eq!(old_part(&text), mended);
    }

    #[test]
    fn report_without_a_rate_has_no_blank_line_after_it() {
        let mut figures = replayed(DORA);
        figures.expected = None;
        // `perfdhcp -4 -p 1 -x ei 10.77.0.1`: 4,317 exchanges, `Rate: 4288.01 4-way exchanges/second`.
        (figures.completed, figures.lasted) = (4_317, Duration::from_micros(1_006_761));
        let text = kea(&figures);
        assert!(
            text.starts_with(
                "***Rate statistics***\nRate: 4288.01 4-way exchanges/second\n***Malformed Packets***\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn banner_of_one_worker_has_no_warning() {
        let words = ["-4", "--scenario", "avalanche", "-R", "5"].map(str::to_owned);
        assert_eq!(
            banner(&words, "avalanche", 1),
            "Running: perfdhcp -4 --scenario avalanche -R 5\nScenario: avalanche.\n"
        );
    }
}

//! The final text of the performance guide of 2012, with the error counters that the guide's own
//! help describes, and beneath it the figures for which that has no line.

use super::beneath::beneath;
use super::significant::significant;
use super::{Exchanges, StageFigures};
use brunt_record::Histogram;
use std::fmt::Write;
use std::time::Duration;

/// The final text in the form of the guide.
pub(crate) fn guide(figures: &Exchanges) -> String {
    let mut text = String::from("***Rate statistics***\n");
    let _ = write!(text, "Rate: {}", significant(figures.rate()));
    if let Some(expected) = figures.expected {
        let expected = significant(expected);
        let _ = write!(text, " exchanges/second, expected rate: {expected} exchanges/second");
    }
    text.push_str("\n\n");
    for stage in &figures.stages {
        block(&mut text, stage);
    }
    let orphans: u64 = figures.stages.iter().map(StageFigures::orphans).sum();
    let Exchanges { tooshort, foreign, locallimit, .. } = figures;
    let _ = writeln!(text, "***Errors***\ntooshort: {tooshort}");
    // The guide counts what is "duplicate, late or not related".
    let _ = writeln!(text, "orphans: {}\nlocallimit: {locallimit}\n", orphans + foreign);
    beneath(&mut text, figures);
    text
}

fn block(text: &mut String, stage: &StageFigures) {
    let StageFigures { title, sent, received, drops, .. } = stage;
    let _ = writeln!(text, "***Statistics for: {title}***");
    let _ = writeln!(text, "sent packets: {sent}\nreceived packets: {received}");
    let _ = writeln!(text, "drops: {drops}\norphans: {}\n", stage.orphans());
    delays(text, &stage.delay);
    let _ = writeln!(text, "collected packets: {}\n", stage.collected());
}

/// The four delays of a stage. Without an answer there are none; the original tool then prints two
/// halves of lines on one line, which is not copied.
pub(super) fn delays(text: &mut String, delay: &Histogram) {
    let lines = [
        ("min delay", delay.min()),
        ("avg delay", delay.mean()),
        ("max delay", delay.max()),
        ("std deviation", delay.deviation()),
    ];
    for (name, took) in lines {
        let _ = match took {
            Some(took) => writeln!(text, "{name}: {:.3} ms", millis(took)),
            None => writeln!(text, "{name}: n/a"),
        };
    }
}

/// Milliseconds.
fn millis(took: Duration) -> f64 {
    took.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::super::tests::nothing;
    use super::*;
    use std::time::Duration;

    /// The third example of the guide (`perfdhcp -l eth3 -p 60 -r 100 -R 30`), without its figures.
    const EXAMPLE: &str = "\
***Rate statistics***
Rate: # exchanges/second, expected rate: # exchanges/second

***Statistics for: DISCOVER-OFFER***
sent packets: #
received packets: #
drops: #
orphans: #

min delay: # ms
avg delay: # ms
max delay: # ms
std deviation: # ms
collected packets: #

***Statistics for: REQUEST-ACK***
sent packets: #
received packets: #
drops: #
orphans: #

min delay: # ms
avg delay: # ms
max delay: # ms
std deviation: # ms
collected packets: #
";

    fn measured() -> Exchanges {
        let stage = |title: &str, late| {
            let mut stage = StageFigures {
                title: title.to_owned(),
                sent: 5_991,
                received: 5_989,
                drops: 2,
                late,
                ..StageFigures::default()
            };
            for millis in [1, 3] {
                stage.delay.record(Duration::from_millis(millis));
            }
            stage
        };
        let mut figures = nothing();
        figures.expected = Some(100.0);
        (figures.completed, figures.lasted) = (5_989, Duration::from_micros(60_000_160));
        figures.stages = vec![stage("DISCOVER-OFFER", 1), stage("REQUEST-ACK", 0)];
        (figures.foreign, figures.tooshort, figures.locallimit) = (4, 7, 9);
        figures
    }

    /// The text with every number replaced by the same placeholder.
    fn faceless(text: &str) -> String {
        let mut faceless = String::new();
        for c in text.chars() {
            match c {
                '0'..='9' | '.' if faceless.ends_with('#') => {}
                '0'..='9' => faceless.push('#'),
                c => faceless.push(c),
            }
        }
        faceless
    }

    #[test]
    fn guide_text_equals_the_example_of_the_guide() {
        let text = guide(&measured());
        let (old, _) = text.split_once("\n***Errors***").unwrap();
        assert_eq!(faceless(old), EXAMPLE);
    }

    #[test]
    fn guide_text_figures_are_correct() {
        let text = guide(&measured());
        for line in [
            // 5,989 in 60.00016 s.
            "Rate: 99.8164 exchanges/second, expected rate: 100 exchanges/second",
            "sent packets: 5991",
            "drops: 2",
            "collected packets: 2",
            "min delay: 1.000 ms",
            "avg delay: 2.000 ms",
            "max delay: 3.000 ms",
            "std deviation: 1.000 ms",
            "tooshort: 7",
            // One late answer and four replies to other clients.
            "orphans: 5",
            "locallimit: 9",
        ] {
            assert!(text.lines().any(|known| known == line), "no {line} in {text}");
        }
    }

    #[test]
    fn guide_text_without_a_rate_prints_only_the_number() {
        let mut figures = measured();
        figures.expected = None;
        assert!(
            guide(&figures).starts_with("***Rate statistics***\nRate: 99.8164\n\n***Statistics")
        );
    }
}

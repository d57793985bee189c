//! The lines about delays, which all texts share to the letter.

use brunt_record::Histogram;
use std::fmt::Write;
use std::time::Duration;

/// The four delays of a stage. Without an answer there is none; the old tool then runs two halves
/// of lines into each other, which is not copied.
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

//! The lines about delays, which are the same in all texts.

use brunt_record::Histogram;
use std::fmt::Write;
use std::time::Duration;

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

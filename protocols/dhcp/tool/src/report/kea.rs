//! The final text of Kea's perfdhcp, and beneath it the figures for which that has no line.
//!
//! Up to the end of the last stage it is the original text to the byte, its oddities included: a
//! blank line after the rate only where a rate was requested, and a ratio of drops with six
//! significant digits in the first stage and three decimals in the later ones, because a setting of
//! the C++ stream stays in effect after the lines it was meant for.

use super::beneath::beneath;
use super::guide::delays;
use super::significant::{not_finite, significant};
use super::{Exchanges, StageFigures};
use std::fmt::Write;

/// The final text in the form of Kea's perfdhcp; `-C` does not change it.
pub(crate) fn kea(figures: &Exchanges) -> String {
    let mut text = String::from("***Rate statistics***\n");
    let _ = write!(text, "Rate: {} {}/second", significant(figures.rate()), figures.counted.name());
    if let Some(expected) = figures.expected {
        let _ = writeln!(text, ", expected rate: {}", significant(expected));
    }
    text.push('\n');
    let malformed = figures.malformed + figures.tooshort;
    let _ = writeln!(text, "***Malformed Packets***\nMalformed packets: {malformed}");
    for (number, stage) in figures.stages.iter().enumerate() {
        let ratio = 100.0 * stage.drops as f64 / stage.sent as f64;
        let ratio = match ratio {
            ratio if !ratio.is_finite() => not_finite(ratio).to_owned(),
            ratio if number == 0 => significant(ratio),
            ratio => format!("{ratio:.3}"),
        };
        block(&mut text, stage, &ratio);
    }
    beneath(&mut text, figures);
    text
}

fn block(text: &mut String, stage: &StageFigures, ratio: &str) {
    let StageFigures { title, sent, received, drops, rejected, non_unique, .. } = stage;
    let _ = writeln!(text, "***Statistics for: {title}***");
    let _ = writeln!(text, "sent packets: {sent}\nreceived packets: {received}");
    let _ = writeln!(text, "drops: {drops}\ndrops ratio: {ratio} %");
    let _ = writeln!(text, "orphans: {}\nrejected leases: {rejected}", stage.orphans());
    let _ = writeln!(text, "non unique addresses: {non_unique}\n");
    delays(text, &stage.delay);
    let _ = writeln!(text, "collected packets: {}\n", stage.collected());
}

//! The last two lines of a search on a terminal: what was found, and how far to trust it.
//!
//! The page above them is longer than most screens, so the last lines repeat its first statements.

use super::shares_host;
use crate::figure::printable;
use crate::screen::Screen;
use crate::summary::closing_line;
use brunt_capacity::{Answer, Reading};
use brunt_record::Status;

/// What was found, in a sentence, and how far to trust it.
pub fn closing(reading: &Reading<'_>, screen: Screen) -> String {
    let (doubts, status) = trust(reading);
    closing_line("Result:", &reading.sentence(), screen, None)
        + &closing_line("Trust:", &doubts, screen, Some(status))
}

/// What of a search needs attention, in one line, beside why it `failed`; none if it found a rate that can be trusted.
pub fn attention(reading: &Reading<'_>, failed: Option<&str>) -> Option<String> {
    let (doubts, status) = trust(reading);
    if failed.is_none() && status == Status::Valid {
        return None;
    }
    let parts = failed.map(|why| format!("error: {why}")).into_iter();
    let parts = parts.chain([reading.sentence(), format!("trust: {doubts}")]);
    Some(printable(&parts.collect::<Vec<_>>().join("; ")))
}

fn trust(reading: &Reading<'_>) -> (String, Status) {
    let mut doubts = Vec::new();
    if reading.is_unstable() {
        doubts.push("the target drifted during the search".to_owned());
    }
    if shares_host(reading) {
        doubts.push("generator and target shared one machine".to_owned());
    }
    match reading.answer {
        Answer::Claim { confirmed_s, .. } => doubts.push(format!(
            "events less often than every {:.0} s may have been missed",
            confirmed_s / 10.0
        )),
        Answer::Floor { confirmed: true, .. } => {}
        _ => doubts.push("no rate was confirmed".to_owned()),
    }
    let status = match reading.answer {
        Answer::Claim { .. } if !reading.is_unstable() => Status::Valid,
        _ => Status::Partial,
    };
    let extent = match reading.answer {
        Answer::Claim { .. } if status == Status::Valid => "yes, but",
        Answer::Claim { .. } | Answer::Floor { .. } => "in part",
        _ => "no",
    };
    match doubts.as_slice() {
        [] => ("yes".to_owned(), status),
        doubts => (format!("{extent}: {}", doubts.join("; ")), status),
    }
}

//! The steps of a search in the order in which they were made: the rate, the reason, and the decision.

use crate::figure::{NONE, fixed, percent};
use crate::page::{Table, Tone};
use brunt_capacity::{Reading, Verdict, rate};

/// The time, the step, its rate and its result.
pub(super) fn table(reading: &Reading<'_>) -> Table {
    let mut table = Table::new("All steps, in order of time")
        .names(["step"])
        .figures(["from", "rate/s", "achieved", "p50 ms", "p99 ms", "errors"])
        .names(["verdict", "step reason", "verdict reason"]);
    for row in &reading.rows {
        let millis = |name| fixed(row.figure(name).map(|us| us / 1e3), 2);
        // The last note is the reason of the verdict.
        let tried = row.cell.notes.first().filter(|_| row.cell.notes.len() > 1);
        let verdict = if row.verdict == Verdict::None { NONE } else { row.verdict.word() };
        let tone = if row.verdict == Verdict::Void { Tone::Doubtful } else { Tone::Plain };
        table.row(
            tone,
            [
                row.kind.word().to_owned(),
                row.figure("from_s").map_or_else(|| NONE.to_owned(), minutes),
                row.rate.map_or_else(
                    || "one session".to_owned(),
                    |at| rate(at).trim_end_matches("/s").to_owned(),
                ),
                fixed(row.figure("achieved"), 1),
                millis("p50_us"),
                millis("p99_us"),
                row.figure("errors").map_or_else(|| NONE.to_owned(), percent),
                verdict.to_owned(),
                tried.cloned().unwrap_or_default(),
                row.why().to_owned(),
            ],
        );
    }
    table.note("from: minutes and seconds since the search began.");
    table
}

/// Seconds as a clock shows them: `12:07`.
pub(super) fn minutes(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e9) as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

//! How much load a target sustains, as a page: the result of a search for the highest rate ([`page`]), and how many
//! servers follow from it ([`sizing()`]).
//!
//! Both are made from the collection that the search wrote. A claim is a rate that was confirmed; an estimate, the knee
//! and void steps are labelled as such, and never shown as the limit.

mod closing;
mod curve;
mod sizing;
mod so_far;
mod steps;
#[cfg(test)]
mod tests;
mod usl;

pub use closing::{attention, closing};
pub use sizing::sizing;
pub use so_far::{SearchInProgress, so_far};

pub use brunt_capacity::{Demand, Servers, SizingError};

use crate::figure::{fixed, percent};
use crate::page::{Block, Page};
use brunt_capacity::{Answer, Reading, Row, rate};
use std::time::Duration;

/// Facts and figures that a page shows in words.
const SHOWN_IN_WORDS: [&str; 21] = [
    "answer",
    "why",
    "objective ",
    "guard ",
    "remark ",
    "claim",
    "confirmed_s",
    "fails_at",
    "floor",
    "tried",
    "estimate_",
    "knee",
    "before_us",
    "after_us",
    "drifted",
    "took_s",
    "not_recovered_after",
    "noun",
    "arrivals",
    "connections",
    "server counts",
];

/// What a search found.
pub fn page(reading: &Reading<'_>) -> Page {
    let mut page = Page::new(title(reading));
    for doubt in doubts(reading) {
        page.warning(doubt);
    }
    page.push(Block::Lead(reading.sentence()));
    page.facts(conditions(reading));
    page.table(curve::table(reading));
    page.chart(curve::chart(reading, None));
    page.paragraph(curve::knee(reading));
    page.heading("Confidence");
    page.list(certainty(reading));
    page.heading("Not tested");
    page.list(not_tested(reading));
    page.folded("All steps, in order of time", vec![Block::Table(steps::table(reading))]);
    page.origin_except(reading.collection, &SHOWN_IN_WORDS);
    page
}

/// `VALID`, or what speaks against what was found.
pub fn status(reading: &Reading<'_>) -> &'static str {
    match reading.answer {
        _ if reading.is_unstable() => "UNSTABLE",
        Answer::Claim { .. } => "VALID",
        Answer::Floor { .. } => "FLOOR",
        _ => "NO CLAIM",
    }
}

/// What was found, in a sentence for people who read no further.
fn title(reading: &Reading<'_>) -> String {
    let target = target(reading);
    let sentence = match &reading.answer {
        Answer::Claim { rate, .. } => format!("{target} sustains {}", reading.counted(*rate)),
        Answer::Floor { rate, .. } => {
            format!(
                "{target} sustains at least {}; its limit was not reached",
                reading.counted(*rate)
            )
        }
        Answer::NoClaim { .. } => format!("How much {target} sustains is not known"),
        Answer::NothingPasses { .. } => format!("{target} meets the objectives at no rate"),
        Answer::Away { .. } => format!("{target} could not be reached"),
        Answer::NotRecovered { rate: after } => {
            format!("{target} did not recover after {}", rate(*after))
        }
        Answer::Protected { .. } => format!("The search was stopped to protect {target}"),
        Answer::Interrupted => format!("The search for what {target} sustains was interrupted"),
    };
    let changed = "but it changed during the search";
    if reading.is_unstable() { format!("{sentence}, {changed}") } else { sentence }
}

/// What was loaded: the target that the search was given, or the one that the runs name.
pub fn target(reading: &Reading<'_>) -> String {
    let of_runs = || {
        let mut records = reading.rows.iter().filter_map(Row::record);
        records.find_map(|record| record.plan.target.as_deref())
    };
    reading.fact("target").or_else(of_runs).unwrap_or("the target").to_owned()
}

/// What speaks against what was found.
pub fn doubts(reading: &Reading<'_>) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(drift) = reading.drift.filter(|drift| drift.drifted) {
        doubts.push(format!(
            "The target drifted: at the first rate its mean service time was {:.3} ms at the start and {:.3} ms at the \
             end. The result does not describe a single state of the target.",
            1e3 * drift.before_s,
            1e3 * drift.after_s
        ));
    }
    if shares_host(reading) {
        doubts.push(
            "Generator and target shared one machine: the target's capacity on its own machine is unknown."
                .to_owned(),
        );
    }
    doubts
}

/// Whether the generator ran where the target runs.
fn shares_host(reading: &Reading<'_>) -> bool {
    let local = |target: &str| {
        ["127.0.0.", "localhost", "[::1]", "//::1"].iter().any(|local| target.contains(local))
    };
    let in_process =
        reading.rows.iter().filter_map(Row::record).any(|record| record.generator.in_process);
    in_process
        || reading.fact("same host").is_some_and(|same| same == "yes")
        || local(&target(reading))
}

/// The objectives that had to be met, and the load.
fn conditions(reading: &Reading<'_>) -> Vec<(String, String)> {
    let mut facts = vec![("objectives".to_owned(), reading.objectives.join(", "))];
    if !reading.guards.is_empty() {
        facts.push(("added".to_owned(), reading.guards.join(", ")));
    }
    facts.push(("arrivals".to_owned(), "Poisson, in the open model".to_owned()));
    if let Some(connections) = reading.fact("connections") {
        facts.push(("connections".to_owned(), connections.to_owned()));
    }
    if let Some(mix) = mix(reading) {
        facts.push(("mix".to_owned(), mix));
    }
    facts
}

/// The operations of the longest step, by their share.
fn mix(reading: &Reading<'_>) -> Option<String> {
    let records = reading.rows.iter().filter_map(Row::record);
    let record = records.max_by_key(|record| record.counts.due())?;
    let total: u64 = record.operations.iter().map(|operation| operation.counts.completed()).sum();
    let shares = record.operations.iter().filter(|operation| operation.counts.completed() > 0).map(
        |operation| {
            let share = operation.counts.completed() as f64 / total.max(1) as f64;
            format!("{} {}", operation.name, percent(share))
        },
    );
    let mix: Vec<String> = shares.collect();
    (!mix.is_empty()).then(|| mix.join(", "))
}

/// What is known of how certain it is.
fn certainty(reading: &Reading<'_>) -> Vec<String> {
    let mut lines: Vec<String> = reading.remarks.iter().map(|remark| sentence(remark)).collect();
    if let Some(estimate) = reading.estimate {
        lines.push(format!(
            "Estimate from all steps: the limit is between {} and {} (80%), most probably near {}. An estimate is \
             not a claim.",
            rate(estimate.p10),
            rate(estimate.p90),
            rate(estimate.p50)
        ));
    }
    if let Some(drift) = reading.drift.filter(|drift| !drift.drifted) {
        lines.push(format!(
            "No drift: at the first rate the mean service time was {:.3} ms at the start and {:.3} ms at the end.",
            1e3 * drift.before_s,
            1e3 * drift.after_s
        ));
    }
    lines.extend(counted(reading));
    if let Some(recovery) = reading.recovery_s() {
        lines.push(format!(
            "After each failure the target recovered within {} s, including the seconds without load.",
            fixed(Some(recovery), 0)
        ));
    }
    if let Some(took) = reading.collection.figures.get("took_s").filter(|took| took.is_finite()) {
        let took = Duration::from_secs_f64(took.clamp(0.0, 1e9));
        lines.push(format!(
            "The search took {} min {} s.",
            took.as_secs() / 60,
            took.as_secs() % 60
        ));
    }
    lines
}

/// What remains unknown after this search.
fn not_tested(reading: &Reading<'_>) -> Vec<String> {
    let longer = match reading.answer {
        Answer::Claim { confirmed_s, .. } => {
            format!("Longer than {confirmed_s:.0} s: the rate is confirmed only for that time.")
        }
        _ => "Longer than the longest step.".to_owned(),
    };
    let mut lines = vec!["Other mixes of operations, and more data.".to_owned(), longer];
    let secured = reading.rows.iter().filter_map(Row::record).any(|record| {
        record
            .parts
            .iter()
            .any(|part| part.took.count > 0 && part.name.to_lowercase().contains("tls"))
    });
    if !secured {
        lines.push("TLS: no handshake was seen.".to_owned());
    }
    lines.push("Connections that open and close, beyond those of this load.".to_owned());
    lines.push("Replication, backup and failover under load.".to_owned());
    if let Answer::Floor { rate: at, .. } = reading.answer {
        lines.push(format!("More than {}.", rate(at)));
    }
    lines
}

/// What the target counted itself, compared with the answers: at the longest step of which both are known.
fn counted(reading: &Reading<'_>) -> Option<String> {
    let noun = reading.fact("server counts")?;
    let known = reading.rows.iter().filter_map(|row| {
        let made = row.figure("achieved").filter(|made| *made > 0.0)?;
        Some((row.figure("judged_s")?, row.figure("server_counted")?, made))
    });
    let (_, counted, made) = known.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "The target's own count: {} {noun} while {} were answered, {:.2} for each.",
        rate(counted),
        rate(made),
        counted / made
    ))
}

/// A remark as a sentence of its own.
fn sentence(remark: &str) -> String {
    let mut letters = remark.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}{}", letters.as_str(), if remark.ends_with('.') { "" } else { "." })
}

//! The page of a search in progress: the current step and its reason, what was decided, what is known of the limit.
//!
//! It claims nothing. Its tables and its chart are those that the page of the finished search will have.

use super::{conditions, curve, steps, target};
use crate::page::{Block, Page};
use brunt_capacity::{Reading, rate};

/// What is known of a search in progress beside its steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInProgress<'a> {
    /// The current step, and its reason.
    pub doing: &'a str,
    /// How far the current step is.
    pub at: &'a str,
    /// The highest rate that passed.
    pub passed: Option<f64>,
    /// The lowest rate that failed.
    pub failed: Option<f64>,
    /// Seconds since the search began.
    pub elapsed_s: f64,
    /// How long the search will most likely take, and how long at most, in seconds.
    pub expected_s: (f64, f64),
}

/// The state of a search. The reading is of the finished steps.
pub fn so_far(reading: &Reading<'_>, going: &SearchInProgress<'_>) -> Page {
    let mut page = Page::new(format!("The highest rate of {}", target(reading)));
    page.push(Block::Lead(going.doing.to_owned()));
    if !going.at.is_empty() {
        page.paragraph(going.at);
    }
    page.facts(known(reading, going));
    page.heading("Steps so far");
    if reading.rows.is_empty() {
        page.paragraph("No step is complete yet.");
    }
    page.table(steps::table(reading));
    page.heading("Response times so far");
    page.chart(curve::chart(reading, None));
    page.paragraph("These figures are not a claim. A claim needs a completed confirmation.");
    page
}

fn known(reading: &Reading<'_>, going: &SearchInProgress<'_>) -> Vec<(String, String)> {
    let limit = reading
        .estimate
        .map(|estimate| format!("between {} and {} (80%)", rate(estimate.p10), rate(estimate.p90)));
    let (usual, longest) = going.expected_s;
    let time = format!(
        "{} of usually {}, {} at most",
        steps::minutes(going.elapsed_s),
        steps::minutes(usual),
        steps::minutes(longest)
    );
    let mut facts = conditions(reading);
    facts.extend(
        [
            ("passed so far", going.passed.map(rate)),
            ("failed so far", going.failed.map(rate)),
            ("estimated limit", limit),
            ("time", Some(time)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?))),
    );
    facts
}

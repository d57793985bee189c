//! The notes of an import: what it left out, replaced or guessed.

use std::collections::{BTreeMap, BTreeSet};

use super::LONGEST_PAUSE;
use super::flow::Flow;

/// The requests that are no steps.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) filtered: usize,
    pub(super) unanswered: usize,
    pub(super) statics: usize,
    pub(super) static_bytes: u64,
    /// How many requests went to each host.
    pub(super) third_parties: BTreeMap<String, usize>,
}

/// The notes about a recording.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) left: Left,
    pub(super) shortened: bool,
    pub(super) dropped: BTreeSet<String>,
    pub(super) cookies_set: BTreeSet<String>,
    pub(super) cookies_missing: BTreeSet<String>,
    /// Requests whose body is missing in the recording.
    pub(super) bodiless: BTreeSet<String>,
    /// Fields of forms that were not sent.
    pub(super) unsent: BTreeSet<String>,
}

impl Notes {
    /// The notes: `own` are those about single requests.
    pub(super) fn notes(&self, own: Vec<String>, extracted: &[String], flow: &Flow) -> Vec<String> {
        let mut notes = own;
        let mut add = |is: bool, note: String| {
            if is {
                notes.push(note);
            }
        };
        self.requests(&mut add);
        let literal = flow.literal.join("; ");
        add(flow.literal.is_empty(), "left literal: nothing of 40 bits or more".to_owned());
        let more = flow.literal_more;
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        add(
            !flow.literal.is_empty(),
            format!(
                "left literal, as recorded, though they look drawn by a machine: {literal}{more}"
            ),
        );
        add(
            !flow.missing.is_empty(),
            format!("nothing here makes these, so give them: {}", flow.missing.join(", ")),
        );
        add(
            !extracted.is_empty(),
            format!(
                "values that later requests use are extracted from answers: {}",
                extracted.join(", ")
            ),
        );
        self.details(&mut add);
        notes.extend(flow.variables.taken_note());
        notes
    }

    fn requests(&self, add: &mut impl FnMut(bool, String)) {
        let Left { filtered, unanswered, statics, static_bytes, third_parties } = &self.left;
        let size = size(*static_bytes);
        add(
            *statics > 0,
            format!("left out: {statics} static answers, {size} (--static keeps them)"),
        );
        let hosts = third_parties.iter().map(|(host, count)| format!("{host} ({count})"));
        let hosts = hosts.collect::<Vec<_>>().join(", ");
        add(
            !hosts.is_empty(),
            format!(
                "left out: requests to third parties (--host or --all-hosts keeps them): {hosts}"
            ),
        );
        add(*filtered > 0, format!("requests left out by the filters: {filtered}"));
        add(
            *unanswered > 0,
            format!("requests left out because no answer was recorded: {unanswered}"),
        );
    }

    fn details(&self, add: &mut impl FnMut(bool, String)) {
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        for (names, note) in [
            (&self.dropped, "headers of the browser and of that moment are left out"),
            (
                &self.cookies_missing,
                "these cookies were sent and no answer in the recording sets them, so no user will have them",
            ),
            (
                &self.bodiless,
                "the recording does not have the body of these requests, which are sent without one",
            ),
            (
                &self.unsent,
                "these fields of forms were not sent in the recording, and are sent now",
            ),
        ] {
            add(!names.is_empty(), format!("{note}: {}", list(names)));
        }
        add(self.shortened, format!("pauses are {} s at most", LONGEST_PAUSE.as_secs()));
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

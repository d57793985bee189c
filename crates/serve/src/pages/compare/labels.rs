//! [`Labels`]: what the two runs of a comparison are called where there is little room.

use jiff::Timestamp;
use maud::{Markup, Render as _, html};

use crate::history::Entry;
use crate::pages::moments::{Brief, Grain};

/// The longest day, of 25 hours.
const DAY_MAX_S: u64 = 90_000;

/// What the two runs are called: by the times at which they began, if these differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels(Option<[Brief; 2]>);

impl Labels {
    /// The labels of these runs.
    pub(super) fn new(runs: [&Entry; 2]) -> Self {
        let [Some(base), Some(other)] = runs.map(began) else { return Self(None) };
        // In every time zone two moments are on different days if they are further apart than the longest day.
        let grain = match base.as_second().abs_diff(other.as_second()) {
            0 => return Self(None),
            seconds if seconds > DAY_MAX_S => Grain::Day,
            seconds if seconds >= 60 => Grain::Minute,
            _ => Grain::Second,
        };
        Self(Some([base, other].map(|at| Brief { at, grain })))
    }

    /// What the first or the second is called.
    pub(super) fn of(&self, at: usize) -> Markup {
        let plain = || html! { (["the base", "the other"][at]) };
        self.0.map_or_else(plain, |times| times[at].render())
    }

    /// The same as plain text.
    pub(super) fn text(&self, at: usize) -> String {
        self.0.map_or_else(|| "this side".to_owned(), |times| format!("{} UTC", times[at].text()))
    }
}

/// When a run began. Texts of RFC 3339 may have other offsets, so they are read.
pub(super) fn began(run: &Entry) -> Option<Timestamp> {
    run.summary.started.parse().ok()
}

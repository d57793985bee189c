//! [`Shown`]: the progress of a run in words. Pages show them and are sent them as they change, so they are made in one
//! place.

use brunt_report::figure::{rate, short, thousands};
use brunt_web::watch::json;
use serde::Serialize;

use super::state::Status;
use crate::moment::clock;

/// What is not known yet.
const NONE: &str = "–";

/// The progress of a run. The names of the fields are those of the places in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Shown {
    /// The state, with its reason where it has one.
    pub(crate) state: String,
    /// How much of it was measured.
    pub(crate) reached: String,
    /// The same of how much, where that is known.
    pub(crate) of: String,
    /// How long it still lasts, after a comma; empty where that is not known.
    pub(crate) left: String,
    /// The rate at which exchanges succeeded in the steady phase so far.
    pub(crate) achieved: String,
    /// The rate that was offered, where a schedule offers one.
    pub(crate) offered: String,
    /// The 99th percentile of response times, in ms.
    pub(crate) p99: String,
    /// How many did not succeed, and of how many.
    pub(crate) failed: String,
    pub(crate) due: String,
}

impl Shown {
    /// The progress of a run.
    pub(crate) fn new(status: &Status) -> Self {
        let reached = clock(status.reached_s);
        let planned = status.planned_s.filter(|_| status.state.is_active());
        let left =
            |planned: f64| format!(", {} left", clock((planned - status.reached_s).max(0.0)));
        let figures = status.figures.unwrap_or_default();
        let known = |text: String| if figures.due > 0 { text } else { NONE.to_owned() };
        let state = status.state.word();
        Self {
            state: match status.reason.as_str() {
                "" => state.to_owned(),
                reason => format!("{state}, {reason}"),
            },
            of: planned
                .map_or_else(|| reached.clone(), |all| format!("{reached} of {}", clock(all))),
            left: planned.map_or_else(String::new, left),
            reached,
            achieved: known(format!("{}/s", rate(figures.achieved))),
            offered: figures.offered.map_or_else(String::new, |all| format!(" of {}/s", rate(all))),
            p99: figures.p99_ms.map_or_else(|| NONE.to_owned(), |p99| format!("{} ms", short(p99))),
            failed: known(thousands(figures.missed)),
            due: if figures.due > 0 {
                format!(" of {}", thousands(figures.due))
            } else {
                String::new()
            },
        }
    }
}

/// What is sent to those who watch a run: its status, and its progress in words.
pub(super) fn message(status: &Status) -> String {
    #[derive(Serialize)]
    struct Message<'a> {
        #[serde(flatten)]
        status: &'a Status,
        shown: Shown,
    }
    json(&Message { status, shown: Shown::new(status) })
}

#[cfg(test)]
mod tests {
    use super::super::state::{Figures, State};
    use super::*;

    #[test]
    fn run_progress_omits_unknown_values() {
        let id = format!("{:024x}", 1).parse().unwrap();
        let status = Status::submitted(id, 0, String::new());
        let shown = Shown::new(&status);
        assert_eq!([shown.state, shown.reached, shown.left], ["queued", "0:00", ""]);
        assert_eq!([shown.achieved, shown.p99, shown.failed], [NONE; 3]);
        let figures = Figures {
            achieved: 1_499.96,
            offered: Some(1_500.0),
            p99_ms: Some(4.2),
            missed: 0,
            due: 207_000,
        };
        let status = Status {
            state: State::Steady,
            planned_s: Some(360.0),
            reached_s: 168.0,
            figures: Some(figures),
            ..status
        };
        let shown = Shown::new(&status);
        assert_eq!([shown.of, shown.left], ["2:48 of 6:00", ", 3:12 left"]);
        assert_eq!([shown.achieved, shown.offered], ["1,500/s", " of 1,500/s"]);
        assert_eq!([shown.p99, shown.failed, shown.due], ["4.2 ms", "0", " of 207,000"]);
        assert!(message(&status).contains("\"left\":\", 3:12 left\""), "{}", message(&status));
    }
}

//! How a run compared with the baseline of its load when it ended.

use maud::{Markup, html};

use super::moment;
use crate::call::Call;
use crate::comparison::Against;
use crate::history::Entry;
use crate::problem::Problem;

/// The most characters of a reason.
const REASON_MAX: usize = 60;

/// What is known of a run and its baseline.
pub(super) enum Standing {
    /// It is the baseline.
    IsBaseline,
    /// Nothing is marked as a baseline.
    NoBaseline,
    /// The baseline of the test had another load.
    OtherLoad(Box<Entry>),
    /// It is compared soon.
    NotYet,
    Compared(Against),
}

impl Standing {
    /// The standing of the newest run of a test, among the baselines of the test.
    pub(super) fn new(call: &Call, run: &Entry, baselines: &[&Entry]) -> Result<Self, Problem> {
        if run.about.baseline {
            return Ok(Self::IsBaseline);
        }
        let own = baselines.iter().find(|one| one.summary.load == run.summary.load);
        Ok(match (own, baselines.first()) {
            (None, None) => Self::NoBaseline,
            (None, Some(other)) => Self::OtherLoad(Box::new((*other).clone())),
            (Some(own), _) => match Against::stored(&call.app, run)? {
                Some(against) if against.baseline == own.id.as_str() => Self::Compared(against),
                _ => Self::NotYet,
            },
        })
    }

    /// Whether it needs attention.
    pub(super) fn is_worse(&self) -> bool {
        matches!(self, Self::Compared(against) if against.trusted && !against.worse.is_empty())
    }

    pub(super) fn markup(&self, run: &Entry, runner: bool) -> Markup {
        html! {
            @match self {
                Self::IsBaseline => "the baseline",
                Self::NoBaseline => {
                    "no baseline"
                    @if runner { small { a href={ "/runs/" (run.id) "#about" } { "mark one" } } }
                }
                Self::OtherLoad(baseline) => {
                    "other load"
                    small { "than the " a href={ "/runs/" (baseline.id) } { "baseline" } }
                }
                Self::NotYet => "not compared yet",
                Self::Compared(against) => (compared(against)),
            }
        }
    }
}

fn compared(against: &Against) -> Markup {
    html! {
        @match (&against.reason, against.worse.first()) {
            (Some(reason), _) => {
                "not compared"
                small.why title=(reason) { (short(against.brief.as_ref().unwrap_or(reason))) }
            }
            (None, Some(worse)) => {
                span.missed { (worse) }
                small { @if against.worse.len() > 1 { "and " (against.worse.len() - 1) " more, " }
                        a href=(against.page) { "compare" } }
            }
            (None, None) => {
                "not worse"
                small {
                    @if against.since.is_empty() { a href=(against.page) { "compare" } }
                    @else { "than " a href=(against.page) { (moment(&against.since)) } }
                }
            }
        }
    }
}

/// A reason that fits into a cell.
fn short(reason: &str) -> String {
    match reason.char_indices().nth(REASON_MAX) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// How a run compared with its baseline, if it was compared.
pub(super) fn stored(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let against = Against::stored(&call.app, run)?;
    Ok(html! {
        @match against {
            _ if run.about.baseline => "the baseline",
            Some(against) => (compared(&against)),
            None => "–",
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparison_reason_is_cut() {
        assert_eq!(short("too little was measured"), "too little was measured");
        assert_eq!(short(&"x".repeat(99)).chars().count(), REASON_MAX + 1);
    }
}

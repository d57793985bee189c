//! What the figures on standard output cover, if that differs from what the summary covers.
//!
//! The original texts have no place for it, so it is printed on standard error before the run.

use std::time::Duration;

use brunt_record::Phase;

/// The line for a run with these phases and their beginnings; none if the whole run is steady.
pub(crate) fn line(phases: &[(Phase, Duration)]) -> Option<String> {
    let begins = |phase: Phase| phases.iter().find(|(known, _)| *known == phase).map(|(_, at)| *at);
    let (warm_up, ramp) = (begins(Phase::WarmUp), begins(Phase::Ramp));
    if warm_up.is_none() && ramp.is_none() {
        return None;
    }
    let steady = begins(Phase::Steady);
    let covered = match (ramp, steady) {
        (Some(_), Some(_)) => "the ramp and the steady phase",
        (Some(_), None) => "the ramp",
        (None, _) => "the steady phase",
    };
    let from = ramp.into_iter().chain(steady).min().unwrap_or_default().as_secs_f64();
    let without = if warm_up.is_some() { ", without the warm-up" } else { "" };
    let summary = steady.map_or_else(
        || "there is no steady phase for the summary".to_owned(),
        |at| format!("the summary covers the steady phase, from {:.1} s", at.as_secs_f64()),
    );
    Some(format!(
        "the report and the interim lines cover {covered}, from {from:.1} s of the run{without}; {summary}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_names_phases_omitted_from_the_texts() {
        use Phase::{Ramp, Steady, WarmUp};
        let seconds = Duration::from_secs;
        assert_eq!(line(&[(Steady, seconds(0))]), None);
        for (phases, reported) in [
            (
                vec![(WarmUp, seconds(0)), (Steady, seconds(5))],
                "the report and the interim lines cover the steady phase, from 5.0 s of the run, without the \
                 warm-up; the summary covers the steady phase, from 5.0 s",
            ),
            (
                vec![(Ramp, seconds(0)), (Steady, seconds(2))],
                "the report and the interim lines cover the ramp and the steady phase, from 0.0 s of the run; the \
                 summary covers the steady phase, from 2.0 s",
            ),
            (
                vec![(WarmUp, seconds(0)), (Ramp, seconds(1))],
                "the report and the interim lines cover the ramp, from 1.0 s of the run, without the warm-up; there \
                 is no steady phase for the summary",
            ),
        ] {
            assert_eq!(line(&phases).as_deref(), Some(reported));
        }
    }
}

//! The words of a comparison: values, changes, intervals, and a sentence for each pair.

use super::document::{Comparison, Finding, Pair, Side};
use super::figure::Figure;
use crate::figure::{NONE, fixed};
use brunt_record::Status;
use std::collections::BTreeSet;

/// An end of an interval beyond this change, in percent, only shows that nothing is known in that direction.
const LARGEST: f64 = 9999.0;
/// How many figures a sentence names.
const NAMED: usize = 3;

/// A value as a table shows it, in the unit of the figure's title.
pub(super) fn value(figure: Figure, value: f64, at_least: bool) -> String {
    let shown = match figure {
        Figure::Achieved | Figure::Goodput => fixed(Some(value), 1),
        Figure::Errors => fixed(Some(value * 100.0), 3),
        Figure::Cpu | Figure::TargetCpu => fixed(Some(value), 2),
        _ => fixed(Some(value / 1e3), 3),
    };
    if at_least { format!(">{shown}") } else { shown }
}

/// A change: `+9.8 %`, or of shares, in points, `+0.10`.
pub(super) fn change(figure: Figure, change: Option<f64>) -> String {
    let Some(change) = change.filter(|change| change.is_finite()) else { return NONE.to_owned() };
    if figure.is_share() {
        format!("{:+.2}", settled(change * 100.0, 0.005))
    } else {
        format!("{} %", percent(change))
    }
}

/// An interval of changes: `+6.1 to +13.7 %`.
pub(super) fn interval(figure: Figure, interval: Option<[f64; 2]>) -> String {
    let Some([low, high]) = interval else { return NONE.to_owned() };
    if figure.is_share() {
        let [low, high] = [low, high].map(|end| settled(end * 100.0, 0.005));
        format!("{low:+.2} to {high:+.2}")
    } else {
        format!("{} to {} %", end(low), end(high))
    }
}

/// The same value, except one that would be shown as a negative zero.
fn settled(value: f64, least: f64) -> f64 {
    if value.abs() < least { 0.0 } else { value }
}

/// A change in percent, without the sign: with as many digits as matter.
fn percent(change: f64) -> String {
    let percent = settled(change * 100.0, 0.05);
    match percent.abs() {
        size if size >= 99.95 => format!("{percent:+.0}"),
        _ => format!("{percent:+.1}"),
    }
}

/// An end of an interval.
fn end(change: f64) -> String {
    if change * 100.0 > LARGEST { format!(">{LARGEST:+.0}") } else { percent(change) }
}

/// The name of a figure in a sentence: `response p99 of bind`.
pub(super) fn named(operation: Option<&str>, figure: Figure) -> String {
    let title = figure.title();
    let title = title.split(',').next().unwrap_or(title);
    match operation {
        Some(operation) => format!("{title} of {operation}"),
        None => title.to_owned(),
    }
}

/// When the runs of all sides began, where each side is one run and their times differ. A reader who has not seen the
/// command can interpret times, but not letters.
pub(super) fn dates(comparison: &Comparison) -> Option<Vec<String>> {
    // To the minute, or to the second.
    [16, 19].into_iter().find_map(|length| {
        let began = |side: &Side| match side.runs.as_slice() {
            [run] => {
                let began = run.started.get(..length).filter(|_| run.started.ends_with('Z'))?;
                Some(format!("{} UTC", began.replacen('T', " ", 1)))
            }
            _ => None,
        };
        let dates: Vec<String> = comparison.sides.iter().map(began).collect::<Option<_>>()?;
        let apart = dates.iter().collect::<BTreeSet<_>>().len() == dates.len();
        apart.then_some(dates)
    })
}

/// The result of a pair, as a sentence that calls the sides by their letters.
pub(super) fn sentence(comparison: &Comparison, pair: &Pair) -> String {
    sentence_of(comparison, pair, (&pair.side, "A"))
}

/// The result of a pair, as a sentence that calls the sides by these names.
pub(super) fn sentence_of(
    comparison: &Comparison,
    pair: &Pair,
    (side, base): (&str, &str),
) -> String {
    let of = |wanted: Finding| {
        let figures = pair.figures.iter().filter(|found| found.figure.is_of_target());
        figures.filter(move |found| found.result == wanted)
    };
    let changes_text = |wanted: Finding| {
        let changes = of(wanted).take(NAMED).map(|found| {
            let points = if found.figure.is_share() { " points" } else { "" };
            format!(
                "{} {}{points}",
                named(found.operation.as_deref(), found.figure),
                change(found.figure, found.change)
            )
        });
        let more = of(wanted).count().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        format!("{}{more}", changes.collect::<Vec<_>>().join(", "))
    };
    match pair.result {
        Finding::Worse if of(Finding::Better).next().is_some() => format!(
            "{side} is worse than {base} in some figures: {}; and better in others: {}",
            changes_text(Finding::Worse),
            changes_text(Finding::Better)
        ),
        Finding::Worse => format!("{side} is worse than {base}: {}", changes_text(Finding::Worse)),
        Finding::Better => {
            format!("{side} is better than {base}: {}", changes_text(Finding::Better))
        }
        Finding::Same => {
            let judged = of(Finding::Same).count();
            format!(
                "{side} and {base} do not differ (~) by more than chance explains, in {judged} figures"
            )
        }
        Finding::Unknown if comparison.sides.is_empty() => "nothing was compared".to_owned(),
        Finding::Unknown => format!(
            "{side} and {base} cannot be compared: single runs need at least 8 seconds each; run longer, or repeat \
             them (brunt ab)"
        ),
    }
}

/// The runs that are not valid, with the reason.
pub(super) fn doubts(comparison: &Comparison) -> Vec<String> {
    let runs = comparison.sides.iter().flat_map(|side| &side.runs);
    let doubtful = runs.filter(|run| run.status != Status::Valid).map(|run| {
        let reason = run.reasons.first().map(|reason| format!(": {}", reason.text));
        format!("{} is {}{}", run.file, run.status, reason.unwrap_or_default())
    });
    doubtful.collect()
}

/// The description of a side: `new.json: 1 run, 60.0 s, valid`.
pub(super) fn described(side: &Side) -> String {
    let count = side.runs.len();
    let seconds = side.runs.iter().map(|run| run.seconds).sum::<f64>() / count.max(1) as f64;
    let valid = side.runs.iter().filter(|run| run.status == Status::Valid).count();
    let verdict = match side.runs.as_slice() {
        [run] => run.status.to_string(),
        _ if valid == count => "all valid".to_owned(),
        _ => format!("{valid} valid"),
    };
    let runs = if count == 1 { "1 run of".to_owned() } else { format!("{count} runs of about") };
    format!("{}: {runs} {seconds:.1} s, {verdict}", side.name)
}

/// What a reader must know about all figures.
pub(super) fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = vec![format!(
        "The intervals hold for all figures of a comparison together with {:.0} % confidence. A figure is worse or \
         better if its interval does not contain zero and the change is large enough to matter; ~ means \
         no detectable difference, ? too little data. Changes of errors are in percentage points.",
        comparison.confidence * 100.0
    )];
    let single = comparison.sides.iter().any(|side| side.runs.len() == 1);
    if single && !comparison.sides.is_empty() {
        notes.push(format!(
            "A single run does not say how much runs differ from each other, so changes below {:.0} % count as none. \
             'brunt ab' runs both commands several times in turn.",
            super::LEAST_SINGLE * 100.0
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::document::RunOf;
    use super::*;

    #[test]
    fn single_runs_are_named_by_distinguishing_times() {
        let side = |starts: &[&str]| Side {
            runs: starts
                .iter()
                .map(|at| RunOf {
                    file: String::new(),
                    run: None,
                    started: (*at).to_owned(),
                    seconds: 1.0,
                    status: Status::Valid,
                    reasons: Vec::new(),
                })
                .collect(),
            letter: String::new(),
            name: String::new(),
        };
        let of = |sides: Vec<Side>| {
            let tool = brunt_record::Tool { name: String::new(), version: String::new() };
            let none = super::super::compare_figured(tool, &[]);
            dates(&Comparison { sides, ..none })
        };
        let (one, other) = ("2026-11-24T14:05:09.5Z", "2026-11-27T14:05:09Z");
        let days = of(vec![side(&[one]), side(&[other])]).unwrap();
        assert_eq!(days, ["2026-11-24 14:05 UTC", "2026-11-27 14:05 UTC"]);
        let seconds = of(vec![side(&[one]), side(&["2026-11-24T14:05:40Z"])]).unwrap();
        assert_eq!(seconds[1], "2026-11-24 14:05:40 UTC");
        assert_eq!(of(vec![side(&[one]), side(&[one])]), None);
        assert_eq!(of(vec![side(&[one, other]), side(&[other])]), None);
    }

    #[test]
    fn interval_end_without_information_is_shortened() {
        let shown = |low, high| interval(Figure::Achieved, Some([low, high]));
        assert_eq!(shown(-0.9, 2.0), "-90.0 to +200 %");
        assert_eq!(shown(-1.0, 99.99), "-100 to +9999 %");
        assert_eq!(shown(-1.0, 2.7e12), "-100 to >+9999 %");
        assert_eq!(shown(-1.0, f64::INFINITY), "-100 to >+9999 %");
    }
}

//! The result of a comparison in one sentence, for a reader who stops there: which store was fastest at what.
//!
//! A store is compared only with the next one, and only a difference beyond the spread of the runs is called one. The
//! doubts about the figures are counted here and listed below the chart.

use super::doubts::Doubts;
use super::runs::{Naming, Runs};
use brunt_report::figure::{fixed, percent, times};
use brunt_report::page::{Block, Page};
use brunt_report::{Finding, compare};

/// The phase that leads: a server waits for it when a client arrives.
const LEADS: &str = "create";

/// Adds the sentence.
pub(super) fn add<'a>(page: &mut Page, runs: &[Runs<'a>], naming: &Naming<'a>, doubts: &Doubts) {
    let mut kinds: Vec<&str> = Vec::new();
    for durability in runs.iter().map(|runs| runs.label("durability")) {
        if !kinds.contains(&durability) {
            kinds.push(durability);
        }
    }
    let reported: Vec<String> =
        kinds.iter().filter_map(|kind| answer_for(runs, naming, kind)).collect();
    if reported.is_empty() {
        return;
    }
    let doubtful = match doubts.things() {
        0 => String::new(),
        count => {
            let (figures, are) =
                if runs.len() == 1 { ("figure", "is") } else { ("figures", "are") };
            format!(" {count} of {} {figures} {are} in doubt, as explained below.", runs.len())
        }
    };
    page.push(Block::Lead(format!("{}.{doubtful}", reported.join(". "))));
}

/// The fastest store of one durability, and the next one that is slower.
fn answer_for<'a>(runs: &[Runs<'a>], naming: &Naming<'a>, durability: &str) -> Option<String> {
    let mut of_kind = runs.iter().filter(|runs| runs.label("durability") == durability);
    let phase = match of_kind.clone().find(|runs| runs.label("phase") == LEADS) {
        Some(_) => LEADS,
        None => of_kind.next()?.label("phase"),
    };
    let mut ranking: Vec<&Runs<'a>> = Vec::new();
    let in_phase = |runs: &&Runs<'a>| {
        runs.label("durability") == durability
            && runs.label("phase") == phase
            && runs.rate().is_some()
    };
    // For a store that was run in several settings, its fastest is used.
    for runs in runs.iter().filter(in_phase) {
        match ranking.iter_mut().find(|known| known.label("store") == runs.label("store")) {
            Some(known) if known.rate() < runs.rate() => *known = runs,
            Some(_) => {}
            None => ranking.push(runs),
        }
    }
    ranking.sort_by(|a, b| b.rate().unwrap_or_default().total_cmp(&a.rate().unwrap_or_default()));
    let first = ranking.first()?;
    let kind = match durability {
        "sync" => "Durable before it is acknowledged",
        "async" => "Written to disk later",
        _ => "As it was run",
    };
    let rate = |runs: &Runs<'_>| fixed(runs.rate(), 0);
    let mut words = format!(
        "{kind} ({phase}): {} did {} operations a second",
        name(first, naming),
        rate(first)
    );
    if let Some(next) = ranking.get(1) {
        let word = match compare(&first.rates(), &next.rates()) {
            Some(found) if found.finding == Finding::Distinct => {
                let spread = found.spread.map_or_else(|| "-".to_owned(), percent);
                format!(
                    "{} as many as {} (spread {spread})",
                    times(Some(found.ratio)),
                    name(next, naming)
                )
            }
            Some(found) if found.finding == Finding::SpreadUnknown => {
                format!(
                    "{} {}; one run each, which proves no difference",
                    name(next, naming),
                    rate(next)
                )
            }
            _ => format!(
                "{} {}, which is no difference beyond the spread",
                name(next, naming),
                rate(next)
            ),
        };
        words = format!("{words}, {word}");
    }
    let rest: Vec<String> = ranking
        .iter()
        .skip(2)
        .map(|runs| format!("{} {}", name(runs, naming), rate(runs)))
        .collect();
    if !rest.is_empty() {
        words = format!("{words}; then {}", rest.join(", "));
    }
    Some(words)
}

fn name<'a>(runs: &Runs<'a>, naming: &Naming<'a>) -> String {
    naming.store(runs.label("store")).to_owned()
}

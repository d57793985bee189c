//! The results of a comparison, in sentences that are computed and never typed.
//!
//! Stores are ranked by the median of their rates and each is compared with the next: if two
//! neighbours do not differ, the text never says that they do.

use super::runs::{Naming, Runs};
use brunt_report::figure::{percent, times};
use brunt_report::page::{Block, Page};
use brunt_report::{Finding, compare};
use std::collections::BTreeMap;

/// Up to this many sentences are shown in place; more are folded.
const READ: usize = 12;

/// Adds the sentences.
pub(super) fn add<'a>(page: &mut Page, runs: &[Runs<'a>], naming: &Naming<'a>) {
    let mut message: Vec<Sentence> = stores(runs, naming);
    let statements = naming.both_statements.then_some("statements");
    for key in statements.into_iter().chain(naming.varied.iter().copied()) {
        message.extend(settings(runs, naming, key));
    }
    if message.is_empty() {
        return;
    }
    if message.iter().all(|sentence| !sentence.known) {
        page.heading("Differences");
        page.paragraph(
            "Everything was run once, so the spread of repeated runs is not known, and no difference between the \
             figures above can be claimed. Use several runs (--runs 5).",
        );
        return;
    }
    let message: Vec<String> = message.into_iter().map(|sentence| sentence.text).collect();
    if message.len() > READ {
        page.folded(
            format!("Differences: {} comparisons", message.len()),
            vec![Block::List(message)],
        );
        return;
    }
    page.heading("Differences");
    page.list(message);
}

/// The sentences about one setting.
struct Sentence {
    text: String,
    /// Whether the spread of any of its comparisons is known.
    known: bool,
}

/// Stores compared with each other, everything else being equal. Stores that have no statements are
/// compared with those that prepare them and with those that do not, and once with one another.
fn stores<'a>(runs: &[Runs<'a>], naming: &Naming<'a>) -> Vec<Sentence> {
    let ways = |runs: &Runs<'a>| match runs.label("statements") {
        "none" if naming.both_statements => vec!["prepared", "basic"],
        "none" => vec![""],
        _ if !naming.both_statements => vec![""],
        way => vec![way],
    };
    let mut settings: Vec<(BTreeMap<&str, &str>, &str, Vec<&Runs<'a>>)> = Vec::new();
    for runs in runs {
        let rest = runs.without(&["store", "statements"]);
        for way in ways(runs) {
            match settings.iter_mut().find(|known| known.0 == rest && known.1 == way) {
                Some(known) => known.2.push(runs),
                None => settings.push((rest.clone(), way, vec![runs])),
            }
        }
    }
    let mut pairs = Vec::new();
    let sentences = settings.iter().filter_map(|(_, way, members)| {
        let first = members.first()?;
        let mut about = vec![first.label("phase"), first.label("durability"), way];
        let varied: Vec<String> = varied(first, naming, "");
        about.extend(varied.iter().map(String::as_str));
        about.retain(|word| !word.is_empty());
        let name = |runs: &Runs<'a>| naming.store(runs.label("store")).to_owned();
        ranked(&about.join(", "), members, name, &mut pairs)
    });
    sentences.collect()
}

/// The values of one label compared with each other, everything else being equal.
fn settings<'a>(runs: &[Runs<'a>], naming: &Naming<'a>, key: &str) -> Vec<Sentence> {
    let mut settings: Vec<(BTreeMap<&str, &str>, Vec<&Runs<'a>>)> = Vec::new();
    for runs in runs.iter().filter(|runs| !runs.label(key).is_empty()) {
        let rest = runs.without(&[key]);
        match settings.iter_mut().find(|known| known.0 == rest) {
            Some(known) => known.1.push(runs),
            None => settings.push((rest, vec![runs])),
        }
    }
    let mut pairs = Vec::new();
    let sentences = settings.iter().filter_map(|(_, members)| {
        let first = members.first()?;
        let statements = (naming.both_statements && key != "statements")
            .then(|| first.label("statements"))
            .filter(|way| *way != "none");
        let mut about = vec![naming.store(first.label("store")), first.label("phase")];
        about.extend([first.label("durability")].into_iter().chain(statements));
        let varied: Vec<String> = varied(first, naming, key);
        about.extend(varied.iter().map(String::as_str));
        about.retain(|word| !word.is_empty());
        let name = |runs: &Runs<'a>| match key {
            "statements" => runs.label(key).to_owned(),
            _ => format!("{key} {}", runs.label(key)),
        };
        ranked(&about.join(", "), members, name, &mut pairs)
    });
    sentences.collect()
}

fn varied(runs: &Runs<'_>, naming: &Naming<'_>, without: &str) -> Vec<String> {
    let keys = naming.varied.iter().filter(|key| **key != without && !runs.label(key).is_empty());
    keys.map(|key| format!("{key} {}", runs.label(key))).collect()
}

/// Compares neighbours in the order of their rates, the fastest first. No sentence is made where
/// all of them were compared before, in another setting.
fn ranked<'a, 'r>(
    about: &str,
    members: &[&'r Runs<'a>],
    name: impl Fn(&Runs<'a>) -> String,
    pairs: &mut Vec<[*const Runs<'a>; 2]>,
) -> Option<Sentence> {
    let mut ranking: Vec<&'r Runs<'a>> =
        members.iter().copied().filter(|runs| runs.rate().is_some()).collect();
    ranking.sort_by(|a, b| b.rate().unwrap_or_default().total_cmp(&a.rate().unwrap_or_default()));
    let neighbours: Vec<[*const Runs<'a>; 2]> =
        ranking.windows(2).map(|pair| [pair[0], pair[1]].map(std::ptr::from_ref)).collect();
    if neighbours.iter().all(|pair| pairs.contains(pair)) {
        return None;
    }
    pairs.extend(neighbours);
    let mut known = false;
    let mut parts = Vec::new();
    for pair in ranking.windows(2) {
        let Some(difference) = compare(&pair[0].rates(), &pair[1].rates()) else { continue };
        known |= difference.finding != Finding::SpreadUnknown;
        let message = match difference.spread {
            // There are many of these sentences: the usual case has a short form.
            Some(spread) if difference.finding == Finding::Distinct => {
                format!("{} (spread {})", times(Some(difference.ratio)), percent(spread))
            }
            _ => difference.to_string(),
        };
        parts.push(format!("{} over {} {message}", name(pair[0]), name(pair[1])));
    }
    (!parts.is_empty()).then(|| Sentence { text: format!("{about}: {}", parts.join("; ")), known })
}

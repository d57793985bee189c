//! The result of a search, in a sentence: `Sustains 731/s (confirmed 300 s, Poisson, 50 connections): p99 17.1 ms < 20
//! ms; fails at 804/s (p99 23.5 ms); recovers within 7 s.`

use crate::document::{Reading, Row, same};
use crate::found::Answer;
use crate::search::rate;
use crate::verdict::Verdict;
use brunt_record::Slo;

impl Reading<'_> {
    /// The result of the search, in a sentence.
    pub fn sentence(&self) -> String {
        match &self.answer {
            Answer::Claim { rate: at, confirmed_s, fails_at } => {
                let how = self.how(&format!("confirmed {confirmed_s:.0} s"));
                let met = self.confirmation(*at).and_then(|row| self.met(row));
                let met = met.map(|met| format!(": {met}")).unwrap_or_default();
                let fails = match fails_at {
                    Some(fails) => format!("; fails at {}{}", rate(*fails), self.failed(*fails)),
                    None => "; nothing above it could be shown to fail".to_owned(),
                };
                format!("Sustains {} ({how}){met}{fails}{}.", self.counted(*at), self.recovers())
            }
            Answer::Floor { rate: at, confirmed, why } => {
                let how = self.how(if *confirmed { "confirmed" } else { "not confirmed" });
                format!(
                    "Sustains at least {} ({how}); how much more is not known: {}.",
                    self.counted(*at),
                    without_causes(why)
                )
            }
            Answer::NoClaim { why } => format!("No claim: {why}{}.", self.thought()),
            Answer::NothingPasses { tried } => {
                format!("No rate meets the objectives, down to {}.", rate(*tried))
            }
            Answer::Away { why } => format!("The target is away: {why}."),
            Answer::NotRecovered { rate: after } => {
                format!(
                    "The target did not recover after {}, and the search stopped there.",
                    rate(*after)
                )
            }
            Answer::Protected { why } => {
                format!("The search stopped to protect the target: {why}.")
            }
            Answer::Interrupted => {
                format!("Interrupted before anything could be claimed{}.", self.thought())
            }
        }
    }

    /// A rate with the name of what is counted.
    pub fn counted(&self, at: f64) -> String {
        match self.fact("noun") {
            Some(noun) if !noun.is_empty() => {
                let at = rate(at);
                format!("{} {noun}/s", at.trim_end_matches("/s"))
            }
            _ => rate(at),
        }
    }

    fn how(&self, confirmed: &str) -> String {
        let connections = self.fact("connections").filter(|count| !count.is_empty());
        let over = connections.map_or_else(String::new, |count| {
            format!(", {count} connection{}", if count == "1" { "" } else { "s" })
        });
        format!("{confirmed}, Poisson{over}")
    }

    fn met(&self, row: Row<'_>) -> Option<String> {
        let phrases: Vec<String> =
            self.objectives.iter().filter_map(|text| held(row, text, true)).collect();
        (!phrases.is_empty()).then(|| phrases.join(", "))
    }

    fn failed(&self, at: f64) -> String {
        let row = self.rows.iter().rev().find(|row| {
            row.verdict == Verdict::Fail
                && row.kind.is_evidence()
                && row.rate.is_some_and(|rate| same(rate, at))
        });
        let phrase = row.and_then(|row| held(*row, row.cell.label("objective")?, false));
        phrase.map(|phrase| format!(" ({phrase})")).unwrap_or_default()
    }

    fn recovers(&self) -> String {
        self.recovery_s()
            .map(|seconds| format!("; recovers within {seconds:.0} s"))
            .unwrap_or_default()
    }

    fn thought(&self) -> String {
        let between = |estimate: crate::Estimate| {
            format!(
                "; with a probability of 80% the limit is between {} and {}",
                rate(estimate.p10),
                rate(estimate.p90)
            )
        };
        self.estimate.map(between).unwrap_or_default()
    }
}

/// The effect of the generator without its causes, which the steps list: they follow the second colon.
fn without_causes(why: &str) -> &str {
    let end = why.match_indices(": ").nth(1).map_or(why.len(), |(at, _)| at);
    &why[..end]
}

/// An objective with the figure that was measured: `p99 17.1 ms < 20 ms`, or without its limit `p99 23.5 ms`.
fn held(row: Row<'_>, text: &str, with_limit: bool) -> Option<String> {
    let slo: Slo = text.parse().ok()?;
    let at = text.find(['<', '>'])?;
    let sign = if text[at + 1..].starts_with('=') { &text[at..at + 2] } else { &text[at..=at] };
    let (figure, limit) = (text[..at].trim(), spaced(text[at + sign.len()..].trim()));
    let measured = row.record().and_then(|record| slo.evaluate(record).ok());
    let value = measured
        .and_then(|result| Some(spaced(&format!("{}{}", rounded(result.value?), result.unit))));
    match value {
        Some(value) if with_limit => Some(format!("{figure} {value} {sign} {limit}")),
        Some(value) => Some(format!("{figure} {value}")),
        None if with_limit => Some(text.to_owned()),
        None => None,
    }
}

/// `20ms` as `20 ms`; a share stays as it is.
fn spaced(text: &str) -> String {
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    if number.len() == text.len() {
        text.to_owned()
    } else {
        format!("{number} {}", &text[number.len()..])
    }
}

/// A figure with three significant digits.
fn rounded(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

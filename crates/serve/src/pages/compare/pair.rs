//! Two runs against each other: what changed in a sentence, both over time, and every difference with its interval.

use brunt_record::Status;
use brunt_report::comparison::{Comparison, Difference, Figure, Finding};
use brunt_report::figure::thousands;
use jiff::Timestamp;
use maud::{Markup, html};

use super::charts;
use super::labels::{Labels, began};
use crate::history::Entry;
use crate::pages::moment;
use crate::pages::moments::zone;
use crate::store::name;

/// The least width of the drawing of intervals, as a share.
const DRAWN_MIN: f64 = 0.1;
const DRAWN_MAX: f64 = 1.0;

/// Two runs that are compared; the first is the base.
pub(super) struct Pair<'a> {
    pub(super) runs: [&'a Entry; 2],
    pub(super) comparison: &'a Comparison,
    /// How the runs were requested differently.
    pub(super) unlike: &'a [String],
    /// The views of both, as JSON, where they are kept.
    pub(super) views: [Option<String>; 2],
}

impl Pair<'_> {
    /// The figures of the target, the largest difference first.
    fn differences(&self) -> Vec<&Difference> {
        let figures = self.comparison.pairs.first().map_or(&[][..], |pair| &pair.figures);
        let mut all: Vec<&Difference> = figures.iter().collect();
        let rank = |found: &Difference| match found.result {
            Finding::Worse | Finding::Better => 0,
            Finding::Same => 1,
            Finding::Unknown => 2,
        };
        let size = |found: &Difference| {
            found.change.map_or(0.0, |change| share(found.figure, change).abs())
        };
        all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(size(b).total_cmp(&size(a))));
        all
    }

    /// The page of both, with these buttons beside its title, apart from what is common to all comparisons.
    pub(super) fn page(&self, acts: &Markup) -> Markup {
        let labels = Labels::new(self.runs);
        html! {
            (self.head(&labels, acts))
            div.pair {
                (self.side(0, &labels)) (self.swap()) (self.side(1, &labels))
            }
            (charts::both(&self.views, &labels))
            (self.table(&labels))
        }
    }

    fn head(&self, labels: &Labels, acts: &Markup) -> Markup {
        let [base, other] = self.runs;
        let (class, word, text) = self.sentence();
        let title = if name(base) == name(other) {
            name(other)
        } else {
            format!("{} and {}", name(base), name(other))
        };
        html! {
            div.head {
                div { h1.large { (title) ": " (labels.of(1)) " against " (labels.of(0)) } }
                (acts)
            }
            p.lead { span class={ "mark " (class) } { (word) } " " (text) }
            p.trust { (self.trust()) " " (zone()) }
        }
    }

    /// Whether the runs can be compared.
    fn trust(&self) -> Markup {
        let doubtful = self.runs.iter().filter(|run| run.summary.verdict != Status::Valid);
        let doubts: Vec<String> = doubtful
            .map(|run| format!("that of {} is {}", when(run), run.summary.verdict.word()))
            .collect();
        html! {
            @if self.unlike.is_empty() && doubts.is_empty() {
                strong { "The runs can be compared: " } "the load was the same, and both runs are valid."
            } @else {
                @if !self.unlike.is_empty() {
                    strong { "These runs did not have the same load settings." }
                    " Differences in their figures may come from that: " (self.unlike.join("; ")) ". "
                }
                @if !doubts.is_empty() { strong { "Not every run is valid: " } (doubts.join("; ")) "." }
            }
        }
    }

    /// What changed most: a class, a word and a sentence.
    fn sentence(&self) -> (&'static str, String, String) {
        let pair = self.comparison.pairs.first();
        let result = pair.map_or(Finding::Unknown, |pair| pair.result);
        let all = self.differences();
        let of_target =
            |found: &&&Difference| found.figure.is_of_target() && found.result == result;
        let most = all.iter().find(of_target);
        let (class, plain) = match result {
            Finding::Worse => ("bad", "Worse."),
            Finding::Better => ("good", "Better."),
            Finding::Same => ("", "No difference."),
            Finding::Unknown => ("care", "Undecided."),
        };
        match (result, most) {
            (Finding::Worse | Finding::Better, Some(most)) => {
                let text = format!("{} {}", self.change(most), self.unchanged());
                (class, word(most, result).to_owned(), text)
            }
            (Finding::Same, _) => {
                let text = "No figure changed by more than chance explains.".to_owned();
                (class, plain.to_owned(), text)
            }
            _ => {
                let text = "Too little was measured: single runs need at least 8 seconds each. Run longer, or repeat \
                            them.";
                (class, plain.to_owned(), text.to_owned())
            }
        }
    }

    fn change(&self, found: &Difference) -> String {
        let figure = found.figure;
        let operation = found.operation.as_deref();
        let [before, after] = [found.baseline, found.value].map(|value| shown(figure, value));
        let subject = match (quantile(figure), operation) {
            (Some(of), Some(operation)) => format!("{of} {operation} took"),
            (Some(of), None) => format!("{of} took"),
            (None, operation) => {
                let title = figure.title().split(',').next().unwrap_or_default();
                let of = operation.map(|operation| format!(" of {operation}")).unwrap_or_default();
                format!(
                    "{}{of} {}",
                    capital(title),
                    if figure == Figure::Errors { "are" } else { "is" }
                )
            }
        };
        let confidence = 100.0 * self.comparison.confidence;
        let by = found.change.map(|change| {
            let more = if change >= 0.0 { "more" } else { "less" };
            let unit = if figure.is_share() { " points" } else { " %" };
            let interval = found.interval.map(|[low, high]| {
                let [low, high] = [low, high].map(percent);
                format!(", with {confidence:.0} % confidence between {low} and {high}{unit}")
            });
            let by = percent(change.abs());
            format!(": {}{unit} {more}{}", by.trim_start_matches('+'), interval.unwrap_or_default())
        });
        format!("{subject} {after} instead of {before}{}.", by.unwrap_or_default())
    }

    /// The main figures of the whole run that did not change.
    fn unchanged(&self) -> String {
        let same = |wanted: Figure| {
            let figures = self.comparison.pairs.first().map_or(&[][..], |pair| &pair.figures);
            figures.iter().any(|found| {
                found.figure == wanted && found.operation.is_none() && found.result == Finding::Same
            })
        };
        let main = [
            (Figure::Achieved, "the rate"),
            (Figure::Errors, "the errors"),
            (Figure::P50, "the median"),
        ];
        let names: Vec<&str> =
            main.into_iter().filter(|(figure, _)| same(*figure)).map(|(_, name)| name).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!("{} did not change.", capital(one)),
            [first @ .., last] => {
                capital(&format!("{} and {last} did not change.", first.join(", ")))
            }
        }
    }

    fn side(&self, at: usize, labels: &Labels) -> Markup {
        let run = self.runs[at];
        let origin = &run.about.origin;
        let class = if at == 0 { "a" } else { "c" };
        html! {
            div class=(class) {
                strong { (moment(&run.summary.started)) }
                @if at == 0 { ", the base" @if run.about.baseline { " and the baseline of this load" } }
                @else { ", " (self.apart()) }
                br;
                span.note {
                    @if let Some(commit) = &origin.commit { "commit " code { (short(commit)) } ", " }
                    @if let Some(plan) = &origin.plan { (plan) ", " }
                    @if let Some(target) = origin.target.as_ref().or(run.summary.target.as_ref()) { (target) ", " }
                    @if !origin.by.is_empty() { "by " (origin.by) ", " }
                    a href={ "/runs/" (run.id) } aria-label={ "Open the run of " (labels.text(at)) } { "open" }
                }
            }
        }
    }

    /// How much later the second run began.
    fn apart(&self) -> String {
        let [before, after] = self.runs.map(began);
        let Some(seconds) =
            before.zip(after).map(|(before, after)| after.as_second() - before.as_second())
        else {
            return "the other".to_owned();
        };
        let side = if seconds < 0 { "earlier" } else { "later" };
        let lasting = match seconds.unsigned_abs() {
            seconds @ 0..120 => format!("{seconds} s"),
            seconds @ 120..7_200 => format!("{} min", seconds / 60),
            seconds @ 7_200..172_800 => format!("{} hours", seconds / 3_600),
            seconds => format!("{} days", seconds / 86_400),
        };
        format!("{lasting} {side}")
    }

    fn swap(&self) -> Markup {
        let [base, other] = self.runs;
        html! {
            a.button href={ "/compare?run=" (other.id) "&run=" (base.id) "&base=" (other.id) }
                aria-label="Swap the runs" { "Swap" }
        }
    }

    fn table(&self, labels: &Labels) -> Markup {
        let all = self.differences();
        let widest = all.iter().filter_map(|found| Some((found.figure, found.interval?)));
        let widest = widest
            .map(|(figure, [low, high])| share(figure, low).abs().max(share(figure, high).abs()));
        let reach =
            crate::pages::drawing::round_step(widest.fold(DRAWN_MIN, f64::max).min(DRAWN_MAX));
        let reach = reach.min(DRAWN_MAX);
        let drawn = format!("interval, from \u{2212}{0:.0} % to +{0:.0} %", 100.0 * reach);
        html! {
            section id="differences" {
                h2 { "Differences, the largest first" }
                div.scroll role="region" tabindex="0" aria-label="Differences" {
                    table.data {
                        thead { tr {
                            th.name scope="col" { "figure" } th scope="col" { (labels.of(0)) }
                            th scope="col" { (labels.of(1)) } th scope="col" { "change" }
                            th.name scope="col" { (drawn) } th scope="col" { "interval" }
                            th.name scope="col" { "result" }
                        } }
                        tbody { @for found in &all { (row(found, reach)) } }
                    }
                }
                p.note {
                    "The intervals hold for all figures together with "
                    (format!("{:.0}", 100.0 * self.comparison.confidence))
                    " % confidence. A change counts when its interval leaves out zero and it is large enough to matter."
                }
            }
        }
    }
}

fn row(found: &Difference, reach: f64) -> Markup {
    let (figure, class) = (found.figure, class(found));
    let (title, unit) = figure.title().split_once(", ").unwrap_or((figure.title(), ""));
    let value = |value: f64, at_least: bool| {
        format!("{}{}", if at_least { ">" } else { "" }, bare(figure, value))
    };
    let unit_of_change = if figure.is_share() { "" } else { " %" };
    html! {
        tr {
            th.name scope="row" {
                @if let Some(operation) = &found.operation { (operation) ": " }
                (title) " " span.note { (unit) }
            }
            td { (value(found.baseline, found.baseline_at_least)) }
            td { (value(found.value, found.value_at_least)) }
            td { @match found.change { Some(change) => { (percent(change)) (unit_of_change) }, None => "–" } }
            td.name { (interval(found, reach, class)) }
            td {
                @match found.interval {
                    Some([low, high]) => { (percent(low)) " to " (percent(high)) (unit_of_change) },
                    None => "–",
                }
            }
            td.name { span class=[(!class.is_empty()).then(|| format!("mark {class}"))] { (result(found)) } }
        }
    }
}

/// An interval as a line about zero.
fn interval(found: &Difference, reach: f64, class: &str) -> Markup {
    let Some([low, high]) = found.interval else { return html! {} };
    let at = |value: f64| {
        let share = share(found.figure, value).clamp(-reach, reach) / reach;
        ((95.0 + 89.0 * share) * 10.0).round() / 10.0
    };
    html! {
        svg.interval viewBox="0 0 190 18" width="190" height="18" aria-hidden="true" {
            line.g x1="6" x2="184" y1="9" y2="9" {}
            line.axis x1="95" x2="95" y1="1" y2="17" {}
            line class={ "fo " (class) } x1=(at(low)) x2=(at(high)) y1="9" y2="9" {}
            @if let Some(change) = found.change { circle class={ "fd " (class) } cx=(at(change)) cy="9" r="4.5" {} }
        }
    }
}

fn class(found: &Difference) -> &'static str {
    match found.result {
        Finding::Worse => "bad",
        Finding::Better => "good",
        Finding::Same | Finding::Unknown => "",
    }
}

fn result(found: &Difference) -> &'static str {
    match found.result {
        Finding::Worse | Finding::Better => word(found, found.result).trim_end_matches('.'),
        Finding::Same => "no difference",
        Finding::Unknown => "too little data",
    }
}

/// What became of the target, by the figure that changed most.
fn word(found: &Difference, result: Finding) -> &'static str {
    let is_worse = result == Finding::Worse;
    match (found.figure, is_worse) {
        (Figure::Errors, true) => "More failures.",
        (Figure::Errors, false) => "Fewer failures.",
        (Figure::Achieved | Figure::Goodput, true) => "Fewer answers.",
        (Figure::Achieved | Figure::Goodput, false) => "More answers.",
        (Figure::Cpu | Figure::TargetCpu, true) => "More processor time.",
        (Figure::Cpu | Figure::TargetCpu, false) => "Less processor time.",
        (_, true) => "Slower.",
        (_, false) => "Faster.",
    }
}

/// The share of exchanges that a percentile is about.
fn quantile(figure: Figure) -> Option<&'static str> {
    Some(match figure {
        Figure::P50 | Figure::ServiceP50 => "Half of the requests",
        Figure::P90 => "90 of 100 requests",
        Figure::P99 | Figure::ServiceP99 => "99 of 100 requests",
        Figure::P999 => "999 of 1,000 requests",
        _ => return None,
    })
}

/// A change as a share of one: that of errors is in points already.
fn share(figure: Figure, change: f64) -> f64 {
    if figure.is_share() { change * 10.0 } else { change }
}

fn percent(change: f64) -> String {
    let percent = 100.0 * change;
    match percent.abs() {
        size if size > 9_999.0 => {
            format!("{}more than 9,999", if percent < 0.0 { "\u{2212}" } else { "" })
        }
        size if size >= 10.0 => format!("{percent:+.0}").replace('-', "\u{2212}"),
        size if size < 0.005 => "0".to_owned(),
        size if size < 1.0 => format!("{percent:+.2}").replace('-', "\u{2212}"),
        _ => format!("{percent:+.1}").replace('-', "\u{2212}"),
    }
}

/// A value without its unit.
fn bare(figure: Figure, value: f64) -> String {
    let value = match figure {
        Figure::Achieved | Figure::Goodput | Figure::Cpu | Figure::TargetCpu => value,
        Figure::Errors => value * 100.0,
        _ => value / 1e3,
    };
    match value.abs() {
        size if size >= 1_000.0 => thousands(value.round() as u64),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A value with its unit.
fn shown(figure: Figure, value: f64) -> String {
    let unit = match figure {
        Figure::Achieved | Figure::Goodput => "/s",
        Figure::Errors => " %",
        Figure::Cpu | Figure::TargetCpu => " us",
        _ => " ms",
    };
    format!("{}{unit}", bare(figure, value))
}

/// When a run began, in UTC.
fn when(run: &Entry) -> String {
    let minute = |at: Timestamp| at.strftime("%-d %b, %H:%M UTC").to_string();
    began(run).map_or_else(|| run.summary.started.clone(), minute)
}

/// The beginning of a commit.
fn short(commit: &str) -> &str {
    let is_hash = commit.len() >= 12 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { &commit[..7] } else { commit }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

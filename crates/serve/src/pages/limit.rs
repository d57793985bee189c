//! How much load a target can take, for capacity planning: the result of a search for the highest
//! rate in a sentence, its steps as a chart, and the number of servers that a peak needs.

use brunt_history::{Capacity, MeasuredStep};
use brunt_report::capacity::{Demand, Servers, SizingError};
use brunt_report::figure::thousands;
use maud::{Markup, html};

use super::drawing::{FRAMES, Frame, Scale, line, round_end, upright};
use super::run::entry;
use super::{figure, moment, page as whole};
use crate::call::{Answer, Call};
use crate::history::Entry;
use crate::problem::{Problem, sentence};
use crate::store::name;

const TOP: f64 = 30.0;
const FLOOR: f64 = 290.0;
const HEIGHT: f64 = 338.0;
/// The peaks of the table, as shares of the one that was entered.
const PEAKS: [f64; 5] = [0.5, 0.75, 1.0, 1.5, 2.0];

/// `GET /runs/{id}/limit`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let content = content(call, &run)?;
    let body = html! {
        p.crumbs { a href="/runs" { "Runs" } " · " a href={ "/runs/" (run.id) } { (name(&run)) } }
        h1.large { (title(&run)) }
        (content)
    };
    Ok(Answer::page(whole(call, "Limit", &body)))
}

/// The objectives of a search.
pub(super) fn title(run: &Entry) -> String {
    let target = run.about.origin.target.as_ref().or(run.summary.target.as_ref());
    format!("How much can {} take?", target.map_or("the target", String::as_str))
}

/// The limit that a search found.
pub(super) fn content(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let found = run.summary.capacity.as_ref().ok_or_else(|| Problem::missing("search"))?;
    Ok(html! {
        p.meta {
            (moment(&run.summary.started)) " by " (run.about.origin.by) ", " (found.steps.len()) " steps"
            @if let Some(commit) = &run.about.origin.commit { ", commit " code { (commit) } }
        }
        (message(run, found))
        (trust(run))
        div.edit.limit {
            div.over { (chart(run, found)) (steps(run, found)) }
            aside.look aria-label="Number of servers" { (sizing(call, run, found)) }
        }
    })
}

/// The limit and its uncertainty, in a sentence.
fn message(run: &Entry, found: &Capacity) -> Markup {
    let held = found.measured.iter().find(|step| step.confirms);
    let within = held.and_then(|step| step.p99_ms);
    html! {
        p.lead {
            @match found.rate {
                Some(rate) => {
                    span.mark.good { @if found.at_least { "At least " } (a_second(rate)) " a second." }
                    @if let Some(within) = within {
                        " At that rate 99 of 100 requests were answered within " (figure(Some(within))) " ms."
                    }
                    @match found.fails_at {
                        Some(fails) => {
                            " At " (a_second(fails)) " a second an objective was missed."
                            " The limit lies between the two."
                        }
                        None => " No higher rate was shown to be too much: the limit may be higher.",
                    }
                }
                None => { span.mark.care { "No limit was found." } " " (run.summary.sentence) }
            }
        }
    }
}

/// Whether the answer can be believed.
fn trust(run: &Entry) -> Markup {
    let objectives: Vec<&str> =
        run.summary.objectives.iter().map(|objective| objective.text.as_str()).collect();
    html! {
        p.trust {
            strong { "How sure is this? " }
            @if run.summary.reasons.is_empty() { "Nothing speaks against it." }
            @else { (run.summary.reasons.iter().map(|why| sentence(why)).collect::<Vec<_>>().join(" ")) }
            @if !objectives.is_empty() { " Good enough means: " (objectives.join(", ")) "." }
            " More than one server, other sizes of server and longer loads were not tested."
        }
    }
}

/// The response times over the rate.
fn chart(run: &Entry, found: &Capacity) -> Markup {
    let mut steps: Vec<(&MeasuredStep, f64)> = found
        .measured
        .iter()
        .filter(|step| step.verdict != "none")
        .filter_map(|step| Some((step, step.p99_ms.filter(|p99| *p99 > 0.0)?)))
        .collect();
    steps.sort_by(|(a, _), (b, _)| a.rate.total_cmp(&b.rate));
    if steps.is_empty() {
        return html! { p.note { "The steps of this search are not kept, so they are not drawn." } };
    }
    html! {
        figure {
            figcaption { "The faster requests arrive, the longer they take " small { "p99, ms, logarithmic" } }
            @for frame in &FRAMES {
                svg class=(frame.class) viewBox={ "0 0 " (frame.width) " " (HEIGHT) } width=(frame.width)
                    height=(HEIGHT) role="img" aria-label="Response p99 against the rate of each step" {
                    (drawn(run, found, &steps, frame))
                }
            }
            p.key {
                @for (class, words) in
                    [("good", "held"), ("", "objectives met"), ("hol", "undecided"), ("bad", "missed")]
                {
                    span {
                        svg.swatch width="12" height="10" viewBox="0 0 12 10" aria-hidden="true" {
                            circle class={ "dot " (class) } cx="6" cy="5" r="4" {}
                        }
                        (words)
                    }
                }
            }
        }
    }
}

fn drawn(run: &Entry, found: &Capacity, steps: &[(&MeasuredStep, f64)], frame: &Frame) -> Markup {
    let limit = objective_ms(run);
    let rates = steps.iter().map(|(step, _)| step.rate).chain(found.fails_at).fold(0.0, f64::max);
    let values = || steps.iter().map(|(_, p99)| *p99).chain(limit);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let x = Scale::linear((0.0, round_end(rates * 1.02)), (frame.left, frame.width - frame.right));
    let y = Scale::logarithmic((least * 0.7, most * 1.4), (FLOOR, TOP));
    // Only steps that measured the target are joined.
    let joined = steps
        .iter()
        .filter(|(step, _)| matches!(step.verdict.as_str(), "pass" | "fail" | "undecided"));
    let points: Vec<(f64, Option<f64>)> =
        joined.map(|(step, p99)| (step.rate, Some(*p99))).collect();
    html! {
        (upright(&y, frame, 6))
        @if let (Some(rate), Some(fails)) = (found.rate, found.fails_at) {
            rect.band2 x=(x.at(rate)) width=((x.at(fails) - x.at(rate)).max(1.0)) y=(TOP) height=(FLOOR - TOP) {}
            text.e x=(x.at(rate) - 6.0) y=(TOP - 8.0) { "the limit: " (a_second(rate)) " to " (a_second(fails)) }
        }
        @if let Some(limit) = limit {
            line.lim x1=(frame.left) x2=(frame.width - frame.right) y1=(y.at(limit)) y2=(y.at(limit)) {}
            text x=(frame.left + 6.0) y=(y.at(limit) - 6.0) { "objective: " (figure(Some(limit))) " ms" }
        }
        (line(&points, &x, &y, "l one"))
        @for (step, p99) in steps {
            circle class={ "dot " (class(step)) } cx=(x.at(step.rate)) cy=(y.at(*p99))
                r=(if step.confirms { 6 } else { 4 }) {}
        }
        line.axis x1=(frame.left) x2=(frame.width - frame.right) y1=(FLOOR) y2=(FLOOR) {}
        @for tick in x.ticks(frame.ticks) { text.m x=(x.at(tick)) y=(FLOOR + 17.0) { (a_second(tick)) } }
        text.e x=(frame.width - frame.right) y=(FLOOR + 34.0) { "a second" }
    }
}

/// The limit of the 99th percentile in milliseconds, if the search has one.
fn objective_ms(run: &Entry) -> Option<f64> {
    let texts = run.summary.objectives.iter().map(|objective| objective.text.replace(' ', ""));
    let limits = texts.filter_map(|text| {
        let limit = text.strip_prefix("p99<")?;
        let end = limit.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(limit.len());
        let (number, unit) = limit.split_at(end);
        let scale = match unit.split(['(', ' ']).next()? {
            "us" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * scale)
    });
    limits.reduce(f64::min)
}

fn class(step: &MeasuredStep) -> &'static str {
    match step.verdict.as_str() {
        "pass" if step.confirms => "good",
        "pass" => "",
        "fail" => "bad",
        _ => "hol",
    }
}

/// The steps, by their rate.
fn steps(run: &Entry, found: &Capacity) -> Markup {
    let mut steps: Vec<&MeasuredStep> =
        found.measured.iter().filter(|step| step.verdict != "none").collect();
    steps.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    html! {
        @if !steps.is_empty() {
            section id="steps" {
                h2 { "The steps that decide" }
                div.scroll role="region" tabindex="0" aria-label="Steps" {
                    table.data {
                        thead { tr {
                            th scope="col" { "a second" } th scope="col" { "achieved" } th scope="col" { "p50, ms" }
                            th scope="col" { "p99, ms" } th scope="col" { "failed, %" } th.name scope="col" { "result" }
                        } }
                        tbody { @for step in steps { tr {
                            th scope="row" {
                                a href={ "/runs/" (run.id) "/steps/" (step.step) } { (a_second(step.rate)) }
                            }
                            td { (figure(step.achieved)) } td { (figure(step.p50_ms)) } td { (figure(step.p99_ms)) }
                            td { (figure(step.errors.map(|share| 100.0 * share))) }
                            td.name { span class={ "mark " (tone(step)) } { (result(step)) } }
                        } } }
                    }
                }
            }
        }
    }
}

fn tone(step: &MeasuredStep) -> &'static str {
    match step.verdict.as_str() {
        "pass" => "good",
        "fail" => "bad",
        _ => "care",
    }
}

fn result(step: &MeasuredStep) -> &'static str {
    match step.verdict.as_str() {
        "pass" if step.confirms => "met, and held",
        "pass" => "met",
        "fail" => "missed",
        "void" => "says nothing about the target",
        _ => "undecided",
    }
}

/// How many servers a peak needs: a form that is sent as an address.
fn sizing(call: &Call, run: &Entry, found: &Capacity) -> Markup {
    let Some(rate) = found.rate else {
        return html! { h2 { "How many servers?" } p { "A search that found no limit says nothing about that." } };
    };
    let given = |name: &str, usual: &str| {
        let text = call.query(name).trim();
        if text.is_empty() { usual.to_owned() } else { text.to_owned() }
    };
    let peak = given("peak", &a_second(rate));
    let (growth, headroom, spare) =
        (given("growth", "0 %"), given("headroom", "40 %"), given("spare", "1"));
    let demand = demand(&peak, &growth, &headroom, &spare);
    let field = |name: &str, label: &str, value: &str| {
        html! {
            div.field {
                label for=(name) { (label) }
                input id=(name) name=(name) value=(value) autocomplete="off";
            }
        }
    };
    html! {
        h2 { "How many servers?" }
        form method="get" action={ "/runs/" (run.id) "/limit" } {
            (field("peak", "Peak today, a second", &peak)) (field("growth", "Growth to plan for", &growth))
            (field("headroom", "Keep free of each server", &headroom)) (field("spare", "Servers that may fail", &spare))
            div.acts { button.main { "Compute" } }
        }
        @match demand.and_then(|demand| Ok((demand, demand.sized(rate)?))) {
            Ok((demand, servers)) => (sized_table(found, &demand, servers, rate)),
            Err(error) => p.missed role="alert" { (error) },
        }
    }
}

/// Why the number of servers is not computed.
#[derive(Debug, thiserror::Error)]
enum DemandError {
    #[error("The {field} is '{text}'. Give {accepted}.")]
    Field { field: &'static str, text: String, accepted: &'static str },
    #[error("Failed to {0}.")]
    Sizing(#[from] SizingError),
}

fn sized_table(found: &Capacity, demand: &Demand, servers: Servers, rate: f64) -> Markup {
    let fails = found.fails_at;
    let row = |share: f64| {
        let of = Demand { peak: demand.peak * share, ..*demand };
        let count = |limit: f64| {
            of.sized(limit).map_or_else(|_| "–".to_owned(), |it| it.servers.to_string())
        };
        (share, a_second(of.grown()), count(rate), fails.map(count))
    };
    let free = 1.0 - demand.headroom;
    html! {
        p.lead { strong { (servers.servers) " servers" } " for " (a_second(demand.grown())) " a second" }
        table.data {
            caption.away { "Servers for other peaks" }
            thead { tr {
                th scope="col" { "peak, with growth" } th scope="col" { "servers" }
                @if let Some(fails) = fails { th scope="col" { "if the limit were " (a_second(fails)) } }
            } }
            tbody { @for (share, peak, count, if_failed) in PEAKS.map(row) { tr {
                @let is_current = (share - 1.0).abs() < 1e-9;
                td { @if is_current { strong { (peak) } } @else { (peak) } }
                td { @if is_current { strong { (count) } } @else { (count) } }
                @if let Some(count) = if_failed { td { (count) } }
            } } }
        }
        p.note {
            (a_second(demand.grown())) " / (" (a_second(rate)) " × " (format!("{free:.2}")) ") with all servers up: "
            (servers.all_up) ". With " (demand.spare) " down: " (servers.after_loss)
            ". It is assumed that the rates of several servers add up; that was not measured."
        }
    }
}

/// What was typed, as a demand.
fn demand(peak: &str, growth: &str, headroom: &str, spare: &str) -> Result<Demand, DemandError> {
    let number = |text: &str| text.replace([',', ' '], "").parse::<f64>().ok();
    let part = |text: &str| {
        let packed = text.replace(' ', "");
        let percent = packed.strip_suffix('%').unwrap_or(&packed);
        percent.parse::<f64>().ok().map(|percent| percent / 100.0)
    };
    let packed = peak.trim_end_matches("/s");
    let wrong = |field, text: &str, accepted| {
        let text = text.to_owned();
        DemandError::Field { field, text, accepted }
    };
    Ok(Demand {
        peak: number(packed)
            .ok_or_else(|| wrong("peak", peak, "a number a second, such as 1,200"))?,
        growth: part(growth).ok_or_else(|| wrong("growth", growth, "a share, such as 30 %"))?,
        headroom: part(headroom)
            .ok_or_else(|| wrong("part to keep free", headroom, "a share, such as 40 %"))?,
        spare: spare.trim().parse().ok().filter(|spare| *spare <= 1_000).ok_or_else(|| {
            wrong("number of servers that may fail", spare, "a whole number up to 1,000")
        })?,
        tested_servers: 1,
        cores: None,
    })
}

/// A rate without its unit.
fn a_second(rate: f64) -> String {
    match rate {
        rate if rate >= 100.0 => thousands(rate.round() as u64),
        rate => format!("{}", (rate * 10.0).round() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demand_form_is_parsed_as_typed() {
        let read = demand("1,200/s", "30 %", "40%", "1").unwrap();
        assert!((read.grown() - 1_560.0).abs() < 1e-9);
        assert_eq!(read.sized(480.0).unwrap().servers, 6);
        let why = demand("many", "30 %", "40 %", "1").unwrap_err().to_string();
        assert_eq!(why, "The peak is 'many'. Give a number a second, such as 1,200.");
        for (growth, headroom, spare) in [("x", "40", "1"), ("1", "y", "1"), ("1", "40", "-1")] {
            assert!(demand("5", growth, headroom, spare).is_err());
        }
        let all = demand("5", "0", "100", "0").unwrap();
        assert!(all.sized(480.0).unwrap_err().to_string().contains("headroom"));
    }
}

//! The list of runs. Its filters are part of the address, so a filtered list can be bookmarked and shared.

use brunt_history::Summary;
use brunt_record::{RunOutcome, SloOutcome, Status};
use maud::{Markup, html};

use super::form::{Form, Script, TEXT};
use super::{field, figure, moment, outcome, page};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Filter, Listed, Position, name, outcome_key};

/// The number of runs on a page.
pub(crate) const PER_PAGE: usize = 50;
const TAGS_SHOWN: i64 = 20;
/// The number of plans that are offered while there is no run.
const PLANS_SHOWN: usize = 10;

/// The filter that an address contains.
pub(crate) fn filter(call: &Call) -> Filter {
    let of = |name: &str| call.query(name).trim().to_owned();
    Filter {
        text: of("q"),
        tag: of("tag"),
        target: of("target"),
        outcome: of("outcome"),
        verdict: of("verdict"),
        commit: of("commit"),
        load: of("load"),
        since: of("since"),
        until: of("until"),
        missed: of("missed") == "1",
        pinned: of("pinned") == "1",
        baseline: of("baseline") == "1",
    }
}

/// The position at which a page of the list begins.
pub(crate) fn behind(call: &Call) -> Option<Position> {
    let (started, id) = call.query("behind").rsplit_once('~')?;
    Some(Position { started: started.to_owned(), id: id.to_owned() })
}

/// The position at which the next page begins, if there is one.
pub(crate) fn next(listed: &Listed) -> Option<String> {
    let last = listed.runs.last().filter(|_| listed.more)?;
    Some(format!("{}~{}", last.summary.started, last.id))
}

/// `GET /`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let (app, filter) = (&call.app, filter(call));
    app.absorb()?;
    let listed = app.store.runs(&filter, behind(call).as_ref(), PER_PAGE)?;
    let tags = app.store.tags(TAGS_SHOWN)?;
    let runner = call.who()?.user.role >= Role::Runner;
    let is_narrowed = filter != Filter::default();
    let is_first = call.query("behind").is_empty();
    let body = html! {
        h1.large { "Runs" }
        (under_way(call)?)
        @if listed.all > 0 || is_narrowed || !is_first {
            (search(&filter, &tags))
            (count(&listed, is_narrowed))
        }
        @if listed.runs.is_empty() {
            (empty(call, is_narrowed)?)
        } @else {
            form #runs method="get" action="/compare" {
                (table(call, &listed.runs))
                div.acts {
                    button.main { "Compare" }
                    span.note data-chosen {
                        "Choose two to six runs. The others are compared with the first one chosen."
                    }
                }
            }
            @if runner { (several(call)) }
            (pages(call, &listed, is_first))
        }
    };
    Ok(Answer::page(page(call, "Runs", &body)))
}

/// Runs that are queued or running.
fn under_way(call: &Call) -> Result<Markup, Problem> {
    let runs = call.app.queue()?.list();
    let runs: Vec<_> = runs.iter().filter(|run| !run.state.is_over()).collect();
    Ok(html! {
        @if !runs.is_empty() {
            div.verdict role="status" {
                p { strong { "Queued and running now" } }
                ul { @for run in runs { li {
                    a href={ "/live/" (run.id) } { "Run " (run.number + 1) } ": " (run.state.word())
                    @if !run.reason.is_empty() { ", " (run.reason) }
                } } }
            }
        }
    })
}

fn count(listed: &Listed, is_narrowed: bool) -> Markup {
    let runs = if listed.all == 1 { "run" } else { "runs" };
    html! {
        p.note {
            (listed.all) " " (runs)
            @if is_narrowed { " found. " a href="/" { "Show all" } }
        }
    }
}

fn search(filter: &Filter, tags: &[String]) -> Markup {
    let open = [&filter.target, &filter.outcome, &filter.commit, &filter.since, &filter.until];
    let open = open.iter().any(|text| !text.is_empty())
        || filter.missed
        || filter.pinned
        || filter.baseline;
    let input = |name: &str, value: &str, kind: &str| html! { input id=(name) name=(name) value=(value) type=(kind); };
    html! {
        form.search method="get" action="/" role="search" {
            div.line {
                label.away for="q" { "Search" }
                input id="q" name="q" type="search" value=(filter.text) placeholder="Name, target, tag, note, commit";
                @for (name, value) in [("tag", &filter.tag), ("verdict", &filter.verdict)] {
                    @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
                }
                button { "Search" }
            }
            details open[open] {
                summary { "Filters" }
                div.fields {
                    (field("target", "Target", &input("target", &filter.target, "text")))
                    (field("outcome", "Outcome", &outcomes(filter)))
                    (field("commit", "Commit", &input("commit", &filter.commit, "text")))
                    (field("since", "From", &input("since", &filter.since, "date")))
                    (field("until", "To", &input("until", &filter.until, "date")))
                    @for (name, label, on) in [
                        ("missed", "missed an objective", filter.missed),
                        ("pinned", "pinned", filter.pinned),
                        ("baseline", "baseline", filter.baseline),
                    ] {
                        label.tick { input type="checkbox" name=(name) value="1" checked[on]; " " (label) }
                    }
                }
            }
            @if !tags.is_empty() {
                p.tags {
                    @for tag in tags {
                        @if *tag == filter.tag {
                            a.tag.on href="/" aria-label={ "Tag " (tag) ", shown: show all" } { (tag) " ×" }
                        } @else {
                            a.tag href={ "/?tag=" (encoded(tag)) } { (tag) }
                        }
                    }
                }
            }
        }
    }
}

/// The choice of an outcome.
fn outcomes(filter: &Filter) -> Markup {
    let wanted = outcome_key(&filter.outcome);
    html! {
        select id="outcome" name="outcome" {
            option value="" { "any" }
            @for words in RunOutcome::ALL.map(RunOutcome::words) {
                @let key = outcome_key(words);
                option value=(key) selected[key == wanted] { (words.to_lowercase()) }
            }
        }
    }
}

/// The text of an empty list: what it would show, and how to add a run.
fn empty(call: &Call, is_narrowed: bool) -> Result<Markup, Problem> {
    let plans = call.app.store.plans()?;
    let offered = call.who()?.user.role >= Role::Runner && !plans.is_empty();
    Ok(html! {
        @if is_narrowed {
            p { "No run matches these filters. " a href="/" { "Show all runs" } "." }
        } @else {
            div.empty {
                @if offered {
                    p { "There are no runs yet. Run one of the plans:" }
                    ul.plain.choice { @for plan in plans.iter().take(PLANS_SHOWN) {
                        li { a href={ "/plans/" (plan.id) "#run" } { (plan.name) } }
                    } }
                }
                p {
                    @if offered { "Or write another " } @else { "There are no runs yet. Write a " }
                    a href="/plans" { "plan" } ", and run it against a " a href="/targets" { "target" }
                    ". Or upload a run from elsewhere: write its record with " code { "--record" }
                    ", then push it with a token from " a href="/account" { "your account" } ":"
                }
                pre.command tabindex="0" {
                    "brunt authrate … --record run.json\nbrunt push run.json --to "
                    span data-origin { "http://127.0.0.1:7878" } " --token-file token.txt"
                }
            }
        }
    })
}

pub(super) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn table(call: &Call, runs: &[Entry]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="Runs" {
            table.runs {
                thead {
                    tr {
                        th scope="col" { span.away { "Compare" } }
                        th.name scope="col" { "run" }
                        th.name scope="col" { "begun (UTC)" }
                        th.name scope="col" { "outcome" }
                        th.name scope="col" { "objectives" }
                        th scope="col" { "goodput /s" }
                        th scope="col" { "p50 ms" }
                        th scope="col" { "p99 ms" }
                        th scope="col" { "failed" }
                    }
                }
                tbody { @for run in runs { (row(call, run)) } }
            }
        }
    }
}

fn row(call: &Call, run: &Entry) -> Markup {
    let Entry { id, summary, about } = run;
    let (name, figures) = (name(run), &summary.figures);
    let chosen = call.form.iter().any(|(name, value)| name == "run" && value == id.as_str());
    let failed = (figures.due > 0).then(|| figures.missed as f64 / figures.due as f64);
    html! {
        tr data-run=(id) {
            td { input type="checkbox" name="run" value=(id) checked[chosen] aria-label={ "Compare " (name) }; }
            th.name scope="row" {
                a href={ "/runs/" (id) } { (name) }
                @if summary.capacity.is_some() { " " span.tag { "highest rate" } }
                @if about.pin { " " span.tag { "pinned" } }
                @if about.baseline { " " span.tag { "baseline" } }
                @for tag in &about.tags { " " a.tag href={ "/?tag=" (encoded(tag)) } { (tag) } }
            }
            td.name data-label="begun" { (moment(&summary.started)) }
            td.name data-label="outcome" { (judged(summary)) }
            td.name data-label="objectives" { (objectives(run)) }
            td data-label="goodput /s" { (figure(figures.goodput)) }
            td data-label="p50 ms" { (figure(figures.p50_ms)) }
            td data-label="p99 ms" { (figure(figures.p99_ms)) }
            td data-label="failed" { (failed.map_or_else(|| "–".to_owned(), brunt_report::figure::percent)) }
        }
    }
}

/// What came of a run; for a search, the result.
fn judged(summary: &Summary) -> Markup {
    let Some(found) = &summary.capacity else { return outcome(summary) };
    let class = match summary.verdict {
        Status::Valid => "mark good",
        _ => "mark care",
    };
    let at_least = if found.at_least { "at least " } else { "" };
    html! {
        span class=(class) { (found.word) }
        @if let Some(rate) = found.rate { br; "sustains " (at_least) (figure(Some(rate))) "/s" }
    }
}

/// How many objectives were met.
fn objectives(run: &Entry) -> Markup {
    let all = &run.summary.objectives;
    let of = |outcome: SloOutcome| all.iter().filter(|one| one.outcome == outcome).count();
    let (met, missed) = (of(SloOutcome::Met), of(SloOutcome::Missed));
    html! {
        @if all.is_empty() {
            "–"
        } @else if missed > 0 {
            span.missed { (missed) " of " (all.len()) " missed" }
        } @else if met == all.len() {
            span.met { (met) " met" }
        } @else {
            span.undecided { (all.len() - met) " of " (all.len()) " undecided" }
        }
    }
}

/// Actions for several runs at once. The checkboxes belong to two forms.
fn several(call: &Call) -> Markup {
    let form = Form::new(call, "/runs").prefixed("add-");
    let fields = html! {
        details open[form.is_refused()] {
            summary { "With the chosen runs" }
            div.fields {
                (form.input("tags", "Add tags, separated by commas", TEXT))
                div.acts {
                    button name="act" value="tag" { "Add tags" }
                    button name="act" value="pin" { "Pin" }
                    button name="act" value="unpin" { "Unpin" }
                    button.danger name="act" value="delete" data-confirm="Delete the chosen runs permanently?" {
                        "Delete"
                    }
                }
            }
        }
    };
    form.whole("several", Script::Runs, &fields)
}

fn pages(call: &Call, listed: &Listed, is_first: bool) -> Markup {
    let others = || {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(
            call.query.iter().filter(|(name, value)| name != "behind" && !value.is_empty()),
        );
        query
    };
    html! {
        p.pages {
            @if !is_first { a href={ "/?" (others().finish()) } { "Newest" } " " }
            @if let Some(next) = next(listed) {
                a rel="next" href={ "/?" (others().append_pair("behind", &next).finish()) } { "Older" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_filtered_by_outcome_and_a_verdict_in_the_address_is_kept() {
        let filter = Filter {
            outcome: "Not reliable".to_owned(),
            verdict: "partial".to_owned(),
            ..Filter::default()
        };
        let form = search(&filter, &[]).into_string();
        let chosen = r#"<option value="not-reliable" selected>not reliable</option>"#;
        assert!(form.contains(chosen), "{form}");
        assert_eq!(form.matches("<option").count(), 1 + RunOutcome::ALL.len(), "{form}");
        let kept = r#"<input type="hidden" name="verdict" value="partial">"#;
        assert!(form.contains(kept) && form.contains("<details open>"), "{form}");
        assert!(!search(&Filter::default(), &[]).into_string().contains("hidden"));
    }
}

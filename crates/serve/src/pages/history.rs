//! The list of runs. Its filters and its order are part of the address, so a list can be bookmarked and shared.

use brunt_history::Summary;
use brunt_record::{RunOutcome, SloOutcome, Status};
use maud::{Markup, html};

use super::form::{Form, Script, TEXT};
use super::{field, figure, moment, moments, outcome, page};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Filter, Kind, Listed, Order, PageStart, Position, SortBy, name, outcome_key};

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
        test: of("test"),
        since: of("since"),
        until: of("until"),
        missed: of("missed") == "1",
        pinned: of("pinned") == "1",
        baseline: of("baseline") == "1",
        kind: Kind::Any,
    }
}

/// The columns by which the list is sorted: their names in addresses.
const SORTED: [(SortBy, &str); 4] = [
    (SortBy::Started, "begun"),
    (SortBy::Outcome, "outcome"),
    (SortBy::Goodput, "goodput"),
    (SortBy::P99, "p99"),
];

/// The order that an address contains.
pub(super) fn order(call: &Call) -> Order {
    let wanted = call.query("sort");
    let by = SORTED.into_iter().find(|(_, name)| *name == wanted).map(|(by, _)| by);
    Order { by: by.unwrap_or_default(), is_ascending: call.query("up") == "1" }
}

/// The place of the page of a list that an address names.
pub(super) fn page_start(call: &Call) -> PageStart {
    match (position(call.query("before")), position(call.query("behind"))) {
        (Some(before), _) => PageStart::Before(before),
        (None, Some(behind)) => PageStart::After(behind),
        (None, None) => PageStart::First,
    }
}

/// The position at which a page of the list of programs begins.
pub(crate) fn behind(call: &Call) -> Option<Position> {
    position(call.query("behind"))
}

fn position(text: &str) -> Option<Position> {
    let (key, id) = text.rsplit_once('~')?;
    Some(Position { key: key.to_owned(), id: id.to_owned() })
}

/// The position at which its next page begins, if there is one.
pub(crate) fn next(listed: &Listed) -> Option<String> {
    let last = listed.runs.last().filter(|_| listed.more)?;
    Some(format!("{}~{}", last.summary.started, last.id))
}

/// `GET /runs`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let (app, filter, order) = (&call.app, filter(call), order(call));
    app.index_ended()?;
    let listed = app.store.sorted_runs(&filter, order, &page_start(call), PER_PAGE)?;
    let tags = app.store.tags(TAGS_SHOWN)?;
    let is_narrowed = filter != Filter::default();
    let body = html! {
        div.head {
            div { h1.large { "Runs" } p.meta { (count(&listed, is_narrowed)) " " (moments::zone()) } }
        }
        @if listed.all > 0 || is_narrowed { (search(&filter, &tags)) }
        @if listed.runs.is_empty() { (empty(call, is_narrowed)?) }
        @else { (listing(call, &listed, (order, "/runs"))?) }
    };
    Ok(Answer::page(page(call, "Runs", &body)))
}

/// A page of a list at this address, with what can be done with the runs.
pub(super) fn listing(
    call: &Call,
    listed: &Listed,
    (order, address): (Order, &str),
) -> Result<Markup, Problem> {
    let runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        form #runs method="get" action="/compare" {
            (table(call, &listed.runs, Some((order, address))))
            div.acts {
                button.main { "Compare" }
                span.note data-chosen {
                    "Choose two to six runs. The others are compared with the first one chosen."
                }
            }
        }
        @if runner { (several(call)) }
        (pages(call, listed, (order, address)))
    })
}

fn count(listed: &Listed, is_narrowed: bool) -> Markup {
    let runs = if listed.all == 1 { "run" } else { "runs" };
    html! {
        (listed.all) " " (runs)
        @if is_narrowed { " found. " a href="/runs" { "Show all" } } @else { "." }
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
        form.search method="get" action="/runs" role="search" {
            div.line {
                label.away for="q" { "Search" }
                input id="q" name="q" type="search" value=(filter.text) placeholder="Name, target, tag, note, commit";
                @for (name, value) in [
                    ("tag", &filter.tag), ("verdict", &filter.verdict), ("load", &filter.load), ("test", &filter.test),
                ] {
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
                            a.tag.on href="/runs" aria-label={ "Tag " (tag) ", shown: show all" } { (tag) " ×" }
                        } @else {
                            a.tag href={ "/runs?tag=" (encoded(tag)) } { (tag) }
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
pub(super) fn empty(call: &Call, is_narrowed: bool) -> Result<Markup, Problem> {
    let plans = call.app.store.plans()?;
    let offered = call.who()?.user.role >= Role::Runner && !plans.is_empty();
    Ok(html! {
        @if is_narrowed {
            p { "No run matches these filters. " a href="/runs" { "Show all runs" } "." }
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

/// The runs of a page. Without an address its columns do not sort it.
pub(super) fn table(call: &Call, runs: &[Entry], sorts: Option<(Order, &str)>) -> Markup {
    let head = |by: SortBy, label: &str| head(call, by, label, sorts);
    html! {
        div.scroll role="region" tabindex="0" aria-label="Runs" {
            table.runs {
                thead {
                    tr {
                        th scope="col" { span.away { "Compare" } }
                        th.name scope="col" { "run" }
                        (head(SortBy::Started, "begun"))
                        (head(SortBy::Outcome, "outcome"))
                        th.name scope="col" { "objectives" }
                        (head(SortBy::Goodput, "goodput /s"))
                        th scope="col" { "p50 ms" }
                        (head(SortBy::P99, "p99 ms"))
                        th scope="col" { "failed" }
                    }
                }
                tbody { @for run in runs { (row(call, run)) } }
            }
        }
    }
}

/// The head of a column, which sorts the list: the other way if it is sorted by it.
fn head(call: &Call, by: SortBy, label: &str, sorts: Option<(Order, &str)>) -> Markup {
    let class = matches!(by, SortBy::Started | SortBy::Outcome).then_some("name");
    let Some((order, address)) = sorts else {
        return html! { th class=[class] scope="col" { (label) } };
    };
    let is_sorted = order.by == by;
    let sorted = is_sorted.then_some(if order.is_ascending { "ascending" } else { "descending" });
    let next = Order { by, is_ascending: is_sorted && !order.is_ascending };
    html! {
        th class=[class] scope="col" aria-sort=[sorted] {
            a.sort href=(address_of(call, (next, address), None)) { (label) }
        }
    }
}

/// An address of the list: the same filters in this order, at this place.
fn address_of(call: &Call, (order, address): (Order, &str), at: Option<(&str, &str)>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let own = ["behind", "before", "sort", "up"];
    query.extend_pairs(
        call.query
            .iter()
            .filter(|(name, value)| !own.contains(&name.as_str()) && !value.is_empty()),
    );
    if order.by != SortBy::default() {
        let name = SORTED.into_iter().find(|(by, _)| *by == order.by).map(|(_, name)| name);
        query.append_pair("sort", name.unwrap_or_default());
    }
    if order.is_ascending {
        query.append_pair("up", "1");
    }
    if let Some((name, value)) = at {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { address.to_owned() } else { format!("{address}?{query}") }
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
                @for tag in &about.tags { " " a.tag href={ "/runs?tag=" (encoded(tag)) } { (tag) } }
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

/// The outcome of a run; for a search, the result.
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

/// The ways to the other pages.
fn pages(call: &Call, listed: &Listed, (order, address): (Order, &str)) -> Markup {
    let at = |run: Option<&Entry>| {
        run.map_or_else(String::new, |run| format!("{}~{}", order.by.key(run), run.id))
    };
    let (first, last) = (at(listed.runs.first()), at(listed.runs.last()));
    let link = |at: Option<(&str, &str)>| address_of(call, (order, address), at);
    html! {
        @if listed.less || listed.more {
            nav.pages aria-label="Pages" {
                @if listed.less {
                    a href=(link(None)) { "First" }
                    a rel="prev" href=(link(Some(("before", &first)))) { "Previous" }
                }
                @if listed.more { a rel="next" href=(link(Some(("behind", &last)))) { "Next" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_list_filter_keeps_outcome_and_verdict() {
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

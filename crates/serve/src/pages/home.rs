//! The first page: the tests, each with its last result, its last runs, its baseline and its next run; and what runs
//! now.

use std::collections::HashMap;

use brunt_record::{Mode, OutcomeTone};
use maud::{Markup, html};

use super::against::Standing;
use super::sparkline::{RUNS, sparkline};
use super::test::run_button;
use super::{figure, history, moment, moment_of, moments, outcome_mark, page as whole, queue};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::history::Entry;
use crate::problem::Problem;
use crate::queue::Expected;
use crate::schedule::next_time;
use crate::store::{LastRuns, Plan, REVISION, Test, key_of_plan, name};

/// The most tests on the page.
const TESTS_MAX: usize = 200;
/// The query parameters of the list of runs when it was the first page.
const OF_RUNS: [&str; 13] = [
    "q", "tag", "target", "outcome", "verdict", "commit", "load", "since", "until", "missed",
    "pinned", "baseline", "behind",
];

/// A test as the page shows it.
struct Row {
    test: Test,
    /// The name of its project.
    project: Option<String>,
    last: Option<LastRuns>,
    standing: Option<Standing>,
    next: Option<i64>,
    going: Option<Expected>,
}

/// Which tests are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    All,
    Attention,
    Scheduled,
    Mine,
}

impl Show {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::All, "", "All"),
        (Self::Attention, "attention", "Need attention"),
        (Self::Scheduled, "scheduled", "Scheduled"),
        (Self::Mine, "mine", "Mine"),
    ];

    fn has(self, row: &Row, user: &str) -> bool {
        match self {
            Self::All => true,
            Self::Attention => row.needs_attention(),
            Self::Scheduled => row.next.is_some(),
            Self::Mine => row.is_by(user),
        }
    }
}

impl Row {
    fn needs_attention(&self) -> bool {
        let last = self.last.as_ref().and_then(|last| last.newest.summary.outcome);
        let is_bad = |tone| matches!(tone, OutcomeTone::Bad | OutcomeTone::Care);
        last.is_some_and(|outcome| is_bad(outcome.tone()))
            || self.standing.as_ref().is_some_and(Standing::is_worse)
    }

    fn is_by(&self, user: &str) -> bool {
        let started = self.last.as_ref().map(|last| last.newest.about.origin.by.as_str());
        let by = |given: &str| given.split(" (").next() == Some(user);
        started.is_some_and(by) || self.test.plan.as_ref().is_some_and(|plan| plan.by == user)
    }

    /// Whether its name, its project, or what people wrote about its newest run, has all these words.
    fn has(&self, words: &str) -> bool {
        let newest = self.last.as_ref().map(|last| &last.newest);
        let about = newest.map_or_else(String::new, |run| {
            let (about, origin) = (&run.about, &run.about.origin);
            let target = origin.target.as_ref().or(run.summary.target.as_ref());
            [about.tags.join(" "), target.cloned().unwrap_or_default()].join(" ")
                + " "
                + origin.commit.as_deref().unwrap_or_default()
        });
        let project = self.project.as_deref().unwrap_or_default();
        let text = format!("{} {project} {about}", self.test.name).to_lowercase();
        words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// What the list is sorted by: what needs attention, then what ran last.
    fn order(&self) -> (bool, std::cmp::Reverse<String>) {
        let started = self.last.as_ref().map(|last| last.newest.summary.started.clone());
        (!self.needs_attention(), std::cmp::Reverse(started.unwrap_or_default()))
    }
}

/// `GET /`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    if OF_RUNS.iter().any(|name| !call.query(name).is_empty()) {
        return Ok(Answer::see(&format!("/runs{}", call.path.trim_start_matches('/'))));
    }
    let app = &call.app;
    app.index_ended()?;
    let runs = app.queue()?.expected();
    let all = rows(call, &runs)?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        div.head {
            div {
                h1.large { "Tests" }
                @if all.iter().any(|row| row.last.is_some()) { p.meta { (summed(&all, &runs)) " " (moments::zone()) } }
            }
            @if runner {
                div.acts {
                    a.b.main href="/plans#add" { "New test" }
                    a.b href="/plans/import" { "Import" }
                }
            }
        }
        (queue::panel(call, &runs)?)
        @if all.iter().any(|row| row.last.is_some() || row.going.is_some()) { (list(call, &all)?) }
        @else { (first(call)?) }
    };
    Ok(Answer::page(whole(call, "Tests", &body)))
}

/// The page before the first run of a test.
fn first(call: &Call) -> Result<Markup, Problem> {
    let runs = call.app.store.count_runs()?;
    Ok(html! {
        @if runs > 0 {
            p { "There are " a href="/runs" { (counted(runs)) } ", which belong to no test: their load is unknown." }
        }
        (history::empty(call, false)?)
    })
}

fn counted(runs: u64) -> String {
    if runs == 1 {
        "1 run".to_owned()
    } else {
        format!("{} runs", brunt_report::figure::thousands(runs))
    }
}

/// The tests in the order in which they are shown.
fn rows(call: &Call, runs: &[Expected]) -> Result<Vec<Row>, Problem> {
    let (store, now) = (&call.app.store, call.app.now());
    let mut last = store.last_runs(RUNS)?;
    let (schedules, baselines) = (store.schedules()?, store.baselines()?);
    let projects: HashMap<i64, String> =
        store.projects()?.into_iter().map(|project| (project.id, project.name)).collect();
    let named = |project: Option<i64>| project.and_then(|id| projects.get(&id).cloned());
    let mut rows = Vec::new();
    for plan in store.plans()? {
        let key = key_of_plan(plan.id);
        let own = last.iter().position(|last| last.test == key).map(|at| last.swap_remove(at));
        let times = schedules.iter().filter(|schedule| schedule.plan == plan.id);
        let next = times.filter_map(|schedule| next_time(schedule, now)).min();
        let going = runs.iter().find(|run| is_of(run, &plan)).cloned();
        let test = test(key, plan.name.clone(), own.as_ref(), Some(plan));
        let project = named(test.project);
        rows.push(Row { test, project, last: own, standing: None, next, going });
    }
    for last in last {
        let test = test(last.test.clone(), name(&last.newest), Some(&last), None);
        let (project, last) = (named(test.project), Some(last));
        rows.push(Row { test, project, last, standing: None, next: None, going: None });
    }
    for row in &mut rows {
        let Some(last) = &row.last else { continue };
        let own = baselines.iter().filter(|(test, _)| *test == row.test.key);
        let own: Vec<&Entry> = own.map(|(_, baseline)| baseline).collect();
        row.standing = Some(Standing::new(call, &last.newest, &own)?);
    }
    rows.sort_by_cached_key(Row::order);
    Ok(rows)
}

fn test(key: String, name: String, last: Option<&LastRuns>, plan: Option<Plan>) -> Test {
    let target = last.and_then(|last| last.target);
    let load = last.map(|last| last.newest.summary.load.clone()).unwrap_or_default();
    let project = plan.as_ref().map_or_else(|| last.and_then(|it| it.project), |it| it.project);
    Test { key, name, plan, project, load, runs: 0, target }
}

/// Whether a run that is active or waits is made from a plan.
fn is_of(run: &Expected, plan: &Plan) -> bool {
    let made = run.status.plan.as_deref().and_then(|text| text.rsplit_once(REVISION));
    made.is_some_and(|(name, _)| name == plan.name)
}

/// The tests in a sentence.
fn summed(rows: &[Row], runs: &[Expected]) -> String {
    let tests =
        if rows.len() == 1 { "One test".to_owned() } else { format!("{} tests", rows.len()) };
    let attention = rows.iter().filter(|row| row.needs_attention()).count();
    let attention = match attention {
        0 => "none needs attention".to_owned(),
        1 => "one needs attention".to_owned(),
        count => format!("{count} need attention"),
    };
    let is_active = runs.iter().any(|run| run.status.state.is_active());
    let going = if is_active { "one is running" } else { "nothing is running" };
    format!("{tests}: {attention}, {going}.")
}

fn list(call: &Call, all: &[Row]) -> Result<Markup, Problem> {
    let user = call.who()?.user.name.as_str();
    let words = call.query("find").trim();
    let wanted = call.query("show");
    let shown = Show::ALL.iter().find(|(_, key, _)| *key == wanted).map_or(Show::All, |it| it.0);
    let rows: Vec<&Row> = all.iter().filter(|row| shown.has(row, user) && row.has(words)).collect();
    let runs = call.app.store.count_runs()?;
    Ok(html! {
        form.find method="get" action="/" role="search" {
            label.away for="q" { "Find tests" }
            input id="q" name="find" type="search" value=(words) placeholder="Test, project, target, tag, commit";
            button { "Find" }
            @for (show, key, label) in Show::ALL {
                @let count = all.iter().filter(|row| show.has(row, user)).count();
                @let address = if key.is_empty() { "/".to_owned() } else { format!("/?show={key}") };
                a.chip href=(address) aria-current=[(show == shown).then_some("true")] { (label) " " (count) }
            }
        }
        @if !words.is_empty() {
            p.small {
                (rows.len()) " of " (all.len()) " tests have this. "
                a href={ "/runs?q=" (history::encoded(words)) } { "Find it in all runs" }
            }
        }
        @if rows.is_empty() { p { "No test is like that. " a href="/" { "Show all tests" } } }
        @else { (table(call, &rows)?) }
        p.small.soft {
            "A red mark is a run in which something went wrong; a hollow one is a run that is not reliable, and no \
             line goes through it. " a href="/runs" { "All runs" } ": " (counted(runs)) "."
        }
    })
}

fn table(call: &Call, rows: &[&Row]) -> Result<Markup, Problem> {
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Tests" {
            table.tests {
                thead { tr {
                    th.name scope="col" { "test" } th.name scope="col" { "last result" }
                    th.name scope="col" { "p99, last " (RUNS) " runs" }
                    th.name scope="col" { "goodput, last " (RUNS) " runs" }
                    th.name scope="col" { "against the baseline" } th.name scope="col" { "next run" }
                    th scope="col" { span.away { "Start" } }
                } }
                tbody { @for row in rows.iter().take(TESTS_MAX) { (row_of(call, row)?) } }
            }
        }
        @if rows.len() > TESTS_MAX { p.small { "Only the first " (TESTS_MAX) " of " (rows.len()) " are shown." } }
    })
}

fn row_of(call: &Call, row: &Row) -> Result<Markup, Problem> {
    let Row { test, project, last, standing, next, going } = row;
    let newest = last.as_ref().map(|last| &last.newest);
    let points = last.as_ref().map(|last| last.points.as_slice()).unwrap_or_default();
    let runner = call.who()?.user.role >= Role::Runner;
    let drawn = |what: &str| format!("{what} of the last runs of {}", test.name);
    let figures = newest.map(|run| &run.summary.figures);
    let p99 = figures.and_then(|figures| figures.p99_ms);
    let good = figures.and_then(|figures| figures.goodput);
    Ok(html! {
        tr {
            th.name scope="row" {
                a href={ "/tests/" (test.key) } { (test.name) }
                @if let Some(project) = project { " " span.tag { (project) } }
                small { (load(test, newest)) }
            }
            td.name { (result(newest, going.as_ref())) }
            td.name.sp data-label="p99" {
                (sparkline(points, |point| point.p99_ms, &drawn("p99")))
                @if newest.is_some() { span.value { b { (figure(p99)) } @if p99.is_some() { small { " ms" } } } }
            }
            td.name.sp data-label="goodput" {
                (sparkline(points, |point| point.goodput, &drawn("goodput")))
                @if newest.is_some() { span.value { b { (figure(good)) } @if good.is_some() { small { "/s" } } } }
            }
            td.name data-label="baseline" {
                @match (standing, newest) {
                    (Some(standing), Some(newest)) => (standing.markup(newest, runner)),
                    _ => "–",
                }
            }
            td.name.next data-label="next" { @match next { Some(next) => (moment_of(*next)), None => "–" } }
            td {
                @match going {
                    Some(run) => a.b href={ "/live/" (run.status.id) } aria-label={ "Watch " (test.name) } { "Watch" },
                    None => (run_button(call, test, "")?),
                }
            }
        }
    })
}

/// The outcome of the newest run, or that one is active.
fn result(newest: Option<&Entry>, going: Option<&Expected>) -> Markup {
    html! {
        @match (going, newest) {
            (Some(run), _) => {
                span.mark.on { (if run.status.state.is_active() { "running" } else { "queued" }) }
                small {
                    "since " (moment(run.status.started.as_deref().unwrap_or(&run.status.submitted)))
                    (by(&run.status.by, false))
                }
            }
            (None, Some(run)) => {
                (outcome_mark(&run.summary))
                small {
                    a href={ "/runs/" (run.id) } { (moment(&run.summary.started)) }
                    (by(&run.about.origin.by, run.about.origin.brought))
                }
            }
            (None, None) => span.mark.none { "not run yet" },
        }
    }
}

/// By whom a run was started or uploaded.
fn by(user: &str, is_uploaded: bool) -> String {
    match user.strip_suffix(" (scheduled)") {
        _ if user.is_empty() => String::new(),
        Some(_) => ", by schedule".to_owned(),
        None if is_uploaded => format!(", uploaded by {user}"),
        None => format!(", by {user}"),
    }
}

/// The load of the newest run in a line.
fn load(test: &Test, newest: Option<&Entry>) -> String {
    let Some(run) = newest else {
        let by = test.plan.as_ref().map(|plan| plan.by.as_str()).unwrap_or_default();
        return format!("by {by}");
    };
    let summary = &run.summary;
    // A load of iterations has no requested rate of requests, so the rate of what was due is used.
    let offered = summary.figures.offered.filter(|_| summary.mode == Mode::Open);
    let what = match summary.figures.requested.or(offered) {
        Some(rate) => format!("{}/s", brunt_report::figure::rate(rate)),
        None => format!("{} sessions", summary.sessions),
    };
    let target = run.about.origin.target.as_ref().or(summary.target.as_ref());
    let target = target.map_or_else(String::new, |target| format!(", {target}"));
    format!("{what} for {}{target}", lasted(summary.seconds))
}

fn lasted(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3_600, whole % 3_600 / 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

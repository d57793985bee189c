//! The page of the site itself, for administrators: its disk, how long runs are kept and what goes next, who holds
//! what, backups, and how it is observed.

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::{moment, moment_of, page as whole};
use crate::backup;
use crate::call::{Answer, Call};
use crate::disk::{self, Disk};
use crate::problem::Problem;
use crate::retention::{Retention, carry_out};
use crate::store::name;

/// The longest time, and the most runs.
const DAYS_MAX: u32 = 3_650;
const RUNS_MAX: u32 = 1_000_000;
const GIB_MAX: u32 = 1_000_000;
/// How many of the runs that go next are shown.
const NEXT: usize = 5;

/// `GET /site`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let rule = Retention::new(app)?;
    let runs = app.store.count_runs()?;
    let body = html! {
        h1.large { "Site" }
        section id="retention" {
            h2 { "How long runs are kept" }
            p { (runs) " runs are stored. The site keeps " strong { (rule.words()) } "." }
            p.note {
                "Baselines, pinned runs, the last run of each test, and runs that a shared link shows are always \
                 kept. Tagged runs are kept unless you include them; the tag " code { "scheduled" } " of scheduled \
                 runs does not count. Each removal is a line of the audit trail."
            }
            (next(call, &rule)?)
            (form(call, &rule))
        }
        section id="disk" {
            h2 { "Disk" }
            @match Disk::new(app) {
                Some(disk) => p { (gib(disk.free)) " of " (gib(disk.size)) " GiB are free." },
                None => p.warning { "The size of the disk cannot be read." },
            }
            (used(call))
        }
        section id="locks" { h2 { "Who holds what" } (locks(call)?) }
        section id="backups" { h2 { "Backups" } (backups(call)) }
        section id="observe" {
            h2 { "Observe the site" }
            ul.plain {
                li { a href="/healthz" { "/healthz" } ": answers as long as the process lives; without an account" }
                li { a href="/readyz" { "/readyz" } ": 503 while the site cannot do its work; without an account" }
                li {
                    a href="/metrics" { "/metrics" } ": figures for Prometheus, for an administrator, or for a token \
                     of the scope read of an administrator"
                }
            }
        }
    };
    Ok(Answer::page(whole(call, "Site", &body)))
}

fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}

/// What the site uses of the disk.
fn used(call: &Call) -> Markup {
    let used = disk::used(&call.app);
    let mib = |bytes: u64| format!("{:.1}", bytes as f64 / f64::from(1 << 20));
    html! {
        div.scroll role="region" tabindex="0" aria-label="What the site uses" {
            table.data {
                thead { tr { th.name scope="col" { "what" } th scope="col" { "MiB" } } }
                tbody {
                    @for (what, bytes) in &used { tr { th.name scope="row" { (what) } td { (mib(*bytes)) } } }
                    tr {
                        th.name scope="row" { "together" }
                        td { strong { (mib(used.iter().map(|(_, bytes)| bytes).sum())) } }
                    }
                }
            }
        }
    }
}

/// The runs that the rule removes next, and when.
fn next(call: &Call, rule: &Retention) -> Result<Markup, Problem> {
    if rule.keeps_all() {
        return Ok(html! {});
    }
    let removable = rule.removable(&call.app)?;
    Ok(html! {
        @if removable.is_empty() { p { "No run can be removed: all are always kept." } }
        @else {
            p { "These go next:" }
            ul.plain { @for run in removable.iter().take(NEXT) {
                @let entry = call.app.store.run(run.id.as_str())?;
                li {
                    a href={ "/runs/" (run.id) } { (entry.as_ref().map_or_else(|| run.id.to_string(), name)) }
                    @match rule.goes_at(run) {
                        Some(at) => { ", at the latest " (moment_of(at)) }
                        None => ", when others need its place",
                    }
                }
            } }
        }
    })
}

/// The locks that this site and its runs hold.
fn locks(call: &Call) -> Result<Markup, Problem> {
    let runs = call.app.queue()?.list();
    let active: Vec<_> = runs.iter().filter(|run| run.state.is_active()).collect();
    let waiting = runs.iter().filter(|run| !run.state.is_over()).count() - active.len();
    Ok(html! {
        ul.plain {
            li {
                "The directory " code { (call.app.history.directory().display()) } " is served by process "
                (std::process::id()) ", which holds its " code { "serve.lock" } "."
            }
            @for run in &active { li {
                "This machine is used by " a href={ "/live/" (run.id) } { (run.name) } ", " (run.state.word())
                @if let Some(started) = &run.started { " since " (moment(started)) }
                ", for " (run.by)
                @if let Some(target) = &run.target { ", at " (target) }
                "."
            } }
            @if active.is_empty() { li { "No run of this site uses this machine." } }
            @if waiting > 0 { li { a href="/queue" { (waiting) " runs wait" } " for it." } }
            li { "Names and addresses that may not sign in for now are on " a href="/people" { "People" } "." }
        }
    })
}

/// The last backup, and how another is made.
fn backups(call: &Call) -> Markup {
    let directory = call.app.history.directory();
    html! {
        @match backup::last(directory) {
            Some(last) => p {
                "The last one was made " (moment(&last.made)) " in " code { (last.at.display()) } ": "
                (last.files) " files, " (format!("{:.1}", last.bytes as f64 / f64::from(1 << 20))) " MiB."
            },
            None => p { "No backup was made of this directory yet." },
        }
        p { "On this machine, this makes one while the site goes on:" }
        pre tabindex="0" { "brunt serve --dir " (directory.display()) " --backup DIRECTORY" }
    }
}

fn form(call: &Call, rule: &Retention) -> Markup {
    let form = Form::new(call, "/site/retention");
    let written = |limit: Option<u32>| limit.map_or_else(String::new, |limit| limit.to_string());
    let (days, runs, gib) = (written(rule.days), written(rule.runs), written(rule.gib));
    let number =
        |value, most: u32| Input { kind: "number", value, range: Some((1, most.into())), ..TEXT };
    let fields = html! {
        (form.input("days", "Days after which a run is removed; if empty, never", number(&days, DAYS_MAX)))
        (form.input("runs", "Most runs, besides those that are always kept; if empty, any", number(&runs, RUNS_MAX)))
        (form.input("gib", "Most GiB of all runs together; if empty, any", number(&gib, GIB_MAX)))
        (form.tick("tagged", "Remove tagged runs too", rule.tagged))
        @if form.is_refused() { (form.tick("sure", "Remove these runs now", false)) }
        div { button.main { "Save" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

/// `POST /site/retention`. Runs that the new rule removes at once are counted first, and removed if that is confirmed.
pub(crate) fn retain(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let rule = Retention {
        days: limit(call, "days", "The number of days", DAYS_MAX)?,
        runs: limit(call, "runs", "The number of runs", RUNS_MAX)?,
        gib: limit(call, "gib", "The number of GiB", GIB_MAX)?,
        tagged: call.field("tagged") == "1",
    };
    let due = rule.due(app)?.len();
    if due > 0 && call.field("sure") != "1" {
        let why = format!(
            "Not saved yet: this removes {due} runs now, permanently. Tick the box to confirm it."
        );
        return Err(Problem::unusable(why).at("sure"));
    }
    rule.store(app)?;
    app.audit(who, "set retention", &rule.words())?;
    carry_out(app)?;
    Ok(Answer::see("/site"))
}

fn limit(call: &Call, field: &'static str, what: &str, most: u32) -> Result<Option<u32>, Problem> {
    let text = call.field(field).trim();
    if text.is_empty() {
        return Ok(None);
    }
    let read = text.parse().ok().filter(|limit| (1..=most).contains(limit));
    let why = format!("{what} is a whole number from 1 to {most}, or empty.");
    read.map(Some).ok_or_else(|| Problem::unusable(why).at(field))
}

//! The page of the site itself, for administrators: its disk, how long runs are kept, and how it is observed.

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::page as whole;
use crate::call::{Answer, Call};
use crate::metrics::Disk;
use crate::problem::Problem;
use crate::retention::{Retention, carry_out};

/// The longest time, and the most runs.
const DAYS_MAX: u32 = 3_650;
const RUNS_MAX: u32 = 1_000_000;

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
                "Baselines, pinned runs, and runs that a shared link shows are always kept. Tagged runs are kept \
                 unless you include them; the tag " code { "scheduled" } " of scheduled runs does not count. Each \
                 removal is a line of the audit trail."
            }
            (form(call, &rule))
        }
        section id="disk" {
            h2 { "Disk" }
            @match Disk::new(app) {
                Some(disk) => p {
                    (gib(disk.free)) " of " (gib(disk.size)) " GiB are free. The database has "
                    (format!("{:.1}", app.store.bytes() as f64 / f64::from(1 << 20))) " MiB."
                },
                None => p.warning { "The size of the disk cannot be read." },
            }
        }
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

fn form(call: &Call, rule: &Retention) -> Markup {
    let form = Form::new(call, "/site/retention");
    let written = |limit: Option<u32>| limit.map_or_else(String::new, |limit| limit.to_string());
    let (days, runs) = (written(rule.days), written(rule.runs));
    let number =
        |value, most: u32| Input { kind: "number", value, range: Some((1, most.into())), ..TEXT };
    let fields = html! {
        (form.input("days", "Days after which a run is removed; if empty, never", number(&days, DAYS_MAX)))
        (form.input("runs", "Most runs, besides those that are always kept; if empty, any", number(&runs, RUNS_MAX)))
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

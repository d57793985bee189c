//! Schedules: which plan is run when, the next times, and the results of the last ones.

mod fields;
mod results;

use maud::{Markup, html};

use super::form::Form;
use super::{hidden, moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::schedules as changes;
use crate::problem::Problem;
use crate::schedule::{Quiet, Times, begin_now, words};
use crate::store::{Plan, Schedule, key_of_plan};
use crate::submission::agents::words as agents_words;

use fields::Of;
use results::results;

/// How many future and past times are shown.
const AHEAD: usize = 3;
const BACK: i64 = 5;
/// How many past times the page of a schedule shows: more than are kept.
const BACK_ALL: i64 = 1_000;

/// `GET /schedules`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let schedules = call.app.store.schedules()?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        p.crumbs { a href="/" { "Tests" } }
        h1.large { "Schedules" }
        @if schedules.is_empty() {
            div.empty { p {
                "There are no schedules yet. A schedule runs the newest revision of a plan at set times."
            } }
        }
        @for schedule in &schedules { (shown(call, schedule, On::All)?) }
        @if runner { (added(call, &Of::AnyPlan, &Form::new(call, "/schedules"))?) }
        @if call.who()?.user.role == Role::Admin {
            p { a href="/hooks" { "Webhooks" } " that receive the results of scheduled runs" }
        }
    };
    Ok(Answer::page(whole(call, "Schedules", &body)))
}

/// The schedules of a plan, for its test.
pub(super) fn of_plan(call: &Call, plan: &Plan, form: &Form<'_>) -> Result<Markup, Problem> {
    let mut schedules = call.app.store.schedules()?;
    schedules.retain(|schedule| schedule.plan == plan.id);
    let runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        @if schedules.is_empty() {
            div.empty { p {
                "This test has no schedule. A schedule runs the newest revision of its plan at set times."
            } }
        }
        @for schedule in &schedules { (shown(call, schedule, On::Test)?) }
        @if runner { (added(call, &Of::Plan(plan), form)?) }
    })
}

/// The form of another schedule.
fn added(call: &Call, of: &Of<'_>, form: &Form<'_>) -> Result<Markup, Problem> {
    Ok(html! { section id="add" { h2 { "Another schedule" } (fields::form(call, of, form)?) } })
}

/// `GET /schedules/{id}`.
pub(crate) fn one(call: &Call) -> Result<Answer, Problem> {
    let schedule = at_path(call)?;
    let name = plan_name(call, &schedule)?;
    let body = html! {
        p.crumbs {
            a href="/" { "Tests" } " / " a href={ "/tests/" (key_of_plan(schedule.plan)) } { (name) } " / "
            a href=(address(&schedule)) { "schedule" }
        }
        h1.large { "Schedule of " (name) }
        (shown(call, &schedule, On::Itself)?)
        @if call.who()?.user.role >= Role::Runner {
            section id="change" {
                h2 { "Change" }
                (fields::form(call, &Of::Schedule(&schedule), &Form::new(call, format!("/schedules/{}", schedule.id)))?)
            }
        }
    };
    Ok(Answer::page(whole(call, &format!("Schedule of {name}"), &body)))
}

/// The page that shows a schedule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    All,
    Test,
    Itself,
}

impl On {
    /// Its word in forms, which lead back to the page.
    const fn key(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Test => "test",
            Self::Itself => "itself",
        }
    }
}

fn shown(call: &Call, schedule: &Schedule, on: On) -> Result<Markup, Problem> {
    let runner = call.who()?.user.role >= Role::Runner;
    let most = if on == On::Itself { BACK_ALL } else { BACK };
    Ok(html! {
        section.schedule id=[(on == On::Itself).then_some("results")] {
            div.head {
                div {
                    h2 { (message(schedule)) @if schedule.paused { " " span.tag { "paused" } } }
                    p.small.soft { (about(call, schedule, on)?) }
                    @if schedule.paused { p { strong { "Paused." } " It starts no runs until it is resumed." } }
                    @else { (ahead(schedule, call.app.now())) }
                }
                @if runner { (buttons(call, schedule, on)?) }
            }
            (results(call, schedule, most)?)
        }
    })
}

/// Its times in words, or as they were written.
fn message(schedule: &Schedule) -> Markup {
    html! {
        @match words(&schedule.times) {
            Some(words) => (words),
            None => code { (schedule.times) },
        }
    }
}

fn about(call: &Call, schedule: &Schedule, on: On) -> Result<Markup, Problem> {
    let store = &call.app.store;
    let target = store.target(schedule.target)?;
    let hook = schedule.hook.map(|id| store.hook(id)).transpose()?.flatten().map(|(hook, _)| hook);
    Ok(html! {
        (schedule.zone) ", "
        @if on == On::All {
            a href={ "/tests/" (key_of_plan(schedule.plan)) } { (plan_name(call, schedule)?) } " "
        }
        "at " (target.map_or_else(|| "a deleted target".to_owned(), |target| target.name))
        @if !schedule.duration.is_empty() { " for " (schedule.duration) }
        @if !schedule.quiet.is_empty() {
            ", not in the quiet hours " (schedule.quiet)
            @if schedule.waits { " (it waits for their end)" }
        }
        @if let Some(agents) = schedule.agents { ", by " (agents_words(agents)) }
        @if let Some(hook) = &hook { ", results sent to " (hook.name) }
        ", by " (schedule.by) "."
    })
}

fn plan_name(call: &Call, schedule: &Schedule) -> Result<String, Problem> {
    let plan = call.app.store.plan(schedule.plan)?;
    Ok(plan.map_or_else(|| "a deleted plan".to_owned(), |plan| plan.name))
}

fn buttons(call: &Call, schedule: &Schedule, on: On) -> Result<Markup, Problem> {
    let who = call.who()?;
    let named = html! {
        (hidden(who))
        input type="hidden" name="id" value=(schedule.id);
        input type="hidden" name="back" value=(on.key());
    };
    Ok(html! {
        div.acts {
            form method="post" action="/schedules/run" { (named) button { "Run now" } }
            form method="post" action="/schedules/pause" {
                (named)
                @if !schedule.paused { input type="hidden" name="paused" value="1"; }
                button { (if schedule.paused { "Resume" } else { "Pause" }) }
            }
            @if on != On::Itself { a.b href={ "/schedules/" (schedule.id) "#change" } { "Change" } }
            form method="post" action="/schedules/remove" {
                (named)
                button.danger data-confirm="Remove this schedule? Its runs stay." { "Remove" }
            }
        }
    })
}

/// The next times, which browsers show in their time zone.
fn ahead(schedule: &Schedule, now: i64) -> Markup {
    let Ok(times) = Times::read(&schedule.times, &schedule.zone) else {
        return html! { p.missed { "The times of this schedule are not valid." } };
    };
    let quiet = Quiet::read(&schedule.quiet).ok().flatten();
    let mut next = Vec::new();
    let mut from = now;
    while next.len() < AHEAD {
        let Some(at) = times.next(from) else { break };
        let Some(local) = times.local(at) else { break };
        let ends = quiet.and_then(|quiet| quiet.end(&local));
        next.push(match (ends, schedule.waits) {
            (None, _) => (at, ""),
            (Some(end), true) => (end, " (at the end of the quiet hours)"),
            (Some(_), false) => (at, " (skipped: quiet hours)"),
        });
        from = at;
    }
    html! {
        @if next.is_empty() { p.missed { "There is no next time." } }
        @else {
            p.small {
                "Next: "
                @for (number, (at, held)) in next.iter().enumerate() {
                    @if number > 0 { ", " }
                    (moment_of(*at)) (held)
                }
                "."
            }
        }
    }
}

/// `POST /schedules`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let plan = call.app.store.plan(call.field("plan").parse().unwrap_or_default())?;
    add_to(call, &plan.ok_or_else(|| Problem::missing("plan").at("plan"))?)?;
    Ok(Answer::see("/schedules"))
}

/// Adds a schedule of a plan.
pub(super) fn add_to(call: &Call, plan: &Plan) -> Result<(), Problem> {
    changes::add(&call.app, call.who()?, plan, &fields::read(call)?).map(drop)
}

/// `POST /schedules/{id}`.
pub(crate) fn change(call: &Call) -> Result<Answer, Problem> {
    let before = at_path(call)?;
    changes::change(&call.app, call.who()?, &before, &fields::read(call)?)?;
    Ok(Answer::see(&address(&before)))
}

/// `POST /schedules/run`: starts a run of a schedule now.
pub(crate) fn run_now(call: &Call) -> Result<Answer, Problem> {
    let (schedule, who) = (named(call)?, call.who()?);
    let run = begin_now(&call.app, &schedule, &who.named())?;
    Ok(Answer::see(&format!("/live/{run}")))
}

/// `POST /schedules/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let schedule = named(call)?;
    changes::remove(&call.app, call.who()?, schedule.id)?;
    let to_all = call.field("back").is_empty();
    Ok(Answer::see(&if to_all { "/schedules".to_owned() } else { address(&schedule) }))
}

/// `POST /schedules/pause`: lets a schedule start no runs for now, or start them again.
pub(crate) fn pause(call: &Call) -> Result<Answer, Problem> {
    let schedule = named(call)?;
    changes::pause(&call.app, call.who()?, schedule.id, call.field("paused") == "1")?;
    Ok(back(call, &schedule))
}

/// The schedule that a form names.
fn named(call: &Call) -> Result<Schedule, Problem> {
    let id: i64 = call.field("id").parse().unwrap_or_default();
    call.app.store.schedule(id)?.ok_or_else(|| Problem::missing("schedule"))
}

/// The schedule that a path names.
fn at_path(call: &Call) -> Result<Schedule, Problem> {
    let id: i64 = call.segment("id").parse().unwrap_or_default();
    call.app.store.schedule(id)?.ok_or_else(|| Problem::missing("schedule"))
}

/// The tab of the test that has this schedule.
fn address(schedule: &Schedule) -> String {
    format!("/tests/{}/schedule", key_of_plan(schedule.plan))
}

/// The page from which a form was sent.
fn back(call: &Call, schedule: &Schedule) -> Answer {
    match call.field("back") {
        "test" => Answer::see(&address(schedule)),
        "itself" => Answer::see(&format!("/schedules/{}", schedule.id)),
        _ => Answer::see("/schedules"),
    }
}

//! Schedules: which plan is run when, the next times, and the results of the last ones.

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::submission::open_targets;
use super::{against, figure, hidden, moment_of, outcome, page as whole, shared};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::schedule::{Quiet, Times, zone_of};
use crate::store::{DueRun, Hook, Plan, Schedule, Target, key_of_plan};
use crate::submission::agents::words;
use crate::submission::check_duration;

/// How many future and past times are shown.
const AHEAD: usize = 3;
const BACK: i64 = 5;

/// `GET /schedules`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let schedules = call.app.store.schedules()?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        p.crumbs { a href="/plans" { "Plans" } }
        h1.large { "Schedules" }
        @if schedules.is_empty() {
            div.empty { p {
                "There are no schedules yet. A schedule runs the newest revision of a plan at set times."
            } }
        }
        @for schedule in &schedules { (shown(call, schedule, (runner, ""))?) }
        @if runner { (form(call, None, &Form::new(call, "/schedules"))?) }
        @if call.who()?.user.role == Role::Admin {
            p { a href="/hooks" { "Webhooks" } " that receive the results of scheduled runs" }
        }
    };
    Ok(Answer::page(whole(call, "Schedules", &body)))
}

/// The schedules of a plan, for its test.
pub(super) fn of_plan(call: &Call, plan: &Plan, form_of: &Form<'_>) -> Result<Markup, Problem> {
    let mut schedules = call.app.store.schedules()?;
    schedules.retain(|schedule| schedule.plan == plan.id);
    let runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        @if schedules.is_empty() {
            div.empty { p {
                "This test has no schedule. A schedule runs the newest revision of its plan at set times."
            } }
        }
        @for schedule in &schedules { (shown(call, schedule, (runner, "test"))?) }
        @if runner { (form(call, Some(plan), form_of)?) }
    })
}

/// A schedule. The button that removes it leads back to this page.
fn shown(
    call: &Call,
    schedule: &Schedule,
    (runner, back): (bool, &str),
) -> Result<Markup, Problem> {
    let store = &call.app.store;
    let plan =
        store.plan(schedule.plan)?.map_or_else(|| "a deleted plan".to_owned(), |plan| plan.name);
    let target = store.target(schedule.target)?;
    let hook = schedule.hook.map(|id| store.hook(id)).transpose()?.flatten().map(|(hook, _)| hook);
    let came = store.occasions(schedule.id, BACK)?;
    Ok(html! {
        section.schedule {
            @if back.is_empty() { h2 { a href={ "/tests/" (key_of_plan(schedule.plan)) } { (plan) } } }
            @else { h2 { code { (schedule.times) } " (" (schedule.zone) ")" } }
            p {
                @if back.is_empty() { code { (schedule.times) } " (" (schedule.zone) ") " }
                "at "
                (target.map_or_else(|| "a deleted target".to_owned(), |target| target.name))
                @if !schedule.duration.is_empty() { " for " (schedule.duration) }
                @if !schedule.quiet.is_empty() {
                    ", not in the quiet hours " (schedule.quiet)
                    @if schedule.waits { " (it waits for their end)" }
                }
                @if let Some(agents) = schedule.agents { ", by " (words(agents)) }
                @if let Some(hook) = &hook { ", results sent to " (hook.name) }
                ", by " (schedule.by)
            }
            @if schedule.paused { p { strong { "Paused." } " It starts no runs until it is resumed." } }
            @else { (ahead(schedule, call.app.now())) }
            @if !came.is_empty() { (results(call, &came)?) }
            @if runner { (buttons(call, schedule, back)?) }
        }
    })
}

fn buttons(call: &Call, schedule: &Schedule, back: &str) -> Result<Markup, Problem> {
    let who = call.who()?;
    let named = html! {
        (hidden(who))
        input type="hidden" name="id" value=(schedule.id);
        input type="hidden" name="back" value=(back);
    };
    Ok(html! {
        div.acts {
            form method="post" action={ "/plans/" (schedule.plan) "/run" } {
                (hidden(who))
                input type="hidden" name="target" value=(schedule.target);
                input type="hidden" name="duration" value=(schedule.duration);
                @if let Some(agents) = schedule.agents { input type="hidden" name="agents" value=(agents); }
                button { "Run now" }
            }
            form method="post" action="/schedules/pause" {
                (named)
                @if !schedule.paused { input type="hidden" name="paused" value="1"; }
                button { (if schedule.paused { "Resume" } else { "Pause" }) }
            }
            form method="post" action="/schedules/remove" {
                (named)
                button.danger data-confirm="Remove this schedule? Its runs stay." { "Remove" }
            }
        }
    })
}

/// The next times, in the schedule's time zone.
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
        let held = match (ends, schedule.waits) {
            (None, _) => "",
            (Some(_), true) => " (waits for the end of the quiet hours)",
            (Some(_), false) => " (skipped: quiet hours)",
        };
        next.push(format!("{}{held}", local.strftime("%a %Y-%m-%d %H:%M %Z")));
        from = at;
    }
    html! {
        @if next.is_empty() { p.missed { "There is no next time." } }
        @else { p { "Next: " (next.join(", ")) } }
    }
}

/// The results of the last times.
fn results(call: &Call, came: &[DueRun]) -> Result<Markup, Problem> {
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Last times" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "due" } th.name scope="col" { "result" } th scope="col" { "p99 ms" }
                    th.name scope="col" { "against the baseline" } th.name scope="col" { "message" }
                } }
                tbody { @for came in came { (result(call, came)?) } }
            }
        }
    })
}

fn result(call: &Call, came: &DueRun) -> Result<Markup, Problem> {
    let run = came.run.as_deref().map(|id| call.app.store.run(id)).transpose()?.flatten();
    let against = run.as_ref().map(|run| against::stored(call, run)).transpose()?;
    Ok(html! {
        tr {
            th.name scope="row" { (moment_of(came.at)) }
            td.name data-label="result" {
                @match (&run, &came.run) {
                    (Some(run), _) => a href={ "/runs/" (run.id) } { (outcome(&run.summary)) },
                    (None, Some(id)) => a href={ "/live/" (id) } {
                        @if came.outcome.is_empty() { "run" } @else { (came.outcome) }
                    },
                    (None, None) => { span.mark { "not run" } br; span.note { (came.missed) } }
                }
            }
            td data-label="p99 ms" { (figure(run.as_ref().and_then(|run| run.summary.figures.p99_ms))) }
            td.name data-label="against the baseline" { @if let Some(against) = against { (against) } @else { "–" } }
            td.name data-label="message" { @if came.delivery.is_empty() { "–" } @else { (came.delivery) } }
        }
    })
}

/// The form of a new schedule: of this plan, or of one that is chosen.
fn form(call: &Call, of: Option<&Plan>, form: &Form<'_>) -> Result<Markup, Problem> {
    let hooks = call.app.store.hooks()?;
    let (plans, mut targets) = (call.app.store.plans()?, open_targets(call)?);
    // No person is there to confirm a run on production.
    targets.retain(|target| !target.production);
    Ok(html! {
        section id="add" {
            h2 { "New schedule" }
            @if plans.is_empty() || targets.is_empty() {
                p { "A schedule needs a plan, and a target that is not a production target." }
            } @else {
                (fields(call, (of, &plans), (&targets, &hooks), form))
            }
        }
    })
}

fn fields(
    call: &Call,
    (of, plans): (Option<&Plan>, &[Plan]),
    (targets, hooks): (&[Target], &[Hook]),
    form: &Form<'_>,
) -> Markup {
    let plans: Vec<_> = plans.iter().map(|it| (it.id.to_string(), it.name.clone())).collect();
    let targets: Vec<_> = targets.iter().map(|it| (it.id.to_string(), it.name.clone())).collect();
    let none = [(String::new(), "none".to_owned())];
    let hooks = hooks.iter().map(|it| (it.id.to_string(), it.name.clone()));
    let hooks: Vec<_> = none.into_iter().chain(hooks).collect();
    let input = |hint: &'static str, required: bool| Input { hint, required, ..TEXT };
    let times = "Times, as in cron: minute hour day month weekday";
    let fields = html! {
        @if of.is_none() { (form.choice("plan", "Plan", &plans, "")) }
        (form.choice("target", "Target", &targets, ""))
        (form.input("times", times, input("30 2 * * 1-5", true)))
        (form.input("zone", "Time zone", input("UTC, or for example Europe/Berlin", false)))
        (form.input("quiet", "Quiet hours, in which no run starts", input("08:00-18:00", false)))
        (form.tick("waits", "Wait for the end of the quiet hours; otherwise such times are skipped", false))
        (form.input("duration", "Duration; if empty, that of the plan", input("", false)))
        (shared::form(call, form))
        @if hooks.len() > 1 {
            (form.choice("hook", "Webhook that receives the result of each run", &hooks, ""))
        }
        div { button.main { "Add it" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

/// `POST /schedules`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let plan = call.app.store.plan(call.field("plan").parse().unwrap_or_default())?;
    add_to(call, &plan.ok_or_else(|| Problem::missing("plan").at("plan"))?)?;
    Ok(Answer::see("/schedules"))
}

/// Adds a schedule of a plan.
pub(super) fn add_to(call: &Call, plan: &Plan) -> Result<(), Problem> {
    let (app, who) = (&call.app, call.who()?);
    let text = |name: &str| call.field(name).trim().chars().take(200).collect::<String>();
    let number = |name: &str| call.field(name).parse().unwrap_or_default();
    let missing = |what: &'static str| Problem::missing(what).at(what);
    let target = app.store.target(number("target"))?.ok_or_else(|| missing("target"))?;
    if target.production {
        let detail =
            "A schedule cannot use a production target, because a person has to confirm each run.";
        return Err(Problem::unusable(detail).at("target"));
    }
    let hook = match call.field("hook") {
        "" => None,
        id => Some(
            app.store
                .hook(id.parse().unwrap_or_default())?
                .ok_or_else(|| Problem::missing("webhook").at("hook"))?,
        ),
    };
    let zone = text("zone");
    let schedule = Schedule {
        id: 0,
        plan: plan.id,
        target: target.id,
        times: text("times"),
        zone: if zone.is_empty() { "UTC".to_owned() } else { zone },
        quiet: text("quiet"),
        duration: text("duration"),
        waits: call.field("waits") == "1",
        by: who.user.name.clone(),
        seen: app.now(),
        hook: hook.map(|(hook, _)| hook.id),
        agents: shared::scheduled(call)?,
        paused: false,
    };
    let at = |field| move |why: String| Problem::unusable(format!("{why}.")).at(field);
    zone_of(&schedule.zone).map_err(at("zone"))?;
    let times = Times::read(&schedule.times, &schedule.zone).map_err(at("times"))?;
    Quiet::read(&schedule.quiet).map_err(at("quiet"))?;
    let never = || at("times")("These times do not occur within eight years".to_owned());
    times.next(app.now()).ok_or_else(never)?;
    check_duration(app, plan, &target, &schedule.duration)?;
    app.store.add_schedule(&schedule)?;
    app.audit(who, "add schedule", &format!("{} at {}: {}", plan.name, target.name, schedule.times))
}

/// `POST /schedules/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let schedule = named(call)?;
    call.app.store.remove_schedule(schedule.id)?;
    call.app.audit(call.who()?, "remove schedule", &schedule.id.to_string())?;
    Ok(back(call, &schedule))
}

/// `POST /schedules/pause`: lets a schedule start no runs for now, or start them again.
pub(crate) fn pause(call: &Call) -> Result<Answer, Problem> {
    let (schedule, paused) = (named(call)?, call.field("paused") == "1");
    call.app.store.pause_schedule(schedule.id, paused)?;
    let act = if paused { "pause schedule" } else { "resume schedule" };
    call.app.audit(call.who()?, act, &schedule.id.to_string())?;
    Ok(back(call, &schedule))
}

/// The schedule that a form names.
fn named(call: &Call) -> Result<Schedule, Problem> {
    let id: i64 = call.field("id").parse().unwrap_or_default();
    let found = call.app.store.schedules()?.into_iter().find(|schedule| schedule.id == id);
    found.ok_or_else(|| Problem::missing("schedule"))
}

/// The page from which a form was sent.
fn back(call: &Call, schedule: &Schedule) -> Answer {
    if call.field("back") == "test" {
        return Answer::see(&format!("/tests/{}/schedule", key_of_plan(schedule.plan)));
    }
    Answer::see("/schedules")
}

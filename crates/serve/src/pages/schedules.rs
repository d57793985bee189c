//! Schedules: which plan is run when, the next times, and the results of the last ones.

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::submission::open_targets;
use super::{hidden, moment_of, page as whole, shared};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::schedule::{Quiet, Times, zone_of};
use crate::store::{DueRun, Hook, Plan, Schedule, Target};
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
        @for schedule in &schedules { (shown(call, schedule, runner)?) }
        @if runner { (form(call)?) }
        @if call.who()?.user.role == Role::Admin {
            p { a href="/hooks" { "Webhooks" } " that receive the results of scheduled runs" }
        }
    };
    Ok(Answer::page(whole(call, "Schedules", &body)))
}

fn shown(call: &Call, schedule: &Schedule, runner: bool) -> Result<Markup, Problem> {
    let store = &call.app.store;
    let plan =
        store.plan(schedule.plan)?.map_or_else(|| "a deleted plan".to_owned(), |plan| plan.name);
    let target = store.target(schedule.target)?;
    let hook = schedule.hook.map(|id| store.hook(id)).transpose()?.flatten().map(|(hook, _)| hook);
    let came = store.occasions(schedule.id, BACK)?;
    Ok(html! {
        section.schedule {
            h2 { a href={ "/plans/" (schedule.plan) } { (plan) } }
            p {
                code { (schedule.times) } " (" (schedule.zone) ") at "
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
            (ahead(schedule, call.app.now()))
            @if !came.is_empty() { ul.plain { @for came in &came { li { (became(came)) } } } }
            @if runner {
                form method="post" action="/schedules/remove" {
                    (hidden(call.who()?))
                    input type="hidden" name="id" value=(schedule.id);
                    button.danger data-confirm="Remove this schedule? Its runs stay." { "Remove" }
                }
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

fn became(came: &DueRun) -> Markup {
    html! {
        (moment_of(came.at)) " (UTC): "
        @if let Some(run) = &came.run {
            a href={ "/live/" (run) } { "run" }
            @if !came.outcome.is_empty() { ", " (came.outcome) }
        }
        @else { span.missed { "missed, " (came.missed) } }
        @if !came.delivery.is_empty() { " (" (came.delivery) ")" }
    }
}

fn form(call: &Call) -> Result<Markup, Problem> {
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
                (fields(call, &plans, &targets, &hooks))
            }
        }
    })
}

fn fields(call: &Call, plans: &[Plan], targets: &[Target], hooks: &[Hook]) -> Markup {
    let form = Form::new(call, "/schedules");
    let plans: Vec<_> = plans.iter().map(|it| (it.id.to_string(), it.name.clone())).collect();
    let targets: Vec<_> = targets.iter().map(|it| (it.id.to_string(), it.name.clone())).collect();
    let none = [(String::new(), "none".to_owned())];
    let hooks = hooks.iter().map(|it| (it.id.to_string(), it.name.clone()));
    let hooks: Vec<_> = none.into_iter().chain(hooks).collect();
    let input = |hint: &'static str, required: bool| Input { hint, required, ..TEXT };
    let times = "Times, as in cron: minute hour day month weekday";
    let fields = html! {
        (form.choice("plan", "Plan", &plans, ""))
        (form.choice("target", "Target", &targets, ""))
        (form.input("times", times, input("30 2 * * 1-5", true)))
        (form.input("zone", "Time zone", input("UTC, or for example Europe/Berlin", false)))
        (form.input("quiet", "Quiet hours, in which no run starts", input("08:00-18:00", false)))
        (form.tick("waits", "Wait for the end of the quiet hours; otherwise such times are skipped", false))
        (form.input("duration", "Duration; if empty, that of the plan", input("", false)))
        (shared::form(call, &form))
        @if hooks.len() > 1 {
            (form.choice("hook", "Webhook that receives the result of each run", &hooks, ""))
        }
        div { button.main { "Add it" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

/// `POST /schedules`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let text = |name: &str| call.field(name).trim().chars().take(200).collect::<String>();
    let number = |name: &str| call.field(name).parse().unwrap_or_default();
    let missing = |what: &'static str| Problem::missing(what).at(what);
    let plan = app.store.plan(number("plan"))?.ok_or_else(|| missing("plan"))?;
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
    };
    let at = |field| move |why: String| Problem::unusable(format!("{why}.")).at(field);
    zone_of(&schedule.zone).map_err(at("zone"))?;
    let times = Times::read(&schedule.times, &schedule.zone).map_err(at("times"))?;
    Quiet::read(&schedule.quiet).map_err(at("quiet"))?;
    let never = || at("times")("These times do not occur within eight years".to_owned());
    times.next(app.now()).ok_or_else(never)?;
    check_duration(app, &plan, &target, &schedule.duration)?;
    app.store.add_schedule(&schedule)?;
    app.audit(
        who,
        "add schedule",
        &format!("{} at {}: {}", plan.name, target.name, schedule.times),
    )?;
    Ok(Answer::see("/schedules"))
}

/// `POST /schedules/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    if !call.app.store.remove_schedule(id)? {
        return Err(Problem::missing("schedule"));
    }
    call.app.audit(call.who()?, "remove schedule", &id.to_string())?;
    Ok(Answer::see("/schedules"))
}

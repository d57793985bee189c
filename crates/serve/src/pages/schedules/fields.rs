//! The form of a schedule: a new one, or one that is changed.

use maud::{Markup, html};

use crate::call::Call;
use crate::changes::schedules::{Draft, TEXT_MAX};
use crate::pages::agents_field;
use crate::pages::form::{Filled, Form, Input, Script, TEXT};
use crate::pages::submission::open_targets;
use crate::problem::{Problem, sentence};
use crate::schedule::{Preset, Times, Typed, likely, weekdays, words};
use crate::store::{Plan, Schedule};

/// What a form is about.
pub(super) enum Of<'a> {
    /// A new schedule of a plan that is chosen.
    AnyPlan,
    /// A new schedule of this plan.
    Plan(&'a Plan),
    /// A schedule that is changed.
    Schedule(&'a Schedule),
}

/// The form, without its heading.
pub(super) fn form(call: &Call, of: &Of<'_>, form: &Form<'_>) -> Result<Markup, Problem> {
    let (plans, mut targets) = (call.app.store.plans()?, open_targets(call)?);
    // No person is there to confirm a run on production.
    targets.retain(|target| !target.production);
    if plans.is_empty() || targets.is_empty() {
        return Ok(
            html! { p { "A schedule needs a plan, and a target that is not a production target." } },
        );
    }
    let pairs = |id: i64, name: &str| (id.to_string(), name.to_owned());
    let plans: Vec<_> = plans.iter().map(|it| pairs(it.id, &it.name)).collect();
    let targets: Vec<_> = targets.iter().map(|it| pairs(it.id, &it.name)).collect();
    let hooks = call.app.store.hooks()?;
    let none = [(String::new(), "none".to_owned())];
    let hooks: Vec<_> =
        none.into_iter().chain(hooks.iter().map(|it| pairs(it.id, &it.name))).collect();
    let stored = match of {
        Of::Schedule(schedule) => (*schedule).clone(),
        Of::AnyPlan | Of::Plan(_) => Schedule::default(),
    };
    let is_new = !matches!(of, Of::Schedule(_));
    let target = match of {
        Of::AnyPlan => None,
        Of::Plan(plan) => call.app.store.last_target(plan.id)?,
        Of::Schedule(schedule) => Some(schedule.target),
    };
    let target = target.map_or_else(String::new, |target| target.to_string());
    let hook = stored.hook.map_or_else(String::new, |hook| hook.to_string());
    let input = |value, hint: &'static str| Input { value, hint, most: Some(TEXT_MAX), ..TEXT };
    let fields = html! {
        @if matches!(of, Of::AnyPlan) { (form.choice("plan", "Plan", &plans, "")) }
        (form.choice("target", "Target", &targets, &target))
        (times(call, form, &stored, is_new))
        (form.input("duration", "Duration; if empty, that of the plan", input(&stored.duration, "10min")))
        (form.input("quiet", "Quiet hours, in which no run starts", input(&stored.quiet, "08:00-18:00")))
        (form.tick("waits", "Wait for the end of the quiet hours; otherwise such times are skipped", stored.waits))
        (agents_field::form(call, form, stored.agents))
        @if hooks.len() > 1 {
            (form.choice("hook", "Webhook that receives the result of each run", &hooks, &hook))
        }
        div { button.main { (if is_new { "Add" } else { "Save" }) } }
    };
    Ok(form.whole("stack", Script::Nothing, &fields))
}

/// The fields for the times: a preset, and what it needs.
fn times(call: &Call, form: &Form<'_>, stored: &Schedule, is_new: bool) -> Markup {
    let typed = if is_new { Typed::default() } else { Typed::read(&stored.times) };
    // A form without a preset, as a script may send it, has a cron line.
    let preset =
        if form.is_refused() { Preset::from_key(call.field("when")) } else { typed.preset };
    let presets = Preset::ALL.map(|preset| (preset.key(), preset.words()));
    let zone = if is_new { "" } else { stored.zone.as_str() };
    let filled = if is_new { Filled::FromZone } else { Filled::ByHand };
    html! {
        div.when {
            (form.segments("when", "When", &presets, preset.key()))
            div.fields {
                div.of-at {
                    (form.input("at", "At", Input { kind: "time", value: &typed.at, ..TEXT }))
                }
                div.of-day { (form.choice("day", "Weekday", &weekdays(), &typed.day)) }
                div.of-minute { (form.input("minute", "Minutes past the hour", Input {
                    kind: "number", value: &typed.minute, range: Some((0, 59)), ..TEXT
                })) }
                div.of-own {
                    (form.input("times", "Own times: minute, hour, day, month, weekday", Input {
                        value: &typed.own, hint: "30 2 * * 1-5", most: Some(TEXT_MAX), is_word: true, ..TEXT
                    }))
                    @if form.is_refused() && preset == Preset::Own { (proposal(call)) }
                }
                (form.input("zone", "Time zone; if empty, UTC", Input {
                    value: zone, hint: "Europe/Berlin", most: Some(TEXT_MAX), is_word: true, filled, ..TEXT
                }))
            }
        }
    }
}

/// What was most likely meant by own times that are not understood.
fn proposal(call: &Call) -> Markup {
    let line = proposed(call);
    html! {
        @if let Some(line) = line {
            p.small {
                "Likely meant: " code { (line) }
                @if let Some(words) = words(&line) { ", " (words.to_lowercase()) }
                ". "
                button name="use" value=(line) { "Use it" }
            }
        }
    }
}

/// The proposal for what stands in the form, if it is not understood.
fn proposed(call: &Call) -> Option<String> {
    let text = call.field("times");
    if Times::read(text, "UTC").is_ok() { None } else { likely(text) }
}

/// The schedule that a form describes.
pub(super) fn read(call: &Call) -> Result<Draft, Problem> {
    let store = &call.app.store;
    let text = |name: &str| call.field(name).trim().chars().take(TEXT_MAX).collect::<String>();
    let number = |name: &str| call.field(name).parse().unwrap_or_default();
    let missing = |what: &'static str, field| Problem::missing(what).at(field);
    let target = store.target(number("target"))?.ok_or_else(|| missing("target", "target"))?;
    let hook = match call.field("hook") {
        "" => None,
        _ => Some(store.hook(number("hook"))?.ok_or_else(|| missing("webhook", "hook"))?),
    };
    Ok(Draft {
        target,
        times: line(call)?,
        zone: text("zone"),
        quiet: text("quiet"),
        duration: text("duration"),
        waits: call.field("waits") == "1",
        hook: hook.map(|(hook, _)| hook.id),
        agents: agents_field::named(call)?,
    })
}

/// The cron line of a form, or the one that was proposed for what stands in it and accepted.
fn line(call: &Call) -> Result<String, Problem> {
    let text = |name: &str| call.field(name).trim().chars().take(TEXT_MAX).collect::<String>();
    let accepted = proposed(call).filter(|line| call.field("use") == line);
    let typed = Typed {
        preset: Preset::from_key(call.field("when")),
        at: text("at"),
        day: text("day"),
        minute: text("minute"),
        own: accepted.unwrap_or_else(|| text("times")),
    };
    typed.line().map_err(|(field, why)| Problem::unusable(sentence(&why)).at(field))
}

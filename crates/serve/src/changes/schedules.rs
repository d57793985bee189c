//! Schedules that are added, changed, paused and removed.

use crate::app::App;
use crate::auth::Requester;
use crate::problem::{Problem, sentence};
use crate::schedule::{Quiet, Times, TimesError, zone_of};
use crate::store::{Plan, Schedule, Target};
use crate::submission::agents::permitted;
use crate::submission::check_duration;

/// The most characters of a text of a schedule.
pub(crate) const TEXT_MAX: usize = 200;

/// A schedule as a user describes it.
pub(crate) struct Draft {
    pub(crate) target: Target,
    /// A cron line.
    pub(crate) times: String,
    /// The time zone of the cron line; UTC if it is empty.
    pub(crate) zone: String,
    pub(crate) quiet: String,
    /// How long a run lasts; empty for the plan's duration.
    pub(crate) duration: String,
    pub(crate) waits: bool,
    pub(crate) hook: Option<i64>,
    pub(crate) agents: Option<u32>,
}

/// Adds a schedule of a plan, and returns its id.
pub(crate) fn add(app: &App, who: &Requester, plan: &Plan, draft: &Draft) -> Result<i64, Problem> {
    let schedule = checked(app, who, plan, draft)?;
    let id = app.store.add_schedule(&schedule)?;
    noted(app, who, "add schedule", (plan, draft, &schedule))?;
    Ok(id)
}

/// Replaces everything about a schedule but its plan, and whether it is paused. It has the permissions of who changed
/// it last.
pub(crate) fn change(
    app: &App,
    who: &Requester,
    before: &Schedule,
    draft: &Draft,
) -> Result<(), Problem> {
    let plan = app.store.plan(before.plan)?.ok_or_else(|| Problem::missing("plan"))?;
    let schedule = checked(app, who, &plan, draft)?;
    let schedule = Schedule { id: before.id, paused: before.paused, ..schedule };
    if !app.store.change_schedule(&schedule)? {
        return Err(Problem::missing("schedule"));
    }
    noted(app, who, "change schedule", (&plan, draft, &schedule))
}

/// Lets a schedule start no runs for now, or start them again.
pub(crate) fn pause(app: &App, who: &Requester, id: i64, paused: bool) -> Result<(), Problem> {
    if !app.store.pause_schedule(id, paused)? {
        return Err(Problem::missing("schedule"));
    }
    let act = if paused { "pause schedule" } else { "resume schedule" };
    app.audit(who, act, &id.to_string())
}

/// Removes a schedule. Its runs stay.
pub(crate) fn remove(app: &App, who: &Requester, id: i64) -> Result<(), Problem> {
    if !app.store.remove_schedule(id)? {
        return Err(Problem::missing("schedule"));
    }
    app.audit(who, "remove schedule", &id.to_string())
}

fn noted(
    app: &App,
    who: &Requester,
    act: &str,
    (plan, draft, schedule): (&Plan, &Draft, &Schedule),
) -> Result<(), Problem> {
    let Schedule { times, zone, .. } = schedule;
    app.audit(who, act, &format!("{} at {}: {times} ({zone})", plan.name, draft.target.name))
}

/// The schedule that is described, if it can start runs.
fn checked(app: &App, who: &Requester, plan: &Plan, draft: &Draft) -> Result<Schedule, Problem> {
    let Draft { target, times, zone, quiet, duration, .. } = draft;
    if target.production {
        let why =
            "A schedule cannot use a production target, because a person has to confirm each run.";
        let wanted = "the name of a target that is not a production target";
        return Err(Problem::field("target", &target.name, wanted, why));
    }
    draft.agents.map(|agents| permitted(app, agents)).transpose()?;
    let zone = if zone.is_empty() { "UTC" } else { zone };
    zone_of(zone).map_err(wrong("zone", zone, "a time zone such as Europe/Berlin"))?;
    let line = "minute, hour, day, month and weekday, such as 30 2 * * 1-5";
    let read = Times::read(times, zone).map_err(wrong("times", times, line))?;
    Quiet::read(quiet).map_err(wrong("quiet", quiet, "hours such as 08:00-18:00"))?;
    read.next(app.now()).ok_or(TimesError::Never).map_err(wrong("times", times, line))?;
    check_duration(app, plan, target, duration)?;
    Ok(Schedule {
        id: 0,
        plan: plan.id,
        target: target.id,
        times: times.clone(),
        zone: zone.to_owned(),
        quiet: quiet.clone(),
        duration: duration.clone(),
        waits: draft.waits,
        by: who.user.name.clone(),
        seen: app.now(),
        hook: draft.hook,
        agents: draft.agents,
        paused: false,
    })
}

/// The problem of a value, whose reason is known.
fn wrong<'a>(
    field: &'static str,
    given: &'a str,
    wanted: &'static str,
) -> impl Fn(TimesError) -> Problem + 'a {
    move |why| Problem::field(field, given, wanted, sentence(&why.to_string()))
}

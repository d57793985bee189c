//! Schedules, as programs list, add, change, pause, start and remove them.

use brunt_history::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::runs::{Submitted, unknown};
use crate::agents::AGENTS_MAX;
use crate::call::{Answer, Call};
use crate::changes::schedules::{self as changes, Draft, TEXT_MAX};
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::schedule::{begin_now, next_time};
use crate::store::{DueRun, Plan, Schedule};

/// How many past times are listed.
const BACK: i64 = 5;

/// A schedule that is added, or replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleRequest {
    /// The name of the plan, whose newest revision is run.
    plan: String,
    /// The name of the target, which is not a production target.
    target: String,
    /// The times, as in cron: minute, hour, day, month and weekday.
    #[schemars(length(min = 1, max = TEXT_MAX))]
    times: String,
    /// The time zone of the times; UTC without it.
    #[serde(default)]
    #[schemars(length(max = TEXT_MAX))]
    zone: String,
    /// The hours in which no run starts, such as `08:00-18:00`.
    #[serde(default)]
    #[schemars(length(max = TEXT_MAX))]
    quiet: String,
    /// Whether a time in the quiet hours waits for their end; otherwise it is skipped.
    #[serde(default)]
    waits: bool,
    /// The duration of a run, in place of the plan's, such as `10min`.
    #[serde(default)]
    #[schemars(length(max = TEXT_MAX))]
    duration: String,
    /// The name of the webhook that receives the result of each run.
    #[serde(default)]
    hook: Option<String>,
    /// How many agents of the site's cluster share a run; without it this machine makes the load.
    #[serde(default)]
    #[schemars(range(min = 1, max = AGENTS_MAX))]
    agents: Option<u32>,
}

/// Schedules.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Schedules {
    schedules: Vec<ScheduleReply>,
}

/// A schedule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Schedule")]
pub(crate) struct ScheduleReply {
    id: i64,
    /// The id of its plan.
    plan: i64,
    /// The name of its plan.
    plan_name: String,
    /// The id of its target.
    target: i64,
    /// The name of its target; null if that was removed.
    target_name: Option<String>,
    /// The times, as in cron.
    times: String,
    /// The time zone of the times.
    zone: String,
    /// The hours in which no run starts; empty if there are none.
    quiet: String,
    /// Whether a time in the quiet hours waits for their end.
    waits: bool,
    /// The duration of a run; empty for that of the plan.
    duration: String,
    /// The name of the webhook that receives the results; null if none does.
    hook: Option<String>,
    /// How many agents share a run; null for this machine.
    agents: Option<u32>,
    /// Whether it starts no runs for now.
    paused: bool,
    /// Who made it.
    by: String,
    /// The next time, in RFC 3339.
    next: Option<String>,
    /// The last times, the newest first.
    #[serde(rename = "came")]
    recent: Vec<ScheduledRun>,
}

/// A time of a schedule that came.
#[derive(Serialize, JsonSchema)]
struct ScheduledRun {
    /// The time, in RFC 3339.
    at: String,
    /// The id of the run that started.
    run: Option<String>,
    /// Why none did; empty otherwise.
    missed: String,
    /// The outcome of the run; empty until it is known.
    outcome: String,
    /// Whether a webhook received the result, in words.
    #[serde(rename = "told")]
    delivery: String,
}

/// `GET /api/v1/schedules`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let schedules = call.app.store.schedules()?.into_iter().map(|one| reply(call, one));
    Answer::json(&Schedules { schedules: schedules.collect::<Result<_, _>>()? })
}

/// `GET /api/v1/schedules/{schedule}`.
pub(crate) fn read(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&reply(call, at_path(call)?)?)
}

/// `POST /api/v1/schedules`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (plan, draft) = described(call, body::read(call)?)?;
    let id = changes::add(&call.app, call.who()?, &plan, &draft)?;
    Answer::made(&reply(call, stored(call, id)?)?, &format!("/api/v1/schedules/{id}"))
}

/// `PUT /api/v1/schedules/{schedule}`.
pub(crate) fn replace(call: &Call) -> Result<Answer, Problem> {
    let before = at_path(call)?;
    let (plan, draft) = described(call, body::read(call)?)?;
    if plan.id != before.plan {
        let wanted = "the name of the plan that the schedule has";
        let why = "The plan of a schedule cannot be changed. Add a schedule of the other plan.";
        return Err(Problem::field("plan", &plan.name, wanted, why));
    }
    changes::change(&call.app, call.who()?, &before, &draft)?;
    read(call)
}

/// `POST /api/v1/schedules/{schedule}/pause`.
pub(crate) fn pause(call: &Call) -> Result<Answer, Problem> {
    changes::pause(&call.app, call.who()?, id(call), true)?;
    read(call)
}

/// `POST /api/v1/schedules/{schedule}/resume`.
pub(crate) fn resume(call: &Call) -> Result<Answer, Problem> {
    changes::pause(&call.app, call.who()?, id(call), false)?;
    read(call)
}

/// `POST /api/v1/schedules/{schedule}/run`.
pub(crate) fn run(call: &Call) -> Result<Answer, Problem> {
    let run = begin_now(&call.app, &at_path(call)?, &call.who()?.named())?;
    Answer::json(&Submitted::new(run.parse::<RunId>().map_err(Problem::bug)?))
}

/// `DELETE /api/v1/schedules/{schedule}`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::remove(&call.app, call.who()?, id(call))?;
    Ok(Answer::empty())
}

fn id(call: &Call) -> i64 {
    call.segment("schedule").parse().unwrap_or_default()
}

fn at_path(call: &Call) -> Result<Schedule, Problem> {
    stored(call, id(call))
}

fn stored(call: &Call, id: i64) -> Result<Schedule, Problem> {
    call.app.store.schedule(id)?.ok_or_else(|| Problem::missing("schedule"))
}

/// The plan and the schedule that a body describes.
fn described(call: &Call, requested: ScheduleRequest) -> Result<(Plan, Draft), Problem> {
    let store = &call.app.store;
    let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
    let plan = store.plans()?.into_iter().find(|plan| is(&plan.name, &requested.plan));
    let plan = plan.ok_or_else(|| unknown("plan", &requested.plan))?;
    let target = store.targets()?.into_iter().find(|target| is(&target.name, &requested.target));
    let target = target.ok_or_else(|| unknown("target", &requested.target))?;
    let hook = match &requested.hook {
        None => None,
        Some(name) => {
            let hook = store.hooks()?.into_iter().find(|hook| is(&hook.name, name));
            Some(hook.ok_or_else(|| unknown("hook", name))?.id)
        }
    };
    let ScheduleRequest { times, zone, quiet, duration, waits, agents, .. } = requested;
    Ok((plan, Draft { target, times, zone, quiet, duration, waits, hook, agents }))
}

fn reply(call: &Call, schedule: Schedule) -> Result<ScheduleReply, Problem> {
    let store = &call.app.store;
    let next = next_time(&schedule, call.app.now());
    let recent = store.occasions(schedule.id, BACK)?.into_iter().map(scheduled_run);
    let plan = store.plan(schedule.plan)?.ok_or_else(|| Problem::missing("plan"))?;
    let hook = schedule.hook.map(|id| store.hook(id)).transpose()?.flatten();
    Ok(ScheduleReply {
        id: schedule.id,
        plan: schedule.plan,
        plan_name: plan.name,
        target: schedule.target,
        target_name: store.target(schedule.target)?.map(|target| target.name),
        times: schedule.times,
        zone: schedule.zone,
        quiet: schedule.quiet,
        waits: schedule.waits,
        duration: schedule.duration,
        hook: hook.map(|(hook, _)| hook.name),
        agents: schedule.agents,
        paused: schedule.paused,
        by: schedule.by,
        next: next.map(rfc3339),
        recent: recent.collect(),
    })
}

fn scheduled_run(run: DueRun) -> ScheduledRun {
    let DueRun { at, run, missed, outcome, delivery, .. } = run;
    ScheduledRun { at: rfc3339(at), run, missed, outcome, delivery }
}

//! Schedules, for programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::call::{Answer, Call};
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::schedule::Times;
use crate::store::{DueRun, Schedule};

/// How many past times are listed.
const BACK: i64 = 5;

/// Schedules.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Schedules {
    schedules: Vec<ScheduleReply>,
}

/// A schedule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Schedule")]
struct ScheduleReply {
    id: i64,
    /// The id of its plan.
    plan: i64,
    /// The id of its target.
    target: i64,
    /// The times, as in cron.
    times: String,
    /// The time zone of the times.
    zone: String,
    /// The hours in which no run starts; empty if there are none.
    quiet: String,
    /// Whether a time in the quiet hours waits for their end.
    waits: bool,
    /// How many agents share a run; null for this machine.
    agents: Option<u32>,
    /// Whether it starts no runs for now.
    paused: bool,
    /// Who made it.
    by: String,
    /// The next time, in RFC 3339.
    next: Option<String>,
    /// The last times, the newest first.
    came: Vec<Came>,
}

/// A time of a schedule that came.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ScheduledRun")]
struct Came {
    /// The time, in RFC 3339.
    at: String,
    /// The id of the run that started.
    run: Option<String>,
    /// Why none did; empty otherwise.
    missed: String,
    /// The outcome of the run; empty until it is known.
    outcome: String,
    /// Whether a webhook received the result, in words.
    told: String,
}

/// `GET /api/v1/schedules`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let schedules = call.app.store.schedules()?.into_iter().map(|one| reply(call, one));
    Answer::json(&Schedules { schedules: schedules.collect::<Result<_, _>>()? })
}

fn reply(call: &Call, schedule: Schedule) -> Result<ScheduleReply, Problem> {
    let times = Times::read(&schedule.times, &schedule.zone).ok().filter(|_| !schedule.paused);
    let next = times.and_then(|times| times.next(call.app.now()));
    let came = call.app.store.occasions(schedule.id, BACK)?.into_iter().map(came);
    Ok(ScheduleReply {
        id: schedule.id,
        plan: schedule.plan,
        target: schedule.target,
        times: schedule.times,
        zone: schedule.zone,
        quiet: schedule.quiet,
        waits: schedule.waits,
        agents: schedule.agents,
        paused: schedule.paused,
        by: schedule.by,
        next: next.map(rfc3339),
        came: came.collect(),
    })
}

fn came(came: DueRun) -> Came {
    let DueRun { at, run, missed, outcome, delivery, .. } = came;
    Came { at: rfc3339(at), run, missed, outcome, told: delivery }
}

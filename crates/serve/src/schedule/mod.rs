//! Schedules: which runs are due, and their results.
//!
//! What is due depends only on the cron line and the time, so [`due`] is tested without a site. A time that was missed
//! is not made up for later. It is listed with the reason.

mod cron;
mod preset;
mod results;

use std::sync::Arc;
use std::time::Duration;

pub(crate) use cron::{Quiet, Times, TimesError, zone_of};
pub(crate) use preset::{Preset, Typed, likely, weekdays, words};
pub(crate) use results::report;

use crate::app::App;
use crate::auth::Role;
use crate::problem::Problem;
use crate::store::Schedule;
use crate::submission::{Submission, submit_for};

/// How late a run may begin that was due while the site was busy or was restarting, in seconds.
const LATE_MAX: i64 = 600;
/// The most times that are examined at once: a site that was down for a year has missed many.
const LOOKED_MAX: usize = 50;
/// How often the schedules are checked.
const EVERY: Duration = Duration::from_secs(5);

/// A time of a schedule that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DueTime {
    /// The time, according to the cron line.
    pub(crate) at: i64,
    /// Why no run begins; empty if it must begin now.
    pub(crate) missed: String,
}

/// The times of a schedule that have come, and the time up to which this is complete.
pub(crate) fn due(schedule: &Schedule, now: i64) -> Result<(Vec<DueTime>, i64), TimesError> {
    let times = Times::read(&schedule.times, &schedule.zone)?;
    let quiet = Quiet::read(&schedule.quiet)?;
    let (mut all, mut seen) = (Vec::new(), schedule.seen);
    while let Some(at) = times.next(seen).filter(|at| *at <= now) {
        if all.len() == LOOKED_MAX {
            // Earlier times are not listed one by one.
            let missed = "the site was not running; later times were missed too".to_owned();
            all.truncate(LOOKED_MAX - 1);
            all.push(DueTime { at, missed });
            seen = now;
            break;
        }
        let end = times.local(at).and_then(|local| quiet?.end(&local));
        let begins = match end {
            Some(end) if schedule.waits => end,
            Some(_) => {
                all.push(DueTime { at, missed: "the time is in the quiet hours".to_owned() });
                seen = at;
                continue;
            }
            None => at,
        };
        if begins > now {
            // It waits for the end of the quiet hours; later times wait with it.
            break;
        }
        let missed = if now - begins > LATE_MAX { "the site was not running" } else { "" };
        all.push(DueTime { at, missed: missed.to_owned() });
        seen = at;
    }
    // Of several that could begin now, only the last does.
    let last = all.iter().rposition(|one| one.missed.is_empty());
    for (number, one) in all.iter_mut().enumerate() {
        if one.missed.is_empty() && Some(number) != last {
            "the next run was due before it could start".clone_into(&mut one.missed);
        }
    }
    Ok((all, seen))
}

/// The next time at which a schedule starts a run.
pub(crate) fn next_time(schedule: &Schedule, now: i64) -> Option<i64> {
    if schedule.paused {
        return None;
    }
    let times = Times::read(&schedule.times, &schedule.zone).ok()?;
    let quiet = Quiet::read(&schedule.quiet).ok()?;
    let mut at = now;
    for _ in 0..LOOKED_MAX {
        at = times.next(at)?;
        match times.local(at).and_then(|local| quiet?.end(&local)) {
            None => return Some(at),
            Some(end) if schedule.waits => return Some(end),
            Some(_) => {}
        }
    }
    None
}

/// Checks all schedules: starts the runs that are due, and lists missed times.
pub(crate) fn start_due(app: &App) -> Result<(), Problem> {
    let now = app.now();
    for schedule in app.store.schedules()? {
        if schedule.paused {
            // Times that pass meanwhile are missed when it continues.
            app.store.schedule_seen(schedule.id, now)?;
            continue;
        }
        let Ok((occasions, seen)) = due(&schedule, now) else { continue };
        if seen == schedule.seen {
            continue;
        }
        // Stored before anything begins: a time starts one run at most, whatever happens afterwards.
        app.store.schedule_seen(schedule.id, seen)?;
        for occasion in occasions {
            let (run, missed) = if occasion.missed.is_empty() {
                match begin_due(app, &schedule) {
                    Ok(run) => (Some(run), String::new()),
                    Err(problem) => (None, problem.detail),
                }
            } else {
                (None, occasion.missed)
            };
            app.store.add_occasion(schedule.id, occasion.at, run.as_deref(), &missed)?;
        }
    }
    Ok(())
}

fn begin_due(app: &App, schedule: &Schedule) -> Result<String, Problem> {
    // A schedule has no more permissions than the user who created it or changed it last.
    let author = app.store.user_named(&schedule.by)?;
    let author = author.filter(|author| !author.disabled && author.role >= Role::Runner);
    let Some(author) = author else {
        return Err(Problem::unusable(format!("{} may no longer run plans.", schedule.by)));
    };
    if app.store.seen_by(author.visibility()).plan(schedule.plan)?.is_none() {
        let why = format!("{} no longer sees the project of this plan.", schedule.by);
        return Err(Problem::unusable(why));
    }
    begin(app, schedule, &format!("{} (scheduled)", schedule.by))
}

/// Starts a run of a schedule now, whatever its times are, at the request of a user. The run is one of the
/// schedule: it is listed there, and its result is sent where those of the others are.
pub(crate) fn begin_now(app: &App, schedule: &Schedule, by: &str) -> Result<String, Problem> {
    let run = begin(app, schedule, by)?;
    app.store.add_occasion(schedule.id, app.now(), Some(&run), "")?;
    Ok(run)
}

fn begin(app: &App, schedule: &Schedule, by: &str) -> Result<String, Problem> {
    let plan = app.store.plan(schedule.plan)?.ok_or_else(|| Problem::missing("plan"))?;
    if app.store.target(schedule.target)?.is_some_and(|target| target.production) {
        return Err(Problem::unusable(
            "Its target is a production target, where a person has to confirm each run.",
        ));
    }
    let submission = Submission {
        target: schedule.target,
        duration: &schedule.duration,
        tags: "scheduled",
        commit: "",
        by,
        search: None,
        agents: schedule.agents,
    };
    let id = submit_for(app, &plan, &plan.text, &submission)?;
    Ok(id.to_string())
}

/// Checks the schedules forever. Results are reported concurrently: a webhook that does not answer delays no run.
pub(crate) async fn run(app: Arc<App>) {
    tokio::join!(repeat(&app, start_due), repeat(&app, report));
}

async fn repeat(app: &Arc<App>, act: fn(&App) -> Result<(), Problem>) {
    let mut due = tokio::time::interval(EVERY);
    loop {
        due.tick().await;
        let acting = Arc::clone(app);
        let done = tokio::task::spawn_blocking(move || act(&acting)).await;
        if let Ok(Err(problem)) = done {
            (app.log)(&format!("failed to check the schedules: {problem}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn schedule(quiet: &str, waits: bool, seen: i64) -> Schedule {
        Schedule {
            times: "0 * * * *".to_owned(),
            zone: "UTC".to_owned(),
            quiet: quiet.to_owned(),
            waits,
            seen,
            ..Schedule::default()
        }
    }

    fn due_times(schedule: &Schedule, now: i64) -> Vec<(i64, String)> {
        due(schedule, now).unwrap().0.into_iter().map(|one| (one.at / 3_600, one.missed)).collect()
    }

    #[test]
    fn due_times_are_reported_once_and_missed_ones_listed() {
        let hourly = schedule("", false, 0);
        assert_eq!(due_times(&hourly, 3_599), []);
        assert_eq!(due_times(&hourly, 3_600), [(1, String::new())]);
        let (_, seen) = due(&hourly, 3_605).unwrap();
        assert_eq!(due_times(&Schedule { seen, ..hourly.clone() }, 3_610), []);
        let away = due_times(&hourly, 3 * 3_600 + 30);
        assert_eq!(
            away.iter().map(|(_, missed)| missed.is_empty()).collect::<Vec<_>>(),
            [false, false, true]
        );
        assert_eq!(due_times(&hourly, 3_600 + LATE_MAX + 1)[0].1, "the site was not running");
        assert_eq!(due_times(&hourly, 400 * DAY).len(), LOOKED_MAX);
        assert_eq!(due(&hourly, 400 * DAY).unwrap().1, 400 * DAY);
    }

    #[test]
    fn next_time_is_outside_quiet_hours() {
        let hours = |quiet: &str, waits: bool| {
            next_time(&schedule(quiet, waits, 0), 3_500).map(|at| at / 3_600)
        };
        assert_eq!(hours("", false), Some(1));
        assert_eq!(hours("00:30-03:00", false), Some(3));
        assert_eq!(hours("00:30-04:00", true), Some(4));
        assert_eq!(hours("00:00-23:59", false), None);
    }

    #[test]
    fn quiet_hours_delay_or_skip_a_run() {
        let skips = schedule("01:00-03:00", false, 0);
        assert_eq!(due_times(&skips, 3_600), [(1, "the time is in the quiet hours".to_owned())]);
        let waits = schedule("01:00-03:00", true, 0);
        assert_eq!(due_times(&waits, 2 * 3_600), []);
        // At the end of the quiet hours one run begins, not three.
        let times = due_times(&waits, 3 * 3_600);
        assert_eq!(times.iter().filter(|(_, missed)| missed.is_empty()).count(), 1);
        assert_eq!(times.len(), 3);
    }
}

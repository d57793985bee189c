//! The results of scheduled runs: the verdict of a run, its objectives, how it compares with the baseline of its load;
//! and the webhooks that receive them.
//!
//! If a receiver does not answer with success, the message is sent again a few times, with increasing delays. Its id
//! stays the same, so that the receiver can detect duplicates.

use brunt_history::RunId;
use brunt_record::{SloOutcome, Status};
use serde::Serialize;

use crate::app::App;
use crate::comparison::{Against, against};
use crate::history::Entry;
use crate::moment::rfc3339;
use crate::notice::{Notice, send};
use crate::problem::Problem;
use crate::queue::State;
use crate::store::{Schedule, UnreportedRun};

/// The seconds until the next try, by the number of earlier tries.
const AGAIN: [i64; 4] = [30, 300, 1_800, 7_200];
/// The most times that are examined at once.
const LOOKED_MAX: i64 = 500;

/// The message that a webhook receives.
#[derive(Serialize)]
struct Message<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: String,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    schedule: i64,
    plan: String,
    target: String,
    /// When the run was due.
    at: String,
    /// The whole address of the page of the run, or of the schedule if there is no run.
    link: String,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

/// The result of a scheduled time. What does not apply is null.
#[derive(Clone, Default, Serialize)]
struct Outcome<'a> {
    /// The id of the run.
    run: Option<&'a str>,
    /// The path of its page.
    page: Option<String>,
    /// How the run ended.
    state: Option<&'static str>,
    /// Why the time was missed, or why the run ended as it did.
    why: Option<String>,
    sentence: Option<String>,
    /// The outcome of the run, in a word.
    #[serde(rename = "outcome")]
    word: Option<String>,
    verdict: Option<&'static str>,
    /// Objectives that were missed.
    missed: Vec<String>,
    against: Option<Against>,
}

/// Handles all times whose result has not been reported yet.
pub(crate) fn report(app: &App) -> Result<(), Problem> {
    let schedules = app.store.schedules()?;
    for unreported in app.store.unreported(app.now(), LOOKED_MAX)? {
        let Some(schedule) = schedules.iter().find(|one| one.id == unreported.schedule) else {
            continue;
        };
        settle(app, schedule, &unreported)?;
    }
    Ok(())
}

fn settle(app: &App, schedule: &Schedule, unreported: &UnreportedRun) -> Result<(), Problem> {
    let Some(outcome) = outcome(app, unreported)? else { return Ok(()) };
    let words = words(&outcome);
    let hook = schedule.hook.map(|id| app.store.hook(id)).transpose()?.flatten();
    let Some((hook, sealed)) = hook else {
        return Ok(app.store.settle(unreported, (&words, ""), None)?);
    };
    let notice = notice(app, (schedule, unreported), outcome, &words)?;
    let (delivery, again) = match send(app, (&hook, &sealed), &notice)? {
        Ok(()) => (format!("{} was notified", hook.name), None),
        Err(why) => {
            let again = usize::try_from(unreported.tries).ok().and_then(|tries| AGAIN.get(tries));
            let next =
                if again.is_some() { "it is retried later" } else { "no further attempts follow" };
            (format!("{} could not be notified: {why}; {next}", hook.name), again)
        }
    };
    let tried = UnreportedRun { tries: unreported.tries + 1, ..unreported.clone() };
    Ok(app.store.settle(&tried, (&words, &delivery), again.map(|again| app.now() + again))?)
}

/// The result of a scheduled time; `None` while its run is active.
fn outcome<'a>(app: &App, unreported: &'a UnreportedRun) -> Result<Option<Outcome<'a>>, Problem> {
    let Some(run) = unreported.run.as_deref() else {
        let why = Some(unreported.missed.clone());
        return Ok(Some(Outcome { why, ..Outcome::default() }));
    };
    let id: RunId = run.parse().map_err(Problem::bug)?;
    let Some(status) = app.queue()?.status(&id) else {
        let why = Some("the run was deleted".to_owned());
        return Ok(Some(Outcome { run: Some(run), why, ..Outcome::default() }));
    };
    if !status.state.is_over() {
        return Ok(None);
    }
    app.index_runs([id.clone()])?;
    let ended = Outcome {
        run: Some(run),
        page: Some(format!("/live/{run}")),
        state: Some(status.state.word()),
        why: Some(status.reason).filter(|why| !why.is_empty()),
        ..Outcome::default()
    };
    match app.history.entry(&id).map_err(Problem::bug)? {
        Some(entry) => Ok(Some(judged(app, ended, &entry))),
        // A run that has ended as planned is indexed in a moment.
        None if status.state == State::Done => Ok(None),
        None => Ok(Some(ended)),
    }
}

fn judged<'a>(app: &App, ended: Outcome<'a>, run: &Entry) -> Outcome<'a> {
    let (against, why) = match against(app, run) {
        Ok(against) => (against, ended.why),
        Err(problem) => {
            (None, Some(format!("it could not be compared with its baseline: {problem}")))
        }
    };
    let missed = run.summary.objectives.iter().filter(|one| one.outcome == SloOutcome::Missed);
    Outcome {
        page: Some(format!("/runs/{}", run.id)),
        why,
        sentence: Some(run.summary.sentence.clone()),
        word: Some(run.summary.outcome_word()),
        verdict: Some(run.summary.verdict.word()),
        missed: missed.map(|one| one.text.clone()).collect(),
        against,
        ..ended
    }
}

/// The result in words, for the page of schedules.
fn words(outcome: &Outcome<'_>) -> String {
    let mut words = Vec::new();
    words.extend(outcome.state.filter(|_| outcome.verdict.is_none()).map(str::to_owned));
    let doubt = outcome.verdict.filter(|it| outcome.word.is_none() || *it != Status::Valid.word());
    words.extend(outcome.word.clone());
    words.extend(doubt.map(str::to_owned));
    words.extend(outcome.missed.iter().map(|one| format!("missed {one}")));
    words.extend(outcome.against.as_ref().map(|against| {
        match (&against.reason, against.worse.as_slice()) {
            (Some(why), _) => format!("not compared with its baseline: {why}"),
            (None, []) => "no worse than its baseline".to_owned(),
            (None, worse) => format!("worse than its baseline: {}", worse.join(", ")),
        }
    }));
    if outcome.run.is_some() {
        words.extend(outcome.why.clone());
    }
    words.join("; ")
}

fn notice(
    app: &App,
    (schedule, unreported): (&Schedule, &UnreportedRun),
    outcome: Outcome<'_>,
    words: &str,
) -> Result<Notice, Problem> {
    let plan = app.store.plan(schedule.plan)?.map(|plan| plan.name).unwrap_or_default();
    let target = app.store.target(schedule.target)?.map(|it| it.name).unwrap_or_default();
    let own = || format!("/schedules/{}", schedule.id);
    let link = format!("{}{}", app.origin(), outcome.page.clone().unwrap_or_else(own));
    let (title, sentence) = (format!("{plan} at {target}"), sentence(&outcome, words));
    let message = Message {
        kind: if outcome.run.is_some() { "run.ended" } else { "run.missed" },
        timestamp: rfc3339(app.now()),
        data: Data {
            schedule: schedule.id,
            plan,
            target,
            at: rfc3339(unreported.at),
            link: link.clone(),
            outcome,
        },
    };
    let message = serde_json::to_value(&message).map_err(Problem::bug)?;
    let id = format!("schedule-{}-{}", unreported.schedule, unreported.at);
    Ok(Notice { id, title, sentence, link, message })
}

/// The result in one sentence, for people: that of the run, and what is worse than the baseline.
fn sentence(outcome: &Outcome<'_>, words: &str) -> String {
    let worse = outcome.against.as_ref().filter(|it| it.reason.is_none() && !it.worse.is_empty());
    match (&outcome.sentence, &outcome.why) {
        (Some(sentence), _) => {
            let worse =
                worse.map(|it| format!("; worse than its baseline: {}", it.worse.join(", ")));
            let whole = sentence.trim_end_matches('.');
            format!("{whole}{}.", worse.unwrap_or_default())
        }
        (None, Some(why)) if outcome.run.is_none() => {
            format!("No run was started: {}.", why.trim_end_matches('.'))
        }
        (None, _) => format!("The run ended without a result: {}.", words.trim_end_matches('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_result_is_worded() {
        let ended = |state| Outcome { run: Some("r"), state: Some(state), ..Outcome::default() };
        let valid =
            Outcome { verdict: Some("valid"), missed: vec!["p99<1ms".to_owned()], ..ended("done") };
        assert_eq!(words(&valid), "valid; missed p99<1ms");
        let missed = Outcome { word: Some("missed".to_owned()), ..valid };
        assert_eq!(words(&missed), "missed; missed p99<1ms");
        let doubtful = Outcome { verdict: Some("unstable"), missed: Vec::new(), ..missed };
        assert_eq!(words(&doubtful), "missed; unstable");
        let lost = Outcome { why: Some("it was killed".to_owned()), ..ended("lost") };
        assert_eq!(words(&lost), "lost; it was killed");
        // The reason for a missed time is already shown beside it.
        let missed =
            Outcome { why: Some("the site was not running".to_owned()), ..Outcome::default() };
        assert_eq!(words(&missed), "");
    }

    #[test]
    fn schedule_message_is_one_sentence() {
        let ended = Outcome { run: Some("r"), state: Some("done"), ..Outcome::default() };
        let passed =
            Outcome { sentence: Some("It passed: p99 was 8.1 ms.".to_owned()), ..ended.clone() };
        assert_eq!(sentence(&passed, ""), "It passed: p99 was 8.1 ms.");
        let lost = Outcome { why: Some("it was killed".to_owned()), ..ended };
        let told = "The run ended without a result: done; it was killed.";
        assert_eq!(sentence(&lost, &words(&lost)), told);
        let why = Some("Its target is gone.".to_owned());
        let missed = Outcome { why, ..Outcome::default() };
        assert_eq!(sentence(&missed, ""), "No run was started: Its target is gone.");
    }
}

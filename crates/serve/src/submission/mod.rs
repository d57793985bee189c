//! [`Submission`]: a run or a search of a plan, on its way to the queue.

pub(crate) mod agents;
mod edited;
pub(crate) mod files;

use brunt_envelope::{Checked, RunSpec, Search};
use brunt_history::{About, Origin, RunId};

use crate::app::App;
use crate::changes::runs::tags;
use crate::changes::targets::{secrets_of, settings_of};
use crate::problem::{Problem, sentence};
use crate::queue::{OnceError, RunRequest, SubmitError};
use crate::store::{Plan, REVISION, Target};

pub(crate) use edited::edited;

/// What is requested of a run in addition to its plan.
pub(crate) struct Submission<'a> {
    pub(crate) target: i64,
    /// The duration; empty for the plan's.
    pub(crate) duration: &'a str,
    /// The tags, separated by commas.
    pub(crate) tags: &'a str,
    /// The commit that is tested; may be empty.
    pub(crate) commit: &'a str,
    pub(crate) by: &'a str,
    /// The search that is made in place of a run.
    pub(crate) search: Option<Search>,
    /// How many agents share the load; without it this machine makes the load.
    pub(crate) agents: Option<u32>,
}

/// Submits a run or a search. For a production target `sure` must repeat the target's name.
pub(crate) fn submit_meant(
    app: &App,
    plan: &Plan,
    text: &str,
    submission: &Submission<'_>,
    sure: &str,
) -> Result<RunId, Problem> {
    confirmed(app, submission.target, sure)?;
    submit_for(app, plan, text, submission)
}

/// Refuses a production target whose name was not repeated.
fn confirmed(app: &App, target: i64, sure: &str) -> Result<(), Problem> {
    let target = app.store.target(target)?;
    if let Some(target) = target.filter(|target| target.production)
        && sure.trim() != target.name
    {
        let detail =
            format!("{} is a production target. Type its name to confirm the run.", target.name);
        return Err(Problem::unusable(detail).at("sure"));
    }
    Ok(())
}

/// The target of this number, if runs may be made against it.
fn listed(app: &App, target: i64) -> Result<Target, Problem> {
    let target = app.store.target(target)?;
    let target = target.filter(|target| target.expires > app.now());
    let gone = || Problem::unusable("This target was removed or has expired.").at("target");
    target.ok_or_else(gone)
}

/// Performs each scenario of a plan once, against a target of this number, and returns what was sent and answered. For
/// a production target `sure` must repeat the target's name.
pub(crate) fn once(
    app: &App,
    plan: &Plan,
    text: &str,
    (target, sure): (i64, &str),
) -> Result<String, Problem> {
    confirmed(app, target, sure)?;
    let target = listed(app, target)?;
    let mut requested = requested(app, plan.id, text, (Some(&target), ""))?;
    let checked = checked(app, plan.id, &requested)?;
    if let Some(finding) = checked.findings.first() {
        let why = format!("The plan cannot be tried with {}: {}", target.name, finding.text);
        return Err(Problem::unusable(why));
    }
    keep_secrets(&mut requested, checked.secrets);
    let directory = (!requested.data.is_empty()).then(|| files::directory(app, plan.id));
    app.queue()?.once(requested, directory.as_deref()).map_err(|error| match error {
        OnceError::Child(error) => error.into(),
        error => Problem::unusable(sentence(&error.to_string())),
    })
}

/// Passes on only the secrets that the plan refers to.
fn keep_secrets(requested: &mut RunSpec, names: Vec<String>) {
    if let Some(secrets) = &mut requested.secrets {
        secrets.names = names;
    }
    requested.secrets = requested.secrets.take().filter(|secrets| !secrets.names.is_empty());
}

/// Submits a run or a search without requesting a confirmation: the caller has checked that it is permitted.
pub(crate) fn submit_for(
    app: &App,
    plan: &Plan,
    text: &str,
    submission: &Submission<'_>,
) -> Result<RunId, Problem> {
    let target = listed(app, submission.target)?;
    let mut requested = requested(app, plan.id, text, (Some(&target), submission.duration))?;
    requested.search.clone_from(&submission.search);
    if let Some(agents) = submission.agents {
        requested = agents::requested(app, requested, agents)?;
    }
    let checked = checked(app, plan.id, &requested)?;
    if let Some(finding) = checked.findings.first() {
        let what = if requested.search.is_some() { "used for a search on" } else { "run against" };
        let why = format!("The plan cannot be {what} {}: {}", target.name, finding.text);
        let problem = Problem::unusable(why);
        let is_of_duration = requested.duration.is_some()
            && can_be_run(app, plan.id, &RunSpec { duration: None, ..requested.clone() })?;
        return Err(if is_of_duration { problem.at("duration") } else { problem });
    }
    if let Some(agents) = requested.agents {
        agents::refuse_unshared(&checked, agents)?;
        requested.abort_on.clone_from(&checked.abort_on);
    }
    keep_secrets(&mut requested, checked.secrets);
    let commit = Some(submission.commit.to_owned()).filter(|text| !text.is_empty());
    let origin = Origin {
        by: submission.by.to_owned(),
        plan: Some(format!("{}{REVISION}{}", plan.name, plan.revision)),
        target: Some(target.name.clone()),
        agents: submission.agents.map(|agents| agents::carriers(app, agents)),
        commit,
        ..Origin::default()
    };
    let about =
        About { name: plan.name.clone(), tags: tags(submission.tags), origin, ..About::default() };
    let data = files::directory(app, plan.id);
    let request = RunRequest { requested, about };
    let planned_s = match (&submission.search, checked.load.and_then(|load| load.seconds)) {
        (Some(_), _) => None,
        (None, Some(seconds)) => Some(seconds),
        (None, None) => app.store.last_seconds(plan.id)?,
    };
    let submitted = app.queue()?.submit_with(request, planned_s, &|run| files::copy(&data, run));
    let id = submitted.map_err(|error| match error {
        SubmitError::Io(error) => Problem::failed(error),
        _ => Problem::unusable(format!("Failed to {error}.")),
    })?;
    let agents = submission.agents.map(|agents| format!(", by {}", agents::words(agents)));
    let what = format!(
        "{}, revision {}, at {}{}: {id}",
        plan.name,
        plan.revision,
        target.name,
        agents.unwrap_or_default()
    );
    let act = if submission.search.is_some() { "find maximum" } else { "run plan" };
    app.audit_by(submission.by, act, &what)?;
    Ok(id)
}

/// A child's check of a plan. If the plan has files, the child runs in their directory.
pub(crate) fn checked(app: &App, plan: i64, requested: &RunSpec) -> Result<Checked, Problem> {
    let directory = (!requested.data.is_empty()).then(|| files::directory(app, plan));
    let checked = app.children.check(requested, directory.as_deref());
    Ok(checked?)
}

fn can_be_run(app: &App, plan: i64, requested: &RunSpec) -> Result<bool, Problem> {
    Ok(checked(app, plan, requested)?.findings.is_empty())
}

/// Refuses a duration with which a plan cannot be run that can be run without it.
pub(crate) fn check_duration(
    app: &App,
    plan: &Plan,
    target: &Target,
    duration: &str,
) -> Result<(), Problem> {
    let plan_for = |duration: &str| requested(app, plan.id, &plan.text, (Some(target), duration));
    if duration.trim().is_empty() {
        return Ok(());
    }
    let checked = checked(app, plan.id, &plan_for(duration)?)?;
    let Some(finding) = checked.findings.first() else { return Ok(()) };
    if can_be_run(app, plan.id, &plan_for("")?)? {
        return Err(Problem::unusable(finding.text.clone()).at("duration"));
    }
    Ok(())
}

/// The description of a run of a plan on a target, for a child.
pub(crate) fn requested(
    app: &App,
    plan: i64,
    text: &str,
    (target, duration): (Option<&Target>, &str),
) -> Result<RunSpec, Problem> {
    let settings = target
        .map(|target| settings_of(&target.settings))
        .transpose()
        .map_err(|error| Problem::unusable(error.to_string()))?;
    let duration = Some(duration.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(RunSpec {
        plan: text.to_owned(),
        variables: settings.unwrap_or_default().into_iter().collect(),
        duration,
        grant: target.map(|target| target.grant.clone()).unwrap_or_default(),
        secrets: target.map(|target| secrets_of(app, target)).transpose()?.flatten(),
        data: files::data_of(&files::directory(app, plan)),
        ..RunSpec::default()
    })
}

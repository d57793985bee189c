//! Submissions as forms contain them: the plan, the target and the settings.

use brunt_envelope::Search;
use brunt_history::RunId;

use crate::call::Call;
use crate::changes::targets::limits;
use crate::problem::Problem;
use crate::store::{Plan, Target};
use crate::submission::{Submission, submit_meant};

/// The plan that a path names.
pub(super) fn named(call: &Call) -> Result<Plan, Problem> {
    let id = call.segment("id").parse().unwrap_or_default();
    call.app.store.plan(id)?.ok_or_else(|| Problem::missing("plan"))
}

/// The targets whose permission has not expired.
pub(super) fn open_targets(call: &Call) -> Result<Vec<Target>, Problem> {
    let mut targets = call.app.store.targets()?;
    targets.retain(|target| target.expires > call.app.now());
    Ok(targets)
}

/// The targets of a choice, each with its limits.
pub(super) fn offered(targets: &[Target]) -> Vec<(String, String)> {
    let words = |target: &Target| format!("{} (at most {})", target.name, limits(&target.grant));
    targets.iter().map(|target| (target.id.to_string(), words(target))).collect()
}

/// Submits a run of the plan's text, or of a text made from it, with the settings of the form.
pub(super) fn submit(call: &Call, plan: &Plan, text: &str) -> Result<RunId, Problem> {
    submit_with(call, plan, text, (None, None))
}

/// Submits a run, or a search, on this machine or shared by agents.
pub(super) fn submit_with(
    call: &Call,
    plan: &Plan,
    text: &str,
    (search, agents): (Option<Search>, Option<u32>),
) -> Result<RunId, Problem> {
    let submission = Submission {
        target: call.field("target").parse().unwrap_or_default(),
        duration: call.field("duration"),
        tags: call.field("tags"),
        commit: call.field("commit").trim(),
        by: &call.who()?.named(),
        search,
        agents,
    };
    submit_meant(&call.app, plan, text, &submission, call.field("sure"))
}

//! Runs and searches as programs start, follow and stop them.

use serde::{Deserialize, Serialize};

use crate::call::{Answer, Call};
use crate::child::Search;
use crate::history::RunId;
use crate::pages::find::{bounded, without_pace};
use crate::pages::import::text_of;
use crate::pages::live::stopped;
use crate::pages::submission::{Submission, submit_meant};
use crate::problem::Problem;

/// What a program requests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The name of the plan. Its newest revision is run.
    plan: String,
    /// The name of the target.
    target: String,
    /// The same name again, required for a production target as a confirmation.
    #[serde(default)]
    sure: String,
    /// The duration, in place of the plan's.
    #[serde(default)]
    duration: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    commit: String,
    /// The search for the highest rate, if one is made in place of a run.
    #[serde(default)]
    search: Option<Search>,
    /// How many agents of the site's cluster share it.
    #[serde(default)]
    agents: Option<u32>,
}

/// A run that was submitted.
#[derive(Serialize)]
struct Submitted {
    id: String,
    /// The path of its page while it is running.
    live: String,
    /// The path of its page once it is over.
    page: String,
}

/// `POST /api/v1/runs`.
pub(crate) fn start(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let asked: Asked = serde_json::from_str(&text_of(&call.body)?)
        .map_err(|error| Problem::unusable(format!("Failed to read what to run: {error}.")))?;
    let plan = app.store.plans()?.into_iter().find(|plan| plan.name == asked.plan);
    let plan = plan.ok_or_else(|| Problem::missing("plan"))?;
    let target = app.store.targets()?.into_iter().find(|target| target.name == asked.target);
    let target = target.ok_or_else(|| Problem::missing("target"))?;
    let search = asked.search.map(|search| bounded(app, search)).transpose()?;
    let text = match &search {
        Some(_) => without_pace(app, &plan)?,
        None => plan.text.clone(),
    };
    let submission = Submission {
        target: target.id,
        duration: &asked.duration,
        tags: &asked.tags.join(","),
        commit: asked.commit.trim(),
        by: &who.named(),
        search,
        agents: asked.agents,
    };
    let id = submit_meant(app, &plan, &text, &submission, &asked.sure)?;
    let (live, page) = (format!("/live/{id}"), format!("/runs/{id}"));
    Answer::json(&Submitted { id: id.to_string(), live, page })
}

/// The progress of a run.
#[derive(Serialize)]
struct Progress {
    id: String,
    state: &'static str,
    /// Why, where the state does not explain itself.
    reason: String,
    /// Whether the run is over, so that nothing changes any more.
    over: bool,
    /// How many seconds of it were measured.
    seconds: f64,
    /// The exit code that the same run has on a command line, once it is over.
    exit: Option<u8>,
    /// The path of its page, if it has a record.
    page: Option<String>,
}

/// `GET /api/v1/runs/{id}`.
pub(crate) fn status(call: &Call) -> Result<Answer, Problem> {
    let id: RunId = call.segment("id").parse().map_err(|_| Problem::missing("run"))?;
    let status = call.app.queue()?.status(&id).ok_or_else(|| Problem::missing("run"))?;
    call.app.absorb_of([id.clone()])?;
    let page = call.app.store.run(id.as_str())?.map(|run| format!("/runs/{}", run.id));
    Answer::json(&Progress {
        id: id.to_string(),
        state: status.state.word(),
        reason: status.reason,
        over: status.state.is_over(),
        seconds: status.reached_s,
        exit: status.exit,
        page,
    })
}

/// `POST /api/v1/runs/{id}/stop`.
pub(crate) fn stop(call: &Call) -> Result<Answer, Problem> {
    stopped(call, call.query("now") == "1")?;
    status(call)
}

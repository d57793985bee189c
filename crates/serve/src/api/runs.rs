//! Runs and searches as programs start, follow and stop them.

use brunt_envelope::Search;
use brunt_history::{RunId, TAGS_MAX, WORDS_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::marks::checked;
use crate::agents::AGENTS_MAX;
use crate::call::{Answer, Call};
use crate::pages::find::{OBJECTIVES_MAX, TEXT_MAX, bounded, without_pace};
use crate::pages::live::stopped;
use crate::problem::{InvalidValue, Problem};
use crate::queue::State;
use crate::submission::{Submission, submit_meant};

/// A run or a search that is requested.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RunRequest")]
pub(crate) struct RunBody {
    /// The name of the plan. Its newest revision is run.
    plan: String,
    /// The name of the target.
    target: String,
    /// The same name again, required for a production target as a confirmation.
    #[serde(default)]
    sure: String,
    /// The duration, in place of the plan's, such as `30s`.
    #[serde(default)]
    duration: String,
    /// Tags of the run, none of which has a comma.
    #[serde(default)]
    #[schemars(length(max = TAGS_MAX), inner(length(min = 1, max = WORDS_MAX)))]
    tags: Vec<String>,
    /// The commit that is tested.
    #[serde(default)]
    commit: String,
    /// The search for the highest rate, if one is made in place of a run.
    #[serde(default)]
    search: Option<SearchRequest>,
    /// How many agents of the site's cluster share the load; without it this machine makes the load.
    #[serde(default)]
    #[schemars(range(min = 1, max = AGENTS_MAX))]
    agents: Option<u32>,
}

/// A search for the highest rate that meets objectives.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct SearchRequest {
    /// Objectives in addition to those of the plan, such as `p99<20ms`.
    #[schemars(length(max = OBJECTIVES_MAX), inner(length(max = TEXT_MAX)))]
    objectives: Vec<String>,
    /// The rate to begin with, such as `200/s`.
    #[schemars(length(max = TEXT_MAX))]
    from: Option<String>,
    /// The highest rate that is tried. The target's own limit applies as well.
    #[schemars(length(max = TEXT_MAX))]
    to: Option<String>,
    /// Whether the search is quick: five minutes at most.
    quick: bool,
    /// Confirms that the plan may change data on the target.
    writes: bool,
}

impl From<SearchRequest> for Search {
    fn from(requested: SearchRequest) -> Self {
        let SearchRequest { objectives, from, to, quick, writes } = requested;
        Self { objectives, from, to, quick, writes, second: None }
    }
}

/// A run that was submitted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Submitted {
    id: RunId,
    /// The path of its page while it is running.
    live: String,
    /// The path of its page once it is over.
    page: String,
}

impl Submitted {
    pub(super) fn new(id: RunId) -> Self {
        let (live, page) = (format!("/live/{id}"), format!("/runs/{id}"));
        Self { id, live, page }
    }
}

/// `POST /api/v1/runs`.
pub(crate) fn start(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let requested: RunBody = body::read(call)?;
    let plans = app.store.plans()?;
    let plan = plans.into_iter().find(|plan| plan.name == requested.plan);
    let plan = plan.ok_or_else(|| unknown("plan", &requested.plan))?;
    let target = app.store.targets()?.into_iter().find(|target| target.name == requested.target);
    let target = target.ok_or_else(|| unknown("target", &requested.target))?;
    let tags = checked("tags", &requested.tags)?;
    let search = requested.search.map(|search| bounded(app, search.into())).transpose()?;
    let text = match &search {
        Some(_) => without_pace(app, &plan)?,
        None => plan.text.clone(),
    };
    let submission = Submission {
        target: target.id,
        duration: &requested.duration,
        tags: &tags.join(","),
        commit: requested.commit.trim(),
        by: &who.named(),
        search,
        agents: requested.agents,
    };
    let id = submit_meant(app, &plan, &text, &submission, &requested.sure)?;
    Answer::json(&Submitted::new(id))
}

/// There is no such thing of this name on this site.
pub(super) fn unknown(field: &str, given: &str) -> Problem {
    let fault = InvalidValue::of_field(field, given, format!("the name of a {field} of this site"));
    Problem { faults: Box::new([fault]), ..Problem::missing(field) }
}

/// The progress of a run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Progress {
    id: RunId,
    state: State,
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
    call.app.index_runs([id.clone()])?;
    let page = call.app.store.run(id.as_str())?.map(|run| format!("/runs/{}", run.id));
    Answer::json(&Progress {
        id,
        state: status.state,
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

//! Plans, as programs list, read, create and revise them.

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::projects::within;
use crate::call::{Answer, Call};
use crate::changes::plans::{self as changes, NAME_MAX, Revised, TEXT_MAX};
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::store::{Plan, Project};

/// A plan that is created.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRequest {
    /// Its name, which no other plan has.
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: String,
    /// Its text: TOML, as brunt run takes it. It is stored as it is; a run is refused if it cannot be read.
    #[schemars(length(max = TEXT_MAX))]
    text: String,
    /// The name of the project that it belongs to; without one everybody sees it.
    #[serde(default)]
    project: Option<String>,
}

/// A new text of a plan.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlanRevision")]
pub(crate) struct RevisionRequest {
    /// The text.
    #[schemars(length(max = TEXT_MAX))]
    text: String,
    /// The newest revision that the sender knows.
    #[schemars(range(min = 1))]
    after: i64,
}

/// A revision of a plan.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlanListed")]
pub(crate) struct PlanRow {
    id: i64,
    name: String,
    /// The number of the revision, counted from 1.
    revision: i64,
    /// Who saved it.
    by: String,
    /// When it was saved, in RFC 3339.
    at: String,
    /// The name of its project; null if everybody sees it.
    project: Option<String>,
}

/// A revision of a plan, with its text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub(crate) struct PlanReply {
    #[serde(flatten)]
    row: PlanRow,
    /// What an import left out or guessed, in lines; empty otherwise.
    note: String,
    text: String,
}

/// Plans, or revisions of a plan.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Plans {
    plans: Vec<PlanRow>,
}

impl PlanRow {
    fn new(plan: Plan, projects: &[Project]) -> Self {
        let Plan { id, name, revision, by, at, project, .. } = plan;
        let project = projects.iter().find(|one| Some(one.id) == project);
        Self { id, name, revision, by, at: rfc3339(at), project: project.map(|it| it.name.clone()) }
    }
}

impl PlanReply {
    fn new(call: &Call, mut plan: Plan) -> Result<Self, Problem> {
        let (note, text) = (std::mem::take(&mut plan.note), std::mem::take(&mut plan.text));
        Ok(Self { row: PlanRow::new(plan, &call.app.store.projects()?), note, text })
    }
}

fn listed(call: &Call, plans: Vec<Plan>) -> Result<Answer, Problem> {
    let projects = call.app.store.projects()?;
    let plans = plans.into_iter().map(|plan| PlanRow::new(plan, &projects));
    Answer::json(&Plans { plans: plans.collect() })
}

/// `GET /api/v1/plans`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let (mut plans, name) = (call.app.store.plans()?, call.query("name"));
    plans.retain(|plan| name.is_empty() || plan.name.eq_ignore_ascii_case(name));
    listed(call, plans)
}

/// `GET /api/v1/plans/{plan}`.
pub(crate) fn read(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&PlanReply::new(call, named(call)?)?)
}

/// `GET /api/v1/plans/{plan}/revisions`.
pub(crate) fn revisions(call: &Call) -> Result<Answer, Problem> {
    listed(call, call.app.store.revisions(named(call)?.id)?)
}

/// `GET /api/v1/plans/{plan}/revisions/{revision}`.
pub(crate) fn revision(call: &Call) -> Result<Answer, Problem> {
    let mut revisions = call.app.store.revisions(named(call)?.id)?.into_iter();
    let number: i64 = call.segment("revision").parse().unwrap_or_default();
    let found = revisions.find(|plan| plan.revision == number);
    Answer::json(&PlanReply::new(call, found.ok_or_else(|| Problem::missing("revision"))?)?)
}

/// `POST /api/v1/plans`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let requested: PlanRequest = body::read(call)?;
    let project = within(call, requested.project.as_deref())?;
    let id =
        changes::add(&call.app, call.who()?, (&requested.name, project.as_ref()), &requested.text)?;
    let plan = call.app.store.plan(id)?.ok_or_else(|| Problem::missing("plan"))?;
    Answer::made(&PlanReply::new(call, plan)?, &format!("/api/v1/plans/{id}"))
}

/// `PUT /api/v1/plans/{plan}`.
pub(crate) fn revise(call: &Call) -> Result<Answer, Problem> {
    let (plan, requested) = (named(call)?, body::read::<RevisionRequest>(call)?);
    let revised =
        changes::revise(&call.app, call.who()?, &plan, (requested.after, &requested.text))?;
    if revised == Revised::Behind {
        let sentence =
            "Somebody else saved this plan in the meantime. Read it, and send your text again.";
        let newest = plan.revision.to_string();
        let problem = Problem::field("after", &requested.after.to_string(), &newest, sentence);
        return Err(Problem { status: StatusCode::CONFLICT, ..problem });
    }
    read(call)
}

/// The plan that a path names.
fn named(call: &Call) -> Result<Plan, Problem> {
    let id = call.segment("plan").parse().unwrap_or_default();
    call.app.store.plan(id)?.ok_or_else(|| Problem::missing("plan"))
}

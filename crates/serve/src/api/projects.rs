//! Projects, as programs list, add, change and remove them, and as they move tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::runs::unknown;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::projects::{self as changes, GROUP_MAX, MEMBERS_MAX, NAME_MAX};
use crate::problem::Problem;
use crate::store::{Members, Project};

/// A project that is added, or replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRequest {
    /// Its name, which no other project has.
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: String,
    /// The names of the users who see its tests. Administrators see all tests.
    #[serde(default)]
    #[schemars(length(max = MEMBERS_MAX))]
    users: Vec<String>,
    /// The groups at the provider whose members see its tests.
    #[serde(default)]
    #[schemars(length(max = MEMBERS_MAX), inner(length(min = 1, max = GROUP_MAX)))]
    groups: Vec<String>,
}

/// A project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Project")]
pub(crate) struct ProjectReply {
    id: i64,
    name: String,
    /// How many tests belong to it.
    tests: i64,
    /// The names of the users who see its tests; null except for administrators.
    users: Option<Vec<String>>,
    /// The groups at the provider whose members see its tests; null except for administrators.
    groups: Option<Vec<String>>,
}

/// The projects whose tests the sender sees.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Projects {
    projects: Vec<ProjectReply>,
}

/// Where a test is moved.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TestProjectRequest")]
pub(crate) struct MoveRequest {
    /// The name of the project; null to let everybody see the test.
    #[serde(default)]
    project: Option<String>,
}

/// Where a test belongs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TestProject {
    /// The name of the project; null if everybody sees the test.
    project: Option<String>,
}

/// `GET /api/v1/projects`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let projects = call.app.store.projects()?.into_iter().map(|project| reply(call, project));
    Answer::json(&Projects { projects: projects.collect::<Result<_, _>>()? })
}

/// `GET /api/v1/projects/{project}`.
pub(crate) fn read(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&reply(call, named(call)?)?)
}

/// `POST /api/v1/projects`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let ProjectRequest { name, users, groups } = body::read(call)?;
    let id = changes::add(&call.app, call.who()?, &name, &Members { users, groups })?;
    let project = changes::with_id(&call.app, &id.to_string())?;
    let project = project.ok_or_else(|| Problem::missing("project"))?;
    Answer::made(&reply(call, project)?, &format!("/api/v1/projects/{id}"))
}

/// `PUT /api/v1/projects/{project}`.
pub(crate) fn replace(call: &Call) -> Result<Answer, Problem> {
    let (project, requested) = (named(call)?, body::read::<ProjectRequest>(call)?);
    let ProjectRequest { name, users, groups } = requested;
    changes::change(&call.app, call.who()?, &project, (&name, &Members { users, groups }))?;
    read(call)
}

/// `DELETE /api/v1/projects/{project}`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::remove(&call.app, call.who()?, &named(call)?, call.query("to"))?;
    Ok(Answer::empty())
}

/// `PUT /api/v1/tests/{test}/project`.
pub(crate) fn move_test(call: &Call) -> Result<Answer, Problem> {
    let (app, missing) = (&call.app, || Problem::missing("test"));
    let test = app.store.test(call.segment("test"))?.ok_or_else(missing)?;
    let MoveRequest { project } = body::read(call)?;
    let to = within(call, project.as_deref())?;
    changes::move_test(app, call.who()?, &test, to.as_ref())?;
    Answer::json(&TestProject { project })
}

/// The project that a body names, if it names one.
pub(super) fn within(call: &Call, name: Option<&str>) -> Result<Option<Project>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let found = call.app.store.projects()?.into_iter().find(|project| project.name == name);
    Ok(Some(found.ok_or_else(|| unknown("project", name))?))
}

/// The project that a path names.
fn named(call: &Call) -> Result<Project, Problem> {
    let found = changes::with_id(&call.app, call.segment("project"))?;
    found.ok_or_else(|| Problem::missing("project"))
}

fn reply(call: &Call, project: Project) -> Result<ProjectReply, Problem> {
    let is_admin = call.who()?.user.role == Role::Admin;
    let members = is_admin.then(|| call.app.store.members(project.id)).transpose()?;
    let (users, groups) = members.map(|members| (members.users, members.groups)).unzip();
    let Project { id, name, tests } = project;
    Ok(ProjectReply { id, name, tests, users, groups })
}

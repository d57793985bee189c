//! [`TABLE`]: the routes for programs, which are those of the OpenAPI document.

use brunt_envelope::Imported;
use brunt_record::{RunOutcome, Status};
use brunt_report::comparison::{Comparison, Trend};

use super::param::{Param, Takes};
use super::route::{Access, BodyKind, Content, Gives, Method, Route};
use super::table::PAGE;
use crate::api::annotations::{AnnotationReply, AnnotationRequest, Annotations};
use crate::api::editing::{EditBody, Edited};
use crate::api::hooks::{HookMade, HookRequest, HookTried, Hooks};
use crate::api::marks::{Tags, TagsOfRun, TagsRequest};
use crate::api::plans::{PlanReply, PlanRequest, Plans, RevisionRequest};
use crate::api::projects::{MoveRequest, ProjectReply, ProjectRequest, Projects, TestProject};
use crate::api::records::{ListedRuns, Pushed};
use crate::api::runs::{Progress, RunBody, Submitted};
use crate::api::schedules::{ScheduleReply, ScheduleRequest, Schedules};
use crate::api::targets::{TargetReply, TargetRequest, Targets};
use crate::api::{self, Me, agents::AgentsReply};
use crate::auth::{Role, Scope};
use crate::call::JSON;
use crate::history::Entry;
use crate::pages;
use crate::store::outcome_key;

const READ: Access = Access::Token(Role::Viewer, Scope::Read);
const PUSH: Access = Access::Token(Role::Runner, Scope::Push);
const RUN: Access = Access::Token(Role::Runner, Scope::Run);
const BUILD: Access = Access::AnyToken(Role::Runner);
/// For tokens of the scope all, and for users who signed in.
const CHANGE: Access = Access::Token(Role::Runner, Scope::All);
const MANAGE: Access = Access::Token(Role::Admin, Scope::All);

pub(super) const GET: Route = Route { access: READ, ..PAGE };
const POST: Route = Route { method: Method::Post, takes: BodyKind::Object, access: CHANGE, ..PAGE };
const PUT: Route = Route { method: Method::Put, ..POST };
const PUT_NOTHING: Route = Route { takes: BodyKind::Nothing, ..PUT };
const DELETE: Route = Route { method: Method::Delete, ..PUT_NOTHING };

const LOAD: Param =
    Param::new("load", Takes::Text, "The load: the value of 'load' in the summary of a run");
const BEHIND: Param = Param::new(
    "behind",
    Takes::Position,
    "Where to continue: the value of 'next' in the previous response",
);
const FILTER: &[Param] = &[
    Param::new("q", Takes::Text, "Beginnings of words in the name, target, tags, note or commit"),
    Param::new("tag", Takes::Text, "One of its tags"),
    Param::new("target", Takes::Text, "A part of its target"),
    Param::new("outcome", Takes::Words(outcomes), "What came of the run"),
    Param::new("verdict", Takes::Words(verdicts), "Whether its figures can be trusted"),
    Param::new("commit", Takes::Text, "The commit that was tested"),
    LOAD,
    Param::new("since", Takes::Day, "The first day, such as 2026-11-23"),
    Param::new("until", Takes::Day, "The last day"),
    Param::new("missed", Takes::Flag, "1 for runs that missed an objective"),
    Param::new("pinned", Takes::Flag, "1 for pinned runs"),
    Param::new("baseline", Takes::Flag, "1 for baselines"),
    BEHIND,
];
const PUSHED: &[Param] = &[
    Param::new("name", Takes::Text, "The name of the run"),
    Param::new("tag", Takes::Text, "A tag; may be repeated").many(),
    Param::new("commit", Takes::Text, "The commit that was tested"),
];
const NAMED: &[Param] = &[Param::new("name", Takes::Text, "Only the one of this name")];

/// The agents, on a site that was configured with a cluster.
pub(super) const AGENTS: &str = "/api/v1/agents";

fn outcomes() -> Vec<String> {
    RunOutcome::ALL.map(|outcome| outcome_key(outcome.words())).to_vec()
}

fn verdicts() -> Vec<String> {
    let all = [Status::Valid, Status::Unstable, Status::Partial, Status::GeneratorLimited];
    all.map(|verdict| verdict.word().to_owned()).to_vec()
}

/// The routes for programs, except those about the routes themselves.
pub(super) static TABLE: &[Route] = &[
    Route {
        path: "/api/v1/me",
        access: Access::AnyToken(Role::Viewer),
        what: "Return who sends the request, and what they may do",
        gives: &[Gives::json::<Me<'static>>(200)],
        act: api::me,
        ..GET
    },
    Route {
        path: "/api/v1/records",
        what: "List runs, the newest first, 50 at a time",
        query: FILTER,
        gives: &[Gives::json::<ListedRuns>(200)],
        act: api::records::list,
        ..GET
    },
    Route {
        path: "/api/v1/records",
        access: PUSH,
        takes: BodyKind::Document,
        what: "Upload a record, compressed with gzip or not, and compare it with the baseline of its load. Uploading \
               the same record again changes nothing",
        query: PUSHED,
        bodies: &[
            Content { kind: JSON, schema: None },
            Content { kind: "application/gzip", schema: None },
        ],
        gives: &[Gives::json::<Pushed>(200), Gives::json::<Pushed>(201)],
        act: api::records::put,
        ..PUT
    },
    Route {
        path: "/api/v1/records/{id}",
        what: "The main figures of a run, with its name, tags, note and origin",
        gives: &[Gives::json::<Entry>(200)],
        act: api::records::entry,
        ..GET
    },
    Route {
        path: "/api/v1/records/{id}/record",
        what: "The record itself, compressed with gzip, as brunt report reads it",
        gives: &[Gives::file("application/gzip")],
        act: api::records::record,
        ..GET
    },
    Route {
        path: "/api/v1/records/{id}/csv",
        what: "The record as comma-separated values, one line per interval and operation",
        gives: &[Gives::file("text/csv")],
        act: api::records::csv,
        ..GET
    },
    Route {
        path: "/api/v1/records/{id}/html",
        what: "The page of the run as one self-contained HTML file",
        gives: &[Gives::file("text/html")],
        act: api::records::html,
        ..GET
    },
    Route {
        path: "/api/v1/records/{id}/tags",
        what: "List the tags of a run",
        gives: &[Gives::json::<TagsOfRun>(200)],
        act: api::marks::of_run,
        ..GET
    },
    Route {
        path: "/api/v1/records/{id}/tags",
        what: "Replace the tags of a run",
        bodies: &[Content::json::<TagsRequest>()],
        gives: &[Gives::json::<TagsOfRun>(200)],
        act: api::marks::replace,
        ..PUT
    },
    Route {
        path: "/api/v1/records/{id}/tags/{tag}",
        what: "Add a tag to a run",
        gives: &[Gives::json::<TagsOfRun>(200)],
        act: api::marks::add,
        ..PUT_NOTHING
    },
    Route {
        path: "/api/v1/records/{id}/tags/{tag}",
        what: "Remove a tag from a run",
        gives: &[Gives::json::<TagsOfRun>(200)],
        act: api::marks::remove,
        ..DELETE
    },
    Route {
        path: "/api/v1/tags",
        what: "List the tags in use, the most frequent first",
        gives: &[Gives::json::<Tags>(200)],
        act: api::marks::tags,
        ..GET
    },
    Route {
        path: "/api/v1/baselines",
        what: "List the runs that are marked as baselines, the newest first, 50 at a time. Runs of a load are \
               compared with its newest baseline",
        query: &[LOAD, BEHIND],
        gives: &[Gives::json::<ListedRuns>(200)],
        act: api::marks::baselines,
        ..GET
    },
    Route {
        path: "/api/v1/baselines/{id}",
        what: "The main figures of a run that is a baseline",
        gives: &[Gives::json::<Entry>(200)],
        act: api::marks::baseline,
        ..GET
    },
    Route {
        path: "/api/v1/baselines/{id}",
        what: "Mark a run as a baseline",
        gives: &[Gives::json::<Entry>(200)],
        refuses: &[409],
        act: api::marks::mark,
        ..PUT_NOTHING
    },
    Route {
        path: "/api/v1/baselines/{id}",
        what: "Remove the mark of a baseline from a run",
        gives: &[Gives::json::<Entry>(200)],
        refuses: &[409],
        act: api::marks::unmark,
        ..DELETE
    },
    Route {
        path: "/api/v1/runs",
        access: RUN,
        what: "Run the newest revision of a plan. \"plan\" and \"target\" are names. With \"search\", find the \
               highest rate that meets its objectives. With \"agents\", that number of agents of the cluster share \
               the run",
        bodies: &[Content::json::<RunBody>()],
        gives: &[Gives::json::<Submitted>(200)],
        refuses: &[404],
        keyed: true,
        act: api::runs::start,
        ..POST
    },
    Route {
        path: "/api/v1/runs/{id}",
        access: RUN,
        what: "Return the progress of a run or a search",
        gives: &[Gives::json::<Progress>(200)],
        act: api::runs::status,
        ..GET
    },
    Route {
        path: "/api/v1/runs/{id}/stop",
        access: RUN,
        takes: BodyKind::Form,
        what: "Stop a run or a search gracefully, and return its progress",
        query: &[Param::new("now", Takes::Flag, "1 to cancel the requests in flight")],
        gives: &[Gives::json::<Progress>(200)],
        act: api::runs::stop,
        ..POST
    },
    Route {
        path: "/api/v1/plans",
        what: "List the plans, each in its newest revision",
        query: NAMED,
        gives: &[Gives::json::<Plans>(200)],
        act: api::plans::list,
        ..GET
    },
    Route {
        path: "/api/v1/plans",
        what: "Create a plan",
        bodies: &[Content::json::<PlanRequest>()],
        gives: &[Gives::json::<PlanReply>(201)],
        keyed: true,
        act: api::plans::add,
        ..POST
    },
    Route {
        path: "/api/v1/plans/{plan}",
        what: "The newest revision of a plan, with its text",
        gives: &[Gives::json::<PlanReply>(200)],
        act: api::plans::read,
        ..GET
    },
    Route {
        path: "/api/v1/plans/{plan}",
        what: "Replace the text of a plan by a new revision. \"after\" is the newest revision that you know; if \
               there is a newer one, the request is refused",
        bodies: &[Content::json::<RevisionRequest>()],
        gives: &[Gives::json::<PlanReply>(200)],
        refuses: &[409],
        act: api::plans::revise,
        ..PUT
    },
    Route {
        path: "/api/v1/plans/{plan}/revisions",
        what: "List the revisions of a plan, the newest first",
        gives: &[Gives::json::<Plans>(200)],
        act: api::plans::revisions,
        ..GET
    },
    Route {
        path: "/api/v1/plans/{plan}/revisions/{revision}",
        what: "A revision of a plan, with its text",
        gives: &[Gives::json::<PlanReply>(200)],
        act: api::plans::revision,
        ..GET
    },
    Route {
        path: "/api/v1/targets",
        what: "List the targets",
        query: NAMED,
        gives: &[Gives::json::<Targets>(200)],
        act: api::targets::list,
        ..GET
    },
    Route {
        path: "/api/v1/targets",
        access: MANAGE,
        what: "List a target, so that runs may reach it",
        bodies: &[Content::json::<TargetRequest>()],
        gives: &[Gives::json::<TargetReply>(201)],
        keyed: true,
        act: api::targets::add,
        ..POST
    },
    Route {
        path: "/api/v1/targets/{target}",
        what: "A target",
        gives: &[Gives::json::<TargetReply>(200)],
        act: api::targets::read,
        ..GET
    },
    Route {
        path: "/api/v1/targets/{target}",
        access: MANAGE,
        what: "Replace everything about a target but its name",
        bodies: &[Content::json::<TargetRequest>()],
        gives: &[Gives::json::<TargetReply>(200)],
        act: api::targets::replace,
        ..PUT
    },
    Route {
        path: "/api/v1/targets/{target}",
        access: MANAGE,
        what: "Remove a target and its secrets",
        gives: &[Gives { status: 204, content: None }],
        act: api::targets::end,
        ..DELETE
    },
    Route {
        path: "/api/v1/edit",
        access: BUILD,
        takes: BodyKind::Document,
        what: "Change the text of a plan by key paths, and get the form of a part: {\"text\", \"changes\", \"at\"}. \
               Comments and order are preserved, and nothing is stored",
        bodies: &[Content::json::<EditBody>()],
        gives: &[Gives::json::<Edited>(200)],
        act: api::editing::edit,
        ..POST
    },
    Route {
        path: "/api/v1/import/{kind}",
        access: BUILD,
        takes: BodyKind::Document,
        what: "Convert a description of requests into a plan; {kind} is auto, curl, har, openapi or loadgen. The \
               files of LoadGen are a JSON object of paths and texts. No requests are sent, and nothing is stored",
        query: &[Param::new(
            "job",
            Takes::Text,
            "The path of the job, if a LoadGen directory has several",
        )],
        bodies: &[
            Content { kind: JSON, schema: None },
            Content { kind: "text/plain", schema: None },
        ],
        gives: &[Gives::json::<Imported>(200)],
        act: api::editing::import,
        ..POST
    },
    Route {
        path: "/api/v1/compare",
        what: "Compare two to six runs, of which the first is the baseline (brunt-comparison/1)",
        query: &[Param::new("run", Takes::Run, "The id of a run; may be repeated").many()],
        gives: &[Gives::json::<Comparison>(200)],
        refuses: &[404],
        act: api::compare,
        ..GET
    },
    Route {
        path: "/api/v1/schedules",
        what: "List schedules, with the next time of each and the results of the last ones",
        gives: &[Gives::json::<Schedules>(200)],
        act: api::schedules::list,
        ..GET
    },
    Route {
        path: "/api/v1/schedules",
        what: "Add a schedule of a plan. \"plan\", \"target\" and \"hook\" are names",
        bodies: &[Content::json::<ScheduleRequest>()],
        gives: &[Gives::json::<ScheduleReply>(201)],
        refuses: &[404],
        keyed: true,
        act: api::schedules::add,
        ..POST
    },
    Route {
        path: "/api/v1/schedules/{schedule}",
        what: "A schedule",
        gives: &[Gives::json::<ScheduleReply>(200)],
        act: api::schedules::read,
        ..GET
    },
    Route {
        path: "/api/v1/schedules/{schedule}",
        what: "Replace everything about a schedule but its plan, and whether it is paused. From then on it runs in \
               the name of who sends this",
        bodies: &[Content::json::<ScheduleRequest>()],
        gives: &[Gives::json::<ScheduleReply>(200)],
        act: api::schedules::replace,
        ..PUT
    },
    Route {
        path: "/api/v1/schedules/{schedule}",
        what: "Remove a schedule. Its runs stay",
        gives: &[Gives { status: 204, content: None }],
        act: api::schedules::end,
        ..DELETE
    },
    Route {
        path: "/api/v1/schedules/{schedule}/pause",
        takes: BodyKind::Form,
        what: "Let a schedule start no runs until it is resumed",
        gives: &[Gives::json::<ScheduleReply>(200)],
        act: api::schedules::pause,
        ..POST
    },
    Route {
        path: "/api/v1/schedules/{schedule}/resume",
        takes: BodyKind::Form,
        what: "Let a schedule start runs again",
        gives: &[Gives::json::<ScheduleReply>(200)],
        act: api::schedules::resume,
        ..POST
    },
    Route {
        path: "/api/v1/schedules/{schedule}/run",
        access: RUN,
        takes: BodyKind::Form,
        what: "Start a run of a schedule now, whatever its times are",
        gives: &[Gives::json::<Submitted>(200)],
        keyed: true,
        act: api::schedules::run,
        ..POST
    },
    Route {
        path: "/api/v1/projects",
        what: "List the projects whose tests you see, and for administrators who else sees them",
        gives: &[Gives::json::<Projects>(200)],
        act: api::projects::list,
        ..GET
    },
    Route {
        path: "/api/v1/projects",
        access: MANAGE,
        what: "Add a project, whose tests are seen only by its users and groups, and by administrators",
        bodies: &[Content::json::<ProjectRequest>()],
        gives: &[Gives::json::<ProjectReply>(201)],
        refuses: &[409],
        keyed: true,
        act: api::projects::add,
        ..POST
    },
    Route {
        path: "/api/v1/projects/{project}",
        what: "A project",
        gives: &[Gives::json::<ProjectReply>(200)],
        act: api::projects::read,
        ..GET
    },
    Route {
        path: "/api/v1/projects/{project}",
        access: MANAGE,
        what: "Replace the name of a project, and who sees its tests",
        bodies: &[Content::json::<ProjectRequest>()],
        gives: &[Gives::json::<ProjectReply>(200)],
        refuses: &[409],
        act: api::projects::replace,
        ..PUT
    },
    Route {
        path: "/api/v1/projects/{project}",
        access: MANAGE,
        what: "Remove a project. If it has tests, \"to\" says where they go",
        query: &[Param::new(
            "to",
            Takes::Text,
            "The id of the project to which its tests go, or 0 to let everybody see them",
        )],
        gives: &[Gives { status: 204, content: None }],
        refuses: &[409],
        act: api::projects::end,
        ..DELETE
    },
    Route {
        path: "/api/v1/tests/{test}/project",
        what: "Move a test to a project, or out of all. {test} is p and the id of its plan, or as in the address of \
               its page",
        bodies: &[Content::json::<MoveRequest>()],
        gives: &[Gives::json::<TestProject>(200)],
        act: api::projects::move_test,
        ..PUT
    },
    Route {
        path: "/api/v1/hooks",
        access: Access::Token(Role::Admin, Scope::Read),
        what: "List the webhooks that receive the results of schedules",
        gives: &[Gives::json::<Hooks>(200)],
        act: api::hooks::list,
        ..GET
    },
    Route {
        path: "/api/v1/hooks",
        access: MANAGE,
        what: "Add a webhook. The answer has the key that verifies its messages, which is told only once",
        bodies: &[Content::json::<HookRequest>()],
        gives: &[Gives::json::<HookMade>(201)],
        refuses: &[409],
        act: api::hooks::add,
        ..POST
    },
    Route {
        path: "/api/v1/hooks/{hook}/test",
        access: MANAGE,
        takes: BodyKind::Form,
        what: "Send a test message to a webhook, and return what came of it",
        gives: &[Gives::json::<HookTried>(200)],
        act: api::hooks::test,
        ..POST
    },
    Route {
        path: "/api/v1/hooks/{hook}",
        access: MANAGE,
        what: "Remove a webhook. Its schedules send no more messages",
        gives: &[Gives { status: 204, content: None }],
        act: api::hooks::end,
        ..DELETE
    },
    Route {
        path: "/api/v1/annotations",
        what: "List what happened outside of the site, the newest first",
        query: &[Param::new(
            "target",
            Takes::Text,
            "The name of a target: what concerns it or all targets",
        )],
        gives: &[Gives::json::<Annotations>(200)],
        act: api::annotations::list,
        ..GET
    },
    Route {
        path: "/api/v1/annotations",
        access: PUSH,
        what: "Add an annotation, such as a deployment, which charts of runs and trends show at its time",
        bodies: &[Content::json::<AnnotationRequest>()],
        gives: &[Gives::json::<AnnotationReply>(201)],
        keyed: true,
        act: api::annotations::add,
        ..POST
    },
    Route {
        path: "/api/v1/annotations/{annotation}",
        what: "Remove an annotation",
        gives: &[Gives { status: 204, content: None }],
        act: api::annotations::end,
        ..DELETE
    },
    Route {
        path: AGENTS,
        what: "List the agents of the cluster that were seen recently: what each does, its machine, what its owner \
               permits, and how far off its clock is. \"trouble\" says why none can be seen",
        gives: &[Gives::json::<AgentsReply<'static>>(200)],
        act: api::agents::list,
        ..GET
    },
    Route {
        path: "/api/v1/trends",
        what: "Return the trend of the valid runs of a load, with the points at which the figures changed \
               (brunt-trend/1)",
        query: &[LOAD],
        gives: &[Gives::json::<Trend>(200)],
        act: pages::trends::document,
        ..GET
    },
];

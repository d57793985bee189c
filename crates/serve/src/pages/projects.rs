//! Projects: who sees which tests. For administrators; and on the page of a test, the project that it belongs to.

use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::page as whole;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::projects::{self as changes, NAME_MAX, chosen, counted};
use crate::problem::Problem;
use crate::store::{Members, Project, Test};

/// `GET /projects`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let projects = call.app.store.projects()?;
    let body = html! {
        h1.large { "Projects" }
        p {
            "A test that belongs to a project is seen only by its users and groups, and by administrators. Everybody \
             sees the tests without a project. A test is moved on its page."
        }
        @if projects.is_empty() {
            div.empty { p { "There are no projects yet: everybody who signs in sees all tests." } }
        } @else {
            (table(call, &projects)?)
        }
        section id="add" {
            h2 { "Add a project" }
            @let form = Form::new(call, "/projects");
            @let fields = html! {
                (described(&form, "", &Members::default()))
                div { button.main { "Add it" } }
            };
            (form.whole("stack", Script::Nothing, &fields))
        }
    };
    Ok(Answer::page(whole(call, "Projects", &body)))
}

fn table(call: &Call, projects: &[Project]) -> Result<Markup, Problem> {
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Projects" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "project" } th scope="col" { "tests" }
                    th.name scope="col" { "users" } th.name scope="col" { "groups" }
                } }
                tbody { @for project in projects {
                    @let Members { users, groups } = call.app.store.members(project.id)?;
                    tr {
                        th.name scope="row" { a href={ "/projects/" (project.id) } { (project.name) } }
                        td data-label="tests" { (project.tests) }
                        td.name data-label="users" { (listed(&users)) }
                        td.name data-label="groups" { (listed(&groups)) }
                    }
                } }
            }
        }
    })
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}

/// The fields that describe a project.
fn described(form: &Form<'_>, name: &str, members: &Members) -> Markup {
    let name = Input { required: true, most: Some(NAME_MAX), value: name, ..TEXT };
    let (users, groups) = (members.users.join("\n"), members.groups.join("\n"));
    let area = Area { is_code: true, ..AREA };
    html! {
        (form.input("name", "Name", name))
        (form.area("users", "Users who see its tests, one a line", Area { value: &users, ..area }))
        (form.area("groups", "Groups at the provider whose members see its tests, one a line", Area {
            value: &groups, ..area
        }))
    }
}

/// `POST /projects`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let id = changes::add(&call.app, call.who()?, call.field("name"), &members(call))?;
    Ok(Answer::see(&format!("/projects/{id}")))
}

/// `GET /projects/{project}`.
pub(crate) fn one(call: &Call) -> Result<Answer, Problem> {
    let project = named(call)?;
    let members = call.app.store.members(project.id)?;
    let own = format!("/projects/{}", project.id);
    let form = Form::new(call, own.as_str());
    let fields = html! {
        (described(&form, &project.name, &members))
        div { button.main { "Save" } }
    };
    let body = html! {
        p.crumbs { a href="/projects" { "Projects" } }
        h1.large { (project.name) }
        p.meta { (counted(project.tests)) }
        (form.whole("stack", Script::Nothing, &fields))
        section id="remove" {
            h2 { "Remove the project" }
            (removal(call, &project, &own)?)
        }
    };
    Ok(Answer::page(whole(call, &project.name, &body)))
}

fn removal(call: &Call, project: &Project, own: &str) -> Result<Markup, Problem> {
    let form = Form::new(call, format!("{own}/remove"));
    let others = call.app.store.projects()?.into_iter().filter(|other| other.id != project.id);
    let others = others.map(|other| (other.id.to_string(), other.name));
    // Without a preselected choice, tests are not shown to everybody by mistake.
    let first = [(String::new(), "choose".to_owned()), ("0".to_owned(), "everybody".to_owned())];
    let to: Vec<_> = first.into_iter().chain(others).collect();
    let fields = html! {
        @if project.tests > 0 { (form.choice("to", "Who sees its tests then", &to, "")) }
        div { button.danger data-confirm={ "Remove the project " (project.name) "?" } { "Remove" } }
    };
    Ok(form.whole("stack", Script::Nothing, &fields))
}

/// `POST /projects/{project}`.
pub(crate) fn change(call: &Call) -> Result<Answer, Problem> {
    let project = named(call)?;
    let given = (call.field("name"), &members(call));
    changes::change(&call.app, call.who()?, &project, given)?;
    Ok(Answer::see("/projects"))
}

/// `POST /projects/{project}/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    changes::remove(&call.app, call.who()?, &named(call)?, call.field("to"))?;
    Ok(Answer::see("/projects"))
}

/// The project that a path names.
fn named(call: &Call) -> Result<Project, Problem> {
    let found = changes::with_id(&call.app, call.segment("project"))?;
    found.ok_or_else(|| Problem::missing("project"))
}

fn members(call: &Call) -> Members {
    let lines = |field: &str| -> Vec<String> {
        let lines = call.field(field).lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    Members { users: lines("users"), groups: lines("groups") }
}

/// The project that a test belongs to, and the form that moves it. Nothing on a site where the user sees no project.
pub(super) fn of_test(call: &Call, test: &Test) -> Result<Markup, Problem> {
    let projects = call.app.store.projects()?;
    let own = projects.iter().find(|project| Some(project.id) == test.project);
    let action = format!("/tests/{}/project", test.key);
    let form = Form::new(call, action).prefixed("move-");
    let stored = own.map(|own| own.id.to_string()).unwrap_or_default();
    let is_runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        @if !projects.is_empty() {
            @let seen = changes::whom(own);
            @if is_runner {
                details.project open[form.is_refused()] {
                    summary { "Seen by: " (seen) }
                    @let fields = html! {
                        (form.choice("project", "Who sees this test", &offered(projects), &stored))
                        button { "Move" }
                    };
                    (form.whole("line", Script::Nothing, &fields))
                }
            } @else { p.note { "Seen by: " (seen) } }
        }
    })
}

/// A choice of the project of a new plan. Nothing on a site where the user sees no project.
pub(super) fn choice(call: &Call, form: &Form<'_>) -> Result<Markup, Problem> {
    let projects = call.app.store.projects()?;
    Ok(html! {
        @if !projects.is_empty() { (form.choice("project", "Who sees this test", &offered(projects), "")) }
    })
}

/// The project that a form chooses.
pub(super) fn of_form(call: &Call) -> Result<Option<Project>, Problem> {
    chosen(&call.app, call.field("project"))
}

fn offered(projects: Vec<Project>) -> Vec<(String, String)> {
    let all = projects.into_iter().map(|project| (project.id.to_string(), project.name));
    [(String::new(), "everybody".to_owned())].into_iter().chain(all).collect()
}

//! Projects that are added, changed and removed, and tests that move between them.

use http::StatusCode;

use super::is_name;
use crate::app::App;
use crate::auth::Requester;
use crate::problem::Problem;
use crate::store::{Members, Project, Test};

/// The most characters of the name of a project.
pub(crate) const NAME_MAX: usize = 60;
/// The most users, and the most groups, that see a project.
pub(crate) const MEMBERS_MAX: usize = 500;
/// The most characters of the name of a group.
pub(crate) const GROUP_MAX: usize = 200;

/// Adds a project, and returns its id.
pub(crate) fn add(
    app: &App,
    who: &Requester,
    name: &str,
    members: &Members,
) -> Result<i64, Problem> {
    let name = checked(app, name, members)?;
    let id = app.store.add_project(name, members)?.ok_or_else(|| taken(name))?;
    app.audit(who, "add project", &words(name, members))?;
    Ok(id)
}

/// Replaces the name of a project, and who sees its tests.
pub(crate) fn change(
    app: &App,
    who: &Requester,
    before: &Project,
    (name, members): (&str, &Members),
) -> Result<(), Problem> {
    let name = checked(app, name, members)?;
    if !app.store.change_project(before.id, name, members)? {
        return Err(taken(name));
    }
    let from = if before.name == name { String::new() } else { format!("{}, now ", before.name) };
    app.audit(who, "change project", &format!("{from}{}", words(name, members)))
}

/// Removes a project. `to` is where its tests go: the id of another project, or 0 for none, so that all users see them.
/// It may be empty if the project has no tests.
pub(crate) fn remove(
    app: &App,
    who: &Requester,
    project: &Project,
    to: &str,
) -> Result<(), Problem> {
    if to.is_empty() && project.tests > 0 {
        let why = format!(
            "{} has {}. Say where they go: to another project, or to everybody.",
            project.name,
            counted(project.tests)
        );
        let problem = Problem::field("to", "", "the id of another project, or 0", why).at("to");
        return Err(Problem { status: StatusCode::CONFLICT, ..problem });
    }
    let to = chosen(app, to).map_err(|problem| problem.at("to"))?;
    if to.as_ref().is_some_and(|to| to.id == project.id) {
        let why = "The tests of a project that is removed go to another one, or to everybody.";
        return Err(Problem::unusable(why).at("to"));
    }
    app.store.remove_project(project.id, to.as_ref().map(|to| to.id))?;
    let tests = match project.tests {
        0 => String::new(),
        count => format!("; {} to {}", counted(count), whom(to.as_ref())),
    };
    app.audit(who, "remove project", &format!("{}{tests}", project.name))
}

/// Moves a test to a project, or out of all.
pub(crate) fn move_test(
    app: &App,
    who: &Requester,
    test: &Test,
    to: Option<&Project>,
) -> Result<(), Problem> {
    let id = to.map(|to| to.id);
    if test.project == id {
        return Ok(());
    }
    app.store.move_test(&test.key, id)?;
    app.audit(who, "move test", &format!("{} to {}", test.name, whom(to)))
}

/// The project that a form or an address chooses by its id; none by an empty text or 0.
pub(crate) fn chosen(app: &App, id: &str) -> Result<Option<Project>, Problem> {
    if id.is_empty() || id == "0" {
        return Ok(None);
    }
    let missing = || Problem::missing("project").at("project");
    Ok(Some(with_id(app, id)?.ok_or_else(missing)?))
}

/// The project of this id.
pub(crate) fn with_id(app: &App, id: &str) -> Result<Option<Project>, Problem> {
    let id: i64 = id.parse().unwrap_or_default();
    Ok(app.store.projects()?.into_iter().find(|project| project.id == id))
}

/// Who sees the tests of a project, in words.
pub(crate) fn whom(project: Option<&Project>) -> String {
    project.map_or_else(|| "everybody".to_owned(), |project| project.name.clone())
}

/// How many tests, in words.
pub(crate) fn counted(tests: i64) -> String {
    if tests == 1 { "1 test".to_owned() } else { format!("{tests} tests") }
}

/// The name, if it and the members are acceptable.
fn checked<'a>(app: &App, name: &'a str, members: &Members) -> Result<&'a str, Problem> {
    let name = name.trim();
    if !is_name(name, NAME_MAX) {
        let wanted = format!("1 to {NAME_MAX} characters on one line");
        return Err(Problem::field("name", name, &wanted, format!("A name has {wanted}.")));
    }
    for (field, names) in [("users", &members.users), ("groups", &members.groups)] {
        if names.len() > MEMBERS_MAX {
            let wanted = format!("at most {MEMBERS_MAX} {field}");
            let given = format!("{} {field}", names.len());
            return Err(Problem::field(field, &given, &wanted, format!("A project has {wanted}.")));
        }
    }
    if let Some(group) = members.groups.iter().find(|group| !is_name(group, GROUP_MAX)) {
        let wanted = format!("1 to {GROUP_MAX} characters");
        let why = format!("The name of a group has {wanted}.");
        return Err(Problem::field("groups", group, &wanted, why));
    }
    for user in &members.users {
        if app.store.user_named(user)?.is_none() {
            let why = format!("There is no user named {user}.");
            return Err(Problem::field("users", user, "the names of users of this site", why));
        }
    }
    Ok(name)
}

fn taken(name: &str) -> Problem {
    let why = format!("A project named {name} already exists.");
    let problem = Problem::field("name", name, "a name that no other project has", why);
    Problem { status: StatusCode::CONFLICT, ..problem }
}

/// A project and who sees it, for the audit trail.
fn words(name: &str, Members { users, groups }: &Members) -> String {
    let users = users.iter().map(String::clone);
    let groups = groups.iter().map(|group| format!("group {group}"));
    let all: Vec<String> = users.chain(groups).collect();
    if all.is_empty() { format!("{name}: nobody") } else { format!("{name}: {}", all.join(", ")) }
}

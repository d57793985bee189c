//! Plans that are added, and their revisions.

use http::StatusCode;

use super::is_name;
use crate::app::App;
use crate::auth::Requester;
use crate::problem::Problem;
use crate::store::{Plan, Project};

/// The most characters of a name.
pub(crate) const NAME_MAX: usize = 80;
/// The most bytes of a plan, which is sent in a form.
pub(crate) const TEXT_MAX: usize = 100 << 10;

/// What became of a new text for a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revised {
    /// It is the newest revision now, or already was.
    Saved,
    /// Somebody else saved a revision in the meantime.
    Behind,
}

/// Adds a plan to a project, or to none, and returns its id.
pub(crate) fn add(
    app: &App,
    who: &Requester,
    (name, project): (&str, Option<&Project>),
    text: &str,
) -> Result<i64, Problem> {
    let name = name.trim();
    if !is_name(name, NAME_MAX) {
        let wanted = format!("text from 1 to {NAME_MAX} characters on one line");
        return Err(Problem::field(
            "name",
            name,
            &wanted,
            "A plan needs a short name on one line.",
        ));
    }
    fits(text)?;
    let of = (name, project.map(|project| project.id));
    let Some(id) = app.store.add_plan_to(of, (text, ""), (&who.user.name, app.now()))? else {
        let taken = format!("A plan named {name} already exists.");
        let problem = Problem::field("name", name, "a name that no other plan has", taken);
        return Err(Problem { status: StatusCode::CONFLICT, ..problem });
    };
    let within = project.map(|project| format!(" in the project {}", project.name));
    app.audit(who, "add plan", &format!("{name}{}", within.unwrap_or_default()))?;
    Ok(id)
}

/// Adds a revision that follows `after`, unless the text is that of the newest revision.
pub(crate) fn revise(
    app: &App,
    who: &Requester,
    plan: &Plan,
    (after, text): (i64, &str),
) -> Result<Revised, Problem> {
    fits(text)?;
    if text == plan.text {
        return Ok(Revised::Saved);
    }
    if !app.store.revise_plan(plan.id, after, text, (&who.user.name, app.now()))? {
        return Ok(Revised::Behind);
    }
    app.audit(who, "change plan", &format!("{}, revision {}", plan.name, after + 1))?;
    Ok(Revised::Saved)
}

/// Refuses a text that is too long for a plan.
pub(crate) fn fits(text: &str) -> Result<(), Problem> {
    if text.len() <= TEXT_MAX {
        return Ok(());
    }
    let given = format!("{} bytes", text.len());
    let detail = format!("A plan has at most {} KiB.", TEXT_MAX >> 10);
    Err(Problem::field("text", &given, &format!("at most {TEXT_MAX} bytes"), detail))
}

//! Plans that are made from existing material: a cURL command line, a HAR recording, an OpenAPI document, LoadGen's
//! files.
//!
//! A child reads it. Files that a plan refers to are stored in a directory of the plan.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_envelope::{Import, Imported, Kind};
use brunt_history::RunId;
use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::page as whole;
use super::projects;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::changes::plans::{NAME_MAX, TEXT_MAX};
use crate::problem::Problem;
use crate::submission::files::{directory, is_plain, write};

/// The most bytes of all files of a plan together.
const DATA_MAX: usize = 16 << 20;

/// `GET /plans/import`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    Ok(Answer::page(whole(call, "Import", &form(call)?)))
}

fn form(call: &Call) -> Result<Markup, Problem> {
    let kinds = [
        ("auto", "Detect automatically"),
        ("curl", "cURL command line"),
        ("har", "HAR recording"),
        ("openapi", "OpenAPI document (JSON or YAML)"),
        ("loadgen", "LoadGen: jobs, workloads, tasks"),
    ];
    let kinds = kinds.map(|(word, name)| (word.to_owned(), name.to_owned()));
    let form = Form::new(call, "/plans/import");
    let given = form.value("text", "").replace("\r\n", "\n");
    // A recording that is too long to be read is not sent back either.
    let value = if given.len() <= TEXT_MAX { given.as_str() } else { "" };
    let text = Area { rows: 12, value, required: true, is_code: true, ..AREA };
    let fields = html! {
        (form.area_of("text", "Text", text))
        div.drop data-drop hidden {
            p { "Drop a file or a directory here, or choose one: " }
            label { "File " input type="file" data-file; }
            label { "Directory " input type="file" webkitdirectory data-file; }
            p.note role="status" data-dropped {}
        }
        (form.choice("kind", "Format", &kinds, ""))
        (form.input("job", "Job, if a LoadGen directory has several", Input { list: Some("jobs"), ..TEXT }))
        datalist id="jobs" {}
        (projects::choice(call, &form)?)
        (form.tick("library", "Also add the tasks of LoadGen to the step library", false))
        div { button.main { "Import" } }
    };
    Ok(html! {
        p.crumbs { a href="/plans" { "Plans" } }
        h1.large { "Import a plan" }
        p {
            "Paste a cURL command line, or drop a HAR recording, an OpenAPI document or the LoadGen directory that \
             contains " code { "jobs" } ", " code { "workloads" } " and " code { "tasks" } ". The import sends no \
             requests. Passwords, tokens and cookies become variables."
        }
        (form.whole("stack", Script::Import, &fields))
    })
}

/// `POST /plans/import`.
pub(crate) fn import(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let kind = Kind::named(call.field("kind")).unwrap_or_default();
    let text = call.field("text").replace("\r\n", "\n");
    let imported =
        made(call, kind, text, call.field("job")).map_err(|problem| problem.at("text"))?;
    let id = keep(call, &imported)?;
    if call.field("library") == "1" {
        let known: Vec<String> =
            app.store.steps()?.into_iter().map(|step| step.name.to_lowercase()).collect();
        for (name, text) in &imported.steps {
            if !known.contains(&name.to_lowercase()) {
                let note = format!("A task of {}", imported.name);
                app.store.keep_step(name, (text, &note), (&who.user.name, app.now()))?;
            }
        }
    }
    app.audit(who, "import plan", &imported.name)?;
    Ok(Answer::see(&format!("/plans/{id}")))
}

/// The plan that a child makes from a text.
pub(crate) fn made(call: &Call, kind: Kind, text: String, job: &str) -> Result<Imported, Problem> {
    let (history, children) = (&call.app.history, &call.app.children);
    let import = Import { kind, text, job: job.trim().to_owned() };
    let done = history.in_scratch(|directory| children.import(directory, import));
    Ok(done.map_err(Problem::failed)??)
}

/// The bytes of an uploaded document, as text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<String, Problem> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|_| Problem::unusable("This is not UTF-8 text."))
}

/// Stores a plan and its files.
fn keep(call: &Call, imported: &Imported) -> Result<i64, Problem> {
    let app = &call.app;
    if imported.text.len() > TEXT_MAX {
        return Err(Problem::unusable(format!(
            "The plan would have {} KiB, and the limit is {} KiB. Filter the recording, or split the document.",
            imported.text.len() >> 10,
            TEXT_MAX >> 10
        )));
    }
    let decode = |(name, text): (&String, &String)| {
        let bytes = BASE64.decode(text).map_err(Problem::bug)?;
        is_plain(name)
            .then(|| (name.clone(), bytes))
            .ok_or_else(|| Problem::bug("a name that is a path"))
    };
    let data: Vec<(String, Vec<u8>)> =
        imported.data.iter().map(decode).collect::<Result<_, _>>()?;
    if data.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > DATA_MAX {
        let detail = format!("The files of a plan have at most {} MiB together.", DATA_MAX >> 20);
        return Err(Problem::unusable(detail));
    }
    let staged = staged(app, &data).map_err(Problem::failed)?;
    let kept = named_first(call, imported).and_then(|id| {
        let moved = staged.as_deref().map(|from| moved(from, &directory(app, id)));
        moved.transpose().map_err(Problem::failed).map(|_| id)
    });
    kept.inspect_err(|_| drop(staged.map(std::fs::remove_dir_all)))
}

/// Writes the files of a plan that has no number yet, so that a full disk leaves no plan without its files.
fn staged(app: &App, data: &[(String, Vec<u8>)]) -> io::Result<Option<PathBuf>> {
    if data.is_empty() {
        return Ok(None);
    }
    let name = RunId::new().map_err(io::Error::other)?;
    let directory = app.history.directory().join("plans").join(format!("new-{}", name.as_str()));
    match write(&directory, data) {
        Ok(()) => Ok(Some(directory)),
        Err(error) => {
            drop(std::fs::remove_dir_all(&directory));
            Err(error)
        }
    }
}

/// Gives a directory its name, in place of what an earlier site may have left there.
fn moved(from: &Path, to: &Path) -> io::Result<()> {
    drop(std::fs::remove_dir_all(to));
    std::fs::rename(from, to)
}

/// Adds the plan under its name, or under the first similar name that is free.
fn named_first(call: &Call, imported: &Imported) -> Result<i64, Problem> {
    let (app, by) = (&call.app, &call.who()?.user.name);
    let project = projects::of_form(call)?.map(|project| project.id);
    let name: String = imported
        .name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(NAME_MAX - 5)
        .collect();
    let name = if name.trim().is_empty() { "Imported" } else { name.trim() };
    for number in 1..1_000 {
        let name = if number == 1 { name.to_owned() } else { format!("{name} {number}") };
        let noted = (imported.text.as_str(), imported.notes.join("\n"));
        let added =
            app.store.add_plan_to((&name, project), (noted.0, &noted.1), (by, app.now()))?;
        if let Some(id) = added {
            return Ok(id);
        }
    }
    Err(Problem::unusable("There are too many plans with this name. Delete or rename some."))
}

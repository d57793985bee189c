//! Drafts: every button of a plan's form keeps what was typed, and may change the plan; nothing is saved yet.

use brunt_envelope::PathPart;
use http::StatusCode;
use serde_json::{Value, json};

use super::applied::applied;
use super::sheet::{NoSheet, Sheet, below, changed, name};
use super::typed::Typed;
use super::{field, text};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::pages::submission::named;
use crate::problem::{Problem, sentence};
use crate::store::{Draft, Plan};

/// `POST /plans/{id}/draft`.
pub(crate) fn keep(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let (store, person) = (&call.app.store, call.who()?.user.id);
    let act = call.field("do");
    match act {
        "discard" => {
            store.drop_drafts(person, plan.id)?;
            return Ok(seen(call, &plan, call.field("view"), ""));
        }
        "undo" => {
            store.undo_draft(person, plan.id)?;
            return Ok(seen(call, &plan, call.field("view"), ""));
        }
        _ => {}
    }
    let applied = applied(&call.app, &text(call)?, &Typed::from_call(call))?;
    put(call, &plan, &applied.text, &applied.left)?;
    // A script sends the form while it is edited, and shows the findings of the page.
    if let Some(fault) = applied.faults.first().filter(|_| !act.is_empty()) {
        return Err(refusal(applied.faults.len(), &fault.why));
    }
    let mut open = String::new();
    if let Some((word, path)) = act.split_once(':').or(Some((act, ""))).filter(|_| !act.is_empty())
        && !matches!(word, "text" | "form" | "apply")
    {
        let path: Vec<PathPart> = serde_json::from_str(path).unwrap_or_default();
        let requested =
            ButtonRequest { call, word, path, text: applied.text, sheet: applied.sheet };
        let (text, at) = requested.carried_out()?;
        put(call, &plan, &text, &Typed::default())?;
        open = at;
    }
    let view = if matches!(act, "text" | "form") { act } else { call.field("view") };
    Ok(seen(call, &plan, view, &open))
}

/// Why a plan is not saved or changed.
pub(super) fn refusal(count: usize, why: &str) -> Problem {
    let detail = match count {
        1 => format!("Not saved: one field needs a correction. What you typed is kept. {why}"),
        count => format!("Not saved: {count} fields need a correction. What you typed is kept."),
    };
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "Not saved", detail)
}

/// Keeps a text and what could not be written into it.
fn put(call: &Call, plan: &Plan, text: &str, left: &Typed) -> Result<(), Problem> {
    let (app, person) = (&call.app, call.who()?.user.id);
    if text == plan.text && left.is_empty() {
        return Ok(app.store.drop_drafts(person, plan.id)?);
    }
    let revision = call.field("after").parse().unwrap_or(plan.revision);
    let draft = Draft { revision, text: text.to_owned(), typed: left.to_kept() };
    Ok(app.store.keep_draft(person, plan.id, &draft, app.now())?)
}

/// Back to the plan, to the part that was changed. The settings of a run, which are no part of the plan, are in the
/// address.
fn seen(call: &Call, plan: &Plan, view: &str, open: &str) -> Answer {
    let mut address = format!("/plans/{}", plan.id);
    let mut query = form_urlencoded::Serializer::new(String::new());
    if view == "text" {
        query.append_pair("view", "text");
    }
    let settings = ["target", "duration", "tags", "commit"].map(|name| (name, call.field(name)));
    let given = [("open", open)].into_iter().chain(settings);
    query.extend_pairs(given.filter(|(_, text)| !text.is_empty()));
    let query = query.finish();
    if !query.is_empty() {
        address.push('?');
        address.push_str(&query);
    }
    if !open.is_empty() {
        address.push_str("#at-");
        address.push_str(&field::id(open));
    }
    Answer::see(&address)
}

/// The change that a button requests.
struct ButtonRequest<'a> {
    call: &'a Call,
    word: &'a str,
    path: Vec<PathPart>,
    text: String,
    sheet: Result<Sheet, NoSheet>,
}

impl ButtonRequest<'_> {
    /// The text after it, and the name of the part that is shown then.
    fn carried_out(self) -> Result<(String, String), Problem> {
        let app = &self.call.app;
        let (changes, open) = self.changes()?;
        if changes.is_empty() {
            return Ok((self.text, open));
        }
        let done = changed(app, &self.text, &changes)?;
        match done.refused {
            Some((_, why)) => Err(Problem::unusable(sentence(&why))),
            None => Ok((done.text, open)),
        }
    }

    fn changes(&self) -> Result<(Vec<Value>, String), Problem> {
        let path = &self.path;
        let key = |key: &str| PathPart::Key(key.to_owned());
        let shown = |path: &[PathPart]| name(path);
        Ok(match self.word {
            "step" | "pause" | "insert" => self.inserted()?,
            "copy" => {
                let (list, at) = element(path)?;
                let text = self.own()?;
                let change = json!({ "op": "paste", "path": list, "at": at + 1, "text": text });
                (vec![change], shown(&below(list, PathPart::Index(at + 1))))
            }
            "up" | "down" => {
                let (list, at) = element(path)?;
                let to = if self.word == "up" { at.saturating_sub(1) } else { at + 1 };
                let change = json!({ "op": "move", "path": path, "to": to });
                let is_moved = to != at;
                (
                    is_moved.then_some(change).into_iter().collect(),
                    shown(&below(list, PathPart::Index(to))),
                )
            }
            "move" => {
                let (_, at) = element(path)?;
                let nowhere = || Problem::unusable("Say which step it becomes: a number from 0.");
                let to: usize = self.call.field("to").parse().map_err(|_| nowhere())?;
                let change = json!({ "op": "move", "path": path, "to": to });
                // It stays closed: dragging is not editing.
                ((to != at).then_some(change).into_iter().collect(), String::new())
            }
            "remove" => (vec![json!({ "op": "unset", "path": path })], shown(around(path))),
            "more" => (vec![json!({ "op": "add", "path": path })], shown(around(path))),
            "keep" => {
                self.keep_step()?;
                (Vec::new(), shown(path))
            }
            "scenario" => {
                let at = self.read()?.scenarios.len();
                let path = [key("scenario"), PathPart::Index(at)];
                (vec![json!({ "op": "add", "path": ["scenario"] })], shown(&path))
            }
            "objective" => {
                let at = self.read()?.objectives.len();
                let path = [key("objectives"), PathPart::Index(at)];
                let text = self.call.field("objective");
                let set = json!({ "op": "set", "path": path, "text": proposed(text) });
                (
                    vec![json!({ "op": "add", "path": ["objectives"] }), set],
                    shown(&[key("objectives")]),
                )
            }
            "value" => {
                let name = self.call.field("value").trim();
                if name.is_empty() {
                    return Err(Problem::unusable("Give the name of the new value."));
                }
                let path = [key("variables"), key(name)];
                (vec![json!({ "op": "add", "path": ["variables"], "key": name })], shown(&path))
            }
            _ => return Err(Problem::missing("button")),
        })
    }

    /// A request, a pause or a step of the library at the end of a scenario.
    fn inserted(&self) -> Result<(Vec<Value>, String), Problem> {
        let path = &self.path;
        let steps = below(path, PathPart::Key("steps".to_owned()));
        let at = self.steps(path)?;
        let pasted = |text: &str| json!({ "op": "paste", "path": steps, "at": at, "text": text });
        let change = match self.word {
            "step" => json!({ "op": "add", "path": steps, "at": at }),
            "pause" => pasted("pause = \"1s\""),
            _ => {
                let id = self.call.field(&format!("library:{}", name(path)));
                let all = self.call.app.store.steps()?;
                let step = all.iter().find(|step| step.id.to_string() == id);
                pasted(&step.ok_or_else(|| Problem::missing("step"))?.text)
            }
        };
        Ok((vec![change], name(&below(&steps, PathPart::Index(at)))))
    }

    fn read(&self) -> Result<&Sheet, Problem> {
        self.sheet.as_ref().map_err(|error| Problem::unusable(sentence(&error.to_string())))
    }

    /// How many steps a scenario has.
    fn steps(&self, path: &[PathPart]) -> Result<usize, Problem> {
        let found = self.read()?.scenarios.iter().find(|scenario| scenario.line.path == path);
        let steps = &found.ok_or_else(|| Problem::missing("scenario"))?.steps;
        Ok(steps.iter().filter(|step| step.depth == 0).count())
    }

    /// The keys of the part.
    fn own(&self) -> Result<&str, Problem> {
        let line = self.read()?.line(&self.path).ok_or_else(|| Problem::missing("step"))?;
        Ok(&line.own)
    }

    /// Keeps a step in the library, under its name.
    fn keep_step(&self) -> Result<(), Problem> {
        let (app, who): (&App, _) = (&self.call.app, self.call.who()?);
        let line = self.read()?.line(&self.path).ok_or_else(|| Problem::missing("step"))?;
        crate::pages::steps::kept(app, who, &line.name, (&line.own, ""))
    }
}

/// The list of an element, and its number.
fn element(path: &[PathPart]) -> Result<(&[PathPart], usize), Problem> {
    match path.split_last() {
        Some((PathPart::Index(at), list)) => Ok((list, *at)),
        _ => Err(Problem::missing("step")),
    }
}

/// The step, scenario, value or section that a changed part belongs to.
fn around(path: &[PathPart]) -> &[PathPart] {
    let is_step = |at: usize| {
        let is_list = matches!(&path[at], PathPart::Key(key) if key == "steps");
        is_list && matches!(path.get(at + 1), Some(PathPart::Index(_)))
    };
    let last = (0..path.len()).rev().find(|at| is_step(*at) && at + 2 < path.len());
    if let Some(at) = last {
        return &path[..at + 2];
    }
    let length = if matches!(path.first(), Some(PathPart::Key(key)) if key == "scenario" || key == "variables")
    {
        2
    } else {
        1
    };
    &path[..length.min(path.len().saturating_sub(1))]
}

/// A new objective of a kind.
fn proposed(kind: &str) -> &'static str {
    if kind == "errors" { "errors < 1%" } else { "p99 < 250ms" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_change_is_shown_in_its_step_or_section() {
        let of = |text: &str| {
            let path: Vec<PathPart> = serde_json::from_str(text).unwrap();
            name(around(&path))
        };
        let step = r#"["scenario",0,"steps",2]"#;
        assert_eq!(of(r#"["scenario",0,"steps",2,"headers","A"]"#), step);
        assert_eq!(
            of(r#"["scenario",0,"steps",2,"steps",1,"get"]"#),
            r#"["scenario",0,"steps",2,"steps",1]"#
        );
        assert_eq!(of(step), r#"["scenario",0]"#);
        assert_eq!(of(r#"["http","base"]"#), r#"["http"]"#);
        assert_eq!(of(r#"["http"]"#), "[]");
    }
}

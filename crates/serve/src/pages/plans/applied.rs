//! [`Applied`]: the text of a plan with what was typed into its fields.
//!
//! A form has the text that it was made of and its fields. What differs from the text is written into it; what cannot
//! be written stays in its field, with the reason.

use brunt_envelope::PathPart;
use serde_json::{Value, json};

use super::sheet::{Changed, NoSheet, Sheet, changed, name};
use super::typed::{FieldError, Typed};
use super::{load, objective};
use crate::app::App;
use crate::problem::Problem;

/// The most values that are refused at a time; further ones are refused the next time.
const FAULTS_MAX: usize = 20;
/// The most changes that a child makes at once.
const CHANGES_MAX: usize = 100;

/// A text with what was typed.
pub(super) struct Applied {
    pub(super) text: String,
    pub(super) sheet: Result<Sheet, NoSheet>,
    pub(super) faults: Vec<FieldError>,
    /// What is still only in its fields.
    pub(super) left: Typed,
    /// The fields whose values changed the text.
    pub(super) written: Vec<String>,
}

/// A change, and the field that it came from.
pub(super) struct Wanted {
    pub(super) field: String,
    pub(super) label: String,
    pub(super) change: Value,
}

/// Writes into a text what was typed.
pub(super) fn applied(app: &App, text: &str, typed: &Typed) -> Result<Applied, Problem> {
    let Changed { text, sheet, .. } = changed(app, text, &[])?;
    let sheet = match sheet {
        Ok(sheet) => sheet,
        Err(why) => {
            let (faults, written) = (Vec::new(), Vec::new());
            return Ok(Applied { text, sheet: Err(why), faults, left: typed.clone(), written });
        }
    };
    let (mut wanted, mut faults) = wanted(&sheet, typed);
    let (mut text, mut sheet, mut written) = (text, Ok(sheet), Vec::new());
    while !wanted.is_empty() && faults.len() < FAULTS_MAX {
        let some = wanted.len().min(CHANGES_MAX);
        let changes: Vec<Value> = wanted[..some].iter().map(|one| one.change.clone()).collect();
        let done = changed(app, &text, &changes)?;
        (text, sheet) = (done.text, done.sheet);
        let made = done.refused.as_ref().map_or(some, |(number, _)| *number);
        written.extend(wanted.drain(..made.min(some)).map(|one| one.field));
        if let Some((_, why)) = done.refused.filter(|_| !wanted.is_empty()) {
            let Wanted { field, label, .. } = wanted.remove(0);
            faults.push(FieldError { field, label, why: format!("{why}."), likely: Vec::new() });
        }
    }
    let left =
        |fault: &FieldError| Some((fault.field.clone(), typed.of_field(&fault.field)?.to_owned()));
    let mut left = Typed::new(faults.iter().filter_map(left));
    // The sentence of a load is refused as a whole.
    if left.all().map(|(name, _)| name).any(|name| name.starts_with("load.")) {
        let of_load = typed.all().filter(|(name, _)| name.starts_with("load."));
        left.extend(of_load.map(|(name, text)| (name.clone(), text.clone())));
    }
    Ok(Applied { text, sheet, faults, left, written })
}

/// The changes that fields request, and the values that are not acceptable.
fn wanted(sheet: &Sheet, typed: &Typed) -> (Vec<Wanted>, Vec<FieldError>) {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    // A part that has a form of its own is in the form of the plan only as a link.
    let nodes: Vec<_> = sheet.nodes().into_iter().filter(|node| node.widget != "link").collect();
    let mut add = |field: &str, label: &str, change: Value| {
        all.push(Wanted { field: field.to_owned(), label: label.to_owned(), change });
    };
    for node in nodes.iter().filter(|node| node.is_leaf()) {
        let field = name(&node.path);
        let Some(text) = typed.of_field(&field) else { continue };
        // What is secret is not in its field.
        if text != node.value && !(node.widget == "secret" && text.is_empty()) {
            add(
                &field,
                &label(&node.path),
                json!({ "op": "set", "path": node.path, "text": text }),
            );
        }
    }
    match load::wanted(&sheet.load, typed) {
        Ok(changes) => changes.into_iter().for_each(|change| add("load.shape", "How many", change)),
        Err(mut wrong) => faults.append(&mut wrong),
    }
    for (number, text) in sheet.objectives.iter().enumerate() {
        match objective::wanted(number, text, typed) {
            Ok(Some(text)) => {
                let path = [PathPart::Key("objectives".to_owned()), PathPart::Index(number)];
                let field = objective::first_field(number, &text);
                add(&field, "Objective", json!({ "op": "set", "path": path, "text": text }));
            }
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    for node in &nodes {
        let path = name(&node.path);
        let kind =
            typed.of_field(&format!("kind:{path}")).and_then(|kind| kind.parse::<usize>().ok());
        if let Some(kind) = kind.filter(|kind| *kind != node.kind && *kind < node.kinds.len()) {
            let change = json!({ "op": "choose", "path": node.path, "kind": kind });
            add(&format!("kind:{path}"), &label(&node.path), change);
        }
    }
    for node in nodes {
        let field = format!("add:{}", name(&node.path));
        let key = typed.of_field(&field).map(str::trim).filter(|key| !key.is_empty());
        if let Some(key) = key {
            let change = json!({ "op": "add", "path": node.path, "key": key });
            add(&field, &label(&node.path), change);
        }
    }
    (all, faults)
}

/// What a part is called in a sentence.
pub(super) fn label(path: &[PathPart]) -> String {
    let words = path.iter().map(|part| match part {
        PathPart::Key(key) if key == "steps" => "step".to_owned(),
        PathPart::Key(key) => key.clone(),
        PathPart::Index(index) => (index + 1).to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}

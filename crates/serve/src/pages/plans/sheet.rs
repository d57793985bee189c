//! A plan as readable lines, as a child of the program reads it. The server handles the text only as text.

use std::collections::BTreeMap;

use brunt_envelope::PathPart;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::problem::Problem;

/// A plan as readable lines.
#[derive(Debug, Deserialize)]
pub(super) struct Sheet {
    pub(super) scenarios: Vec<Scenario>,
    pub(super) load: Load,
    pub(super) objectives: Vec<String>,
    pub(super) values: Vec<Line>,
    pub(super) rest: Vec<Line>,
}

/// A scenario with its steps.
#[derive(Debug, Deserialize)]
pub(super) struct Scenario {
    pub(super) line: Line,
    pub(super) steps: Vec<Line>,
}

/// A part of a plan in a line or two.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) path: Vec<PathPart>,
    pub(super) name: String,
    pub(super) act: String,
    pub(super) on: String,
    pub(super) does: String,
    pub(super) depth: usize,
    pub(super) of: usize,
    pub(super) pauses: bool,
    pub(super) form: Option<Node>,
    pub(super) own: String,
}

/// The load: its shape, the values of its sentence and what is drawn.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Load {
    pub(super) shape: String,
    pub(super) fields: BTreeMap<String, String>,
    pub(super) keys: Vec<String>,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) steady: f64,
}

/// A part of a form.
#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) path: Vec<PathPart>,
    pub(super) label: String,
    pub(super) what: String,
    pub(super) loadgen: String,
    pub(super) widget: String,
    pub(super) value: String,
    pub(super) options: Vec<Choice>,
    pub(super) kinds: Vec<String>,
    pub(super) kind: usize,
    pub(super) parts: Vec<Self>,
    pub(super) add: Vec<Choice>,
    pub(super) of: Option<usize>,
    pub(super) removable: bool,
}

/// An option to choose, and its meaning.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) word: String,
    pub(super) what: String,
}

/// A text after changes.
pub(super) struct Changed {
    pub(super) text: String,
    /// Why a change was not made, and its number.
    pub(super) refused: Option<(usize, String)>,
    /// The lines of the text.
    pub(super) sheet: Result<Sheet, NoSheet>,
}

/// Why the text of a plan cannot be shown as lines, in the words of the child that read it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoSheet(pub(super) String);

/// Makes changes of a text, and reads it.
pub(super) fn changed(app: &App, text: &str, changes: &[Value]) -> Result<Changed, Problem> {
    let requested = json!({ "text": text, "changes": changes, "sheet": true }).to_string();
    let mut answer = app.children.edit(requested)?;
    let fault = answer["fault"].as_str().unwrap_or_default().to_owned();
    let number = answer["refused"].as_u64().and_then(|number| usize::try_from(number).ok());
    let sheet = match answer["sheet"].take() {
        Value::Null => Err(NoSheet(fault.clone())),
        sheet => Ok(serde_json::from_value(sheet).map_err(Problem::bug)?),
    };
    let text = answer["text"].as_str().ok_or_else(|| Problem::bug("an edit without a text"))?;
    Ok(Changed { text: text.to_owned(), refused: number.map(|number| (number, fault)), sheet })
}

/// The name of the field of a path.
pub(super) fn name(path: &[PathPart]) -> String {
    serde_json::to_string(path).unwrap_or_default()
}

/// A path and one part more.
pub(super) fn below(path: &[PathPart], part: PathPart) -> Vec<PathPart> {
    [path, &[part]].concat()
}

impl Sheet {
    /// All parts of its forms that have a value of their own.
    pub(super) fn nodes(&self) -> Vec<&Node> {
        let of_steps = self
            .scenarios
            .iter()
            .flat_map(|scenario| std::iter::once(&scenario.line).chain(&scenario.steps));
        let lines = of_steps.chain(&self.values).chain(&self.rest);
        let mut all = Vec::new();
        for form in lines.filter_map(|line| line.form.as_ref()) {
            form.gather(&mut all);
        }
        all
    }

    /// The line of a path.
    pub(super) fn line(&self, path: &[PathPart]) -> Option<&Line> {
        let steps = self
            .scenarios
            .iter()
            .flat_map(|scenario| std::iter::once(&scenario.line).chain(&scenario.steps));
        steps.chain(&self.values).find(|line| line.path == path)
    }

    /// The names of requests in objectives, each once.
    pub(super) fn requests(&self) -> Vec<&str> {
        let steps = self.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let mut names: Vec<&str> =
            steps.filter(|step| !step.pauses).map(|step| step.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Node {
    fn gather<'a>(&'a self, all: &mut Vec<&'a Self>) {
        all.push(self);
        self.parts.iter().for_each(|part| part.gather(all));
    }

    /// Whether it is a list that is shown as sentences.
    pub(super) fn is_elsewhere(&self) -> bool {
        matches!(&self.path[..], [PathPart::Key(key)] if key == "objectives")
    }

    /// Whether it has a value in a field.
    pub(super) fn is_leaf(&self) -> bool {
        !matches!(self.widget.as_str(), "object" | "map" | "list" | "link")
    }
}

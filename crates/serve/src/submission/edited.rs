//! [`edited`]: a change of a plan's text, which a child of the program makes.

use serde_json::{Value, json};

use crate::app::App;
use crate::problem::{Problem, sentence};

/// The text of a plan after a change.
pub(crate) fn edited(app: &App, text: &str, change: &Value) -> Result<String, Problem> {
    let requested = json!({ "text": text, "changes": [change] }).to_string();
    let answer = app.children.edit(requested)?;
    match (answer["fault"].as_str(), answer["text"].as_str()) {
        (Some(""), Some(text)) => Ok(text.to_owned()),
        (fault, _) => Err(Problem::unusable(sentence(fault.unwrap_or("not changed")))),
    }
}

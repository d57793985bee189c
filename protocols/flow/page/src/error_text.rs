//! [`error_text`]: the error message that a page shows.

use crate::document::{Document, Node, attribute};
use crate::meter::{Meter, Spent};
use crate::open_elements::OpenElements;
use html5ever::tokenizer::Tag;

/// The most characters of it that are kept.
const SHOWN_MAX: usize = 200;

/// The text of the first element, and not of the whole page, whose id or class contains `error` or whose role is alert.
pub fn error_text(document: &Document, meter: &dyn Meter) -> Result<Option<String>, Spent> {
    let mut elements = OpenElements::default();
    let mut open: Option<usize> = None;
    let mut text = String::new();
    for node in &document.nodes {
        match node {
            Node::Start(tag) => {
                meter.spend(tag.attrs.len() as u64)?;
                let content = elements.open(tag);
                if open.is_none() && content && is_error(tag) {
                    open = Some(elements.depth());
                }
            }
            Node::End(name) => {
                elements.close(name, meter)?;
                if open.is_some_and(|depth| elements.depth() < depth) {
                    if let Some(message) = shown(&text) {
                        return Ok(Some(message));
                    }
                    (open, text) = (None, String::new());
                }
            }
            Node::Text(more) => {
                let code = matches!(elements.innermost(), Some("script" | "style"));
                if open.is_some() && !code && text.len() < 4 * SHOWN_MAX {
                    text.push_str(more);
                }
            }
        }
    }
    Ok(shown(&text))
}

fn is_error(tag: &Tag) -> bool {
    if matches!(&*tag.name, "html" | "body" | "script" | "style" | "form" | "main") {
        return false;
    }
    let names = ["id", "class"].iter().filter_map(|name| attribute(tag, name));
    let alert = attribute(tag, "role").is_some_and(|role| role.eq_ignore_ascii_case("alert"));
    alert || names.into_iter().any(|name| name.to_ascii_lowercase().contains("error"))
}

fn shown(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = words.char_indices().nth(SHOWN_MAX).map(|(at, _)| format!("{}...", &words[..at]));
    Some(cut.unwrap_or(words)).filter(|words| !words.is_empty())
}

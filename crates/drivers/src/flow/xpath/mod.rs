//! [`XPath`]: a value of an XML body, found by XPath 1.0.
//!
//! Written here because the crates that evaluate XPath 1.0 are no longer kept up, cannot be shared between threads, or
//! bring a whole XSLT processor; `roxmltree` does the parsing. It is XPath 1.0 (W3C, 16 November 1999) but for four
//! things. A name without a prefix stands for that name in any namespace, since a plan has no place to declare
//! prefixes and most answers have a default namespace; a prefix means what the document makes it mean where it stands.
//! There are no variables, no namespace axis, and neither `id()` nor `lang()`. The work is bounded: an expression that
//! looks at more than [`LOOKS_MAX`] nodes finds nothing.

mod evaluate;
mod function;
mod item;
mod parse;
mod token;
mod value;

use item::Item;
use parse::Expression;
use roxmltree::Document;
use std::fmt;
use std::sync::Arc;
use value::Value;

/// How often an evaluation looks at a node before it is given up.
const LOOKS_MAX: u64 = 1_000_000;

/// The longest expression.
const LENGTH_MAX: usize = 4096;

/// An expression, compiled.
#[derive(Clone, Debug)]
pub struct XPath {
    text: Arc<str>,
    expression: Arc<Expression>,
}

impl XPath {
    /// Reads an expression. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LENGTH_MAX {
            return Err(format!("it is longer than {LENGTH_MAX} bytes"));
        }
        let expression = Arc::new(parse::parse(&token::tokens(text)?)?);
        Ok(Self { text: text.into(), expression })
    }

    /// The value: of nodes, the text of the first. None where there is no such node.
    pub(super) fn find(&self, document: &Document<'_>) -> Option<String> {
        match evaluate::evaluate(&self.expression, document)? {
            Value::Nodes(nodes) => nodes.first().map(Item::text),
            other => Some(other.into_text()),
        }
    }

    /// How many nodes there are; a value that is no node counts as one.
    pub(super) fn count(&self, document: &Document<'_>) -> usize {
        match evaluate::evaluate(&self.expression, document) {
            Some(Value::Nodes(nodes)) => nodes.len(),
            Some(_) => 1,
            None => 0,
        }
    }
}

impl fmt::Display for XPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;

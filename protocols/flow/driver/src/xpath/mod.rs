//! [`XPath`]: a value of an XML body, found by XPath 1.0.
//!
//! It is implemented here because the crates that evaluate XPath 1.0 are no longer maintained, cannot be shared between
//! threads, or need a whole XSLT processor; `roxmltree` does the parsing. It implements XPath 1.0 (W3C, 16 November
//! 1999) with four exceptions. A name without a prefix means that name in any namespace, since a plan has no place to
//! declare prefixes and most answers have a default namespace; a prefix has the meaning that the document gives it at
//! that place. There are no variables, no namespace axis, and neither `id()` nor `lang()`. The work of an evaluation is
//! counted against the [`Work`] of the answer.

mod error;
mod evaluate;
mod function;
mod item;
mod parse;
mod token;
mod value;

use super::unexamined::Unexamined;
use super::work::Work;
use error::LENGTH_MAX;
pub use error::XPathError;
use parse::Expression;
use roxmltree::Document;
use std::fmt;
use std::sync::Arc;
use value::Value;

/// An expression, compiled.
#[derive(Clone, Debug)]
pub struct XPath {
    text: Arc<str>,
    expression: Arc<Expression>,
}

impl XPath {
    /// Parses an expression.
    pub fn parse(text: &str) -> Result<Self, XPathError> {
        if text.len() > LENGTH_MAX {
            return Err(XPathError::Long);
        }
        let expression = Arc::new(parse::parse(&token::tokens(text)?)?);
        Ok(Self { text: text.into(), expression })
    }

    /// The value: for nodes, the text of the first. `None` if there is no such node.
    pub(super) fn find(
        &self,
        document: &Document<'_>,
        work: &Work,
    ) -> Result<Option<String>, Unexamined> {
        match evaluate::evaluate(&self.expression, document, work)? {
            Value::Nodes(nodes) => {
                nodes.first().map(|first| evaluate::text(first, work)).transpose()
            }
            other => Ok(Some(other.into_text())),
        }
    }

    /// The texts of all nodes; a value that is not nodes is the only one.
    pub(super) fn all(
        &self,
        document: &Document<'_>,
        work: &Work,
    ) -> Result<Vec<String>, Unexamined> {
        match evaluate::evaluate(&self.expression, document, work)? {
            Value::Nodes(nodes) => nodes.iter().map(|node| evaluate::text(node, work)).collect(),
            other => Ok(vec![other.into_text()]),
        }
    }

    /// How many nodes there are; a value that is not nodes counts as one.
    pub(super) fn count(&self, document: &Document<'_>, work: &Work) -> Result<usize, Unexamined> {
        Ok(match evaluate::evaluate(&self.expression, document, work)? {
            Value::Nodes(nodes) => nodes.len(),
            _ => 1,
        })
    }
}

impl fmt::Display for XPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;

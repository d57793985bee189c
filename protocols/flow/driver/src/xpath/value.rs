//! [`Value`]: the result of an expression, and the conversions between its types, XPath 1.0 section
//! 4.

use super::item::Item;

/// The result of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value<'a, 'i> {
    /// Nodes, in document order, without duplicates.
    Nodes(Vec<Item<'a, 'i>>),
    Text(String),
    Number(f64),
    Truth(bool),
}

impl Value<'_, '_> {
    /// The length of its text in bytes.
    pub(super) fn length(&self) -> usize {
        if let Self::Text(text) = self { text.len() } else { 0 }
    }

    /// Converts it to text: for nodes, that of the first.
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map(Item::text).unwrap_or_default(),
            Self::Text(text) => text,
            Self::Number(number) => written(number),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    /// Converts it to a number.
    pub(super) fn into_number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Truth(truth) => f64::from(u8::from(truth)),
            other => number(&other.into_text()),
        }
    }

    /// Converts it to a boolean.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Truth(truth) => *truth,
        }
    }
}

/// The number in a text: digits with at most one point, an optional minus sign before them, and
/// white space around them.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let plain = |char: char| char.is_ascii_digit() || matches!(char, '.' | '-');
    if text.chars().all(plain) { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

fn written(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // Adding zero removes the sign of a negative zero.
    format!("{}", number + 0.0)
}

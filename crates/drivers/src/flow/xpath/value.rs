//! [`Value`]: what an expression comes to, and how one kind becomes another, XPath 1.0 section 4.

use super::item::Item;

/// What an expression comes to.
#[derive(Clone, Debug)]
pub(super) enum Value<'a, 'i> {
    /// Nodes, in the order of the document, none twice.
    Nodes(Vec<Item<'a, 'i>>),
    Text(String),
    Number(f64),
    Truth(bool),
}

impl Value<'_, '_> {
    /// How many bytes of text it is.
    pub(super) fn length(&self) -> usize {
        if let Self::Text(text) = self { text.len() } else { 0 }
    }

    /// As text: of nodes, that of the first.
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map(Item::text).unwrap_or_default(),
            Self::Text(text) => text,
            Self::Number(number) => written(number),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    /// As a number.
    pub(super) fn into_number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Truth(truth) => f64::from(u8::from(truth)),
            other => number(&other.into_text()),
        }
    }

    /// As yes or no.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Truth(truth) => *truth,
        }
    }
}

/// The number that a text is: digits with at most one point, a sign before them, space around them.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let plain = |char: char| char.is_ascii_digit() || matches!(char, '.' | '-');
    if text.chars().all(plain) { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

fn written(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // Without the sign of a zero.
    format!("{}", number + 0.0)
}

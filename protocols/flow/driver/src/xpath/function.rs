//! The functions of XPath 1.0, section 4, that depend only on values.

use super::error::XPathError;
use super::value::Value;

/// A function that an expression may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Last,
    Position,
    Count,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// Each function with its name and its minimum and maximum number of arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 25] = [
    ("last", Function::Last, 0, 0),
    ("position", Function::Position, 0, 0),
    ("count", Function::Count, 1, 1),
    ("local-name", Function::LocalName, 0, 1),
    ("namespace-uri", Function::NamespaceUri, 0, 1),
    ("name", Function::Name, 0, 1),
    ("string", Function::String, 0, 1),
    ("concat", Function::Concat, 2, 64),
    ("starts-with", Function::StartsWith, 2, 2),
    ("contains", Function::Contains, 2, 2),
    ("substring-before", Function::SubstringBefore, 2, 2),
    ("substring-after", Function::SubstringAfter, 2, 2),
    ("substring", Function::Substring, 2, 3),
    ("string-length", Function::StringLength, 0, 1),
    ("normalize-space", Function::NormalizeSpace, 0, 1),
    ("translate", Function::Translate, 3, 3),
    ("boolean", Function::Boolean, 1, 1),
    ("not", Function::Not, 1, 1),
    ("true", Function::True, 0, 0),
    ("false", Function::False, 0, 0),
    ("number", Function::Number, 0, 1),
    ("sum", Function::Sum, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("ceiling", Function::Ceiling, 1, 1),
    ("round", Function::Round, 1, 1),
];

impl Function {
    /// The function with this name, if it takes this many arguments.
    pub(super) fn named(name: &str, arguments: usize) -> Result<Self, XPathError> {
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let (_, function, least, most) =
            known.ok_or_else(|| XPathError::Function(name.to_owned()))?;
        if !(*least..=*most).contains(&arguments) {
            let takes =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            let name = name.to_owned();
            return Err(XPathError::Arguments { name, takes, given: arguments });
        }
        Ok(*function)
    }

    /// Whether it applies to the context node if it is called without an argument.
    pub(super) fn is_of_context(self) -> bool {
        matches!(
            self,
            Self::LocalName
                | Self::NamespaceUri
                | Self::Name
                | Self::String
                | Self::StringLength
                | Self::NormalizeSpace
                | Self::Number
        )
    }

    /// Whether an argument of nodes means the text of the first.
    pub(super) fn reads_text(self) -> bool {
        use Function::{Boolean, Count, LocalName, Name, NamespaceUri, Not, Sum};
        !matches!(self, Count | LocalName | NamespaceUri | Name | Boolean | Not | Sum)
    }

    /// The result for these arguments, of which there is a valid number. It does not depend on the context: `last()`
    /// and `position()` have no useful result here.
    pub(super) fn call<'a, 'i>(self, arguments: Vec<Value<'a, 'i>>) -> Value<'a, 'i> {
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().unwrap_or(Value::Truth(false));
        match self {
            Self::Count => match next() {
                Value::Nodes(nodes) => Value::Number(nodes.len() as f64),
                _ => Value::Number(f64::NAN),
            },
            Self::LocalName | Self::NamespaceUri | Self::Name => Value::Text(self.name_of(&next())),
            Self::String => Value::Text(next().into_text()),
            Self::Concat => Value::Text(arguments.map(Value::into_text).collect()),
            Self::StartsWith => Value::Truth(next().into_text().starts_with(&next().into_text())),
            Self::Contains => Value::Truth(next().into_text().contains(&next().into_text())),
            Self::SubstringBefore | Self::SubstringAfter => {
                let (text, mark) = (next().into_text(), next().into_text());
                let (before, after) = text.split_once(&mark).unwrap_or_default();
                let part = if self == Self::SubstringBefore { before } else { after };
                Value::Text(part.to_owned())
            }
            Self::Substring => {
                let (text, first) = (next().into_text(), next().into_number());
                let length = arguments.next().map_or(f64::INFINITY, Value::into_number);
                Value::Text(substring(&text, first, length))
            }
            Self::StringLength => Value::Number(next().into_text().chars().count() as f64),
            Self::NormalizeSpace => {
                let text = next().into_text();
                let words = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
                Value::Text(words.collect::<Vec<_>>().join(" "))
            }
            Self::Translate => {
                let (text, from, to) = (next().into_text(), next().into_text(), next().into_text());
                Value::Text(translate(&text, &from, &to))
            }
            Self::Boolean => Value::Truth(next().truth()),
            Self::Not => Value::Truth(!next().truth()),
            Self::True => Value::Truth(true),
            Self::False | Self::Last | Self::Position => Value::Truth(false),
            Self::Number => Value::Number(next().into_number()),
            // The sum over nodes is computed where the nodes are read.
            Self::Sum => Value::Number(f64::NAN),
            Self::Floor => Value::Number(next().into_number().floor()),
            Self::Ceiling => Value::Number(next().into_number().ceil()),
            Self::Round => Value::Number((next().into_number() + 0.5).floor()),
        }
    }

    fn name_of(self, value: &Value<'_, '_>) -> String {
        let Value::Nodes(nodes) = value else { return String::new() };
        nodes.first().map_or_else(String::new, |node| match self {
            Self::LocalName => node.local_name().to_owned(),
            Self::NamespaceUri => node.namespace().unwrap_or_default().to_owned(),
            _ => node.name(),
        })
    }
}

/// The characters whose positions, counted from 1, are at least `first` and below `first + length`, both rounded.
fn substring(text: &str, first: f64, length: f64) -> String {
    let rounded = |number: f64| (number + 0.5).floor();
    let (first, end) = (rounded(first), rounded(first) + rounded(length));
    let within = |at: f64| at >= first && at < end;
    let chars = text.chars().enumerate();
    chars.filter(|(at, _)| within(*at as f64 + 1.0)).map(|(_, char)| char).collect()
}

/// Replaces each character of `from` by the one at the same position in `to`, or removes it if there is none.
fn translate(text: &str, from: &str, to: &str) -> String {
    let replaced = |char: char| match from.chars().position(|known| known == char) {
        None => Some(char),
        Some(at) => to.chars().nth(at),
    };
    text.chars().filter_map(replaced).collect()
}

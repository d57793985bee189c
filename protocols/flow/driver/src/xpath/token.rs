//! The tokens of an expression, XPath 1.0 section 3.7.

use super::error::XPathError;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Literal(String),
    /// A name, or `*` with a prefix; its local part can be `*` only with a prefix.
    Name {
        prefix: Option<String>,
        local: String,
    },
    /// `*` where a name is allowed.
    Any,
    /// An operator or a mark: `/`, `//`, `and`, `!=` and so on; also `*` where an operator is
    /// allowed.
    Mark(&'static str),
}

/// The marks; those that are prefixes of others come later.
const MARKS: [&str; 21] = [
    "//", "..", "::", "!=", "<=", ">=", "/", ".", "(", ")", "[", "]", "@", ",", "|", "+", "-", "=",
    "<", ">", "*",
];

/// The names that are operators where an operator is allowed.
const WORDS: [&str; 4] = ["and", "or", "mod", "div"];

/// Splits `text` into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, XPathError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let digit = |text: &str| text.starts_with(|char: char| char.is_ascii_digit());
        let (token, length) = if digit(rest) || first == '.' && digit(&rest[1..]) {
            number(rest)
        } else if matches!(first, '"' | '\'') {
            let inside = &rest[1..];
            let end = inside.find(first).ok_or_else(|| XPathError::Quote(rest.to_owned()))?;
            (Token::Literal(inside[..end].to_owned()), end + 2)
        } else if starts_name(first) {
            word(rest, may_be_operator(tokens.last()))
        } else {
            let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
            let mark = mark.ok_or(match first {
                '$' => XPathError::Variable,
                other => XPathError::Character(other),
            })?;
            let any = mark == "*" && !may_be_operator(tokens.last());
            (if any { Token::Any } else { Token::Mark(mark) }, mark.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn number(rest: &str) -> (Token, usize) {
    let digits = |text: &str| text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let whole = digits(rest);
    let length = match rest[whole..].strip_prefix('.') {
        Some(fraction) => whole + 1 + digits(fraction),
        None => whole,
    };
    (Token::Number(rest[..length].parse().unwrap_or(f64::NAN)), length)
}

/// A name with its prefix, or an operator.
fn word(rest: &str, operator: bool) -> (Token, usize) {
    let first = &rest[..name(rest)];
    if operator && let Some(word) = WORDS.into_iter().find(|word| *word == first) {
        return (Token::Mark(word), first.len());
    }
    let after = &rest[first.len()..];
    if let Some(local) = after.strip_prefix(':').filter(|local| !local.starts_with(':')) {
        let prefix = Some(first.to_owned());
        let length = if local.starts_with('*') { 1 } else { name(local) };
        if length > 0 {
            let local = local[..length].to_owned();
            return (Token::Name { prefix, local }, first.len() + 1 + length);
        }
    }
    (Token::Name { prefix: None, local: first.to_owned() }, first.len())
}

fn starts_name(char: char) -> bool {
    char == '_' || char.is_alphabetic()
}

/// The length of the name at the beginning of `text`.
fn name(text: &str) -> usize {
    if !text.starts_with(starts_name) {
        return 0;
    }
    let within = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '\u{b7}');
    text.find(|char| !within(char)).unwrap_or(text.len())
}

/// Whether an operator is allowed next: it is after any token that ends an operand.
fn may_be_operator(before: Option<&Token>) -> bool {
    match before {
        None => false,
        Some(Token::Mark(mark)) => matches!(*mark, ")" | "]" | "." | ".."),
        Some(_) => true,
    }
}

//! The grammar of paths, RFC 9535 sections 2.1 to 2.5.

use super::error::{DEPTH_MAX, JsonPathError};
use super::{Comparison, Condition, Operand, Query, Segment, Selector};
use crate::pattern::Pattern;
use serde_json::Value;

/// The largest number that an index may be (RFC 7493).
const INDEX_MAX: i64 = (1 << 53) - 1;

/// The comparison operators; those that are prefixes of others come later.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

type Result<T> = std::result::Result<T, JsonPathError>;

/// Parses `text` as a query.
pub(super) fn parse(text: &str) -> Result<Query> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if !parser.take("$") {
        return Err(parser.wrong("'$', with which a path begins"));
    }
    let query = parser.query(true)?;
    if parser.at < text.len() {
        return Err(parser.wrong("the end, '.' or '['"));
    }
    Ok(query)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

/// An argument of a function or an operand of a condition.
enum Term {
    Query(Query),
    Operand(Operand),
    Condition(Condition),
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, mark: &str) -> bool {
        let taken = self.rest().starts_with(mark);
        self.at += if taken { mark.len() } else { 0 };
        taken
    }

    fn expect(&mut self, mark: &str) -> Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.wrong(&format!("'{mark}'"))) }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// An error that says what was found in place of what was expected.
    fn wrong(&self, expected: &str) -> JsonPathError {
        let expected = expected.to_owned();
        match self.rest().chars().next() {
            None => JsonPathError::End(expected),
            Some(found) => {
                let place = self.text[..self.at].chars().count() + 1;
                JsonPathError::Unexpected { found, place, expected }
            }
        }
    }

    /// Counts a condition or a query within another, until `depth` is reduced again.
    fn descend(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(JsonPathError::Deep) } else { Ok(()) }
    }

    /// The segments after `$` or `@`.
    fn query(&mut self, absolute: bool) -> Result<Query> {
        let mut segments = Vec::new();
        loop {
            // Blanks are allowed between segments, but not after the last.
            let before = self.at;
            self.blanks();
            let descends = self.take("..");
            let selectors = if self.take("[") {
                self.selectors()?
            } else if descends || self.take(".") {
                vec![if self.take("*") { Selector::Any } else { Selector::Name(self.name()?) }]
            } else {
                self.at = before;
                return Ok(Query { absolute, segments });
            };
            segments.push(Segment { descends, selectors });
        }
    }

    /// A name without quotes.
    fn name(&mut self) -> Result<String> {
        let first = |char: char| char.is_ascii_alphabetic() || char == '_' || !char.is_ascii();
        let rest = self.rest();
        let length =
            rest.find(|char: char| !first(char) && !char.is_ascii_digit()).unwrap_or(rest.len());
        if !rest.starts_with(first) {
            return Err(self.wrong("a name, '*' or '['"));
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    fn selectors(&mut self) -> Result<Vec<Selector>> {
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            selectors.push(self.selector()?);
            self.blanks();
            if self.take("]") {
                return Ok(selectors);
            }
            if !self.take(",") {
                return Err(self.wrong("']' or ','"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector> {
        if self.take("*") {
            return Ok(Selector::Any);
        }
        if self.take("?") {
            self.blanks();
            return Ok(Selector::Filter(self.condition()?));
        }
        if self.rest().starts_with(['\'', '"']) {
            return self.string().map(Selector::Name);
        }
        let start = self.index()?;
        let before = self.at;
        self.blanks();
        if !self.take(":") {
            self.at = before;
            return start
                .map(Selector::Index)
                .ok_or_else(|| self.wrong("a name in quotes, a number, '*' or a filter '?'"));
        }
        self.blanks();
        let end = self.index()?;
        let before = self.at;
        self.blanks();
        let mut step = None;
        if self.take(":") {
            self.blanks();
            step = self.index()?;
        } else {
            self.at = before;
        }
        Ok(Selector::Slice { start, end, step: step.unwrap_or(1) })
    }

    /// An integer, if there is one.
    fn index(&mut self) -> Result<Option<i64>> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len());
        let length = rest.len() - digits.len() + count;
        if length == 0 {
            return Ok(None);
        }
        let padded = digits.starts_with('0') && (count > 1 || length > count);
        let number = rest[..length].parse::<i64>().ok().filter(|_| count > 0 && !padded);
        match number.filter(|number| (-INDEX_MAX..=INDEX_MAX).contains(number)) {
            Some(number) => {
                self.at += length;
                Ok(Some(number))
            }
            None => Err(self.wrong("a whole number without zeros before it, below 2^53,")),
        }
    }

    /// A string in single or double quotes.
    fn string(&mut self) -> Result<String> {
        let mut chars = self.rest().char_indices();
        let quote = chars.next().map_or('"', |(_, quote)| quote);
        let mut text = String::new();
        while let Some((at, char)) = chars.next() {
            if char == quote {
                self.at += at + 1;
                return Ok(text);
            }
            if char != '\\' {
                if char < ' ' {
                    return Err(JsonPathError::ControlCharacter);
                }
                text.push(char);
                continue;
            }
            text.push(match chars.next().map(|(_, escaped)| escaped) {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(same @ ('/' | '\\')) => same,
                Some(same) if same == quote => same,
                Some('u') => unicode(&mut chars)?,
                _ => return Err(JsonPathError::Escape),
            });
        }
        Err(JsonPathError::Quote(self.rest().to_owned()))
    }

    /// Conditions of which at least one must hold.
    fn condition(&mut self) -> Result<Condition> {
        self.descend()?;
        let mut any = vec![self.all()?];
        while self.operator("||") {
            any.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if any.len() == 1 { any.remove(0) } else { Condition::Any(any) })
    }

    /// Conditions that must all hold.
    fn all(&mut self) -> Result<Condition> {
        let mut all = vec![self.basic()?];
        while self.operator("&&") {
            all.push(self.basic()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn operator(&mut self, mark: &str) -> bool {
        let before = self.at;
        self.blanks();
        let taken = self.take(mark);
        if taken {
            self.blanks();
        } else {
            self.at = before;
        }
        taken
    }

    fn basic(&mut self) -> Result<Condition> {
        let negated = self.rest().starts_with('!');
        if negated {
            self.at += 1;
            self.blanks();
        }
        let start = self.at;
        let condition = if self.take("(") {
            self.blanks();
            let inside = self.condition()?;
            self.blanks();
            self.expect(")")?;
            inside
        } else {
            let left = self.term()?;
            let text = &self.text[start..self.at];
            match self.comparison() {
                Some(comparison) if !negated => {
                    let left = operand(left, text)?;
                    let start = self.at;
                    let right = self.term()?;
                    let right = operand(right, &self.text[start..self.at])?;
                    Condition::Compare(left, comparison, right)
                }
                Some(_) => return Err(JsonPathError::Negated),
                None => match left {
                    Term::Query(query) => Condition::Exists(query),
                    Term::Condition(condition) => condition,
                    Term::Operand(_) => {
                        return Err(self.wrong(&format!("a comparison of {text}")));
                    }
                },
            }
        };
        Ok(if negated { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let found = COMPARISONS.into_iter().find(|(mark, _)| self.operator(mark));
        found.map(|(_, comparison)| comparison)
    }

    /// A query, a literal or a function call.
    fn term(&mut self) -> Result<Term> {
        for (mark, absolute) in [("$", true), ("@", false)] {
            if self.take(mark) {
                self.descend()?;
                let query = self.query(absolute)?;
                self.depth -= 1;
                return Ok(Term::Query(query));
            }
        }
        let rest = self.rest();
        if rest.starts_with(['\'', '"']) {
            return self.string().map(|text| Term::Operand(Operand::Literal(Value::String(text))));
        }
        if rest.starts_with(|char: char| char == '-' || char.is_ascii_digit()) {
            return self.number().map(|number| Term::Operand(Operand::Literal(number)));
        }
        let word = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let word = &rest[..word.unwrap_or(rest.len())];
        if rest[word.len()..].starts_with('(') && !word.is_empty() {
            self.at += word.len() + 1;
            return self.call(word);
        }
        let literal = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => return Err(self.wrong("a query '@' or '$', a value or a function")),
        };
        self.at += word.len();
        Ok(Term::Operand(Operand::Literal(literal)))
    }

    /// A number as in JSON, or `-0`.
    fn number(&mut self) -> Result<Value> {
        let rest = self.rest();
        let mut before = ' ';
        let within = |char: char| {
            let part = char.is_ascii_digit()
                || matches!(char, '.' | 'e' | 'E')
                || char == '-' && matches!(before, ' ' | 'e' | 'E')
                || char == '+' && matches!(before, 'e' | 'E');
            before = char;
            !part
        };
        let length = rest.find(within).unwrap_or(rest.len());
        let number = serde_json::from_str(&rest[..length]);
        let number = number.map_err(|_| self.wrong("a number as JSON has it"))?;
        self.at += length;
        Ok(number)
    }

    /// A function call whose name and opening parenthesis have been read.
    fn call(&mut self, name: &str) -> Result<Term> {
        let mut arguments = Vec::new();
        self.blanks();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
                self.blanks();
            }
            let start = self.at;
            let argument = self.term()?;
            arguments.push((argument, &self.text[start..self.at]));
            self.blanks();
        }
        let count = arguments.len();
        let mut arguments = arguments.into_iter();
        let function = || name.to_owned();
        match (name, arguments.next(), arguments.next(), arguments.next()) {
            ("length", Some((of, text)), None, None) => {
                Ok(Term::Operand(Operand::Length(Box::new(operand(of, text)?))))
            }
            ("count", Some((Term::Query(of), _)), None, None) => {
                Ok(Term::Operand(Operand::Count(of)))
            }
            ("value", Some((Term::Query(of), _)), None, None) => {
                Ok(Term::Operand(Operand::Only(of)))
            }
            ("count" | "value", Some((_, text)), None, None) => {
                Err(JsonPathError::NoQuery { function: function(), argument: text.to_owned() })
            }
            ("match" | "search", Some((of, text)), Some((pattern, _)), None) => {
                let Term::Operand(Operand::Literal(Value::String(pattern))) = pattern else {
                    return Err(JsonPathError::NoLiteral(function()));
                };
                let of = operand(of, text)?;
                Ok(Term::Condition(Condition::Matches(of, regex(&pattern, name == "match")?)))
            }
            ("length" | "count" | "value" | "match" | "search", ..) => {
                let takes = if matches!(name, "match" | "search") { 2 } else { 1 };
                Err(JsonPathError::Arguments { function: function(), takes, given: count })
            }
            _ => Err(JsonPathError::Function(function())),
        }
    }
}

/// An operand that may be compared: a single value.
fn operand(term: Term, text: &str) -> Result<Operand> {
    match term {
        Term::Operand(operand) => Ok(operand),
        Term::Query(query) if query.is_singular() => Ok(Operand::Value(query)),
        Term::Query(_) => Err(JsonPathError::Several(text.to_owned())),
        Term::Condition(_) => Err(JsonPathError::Condition(text.to_owned())),
    }
}

/// An expression of RFC 9485, which must match a whole text or any part of it.
fn regex(text: &str, whole: bool) -> Result<Pattern> {
    // A dot does not match either of the characters that end a line.
    let text = if whole { format!(r"(?R)\A(?:{text})\z") } else { format!("(?R){text}") };
    Ok(Pattern::parse(&text, 0)?)
}

/// The character of `\u` and the digits that follow, or of a surrogate pair.
fn unicode(chars: &mut std::str::CharIndices<'_>) -> Result<char> {
    let mut unit = || {
        let digits: Option<u32> =
            (0..4).try_fold(0, |sum, _| Some(sum << 4 | chars.next()?.1.to_digit(16)?));
        digits.ok_or(JsonPathError::Digits)
    };
    let first = unit()?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first).ok_or(JsonPathError::HalfCharacter);
    }
    let mut next = || chars.next().map(|(_, char)| char);
    if (next(), next()) != (Some('\\'), Some('u')) {
        return Err(JsonPathError::HalfCharacter);
    }
    let second: Option<u32> =
        (0..4).try_fold(0, |sum, _| Some(sum << 4 | chars.next()?.1.to_digit(16)?));
    let second = second
        .filter(|second| (0xdc00..0xe000).contains(second))
        .ok_or(JsonPathError::HalfCharacter)?;
    char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
        .ok_or(JsonPathError::HalfCharacter)
}

//! Reads the notation of selectors: types, `*`, `#id`, `.class`, attributes, descendants, children and alternatives.

use crate::selector::{Must, Part, Selector, Test, Within};
use crate::selector_error::{PARTS_MAX, SelectorError};

impl Selector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        parts(text).map(|parts| Self::new(text, parts))
    }
}

/// The parts of a selector, or what is wrong with it.
fn parts(text: &str) -> Result<Vec<Part>, SelectorError> {
    let mut reader = Reader { rest: text };
    let mut parts = Vec::new();
    loop {
        reader.alternative(&mut parts)?;
        if parts.len() > PARTS_MAX {
            return Err(SelectorError::Long);
        }
        if !reader.takes(',') {
            return Ok(parts);
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// The parts up to a comma or the end.
    fn alternative(&mut self, parts: &mut Vec<Part>) -> Result<(), SelectorError> {
        self.skip_spaces();
        let mut within = None;
        loop {
            match self.next() {
                None | Some(',') if within.is_none() => return Err(SelectorError::Empty),
                Some('>') if within.is_none() => return Err(SelectorError::NoParent),
                None | Some(',' | '>') => return Err(SelectorError::NoChild),
                Some(_) => {}
            }
            let mut part = self.part()?;
            part.within = within;
            let spaced = self.skip_spaces();
            within = if self.takes('>') {
                self.skip_spaces();
                Some(Within::Parent)
            } else if spaced && !matches!(self.next(), None | Some(',')) {
                Some(Within::Any)
            } else {
                None
            };
            part.last = within.is_none();
            let last = part.last;
            parts.push(part);
            if last {
                return match self.next() {
                    None | Some(',') => Ok(()),
                    Some(other) => Err(SelectorError::Unknown(other)),
                };
            }
        }
    }

    /// A type and conditions, without spaces.
    fn part(&mut self) -> Result<Part, SelectorError> {
        let mut part = Part::default();
        let start = self.rest.len();
        if !self.takes('*') && self.next().is_some_and(begins_name) {
            part.name = Some(self.name()?.to_ascii_lowercase());
        }
        loop {
            if self.takes('#') {
                part.tests.push(Test { attribute: "id".to_owned(), must: Must::Be(self.name()?) });
            } else if self.takes('.') {
                let must = Must::HaveWord(self.name()?);
                part.tests.push(Test { attribute: "class".to_owned(), must });
            } else if self.takes('[') {
                part.tests.push(self.test()?);
            } else if self.rest.len() == start {
                return Err(self.next().map_or(SelectorError::NoPart, SelectorError::Unknown));
            } else {
                return Ok(part);
            }
        }
    }

    /// A condition on an attribute, behind its bracket.
    fn test(&mut self) -> Result<Test, SelectorError> {
        self.skip_spaces();
        let attribute = self.name()?.to_ascii_lowercase();
        self.skip_spaces();
        let kind = self.next();
        let must = match kind {
            Some(']') => Must::Exist,
            Some(kind @ ('=' | '^' | '$' | '*' | '~')) => {
                self.takes(kind);
                if kind != '=' && !self.takes('=') {
                    return Err(SelectorError::NoEquals(kind));
                }
                self.skip_spaces();
                let value = self.value()?;
                match kind {
                    '=' => Must::Be(value),
                    '^' => Must::BeginWith(value),
                    '$' => Must::EndWith(value),
                    '*' => Must::Contain(value),
                    _ => Must::HaveWord(value),
                }
            }
            Some(other) => return Err(SelectorError::Unknown(other)),
            None => return Err(SelectorError::NoBracket),
        };
        self.skip_spaces();
        if self.takes(']') { Ok(Test { attribute, must }) } else { Err(SelectorError::NoBracket) }
    }

    fn value(&mut self) -> Result<String, SelectorError> {
        let Some(quote @ ('"' | '\'')) = self.next() else {
            let end = self.rest.find([']', ' ']).unwrap_or(self.rest.len());
            return Ok(self.take(end));
        };
        self.takes(quote);
        let end = self.rest.find(quote).ok_or(SelectorError::OpenQuote(quote))?;
        let value = self.take(end);
        self.takes(quote);
        Ok(value)
    }

    fn name(&mut self) -> Result<String, SelectorError> {
        if !self.next().is_some_and(begins_name) {
            return Err(SelectorError::NoName);
        }
        let of_name = |char: char| begins_name(char) || char.is_ascii_digit();
        let end = self.rest.find(|char| !of_name(char)).unwrap_or(self.rest.len());
        Ok(self.take(end))
    }

    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn takes(&mut self, char: char) -> bool {
        let after = self.rest.strip_prefix(char);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn take(&mut self, end: usize) -> String {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn skip_spaces(&mut self) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_start();
        self.rest.len() < before
    }
}

fn begins_name(char: char) -> bool {
    char.is_ascii_alphabetic() || matches!(char, '_' | '-') || !char.is_ascii()
}

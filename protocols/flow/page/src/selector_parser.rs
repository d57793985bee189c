//! Reads the notation of selectors: types, `*`, `#id`, `.class`, attributes, descendants, children and alternatives.

use crate::selector::{Must, Part, Selector, Test, Within};

/// The most parts that a selector has, over all alternatives.
const PARTS_MAX: usize = 64;

/// What selectors consist of, for a message.
const KNOWN: &str = "a selector consists of a type, *, #id, .class, [name], [name=value] (also ^= $= *= ~=), a space, \
                     > and commas";

impl Selector {
    /// Reads a selector. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        parts(text).map(|parts| Self::new(text, parts))
    }
}

/// The parts of a selector, or what is wrong with it.
fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut reader = Reader { rest: text };
    let mut parts = Vec::new();
    loop {
        reader.alternative(&mut parts)?;
        if parts.len() > PARTS_MAX {
            return Err(format!("it has more than {PARTS_MAX} parts"));
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
    fn alternative(&mut self, parts: &mut Vec<Part>) -> Result<(), String> {
        self.skip_spaces();
        let mut within = None;
        loop {
            match self.next() {
                None | Some(',') if within.is_none() => {
                    return Err(format!("it is empty, or empty at a comma: {KNOWN}"));
                }
                Some('>') if within.is_none() => {
                    return Err("nothing is before '>'".to_owned());
                }
                None | Some(',' | '>') => return Err("nothing is after '>'".to_owned()),
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
                    Some(other) => Err(unknown(other)),
                };
            }
        }
    }

    /// A type and conditions, without spaces.
    fn part(&mut self) -> Result<Part, String> {
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
                return Err(self.next().map_or_else(|| KNOWN.to_owned(), unknown));
            } else {
                return Ok(part);
            }
        }
    }

    /// A condition on an attribute, behind its bracket.
    fn test(&mut self) -> Result<Test, String> {
        self.skip_spaces();
        let attribute = self.name()?.to_ascii_lowercase();
        self.skip_spaces();
        let kind = self.next();
        let must = match kind {
            Some(']') => Must::Exist,
            Some(kind @ ('=' | '^' | '$' | '*' | '~')) => {
                self.takes(kind);
                if kind != '=' && !self.takes('=') {
                    return Err(format!("'=' is missing after '{kind}'"));
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
            Some(other) => return Err(unknown(other)),
            None => return Err("']' is missing".to_owned()),
        };
        self.skip_spaces();
        if self.takes(']') {
            Ok(Test { attribute, must })
        } else {
            Err("']' is missing".to_owned())
        }
    }

    fn value(&mut self) -> Result<String, String> {
        let Some(quote @ ('"' | '\'')) = self.next() else {
            let end = self.rest.find([']', ' ']).unwrap_or(self.rest.len());
            return Ok(self.take(end));
        };
        self.takes(quote);
        let end =
            self.rest.find(quote).ok_or_else(|| format!("the quote {quote} is not closed"))?;
        let value = self.take(end);
        self.takes(quote);
        Ok(value)
    }

    fn name(&mut self) -> Result<String, String> {
        if !self.next().is_some_and(begins_name) {
            return Err("a name is missing, which begins with a letter, '_' or '-'".to_owned());
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

fn unknown(char: char) -> String {
    format!("'{char}' is not known here: {KNOWN}")
}

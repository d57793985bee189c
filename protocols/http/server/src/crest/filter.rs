//! `_queryFilter`: which resources a query selects.
//!
//! The part of the language that load tests use: `eq`, `sw`, `co`, `pr`, `and`, `or`, `!`, brackets, `true` and
//! `false`. Everything else is refused as not implemented.

use serde_json::{Map, Value};

use crate::refusal::Refusal;

/// The deepest nesting of brackets.
const DEPTH_MAX: usize = 50;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    Always(bool),
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Field { path: Vec<String>, test: Test },
}

/// The condition on a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Present,
    Equals(Value),
    StartsWith(String),
    Contains(String),
}

impl Filter {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let mut parser = Parser { rest: text.trim(), depth: 0 };
        let filter = parser.any()?;
        if parser.rest.is_empty() { Ok(filter) } else { Err(parser.wrong("the end")) }
    }

    /// The one identifier that can meet it, if the filter names one.
    pub(super) fn pinned(&self, aliases: &[&str]) -> Option<&str> {
        match self {
            Self::Field { path, test: Test::Equals(Value::String(id)) } => {
                let [name] = path.as_slice() else { return None };
                (name == "_id" || aliases.contains(&name.as_str())).then_some(id)
            }
            Self::All(parts) => parts.iter().find_map(|part| part.pinned(aliases)),
            _ => None,
        }
    }

    /// Whether a resource meets it. Its fields are read only if they matter.
    pub(super) fn meets<'a>(&self, id: &str, fields: &dyn Fn() -> &'a Map<String, Value>) -> bool {
        match self {
            Self::Always(always) => *always,
            Self::All(parts) => parts.iter().all(|part| part.meets(id, fields)),
            Self::Any(parts) => parts.iter().any(|part| part.meets(id, fields)),
            Self::Not(part) => !part.meets(id, fields),
            Self::Field { path, test } if path.len() == 1 && path[0] == "_id" => {
                test.meets(&Value::from(id))
            }
            Self::Field { path, test } => {
                look_up(fields(), path).is_some_and(|value| match value {
                    // In a list, one matching value is enough.
                    Value::Array(values) => values.iter().any(|value| test.meets(value)),
                    value => test.meets(value),
                })
            }
        }
    }
}

/// The value at a path within an object.
pub(super) fn look_up<'a>(fields: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(fields.get(first)?, |value, name| value.get(name))
}

/// The path of a JSON pointer (RFC 6901), with or without its first slash.
pub(super) fn path(pointer: &str) -> Vec<String> {
    let pointer = pointer.strip_prefix('/').unwrap_or(pointer);
    pointer.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

impl Test {
    fn meets(&self, value: &Value) -> bool {
        let text = value.as_str();
        match self {
            Self::Present => !value.is_null(),
            // Attributes of users compare like those of a directory: ignoring case.
            Self::Equals(Value::String(other)) => {
                text.is_some_and(|text| text.to_lowercase() == other.to_lowercase())
            }
            Self::Equals(other) => value == other,
            Self::StartsWith(part) => {
                text.is_some_and(|text| text.to_lowercase().starts_with(&part.to_lowercase()))
            }
            Self::Contains(part) => {
                text.is_some_and(|text| text.to_lowercase().contains(&part.to_lowercase()))
            }
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn any(&mut self) -> Result<Filter, Refusal> {
        let mut parts = vec![self.all()?];
        while self.takes("or") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Filter::Any))
    }

    fn all(&mut self) -> Result<Filter, Refusal> {
        let mut parts = vec![self.one()?];
        while self.takes("and") {
            parts.push(self.one()?);
        }
        Ok(one_or(parts, Filter::All))
    }

    fn one(&mut self) -> Result<Filter, Refusal> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Refusal::new(400, "the query filter is nested too deeply"));
        }
        let filter = if let Some(rest) = self.rest.strip_prefix('!') {
            self.rest = rest.trim_start();
            Filter::Not(Box::new(self.one()?))
        } else if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest.trim_start();
            let filter = self.any()?;
            let Some(rest) = self.rest.strip_prefix(')') else {
                return Err(self.wrong("a bracket"));
            };
            self.rest = rest.trim_start();
            filter
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn comparison(&mut self) -> Result<Filter, Refusal> {
        let field = self.word();
        match field {
            "" => return Err(self.wrong("a field")),
            "true" => return Ok(Filter::Always(true)),
            "false" => return Ok(Filter::Always(false)),
            _ => {}
        }
        let operator = self.word();
        let test = match operator {
            "pr" => Test::Present,
            "eq" => Test::Equals(self.value()?),
            "sw" => Test::StartsWith(self.string()?),
            "co" => Test::Contains(self.string()?),
            "" => return Err(self.wrong("an operator such as eq")),
            other => {
                return Err(Refusal::new(
                    501,
                    format!("the operator {other} is not supported here; eq, sw, co and pr are"),
                ));
            }
        };
        Ok(Filter::Field { path: path(field), test })
    }

    /// Letters up to a space or bracket, which may be none.
    fn word(&mut self) -> &'a str {
        let end = self.rest.find([' ', '(', ')', '\'', '"']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn takes(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word) else { return false };
        let ends = rest.starts_with([' ', '(', '!']);
        if ends {
            self.rest = rest.trim_start();
        }
        ends
    }

    fn string(&mut self) -> Result<String, Refusal> {
        match self.value()? {
            Value::String(text) => Ok(text),
            other => Ok(other.to_string()),
        }
    }

    fn value(&mut self) -> Result<Value, Refusal> {
        let Some(quote) = self.rest.chars().next().filter(|first| matches!(first, '\'' | '"'))
        else {
            let word = self.word();
            return serde_json::from_str(word).map_err(|_| self.wrong("a value in quotes"));
        };
        let (mut text, mut escaped) = (String::new(), false);
        for (at, letter) in self.rest.char_indices().skip(1) {
            match letter {
                _ if std::mem::take(&mut escaped) => text.push(letter),
                '\\' => escaped = true,
                _ if letter == quote => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(Value::String(text));
                }
                _ => text.push(letter),
            }
        }
        Err(self.wrong("a closing quote"))
    }

    fn wrong(&self, expected: &str) -> Refusal {
        let rest: String = self.rest.chars().take(40).collect();
        Refusal::new(400, format!("the query filter has {rest:?} where {expected} should be"))
    }
}

fn one_or(mut parts: Vec<Filter>, several: fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            several(parts)
        }
        None => several(parts),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meets(filter: &str) -> bool {
        let fields =
            json!({"name": {"givenName": "Anna"}, "mail": ["a@x", "b@y"], "n": 7, "none": null});
        let fields = fields.as_object().unwrap();
        Filter::parse(filter).unwrap().meets("user.7", &|| fields)
    }

    #[test]
    fn query_filter_conditions_are_evaluated() {
        for (filter, expected) in [
            ("true", true),
            ("!(true)", false),
            ("_id eq 'user.7'", true),
            ("_id eq \"USER.7\"", true),
            ("_id sw 'user.' and _id co '7'", true),
            ("_id sw 'ser'", false),
            ("/name/givenName eq 'anna'", true),
            ("name/givenName eq 'anne' or mail eq 'b@y'", true),
            ("mail co 'z' or (n eq 7 and !(n eq 8))", true),
            ("n eq 7 and mail eq 'c' or false", false),
            ("n pr", true),
            ("none pr", false),
            ("absent pr", false),
            ("name/givenName co 'o\\'n'", false),
        ] {
            assert_eq!(meets(filter), expected, "{filter}");
        }
    }

    #[test]
    fn query_filter_errors_are_explained() {
        for (filter, status, words) in [
            ("", 400, "a field"),
            ("_id", 400, "an operator"),
            ("_id eq user", 400, "in quotes"),
            ("_id eq 'user", 400, "closing quote"),
            ("(true", 400, "a bracket"),
            ("true true", 400, "the end"),
            ("n gt 5", 501, "gt is not supported"),
            (&"(".repeat(10_000), 400, "too deeply"),
            (&"!".repeat(10_000), 400, "too deeply"),
        ] {
            let refusal = Filter::parse(filter).unwrap_err();
            assert_eq!(refusal.status, status, "{refusal:?}");
            assert!(refusal.message.contains(words), "{refusal:?}");
        }
    }

    #[test]
    fn query_filter_by_id_needs_no_scan() {
        let pinned = |text| Filter::parse(text).unwrap().pinned(&["userName"]).map(str::to_owned);
        assert_eq!(pinned("_id eq 'a'").as_deref(), Some("a"));
        assert_eq!(pinned("mail pr and userName eq 'a'").as_deref(), Some("a"));
        assert_eq!(pinned("mail pr or userName eq 'a'"), None);
        assert_eq!(pinned("_id sw 'a'"), None);
        assert_eq!(pinned("!(_id eq 'a')"), None);
    }
}

//! Filters and paths of SCIM (RFC 7644 section 3.4.2.2 and 3.5.2).

use serde_json::{Map, Value};

use super::problem::ScimError;

/// The longest filter in bytes, and the deepest nesting.
const LONGEST: usize = 8 << 10;
const DEPTH_MAX: usize = 50;
/// The schemas whose name may stand before an attribute.
const CORE: [&str; 2] =
    ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:core:2.0:Group"];

/// A condition on a resource, or on a value of several.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Attribute {
        names: Vec<String>,
        test: Test,
    },
    /// One value of an attribute meets all of it.
    Values {
        names: Vec<String>,
        filter: Box<Self>,
    },
}

/// The condition on an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Present,
    Compare(Comparison, Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Contains,
    StartsWith,
    EndsWith,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// Where a change is made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    pub(super) names: Vec<String>,
    /// Of the values at that place, those that meet this, and what within them.
    pub(super) filter: Option<Filter>,
    pub(super) sub: Option<String>,
}

impl Filter {
    pub(super) fn parse(text: &str) -> Result<Self, ScimError> {
        let mut parser = Parser::new(text)?;
        let filter = parser.any()?;
        if parser.rest.is_empty() { Ok(filter) } else { Err(parser.wrong("the end")) }
    }

    /// The name that the resource must have, if that is all there is.
    pub(super) fn name(&self, attribute: &str) -> Option<&str> {
        match self {
            Self::Attribute {
                names,
                test: Test::Compare(Comparison::Equal, Value::String(name)),
            } => matches!(&names[..], [one] if one.eq_ignore_ascii_case(attribute)).then_some(name),
            _ => None,
        }
    }

    pub(super) fn meets(&self, fields: &Map<String, Value>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.meets(fields)),
            Self::Any(parts) => parts.iter().any(|part| part.meets(fields)),
            Self::Not(part) => !part.meets(fields),
            Self::Attribute { names, test } => {
                let found = at(fields, names);
                // What is absent differs from everything.
                let absent = matches!(test, Test::Compare(Comparison::NotEqual, _));
                if found.is_empty() { absent } else { found.iter().any(|value| test.meets(value)) }
            }
            Self::Values { names, filter } => at(fields, names)
                .iter()
                .any(|value| value.as_object().is_some_and(|value| filter.meets(value))),
        }
    }
}

/// The member of an object, whatever the case of its name.
pub(super) fn member<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).or_else(|| {
        fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    })
}

/// The values at a place: of a list each, and of a complex value without a further name the one called `value`.
fn at<'a>(fields: &'a Map<String, Value>, names: &[String]) -> Vec<&'a Value> {
    let Some((first, rest)) = names.split_first() else { return Vec::new() };
    let mut found: Vec<&Value> = member(fields, first).into_iter().collect();
    for name in rest {
        found = each(found).filter_map(|value| member(value.as_object()?, name)).collect();
    }
    each(found).filter(|value| !value.is_null()).collect()
}

fn each(values: Vec<&Value>) -> impl Iterator<Item = &Value> {
    values.into_iter().flat_map(|value| match value {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    })
}

impl Test {
    fn meets(&self, value: &Value) -> bool {
        let Self::Compare(comparison, wanted) = self else {
            return value.as_str() != Some("") && value.as_array().is_none_or(|it| !it.is_empty());
        };
        let value = match value {
            Value::Object(fields) => member(fields, "value").unwrap_or(&Value::Null),
            value => value,
        };
        comparison.holds(value, wanted)
    }
}

impl Comparison {
    fn from_word(word: &str) -> Option<Self> {
        Some(match &*word.to_ascii_lowercase() {
            "eq" => Self::Equal,
            "ne" => Self::NotEqual,
            "co" => Self::Contains,
            "sw" => Self::StartsWith,
            "ew" => Self::EndsWith,
            "gt" => Self::Greater,
            "ge" => Self::GreaterOrEqual,
            "lt" => Self::Less,
            "le" => Self::LessOrEqual,
            _ => return None,
        })
    }

    fn holds(self, value: &Value, wanted: &Value) -> bool {
        if let (Some(value), Some(wanted)) = (value.as_str(), wanted.as_str()) {
            let (value, wanted) = (value.to_lowercase(), wanted.to_lowercase());
            return match self {
                Self::Contains => value.contains(&wanted),
                Self::StartsWith => value.starts_with(&wanted),
                Self::EndsWith => value.ends_with(&wanted),
                _ => self.orders(value.cmp(&wanted)),
            };
        }
        match (value.as_f64(), wanted.as_f64()) {
            (Some(value), Some(wanted)) => {
                value.partial_cmp(&wanted).is_some_and(|order| self.orders(order))
            }
            _ => match self {
                Self::Equal => value == wanted,
                Self::NotEqual => value != wanted,
                _ => false,
            },
        }
    }

    fn orders(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Contains | Self::StartsWith | Self::EndsWith => false,
        }
    }
}

impl Path {
    pub(super) fn parse(text: &str) -> Result<Self, ScimError> {
        let wrong = || ScimError::new(400, "invalidPath", "the path is none of RFC 7644");
        let mut parser = Parser::new(text).map_err(|_| wrong())?;
        let names = parser.names().map_err(|_| wrong())?;
        let mut path = Self { names, filter: None, sub: None };
        if parser.eat('[') {
            path.filter = Some(parser.any()?);
            if !parser.eat(']') {
                return Err(wrong());
            }
            if parser.eat('.') {
                path.sub = Some(parser.word().ok_or_else(wrong)?.to_owned());
            }
        }
        if parser.rest.is_empty() { Ok(path) } else { Err(wrong()) }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, ScimError> {
        if text.len() > LONGEST {
            return Err(ScimError::new(400, "invalidFilter", "the filter is too long"));
        }
        Ok(Self { rest: text.trim(), depth: 0 })
    }

    fn any(&mut self) -> Result<Filter, ScimError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ScimError::new(400, "invalidFilter", "the filter is nested too deeply"));
        }
        let mut parts = vec![self.all()?];
        while self.keyword("or") {
            parts.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Filter::Any(parts) })
    }

    fn all(&mut self) -> Result<Filter, ScimError> {
        let mut parts = vec![self.one()?];
        while self.keyword("and") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Filter::All(parts) })
    }

    fn one(&mut self) -> Result<Filter, ScimError> {
        let negated = self.keyword("not");
        if negated && !self.rest.starts_with('(') {
            return Err(self.wrong("a bracket"));
        }
        if self.eat('(') {
            let filter = self.any()?;
            if !self.eat(')') {
                return Err(self.wrong("a closing bracket"));
            }
            return Ok(if negated { Filter::Not(Box::new(filter)) } else { filter });
        }
        let names = self.names()?;
        if self.eat('[') {
            let filter = Box::new(self.any()?);
            if !self.eat(']') {
                return Err(self.wrong("a closing bracket"));
            }
            return Ok(Filter::Values { names, filter });
        }
        if self.keyword("pr") {
            return Ok(Filter::Attribute { names, test: Test::Present });
        }
        let comparison = self.word().and_then(Comparison::from_word);
        let comparison = comparison.ok_or_else(|| self.wrong("an operator such as eq"))?;
        let test = Test::Compare(comparison, self.value()?);
        Ok(Filter::Attribute { names, test })
    }

    /// An attribute: names with dots, after the name of a schema or not.
    fn names(&mut self) -> Result<Vec<String>, ScimError> {
        let part = |letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '$' | '.' | ':')
        };
        let end = self.rest.find(|letter| !part(letter)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let (schema, text) = match text.rsplit_once(':') {
            Some((schema, text)) => (Some(schema), text),
            None => (None, text),
        };
        let schema = schema.filter(|schema| !CORE.iter().any(|it| it.eq_ignore_ascii_case(schema)));
        let names = text.split('.').filter(|name| !name.is_empty());
        let names: Vec<String> = schema.into_iter().chain(names).map(str::to_owned).collect();
        if text.is_empty() || names.len() > 4 { Err(self.wrong("an attribute")) } else { Ok(names) }
    }

    /// A literal of JSON.
    fn value(&mut self) -> Result<Value, ScimError> {
        let wrong = |parser: &Self| parser.wrong("a value such as \"x\", 5 or true");
        let end = if self.rest.starts_with('"') {
            let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
            values.next().and_then(Result::ok).map(|_| values.byte_offset())
        } else {
            self.rest.find([' ', ')', ']']).or(Some(self.rest.len()))
        };
        let (text, rest) = end.and_then(|end| self.rest.split_at_checked(end)).unwrap_or_default();
        let value = serde_json::from_str(text).ok();
        let simple = value.filter(|value: &Value| !value.is_array() && !value.is_object());
        let simple = simple.ok_or_else(|| wrong(self))?;
        self.rest = rest.trim_start();
        Ok(simple)
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    /// Takes a word, if it comes next.
    fn keyword(&mut self, word: &str) -> bool {
        let Some((next, rest)) = self.rest.split_at_checked(word.len()) else { return false };
        let ends = !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        let taken = ends && next.eq_ignore_ascii_case(word);
        if taken {
            self.rest = rest.trim_start();
        }
        taken
    }

    fn eat(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn wrong(&self, expected: &str) -> ScimError {
        let before: String = self.rest.chars().take(20).collect();
        ScimError::new(400, "invalidFilter", format!("expected {expected} before '{before}'"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meets(filter: &str) -> bool {
        let user = json!({
            "userName": "bjensen",
            "name": {"familyName": "O'Malley"},
            "active": true,
            "age": 41,
            "title": null,
            "emails": [
                {"type": "work", "value": "b@example.com"},
                {"type": "home", "value": "b@jensen.org"},
            ],
            "urn:x:enterprise:2.0:User": {"department": "Tour"},
        });
        let filter = Filter::parse(filter).unwrap_or_else(|error| panic!("{filter}: {error:?}"));
        filter.meets(user.as_object().unwrap())
    }

    #[test]
    fn filter_selects_like_rfc_7644() {
        for filter in [
            "userName Eq \"BJensen\"",
            "name.familyName co \"O'Malley\"",
            "urn:ietf:params:scim:schemas:core:2.0:User:userName sw \"b\"",
            "urn:x:enterprise:2.0:User:department eq \"tour\"",
            "emails co \"example.com\"",
            "emails[type eq \"work\" and value ew \".com\"]",
            "emails.type eq \"home\" and not (userName eq \"x\" or age lt 41)",
            "age ge 41 and age le 41.0 and active eq true",
            "title ne \"x\" and emails pr",
            "(userName pr)",
        ] {
            assert!(meets(filter), "{filter}");
        }
        for filter in [
            "title pr",
            "userName ne \"bjensen\"",
            "emails[type eq \"work\" and value ew \".org\"]",
            "age gt 41 or active eq false",
            "age eq \"41\"",
            "nothing eq 5",
        ] {
            assert!(!meets(filter), "{filter}");
        }
    }

    #[test]
    fn filter_errors_are_refused() {
        let deep = format!("{}a pr{}", "(".repeat(60), ")".repeat(60));
        let long = "a".repeat(9000);
        for text in [
            "",
            "a",
            "a eq",
            "a eq {}",
            "a eq x",
            "a xx 5",
            "a pr b",
            "(a pr",
            "a[b pr",
            "not a pr",
            "a pr and",
            "..",
            "a.b.c.d.e pr",
            "é pr",
            "a eq \"",
            &*deep,
            &*long,
        ] {
            assert!(Filter::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn path_has_names_filter_and_sub_attribute() {
        let path = Path::parse("emails[type eq \"work\"].value").unwrap();
        assert_eq!(
            (&*path.names, path.sub.as_deref()),
            (&["emails".to_owned()][..], Some("value"))
        );
        assert!(path.filter.is_some());
        assert_eq!(Path::parse("name.givenName").unwrap().names, ["name", "givenName"]);
        for wrong in ["", "a b", "a[", "a[b pr", "a[b pr].", "a[b pr]c", "[a pr]"] {
            assert!(Path::parse(wrong).is_err(), "{wrong}");
        }
    }
}

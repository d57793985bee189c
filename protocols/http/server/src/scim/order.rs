//! The order of a list: `sortBy` and `sortOrder` (RFC 7644 section 3.4.2.3).

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::filter::{Path, member};
use super::problem::ScimError;
use super::resource::Resource;

/// What resources are sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Order {
    by: By,
    descending: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum By {
    /// The identifier, which counts up, as does the time of creation.
    Age,
    Changed,
    Attribute(Vec<String>),
}

/// What one resource is sorted by. What is absent comes last.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Truth(bool),
    Number(f64),
    Text(String),
    Absent,
}

impl Order {
    /// Reads both parameters; `None` if nothing is sorted.
    pub(super) fn parse(by: Option<&str>, order: Option<&str>) -> Result<Option<Self>, ScimError> {
        let descending = match order.map(str::to_ascii_lowercase).as_deref() {
            None | Some("ascending") => false,
            Some("descending") => true,
            Some(_) => {
                let detail = "sortOrder is neither ascending nor descending";
                return Err(ScimError::new(400, "invalidValue", detail));
            }
        };
        let Some(by) = by else { return Ok(None) };
        let wrong = || ScimError::new(400, "invalidPath", "sortBy is no attribute");
        let path = Path::parse(by).map_err(|_| wrong())?;
        if path.filter.is_some() {
            return Err(wrong());
        }
        let lower: Vec<String> = path.names.iter().map(|name| name.to_lowercase()).collect();
        let by = match lower.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["id"] | ["meta", "created"] => By::Age,
            ["meta", "lastmodified"] => By::Changed,
            _ => By::Attribute(path.names),
        };
        Ok(Some(Self { by, descending }))
    }

    /// Sorts; of equal resources the older comes first.
    pub(super) fn sort(&self, resources: &mut [&Resource]) {
        match &self.by {
            By::Age => resources.sort_by_key(|resource| resource.number),
            By::Changed => resources.sort_by_key(|resource| (resource.modified, resource.number)),
            By::Attribute(names) => {
                resources.sort_by_cached_key(|resource| {
                    Keyed(Key::new(resource, names), resource.number)
                });
            }
        }
        if self.descending {
            resources.reverse();
        }
    }
}

/// The key of a resource, and its number.
#[derive(Debug, PartialEq)]
struct Keyed(Key, u64);

impl Eq for Keyed {}

impl PartialOrd for Keyed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keyed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.0).then(self.1.cmp(&other.1))
    }
}

impl Key {
    fn new(resource: &Resource, names: &[String]) -> Self {
        match found(&resource.fields, names) {
            Some(Value::Bool(truth)) => Self::Truth(*truth),
            Some(Value::Number(number)) => number.as_f64().map_or(Self::Absent, Self::Number),
            Some(Value::String(text)) => Self::Text(text.to_lowercase()),
            _ => Self::Absent,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Truth(one), Self::Truth(other)) => one.cmp(other),
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Truth(_) => 0,
            Self::Number(_) => 1,
            Self::Text(_) => 2,
            Self::Absent => 3,
        }
    }
}

/// The value at a place; of a complex value without a further name the one called `value`.
fn found<'a>(fields: &'a Map<String, Value>, names: &[String]) -> Option<&'a Value> {
    let (first, rest) = names.split_first()?;
    let mut value = one(member(fields, first)?)?;
    for name in rest {
        value = one(member(value.as_object()?, name)?)?;
    }
    match value {
        Value::Object(fields) => member(fields, "value"),
        value => Some(value),
    }
}

/// Of several values the primary one, else the first.
fn one(value: &Value) -> Option<&Value> {
    let Value::Array(several) = value else { return Some(value) };
    let is_primary = |value: &&Value| {
        let fields = value.as_object();
        fields.and_then(|fields| member(fields, "primary")) == Some(&Value::Bool(true))
    };
    several.iter().find(is_primary).or_else(|| several.first())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn resources() -> Vec<Resource> {
        let of = |(number, fields): (u64, Value)| Resource {
            number,
            version: 1,
            created: 100 + number,
            modified: 200 - number,
            fields: Arc::new(fields.as_object().unwrap().clone()),
        };
        let all = [
            json!({"userName": "Carol", "age": 30, "active": true,
                "emails": [{"value": "z@x", "primary": false}, {"value": "a@x", "primary": true}]}),
            json!({"userName": "alice", "age": 4, "emails": [{"value": "m@x"}, {"value": "b@x"}]}),
            json!({"userName": "Bob", "active": false, "name": {"familyName": "B"}}),
        ];
        (1..).zip(all).map(of).collect()
    }

    fn sorted(by: &str, order: Option<&str>) -> Vec<u64> {
        let all = resources();
        let mut them: Vec<&Resource> = all.iter().collect();
        Order::parse(Some(by), order).unwrap().unwrap().sort(&mut them);
        them.iter().map(|resource| resource.number).collect()
    }

    #[test]
    fn order_sorts_like_rfc_7644() {
        assert_eq!(sorted("userName", None), [2, 3, 1]);
        assert_eq!(sorted("USERNAME", Some("Descending")), [1, 3, 2]);
        assert_eq!(sorted("urn:ietf:params:scim:schemas:core:2.0:User:userName", None), [2, 3, 1]);
        // Numbers by value; what is absent is last, and first where the order is descending.
        assert_eq!(sorted("age", None), [2, 1, 3]);
        assert_eq!(sorted("age", Some("descending")), [3, 1, 2]);
        assert_eq!(sorted("active", None), [3, 1, 2]);
        // Of several values the primary one, else the first.
        assert_eq!(sorted("emails", None), [1, 2, 3]);
        assert_eq!(sorted("emails.value", None), [1, 2, 3]);
        assert_eq!(sorted("name.familyName", None), [3, 1, 2]);
        assert_eq!(sorted("id", Some("descending")), [3, 2, 1]);
        assert_eq!(sorted("meta.created", None), [1, 2, 3]);
        assert_eq!(sorted("meta.lastModified", None), [3, 2, 1]);
    }

    #[test]
    fn order_errors_are_refused() {
        assert_eq!(Order::parse(None, Some("ascending")), Ok(None));
        for (by, order) in [
            (Some("a b"), None),
            (Some(""), None),
            (Some("emails[type eq \"work\"]"), None),
            (Some("userName"), Some("up")),
            (None, Some("up")),
        ] {
            assert!(Order::parse(by, order).is_err(), "{by:?} {order:?}");
        }
    }
}

//! The parts of an answer that are checked or extracted: their location, their conditions, and the variables they set.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::Pick;
use crate::values::{Node, Scalar, Time};

/// A condition that an answer must meet: one key that selects a value (`json`, `header`, `cookie`, `regex`, `xpath`,
/// `html`, `attribute`, `url`, `body`, `code` or `size`) and one or more that say what it must be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Check {
    /// Value in a JSON body, by JSON pointer (`/a/0`) or `JSONPath` (`$.a[0]`).
    pub json: Option<String>,
    /// Response header.
    pub header: Option<String>,
    /// Cookie that the answer sets.
    pub cookie: Option<String>,
    /// Match of a regular expression in the body, or in the value of another of these keys.
    pub regex: Option<String>,
    /// Group of `regex`; by default the first, or the whole match if there is none.
    pub group: Option<u32>,
    /// Value in an XML body, by XPath.
    pub xpath: Option<String>,
    /// Element of an HTML body, by a selector such as "#kc-login" or "form input[name=csrf]": its text, or its
    /// `attribute`.
    pub html: Option<String>,
    /// With `html` the attribute of the element; else an attribute of the first entry that LDAP found, or option of a
    /// lease.
    pub attribute: Option<String>,
    /// The URL that the answer came from, after redirects.
    pub url: Option<bool>,
    /// Parameter of the query or fragment of the URL in `header` or `url`, decoded.
    pub parameter: Option<String>,
    /// The body, as text.
    pub body: Option<bool>,
    /// HTTP status, or LDAP result code.
    pub code: Option<bool>,
    /// Number of bytes of the body, both ends included: "1..", "..1000", "10..20" or "10".
    pub size: Option<String>,
    /// Whether the value must exist.
    pub exists: Option<bool>,
    /// Value that it must equal: a text, or for `json` any value.
    pub equals: Option<Node>,
    /// Text that it must contain.
    pub contains: Option<String>,
    /// Regular expression that must match it.
    pub matches: Option<String>,
    /// Range that the number must be in, both ends included: "1..10", "0.5..", "..3".
    pub between: Option<String>,
    /// Number of matches, both ends included: "1..10", "3".
    pub count: Option<String>,
    /// Inverts the check: it must not hold.
    pub not: Option<bool>,
}

/// A value to extract from an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extract {
    /// Where it is.
    pub spot: AnswerLocation,
    /// Which of several matches is meant.
    pub pick: Option<Pick>,
    /// What happens to the variable when it is missing.
    pub missing: Option<Missing>,
    /// The value it then has.
    pub default: Option<Scalar>,
    /// When it expires.
    pub expires: Option<Expires>,
}

/// When an extracted value expires: the place in the answer where its lifetime is, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expires {
    /// Value in a JSON body, by JSON pointer (`/expires_in`) or `JSONPath`.
    pub json: Option<String>,
    /// Response header.
    pub header: Option<String>,
    /// Match of a regular expression in the body, or in the value of another of these keys.
    pub regex: Option<String>,
    /// Value in an XML body, by XPath.
    pub xpath: Option<String>,
    /// Time before the end of its life from which on it does not exist for `when` and `while`, so that the steps after
    /// them can still use it.
    pub early: Option<Time>,
}

/// The location in an answer: exactly one of the keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerLocation {
    /// A value of a JSON body, by JSON pointer or `JSONPath`.
    pub json: Option<String>,
    /// A member of the JSON object that the body is, by its name.
    pub member: Option<String>,
    /// A field of the head.
    pub header: Option<String>,
    /// A cookie that the answer sets.
    pub cookie: Option<String>,
    /// The match of a regular expression in the body.
    pub regex: Option<String>,
    /// The group of it.
    pub group: Option<u32>,
    /// A value of an XML body.
    pub xpath: Option<String>,
    /// An element of an HTML body.
    pub html: Option<String>,
    /// An attribute of that element, or of an entry; an option of a lease.
    pub attribute: Option<String>,
    /// The URL of the answer.
    pub url: Option<bool>,
    /// A parameter of the URL that was found.
    pub parameter: Option<String>,
    /// The whole body.
    pub body: Option<bool>,
    /// The status of HTTP, the result code of LDAP.
    pub code: Option<bool>,
}

/// A condition on the value that was found.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueCondition {
    /// It exists, or does not.
    Exist(bool),
    /// It equals this value.
    Equal(Node),
    /// It contains this text.
    Contain(String),
    /// This regular expression matches it.
    Match(String),
    /// It is a number in this range.
    Between(String),
    /// This number of matches is found.
    Count(String),
}

impl Check {
    /// The location of the value.
    pub fn spot(&self) -> AnswerLocation {
        AnswerLocation {
            json: self.json.clone(),
            member: None,
            header: self.header.clone(),
            cookie: self.cookie.clone(),
            regex: self.regex.clone(),
            group: self.group,
            xpath: self.xpath.clone(),
            html: self.html.clone(),
            attribute: self.attribute.clone(),
            url: self.url,
            parameter: self.parameter.clone(),
            body: self.body,
            code: self.code,
        }
    }

    /// The conditions, each with its key.
    pub fn musts(&self) -> Vec<(&'static str, ValueCondition)> {
        [
            ("exists", self.exists.map(ValueCondition::Exist)),
            ("equals", self.equals.clone().map(ValueCondition::Equal)),
            ("contains", self.contains.clone().map(ValueCondition::Contain)),
            ("matches", self.matches.clone().map(ValueCondition::Match)),
            ("between", self.between.clone().map(ValueCondition::Between)),
            ("count", self.count.clone().map(ValueCondition::Count)),
        ]
        .into_iter()
        .filter_map(|(key, must)| Some((key, must?)))
        .collect()
    }
}

/// What happens to a variable if the value to extract is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// It has no value.
    Unset,
    /// The step fails.
    Fail,
    /// It keeps its previous value.
    Keep,
}

/// Where a value is in an answer, and what to do if it is missing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct ExtractTable {
    /// Value in a JSON body, by JSON pointer (`/a/0`) or `JSONPath` (`$.a[0]`).
    json: Option<String>,
    /// Member of the JSON object in the body, or of the first object of the array, by its name.
    member: Option<String>,
    /// Response header.
    header: Option<String>,
    /// Cookie that the answer sets.
    cookie: Option<String>,
    /// Match of a regular expression in the body, or in the value of another of these keys.
    regex: Option<String>,
    /// Group of `regex`; by default the first, or the whole match if there is none.
    group: Option<u32>,
    /// Value in an XML body, by XPath.
    xpath: Option<String>,
    /// Element of an HTML body, by a selector such as "#kc-login" or "form input[name=csrf]": its text, or its
    /// `attribute`.
    html: Option<String>,
    /// With `html` the attribute of the element; else an attribute of the first entry that LDAP found, or option of a
    /// lease.
    attribute: Option<String>,
    /// The URL that the answer came from, after redirects.
    url: Option<bool>,
    /// Parameter of the query or fragment of the URL in `header` or `url`, decoded.
    parameter: Option<String>,
    /// The whole body.
    body: Option<bool>,
    /// HTTP status, or LDAP result code.
    code: Option<bool>,
    /// Which match of `json`, `regex`, `xpath` or `html`: "first" by default, "last", "random" (drawn for each answer),
    /// or a number, counted from 1.
    pick: Option<Pick>,
    /// What happens to the variable if the value is missing; "unset" by default.
    missing: Option<Missing>,
    /// Value to use if it is missing.
    default: Option<Scalar>,
    /// Lifetime of the value, in seconds: the variable has no value from its end on.
    expires: Option<Expires>,
}

impl From<ExtractTable> for Extract {
    fn from(table: ExtractTable) -> Self {
        let spot = AnswerLocation {
            json: table.json,
            member: table.member,
            header: table.header,
            cookie: table.cookie,
            regex: table.regex,
            group: table.group,
            xpath: table.xpath,
            html: table.html,
            attribute: table.attribute,
            url: table.url,
            parameter: table.parameter,
            body: table.body,
            code: table.code,
        };
        let ExtractTable { pick, missing, default, expires, .. } = table;
        Self { spot, pick, missing, default, expires }
    }
}

impl From<Extract> for ExtractTable {
    fn from(extract: Extract) -> Self {
        let spot = extract.spot;
        Self {
            json: spot.json,
            member: spot.member,
            header: spot.header,
            cookie: spot.cookie,
            regex: spot.regex,
            group: spot.group,
            xpath: spot.xpath,
            html: spot.html,
            attribute: spot.attribute,
            url: spot.url,
            parameter: spot.parameter,
            body: spot.body,
            code: spot.code,
            pick: extract.pick,
            missing: extract.missing,
            default: extract.default,
            expires: extract.expires,
        }
    }
}

struct ExtractVisitor;

impl<'de> Visitor<'de> for ExtractVisitor {
    type Value = Extract;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON pointer such as \"/access_token\", or a table such as { header = \"Location\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Extract, E> {
        let spot = AnswerLocation { json: Some(text.to_owned()), ..AnswerLocation::default() };
        Ok(Extract { spot, ..Extract::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Extract, A::Error> {
        ExtractTable::deserialize(MapAccessDeserializer::new(map)).map(Extract::from)
    }
}

impl<'de> Deserialize<'de> for Extract {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExtractVisitor)
    }
}

impl Serialize for Extract {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ExtractTable::from(self.clone()).serialize(serializer)
    }
}

impl JsonSchema for Extract {
    fn schema_name() -> Cow<'static, str> {
        "Extract".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<ExtractTable>();
        json_schema!({
            "description": "Where a value is in an answer.",
            "anyOf": [{ "type": "string" }, table],
        })
    }
}

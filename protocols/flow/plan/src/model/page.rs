//! What steps do with the last page of a user: `submit`; and which of several matches is extracted: `pick`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Which form of a page is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submit {
    /// The only one that has all fields of `form`.
    Only,
    /// One that this selector selects.
    Selected(String),
}

/// Which of several matches is extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The first.
    First,
    /// The last.
    Last,
    /// A random one.
    Random,
    /// The one with this number, counted from 1.
    Number(u32),
}

struct SubmitVisitor;

impl Visitor<'_> for SubmitVisitor {
    type Value = Submit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or a selector such as \"#login\"")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Submit, E> {
        if value {
            return Ok(Submit::Only);
        }
        Err(E::invalid_value(serde::de::Unexpected::Bool(value), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Submit, E> {
        Ok(Submit::Selected(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Submit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SubmitVisitor)
    }
}

impl Serialize for Submit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Only => serializer.serialize_bool(true),
            Self::Selected(selector) => serializer.serialize_str(selector),
        }
    }
}

impl JsonSchema for Submit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Submit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean", "const": true }, { "type": "string" }] })
    }
}

struct PickVisitor;

impl Visitor<'_> for PickVisitor {
    type Value = Pick;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"first\", \"last\", \"random\" or a number, counted from 1")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Pick, E> {
        match text {
            "first" => Ok(Pick::First),
            "last" => Ok(Pick::Last),
            "random" => Ok(Pick::Random),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Pick, E> {
        let picked = u32::try_from(number).ok().filter(|number| *number > 0);
        picked
            .map(Pick::Number)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
    }
}

impl<'de> Deserialize<'de> for Pick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PickVisitor)
    }
}

impl Serialize for Pick {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::First => serializer.serialize_str("first"),
            Self::Last => serializer.serialize_str("last"),
            Self::Random => serializer.serialize_str("random"),
            Self::Number(number) => serializer.serialize_u32(*number),
        }
    }
}

impl JsonSchema for Pick {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Pick".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string", "enum": ["first", "last", "random"] },
                { "type": "integer", "minimum": 1 },
            ],
        })
    }
}

//! The parts of a body of the type `multipart/form-data`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::values::{Node, Scalar};

/// The parts of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts(pub Vec<Part>);

/// One part.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A text.
    Text(Scalar),
    /// A file, or a text with a type.
    Table(Box<PartTable>),
}

/// A part of a body: a `file`, a `text` or `json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PartTable {
    /// File whose content is sent. A variable in it is a constant, a `choice` or a feeder's column; all files that it
    /// can name are read at the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Text that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// JSON that is sent: text, or a table or an array of TOML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Node>,
    /// Content type; by default "application/octet-stream" for a file, "application/json" for `json`, and none for a
    /// text.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// Name of the file as the server sees it; by default the last part of `file`. With it a text is sent as a file,
    /// too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true or false, or a table such as { file = \"a.png\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Part, E> {
        Ok(Part::Text(text.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Part, E> {
        Ok(Part::Text(Scalar::Integer(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Part, E> {
        Ok(Part::Text(Scalar::Float(number)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Part, E> {
        Ok(Part::Text(Scalar::Boolean(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
        let table = PartTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Part::Table(Box::new(table)))
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(scalar) => scalar.serialize(serializer),
            Self::Table(table) => table.serialize(serializer),
        }
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a table such as { file = \"a.png\" }, or an array of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Parts, E> {
        PartVisitor.visit_str(text).map(Parts::one)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Parts, E> {
        PartVisitor.visit_i64(number).map(Parts::one)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Parts, E> {
        PartVisitor.visit_f64(number).map(Parts::one)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Parts, E> {
        PartVisitor.visit_bool(value).map(Parts::one)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parts, A::Error> {
        PartVisitor.visit_map(map).map(Parts::one)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(Parts(parts))
    }
}

impl Parts {
    fn one(part: Part) -> Self {
        Self(vec![part])
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor)
    }
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl JsonSchema for Parts {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Parts".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = generator.subschema_for::<Scalar>();
        let table = generator.subschema_for::<PartTable>();
        let one = json_schema!({ "anyOf": [text, table] });
        json_schema!({ "anyOf": [text, table, { "type": "array", "items": one }] })
    }
}

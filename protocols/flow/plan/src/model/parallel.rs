//! [`Parallel`]: how many steps of a group are performed at once.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

/// How many steps of a group are performed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// All.
    All,
    /// This many at a time.
    Most(u32),
}

struct ParallelVisitor;

impl Visitor<'_> for ParallelVisitor {
    type Value = Parallel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, or how many steps are performed at a time, such as 6")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Parallel, E> {
        if value {
            Ok(Parallel::All)
        } else {
            Err(E::invalid_value(Unexpected::Bool(value), &self))
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Parallel, E> {
        let most = u32::try_from(number).ok().filter(|number| *number > 1);
        most.map(Parallel::Most).ok_or_else(|| {
            E::invalid_value(Unexpected::Signed(number), &"true, or a number of 2 or more")
        })
    }
}

impl<'de> Deserialize<'de> for Parallel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParallelVisitor)
    }
}

impl Serialize for Parallel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_bool(true),
            Self::Most(most) => serializer.serialize_u32(*most),
        }
    }
}

impl JsonSchema for Parallel {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Parallel".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "boolean", "const": true }, { "type": "integer", "minimum": 2 }],
        })
    }
}

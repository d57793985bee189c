//! Where values come from: the tables `[variables]` and `[feeders]`.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::tools::flow::plan::values::{Pairs, Scalar};

/// A variable: a constant, or a table that says where its values come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Variable {
    /// A text, of which other variables may be a part, or a number.
    Constant(Scalar),
    /// Where its values come from.
    Source(Box<Source>),
}

/// Where the values of a variable come from: exactly one of the keys `value`, `random`, `count`, `chars`, `uuid`,
/// `timestamp`, `choice`, `number`, `env`, `file` and `extracted`, and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Source {
    /// A text, of which other variables may be a part, or a number.
    pub(crate) value: Option<Scalar>,
    /// Whole numbers at random, both ends included: "0..999".
    pub(crate) random: Option<String>,
    /// Whole numbers from this one on: one after the other for each user.
    pub(crate) count: Option<i64>,
    /// How far apart the numbers of `count` are; 1 without it.
    pub(crate) step: Option<i64>,
    /// Random texts of these characters, such as `[a-z][0-9]`.
    pub(crate) chars: Option<String>,
    /// How many characters the texts of `chars` have.
    pub(crate) length: Option<u32>,
    /// Random UUIDs of version 4.
    pub(crate) uuid: Option<bool>,
    /// The time: "seconds" or "milliseconds" since 1970, "iso", or a pattern such as "yyyy-MM-dd'T'HH:mm:ssZ".
    pub(crate) timestamp: Option<String>,
    /// One of several texts: an array, or a table of texts and their weights.
    pub(crate) choice: Option<Choice>,
    /// The number of the user or of the iteration, counted from 0 over all nodes.
    pub(crate) number: Option<Number>,
    /// A secret in an environment variable.
    pub(crate) env: Option<String>,
    /// A secret in a file, without the line's end.
    pub(crate) file: Option<PathBuf>,
    /// Answers bring the values, and say how long they last. A variable that is extracted need not be declared.
    pub(crate) extracted: Option<Extracted>,
    /// When another value is drawn; for each iteration without it.
    pub(crate) renew: Option<Renewal>,
}

/// What a user or an iteration is numbered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Number {
    /// The number of the virtual user.
    User,
    /// The number of the iteration.
    Iteration,
}

/// How long an extracted value lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Extracted {
    /// Until the iteration is over.
    Iteration,
    /// As long as the user is there.
    User,
}

/// When another value is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Renewal {
    /// When an iteration begins.
    Iteration,
    /// Once, when the user begins.
    User,
    /// For each exchange.
    Exchange,
    /// When an iteration begins, if the one before used the value.
    IterationIfUsed,
    /// Before the exchange after one that used the value.
    AfterUse,
}

/// Texts to choose from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    /// All alike.
    Alike(Vec<Scalar>),
    /// By weights.
    Weighted(Pairs<u32>),
}

/// A file of rows: exactly one of the keys `csv`, `json-lines` and `lines`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Feeder {
    /// A file of comma-separated values (RFC 4180), the first line of which names the columns.
    pub(crate) csv: Option<PathBuf>,
    /// A file with a JSON object on each line.
    pub(crate) json_lines: Option<PathBuf>,
    /// A file with a value on each line.
    pub(crate) lines: Option<PathBuf>,
    /// What stands between two values of `csv`; a comma without it.
    pub(crate) delimiter: Option<String>,
    /// The names of the columns of `csv`, where its first line is a row already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) columns: Vec<String>,
    /// Which row comes next; "sequential" without it.
    pub(crate) order: Option<RowOrder>,
    /// When another row is drawn; for each iteration without it.
    pub(crate) renew: Option<Renewal>,
}

/// Which row comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RowOrder {
    /// In the order of the file, from the beginning again after the last.
    #[default]
    Sequential,
    /// Any, each time.
    Random,
    /// Each once in a random order, then each once in another.
    Shuffled,
    /// In the order of the file, each once over all users and nodes; the run ends with the last.
    Unique,
}

struct VariableVisitor;

impl<'de> Visitor<'de> for VariableVisitor {
    type Value = Variable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true, false or a table such as { random = \"0..999\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Variable, E> {
        Ok(Variable::Constant(text.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Variable, E> {
        Ok(Variable::Constant(Scalar::Integer(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Variable, E> {
        Ok(Variable::Constant(Scalar::Float(number)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Variable, E> {
        Ok(Variable::Constant(Scalar::Boolean(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Variable, A::Error> {
        Source::deserialize(MapAccessDeserializer::new(map)).map(Box::new).map(Variable::Source)
    }
}

impl<'de> Deserialize<'de> for Variable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VariableVisitor)
    }
}

impl Serialize for Variable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(scalar) => scalar.serialize(serializer),
            Self::Source(source) => source.serialize(serializer),
        }
    }
}

impl JsonSchema for Variable {
    fn schema_name() -> Cow<'static, str> {
        "Variable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (scalar, source) =
            (generator.subschema_for::<Scalar>(), generator.subschema_for::<Source>());
        json_schema!({ "anyOf": [scalar, source] })
    }
}

struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
    type Value = Choice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an array such as [\"a\", \"b\"] or a table of weights such as { a = 3, b = 1 }",
        )
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Choice, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Choice::Alike)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Choice, A::Error> {
        Pairs::deserialize(MapAccessDeserializer::new(map)).map(Choice::Weighted)
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Alike(texts) => texts.serialize(serializer),
            Self::Weighted(pairs) => pairs.serialize(serializer),
        }
    }
}

impl JsonSchema for Choice {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Choice".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let alike = generator.subschema_for::<Vec<Scalar>>();
        let weighted = generator.subschema_for::<Pairs<u32>>();
        json_schema!({ "anyOf": [alike, weighted] })
    }
}

//! The sources of values: the tables `[variables]` and `[feeders]`.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::values::{Node, Pairs, Scalar, Time};

/// A variable: a constant, or a table with the source of its values.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    /// A text, which may contain other variables, or a number.
    Constant(Scalar),
    /// The source of its values.
    Source(Box<Source>),
}

/// Source of a variable's values: exactly one of the keys `value`, `random`, `count`, `chars`, `uuid`, `timestamp`,
/// `choice`, `number`, `env`, `file`, `extracted`, `jwt`, `hmac` and `totp`, and the keys that belong to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// A text, which may contain other variables, or a number.
    pub value: Option<Scalar>,
    /// Random whole numbers, both ends included: "0..999".
    pub random: Option<String>,
    /// Whole numbers from this one on, counted for each user.
    pub count: Option<i64>,
    /// Difference between two numbers of `count`, or of `number = "repeat"`; 1 by default.
    pub step: Option<i64>,
    /// Random texts of these characters, such as `[a-z][0-9]`.
    pub chars: Option<String>,
    /// Length of the texts of `chars`.
    pub length: Option<u32>,
    /// Random UUIDs of version 4.
    pub uuid: Option<bool>,
    /// The time: "seconds" or "milliseconds" since 1970, "iso", or a pattern such as "yyyy-MM-dd'T'HH:mm:ssZ".
    pub timestamp: Option<String>,
    /// One of several texts: an array, or a table of texts and their weights.
    pub choice: Option<Choice>,
    /// The number of the user or of the iteration, counted from 0 over all nodes; or of the round of the innermost
    /// `repeat`, counted from 0.
    pub number: Option<Number>,
    /// Secret in an environment variable.
    pub env: Option<String>,
    /// Secret in a file, without its final line break.
    pub file: Option<PathBuf>,
    /// Values extracted from answers, and how long they last. An extracted variable need not be declared.
    pub extracted: Option<Extracted>,
    /// Claims of a signed JWT (RFC 7519), a new one for each exchange that uses it. It has `iat`, `exp` and `jti` as
    /// well, unless they are given.
    pub jwt: Option<Node>,
    /// Lifetime of `jwt`, which sets `exp`; "60s" by default.
    pub lifetime: Option<Time>,
    /// Text whose message authentication code is the value (HMAC, RFC 2104). In values of `headers` it may contain
    /// `${request.method}`, `${request.url}`, `${request.path}` (with the query) and `${request.body}`.
    pub hmac: Option<String>,
    /// How the code of `hmac` is written; "hex" by default.
    #[serde(rename = "as")]
    pub as_: Option<MacNotation>,
    /// Seed of one-time passwords (TOTP, RFC 6238): base32, or hexadecimal after "hex:". Each password is used once; a
    /// step that needs a second one waits for the next period, as in a pause.
    pub totp: Option<String>,
    /// Digits of `totp`; 6 by default.
    pub digits: Option<u32>,
    /// Period of `totp`; "30s" by default.
    pub period: Option<Time>,
    /// Hash function of `hmac`, "sha256" by default, or of `totp`, "sha1" by default.
    pub algorithm: Option<MacDigest>,
    /// Key of `jwt` or `hmac`, by its name in `[keys]`.
    pub key: Option<String>,
    /// When a new value is drawn; by default for each iteration.
    pub renew: Option<Renewal>,
    /// Whether its values are secrets, which are shown nowhere; by default if they are from `env` or `file`, or if the
    /// variable is named as a secret.
    pub secret: Option<bool>,
    /// The stream that its random values are drawn from. The text of a plan cannot set it: there it is the one of the
    /// variable's number.
    #[serde(skip)]
    pub stream: Option<u64>,
}

/// How the bytes of a code are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MacNotation {
    /// In hexadecimal, in lower case.
    Hex,
    /// In base64.
    Base64,
    /// In base64 for URLs, without padding.
    #[serde(rename = "base64url")]
    Base64Url,
}

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MacDigest {
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// What is numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Number {
    /// The number of the virtual user.
    User,
    /// The number of the iteration.
    Iteration,
    /// The number of the round of the innermost `repeat`, multiplied by `step`.
    Repeat,
}

/// How long an extracted value lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extracted {
    /// Until the end of the iteration.
    Iteration,
    /// As long as the user exists.
    User,
    /// Until the end of the run, as a value of all users, which a step of `[prepare]` extracts.
    Node,
}

/// When a new value is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Renewal {
    /// When an iteration begins.
    Iteration,
    /// Once, when the user starts.
    User,
    /// For each exchange.
    Exchange,
    /// When an iteration begins, if the previous one used the value.
    IterationIfUsed,
    /// Before the exchange that follows one that used the value.
    AfterUse,
}

/// Texts to choose from.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// With equal weights.
    Alike(Vec<Scalar>),
    /// By weight.
    Weighted(Pairs<u32>),
}

/// A file of rows: exactly one of the keys `csv`, `json-lines` and `lines`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Feeder {
    /// CSV file (RFC 4180); its first line names the columns.
    pub csv: Option<PathBuf>,
    /// File with one JSON object per line.
    pub json_lines: Option<PathBuf>,
    /// File with one value per line.
    pub lines: Option<PathBuf>,
    /// Separator of the values of `csv`; by default a comma.
    pub delimiter: Option<String>,
    /// Names of the columns of `csv`, if its first line is a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Columns whose values are secrets, beside those that are named as secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Order of the rows; "sequential" by default.
    pub order: Option<RowOrder>,
    /// When the next row is drawn; by default for each iteration.
    pub renew: Option<Renewal>,
    /// The stream that random rows are drawn from. The text of a plan cannot set it: there it is the one of the
    /// feeder's number.
    #[serde(skip)]
    pub stream: Option<u32>,
}

/// Order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowOrder {
    /// In the order of the file, starting again after the last.
    #[default]
    Sequential,
    /// A random row each time.
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

//! The types of a plan's values for which TOML's own types are not specific enough: times, sizes, tables in the order
//! in which they were written, and values that have a short form and a long one.
//!
//! Each has its own visitor instead of an untagged enum, so that the error for any other value says what is allowed
//! there, with an example.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use brunt_exchange::duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// A time, written `500ms` or `1m30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

/// A number of bytes, written `65536` or `64KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

/// A table in the order in which it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs<V>(pub Vec<(String, V)>);

/// One value, or an array of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Several(pub Vec<Scalar>);

/// Text, a number or a truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Text, in which `${name}` stands for a variable.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// True or false.
    Boolean(bool),
}

/// A JSON document in TOML notation. Keys keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A string, a number, true or false.
    Scalar(Scalar),
    /// An array.
    Array(Vec<Self>),
    /// An object.
    Object(Pairs<Self>),
}

impl<V> Default for Pairs<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Pairs<V> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pairs, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> + Clone {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&V> {
        self.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Boolean(value) => write!(f, "{value}"),
        }
    }
}

impl From<Scalar> for Several {
    fn from(one: Scalar) -> Self {
        Self(vec![one])
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

struct TimeVisitor;

impl Visitor<'_> for TimeVisitor {
    type Value = Time;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as \"500ms\", \"30s\" or \"1m30s\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Time, E> {
        let read = duration(text.trim());
        read.map(Time).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TimeVisitor)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&time_words(self.0))
    }
}

/// A time in a plan's notation, to the microsecond.
pub fn time_words(time: Duration) -> String {
    let micros = time.as_micros();
    let units = [(60_000_000, "m"), (1_000_000, "s"), (1_000, "ms")];
    let fits = units.into_iter().find(|(length, _)| micros > 0 && micros.is_multiple_of(*length));
    let (length, unit) = fits.unwrap_or((1, "us"));
    if micros == 0 { "0s".to_owned() } else { format!("{}{unit}", micros / length) }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A time such as \"500ms\", \"30s\" or \"1m30s\"; units are us, ms, s, m, h and d.",
            "pattern": r"^\s*([0-9]+(\.[0-9]{0,6})?(us|ms|s|m|min|h|d))+\s*$",
        })
    }
}

struct SizeVisitor;

impl Visitor<'_> for SizeVisitor {
    type Value = Size;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bytes such as 65536 or \"64KiB\"")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Size, E> {
        let read = u64::try_from(number).map(Size);
        read.map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Size, E> {
        bytes(text.trim())
            .map(Size)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// `10`, `10B`, `10kB`, `10KiB` and so on to `GiB`.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim() {
        "" | "B" => 1,
        "kB" => 1_000,
        "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units.into_iter().find(|(unit, _)| self.0 > 0 && self.0.is_multiple_of(*unit)) {
            Some((unit, name)) => serializer.collect_str(&format_args!("{}{name}", self.0 / unit)),
            None => serializer.serialize_u64(self.0),
        }
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number of bytes such as 65536 or \"64KiB\".",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^\\s*[0-9]+\\s*(B|kB|KiB|MB|MiB|GB|GiB)?\\s*$" },
            ],
        })
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

impl<V: Serialize> Serialize for Pairs<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<V: JsonSchema> JsonSchema for Pairs<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("TableOf{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<V>() })
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true or false")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(number))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Boolean(value))
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Boolean(value) => serializer.serialize_bool(*value),
        }
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Text, in which ${name} stands for a variable, a number, true or false.",
            "type": ["string", "number", "boolean"],
        })
    }
}

struct SeveralVisitor;

impl<'de> Visitor<'de> for SeveralVisitor {
    type Value = Several;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true or false, or an array of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Several, E> {
        Ok(Several(vec![text.into()]))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Several, E> {
        Ok(Several(vec![Scalar::Integer(number)]))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Several, E> {
        Ok(Several(vec![Scalar::Float(number)]))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Several, E> {
        Ok(Several(vec![Scalar::Boolean(value)]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Several, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Several(values))
    }
}

impl<'de> Deserialize<'de> for Several {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeveralVisitor)
    }
}

impl Serialize for Several {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl JsonSchema for Several {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Several".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Scalar>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true, false, an array or a table")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Scalar(text.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Scalar(Scalar::Integer(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Scalar(Scalar::Float(number)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(Scalar::Boolean(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element()? {
            nodes.push(node);
        }
        Ok(Node::Array(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
        Pairs::deserialize(MapAccessDeserializer::new(map)).map(Node::Object)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(scalar) => scalar.serialize(serializer),
            Self::Array(nodes) => nodes.serialize(serializer),
            Self::Object(pairs) => pairs.serialize(serializer),
        }
    }
}

impl JsonSchema for Node {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A JSON document: as text, or as a table or an array of TOML." })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, serde::Serialize)]
    struct Holder<T> {
        it: T,
    }

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
        let held: Result<Holder<T>, _> = toml::from_str(&format!("it = {text}"));
        held.map(|held| held.it).map_err(|error| error.message().to_owned())
    }

    fn written<T: Serialize>(it: T) -> String {
        toml::to_string(&Holder { it }).unwrap().trim().trim_start_matches("it = ").to_owned()
    }

    #[test]
    fn times_and_sizes_round_trip() {
        for text in ["\"500ms\"", "\"90s\"", "\"2m\"", "\"1500us\"", "\"0s\""] {
            assert_eq!(written(read::<Time>(text).unwrap()), text);
        }
        for (text, size) in [("\"64KiB\"", 65_536), ("1000", 1_000), ("\"5 MB\"", 5_000_000)] {
            assert_eq!(read::<Size>(text), Ok(Size(size)));
        }
        assert_eq!(written(Size(3 << 20)), "\"3MiB\"");
        assert!(read::<Time>("5").unwrap_err().contains("such as \"500ms\""));
        assert!(read::<Time>("\"soon\"").unwrap_err().contains("such as \"500ms\""));
        assert!(read::<Size>("-5").unwrap_err().contains("\"64KiB\""));
        assert!(read::<Size>("\"99999999999GiB\"").unwrap_err().contains("bytes"));
    }

    #[test]
    fn tables_keep_order_and_documents_their_types() {
        let text = "{ z = 1, a = [true, \"x\", 1.5], m = { b = 1, a = 2 } }";
        let node: Node = read(text).unwrap();
        assert_eq!(
            serde_json::to_string(&node).unwrap(),
            r#"{"z":1,"a":[true,"x",1.5],"m":{"b":1,"a":2}}"#
        );
        assert_eq!(read::<Several>("[1, 2]").unwrap().0.len(), 2);
        assert_eq!(read::<Several>("\"x\"").unwrap().0, ["x".into()]);
        assert!(read::<Scalar>("[]").unwrap_err().contains("text, a number"));
    }
}

//! [`Node`]: a document of JSON or YAML, its members in the order in which they were written.
//!
//! The order matters to people who read the resulting plan: operations, properties and parameters must appear in their
//! original order, which sorted maps do not preserve. The parsers bound the depth (128 levels in JSON).

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::fmt;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Self>),
    /// Members in order.
    Map(Vec<(String, Self)>),
}

/// The value of a member that does not exist.
pub(crate) static NOTHING: Node = Node::Null;

impl Node {
    /// Reads JSON.
    pub(crate) fn json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// JSON without a space.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The member of that name.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The member of that name; [`NOTHING`] if there is none.
    pub(crate) fn at(&self, name: &str) -> &Self {
        self.member(name).unwrap_or(&NOTHING)
    }

    /// The members; none if it is not a map.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Map(members) => members,
            _ => &[],
        }
    }

    /// The values; none if it is not a list.
    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// Whether it is the value `true`.
    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// A value in the form for a URL or a header: text unchanged, anything else as JSON.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.to_json(),
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            Self::Number(number) => number.serialize(to),
            Self::Text(text) => to.serialize_str(text),
            Self::List(list) => to.collect_seq(list),
            Self::Map(members) => {
                let mut map = to.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        Ok(value.into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = from.next_entry()? {
            members.push(member);
        }
        Ok(Node::Map(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_keeps_order_and_values() {
        let text = r#"{"z":1,"a":[true,null,-2,1.5,"x\n"],"m":{}}"#;
        let node = Node::json(text).unwrap();
        assert_eq!(node.to_json(), text);
        assert_eq!(node.at("a").list()[4].text(), Some("x\n"));
        assert_eq!((node.at("z").number(), node.at("no")), (Some(1.0), &Node::Null));
        let names: Vec<_> = node.members().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["z", "a", "m"]);
    }

    #[test]
    fn node_depth_is_limited() {
        assert!(Node::json(&"[".repeat(200_000)).is_err());
    }
}

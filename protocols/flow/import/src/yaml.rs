//! YAML, as far as documents of the OpenAPI kind use it: one document, aliases, merge keys, the core schema.
//!
//! The crate used here reads events and not trees, so that the usual attacks with trees can be bounded here: their
//! depth, and the number of values that aliases make from a small document.

use crate::node::Node;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::HashMap;

/// The greatest depth of a document.
const DEEPEST: usize = 128;
/// The most values, with aliases filled in.
const MOST_VALUES: usize = 2_000_000;

/// A text that is not a valid document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum YamlError {
    /// It is malformed.
    #[error("line {line}, column {column}: {what}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// It is too deep.
    #[error("line {0}: it is nested more than {DEEPEST} deep")]
    Deep(usize),
    /// It is too large.
    #[error("line {0}: it has more than {MOST_VALUES} values, aliases filled in")]
    Large(usize),
    /// An alias without an anchor.
    #[error("line {0}: an alias stands inside of what it stands for")]
    Alias(usize),
}

/// Reads the first document.
pub(crate) fn parse(text: &str) -> Result<Node, YamlError> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker();
            YamlError::Malformed {
                line: at.line(),
                column: at.col() + 1,
                what: error.info().to_owned(),
            }
        })?;
        if builder.take(event, span.start.line())? {
            break;
        }
    }
    Ok(builder.root.unwrap_or(Node::Null))
}

#[derive(Default)]
struct Builder {
    /// The open lists and maps, the innermost last.
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
    root: Option<Node>,
}

/// A list or a map that is not complete.
struct Open {
    node: Node,
    /// The key whose value comes next.
    key: Option<String>,
    anchor: usize,
    /// How many values there were at its beginning.
    before: usize,
}

impl Builder {
    /// Takes an event; returns whether the document is over.
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<bool, YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.suffix == "str");
                let plain = style == ScalarStyle::Plain && !is_text;
                let key = self.open.last().is_some_and(Open::wants_key);
                let node = if plain && !key { scalar(&text) } else { Node::from(&*text) };
                self.put(node, 1, anchor, line)?;
            }
            Event::SequenceStart(anchor, _) => self.begin(Node::List(Vec::new()), anchor, line)?,
            Event::MappingStart(anchor, _) => self.begin(Node::Map(Vec::new()), anchor, line)?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let values = 1 + self.values - open.before;
                    self.values = open.before;
                    self.put(open.node, values, open.anchor, line)?;
                }
            }
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor);
                let (node, values) = known.ok_or(YamlError::Alias(line))?;
                if self.values + values > MOST_VALUES {
                    return Err(YamlError::Large(line));
                }
                let (node, values) = (node.clone(), *values);
                self.put(node, values, 0, line)?;
            }
            Event::DocumentEnd => return Ok(true),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
        Ok(false)
    }

    fn begin(&mut self, node: Node, anchor: usize, line: usize) -> Result<(), YamlError> {
        if self.open.len() == DEEPEST {
            return Err(YamlError::Deep(line));
        }
        self.open.push(Open { node, key: None, anchor, before: self.values });
        Ok(())
    }

    /// Adds a complete value to its parent.
    fn put(
        &mut self,
        node: Node,
        values: usize,
        anchor: usize,
        line: usize,
    ) -> Result<(), YamlError> {
        self.values += values;
        if self.values > MOST_VALUES {
            return Err(YamlError::Large(line));
        }
        if anchor > 0 {
            // Values kept for aliases count as well, or anchors within anchors would be unbounded.
            self.values += values;
            self.anchors.insert(anchor, (node.clone(), values));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => open.put(node),
        }
        Ok(())
    }
}

impl Open {
    fn wants_key(&self) -> bool {
        matches!(self.node, Node::Map(_)) && self.key.is_none()
    }

    fn put(&mut self, value: Node) {
        match &mut self.node {
            Node::List(list) => list.push(value),
            Node::Map(members) => match self.key.take() {
                None => self.key = Some(value.plain()),
                Some(key) if key == "<<" => merge(members, value),
                Some(key) => members.push((key, value)),
            },
            _ => {}
        }
    }
}

/// Adds the members of a merge key; explicit members have precedence.
fn merge(members: &mut Vec<(String, Node)>, value: Node) {
    match value {
        Node::Map(more) => {
            for (key, value) in more {
                if !members.iter().any(|(known, _)| *known == key) {
                    members.push((key, value));
                }
            }
        }
        Node::List(list) => list.into_iter().for_each(|value| merge(members, value)),
        _ => {}
    }
}

/// A scalar without quotes, by the core schema (YAML 1.2.2, section 10.3).
fn scalar(text: &str) -> Node {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Node::Null,
        "true" | "True" | "TRUE" => return Node::Bool(true),
        "false" | "False" | "FALSE" => return Node::Bool(false),
        _ => {}
    }
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| u64::from_str_radix(digits, radix).ok())
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Node::Number(number.into());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Node::Number(number.into());
    }
    let numeric = text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let number = text.parse().ok().filter(|_| numeric).and_then(serde_json::Number::from_f64);
    number.map_or_else(|| Node::from(text), Node::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn json(text: &str, expected: &str) {
        assert_eq!(parse(text).map(|node| node.to_json()), Ok(expected.to_owned()));
    }

    #[test]
    fn yaml_scalars_follow_the_core_schema() {
        json(
            "[~, true, -3, 0x1F, 1.5, 1e3, 3.0.1, '12', \"a\\n\", 2020-01-01, no, !!str 5, 1_000]",
            r#"[null,true,-3,31,1.5,1000.0,"3.0.1","12","a\n","2020-01-01","no","5","1_000"]"#,
        );
    }

    #[test]
    fn yaml_maps_keep_their_order() {
        json(
            "z: 1\n200:\n  - a: b\n    c: |\n      two\n      lines\nm: {}\n",
            r#"{"z":1,"200":[{"a":"b","c":"two\nlines\n"}],"m":{}}"#,
        );
        json(
            "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  m: 3\nc: *x",
            r#"{"a":{"k":1,"l":2},"b":{"k":1,"l":2,"m":3},"c":{"k":1,"l":2}}"#,
        );
        json("", "null");
        json("--- 1\n--- 2\n", "1");
    }

    #[test]
    fn yaml_hostile_documents_are_limited() {
        let deep = "[".repeat(100_000);
        assert!(matches!(parse(&deep), Err(YamlError::Deep(1) | YamlError::Malformed { .. })));
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..20 {
            let before = vec![format!("*a{}", level - 1); 10].join(",");
            bomb += &["a", &level.to_string(), ": &a", &level.to_string(), " [", &before, "]\n"]
                .concat();
        }
        assert!(matches!(parse(&bomb), Err(YamlError::Large(_))));
        assert!(matches!(parse("a: &a [*a]"), Err(YamlError::Alias(1))));
        match parse("a: b\n c: [") {
            Err(YamlError::Malformed { line, .. }) => assert!(line >= 2),
            other => panic!("{other:?}"),
        }
    }
}

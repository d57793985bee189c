//! A value that a schema allows, from what the schema offers: an example, a default, the first of an enumeration, else
//! something of its type within its bounds.
//!
//! This is best effort: a value that breaks a rule between two members is possible. Read-only properties are left out.
//! Optional ones are filled in as well, since they are what makes a request as large as a real one, but not where
//! schemas refer to themselves.

use super::{Api, pattern};
use crate::node::Node;
use serde_json::Number;

/// The greatest depth of a value.
const DEEPEST: usize = 24;
/// Below this depth only required members are filled in.
const OPTIONAL_DEPTH: usize = 6;
/// The most values in one body.
const MOST_VALUES: usize = 20_000;
/// The most items in a list.
const MOST_ITEMS: f64 = 100.0;
/// The greatest length of a text.
const LONGEST: f64 = 10_000.0;

impl<'a> Api<'a> {
    /// A value that the schema allows.
    pub(super) fn sample(&mut self, schema: &'a Node) -> Node {
        let mut left = MOST_VALUES;
        self.value(schema, &mut Vec::new(), &mut left).unwrap_or(Node::Null)
    }

    /// The same, unless it would lead to a cycle. `path` contains the enclosing schemas.
    fn value(
        &mut self,
        schema: &'a Node,
        path: &mut Vec<&'a Node>,
        left: &mut usize,
    ) -> Option<Node> {
        let schema = self.resolved(schema);
        let within = path.iter().any(|outer| std::ptr::eq(*outer, schema));
        if within || path.len() == DEEPEST || *left == 0 {
            return None;
        }
        *left -= 1;
        if let Some(offered) = offered(schema) {
            return Some(offered);
        }
        path.push(schema);
        let value = self.made(schema, path, left);
        path.pop();
        Some(value)
    }

    fn made(&mut self, schema: &'a Node, path: &mut Vec<&'a Node>, left: &mut usize) -> Node {
        if !schema.at("allOf").list().is_empty() {
            return self.all_of(schema, path, left);
        }
        for choice in ["oneOf", "anyOf"] {
            for schema in schema.at(choice).list() {
                if let Some(value) =
                    self.value(schema, path, left).filter(|value| *value != Node::Null)
                {
                    return value;
                }
            }
        }
        match kind(schema) {
            "object" => Node::Map(self.properties(schema, path, left)),
            "array" => self.items(schema, path, left),
            "string" => Node::Text(self.text(schema)),
            "integer" => number(schema, true),
            "number" => number(schema, false),
            "boolean" => Node::Bool(true),
            _ => Node::Null,
        }
    }

    /// A value that several schemas allow together: objects are merged, and for other types the first schema that gives
    /// a type decides.
    fn all_of(&mut self, schema: &'a Node, path: &mut Vec<&'a Node>, left: &mut usize) -> Node {
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut other = Node::Null;
        for part in schema.at("allOf").list() {
            match self.value(part, path, left) {
                Some(Node::Map(more)) => join(&mut members, more),
                Some(value) if other == Node::Null => other = value,
                _ => {}
            }
        }
        join(&mut members, self.properties(schema, path, left));
        if members.is_empty() { other } else { Node::Map(members) }
    }

    fn properties(
        &mut self,
        schema: &'a Node,
        path: &mut Vec<&'a Node>,
        left: &mut usize,
    ) -> Vec<(String, Node)> {
        let required =
            |name: &str| schema.at("required").list().iter().any(|it| it.text() == Some(name));
        let mut members = Vec::new();
        for (name, property) in schema.at("properties").members() {
            let property = self.resolved(property);
            if property.at("readOnly").is_true() || path.len() > OPTIONAL_DEPTH && !required(name) {
                continue;
            }
            if let Some(value) = self.value(property, path, left) {
                members.push((name.clone(), value));
            }
        }
        members
    }

    fn items(&mut self, schema: &'a Node, path: &mut Vec<&'a Node>, left: &mut usize) -> Node {
        let tuple = schema.at("prefixItems").list();
        if !tuple.is_empty() {
            return Node::List(
                tuple.iter().filter_map(|item| self.value(item, path, left)).collect(),
            );
        }
        let least = schema.at("minItems").number().unwrap_or(1.0).clamp(1.0, MOST_ITEMS) as usize;
        if schema.at("maxItems").number() == Some(0.0) {
            return Node::List(Vec::new());
        }
        let items = (0..least).map_while(|_| self.value(schema.at("items"), path, left));
        Node::List(items.filter(|item| *item != Node::Null).collect())
    }

    fn text(&mut self, schema: &'a Node) -> String {
        if let Some(pattern) = schema.at("pattern").text() {
            match pattern::sample(pattern) {
                Some(text) => return text,
                None => self.note(format!(
                    "the pattern {pattern} is one that no text could be made for; put in one that fits"
                )),
            }
        }
        let text = match schema.at("format").text().unwrap_or_default() {
            "date-time" => "2026-01-02T03:04:05Z",
            "date" => "2026-01-02",
            "time" => "03:04:05Z",
            "duration" => "PT1M",
            "uuid" => "11111111-2222-4333-8444-555555555555",
            "email" | "idn-email" => "user@example.com",
            "uri" | "url" | "uri-reference" | "iri" => "https://example.com/",
            "hostname" | "idn-hostname" => "example.com",
            "ipv4" => "192.0.2.1",
            "ipv6" => "2001:db8::1",
            "byte" => "YnJ1bnQ=",
            "json-pointer" => "/a",
            "int64" | "int32" => "1",
            _ => "text",
        };
        let least = schema.at("minLength").number().unwrap_or(0.0).clamp(0.0, LONGEST) as usize;
        let most = schema.at("maxLength").number().unwrap_or(LONGEST).clamp(0.0, LONGEST) as usize;
        let mut text = text.to_owned();
        while text.len() < least {
            text.push('x');
        }
        text.truncate(most.max(least));
        text
    }
}

/// The value that the schema itself offers.
fn offered(schema: &Node) -> Option<Node> {
    let first = |name: &str| schema.at(name).list().iter().find(|value| **value != Node::Null);
    let message = |name: &str| schema.member(name);
    let offered = message("example").or_else(|| first("examples")).or_else(|| message("default"));
    offered.or_else(|| message("const")).or_else(|| first("enum")).cloned()
}

/// The type of a schema: explicit, or inferred from its other members.
fn kind(schema: &Node) -> &str {
    let message = match schema.at("type") {
        Node::List(kinds) => kinds.iter().filter_map(Node::text).find(|kind| *kind != "null"),
        other => other.text(),
    };
    let has = |name: &str| schema.member(name).is_some();
    match message {
        Some(kind) => kind,
        None if has("properties") || has("additionalProperties") => "object",
        None if has("items") || has("prefixItems") => "array",
        None if has("minLength") || has("pattern") || has("format") => "string",
        None if has("minimum") || has("maximum") => "number",
        None => "",
    }
}

/// A number within the bounds: 1 if that is allowed, else the nearest to it.
fn number(schema: &Node, whole: bool) -> Node {
    let bound = |name: &str| schema.at(name).number();
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let unit = step.unwrap_or(if whole { 1.0 } else { 0.5 });
    // In 3.0 an exclusive bound is a boolean beside the bound, in 3.1 it is the bound.
    let exclusive = |name: &str, message: &str| {
        bound(name).or_else(|| bound(message).filter(|_| schema.at(name).is_true()))
    };
    let least =
        exclusive("exclusiveMinimum", "minimum").map(|least| least + unit).or(bound("minimum"));
    let most =
        exclusive("exclusiveMaximum", "maximum").map(|most| most - unit).or(bound("maximum"));
    let mut value: f64 = 1.0;
    if let Some(most) = most {
        value = value.min(most);
    }
    if let Some(least) = least {
        value = value.max(least);
    }
    if let Some(step) = step {
        value = (value / step).ceil() * step;
    } else if whole {
        value = value.ceil();
    }
    let integer = value.fract() == 0.0 && value.abs() < 9e15;
    let number = if integer { Some(Number::from(value as i64)) } else { Number::from_f64(value) };
    number.map_or(Node::Null, Node::Number)
}

fn join(members: &mut Vec<(String, Node)>, more: Vec<(String, Node)>) {
    for (name, value) in more {
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => members.push((name, value)),
        }
    }
}

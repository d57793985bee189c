//! The shape of a request body: whether a JSON document matches a schema of the OpenAPI document.
//!
//! The schema is generated from the type that the body is read into, so what is documented is what is checked. The
//! check is done here and not by deserialising the type, because a program needs the JSON path of an error, and what
//! would be accepted. Only the keywords that such schemas have are known; a test refuses others.

use serde_json::{Map, Value};

use crate::problem::{FAULTS_MAX, InvalidValue, ParameterLocation};

/// Where the definitions of a schema are.
pub(crate) const DEFINITIONS: &str = "$defs";
/// The keywords that restrict a value here.
#[cfg(test)]
pub(crate) const KEYWORDS: [&str; 16] = [
    "$ref",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
];

/// What is wrong with a document; empty if it matches the schema.
pub(super) fn faults(schema: &Value, document: &Value) -> Vec<InvalidValue> {
    let mut walk = Walk { definitions: &schema[DEFINITIONS], faults: Vec::new() };
    walk.check(schema, document, "$");
    walk.faults
}

struct Walk<'a> {
    definitions: &'a Value,
    faults: Vec<InvalidValue>,
}

impl<'a> Walk<'a> {
    fn check(&mut self, schema: &'a Value, value: &Value, path: &str) {
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        let schema = self.resolved(schema);
        if let Some(branches) = branches(schema) {
            return self.check_branches(branches, value, path);
        }
        if !is_of_type(schema, value) || !is_within(schema, value) {
            return self.fault(path, Some(value), self.wanted(schema));
        }
        match value {
            Value::Object(fields) => self.check_fields(schema, fields, path),
            Value::Array(elements) => {
                for (number, element) in elements.iter().enumerate() {
                    self.check(&schema["items"], element, &format!("{path}[{number}]"));
                }
            }
            _ => {}
        }
    }

    fn check_fields(&mut self, schema: &'a Value, fields: &Map<String, Value>, path: &str) {
        let known = schema["properties"].as_object();
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                let wanted = known.map_or_else(String::new, |known| self.wanted(&known[name]));
                self.fault(&inside(path, name), None, wanted);
            }
        }
        for (name, value) in fields {
            let (path, more) = (inside(path, name), &schema["additionalProperties"]);
            if let Some(schema) = known.and_then(|known| known.get(name)) {
                self.check(schema, value, &path);
            } else if more == &Value::Bool(false) {
                let names: Vec<&str> =
                    known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                self.fault(&path, Some(value), format!("one of the fields {}", names.join(", ")));
            } else if more.is_object() {
                self.check(more, value, &path);
            }
        }
    }

    /// Holds a value against alternatives: against the one whose constant field it has, or the one of its type.
    fn check_branches(&mut self, branches: &'a [Value], value: &Value, path: &str) {
        let branches: Vec<&Value> = branches.iter().map(|branch| self.resolved(branch)).collect();
        if let Some(tag) = branches.iter().find_map(|branch| tag(branch)) {
            let words =
                branches.iter().filter_map(|branch| branch["properties"][tag]["const"].as_str());
            let words: Vec<&str> = words.collect();
            let wanted = format!("one of {}", words.join(", "));
            let Some(fields) = value.as_object() else {
                return self.fault(path, Some(value), "an object".to_owned());
            };
            let named = branches.iter().find(|branch| {
                fields.get(tag).is_some_and(|given| *given == branch["properties"][tag]["const"])
            });
            return match named {
                Some(branch) => self.check(branch, value, path),
                None => self.fault(&inside(path, tag), fields.get(tag), wanted),
            };
        }
        if let Some(branch) = branches.iter().find(|branch| is_of_type(branch, value)) {
            return self.check(branch, value, path);
        }
        let wanted: Vec<String> = branches.iter().map(|branch| self.wanted(branch)).collect();
        self.fault(path, Some(value), wanted.join(", or "));
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        name.map_or(schema, |name| &self.definitions[name])
    }

    fn fault(&mut self, path: &str, given: Option<&Value>, wanted: String) {
        let given = given.map(Value::to_string);
        self.faults.push(InvalidValue::new(
            ParameterLocation::Body,
            path,
            given.as_deref(),
            wanted,
        ));
    }

    /// What a schema accepts, in words.
    fn wanted(&self, schema: &'a Value) -> String {
        let schema = self.resolved(schema);
        if let Some(branches) = branches(schema) {
            let all: Vec<String> = branches.iter().map(|branch| self.wanted(branch)).collect();
            return all.join(", or ");
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(Value::to_string).collect();
            return format!("one of {}", words.join(", "));
        }
        let words: Vec<String> = types(schema).iter().map(|kind| of_type(schema, kind)).collect();
        words.join(", or ")
    }
}

fn inside(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { format!("{path}.{name}") } else { format!("{path}[{}]", Value::from(name)) }
}

/// The alternatives of a schema.
fn branches(schema: &Value) -> Option<&[Value]> {
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    branches.as_array().map(Vec::as_slice)
}

/// The field of an alternative that has a constant value.
fn tag(branch: &Value) -> Option<&str> {
    let fields = branch["properties"].as_object()?;
    fields.iter().find(|(_, schema)| schema.get("const").is_some()).map(|(name, _)| name.as_str())
}

/// The types that a schema permits; none, if it permits any.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of_type(schema: &Value, value: &Value) -> bool {
    let types = types(schema);
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    types.is_empty() || types.into_iter().any(is)
}

/// Whether a value of the right type is within the limits of its schema.
fn is_within(schema: &Value, value: &Value) -> bool {
    let limit = |name: &str| schema[name].as_f64();
    let size = |value: f64, least: &str, most: &str| {
        limit(least).is_none_or(|least| value >= least)
            && limit(most).is_none_or(|most| value <= most)
    };
    let is_listed = schema["enum"].as_array().is_none_or(|all| all.contains(value));
    let fits = match value {
        Value::Number(number) => size(number.as_f64().unwrap_or(f64::NAN), "minimum", "maximum"),
        Value::String(text) => size(text.chars().count() as f64, "minLength", "maxLength"),
        Value::Array(elements) => size(elements.len() as f64, "minItems", "maxItems"),
        _ => true,
    };
    is_listed && fits
}

/// The words for values of a type, with the limits of a schema.
fn of_type(schema: &Value, kind: &str) -> String {
    let between = |least: &str, most: &str, unit: &str| match (&schema[least], &schema[most]) {
        (Value::Null, Value::Null) => String::new(),
        (least, Value::Null) => format!(" of at least {least}{unit}"),
        (Value::Null, most) => format!(" of at most {most}{unit}"),
        (least, most) => format!(" from {least} to {most}{unit}"),
    };
    match kind {
        "null" => "null".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", between("minimum", "maximum", "")),
        "number" => format!("a number{}", between("minimum", "maximum", "")),
        "string" => format!("text{}", between("minLength", "maxLength", " characters")),
        "array" => format!("a list{}", between("minItems", "maxItems", " elements")),
        _ => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_faults_are_named_by_path() {
        let schema = json!({
            "type": "object", "required": ["plan"], "additionalProperties": false,
            "properties": {
                "plan": { "type": "string", "minLength": 1, "maxLength": 5 },
                "agents": { "type": ["integer", "null"], "minimum": 1, "maximum": 9 },
                "sure": { "enum": ["yes", "no"] },
                "tags": { "type": "array", "items": { "$ref": "#/$defs/Tag" }, "maxItems": 2 },
                "of": { "type": "object", "additionalProperties": { "type": "string" } },
                "path": { "type": "array", "items": { "anyOf": [{ "type": "integer" }, { "type": "string" }] } },
                "act": { "oneOf": [
                    { "type": "object", "required": ["op"], "properties": { "op": { "const": "set" } } },
                    { "type": "object", "required": ["op", "to"], "properties": {
                        "op": { "const": "move" }, "to": { "type": "integer" } } },
                ] },
            },
            "$defs": { "Tag": { "type": "string" } },
        });
        for (document, path, given, wanted) in [
            (json!([]), "$", "[]", "an object"),
            (json!({}), "$.plan", "-", "text from 1 to 5 characters"),
            (json!({ "plan": "" }), "$.plan", "\"\"", "text from 1 to 5 characters"),
            (
                json!({ "plan": "p", "agents": 1.5 }),
                "$.agents",
                "1.5",
                "a whole number from 1 to 9, or null",
            ),
            (
                json!({ "plan": "p", "agents": 10 }),
                "$.agents",
                "10",
                "a whole number from 1 to 9, or null",
            ),
            (json!({ "plan": "p", "sure": "x" }), "$.sure", "\"x\"", "one of \"yes\", \"no\""),
            (json!({ "plan": "p", "tags": [1] }), "$.tags[0]", "1", "text"),
            (json!({ "plan": "p", "of": { "a b": 1 } }), "$.of[\"a b\"]", "1", "text"),
            (
                json!({ "plan": "p", "path": [0, "a", null] }),
                "$.path[2]",
                "null",
                "a whole number, or text",
            ),
            (json!({ "plan": "p", "act": { "op": "x" } }), "$.act.op", "\"x\"", "one of set, move"),
            (json!({ "plan": "p", "act": { "op": "move" } }), "$.act.to", "-", "a whole number"),
            (
                json!({ "plan": "p", "mroe": 1 }),
                "$.mroe",
                "1",
                "one of the fields act, agents, of, path, plan, sure, tags",
            ),
        ] {
            let found = faults(&schema, &document);
            let found: Vec<(&str, &str, &str)> = found
                .iter()
                .map(|it| {
                    (it.name.as_str(), it.given.as_deref().unwrap_or("-"), it.wanted.as_str())
                })
                .collect();
            assert_eq!(found, [(path, given, wanted)], "{document}");
        }
        let fits =
            json!({ "plan": "é".repeat(5), "agents": null, "act": { "op": "move", "to": 1 } });
        assert_eq!(faults(&schema, &fits), []);
        let many = json!({ "plan": "p", "path": vec![Value::Null; 99] });
        assert_eq!(faults(&schema, &many).len(), FAULTS_MAX);
    }
}

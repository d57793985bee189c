//! The page `docs/plan-keys.md`: every key of every table, generated from the schema and checked by a test.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::schema;

const OPENING: &str = "\
# The keys of a plan

<!-- Written from the model of plans by the tests: BRUNT_BLESS=1 cargo test -->

[Plans](plan.md) explains them with examples. Whatever is not listed here is an error.
";

/// The page.
fn page() -> String {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    let mut out = OPENING.to_owned();
    table(&mut out, "The top of a plan", &schema);
    let mut seen = BTreeSet::new();
    let mut open = Vec::new();
    references(&schema["properties"], &mut open);
    open.reverse();
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let definition = &schema["$defs"][&name];
        let tables =
            [definition].into_iter().chain(definition["oneOf"].as_array().into_iter().flatten());
        if tables.clone().any(|one| one["properties"].is_object()) {
            table(&mut out, &name, definition);
        } else if definition["enum"].is_array() || definition["oneOf"].is_array() {
            choices(&mut out, &name, definition);
        } else {
            let text = definition["description"].as_str().unwrap_or_default().replace('\n', " ");
            let _ = write!(
                out,
                "\n## {name}\n\n{}\n",
                format!("{text} Written as {}.", kind(definition)).trim()
            );
        }
        let mut found = Vec::new();
        references(definition, &mut found);
        open.extend(found.into_iter().rev());
    }
    out
}

/// The definitions that a part of the schema names, in order.
fn references(part: &Value, out: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            if let Some(name) = members.get("$ref").and_then(Value::as_str) {
                out.push(name.trim_start_matches("#/$defs/").to_owned());
            }
            members.values().for_each(|value| references(value, out));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, out)),
        _ => {}
    }
}

fn table(out: &mut String, name: &str, definition: &Value) {
    let _ = write!(out, "\n## {name}\n\n");
    if let Some(text) = definition["description"].as_str() {
        let _ = write!(out, "{}\n\n", text.replace('\n', " "));
    }
    out.push_str("| key | value | |\n|---|---|---|\n");
    let parts = definition["oneOf"].as_array().cloned().unwrap_or_else(|| vec![definition.clone()]);
    for part in parts {
        let required: Vec<&str> =
            part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, value) in part["properties"].as_object().into_iter().flatten() {
            let text = [&value["description"], &part["description"]];
            let text = text.into_iter().find_map(Value::as_str).unwrap_or_default();
            let text = text.replace('\n', " ").replace('|', "\\|");
            let must = if required.contains(&key.as_str()) && definition["oneOf"].is_null() {
                " Required."
            } else {
                ""
            };
            let _ = writeln!(out, "| `{key}` | {} | {text}{must} |", kind(value));
            for (inner, value) in value["properties"].as_object().into_iter().flatten() {
                let text = value["description"].as_str().unwrap_or_default();
                let _ = writeln!(out, "| `{key}.{inner}` | {} | {text} |", kind(value));
            }
        }
    }
}

fn choices(out: &mut String, name: &str, definition: &Value) {
    let _ = write!(out, "\n## {name}\n\n");
    let all = definition["oneOf"].as_array().cloned().unwrap_or_else(|| vec![definition.clone()]);
    for one in all {
        let text = one["description"].as_str().map(|text| format!(": {text}")).unwrap_or_default();
        let names = one["enum"].as_array().cloned().unwrap_or_else(|| vec![one["const"].clone()]);
        for name in names {
            let _ = writeln!(out, "- `{}`{text}", name.as_str().unwrap_or_default());
        }
    }
}

/// A short description of a value's type.
fn kind(value: &Value) -> String {
    if let Some(name) = value["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(options) = value["anyOf"].as_array() {
        let words: BTreeSet<String> =
            options.iter().filter(|option| option["type"] != "null").map(kind).collect();
        return words.into_iter().collect::<Vec<_>>().join(" or ");
    }
    if value["type"] == "array" {
        return format!("array of {}", kind(&value["items"]));
    }
    if value["additionalProperties"].is_object() {
        return format!("table of {}", kind(&value["additionalProperties"]));
    }
    let types = match &value["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => vec![],
    };
    let words = types.into_iter().filter_map(|kind| match kind {
        "string" => Some("text"),
        "integer" => Some("whole number"),
        "number" => Some("number"),
        "boolean" => Some("true or false"),
        "object" => Some("table"),
        _ => None,
    });
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "any value".to_owned() } else { words.join(", ") }
}

#[test]
fn plan_keys_page_equals_the_model() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/plan-keys.md");
    if std::env::var_os("BRUNT_BLESS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(kept, page(), "BRUNT_BLESS=1 cargo test writes it");
}

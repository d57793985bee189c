//! The JSON schema of plans, for editors, generated from the model.

use serde_json::{Value, json};

use super::model::Plan;

/// The name of the format.
const VERSION: &str = "brunt-plan/1";

/// The schema, as text.
pub fn text() -> String {
    format!("{:#}\n", whole())
}

/// The schema.
pub fn whole() -> Value {
    let mut schema = schemars::schema_for!(Plan);
    schema.insert("$id".to_owned(), brunt_record::schema_id(VERSION).into());
    let mut schema = schema.to_value();
    without_null(&mut schema);
    schema
}

/// TOML has no null: optional keys are omitted instead.
fn without_null(part: &mut Value) {
    let null = json!({ "type": "null" });
    match part {
        Value::Object(members) => {
            members
                .retain(|key, value| !(key == "default" && (value.is_null() || value.is_object())));
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [one] = &types[..] {
                    let one = one.clone();
                    members.insert("type".to_owned(), one);
                }
            }
            let either = members.get_mut("anyOf").and_then(Value::as_array_mut);
            let alone = either.and_then(|either| {
                either.retain(|one| *one != null);
                if either.len() == 1 { either.pop() } else { None }
            });
            if let Some(Value::Object(alone)) = alone {
                members.remove("anyOf");
                for (key, value) in alone {
                    members.entry(key).or_insert(value);
                }
            }
            for (key, value) in members.iter_mut() {
                match value {
                    // Names that are chosen by users, one of which may be `default`.
                    Value::Object(named) if ["properties", "$defs"].contains(&key.as_str()) => {
                        named.values_mut().for_each(without_null);
                    }
                    value => without_null(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_null),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regenerated with `BRUNT_BLESS=1 cargo test`.
    #[test]
    fn schema_published_equals_the_model() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/plan.schema.json");
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(path, text()).unwrap();
        }
        let published = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(published, text(), "BRUNT_BLESS=1 cargo test writes it");
    }
}

//! PATCH: a list of operations on the fields of a resource.

use serde_json::{Map, Value};

use super::filter::path;
use crate::refusal::Refusal;

/// Carries out the operations in their order.
pub(super) fn apply(fields: &mut Map<String, Value>, operations: &Value) -> Result<(), Refusal> {
    let Some(operations) = operations.as_array() else {
        return Err(Refusal::new(
            400,
            "The request could not be processed because the provided content is not a JSON array of patch operations",
        ));
    };
    operations.iter().try_for_each(|operation| one(fields, operation))
}

fn one(fields: &mut Map<String, Value>, operation: &Value) -> Result<(), Refusal> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let Some(verb) = text("operation") else {
        return Err(Refusal::new(400, "a patch operation has no \"operation\""));
    };
    let Some(field) = text("field") else {
        return Err(Refusal::new(400, "a patch operation has no \"field\""));
    };
    let path = path(field);
    let value = operation.get("value");
    let needed =
        || value.cloned().ok_or_else(|| Refusal::new(400, "a patch operation has no \"value\""));
    match verb {
        "add" => add(place(fields, &path)?, &path, needed()?),
        "replace" => {
            // A replacement without a value removes the field.
            match value {
                Some(value) if !value.is_null() => set(place(fields, &path)?, &path, value.clone()),
                _ => remove(fields, &path, None),
            }
            Ok(())
        }
        "remove" => {
            remove(fields, &path, value);
            Ok(())
        }
        "increment" => increment(place(fields, &path)?, &path, &needed()?),
        other => Err(Refusal::new(
            501,
            format!(
                "the patch operation {other} is not supported here; add, replace, remove and increment are"
            ),
        )),
    }
}

/// The object that contains the last name of a path; missing objects on the path are created.
fn place<'a>(
    fields: &'a mut Map<String, Value>,
    path: &[String],
) -> Result<&'a mut Map<String, Value>, Refusal> {
    let names = path.strip_suffix(&["-".to_owned()][..]).unwrap_or(path);
    let above = &names[..names.len().saturating_sub(1)];
    above.iter().try_fold(fields, |fields, name| {
        let value = fields.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
        value
            .as_object_mut()
            .ok_or_else(|| Refusal::new(400, format!("the field {name} has no fields within it")))
    })
}

/// The last name of a path, and whether it means the end of a list.
fn last(path: &[String]) -> (&str, bool) {
    match path {
        [.., name, end] if end == "-" => (name, true),
        [.., name] => (name, false),
        [] => ("", false),
    }
}

fn set(fields: &mut Map<String, Value>, path: &[String], value: Value) {
    fields.insert(last(path).0.to_owned(), value);
}

fn add(fields: &mut Map<String, Value>, path: &[String], value: Value) -> Result<(), Refusal> {
    let (name, end) = last(path);
    match fields.get_mut(name) {
        Some(Value::Array(values)) => match value {
            Value::Array(more) if !end => values.extend(more),
            one => values.push(one),
        },
        Some(_) if end => {
            return Err(Refusal::new(400, format!("the field {name} is not a list")));
        }
        _ => {
            let value = if end { Value::Array(vec![value]) } else { value };
            fields.insert(name.to_owned(), value);
        }
    }
    Ok(())
}

fn remove(fields: &mut Map<String, Value>, path: &[String], value: Option<&Value>) {
    let (name, _) = last(path);
    let above = &path[..path.len().saturating_sub(1)];
    let found = above.iter().try_fold(fields, |fields, name| fields.get_mut(name)?.as_object_mut());
    // A field that does not exist need not be removed.
    let Some(fields) = found else { return };
    match (fields.get_mut(name), value) {
        (Some(Value::Array(values)), Some(value)) => values.retain(|one| one != value),
        (Some(present), Some(value)) if present != value => {}
        _ => {
            fields.remove(name);
        }
    }
}

fn increment(fields: &mut Map<String, Value>, path: &[String], by: &Value) -> Result<(), Refusal> {
    let (name, _) = last(path);
    let present = fields.get(name).and_then(Value::as_i64);
    match (present, by.as_i64()) {
        (Some(present), Some(by)) => {
            fields.insert(name.to_owned(), present.saturating_add(by).into());
            Ok(())
        }
        _ => Err(Refusal::new(
            400,
            format!("the field {name} or what to add to it is not a whole number"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(operations: &Value) -> Result<Value, Refusal> {
        let fields = json!({"sn": "old", "name": {"given": "a"}, "mail": ["x"], "n": 1});
        let Value::Object(mut fields) = fields else { unreachable!("it is an object") };
        apply(&mut fields, operations).map(|()| Value::Object(fields))
    }

    #[test]
    fn patch_operations_apply_in_order() {
        let result = patched(&json!([
            {"operation": "replace", "field": "/sn", "value": "new"},
            {"operation": "add", "field": "name/family", "value": "b"},
            {"operation": "add", "field": "/mail/-", "value": "y"},
            {"operation": "add", "field": "/mail", "value": ["z"]},
            {"operation": "remove", "field": "/mail", "value": "x"},
            {"operation": "remove", "field": "/name/given"},
            {"operation": "remove", "field": "/not/there"},
            {"operation": "increment", "field": "/n", "value": 4},
            {"operation": "add", "field": "/deep/er", "value": true},
        ]));
        let expected = json!({
            "sn": "new", "name": {"family": "b"}, "mail": ["y", "z"], "n": 5, "deep": {"er": true}
        });
        assert_eq!(result, Ok(expected));
    }

    #[test]
    fn patch_errors_are_explained() {
        for (operations, status, words) in [
            (
                json!({"operation": "replace", "field": "/sn", "value": "new"}),
                400,
                "not a JSON array",
            ),
            (json!([{"field": "/sn"}]), 400, "no \"operation\""),
            (json!([{"operation": "add"}]), 400, "no \"field\""),
            (json!([{"operation": "add", "field": "/sn"}]), 400, "no \"value\""),
            (json!([{"operation": "copy", "field": "/sn"}]), 501, "copy is not supported"),
            (json!([{"operation": "add", "field": "/sn/x", "value": 1}]), 400, "no fields within"),
            (json!([{"operation": "add", "field": "/sn/-", "value": 1}]), 400, "is not a list"),
            (json!([{"operation": "increment", "field": "/sn", "value": 1}]), 400, "whole number"),
        ] {
            let refusal = patched(&operations).unwrap_err();
            assert_eq!(refusal.status, status, "{refusal:?}");
            assert!(refusal.message.contains(words), "{refusal:?}");
        }
    }
}

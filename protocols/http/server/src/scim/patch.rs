//! Changes of a resource (RFC 7644 section 3.5.2).

use serde_json::{Map, Value};

use super::filter::{Filter, Path};
use super::problem::ScimError;

/// The most changes of a request.
const MOST: usize = 100;

/// The fields after the changes of a request's body.
pub(super) fn patched(
    fields: &Map<String, Value>,
    body: &Value,
) -> Result<Map<String, Value>, ScimError> {
    let operations = body.get("Operations").and_then(Value::as_array);
    let operations = operations.filter(|it| (1..=MOST).contains(&it.len())).ok_or_else(|| {
        ScimError::new(400, "invalidSyntax", "a PatchOp has from 1 to 100 Operations")
    })?;
    let mut fields = fields.clone();
    for operation in operations {
        let text = |name: &str| operation.get(name).and_then(Value::as_str);
        let value = operation.get("value");
        let path = text("path").map(Path::parse).transpose()?;
        let names = path.as_ref().map_or(&[][..], |path| &path.names);
        let first = names.first().map(String::as_str).unwrap_or_default();
        if ["id", "meta", "schemas"].iter().any(|fixed| fixed.eq_ignore_ascii_case(first)) {
            return Err(ScimError::new(400, "mutability", format!("{first} cannot be changed")));
        }
        match text("op").map(str::to_ascii_lowercase).as_deref() {
            Some("remove") => {
                let path =
                    path.ok_or_else(|| ScimError::new(400, "noTarget", "remove needs a path"))?;
                remove(&mut fields, &path)?;
            }
            Some(op @ ("add" | "replace")) => {
                let wrong = || ScimError::new(400, "invalidValue", "the operation has no value");
                set(&mut fields, path.as_ref(), value.ok_or_else(wrong)?, op == "add")?;
            }
            _ => return Err(ScimError::new(400, "invalidSyntax", "op is add, replace or remove")),
        }
    }
    Ok(fields)
}

/// The name of a member as the object has it, whatever its case.
fn key(fields: &Map<String, Value>, name: &str) -> String {
    let known = fields.keys().find(|key| key.eq_ignore_ascii_case(name));
    known.map_or(name, String::as_str).to_owned()
}

/// The object that has the last of these names, which is made if need be, and this name.
fn owner<'a>(
    fields: &'a mut Map<String, Value>,
    names: &[String],
) -> Result<(&'a mut Map<String, Value>, String), ScimError> {
    let wrong = || ScimError::new(400, "invalidPath", "the path leads through something simple");
    let (last, before) = names.split_last().ok_or_else(wrong)?;
    let mut fields = fields;
    for name in before {
        let key = key(fields, name);
        let next = fields.entry(key).or_insert_with(|| Value::Object(Map::new()));
        fields = next.as_object_mut().ok_or_else(wrong)?;
    }
    let key = key(fields, last);
    Ok((fields, key))
}

fn set(
    fields: &mut Map<String, Value>,
    path: Option<&Path>,
    value: &Value,
    add: bool,
) -> Result<(), ScimError> {
    let Some(path) = path else {
        let value = value.as_object().ok_or_else(|| {
            ScimError::new(400, "invalidValue", "without a path the value is an object")
        })?;
        return merge(fields, value, add);
    };
    let (fields, key) = owner(fields, &path.names)?;
    let Some(filter) = &path.filter else {
        put(fields, key, value, add);
        return Ok(());
    };
    let mut changed = 0;
    for item in selected(fields, &key, filter) {
        changed += 1;
        match (&path.sub, value.as_object()) {
            (Some(sub), _) => {
                item.insert(self::key(item, sub), value.clone());
            }
            (None, Some(value)) => merge(item, value, false)?,
            (None, None) => {
                return Err(ScimError::new(400, "invalidValue", "the value is an object"));
            }
        }
    }
    if changed == 0 { Err(no_target()) } else { Ok(()) }
}

/// Changes the members that the value has.
fn merge(
    fields: &mut Map<String, Value>,
    value: &Map<String, Value>,
    add: bool,
) -> Result<(), ScimError> {
    for (name, value) in value {
        if ["id", "meta"].iter().any(|fixed| fixed.eq_ignore_ascii_case(name)) {
            return Err(ScimError::new(400, "mutability", format!("{name} cannot be changed")));
        }
        put(fields, key(fields, name), value, add);
    }
    Ok(())
}

/// Sets a member. Added values go beside those that a list has already; a complex value is merged.
fn put(fields: &mut Map<String, Value>, key: String, value: &Value, add: bool) {
    match (fields.get_mut(&key), value) {
        (Some(Value::Array(known)), Value::Array(more)) if add => {
            for value in more {
                if !known.contains(value) {
                    known.push(value.clone());
                }
            }
        }
        (Some(Value::Array(known)), value @ Value::Object(_)) if add => {
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
        (Some(Value::Object(known)), Value::Object(more)) => {
            known.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        (_, Value::Null) => {
            fields.remove(&key);
        }
        _ => {
            fields.insert(key, value.clone());
        }
    }
}

fn selected<'a>(
    fields: &'a mut Map<String, Value>,
    key: &str,
    filter: &'a Filter,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let list = fields.get_mut(key).and_then(Value::as_array_mut);
    let objects = list.into_iter().flatten().filter_map(Value::as_object_mut);
    objects.filter(move |item| filter.meets(item))
}

fn remove(fields: &mut Map<String, Value>, path: &Path) -> Result<(), ScimError> {
    let (fields, key) = owner(fields, &path.names)?;
    let Some(filter) = &path.filter else {
        fields.remove(&key);
        return Ok(());
    };
    if let Some(sub) = &path.sub {
        let mut changed = 0;
        for item in selected(fields, &key, filter) {
            changed += 1;
            item.remove(&self::key(item, sub));
        }
        return if changed == 0 { Err(no_target()) } else { Ok(()) };
    }
    let list = fields.get_mut(&key).and_then(Value::as_array_mut).ok_or_else(no_target)?;
    let before = list.len();
    list.retain(|item| !item.as_object().is_some_and(|item| filter.meets(item)));
    match (before == list.len(), list.is_empty()) {
        (true, _) => return Err(no_target()),
        (false, true) => {
            fields.remove(&key);
        }
        (false, false) => {}
    }
    Ok(())
}

fn no_target() -> ScimError {
    ScimError::new(400, "noTarget", "the path selects no value")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patch(operations: &Value) -> Result<Value, &'static str> {
        let user = json!({
            "userName": "jo",
            "name": {"givenName": "Jo"},
            "emails": [{"type": "work", "value": "a"}, {"type": "home", "value": "b"}],
        });
        let body = json!({"Operations": operations});
        match patched(user.as_object().unwrap(), &body) {
            Ok(fields) => Ok(Value::Object(fields)),
            Err(problem) => Err(match problem.json()["scimType"].as_str() {
                Some("noTarget") => "noTarget",
                Some("mutability") => "mutability",
                Some("invalidPath") => "invalidPath",
                Some("invalidValue") => "invalidValue",
                _ => "other",
            }),
        }
    }

    #[test]
    fn patch_adds_replaces_and_removes() {
        let user = patch(&json!([
            {"op": "Add", "path": "emails", "value": [{"type": "other", "value": "c"}]},
            {"op": "replace", "path": "emails[type eq \"work\"].value", "value": "A"},
            {"op": "remove", "path": "emails[type eq \"home\"]"},
            {"op": "replace", "path": "NAME.familyName", "value": "Doe"},
            {"op": "add", "value": {"active": true, "name": {"givenName": "Joe"}}},
        ]));
        assert_eq!(
            user.unwrap(),
            json!({
                "userName": "jo",
                "active": true,
                "name": {"givenName": "Joe", "familyName": "Doe"},
                "emails": [{"type": "work", "value": "A"}, {"type": "other", "value": "c"}],
            })
        );
        let user = patch(&json!([{"op": "remove", "path": "emails"}])).unwrap();
        assert_eq!(user.get("emails"), None);
    }

    #[test]
    fn patch_errors_have_their_type() {
        for (operation, expected) in [
            (json!({"op": "replace", "path": "id", "value": "x"}), "mutability"),
            (json!({"op": "add", "value": {"meta": {}}}), "mutability"),
            (json!({"op": "remove"}), "noTarget"),
            (json!({"op": "remove", "path": "emails[type eq \"x\"]"}), "noTarget"),
            (
                json!({"op": "replace", "path": "emails[type eq \"x\"].value", "value": 1}),
                "noTarget",
            ),
            (json!({"op": "add", "path": "userName.x", "value": 1}), "invalidPath"),
            (json!({"op": "add", "path": "a b", "value": 1}), "invalidPath"),
            (json!({"op": "add", "path": "a"}), "invalidValue"),
            (json!({"op": "move", "path": "a"}), "other"),
        ] {
            assert_eq!(patch(&json!([operation])), Err(expected), "{operation}");
        }
        assert_eq!(patch(&json!([])), Err("other"));
    }
}

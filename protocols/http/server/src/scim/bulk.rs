//! Several changes in one request (RFC 7644 section 3.7).

use hashbrown::HashMap;
use serde_json::{Value, json};

use super::resource::Resource;
use super::{Done, ResourceRequest, ScimError, carry_out, place, wrong_method};
use crate::call::Call;
use crate::reply::Reply;

/// The most operations of a request.
pub(super) const MOST: usize = 100;
/// What stands before the name of an operation, for the identifier of what it creates.
const REFERENCE: &str = "bulkId:";
/// How deep a reference may stand in an operation's data.
const DEPTH_MAX: usize = 20;

/// Identifiers by the names of the operations that created their resources.
type Created = HashMap<String, String, foldhash::fast::RandomState>;

/// POST `Bulk`.
pub(super) fn answer(call: &Call<'_>, body: &Value, reply: &mut Reply) -> Result<(), ScimError> {
    let operations = body.get("Operations").and_then(Value::as_array);
    let operations = operations
        .ok_or_else(|| ScimError::new(400, "invalidSyntax", "a BulkRequest has Operations"))?;
    if operations.len() > MOST {
        return Err(ScimError::new(413, "", "there are more than 100 operations"));
    }
    let most = body.get("failOnErrors").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let (mut created, mut errors, mut results) = (Created::default(), 0, Vec::new());
    for operation in operations {
        if errors >= most {
            break;
        }
        let result = one(call, operation, &mut created);
        errors += u64::from(result["status"].as_str().is_none_or(|it| it >= "400"));
        results.push(result);
    }
    let schema = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";
    reply.json(200, &json!({"schemas": [schema], "Operations": results}));
    Ok(())
}

fn one(call: &Call<'_>, operation: &Value, created: &mut Created) -> Value {
    let text = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = text("bulkId");
    let path = resolved_text(text("path"), created);
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut result = json!({"method": text("method")});
    if !name.is_empty() {
        result["bulkId"] = name.into();
    }
    let store = segments.first().and_then(|endpoint| call.realm.directory.store(endpoint));
    let done: Done = store.ok_or_else(wrong_method).and_then(|store| {
        let mut body = operation.get("data").cloned().unwrap_or_default();
        resolve(&mut body, created, DEPTH_MAX);
        let id = segments.get(1).copied();
        let versions = operation.get("version").and_then(Value::as_str);
        let requested = ResourceRequest { method: text("method"), id, body, versions };
        // Reading is no change.
        if segments.len() > 2 || requested.method == "GET" || requested.method == "HEAD" {
            return Err(wrong_method());
        }
        carry_out(store, requested, call.seconds_since_1970())
    });
    match (done, store) {
        (Ok((status, resource)), Some(store)) => {
            result["status"] = status.to_string().into();
            if let Some(resource) = resource {
                result["location"] = place(call, store.kind, resource.number).into();
                result["version"] = resource.tag().into();
                if !name.is_empty() {
                    created.insert(name.to_owned(), Resource::id(resource.number));
                }
            }
        }
        (Ok(_), None) => {}
        (Err(problem), _) => {
            result["status"] = problem.status.to_string().into();
            result["response"] = problem.json();
        }
    }
    result
}

/// Replaces what refers to an operation by the identifier of what it created.
fn resolve(value: &mut Value, created: &Created, depth: usize) {
    match value {
        Value::String(text) if text.starts_with(REFERENCE) => *text = resolved_text(text, created),
        Value::Array(values) if depth > 0 => {
            for value in values {
                resolve(value, created, depth - 1);
            }
        }
        Value::Object(fields) if depth > 0 => {
            for value in fields.values_mut() {
                resolve(value, created, depth - 1);
            }
        }
        _ => {}
    }
}

fn resolved_text(text: &str, created: &Created) -> String {
    let Some((before, name)) = text.split_once(REFERENCE) else { return text.to_owned() };
    match created.get(name) {
        Some(id) => format!("{before}{id}"),
        None => text.to_owned(),
    }
}

//! What may stand at a place of a plan where one of several words or tables is expected, for the message about a value
//! that is none of them.

use serde_json::Value;

use super::path::{KeyPath, Segment};
use super::schema;

/// The choices at this place, as they are written in a plan; empty if the schema names none there.
pub(crate) fn at(path: &KeyPath) -> Vec<String> {
    let root = schema::whole();
    let within = |part, segment| below(&root, part, segment);
    let place = path.segments().iter().try_fold(&root, within);
    place.map(|place| named(&root, place)).unwrap_or_default()
}

/// The part of the schema for a key or an element of this part.
fn below<'a>(root: &'a Value, part: &'a Value, segment: &Segment) -> Option<&'a Value> {
    let part = resolved(root, part);
    let own = match segment {
        Segment::Key(key) => {
            let declared = part.get("properties").and_then(|properties| properties.get(key));
            declared.or_else(|| part.get("additionalProperties").filter(|any| any.is_object()))
        }
        Segment::Index(_) => part.get("items"),
    };
    own.or_else(|| alternatives(part).find_map(|one| below(root, one, segment)))
}

fn named(root: &Value, part: &Value) -> Vec<String> {
    let part = resolved(root, part);
    let words = part.get("enum").and_then(Value::as_array).into_iter().flatten();
    let words = words.chain(part.get("const")).filter_map(Value::as_str);
    let mut all: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    if let Some([Value::String(key)]) =
        part.get("required").and_then(Value::as_array).map(Vec::as_slice)
    {
        all.push(format!("{{ {key} = .. }}"));
    }
    all.extend(alternatives(part).flat_map(|one| named(root, one)));
    all
}

fn resolved<'a>(root: &'a Value, part: &'a Value) -> &'a Value {
    let name = part.get("$ref").and_then(Value::as_str);
    let named = name.and_then(|name| root.pointer(name.strip_prefix('#')?));
    named.unwrap_or(part)
}

fn alternatives(part: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| part.get(key));
    lists.filter_map(Value::as_array).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_worded_as_a_plan_writes_them() {
        let run = KeyPath::new("run");
        assert_eq!(at(&run.key("iterations")), ["{ each = .. }", "{ shared = .. }"]);
        assert_eq!(at(&run.key("arrival")), ["\"uniform\"", "\"poisson\""]);
        assert!(at(&run.key("users")).is_empty() && at(&KeyPath::new("nothing")).is_empty());
    }
}

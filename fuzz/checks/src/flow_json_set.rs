//! Replaces a value of JSON: the first line is its place, the rest the JSON.

use brunt_flow_driver::JsonPlace;
use brunt_flow_driver::json_set::replaced;
use serde_json::{Value, json};

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (text, body) = (String::from_utf8_lossy(&input[..at]), &input[at..]);
    let Ok(place) = JsonPlace::parse(&text) else { return };
    let new = json!(["brunt"]);
    let set = |skip| replaced(body, &[(&place, new.to_string().into_bytes())], skip);
    let (Ok(done), Ok(other)) = (set(false), set(true)) else { return };
    assert_eq!(done, other);
    let Ok(mut tree) = serde_json::from_slice::<Value>(body) else { return };
    let told: Value = serde_json::from_slice(&done).expect("it is JSON still");
    match &place {
        JsonPlace::Pointer(pointer) => {
            *tree.pointer_mut(&pointer.to_string()).expect("there is a value") = new;
            assert_eq!(tree, told);
        }
        // None if it was the new value already.
        JsonPlace::Path(_) => assert!(differing(&tree, &told, &new) <= 1),
    }
}

/// How many values of the one were replaced by the new one in the other; everything else must be equal.
fn differing(one: &Value, other: &Value, new: &Value) -> usize {
    match (one, other) {
        (one, other) if one == other => usize::from(one == new),
        (_, other) if other == new => 1,
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len());
            let both = one.iter().zip(other);
            both.filter(|(one, other)| one != other)
                .map(|(one, other)| differing(one, other, new))
                .sum()
        }
        (Value::Object(one), Value::Object(other)) => {
            assert!(one.keys().eq(other.keys()));
            let both = one.values().zip(other.values());
            both.filter(|(one, other)| one != other)
                .map(|(one, other)| differing(one, other, new))
                .sum()
        }
        _ => panic!("another value changed"),
    }
}

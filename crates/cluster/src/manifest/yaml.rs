//! JSON values as YAML in block style, with every text in double quotes: a text that is quoted for JSON is read as the
//! same text by YAML, whatever its characters (YAML 1.2, 10.2).

use serde_json::Value;

/// A document.
pub(super) fn document(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                out.push_str(&" ".repeat(indent));
                out.push_str(&key(name));
                out.push(':');
                nested(value, indent + 2, out);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                out.push_str(&" ".repeat(indent));
                out.push('-');
                match element {
                    Value::Object(members) if !members.is_empty() => {
                        let mut inner = String::new();
                        block(element, indent + 2, &mut inner);
                        out.push(' ');
                        out.push_str(inner.trim_start());
                    }
                    _ => nested(element, indent + 2, out),
                }
            }
        }
        scalar => {
            out.push_str(&scalar.to_string());
            out.push('\n');
        }
    }
}

/// The part after a name or a dash.
fn nested(value: &Value, indent: usize, out: &mut String) {
    let is_empty = match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => true,
    };
    if is_empty {
        out.push(' ');
        out.push_str(&value.to_string());
        out.push('\n');
    } else {
        out.push('\n');
        block(value, indent, out);
    }
}

/// Names of our own are written without quotes.
fn key(name: &str) -> String {
    let plain = name.chars().all(|it| it.is_ascii_alphabetic());
    if plain { name.to_owned() } else { Value::from(name).to_string() }
}

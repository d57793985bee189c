//! A table of TOML on one line, for steps that are short enough to be read so.

use serde::Serialize;
use toml::Value;

/// The longest line that is easy to read.
const WIDTH: usize = 200;

/// Each of these on a line of its own; none if one of them would be too long, or has a line break.
pub(super) fn lines<T: Serialize>(tables: &[&T]) -> Option<Vec<String>> {
    let lines = tables.iter().map(|table| {
        let value = Value::try_from(table).ok()?;
        let line = line(&value);
        (line.len() <= WIDTH && !line.contains('\n')).then_some(line)
    });
    lines.collect()
}

/// A value on one line.
pub(super) fn line(value: &Value) -> String {
    match value {
        Value::Table(members) => {
            let members =
                members.iter().map(|(name, value)| format!("{} = {}", key(name), line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => {
            format!("[{}]", values.iter().map(line).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(bare) {
        return name.to_owned();
    }
    Value::String(name.to_owned()).to_string()
}

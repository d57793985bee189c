//! A change of values: what the text must express afterwards.

use toml::Value;
use toml::map::Map;

use super::{Edit, EditError, Part};

/// The value at a path.
pub(super) fn at<'v>(values: &'v Value, path: &[Part]) -> Option<&'v Value> {
    path.iter().try_fold(values, |value, part| match (value, part) {
        (Value::Table(table), Part::Key(key)) => table.get(key),
        (Value::Array(list), Part::Index(index)) => list.get(*index),
        _ => None,
    })
}

/// Makes a change.
pub(super) fn apply(values: &mut Value, act: &Edit) -> Result<(), EditError> {
    match act {
        Edit::Set(path, value) => {
            *made(values, path).ok_or(EditError::Mismatch)? = value.clone();
        }
        Edit::Unset(path) => {
            let (part, above) = path.split_last().ok_or(EditError::Mismatch)?;
            match (value_at(values, above).ok_or(EditError::Mismatch)?, part) {
                (Value::Table(table), Part::Key(key)) => drop(table.remove(key)),
                (Value::Array(list), Part::Index(index)) if *index < list.len() => {
                    drop(list.remove(*index));
                }
                _ => return Err(EditError::Mismatch),
            }
        }
        Edit::Insert(path, index, value) => {
            let list = made(values, path).ok_or(EditError::Mismatch)?;
            if !list.is_array() {
                *list = Value::Array(Vec::new());
            }
            let list = list
                .as_array_mut()
                .filter(|list| *index <= list.len())
                .ok_or(EditError::Mismatch)?;
            list.insert(*index, value.clone());
        }
        Edit::Move(path, from, to) => {
            let list =
                value_at(values, path).and_then(Value::as_array_mut).ok_or(EditError::Mismatch)?;
            let value = list.remove(*from);
            list.insert(*to, value);
        }
    }
    Ok(())
}

fn value_at<'v>(values: &'v mut Value, path: &[Part]) -> Option<&'v mut Value> {
    path.iter().try_fold(values, |value, part| match (value, part) {
        (Value::Table(table), Part::Key(key)) => table.get_mut(key),
        (Value::Array(list), Part::Index(index)) => list.get_mut(*index),
        _ => None,
    })
}

/// The position of a path, whose tables are created.
fn made<'v>(values: &'v mut Value, path: &[Part]) -> Option<&'v mut Value> {
    path.iter().try_fold(values, |value, part| match (value, part) {
        (Value::Table(table), Part::Key(key)) => {
            Some(table.entry(key.clone()).or_insert_with(|| Value::Table(Map::new())))
        }
        (Value::Array(list), Part::Index(index)) => list.get_mut(*index),
        _ => None,
    })
}

/// Whether a text has the wanted values. An empty array of tables cannot be written, so it equals a missing one.
pub(super) fn same(now: &Value, wanted: &Value) -> bool {
    match (now, wanted) {
        (Value::Table(now), Value::Table(wanted)) => {
            let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
            now.keys().all(|key| wanted.contains_key(key))
                && wanted.iter().all(|(key, value)| match now.get(key) {
                    Some(now) => same(now, value),
                    None => is_empty(value),
                })
        }
        (Value::Array(now), Value::Array(wanted)) => {
            now.len() == wanted.len()
                && now.iter().zip(wanted).all(|(now, wanted)| same(now, wanted))
        }
        _ => now == wanted,
    }
}

//! [`one`]: the key that is present, where exactly one of several must be.

use crate::key_error::KeyError;
use crate::path::KeyPath;

/// The only key that is present, among those of which exactly one must be.
pub(super) fn one(
    at: &KeyPath,
    keys: &[(&'static str, bool)],
    what: &str,
) -> Result<&'static str, KeyError> {
    let mut given = keys.iter().filter(|(_, given)| *given).map(|(key, _)| *key);
    let Some(first) = given.next() else {
        let all: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        return Err(KeyError::new(
            at,
            format!("does not define {what}: add one of {}", all.join(", ")),
        ));
    };
    match given.next() {
        None => Ok(first),
        Some(other) => Err(KeyError::new(
            &at.key(other),
            format!("cannot be used with '{first}': only one of them can define {what}"),
        )),
    }
}

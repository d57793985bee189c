//! The attributes that a search returns, as the last trailing arguments of a command line.

use super::UsageError;

/// The attributes to return. The original tools take an option that comes after them for one of them and ignore it, and
/// send several names in one word as one name, which no server knows.
pub(super) fn attributes(trailing: &[String]) -> Result<Vec<String>, UsageError> {
    for text in trailing {
        if text.starts_with('-') {
            return Err(UsageError::new(format!(
                "The trailing argument '{text}' is not an attribute.  Options must come before the first trailing \
                 argument"
            )));
        }
        if text.contains([' ', ',']) {
            let each: Vec<String> = text
                .split([' ', ','])
                .filter(|name| !name.is_empty())
                .map(|name| format!("'{name}'"))
                .collect();
            return Err(UsageError::new(format!(
                "The trailing argument '{text}' is not an attribute: give each attribute as an argument of its own, \
                 as in {}",
                each.join(" ")
            )));
        }
    }
    Ok(trailing.to_vec())
}

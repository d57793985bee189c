//! Numbers for names: groups, branches and operations are known by their number in a list of names.

use crate::key_error::KeyError;
use crate::path::KeyPath;

/// The number of a name in a list; a new one is added.
pub(super) fn numbered(
    at: &KeyPath,
    names: &mut Vec<String>,
    name: &str,
    what: &str,
) -> Result<u16, KeyError> {
    let known = names.iter().position(|known| known == name);
    let number = known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    u16::try_from(number).map_err(|_| too_many(at, what))
}

/// What is wrong with a name that gets no number any more.
pub(super) fn too_many(at: &KeyPath, what: &str) -> KeyError {
    KeyError::new(at, format!("is one of too many {what}: the maximum is 65,536"))
}

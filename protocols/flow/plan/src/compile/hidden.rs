//! Secrets of a plan: text, an environment variable, or a file.

use brunt_net::secret::Secret;

use super::environment::CompileEnvironment;
use crate::key_error::KeyError;
use crate::model;
use crate::path::KeyPath;

/// A secret of a plan: text with holes, or any other kind.
pub(super) enum Shown {
    /// Text without a hole, or another kind: never shown.
    Secret(Secret),
    /// Text with holes.
    Text(String),
}

/// The value of a secret.
pub(super) fn hidden(
    at: &KeyPath,
    given: &model::Hidden,
    environment: &CompileEnvironment<'_>,
) -> Result<Shown, KeyError> {
    Ok(match given {
        model::Hidden::Text(text) if text.contains("${") => Shown::Text(text.clone()),
        model::Hidden::Text(text) => Shown::Secret(Secret::from(text.as_str())),
        model::Hidden::Env(name) => Shown::Secret(environment.env(at, name)?),
        model::Hidden::File(path) => Shown::Secret(environment.secret(at, path)?),
    })
}

/// A secret that is needed before there is a user, and therefore cannot contain a variable.
pub(super) fn constant(
    at: &KeyPath,
    given: &model::Hidden,
    environment: &CompileEnvironment<'_>,
) -> Result<Secret, KeyError> {
    match hidden(at, given, environment)? {
        Shown::Secret(secret) => Ok(secret),
        Shown::Text(_) => {
            Err(KeyError::new(at, "uses a variable, but is needed before variables have values"))
        }
    }
}

//! Secrets of a command line: given as they are, in the environment, in a file, or at a prompt.

use std::path::Path;

use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::Source;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::opendj::{exclusive, refused};

/// The secret given for an option, or in the file that another option names. A dash prompts for it.
pub fn secret(
    values: &Values,
    name: &str,
    file: &str,
    prompt: &str,
    surroundings: &dyn Surroundings,
) -> Result<Option<Secret>, UsageError> {
    exclusive(values, &[name, file])?;
    if let Some(path) = values.text(file) {
        return in_file(path, values.spelled(file).unwrap_or(file), surroundings).map(Some);
    }
    let Some(given) = values.last(name) else {
        return Ok(None);
    };
    match given.source {
        Source::Literal if given.value == "-" => {
            prompt_for(values, name, prompt, surroundings).map(Some)
        }
        Source::Literal | Source::Verbatim => {
            Ok(Some(Secret::new(given.value.clone().into_bytes())))
        }
        Source::File => in_file(&given.value, &given.spelled, surroundings).map(Some),
        Source::Variable => match surroundings.variable(&given.value) {
            Some(text) => Ok(Some(Secret::new(text.into_bytes()))),
            None => Err(refused(
                &given.value,
                &given.spelled,
                "No environment variable of that name is set to a text",
            )),
        },
    }
}

/// Prompts for a secret, unless that is forbidden or there is no user to prompt.
pub fn prompt_for(
    values: &Values,
    name: &str,
    prompt: &str,
    surroundings: &dyn Surroundings,
) -> Result<Secret, UsageError> {
    let remedy = format!("give it with --{name}, --{name}:env or --{name}:file");
    if values.has("no-prompt") {
        return Err(UsageError::new(format!(
            "A password is missing, and --no-prompt is given: {remedy}"
        )));
    }
    if !surroundings.interactive() {
        return Err(UsageError::new(format!(
            "A password is missing, and standard input is not a terminal: {remedy}"
        )));
    }
    surroundings.prompt(prompt).map_err(|error| {
        UsageError::new(format!(
            "The password could not be read from the terminal ({error}): {remedy}"
        ))
    })
}

/// The first line of a file, as a secret.
fn in_file(
    path: &str,
    spelled: &str,
    surroundings: &dyn Surroundings,
) -> Result<Secret, UsageError> {
    let bytes = surroundings
        .secret(Path::new(path))
        .map_err(|error| refused(path, spelled, &format!("The file cannot be read: {error}")))?;
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(refused(path, spelled, "The first line of the file is empty"));
    }
    Ok(Secret::new(line.to_vec()))
}

//! The value that is kept from an answer: an attribute by its name, or by a JSON pointer.

use super::document::Value;
use super::job_error::JobError;

/// The name of an attribute of an answer, or a JSON pointer to it.
pub(super) fn kept(value: &Value<'_>) -> Result<String, JobError> {
    let text = value.text()?;
    let pointer_is_fit = !text.starts_with('/') || text.len() > 1;
    if text.is_empty() || text.starts_with('$') || !pointer_is_fit {
        return Err(value.fault(
            format!("\"{text}\" is not an attribute of an answer"),
            "write its name, such as tokenId, or a JSON pointer, such as /result/0/_id",
        ));
    }
    Ok(text.to_owned())
}

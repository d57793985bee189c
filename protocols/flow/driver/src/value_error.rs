//! [`ValueError`]: a value of a run that its place in the plan cannot use, such as text for a number.

use brunt_feed::{Text, Values};
use std::str::FromStr;

/// A value that its place cannot use. The name of the place stands before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is '{shown}', which is not {expected}")]
pub struct ValueError {
    /// The value without secrets; empty if there is none.
    pub shown: String,
    /// What the place needs.
    pub expected: &'static str,
}

/// The whole number that a text is now.
pub(super) fn whole_number<T: FromStr>(text: &Text, values: &Values) -> Result<T, ValueError> {
    parsed(text, values, "a whole number", |value| value.parse().ok())
}

/// The value of a text now, read by `parse`.
pub(super) fn parsed<T>(
    text: &Text,
    values: &Values,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ValueError> {
    let mut value = Vec::new();
    if text.render(values, &mut value).is_err() {
        return Err(ValueError { shown: String::new(), expected });
    }
    let value = String::from_utf8_lossy(&value);
    parse(value.trim()).ok_or_else(|| ValueError { shown: values.shown(&value), expected })
}

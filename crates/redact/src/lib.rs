//! Which parts of a request or an answer are secrets, and texts in which these are replaced by stars.
//!
//! There is one list of names. Imports, previews, recorded command lines and the texts of failures share it, so that a
//! secret in one of them is not shown in another. A value is found by the name before it or by its shape; a caller that
//! knows further secret values must remove them itself. A variable of a plan, `${name}`, is the name of a value and is
//! kept.

mod names;
mod text;
mod url;

pub use names::{is_secret_header, is_secret_name};
pub use text::{header, text, value};
pub use url::url;

/// What replaces a secret.
pub const HIDDEN: &str = "***";

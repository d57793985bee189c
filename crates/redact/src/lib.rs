//! What of a request or an answer is a secret, and texts with their secrets starred.
//!
//! There is one list of names, which import, previews, recorded command lines and the words of failures share, so that
//! nothing is a secret in one of them and shown in another. A value is found by the name it stands under or by its
//! shape; values that are known to be secrets are the business of whoever knows them. A variable of a plan, `${name}`,
//! is the name of a value and stays.

mod names;
mod text;
mod url;

pub use names::{is_secret_header, is_secret_name};
pub use text::{header, text, value};
pub use url::url;

/// What stands in place of a secret.
pub const HIDDEN: &str = "***";

//! [`EditError`]: why a change is not made.

use crate::reader::UnsetVariable;

/// The most changes at once.
pub(super) const CHANGES_MAX: usize = 200;
/// The most keys of a path: no plan nests deeper.
pub(super) const DEPTH_MAX: usize = 24;

/// Why a change is not made. The text stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A request of too many changes.
    #[error("more than {CHANGES_MAX} changes at once: send them in several requests")]
    ManyChanges,
    /// The text has no form.
    #[error("the text is not TOML, {}{why}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    NotToml {
        /// The line of the error, if it is known.
        line: Option<usize>,
        /// The parser's reason.
        why: String,
    },
    /// A notation of TOML that the form cannot change without changing more than intended.
    #[error("the form cannot edit what is written this way; edit the text")]
    Notation,
    /// A path that no plan has.
    #[error("the path has more than {DEPTH_MAX} keys, which no plan has")]
    Deep,
    /// The part was removed after the form was requested.
    #[error("this part no longer exists: select another")]
    Gone,
    /// An element is added to something else, or moved in it.
    #[error("this is not a list")]
    NotList,
    /// The path does not fit the values.
    #[error("there is no value of that kind here")]
    Mismatch,
    /// A key cannot be added.
    #[error("'{0}' is there already, or is not a name")]
    Key(String),
    /// A typed value does not fit its place.
    #[error("'{text}' is not {expected}")]
    Value {
        /// The text.
        text: String,
        /// What it must be.
        expected: &'static str,
    },
    /// An environment variable has no value.
    #[error(transparent)]
    Unset(#[from] UnsetVariable),
}

//! [`SelectorError`]: what is wrong with a selector. It reads after "is not a selector:".

/// The most parts that a selector has, over all alternatives.
pub(crate) const PARTS_MAX: usize = 64;

/// What selectors consist of.
const KNOWN: &str = "a selector consists of a type, *, #id, .class, [name], [name=value] (also ^= $= *= ~=), a space, \
                     > and commas";

/// What is wrong with a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// It would take too long to match.
    #[error("it has more than {PARTS_MAX} parts")]
    Long,
    /// Nothing stands before or after a comma, or at all.
    #[error("it is empty, or empty at a comma: {KNOWN}")]
    Empty,
    /// A child without a parent.
    #[error("nothing is before '>'")]
    NoParent,
    /// A parent without a child.
    #[error("nothing is after '>'")]
    NoChild,
    /// A part consists of nothing.
    #[error("{KNOWN}")]
    NoPart,
    /// A character of another notation.
    #[error("'{0}' is not known here: {KNOWN}")]
    Unknown(char),
    /// An operator of an attribute that is not complete.
    #[error("'=' is missing after '{0}'")]
    NoEquals(char),
    /// An attribute without its end.
    #[error("']' is missing")]
    NoBracket,
    /// A value without its end.
    #[error("the quote {0} is not closed")]
    OpenQuote(char),
    /// No name where one must be.
    #[error("a name is missing, which begins with a letter, '_' or '-'")]
    NoName,
}

//! [`JsonPathError`]: why a text is not a path.

use crate::pattern::PatternError;

/// The maximum length of a path.
pub(super) const LENGTH_MAX: usize = 4096;

/// The maximum nesting depth of conditions and queries.
pub(super) const DEPTH_MAX: u32 = 32;

/// Why a text is not a path that can be evaluated here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPathError {
    /// It is too long.
    #[error("it is longer than {LENGTH_MAX} bytes")]
    Long,
    /// Too many parts within parts.
    #[error("its parts stand more than {DEPTH_MAX} deep within each other")]
    Deep,
    /// It ends too early.
    #[error("it ends where {0} should stand")]
    End(String),
    /// Another character than expected.
    #[error("'{found}' at character {place} stands where {expected} should")]
    Unexpected {
        /// The character.
        found: char,
        /// Its number, counted from 1.
        place: usize,
        /// What is expected.
        expected: String,
    },
    /// A control character in a text.
    #[error("a control character stands in a text; write it as \\u")]
    ControlCharacter,
    /// An unknown escape sequence.
    #[error("a backslash in a text stands before none of bfnrtu/\\")]
    Escape,
    /// A character by its number, without the number.
    #[error("\\u must stand before four hexadecimal digits")]
    Digits,
    /// Half of a surrogate pair.
    #[error("\\u is one half of a character")]
    HalfCharacter,
    /// A text without its end.
    #[error("the quote in {0} is not closed")]
    Quote(String),
    /// A negated comparison without parentheses.
    #[error("a comparison behind '!' must stand in parentheses")]
    Negated,
    /// A function of a query that got something else.
    #[error("{function}() takes a query such as @.*, and {argument} is none")]
    NoQuery {
        /// The function.
        function: String,
        /// The argument.
        argument: String,
    },
    /// A regular expression that is not known before the run.
    #[error("the expression of {0}() must be a text in quotes")]
    NoLiteral(String),
    /// Too few or too many arguments.
    #[error("the function {function}() takes {takes} arguments and not {given}")]
    Arguments {
        /// The function.
        function: String,
        /// How many it takes.
        takes: usize,
        /// How many there are.
        given: usize,
    },
    /// An unknown function.
    #[error("there is no function {0}(); RFC 9535 has length, count, match, search and value")]
    Function(String),
    /// An operand that may be several values.
    #[error("{0} may lead to several values; compare value({0}) or count({0})")]
    Several(String),
    /// A condition as an operand.
    #[error("{0} is true or false already")]
    Condition(String),
    /// A regular expression that cannot be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

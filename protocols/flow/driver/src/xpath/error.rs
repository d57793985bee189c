//! [`XPathError`]: why a text is not an expression.

/// The maximum length of an expression.
pub(super) const LENGTH_MAX: usize = 4096;

/// The maximum nesting depth of expressions.
pub(super) const DEPTH_MAX: u32 = 64;

/// Why a text is not an expression that can be evaluated here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XPathError {
    /// It is too long.
    #[error("it is longer than {LENGTH_MAX} bytes")]
    Long,
    /// Parts within parts, too many.
    #[error("its parts stand more than {DEPTH_MAX} deep within each other")]
    Deep,
    /// Something after a whole expression.
    #[error("{0} stands where the expression should end")]
    NoEnd(String),
    /// Something that is not a name.
    #[error("{0} stands where a name should")]
    NoName(String),
    /// Something that is not a value.
    #[error("{0} stands where a value should")]
    NoValue(String),
    /// Something that is not a certain mark.
    #[error("{found} stands where '{mark}' should")]
    NoMark {
        /// What was found.
        found: String,
        /// What is expected.
        mark: &'static str,
    },
    /// An unknown axis.
    #[error("there is no axis '{0}'")]
    Axis(String),
    /// A function in a path.
    #[error("the function {0}() cannot be a step of a path")]
    Step(String),
    /// An unknown function.
    #[error("there is no function {0}(); XPath 1.0 has others, but for id() and lang()")]
    Function(String),
    /// Too few or too many arguments.
    #[error("the function {name}() takes {takes} arguments and not {given}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        takes: String,
        /// How many there are.
        given: usize,
    },
    /// A text without its end.
    #[error("the quote in {0} is not closed")]
    Quote(String),
    /// A variable.
    #[error("there are no variables in it; write the value itself")]
    Variable,
    /// A character without a meaning.
    #[error("'{0}' stands where no expression has it")]
    Character(char),
}

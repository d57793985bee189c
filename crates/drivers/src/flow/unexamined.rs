//! [`Unexamined`]: why an answer could not be looked at as far as a plan asks.
//!
//! What was not looked at is neither there nor missing, so a check of it has failed whichever way it asks: `exists =
//! false` of a body that was cut off says nothing.

/// The units of work for all checks and extractions of one answer: up to some tenths of a second.
pub(super) const WORK_MAX: u64 = 5_000_000;

/// Why an answer could not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexamined {
    /// What is looked for may lie behind what is kept of the body.
    #[error("only the beginning of the body was kept (`body-kept`)")]
    Truncated,
    /// It would take too much work.
    #[error(
        "it takes more than the {WORK_MAX} units of work an answer is given; look for less of it"
    )]
    Work,
    /// The XML declares a document type, of which nothing is ever expanded.
    #[error("the XML has a DOCTYPE, which is not read")]
    Doctype,
    /// The body is not JSON.
    #[error("the body is not JSON (line {line}, column {column})")]
    NotJson {
        /// Where it ceases to be, counted from 1.
        line: usize,
        /// Where it ceases to be, counted from 1.
        column: usize,
    },
    /// Values of the JSON stand too deep within each other.
    #[error("the JSON is nested more than 127 deep")]
    Deep,
    /// The JSON holds a number that is none of 64 bits.
    #[error("the JSON has a number out of the range of 64-bit floating point")]
    Number,
    /// The body is not XML.
    #[error("the body is not XML (line {line}, column {column})")]
    NotXml {
        /// Where it ceases to be, counted from 1.
        line: usize,
        /// Where it ceases to be, counted from 1.
        column: usize,
    },
    /// The expression takes steps from what is no node.
    #[error("the XPath takes steps from a value that is no node")]
    NoNodes,
}

impl Unexamined {
    /// Whether the answer is in another form than the plan expects. A value that need not be there is then missing, as
    /// from a page of an error.
    pub(super) const fn is_other_form(self) -> bool {
        matches!(self, Self::NotJson { .. } | Self::NotXml { .. })
    }
}

//! [`Unexamined`]: why an answer could not be examined as far as a plan requires.
//!
//! A part that was not examined is neither present nor missing, so a check of it fails whatever it requires: `exists =
//! false` on a truncated body proves nothing.

/// The units of work for all checks and extractions of one answer: up to some tenths of a second.
pub(super) const WORK_MAX: u64 = 5_000_000;

/// Why an answer could not be examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexamined {
    /// The value may be in the part of the body that was not kept.
    #[error("only the beginning of the body was kept (`body-kept`)")]
    Truncated,
    /// It would take too much work.
    #[error(
        "it takes more than the {WORK_MAX} units of work an answer is given; look for less of it"
    )]
    Work,
    /// The XML declares a document type, which is never expanded.
    #[error("the XML has a DOCTYPE, which is not read")]
    Doctype,
    /// It is not known where it came from.
    #[error("where it came from is no URL")]
    NoUrl,
    /// The body is not JSON.
    #[error("the body is not JSON (line {line}, column {column})")]
    NotJson {
        /// Where the error is, counted from 1.
        line: usize,
        /// Where the error is, counted from 1.
        column: usize,
    },
    /// Values of the JSON are nested too deeply.
    #[error("the JSON is nested more than 127 deep")]
    Deep,
    /// The JSON contains a number that does not fit in 64-bit floating point.
    #[error("the JSON has a number out of the range of 64-bit floating point")]
    Number,
    /// The body is not XML.
    #[error("the body is not XML (line {line}, column {column})")]
    NotXml {
        /// Where the error is, counted from 1.
        line: usize,
        /// Where the error is, counted from 1.
        column: usize,
    },
    /// The expression takes steps from a value that is not a node.
    #[error("the XPath takes steps from a value that is no node")]
    NoNodes,
}

impl Unexamined {
    /// Whether the answer has a different form than the plan expects. An optional value then counts as missing, as it
    /// does in an error page.
    pub(super) const fn is_other_form(self) -> bool {
        matches!(self, Self::NotJson { .. } | Self::NotXml { .. })
    }
}

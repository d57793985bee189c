//! [`Possible`]: the values that a text with variables can have.

use std::collections::BTreeSet;

/// Why the texts of a file name are not known, or too many.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PossibleError {
    /// Two variables vary.
    #[error("has two variables that vary: give the whole name in one column or `choice`")]
    TwoVary,
    /// There are too many.
    #[error("can name {files} files; the maximum is {most}")]
    Many {
        /// How many.
        files: usize,
        /// The maximum.
        most: usize,
    },
    /// A variable gets its values in the run.
    #[error(
        "uses '{0}', whose values are not known before the run: name files by constants, a 'choice' or the column of a \
         feeder"
    )]
    Late(String),
}

/// The texts that a list of pieces can become; only one of them may vary.
#[derive(Debug)]
pub(super) struct Possible {
    texts: BTreeSet<Vec<u8>>,
    most: usize,
}

impl Possible {
    /// The empty text.
    pub(super) fn new(most: usize) -> Self {
        Self { texts: BTreeSet::from([Vec::new()]), most }
    }

    /// Appends one of these to each text.
    pub(super) fn append(&mut self, others: &BTreeSet<Vec<u8>>) -> Result<(), PossibleError> {
        if self.texts.len() > 1 && others.len() > 1 {
            return Err(PossibleError::TwoVary);
        }
        let joined = self.texts.iter().flat_map(|text| {
            others.iter().map(move |other| [text.as_slice(), other.as_slice()].concat())
        });
        self.texts = joined.collect();
        if self.texts.len() > self.most {
            return Err(PossibleError::Many { files: self.texts.len(), most: self.most });
        }
        Ok(())
    }

    pub(super) fn texts(self) -> BTreeSet<Vec<u8>> {
        self.texts
    }
}

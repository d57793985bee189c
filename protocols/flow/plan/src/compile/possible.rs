//! [`Possible`]: the values that a text with variables can have.

use std::collections::BTreeSet;

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

    /// Appends one of these to each text. The error says why not.
    pub(super) fn append(&mut self, others: &BTreeSet<Vec<u8>>) -> Result<(), String> {
        if self.texts.len() > 1 && others.len() > 1 {
            let what = "has two variables that vary: give the whole name in one column or `choice`";
            return Err(what.to_owned());
        }
        let joined = self.texts.iter().flat_map(|text| {
            others.iter().map(move |other| [text.as_slice(), other.as_slice()].concat())
        });
        self.texts = joined.collect();
        if self.texts.len() > self.most {
            return Err(format!(
                "can name {} files; the maximum is {}",
                self.texts.len(),
                self.most
            ));
        }
        Ok(())
    }

    pub(super) fn texts(self) -> BTreeSet<Vec<u8>> {
        self.texts
    }
}

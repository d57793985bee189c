//! [`Weights`]: the frequency of each operation in a mix, as given by `--mix`.

/// The frequency of each operation, as shares of their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weights {
    pub allocate: u32,
    pub renew: u32,
    pub release: u32,
    pub expire: u32,
    pub search: u32,
}

/// The operations of a mix, in the order of the driver's operations.
pub(crate) const WORDS: [&str; 5] = ["allocate", "renew", "release", "expire", "search"];

/// Why a text is no list of weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WeightsError {
    #[error(
        "--mix: '{0}' is not a weight: write it as in allocate=40,renew=45,release=10,expire=5"
    )]
    Form(String),
    #[error("--mix: there is no operation '{0}': use {known}", known = WORDS.join(", "))]
    Operation(String),
    #[error("--mix: {word}={number}: a weight is a whole number from 0 to 1000000")]
    Number { word: String, number: String },
    #[error("--mix: {0} is given twice: leave one out")]
    Twice(String),
    #[error("--mix: every weight is 0: give one operation a weight above 0")]
    AllZero,
}

impl Weights {
    /// Reads `allocate=40,renew=45,release=10,expire=5`.
    pub(crate) fn parse(text: &str) -> Result<Self, WeightsError> {
        let mut shares = [None; WORDS.len()];
        for part in text.split(',') {
            let (word, number) =
                part.trim().split_once('=').ok_or_else(|| WeightsError::Form(part.to_owned()))?;
            let at = WORDS.iter().position(|known| *known == word.trim());
            let at = at.ok_or_else(|| WeightsError::Operation(word.to_owned()))?;
            let share = number.trim().parse::<u32>().ok().filter(|share| *share <= 1_000_000);
            let share = share.ok_or_else(|| WeightsError::Number {
                word: word.to_owned(),
                number: number.to_owned(),
            })?;
            if shares[at].replace(share).is_some() {
                return Err(WeightsError::Twice(word.to_owned()));
            }
        }
        if shares.iter().flatten().all(|share| *share == 0) {
            return Err(WeightsError::AllZero);
        }
        let [allocate, renew, release, expire, search] = shares.map(Option::unwrap_or_default);
        Ok(Self { allocate, renew, release, expire, search })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_weights_are_parsed_in_any_order() {
        let weights = Weights::parse("release=10, allocate=40,renew=45 ,expire=5").unwrap();
        let expected = Weights { allocate: 40, renew: 45, release: 10, expire: 5, search: 0 };
        assert_eq!(weights, expected);
    }

    #[test]
    fn mix_weight_errors_are_named() {
        for (text, what) in [
            ("", "is not a weight"),
            ("allocate", "'allocate' is not a weight"),
            ("drop=1", "'drop'"),
            ("renew=-1", "renew=-1"),
            ("renew=1,renew=2", "twice"),
            ("renew=0", "above 0"),
            ("renew=9999999999", "1000000"),
        ] {
            let error = Weights::parse(text).unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}

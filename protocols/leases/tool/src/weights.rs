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

impl Weights {
    /// Reads `allocate=40,renew=45,release=10,expire=5`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut shares = [None; WORDS.len()];
        for part in text.split(',') {
            let (word, number) = part.trim().split_once('=').ok_or_else(|| {
                format!("--mix: '{part}' is not a weight: write it as in allocate=40,renew=45,release=10,expire=5")
            })?;
            let at = WORDS.iter().position(|known| *known == word.trim()).ok_or_else(|| {
                format!("--mix: there is no operation '{word}': use {}", WORDS.join(", "))
            })?;
            let share = number.trim().parse::<u32>().ok().filter(|share| *share <= 1_000_000);
            let share = share.ok_or_else(|| {
                format!("--mix: {word}={number}: a weight is a whole number from 0 to 1000000")
            })?;
            if shares[at].replace(share).is_some() {
                return Err(format!("--mix: {word} is given twice: leave one out"));
            }
        }
        if shares.iter().flatten().all(|share| *share == 0) {
            return Err("--mix: every weight is 0: give one operation a weight above 0".to_owned());
        }
        let [allocate, renew, release, expire, search] = shares.map(Option::unwrap_or_default);
        Ok(Self { allocate, renew, release, expire, search })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_in_any_order() {
        let weights = Weights::parse("release=10, allocate=40,renew=45 ,expire=5").unwrap();
        let expected = Weights { allocate: 40, renew: 45, release: 10, expire: 5, search: 0 };
        assert_eq!(weights, expected);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, what) in [
            ("", "is not a weight"),
            ("allocate", "'allocate' is not a weight"),
            ("drop=1", "'drop'"),
            ("renew=-1", "renew=-1"),
            ("renew=1,renew=2", "twice"),
            ("renew=0", "above 0"),
            ("renew=9999999999", "1000000"),
        ] {
            let said = Weights::parse(text).unwrap_err();
            assert!(said.contains(what), "{text}: {said}");
        }
    }
}

//! [`Weights`]: how much each of the machines does that share a run (`--weights`).

use std::fmt;
use std::str::FromStr;

/// Weights by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weights(pub(crate) Vec<u32>);

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let weight = |text: &str| text.trim().parse().ok().filter(|weight| *weight > 0);
        let weights = text.split(',').map(weight).collect::<Option<Vec<u32>>>();
        weights.map(Self).ok_or_else(|| {
            "write a whole number of at least 1 for each machine, such as 3,1,1".to_owned()
        })
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_numbers_from_one_on() {
        assert_eq!("3,1, 1".parse(), Ok(Weights(vec![3, 1, 1])));
        assert_eq!(Weights(vec![48_211, 9]).to_string(), "48211,9");
        for wrong in ["", "3,", "0,1", "1.5", "a", "4294967296"] {
            assert!(wrong.parse::<Weights>().is_err(), "{wrong:?}");
        }
    }
}

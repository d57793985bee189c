//! [`Weights`]: the share of each machine in a run (`--weights`).

use std::fmt;
use std::str::FromStr;

use super::value_error::ValueError;

/// How much each machine does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// So much, by rank.
    Given(Vec<u32>),
    /// The measured ceiling of each machine: for agents, which report it to their coordinator.
    Ceiling,
}

impl Weights {
    /// The weights that were given, by rank.
    pub fn given(&self) -> &[u32] {
        match self {
            Self::Given(weights) => weights,
            Self::Ceiling => &[],
        }
    }
}

impl FromStr for Weights {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text == "ceiling" {
            return Ok(Self::Ceiling);
        }
        let weight = |text: &str| text.trim().parse().ok().filter(|weight| *weight > 0);
        let weights = text.split(',').map(weight).collect::<Option<Vec<u32>>>();
        weights.map(Self::Given).ok_or(ValueError::Weights)
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(weights) => {
                let all: Vec<String> = weights.iter().map(ToString::to_string).collect();
                f.write_str(&all.join(","))
            }
            Self::Ceiling => f.write_str("ceiling"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_positive_integers() {
        assert_eq!("3,1, 1".parse(), Ok(Weights::Given(vec![3, 1, 1])));
        assert_eq!(Weights::Given(vec![48_211, 9]).to_string(), "48211,9");
        assert_eq!("ceiling".parse::<Weights>().map(|it| it.to_string()), Ok("ceiling".to_owned()));
        for wrong in ["", "3,", "0,1", "1.5", "a", "4294967296"] {
            assert!(wrong.parse::<Weights>().is_err(), "{wrong:?}");
        }
    }
}

//! How the load is divided among the agents: [`Weights`].

use crate::message::Join;

/// The greatest weight.
const WEIGHT_MAX: f64 = 1e9;

/// How a load is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// All agents have the same share.
    #[default]
    Even,
    /// By rank.
    Given(Vec<u32>),
    /// In proportion to the measured ceiling of each agent for these operations.
    Ceiling(Vec<String>),
}

/// Agents whose ceiling for an operation is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: not calibrated for {}, so --weights ceiling does not know its share: run 'brunt calibrate' on its machine \
     (LDAP and DHCP), or give weights such as --weights 3,1",
    agents.join(", "),
    operations.join(", ")
)]
pub(super) struct UncalibratedError {
    agents: Vec<String>,
    operations: Vec<String>,
}

impl Weights {
    /// The weights of these agents, in the order of their ranks; empty if all have the same share.
    pub(super) fn of(&self, agents: &[Join]) -> Result<Vec<u32>, UncalibratedError> {
        let operations = match self {
            Self::Even => return Ok(Vec::new()),
            Self::Given(weights) => return Ok(weights.clone()),
            Self::Ceiling(operations) => operations,
        };
        let ceilings: Option<Vec<u32>> =
            agents.iter().map(|join| ceiling(join, operations)).collect();
        ceilings.ok_or_else(|| {
            let unknown = agents.iter().filter(|join| ceiling(join, operations).is_none());
            let agents = unknown.map(|join| join.name.to_string()).collect();
            UncalibratedError { agents, operations: operations.clone() }
        })
    }
}

/// The lowest ceiling of an agent among these operations.
fn ceiling(join: &Join, operations: &[String]) -> Option<u32> {
    let known = operations.iter().filter_map(|name| join.ceilings.get(name)).copied();
    let least = known.filter(|per_second| *per_second >= 1.0).reduce(f64::min)?;
    Some(least.min(WEIGHT_MAX) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::PROTOCOL;

    fn agent(name: &str, ceilings: &[(&str, f64)]) -> Join {
        Join {
            protocol: PROTOCOL,
            version: "1".to_owned(),
            name: name.parse().unwrap(),
            nonce: String::new(),
            host: String::new(),
            cores: 1,
            ceilings: ceilings.iter().map(|(name, rate)| ((*name).to_owned(), *rate)).collect(),
            rank: None,
            wall_ms: None,
            permits: None,
        }
    }

    #[test]
    fn weights_follow_calibrated_ceilings() {
        let agents = [
            agent("a", &[("bind", 40_000.7), ("search", 90_000.0)]),
            agent("b", &[("bind", 10_000.0), ("search", 9_000.0)]),
        ];
        let of = |operations: &[&str]| {
            Weights::Ceiling(operations.iter().map(|it| (*it).to_owned()).collect()).of(&agents)
        };
        assert_eq!(of(&["bind"]), Ok(vec![40_000, 10_000]));
        // The slowest operation decides.
        assert_eq!(of(&["search", "bind"]), Ok(vec![40_000, 9_000]));
        let why = of(&["GET"]).unwrap_err().to_string();
        assert!(why.contains("a, b: not calibrated for GET") && why.contains("brunt calibrate"));
        let odd = [agent("c", &[("bind", f64::NAN)])];
        assert!(Weights::Ceiling(vec!["bind".to_owned()]).of(&odd).is_err());
        assert_eq!(Weights::Even.of(&agents), Ok(Vec::new()));
        assert_eq!(Weights::Given(vec![3, 1]).of(&agents), Ok(vec![3, 1]));
    }
}

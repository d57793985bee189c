//! [`Targets`]: a list of the targets that may be loaded, with limits: rules by address.
//!
//! A rule is compared with the whole run before anything is sent, so its limits apply to the requested load, never to
//! the achieved load. It must not depend on a schedule, nor on the source of the list.

use super::allowed::Allowed;
use std::net::SocketAddr;
use std::time::Duration;

/// The targets that may be loaded. The first rule that contains an address counts.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// The name of the file with the rules, for messages.
    pub file: String,
    /// The rules, in their order.
    pub rules: Vec<Rule>,
}

/// Addresses that may be loaded, within limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The addresses; a network with several ports appears once for each port.
    pub networks: Vec<Allowed>,
    /// The most exchanges per second that may become due.
    pub rate: Option<f64>,
    /// The most connections.
    pub connections: Option<u64>,
    /// How long a run may last.
    pub duration: Option<Duration>,
    /// A note for the user whose run is refused.
    pub note: Option<String>,
}

/// The load that a run puts on its targets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// The most exchanges per second that become due; `None` if there is no limit.
    pub rate: Option<f64>,
    /// How many connections or sessions there are.
    pub connections: u64,
    /// How long the run lasts; `None` if it has no end.
    pub duration: Option<Duration>,
}

impl Targets {
    /// The rule that counts for an address.
    pub(super) fn rule(&self, to: SocketAddr) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.networks.iter().any(|network| network.holds(to)))
    }

    pub(super) fn name(&self) -> String {
        self.file.clone()
    }
}

impl Rule {
    /// The rule, as a message names it.
    pub(super) fn name(&self) -> String {
        let network = self.networks.first().map(ToString::to_string).unwrap_or_default();
        match &self.note {
            Some(note) => format!("{network} ({note})"),
            None => network,
        }
    }

    /// The limit that a run exceeds, as text.
    pub(super) fn exceeded(&self, demand: &Demand) -> Option<String> {
        if let Some(most) = self.rate.filter(|most| demand.rate.is_none_or(|rate| rate > *most)) {
            return Some(match demand.rate {
                Some(rate) => format!("at most {most}/s, and this run asks for {rate}/s"),
                None => format!(
                    "at most {most}/s, and nothing limits the rate of this run; give it one"
                ),
            });
        }
        if let Some(most) = self.connections.filter(|most| demand.connections > *most) {
            let requested = demand.connections;
            return Some(format!("at most {most} connections, and this run asks for {requested}"));
        }
        let most = self.duration?;
        match demand.duration {
            Some(requested) if requested <= most => None,
            Some(requested) => Some(format!("at most {most:?}, and this run lasts {requested:?}")),
            None => {
                Some(format!("at most {most:?}, and nothing ends this run; give it a duration"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_limits_apply_to_the_whole_run() {
        let rule = Rule {
            rate: Some(1_000.0),
            connections: Some(50),
            duration: Some(Duration::from_secs(600)),
            ..Rule::default()
        };
        let fits = Demand {
            rate: Some(1_000.0),
            connections: 50,
            duration: Some(Duration::from_secs(600)),
        };
        assert_eq!(rule.exceeded(&fits), None);
        for (demand, named) in [
            (Demand { rate: Some(1_001.0), ..fits }, "1001/s"),
            (Demand { rate: None, ..fits }, "nothing limits the rate"),
            (Demand { connections: 51, ..fits }, "50 connections"),
            (Demand { duration: Some(Duration::from_secs(601)), ..fits }, "601s"),
            (Demand { duration: None, ..fits }, "nothing ends"),
        ] {
            let message = rule.exceeded(&demand).expect(named);
            assert!(message.contains(named), "{message}");
        }
        assert_eq!(Rule::default().exceeded(&Demand::default()), None);
    }
}

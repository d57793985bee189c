//! Which messages a rule of a DHCP server selects, and what it does to them.

use std::net::IpAddr;
use std::time::Duration;

use brunt_embedded::script::rules;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::action::Action;
use crate::words::{Family, RequestKind};

/// The longest generated message.
const GARBAGE_MAX: usize = 4096;

brunt_embedded::rule!(Action {
    /// Every message that the action suits, if it is empty.
    #[serde(default)]
    on: Vec<RequestKind>,
    /// Only DHCPv4 or only DHCPv6.
    family: Option<Family>,
    /// A part of the client's identity.
    client: Option<Octets>,
});

/// Octets, written in hexadecimal.
#[derive(Clone, Debug)]
struct Octets(Vec<u8>);

/// The facts about a message that rules select by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) family: Family,
    pub(crate) act: RequestKind,
    pub(crate) client: &'a [u8],
}

/// What is done to one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "faults are independent of each other and add up"
)]
pub(crate) struct Faults {
    pub(crate) delay: Duration,
    pub(crate) ignore: bool,
    pub(crate) drop: bool,
    pub(crate) reorder: bool,
    pub(crate) duplicate: bool,
    pub(crate) nak: bool,
    pub(crate) status: Option<u16>,
    pub(crate) no_lease: bool,
    pub(crate) address: Option<IpAddr>,
    pub(crate) truncate: Option<usize>,
    /// The random number and the length of what is sent instead of the answer.
    pub(crate) garbage: Option<(u64, usize)>,
    /// The bits of the transaction id that are changed.
    pub(crate) wrong_xid: u32,
    pub(crate) wrong_server: bool,
}

/// Why a rule can never apply, and what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("{0} cannot be done to it; take {1} out of `on`")]
    Request(&'static str, String),
    #[error("{0} cannot be done in that family; leave `family` out")]
    Family(&'static str),
    #[error("its number must be from 1 to {GARBAGE_MAX}")]
    Size,
    #[error("status 0 is success; name another")]
    Success,
}

impl rules::Rule for Rule {
    type Facts<'a> = Facts<'a>;
    type Faults = Faults;
    type Error = RuleError;

    fn check(&self) -> Result<(), RuleError> {
        let families = self.family.map_or(Family::ALL.to_vec(), |family| vec![family]);
        let suits =
            |act: &RequestKind| families.iter().any(|family| self.action.suits(*family, *act));
        let fault = self.action.name();
        if let Some(act) = self.on.iter().find(|act| !suits(act)) {
            let act = act.name(self.family.unwrap_or(Family::V4)).to_lowercase();
            return Err(RuleError::Request(fault, act));
        }
        if !RequestKind::ALL.iter().any(suits) {
            return Err(RuleError::Family(fault));
        }
        if matches!(self.action, Action::Garbage(bytes) if !(1..=GARBAGE_MAX).contains(&bytes)) {
            return Err(RuleError::Size);
        }
        if matches!(self.action, Action::Status(0)) {
            return Err(RuleError::Success);
        }
        Ok(())
    }

    fn selects(&self, facts: &Facts<'_>) -> bool {
        (self.on.is_empty() || self.on.contains(&facts.act))
            && self.family.is_none_or(|family| family == facts.family)
            && self.action.suits(facts.family, facts.act)
            && self.client.as_ref().is_none_or(|part| contains(facts.client, &part.0))
    }

    fn action(&self) -> &'static str {
        self.action.name()
    }

    fn hold(faults: &mut Faults, time: Duration) {
        faults.delay += time;
    }

    fn refuse(faults: &mut Faults) {
        faults.drop = true;
    }

    fn apply(&self, random: u64, faults: &mut Faults) {
        match self.action {
            Action::Delay(range) => faults.delay += range.choose(random),
            Action::Ignore => faults.ignore = true,
            Action::Drop => faults.drop = true,
            Action::Reorder => faults.reorder = true,
            Action::Duplicate => faults.duplicate = true,
            Action::Nak => faults.nak = true,
            Action::Status(code) => faults.status = Some(code),
            Action::NoLease => faults.no_lease = true,
            Action::Address(address) => faults.address = Some(address),
            Action::Truncate(bytes) => faults.truncate = Some(bytes),
            Action::Garbage(bytes) => faults.garbage = Some((random, bytes)),
            // The topmost of the 24 bits that both families have, and any other bits.
            Action::WrongXid => faults.wrong_xid = (random as u32 & 0x00ff_ffff) | 0x0080_0000,
            Action::WrongServer => faults.wrong_server = true,
        }
    }
}

fn contains(octets: &[u8], part: &[u8]) -> bool {
    octets.windows(part.len()).any(|window| window == part)
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = text
            .bytes()
            .filter(|byte| *byte != b':')
            .map(|byte| char::from(byte).to_digit(16).map(|digit| digit as u8))
            .collect();
        match digits {
            Some(digits) if !digits.is_empty() && digits.len() % 2 == 0 => {
                Ok(Self(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()))
            }
            _ => Err(D::Error::custom(format!("{text} is not octets in hexadecimal"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Rules, Script};

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap().0)
    }

    const fn discover(client: &[u8]) -> Facts<'_> {
        Facts { family: Family::V4, act: RequestKind::Discover, client }
    }

    fn faults(rules: &Rules, facts: &Facts<'_>) -> Faults {
        rules.faults(facts, Duration::ZERO)
    }

    #[test]
    fn rule_selects_by_kind_family_and_client() {
        let rules = rules(
            "[[rule]]\non = ['solicit']\nfamily = 4\nclient = '0c:01'\nevery = 2\naction = 'drop'",
        );
        for n in 1..=4 {
            assert!(!faults(&rules, &discover(&[0xc0, 0x10])).drop);
            let other = Facts { family: Family::V6, ..discover(&[0x0c, 0x01]) };
            assert!(!faults(&rules, &other).drop);
            assert!(
                !faults(&rules, &Facts { act: RequestKind::Request, ..discover(&[0x0c, 0x01]) })
                    .drop
            );
            assert_eq!(faults(&rules, &discover(&[1, 0x0c, 0x01, 2])).drop, n % 2 == 0);
        }
        assert_eq!(rules.done(), [("drop", 2)]);
    }

    #[test]
    fn rule_faults_apply_only_where_possible() {
        let rules = rules(
            "[[rule]]\naction = 'nak'\n[[rule]]\naction = { status = 2 }\n\
             [[rule]]\naction = { address = '10.0.0.1' }\n[[rule]]\naction = 'drop'",
        );
        let of = |family, act| faults(&rules, &Facts { family, act, ..discover(&[]) });
        assert!(
            of(Family::V4, RequestKind::Reboot).nak && !of(Family::V4, RequestKind::Discover).nak
        );
        assert!(!of(Family::V6, RequestKind::Request).nak);
        assert_eq!(of(Family::V6, RequestKind::Release).status, Some(2));
        assert_eq!(of(Family::V4, RequestKind::Request).status, None);
        assert!(of(Family::V4, RequestKind::Discover).address.is_some());
        assert!(of(Family::V6, RequestKind::Discover).address.is_none());
        assert!(
            of(Family::V4, RequestKind::Discover).drop
                && !of(Family::V4, RequestKind::Release).drop
        );
    }

    #[test]
    fn rule_randomness_depends_on_seed_and_number() {
        let struck = |seed: u32| {
            let text = format!("seed = {seed}\n[[rule]]\nprobability = 0.25\naction = 'wrong-xid'");
            let rules = rules(&text);
            (0..4000).map(|_| faults(&rules, &discover(&[])).wrong_xid).collect::<Vec<_>>()
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
        let count = struck(1).iter().filter(|xid| **xid != 0).count();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&count), "{count}");
    }

    #[test]
    fn rule_errors_name_the_line_and_reason() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\nfamily = 5\naction = 'drop'", "4 or 6"),
            ("[[rule]]\nclient = '0'\naction = 'drop'", "hexadecimal"),
            ("[[rule]]\non = ['discover']\naction = 'nak'", "take discover out"),
            ("[[rule]]\nfamily = 6\naction = 'nak'", "leave `family` out"),
            ("[[rule]]\nfamily = 4\naction = { status = 2 }", "leave `family` out"),
            ("[[rule]]\naction = { status = 0 }", "success"),
            ("[[rule]]\nfamily = 4\non = ['release']\naction = 'drop'", "take release out"),
            ("[[rule]]\naction = { garbage = 0 }", "from 1 to"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }
}

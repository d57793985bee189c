//! Which requests a rule of a directory selects, and what it does to them.

use std::time::Duration;

use brunt_embedded::script::{self, rules};
use brunt_ldap_wire::control::value::{PasswordPolicy, PolicyError, PolicyWarning};
use serde::Deserialize;

use super::action::{Action, Policy};

/// The longest generated answer, and the deepest.
const SIZE_MAX: usize = 1 << 20;

/// What a rule can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Occasion {
    /// A connection, as it is accepted.
    Connect,
    /// A TLS handshake, before it begins.
    Handshake,
    Bind,
    Search,
    Modify,
    Add,
    Delete,
    ModifyDn,
    Compare,
    /// Any extended request.
    Extended,
    StartTls,
    WhoAmI,
    Cancel,
}

brunt_embedded::rule!(Action {
    /// Every request, if it is empty; never a connection or a handshake unless they are named.
    #[serde(default)]
    on: Vec<Occasion>,
    /// A part of the name.
    dn: Option<String>,
    /// A part of the filter.
    filter: Option<String>,
    /// The numbers of the connections, counted from 1; any if it is empty.
    #[serde(default)]
    connection: Vec<u64>,
});

/// The facts about a request that rules select by.
pub(crate) struct Facts<'a> {
    pub(crate) occasion: Occasion,
    pub(crate) connection: u64,
    pub(crate) dn: &'a [u8],
    /// Called if a rule has a filter.
    pub(crate) filter: &'a dyn Fn() -> String,
}

/// What is done to one request.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "faults are independent of each other and add up"
)]
pub(crate) struct Faults {
    pub(crate) delay: Duration,
    pub(crate) result: Option<(u32, String)>,
    pub(crate) drop: bool,
    pub(crate) reorder: bool,
    pub(crate) duplicate: bool,
    pub(crate) message_id: Option<i32>,
    pub(crate) truncate: Option<usize>,
    /// What is sent instead of the answer.
    pub(crate) instead: Option<Vec<u8>>,
    pub(crate) reset: bool,
    pub(crate) close: bool,
    pub(crate) disconnect: Option<(u32, String)>,
    pub(crate) trickle: Option<Duration>,
    pub(crate) unsolicited: Option<String>,
    pub(crate) intermediate: Option<String>,
    pub(crate) reference: Option<String>,
    pub(crate) policy: Option<PasswordPolicy>,
}

/// Why a rule can never apply, and what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("its action needs a request; take {0} out of `on`")]
    NeedsRequest(&'static str),
    #[error("a password policy applies to binds; write on = [\"bind\"]")]
    Policy,
    #[error("references belong to searches; write on = [\"search\"]")]
    Reference,
    #[error("its number must be from 1 to {SIZE_MAX}")]
    Size,
}

impl rules::Rule for Rule {
    type Facts<'a> = Facts<'a>;
    type Faults = Faults;
    type Error = RuleError;

    fn check(&self) -> Result<(), RuleError> {
        if self.on.contains(&Occasion::Connect) && !self.action.suits_connect() {
            return Err(RuleError::NeedsRequest("connect"));
        }
        if self.on.contains(&Occasion::Handshake) && !self.action.suits_handshake() {
            return Err(RuleError::NeedsRequest("handshake"));
        }
        if matches!(self.action, Action::Policy(_)) && self.on != [Occasion::Bind] {
            return Err(RuleError::Policy);
        }
        if matches!(self.action, Action::Reference(_)) && self.on != [Occasion::Search] {
            return Err(RuleError::Reference);
        }
        if let Action::Garbage(size) | Action::DeepNesting(size) = self.action
            && !(1..=SIZE_MAX).contains(&size)
        {
            return Err(RuleError::Size);
        }
        Ok(())
    }

    fn selects(&self, facts: &Facts<'_>) -> bool {
        let about_connection = matches!(facts.occasion, Occasion::Connect | Occasion::Handshake);
        let extended =
            matches!(facts.occasion, Occasion::StartTls | Occasion::WhoAmI | Occasion::Cancel);
        let named =
            self.on.contains(&facts.occasion) || extended && self.on.contains(&Occasion::Extended);
        (named || self.on.is_empty() && !about_connection)
            && (self.connection.is_empty() || self.connection.contains(&facts.connection))
            && self.dn.as_ref().is_none_or(|part| contains(facts.dn, part.as_bytes()))
            && self
                .filter
                .as_ref()
                .is_none_or(|part| contains((facts.filter)().as_bytes(), part.as_bytes()))
    }

    fn action(&self) -> &'static str {
        self.action.name()
    }

    fn is_served(facts: &Facts<'_>) -> bool {
        !matches!(facts.occasion, Occasion::Connect | Occasion::Handshake)
    }

    fn hold(faults: &mut Faults, time: Duration) {
        faults.delay += time;
    }

    fn refuse(faults: &mut Faults) {
        faults.result = Some((
            brunt_ldap_wire::code::BUSY,
            "the line is full, as the script has it".to_owned(),
        ));
    }

    fn apply(&self, random: u64, faults: &mut Faults) {
        match &self.action {
            Action::Delay(range) => faults.delay += range.choose(random),
            Action::Result(result) => {
                faults.result = Some((u32::from(result.code), result.text.clone()));
            }
            Action::Drop => faults.drop = true,
            Action::Reorder => faults.reorder = true,
            Action::Duplicate => faults.duplicate = true,
            Action::WrongId(id) => faults.message_id = Some(*id),
            Action::Truncate(bytes) => faults.truncate = Some(*bytes),
            Action::Garbage(bytes) => faults.instead = Some(script::garbage(random, *bytes, 0x30)),
            Action::HugeLength => {
                faults.instead = Some(vec![0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02, 0x01, 0x01]);
            }
            Action::DeepNesting(depth) => faults.instead = Some(nested(*depth)),
            Action::Reset => faults.reset = true,
            Action::Close => faults.close = true,
            Action::Disconnect(result) => {
                faults.disconnect = Some((u32::from(result.code), result.text.clone()));
            }
            Action::Trickle(each) => faults.trickle = Some(each.0),
            Action::Unsolicited(oid) => faults.unsolicited = Some(oid.clone()),
            Action::Intermediate(oid) => faults.intermediate = Some(oid.clone()),
            Action::Reference(url) => faults.reference = Some(url.clone()),
            Action::Policy(policy) => faults.policy = Some(policy.control()),
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

impl Policy {
    fn control(self) -> PasswordPolicy {
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let warning = |warning| PasswordPolicy { warning: Some(warning), error: None };
        let error = |error| PasswordPolicy { warning: None, error: Some(error) };
        match self {
            Self::ExpiresIn(seconds) => warning(PolicyWarning::ExpiresIn(number(seconds))),
            Self::GraceBindsLeft(count) => warning(PolicyWarning::GraceBindsLeft(number(count))),
            Self::ChangeAfterReset => error(PolicyError::ChangeAfterReset),
            Self::AccountLocked => error(PolicyError::AccountLocked),
            Self::PasswordExpired => error(PolicyError::PasswordExpired),
        }
    }
}

/// Nested sequences with correct lengths.
fn nested(depth: usize) -> Vec<u8> {
    let mut backwards = Vec::new();
    for _ in 0..depth {
        let length = backwards.len();
        if length < 0x80 {
            backwards.push(length as u8);
        } else {
            let bytes = length.to_le_bytes();
            let width = bytes.len() - bytes.iter().rev().take_while(|byte| **byte == 0).count();
            backwards.extend(&bytes[..width]);
            backwards.push(0x80 | width as u8);
        }
        backwards.push(0x30);
    }
    backwards.reverse();
    backwards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Rules, Script};

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap().0)
    }

    fn search(dn: &'static str) -> Facts<'static> {
        let filter = &|| "(uid=User.7)".to_owned();
        Facts { occasion: Occasion::Search, connection: 2, dn: dn.as_bytes(), filter }
    }

    fn faults(rules: &Rules, facts: &Facts<'_>) -> Faults {
        rules.faults(facts, Duration::ZERO)
    }

    #[test]
    fn rule_selects_by_kind_name_and_filter() {
        let rules = rules(
            "[[rule]]\non = ['search']\ndn = 'people'\nfilter = 'user.7'\nevery = 2\naction = 'drop'",
        );
        for n in 1..=4 {
            assert!(!faults(&rules, &search("ou=groups")).drop);
            assert!(!faults(&rules, &Facts { filter: &String::new, ..search("ou=people") }).drop);
            assert!(
                !faults(&rules, &Facts { occasion: Occasion::Bind, ..search("ou=people") }).drop
            );
            assert_eq!(faults(&rules, &search("ou=People")).drop, n % 2 == 0);
        }
        assert_eq!(rules.done(), [("drop", 2)]);
    }

    #[test]
    fn rule_applies_to_connections_only_if_named() {
        let rules = rules(
            "[[rule]]\naction = 'drop'\n[[rule]]\nconnection = [3]\naction = 'reorder'\n\
             [[rule]]\non = ['extended']\naction = 'close'",
        );
        assert!(!faults(&rules, &search("")).reorder);
        assert!(faults(&rules, &Facts { connection: 3, ..search("") }).reorder);
        assert!(faults(&rules, &Facts { occasion: Occasion::WhoAmI, ..search("") }).close);
        assert!(!faults(&rules, &Facts { occasion: Occasion::Connect, ..search("") }).drop);
    }

    #[test]
    fn rule_probability_selects_a_fraction() {
        let struck = |seed: u32| {
            let text = format!("seed = {seed}\n[[rule]]\nprobability = 0.25\naction = 'drop'");
            let rules = rules(&text);
            (0..4000).map(|_| faults(&rules, &search("")).drop).collect::<Vec<_>>()
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
        let count = struck(1).iter().filter(|struck| **struck).count();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&count), "{count}");
    }

    #[test]
    fn rule_errors_name_line_and_reason() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\naction = { delay = '5' }", "is not a time"),
            ("[[rule]]\naction = { delay = '5ms..1ms' }", "ends before it begins"),
            ("[[rule]]\non = ['connect']\naction = 'duplicate'", "take connect out"),
            ("[[rule]]\non = ['handshake']\naction = 'duplicate'", "take handshake out"),
            ("[[rule]]\naction = { reference = 'ldap://x' }", "on = [\"search\"]"),
            ("[[rule]]\naction = { garbage = 0 }", "from 1 to"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }

    #[test]
    fn nested_fault_is_well_formed_ber() {
        assert_eq!(nested(3), [0x30, 4, 0x30, 2, 0x30, 0]);
        let deep = nested(1000);
        let mut at = 0;
        for _ in 0..1000 {
            assert_eq!(deep[at], 0x30);
            let (width, length) = match deep[at + 1] {
                short @ 0..=0x7f => (2, usize::from(short)),
                0x81 => (3, usize::from(deep[at + 2])),
                _ => (4, usize::from(deep[at + 2]) << 8 | usize::from(deep[at + 3])),
            };
            at += width;
            assert_eq!(deep.len() - at, length);
        }
    }
}

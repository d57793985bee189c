//! Which rules concern a request, and what they do to it together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use brunt_wire::ldap::control::value::{PasswordPolicy, PolicyError, PolicyWarning};
use serde::Deserialize;

use super::Script;
use super::action::{Action, Policy};
use crate::script::period::Period;
use crate::script::{self, Span};

/// What a rule can concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ldap) enum Occasion {
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
    /// An extended request, whichever.
    Extended,
    StartTls,
    WhoAmI,
    Cancel,
}

/// When, and what.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Every request, if it is empty; never a connection or a handshake unless they are named.
    #[serde(default)]
    on: Vec<Occasion>,
    /// The first request to suffer, counted from 1 among those that the other conditions let through.
    #[serde(default = "one")]
    first: u64,
    /// The last one.
    last: Option<u64>,
    /// Of these, only those whose number is a multiple.
    #[serde(default = "one")]
    every: u64,
    /// A part of the name.
    dn: Option<String>,
    /// A part of the filter.
    filter: Option<String>,
    /// Not before this moment.
    after: Option<Period>,
    /// Not from this moment on.
    until: Option<Period>,
    /// The numbers of the connections, counted from 1; any if it is empty.
    #[serde(default)]
    connection: Vec<u64>,
    action: Action,
}

const fn one() -> u64 {
    1
}

/// What is known of a request.
pub(in crate::ldap) struct Facts<'a> {
    pub(in crate::ldap) occasion: Occasion,
    pub(in crate::ldap) connection: u64,
    pub(in crate::ldap) dn: &'a [u8],
    /// Called if a rule wants to know.
    pub(in crate::ldap) filter: &'a dyn Fn() -> String,
    pub(in crate::ldap) now: Duration,
}

/// What goes wrong with one request.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "faults are independent of each other and add up"
)]
pub(in crate::ldap) struct Faults {
    pub(in crate::ldap) delay: Duration,
    pub(in crate::ldap) result: Option<(u32, String)>,
    pub(in crate::ldap) drop: bool,
    pub(in crate::ldap) reorder: bool,
    pub(in crate::ldap) duplicate: bool,
    pub(in crate::ldap) message_id: Option<i32>,
    pub(in crate::ldap) truncate: Option<usize>,
    /// What is sent instead of the answer.
    pub(in crate::ldap) instead: Option<Vec<u8>>,
    pub(in crate::ldap) reset: bool,
    pub(in crate::ldap) close: bool,
    pub(in crate::ldap) disconnect: Option<(u32, String)>,
    pub(in crate::ldap) trickle: Option<Duration>,
    pub(in crate::ldap) unsolicited: Option<String>,
    pub(in crate::ldap) intermediate: Option<String>,
    pub(in crate::ldap) reference: Option<String>,
    pub(in crate::ldap) policy: Option<PasswordPolicy>,
}

/// A script at work.
#[derive(Debug)]
pub(in crate::ldap) struct Rules {
    script: Script,
    /// How many requests each rule has let through.
    counts: Vec<AtomicU64>,
}

impl Rules {
    pub(in crate::ldap) fn new(script: Script) -> Self {
        let counts = script.rule.iter().map(|_| AtomicU64::new(0)).collect();
        Self { script, counts }
    }

    /// When the standstill ends, if there is one.
    pub(in crate::ldap) fn stalled_until(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().filter_map(|span| span.end_if_in(now)).max()
    }

    /// When the next standstill begins.
    pub(in crate::ldap) fn next_stall(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().map(|span| span.begin()).filter(|begin| *begin > now).min()
    }

    /// When nobody listens.
    pub(in crate::ldap) fn refusals(&self) -> &[Span] {
        &self.script.refuse
    }

    /// What goes wrong this time.
    pub(in crate::ldap) fn faults(&self, facts: &Facts<'_>) -> Faults {
        let mut faults = Faults::default();
        for (number, (rule, count)) in self.script.rule.iter().zip(&self.counts).enumerate() {
            if !rule.concerns(facts) {
                continue;
            }
            let place = count.fetch_add(1, Ordering::Relaxed) + 1;
            if place >= rule.first
                && rule.last.is_none_or(|last| place <= last)
                && place % rule.every == 0
            {
                let random = script::chance(self.script.seed, number, place);
                faults.take(&rule.action, random);
            }
        }
        faults
    }
}

impl Rule {
    /// Why the rule can never do what it says, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.every == 0 || self.first == 0 {
            return Err("requests are counted from 1, so every and first must not be 0".to_owned());
        }
        if self.last.is_some_and(|last| last < self.first) {
            return Err("last comes before first".to_owned());
        }
        if self.on.contains(&Occasion::Connect) && !self.action.suits_connect() {
            return Err("its action needs a request; take connect out of `on`".to_owned());
        }
        if self.on.contains(&Occasion::Handshake) && !self.action.suits_handshake() {
            return Err("its action needs a request; take handshake out of `on`".to_owned());
        }
        if matches!(self.action, Action::Policy(_)) && self.on != [Occasion::Bind] {
            return Err("the password policy speaks on binds; write on = [\"bind\"]".to_owned());
        }
        if matches!(self.action, Action::Reference(_)) && self.on != [Occasion::Search] {
            return Err("references belong to searches; write on = [\"search\"]".to_owned());
        }
        let most = 1 << 20;
        if matches!(self.action, Action::Garbage(bytes) | Action::DeepNesting(bytes) if bytes == 0 || bytes > most)
        {
            return Err(format!("its number must be from 1 to {most}"));
        }
        Ok(())
    }

    fn concerns(&self, facts: &Facts<'_>) -> bool {
        let about_connection = matches!(facts.occasion, Occasion::Connect | Occasion::Handshake);
        let extended =
            matches!(facts.occasion, Occasion::StartTls | Occasion::WhoAmI | Occasion::Cancel);
        let named =
            self.on.contains(&facts.occasion) || extended && self.on.contains(&Occasion::Extended);
        (named || self.on.is_empty() && !about_connection)
            && (self.connection.is_empty() || self.connection.contains(&facts.connection))
            && self.after.is_none_or(|after| facts.now >= after.0)
            && self.until.is_none_or(|until| facts.now < until.0)
            && self.dn.as_ref().is_none_or(|part| contains(facts.dn, part.as_bytes()))
            && self
                .filter
                .as_ref()
                .is_none_or(|part| contains((facts.filter)().as_bytes(), part.as_bytes()))
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

impl Faults {
    fn take(&mut self, action: &Action, random: u64) {
        match action {
            Action::Delay(range) => self.delay += range.choose(random),
            Action::Result(result) => {
                self.result = Some((u32::from(result.code), result.text.clone()));
            }
            Action::Drop => self.drop = true,
            Action::Reorder => self.reorder = true,
            Action::Duplicate => self.duplicate = true,
            Action::WrongId(id) => self.message_id = Some(*id),
            Action::Truncate(bytes) => self.truncate = Some(*bytes),
            Action::Garbage(bytes) => self.instead = Some(garbage(random, *bytes)),
            Action::HugeLength => {
                self.instead = Some(vec![0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02, 0x01, 0x01]);
            }
            Action::DeepNesting(depth) => self.instead = Some(nested(*depth)),
            Action::Reset => self.reset = true,
            Action::Close => self.close = true,
            Action::Disconnect(result) => {
                self.disconnect = Some((u32::from(result.code), result.text.clone()));
            }
            Action::Trickle(each) => self.trickle = Some(each.0.0),
            Action::Unsolicited(oid) => self.unsolicited = Some(oid.clone()),
            Action::Intermediate(oid) => self.intermediate = Some(oid.clone()),
            Action::Reference(url) => self.reference = Some(url.clone()),
            Action::Policy(policy) => self.policy = Some(policy.word()),
        }
    }
}

impl Policy {
    fn word(self) -> PasswordPolicy {
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

/// Random bytes that are surely not the beginning of a message.
fn garbage(random: u64, count: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = script::bytes(random).take(count).collect();
    if let Some(first) = bytes.first_mut()
        && *first == 0x30
    {
        *first = 0x31;
    }
    bytes
}

/// Sequences within sequences, their lengths right.
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

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap())
    }

    fn search(dn: &'static str, millis: u64) -> Facts<'static> {
        let filter = &|| "(uid=User.7)".to_owned();
        let now = Duration::from_millis(millis);
        Facts { occasion: Occasion::Search, connection: 2, dn: dn.as_bytes(), filter, now }
    }

    #[test]
    fn a_rule_counts_only_what_it_concerns() {
        let rules = rules(
            "[[rule]]\non = ['search']\ndn = 'people'\nfilter = 'user.7'\n\
             first = 4\nlast = 8\nevery = 2\naction = 'drop'",
        );
        let mut dropped = Vec::new();
        for n in 1..=10 {
            assert!(!rules.faults(&search("ou=groups", 0)).drop);
            if rules.faults(&search("ou=People", 0)).drop {
                dropped.push(n);
            }
        }
        assert_eq!(dropped, [4, 6, 8]);
    }

    #[test]
    fn windows_connections_and_occasions() {
        let rules = rules(
            "[[rule]]\nafter = '10ms'\nuntil = '20ms'\naction = 'drop'\n\
             [[rule]]\nconnection = [3]\naction = 'reorder'\n\
             [[rule]]\non = ['extended']\naction = 'close'\n\
             [[stall]]\nat = '1s'\nlasts = '2s'",
        );
        let dropped = |millis| rules.faults(&search("", millis)).drop;
        assert_eq!([9, 10, 19, 20].map(dropped), [false, true, true, false]);
        assert!(!rules.faults(&search("", 0)).reorder);
        assert!(rules.faults(&Facts { connection: 3, ..search("", 0) }).reorder);
        assert!(rules.faults(&Facts { occasion: Occasion::WhoAmI, ..search("", 0) }).close);
        assert!(!rules.faults(&Facts { occasion: Occasion::Connect, ..search("", 15) }).drop);
        let second = Duration::from_secs;
        assert_eq!(
            [0, 1, 2, 3].map(|s| rules.stalled_until(second(s))),
            [None, Some(second(3)), Some(second(3)), None]
        );
    }

    #[test]
    fn what_is_random_depends_on_seed_and_number_alone() {
        let delays = |seed: u32| {
            let rules =
                rules(&format!("seed = {seed}\n[[rule]]\naction = {{ delay = '1ms..9ms' }}"));
            (0..100).map(|_| rules.faults(&search("", 0)).delay).collect::<Vec<_>>()
        };
        assert_eq!(delays(1), delays(1));
        assert_ne!(delays(1), delays(2));
        assert!(delays(1).iter().all(|delay| (1..=9).contains(&delay.as_millis())));
    }

    #[test]
    fn scripts_that_cannot_work_say_where_and_why() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\naction = 'drop'\nwhen = 3", "unknown field `when`"),
            ("[[rule]]\non = ['bind']", "missing field `action`"),
            ("[[rule]]\naction = { delay = '5' }", "is not a time"),
            ("[[rule]]\naction = { delay = '5ms..1ms' }", "ends before it begins"),
            ("[[rule]]\naction = 'drop'\n[[rule]]\nevery = 0\naction = 'drop'", "rule 2"),
            ("[[rule]]\nfirst = 5\nlast = 4\naction = 'drop'", "last comes before first"),
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
    fn nesting_is_well_formed() {
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

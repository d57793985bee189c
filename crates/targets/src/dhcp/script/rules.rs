//! Which rules concern a message, and what they do to it together.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};

use super::Script;
use super::action::{Action, FAULTS};
use crate::dhcp::words::{Act, Family};
use crate::script;
use crate::script::period::Period;

/// The longest message that is made up.
const GARBAGE_MAX: usize = 4096;

/// When, and what.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Every message that the action suits, if it is empty.
    #[serde(default)]
    on: Vec<Act>,
    /// The one protocol it is about.
    family: Option<Family>,
    /// A part of the client's identity.
    client: Option<Octets>,
    /// The first message to suffer, counted from 1 among those that the conditions above let through.
    #[serde(default = "one")]
    first: u64,
    /// The last one.
    last: Option<u64>,
    /// Of these, only those whose number is a multiple.
    #[serde(default = "one")]
    every: u64,
    /// Of these, only so many, at random.
    #[serde(default = "certain")]
    probability: f64,
    /// Not before this moment.
    after: Option<Period>,
    /// Not from this moment on.
    until: Option<Period>,
    action: Action,
}

/// Octets, written in hexadecimal.
#[derive(Clone, Debug)]
struct Octets(Vec<u8>);

const fn one() -> u64 {
    1
}

const fn certain() -> f64 {
    1.0
}

/// What is known of a message.
#[derive(Clone, Copy, Debug)]
pub(in crate::dhcp) struct Facts<'a> {
    pub(in crate::dhcp) family: Family,
    pub(in crate::dhcp) act: Act,
    pub(in crate::dhcp) client: &'a [u8],
    pub(in crate::dhcp) now: Duration,
}

/// What goes wrong with one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "faults are independent of each other and add up"
)]
pub(in crate::dhcp) struct Faults {
    pub(in crate::dhcp) delay: Duration,
    pub(in crate::dhcp) ignore: bool,
    pub(in crate::dhcp) drop: bool,
    pub(in crate::dhcp) reorder: bool,
    pub(in crate::dhcp) duplicate: bool,
    pub(in crate::dhcp) nak: bool,
    pub(in crate::dhcp) status: Option<u16>,
    pub(in crate::dhcp) no_lease: bool,
    pub(in crate::dhcp) address: Option<IpAddr>,
    pub(in crate::dhcp) truncate: Option<usize>,
    /// The random number and the length of what is sent instead of the answer.
    pub(in crate::dhcp) garbage: Option<(u64, usize)>,
    /// What the transaction id is changed by.
    pub(in crate::dhcp) wrong_xid: u32,
    pub(in crate::dhcp) wrong_server: bool,
}

/// A script at work.
#[derive(Debug)]
pub(in crate::dhcp) struct Rules {
    script: Script,
    /// How many messages each rule has let through.
    counts: Vec<AtomicU64>,
    /// How often each fault was done.
    done: [AtomicU64; FAULTS.len()],
}

impl Rules {
    pub(in crate::dhcp) fn new(script: Script) -> Self {
        let counts = script.rule.iter().map(|_| AtomicU64::new(0)).collect();
        Self { script, counts, done: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// When the standstill ends, if there is one.
    pub(in crate::dhcp) fn stalled_until(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().filter_map(|span| span.end_if_in(now)).max()
    }

    /// When the next standstill begins.
    pub(in crate::dhcp) fn next_stall(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().map(|span| span.begin()).filter(|begin| *begin > now).min()
    }

    /// How often each fault was done, by name.
    pub(in crate::dhcp) fn done(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FAULTS.into_iter().zip(&self.done).map(|(name, done)| (name, done.load(Ordering::Relaxed)))
    }

    /// What goes wrong this time.
    pub(in crate::dhcp) fn faults(&self, facts: &Facts<'_>) -> Faults {
        let mut faults = Faults::default();
        for (number, (rule, count)) in self.script.rule.iter().zip(&self.counts).enumerate() {
            if !rule.concerns(facts) {
                continue;
            }
            let place = count.fetch_add(1, Ordering::Relaxed) + 1;
            let random = script::chance(self.script.seed, number, place);
            if rule.strikes(place, random) {
                self.done[rule.action.number()].fetch_add(1, Ordering::Relaxed);
                faults.take(rule.action, script::mix(random));
            }
        }
        faults
    }
}

impl Rule {
    /// Why the rule can never do what it says, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.every == 0 || self.first == 0 {
            return Err("messages are counted from 1, so every and first must not be 0".to_owned());
        }
        if self.last.is_some_and(|last| last < self.first) {
            return Err("last comes before first".to_owned());
        }
        if !(self.probability > 0.0 && self.probability <= 1.0) {
            return Err("its probability must be above 0 and at most 1".to_owned());
        }
        let families = self.family.map_or(Family::ALL.to_vec(), |family| vec![family]);
        let suits = |act: &Act| families.iter().any(|family| self.action.suits(*family, *act));
        let fault = FAULTS[self.action.number()];
        if let Some(act) = self.on.iter().find(|act| !suits(act)) {
            let act = act.name(self.family.unwrap_or(Family::V4)).to_lowercase();
            return Err(format!("{fault} cannot be done to it; take {act} out of `on`"));
        }
        if !Act::ALL.iter().any(suits) {
            return Err(format!("{fault} cannot be done in that family; leave `family` out"));
        }
        if matches!(self.action, Action::Garbage(bytes) if bytes == 0 || bytes > GARBAGE_MAX) {
            return Err(format!("its number must be from 1 to {GARBAGE_MAX}"));
        }
        if matches!(self.action, Action::Status(0)) {
            return Err("status 0 is success; name another".to_owned());
        }
        Ok(())
    }

    fn concerns(&self, facts: &Facts<'_>) -> bool {
        (self.on.is_empty() || self.on.contains(&facts.act))
            && self.family.is_none_or(|family| family == facts.family)
            && self.action.suits(facts.family, facts.act)
            && self.after.is_none_or(|after| facts.now >= after.0)
            && self.until.is_none_or(|until| facts.now < until.0)
            && self.client.as_ref().is_none_or(|part| contains(facts.client, &part.0))
    }

    /// Whether it does its thing to the message of this number.
    fn strikes(&self, place: u64, random: u64) -> bool {
        place >= self.first
            && self.last.is_none_or(|last| place <= last)
            && place.is_multiple_of(self.every)
            && (random as f64) < self.probability * 2_f64.powi(64)
    }
}

fn contains(octets: &[u8], part: &[u8]) -> bool {
    octets.windows(part.len()).any(|window| window == part)
}

impl Faults {
    fn take(&mut self, action: Action, random: u64) {
        match action {
            Action::Delay(range) => self.delay += range.choose(random),
            Action::Ignore => self.ignore = true,
            Action::Drop => self.drop = true,
            Action::Reorder => self.reorder = true,
            Action::Duplicate => self.duplicate = true,
            Action::Nak => self.nak = true,
            Action::Status(code) => self.status = Some(code),
            Action::NoLease => self.no_lease = true,
            Action::Address(address) => self.address = Some(address),
            Action::Truncate(bytes) => self.truncate = Some(bytes),
            Action::Garbage(bytes) => self.garbage = Some((random, bytes)),
            // The topmost bit of the 24 that both families have, and whichever others.
            Action::WrongXid => self.wrong_xid = (random as u32 & 0x00ff_ffff) | 0x0080_0000,
            Action::WrongServer => self.wrong_server = true,
        }
    }
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

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap())
    }

    const fn discover(client: &[u8], millis: u64) -> Facts<'_> {
        let now = Duration::from_millis(millis);
        Facts { family: Family::V4, act: Act::Discover, client, now }
    }

    #[test]
    fn a_rule_counts_only_what_it_concerns() {
        let rules = rules(
            "[[rule]]\non = ['solicit']\nfamily = 4\nclient = '0c:01'\n\
             first = 4\nlast = 8\nevery = 2\naction = 'drop'",
        );
        let mut dropped = Vec::new();
        for n in 1..=10 {
            assert!(!rules.faults(&discover(&[0xc0, 0x10], 0)).drop);
            let other = Facts { family: Family::V6, ..discover(&[0x0c, 0x01], 0) };
            assert!(!rules.faults(&other).drop);
            if rules.faults(&discover(&[1, 0x0c, 0x01, 2], 0)).drop {
                dropped.push(n);
            }
        }
        assert_eq!(dropped, [4, 6, 8]);
        assert_eq!(rules.done().find(|(name, _)| *name == "drop"), Some(("drop", 3)));
    }

    #[test]
    fn faults_come_where_they_can_be_done() {
        let rules = rules(
            "[[rule]]\naction = 'nak'\n[[rule]]\naction = { status = 2 }\n\
             [[rule]]\naction = { address = '10.0.0.1' }\n[[rule]]\nafter = '10ms'\naction = 'drop'",
        );
        let of = |family, act| rules.faults(&Facts { family, act, ..discover(&[], 0) });
        assert!(of(Family::V4, Act::Reboot).nak && !of(Family::V4, Act::Discover).nak);
        assert!(!of(Family::V6, Act::Request).nak);
        assert_eq!(of(Family::V6, Act::Release).status, Some(2));
        assert_eq!(of(Family::V4, Act::Request).status, None);
        assert!(of(Family::V4, Act::Discover).address.is_some());
        assert!(of(Family::V6, Act::Discover).address.is_none());
        assert!(!rules.faults(&discover(&[], 9)).drop && rules.faults(&discover(&[], 10)).drop);
        assert!(!rules.faults(&Facts { act: Act::Release, ..discover(&[], 10) }).drop);
    }

    #[test]
    fn what_is_random_depends_on_seed_and_number_alone() {
        let struck = |seed: u32| {
            let text = format!("seed = {seed}\n[[rule]]\nprobability = 0.25\naction = 'wrong-xid'");
            let rules = rules(&text);
            (0..4000).map(|_| rules.faults(&discover(&[], 0)).wrong_xid).collect::<Vec<_>>()
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
        let count = struck(1).iter().filter(|xid| **xid != 0).count();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&count), "{count}");
    }

    #[test]
    fn scripts_that_cannot_work_say_where_and_why() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\naction = 'drop'\nwhen = 3", "unknown field `when`"),
            ("[[rule]]\non = ['discover']", "missing field `action`"),
            ("[[rule]]\nfamily = 5\naction = 'drop'", "4 or 6"),
            ("[[rule]]\nclient = '0'\naction = 'drop'", "hexadecimal"),
            ("[[rule]]\naction = 'drop'\n[[rule]]\nevery = 0\naction = 'drop'", "rule 2"),
            ("[[rule]]\nfirst = 5\nlast = 4\naction = 'drop'", "last comes before first"),
            ("[[rule]]\nprobability = 1.5\naction = 'drop'", "probability"),
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

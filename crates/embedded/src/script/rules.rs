//! Rules: which requests they select, and how often.
//!
//! Everything that does not depend on a protocol is here. A protocol adds the keys by which its requests are
//! distinguished and the actions on them: see `rule!` and [`Rule`].

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::capacity::{Line, Served};
use super::period::Period;
use super::{Script, Span, chance, mix};

/// A rule of one protocol. `rule!` declares the type.
pub trait Rule: Keys {
    /// The facts about a request that rules select by.
    type Facts<'a>;
    /// The combined effect of several rules' actions on one request.
    type Faults: Default;

    /// Why a rule can never apply.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Refuses a rule that can never apply.
    fn check(&self) -> Result<(), Self::Error>;

    /// Whether the protocol's own keys select a request.
    fn selects(&self, facts: &Self::Facts<'_>) -> bool;

    /// The name of its action.
    fn action(&self) -> &'static str;

    /// Whether a request waits in the server's queue, if it has one ([`Capacity`](super::capacity::Capacity)).
    fn is_served(facts: &Self::Facts<'_>) -> bool {
        let _ = facts;
        true
    }

    /// Holds the answer back for the time in the queue.
    fn hold(faults: &mut Self::Faults, time: Duration);

    /// Makes the server refuse the request, because the queue is full.
    fn refuse(faults: &mut Self::Faults);

    /// Adds its action to the faults of a request.
    fn apply(&self, random: u64, faults: &mut Self::Faults);
}

/// The keys that the rules of all protocols have.
pub trait Keys: Clone + Debug + DeserializeOwned {
    /// When and how often the rule applies.
    fn frequency(&self) -> Frequency;
}

/// When and how often a rule applies.
#[derive(Clone, Copy, Debug)]
pub struct Frequency {
    /// The first request, counted from 1.
    pub first: u64,
    /// The last one.
    pub last: Option<u64>,
    /// Of these, only those whose number is a multiple of this.
    pub every: u64,
    /// Of these, this fraction at random.
    pub probability: f64,
    /// Not before this time.
    pub after: Option<Period>,
    /// Before this time only.
    pub until: Option<Period>,
}

/// Declares `Rule`, the rule of a protocol: the keys that all rules have, the protocol's own keys, and its action.
///
/// A macro because serde's `flatten` would lose the line number of an error and the list of valid keys.
#[macro_export]
macro_rules! rule {
    ($action:ty { $($(#[$meta:meta])* $key:ident: $type:ty,)* }) => {
        /// Which requests, when, and what is done to them.
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(in super::super) struct Rule {
            $($(#[$meta])* $key: $type,)*
            /// The first request it applies to, counted from 1 among those that the other keys select.
            #[serde(default = "brunt_embedded::script::rules::one")]
            first: u64,
            /// The last one.
            last: Option<u64>,
            /// Of these, only those whose number is a multiple of this.
            #[serde(default = "brunt_embedded::script::rules::one")]
            every: u64,
            /// Of these, this fraction at random.
            #[serde(default = "brunt_embedded::script::rules::certain")]
            probability: f64,
            /// Not before this time.
            after: Option<$crate::script::period::Period>,
            /// Before this time only.
            until: Option<$crate::script::period::Period>,
            action: $action,
        }

        impl $crate::script::rules::Keys for Rule {
            fn frequency(&self) -> $crate::script::rules::Frequency {
                let Self { first, last, every, probability, after, until, .. } = *self;
                $crate::script::rules::Frequency { first, last, every, probability, after, until }
            }
        }
    };
}

/// By default: from the first request, each one.
pub const fn one() -> u64 {
    1
}

/// The probability of a rule that names none.
pub const fn certain() -> f64 {
    1.0
}

/// The state of a script: its rules with their counters.
#[derive(Debug)]
pub struct Rules<R> {
    script: Script<R>,
    counts: Vec<Count>,
    line: Option<Line>,
}

/// The counters of a rule.
#[derive(Debug, Default)]
struct Count {
    /// How many requests it has selected.
    selected: AtomicU64,
    /// How many of them its action was applied to.
    done: AtomicU64,
}

impl<R: Rule> Rules<R> {
    /// Rules of which none has been applied yet.
    pub fn new(script: Script<R>) -> Self {
        let counts = script.rule.iter().map(|_| Count::default()).collect();
        let line = script.capacity.clone().map(|capacity| Line::new(capacity, script.seed));
        Self { script, counts, line }
    }

    /// When the current stall ends, if there is one.
    pub fn stalled_until(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().filter_map(|span| span.end_if_in(now)).max()
    }

    /// When the next stall begins.
    pub fn next_stall(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().map(|span| span.begin()).filter(|begin| *begin > now).min()
    }

    /// When the server does not listen.
    pub fn refusals(&self) -> &[Span] {
        &self.script.refuse
    }

    /// Whether the server does not listen now.
    pub fn refuses(&self, now: Duration) -> bool {
        self.script.refuse.iter().any(|span| span.end_if_in(now).is_some())
    }

    /// How often each action of the script was done, by name, in the order of the rules. Actions that were never done
    /// are left out.
    pub fn done(&self) -> Vec<(&'static str, u64)> {
        let mut done: Vec<(&'static str, u64)> = Vec::new();
        for (rule, count) in self.script.rule.iter().zip(&self.counts) {
            let more = count.done.load(Ordering::Relaxed);
            if more == 0 {
                continue;
            }
            match done.iter_mut().find(|(name, _)| *name == rule.action()) {
                Some((_, count)) => *count += more,
                None => done.push((rule.action(), more)),
            }
        }
        let refused = self.line.as_ref().map_or(0, Line::refused);
        done.extend((refused > 0).then_some(("no room", refused)));
        done
    }

    /// The faults of a request that arrived at `now`.
    pub fn faults(&self, facts: &R::Facts<'_>, now: Duration) -> R::Faults {
        let mut faults = R::Faults::default();
        match self.line.as_ref().filter(|_| R::is_served(facts)).map(|line| line.serve(now)) {
            Some(Served::After(time)) => R::hold(&mut faults, time),
            Some(Served::Refused) => R::refuse(&mut faults),
            None => {}
        }
        for (index, (rule, count)) in self.script.rule.iter().zip(&self.counts).enumerate() {
            let frequency = rule.frequency();
            if !frequency.includes(now) || !rule.selects(facts) {
                continue;
            }
            let number = count.selected.fetch_add(1, Ordering::Relaxed) + 1;
            let random = chance(self.script.seed, index, number);
            if frequency.applies(number, random) {
                count.done.fetch_add(1, Ordering::Relaxed);
                // This number differs from the one that decided, so that the two are independent.
                rule.apply(mix(random), &mut faults);
            }
        }
        faults
    }
}

/// Why a rule would never be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrequencyError {
    /// There is no request 0.
    #[error("requests are counted from 1, so every and first must not be 0")]
    Zero,
    /// The range is empty.
    #[error("last comes before first")]
    Order,
    /// It is no probability, or never happens.
    #[error("its probability must be above 0 and at most 1")]
    Probability,
}

impl Frequency {
    /// Refuses a frequency that never applies.
    pub fn check(self) -> Result<(), FrequencyError> {
        if self.every == 0 || self.first == 0 {
            return Err(FrequencyError::Zero);
        }
        if self.last.is_some_and(|last| last < self.first) {
            return Err(FrequencyError::Order);
        }
        if !(self.probability > 0.0 && self.probability <= 1.0) {
            return Err(FrequencyError::Probability);
        }
        Ok(())
    }

    fn includes(self, now: Duration) -> bool {
        self.after.is_none_or(|after| now >= after.0)
            && self.until.is_none_or(|until| now < until.0)
    }

    /// Whether the action is done to the selected request of this number.
    fn applies(self, number: u64, random: u64) -> bool {
        number >= self.first
            && self.last.is_none_or(|last| number <= last)
            && number.is_multiple_of(self.every)
            && (random as f64) < self.probability * 2_f64.powi(64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of a protocol whose requests are words.
    mod word {
        use crate::script::rules;
        use std::io;
        use std::time::Duration;

        rule!(String {
            #[serde(default)]
            on: String,
        });

        impl rules::Rule for Rule {
            type Facts<'a> = &'a str;
            type Faults = Vec<(String, u64)>;
            type Error = io::Error;

            fn check(&self) -> Result<(), io::Error> {
                let named = !self.action.is_empty();
                named.then_some(()).ok_or_else(|| io::Error::other("its action has no name"))
            }

            fn selects(&self, facts: &&str) -> bool {
                self.on.is_empty() || self.on == *facts
            }

            fn action(&self) -> &'static str {
                if self.action == "drop" { "drop" } else { "other" }
            }

            fn hold(faults: &mut Self::Faults, time: Duration) {
                faults.push((format!("{time:?}"), 0));
            }

            fn refuse(faults: &mut Self::Faults) {
                faults.push(("refused".to_owned(), 0));
            }

            fn apply(&self, random: u64, faults: &mut Self::Faults) {
                faults.push((self.action.clone(), random));
            }
        }
    }

    fn rules(text: &str) -> Rules<word::Rule> {
        Rules::new(Script::parse(text).unwrap())
    }

    const START: Duration = Duration::ZERO;

    #[test]
    fn rule_counts_only_what_it_selects() {
        let rules = rules(
            "[[rule]]\non = 'search'\nfirst = 4\nlast = 8\nevery = 2\naction = 'drop'\n\
             [[rule]]\non = 'bind'\nevery = 5\naction = 'drop'\n[[rule]]\nfirst = 20\naction = 'reset'",
        );
        let mut dropped = Vec::new();
        for n in 1..=10 {
            if !rules.faults(&"search", START).is_empty() {
                dropped.push(n);
            }
            assert_eq!(rules.faults(&"bind", START).is_empty(), n % 5 != 0, "{n}");
        }
        // The third rule applies only to the last bind, which is its 20th request.
        assert_eq!(dropped, [4, 6, 8]);
        assert_eq!(rules.done(), [("drop", 5), ("other", 1)]);
    }

    #[test]
    fn rule_applies_after_the_capacity() {
        let rules =
            rules("[capacity]\nrate = 100\nqueue = 1\n[[rule]]\nevery = 2\naction = 'drop'");
        let names =
            |faults: Vec<(String, u64)>| faults.into_iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(names(rules.faults(&"", START)), ["10ms"]);
        assert_eq!(names(rules.faults(&"", START)), ["refused", "drop"]);
        assert_eq!(rules.done(), [("drop", 1), ("no room", 1)]);
    }

    #[test]
    fn rule_times_stalls_and_refusals_are_kept() {
        let rules = rules(
            "[[rule]]\nafter = '10ms'\nuntil = '20ms'\naction = 'drop'\n\
             [[stall]]\nat = '1s'\nlasts = '2s'\n[[refuse]]\nat = '5s'\nlasts = '1s'",
        );
        let dropped = |millis| !rules.faults(&"", Duration::from_millis(millis)).is_empty();
        assert_eq!([9, 10, 19, 20].map(dropped), [false, true, true, false]);
        let second = Duration::from_secs;
        assert_eq!(
            [0, 1, 2, 3].map(|s| rules.stalled_until(second(s))),
            [None, Some(second(3)), Some(second(3)), None]
        );
        assert_eq!([0, 1].map(|s| rules.next_stall(second(s))), [Some(second(1)), None]);
        assert_eq!([4, 5, 6].map(|s| rules.refuses(second(s))), [false, true, false]);
        assert_eq!(rules.refusals()[0].end_if_in(second(5)), Some(second(6)));
    }

    #[test]
    fn rule_randomness_depends_on_seed_and_number() {
        let faults = |seed: u32| {
            let text = format!("seed = {seed}\n[[rule]]\nprobability = 0.25\naction = 'drop'");
            let rules = rules(&text);
            (0..4000).map(|_| rules.faults(&"", START)).collect::<Vec<_>>()
        };
        assert_eq!(faults(1), faults(1));
        assert_ne!(faults(1), faults(2));
        let randoms: Vec<u64> = faults(1).into_iter().flatten().map(|(_, random)| random).collect();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&randoms.len()), "{}", randoms.len());
        // The number for the action differs from the one that chose one in four.
        let high = randoms.iter().filter(|random| **random > u64::MAX / 2).count();
        assert!((randoms.len() * 2 / 5..randoms.len() * 3 / 5).contains(&high), "{high}");
    }

    #[test]
    fn rule_errors_name_line_and_reason() {
        for (text, expected) in [
            ("[[rule]]\naction = 'drop'\nwhen = 3", "unknown field `when`"),
            ("[[rule]]\naction = 'drop'\nwhen = 3", "line 3"),
            ("[[rule]]\non = 'bind'", "missing field `action`"),
            ("[[rule]]\naction = 'drop'\nafter = '5'", "is not a time"),
            ("[[rule]]\naction = 'drop'\n[[rule]]\nevery = 0\naction = 'drop'", "rule 2"),
            ("[[rule]]\nfirst = 5\nlast = 4\naction = 'drop'", "last comes before first"),
            ("[[rule]]\nprobability = 0\naction = 'drop'", "above 0 and at most 1"),
            ("[[rule]]\nprobability = 1.5\naction = 'drop'", "above 0 and at most 1"),
            ("[[rule]]\naction = ''", "has no name"),
            ("[[stop]]\nat = '1s'", "unknown field `stop`"),
        ] {
            let error = Script::<word::Rule>::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }
}

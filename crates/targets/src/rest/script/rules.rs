//! Which rules concern a request, and what they do to it together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;

use super::Script;
use super::action::{Action, FAULTS};
use crate::script::period::Period;
use crate::script::{self, Span};

/// When, and what.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Any method, if it is empty.
    #[serde(default)]
    method: Vec<String>,
    /// A pattern of the path, without the query, in which a star is any text.
    path: Option<String>,
    /// The numbers of the connections, counted from 1; any if it is empty.
    #[serde(default)]
    connection: Vec<u64>,
    /// The first request to suffer, counted from 1 among those that the conditions above let through.
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

const fn one() -> u64 {
    1
}

const fn certain() -> f64 {
    1.0
}

/// What is known of a request.
#[derive(Clone, Copy, Debug)]
pub(in crate::rest) struct Facts<'a> {
    pub(in crate::rest) method: &'a str,
    pub(in crate::rest) path: &'a str,
    pub(in crate::rest) connection: u64,
    pub(in crate::rest) now: Duration,
}

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::rest) struct Faults {
    pub(in crate::rest) delay: Duration,
    pub(in crate::rest) status: Option<u16>,
    /// What is done to the answer, with a random number; of several rules the last has it.
    pub(in crate::rest) done: Option<(Action, u64)>,
}

/// A script at work.
#[derive(Debug)]
pub(in crate::rest) struct Rules {
    script: Script,
    /// How many requests each rule has let through.
    counts: Vec<AtomicU64>,
    /// How often each fault was done.
    done: [AtomicU64; FAULTS.len()],
}

impl Rules {
    pub(in crate::rest) fn new(script: Script) -> Self {
        let counts = script.rule.iter().map(|_| AtomicU64::new(0)).collect();
        Self { script, counts, done: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// When the standstill ends, if there is one.
    pub(in crate::rest) fn stalled_until(&self, now: Duration) -> Option<Duration> {
        self.script.stall.iter().filter_map(|span| span.end_if_in(now)).max()
    }

    /// When nobody listens.
    pub(in crate::rest) fn refusals(&self) -> &[Span] {
        &self.script.refuse
    }

    /// How often each fault was done, by name.
    pub(in crate::rest) fn done(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FAULTS.into_iter().zip(&self.done).map(|(name, done)| (name, done.load(Ordering::Relaxed)))
    }

    /// What goes wrong this time.
    pub(in crate::rest) fn faults(&self, facts: &Facts<'_>) -> Faults {
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
            return Err("requests are counted from 1, so every and first must not be 0".to_owned());
        }
        if self.last.is_some_and(|last| last < self.first) {
            return Err("last comes before first".to_owned());
        }
        if !(self.probability > 0.0 && self.probability <= 1.0) {
            return Err("its probability must be above 0 and at most 1".to_owned());
        }
        if self.path.as_ref().is_some_and(|path| !path.starts_with(['/', '*'])) {
            return Err("its path begins with neither a slash nor a star".to_owned());
        }
        self.action.check()
    }

    fn concerns(&self, facts: &Facts<'_>) -> bool {
        (self.method.is_empty() || self.method.iter().any(|method| method == facts.method))
            && self.path.as_ref().is_none_or(|path| fits(path, facts.path))
            && (self.connection.is_empty() || self.connection.contains(&facts.connection))
            && self.after.is_none_or(|after| facts.now >= after.0)
            && self.until.is_none_or(|until| facts.now < until.0)
    }

    /// Whether it does its thing to the request of this number.
    fn strikes(&self, place: u64, random: u64) -> bool {
        place >= self.first
            && self.last.is_none_or(|last| place <= last)
            && place.is_multiple_of(self.every)
            && (random as f64) < self.probability * 2_f64.powi(64)
    }
}

/// Whether a text is of a pattern in which a star is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    // The first place where a part fits leaves the most for those behind it.
    while let Some((part, behind)) = rest.split_once('*') {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
        rest = behind;
    }
    text.ends_with(rest)
}

impl Faults {
    fn take(&mut self, action: Action, random: u64) {
        match action {
            Action::Delay(range) => self.delay += range.choose(random),
            Action::Status(status) => self.status = Some(status),
            action => self.done = Some((action, random)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap())
    }

    const fn at(path: &str, millis: u64) -> Facts<'_> {
        Facts { method: "GET", path, connection: 2, now: Duration::from_millis(millis) }
    }

    #[test]
    fn a_rule_counts_only_what_it_concerns() {
        let rules = rules(
            "[[rule]]\nmethod = ['GET']\npath = '/users/*'\nconnection = [2]\n\
             first = 4\nlast = 8\nevery = 2\naction = { status = 503 }",
        );
        let mut struck = Vec::new();
        for n in 1..=10 {
            assert!(rules.faults(&at("/user", 0)).status.is_none());
            assert!(rules.faults(&Facts { method: "PUT", ..at("/users/1", 0) }).status.is_none());
            assert!(rules.faults(&Facts { connection: 1, ..at("/users/1", 0) }).status.is_none());
            if rules.faults(&at("/users/1", 0)).status == Some(503) {
                struck.push(n);
            }
        }
        assert_eq!(struck, [4, 6, 8]);
        assert_eq!(rules.done().find(|(name, _)| *name == "status"), Some(("status", 3)));
    }

    #[test]
    fn delays_add_up_and_of_deeds_the_last_counts() {
        let rules = rules(
            "[[rule]]\naction = { delay = '2ms' }\n[[rule]]\naction = { delay = '3ms' }\n\
             [[rule]]\naction = 'drop'\n[[rule]]\nafter = '10ms'\nuntil = '20ms'\naction = 'reset'\n\
             [[stall]]\nat = '1s'\nlasts = '2s'",
        );
        let faults = rules.faults(&at("/", 9));
        assert_eq!(faults.delay, Duration::from_millis(5));
        assert!(matches!(faults.done, Some((Action::Drop, _))));
        assert!(matches!(rules.faults(&at("/", 10)).done, Some((Action::Reset, _))));
        assert!(matches!(rules.faults(&at("/", 20)).done, Some((Action::Drop, _))));
        let second = Duration::from_secs;
        assert_eq!(
            [0, 1, 2, 3].map(|s| rules.stalled_until(second(s))),
            [None, Some(second(3)), Some(second(3)), None]
        );
    }

    #[test]
    fn what_is_random_depends_on_seed_and_number_alone() {
        let struck = |seed: u32| {
            let text =
                format!("seed = {seed}\n[[rule]]\nprobability = 0.25\naction = {{ status = 500 }}");
            let rules = rules(&text);
            (0..4000).map(|_| rules.faults(&at("/", 0)).status.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
        let count = struck(1).iter().filter(|struck| **struck).count();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&count), "{count}");
    }

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, expected) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a/*", "/a/", true),
            ("/a/*", "/a/b/c", true),
            ("/a/*", "/a", false),
            ("*/users/*.7", "/api/users/user.7", true),
            ("*/users/*.7", "/api/users/user.70", false),
            ("/a*a", "/a", false),
            ("/a*b*c", "/abcbc", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn scripts_that_cannot_work_say_where_and_why() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\naction = 'drop'\nwhen = 3", "unknown field `when`"),
            ("[[rule]]\nmethod = ['GET']", "missing field `action`"),
            ("[[rule]]\naction = { delay = '5' }", "is not a time"),
            ("[[rule]]\naction = 'drop'\n[[rule]]\nevery = 0\naction = 'drop'", "rule 2"),
            ("[[rule]]\nfirst = 5\nlast = 4\naction = 'drop'", "last comes before first"),
            ("[[rule]]\nprobability = 2\naction = 'drop'", "above 0 and at most 1"),
            ("[[rule]]\npath = 'users'\naction = 'drop'", "neither a slash nor a star"),
            ("[[rule]]\naction = { status = 101 }", "from 200 to 599"),
            ("[[rule]]\naction = { interim = 101 }", "not 101"),
            ("[[rule]]\naction = { wrong-length = 0 }", "must differ"),
            ("[[rule]]\naction = { garbage = 0 }", "from 1 to"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }
}

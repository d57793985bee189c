//! [`AbortRule`]: a condition that ends a run, as `errors>50% for 10s`, and [`AbortWatch`], which looks for it.
//!
//! A condition is written like an objective and means the opposite: an objective must hold, a condition must not
//! persist. It is checked against each interval separately, merged over all workers, and must hold in every interval
//! for its stated time. An interval in which no exchange ended gives no information: it neither starts nor ends this
//! time. Locked accounts stay locked, so they are counted over the whole run. The rule must not depend on how a run
//! ends.

use crate::slo::Lockouts;
use crate::{Catalogue, Cause, Interval, Phase, Reach, Slo, SloError};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What the word `locked` without a comparison stands for.
const LOCKED: &str = "locked>0";

/// A condition that ends a run.
#[derive(Clone, Debug, PartialEq)]
pub struct AbortRule {
    text: String,
    condition: Slo,
    lasting: Duration,
}

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AbortError {
    /// It is not an expression like an objective.
    #[error(transparent)]
    Condition(#[from] SloError),
    /// What follows `for` is not a time.
    #[error(
        "read the condition {0:?}: write how long it must hold as 'for 10s', 'for 500ms' or 'for 1m'"
    )]
    Lasting(String),
}

impl FromStr for AbortRule {
    type Err = AbortError;

    fn from_str(text: &str) -> Result<Self, AbortError> {
        let text = text.trim();
        let (condition, lasting) = match text.rsplit_once(" for ") {
            None => (text, Duration::ZERO),
            Some((condition, time)) => {
                let wrong = || AbortError::Lasting(text.to_owned());
                (condition, brunt_exchange::duration(time.trim()).ok_or_else(wrong)?)
            }
        };
        let condition = if condition.trim() == "locked" { LOCKED } else { condition };
        Ok(Self { text: text.to_owned(), condition: condition.parse()?, lasting })
    }
}

impl fmt::Display for AbortRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl AbortRule {
    /// Checks that the condition applies to a run that measures operations and spans of these names.
    pub fn check<'a>(
        &self,
        operations: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), AbortError> {
        Ok(self.condition.check(operations)?)
    }

    /// How many accounts may be found locked before the condition ends the run, if the condition is about this number.
    pub fn locked_tolerated(&self) -> Option<u64> {
        self.condition.locked_tolerated()
    }
}

/// A condition that has held for its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbortFound {
    /// The condition.
    pub condition: String,
    /// What was found, in words.
    pub found: String,
}

impl fmt::Display for AbortFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.condition, self.found)
    }
}

impl AbortFound {
    /// The end of a run so many seconds after it began.
    pub fn cause(&self, after_s: f64) -> Cause {
        let Self { condition, found } = self.clone();
        Cause::AbortCondition { condition, found, after_s }
    }
}

/// Looks at each interval of a run for the conditions that end it.
#[derive(Clone, Debug)]
pub struct AbortWatch {
    rules: Vec<Watched>,
    /// The names of the operations, followed by those of the spans.
    names: Vec<String>,
    /// The usual length of an interval.
    usual: Duration,
}

#[derive(Clone, Debug)]
struct Watched {
    rule: AbortRule,
    /// How long the condition has held: the sum of the lengths of these intervals.
    held: Duration,
    lockouts: Lockouts,
}

impl AbortWatch {
    /// Watches a run with this catalogue and intervals of this length.
    pub fn new(rules: &[AbortRule], catalogue: &Catalogue, interval: Duration) -> Self {
        let watched = |rule: &AbortRule| Watched {
            rule: rule.clone(),
            held: Duration::ZERO,
            lockouts: Lockouts::default(),
        };
        Self {
            rules: rules.iter().map(watched).collect(),
            names: catalogue.measured().map(str::to_owned).collect(),
            usual: interval,
        }
    }

    /// Takes in an interval. Returns the condition that has held for its time, if there is one.
    pub fn poll(&mut self, interval: &Interval) -> Option<AbortFound> {
        if interval.phase == Phase::Drain {
            return None;
        }
        // A piece between two phases is too short for a rate or a share.
        let piece = interval.lasted() * 2 < self.usual;
        let half = self.usual / 2;
        let names = &self.names;
        self.rules.iter_mut().find_map(|watched| watched.poll(interval, names, piece, half))
    }
}

impl Watched {
    fn poll(
        &mut self,
        interval: &Interval,
        names: &[String],
        piece: bool,
        tolerance: Duration,
    ) -> Option<AbortFound> {
        let condition = &self.rule.condition;
        let figure = if condition.is_of_locked() {
            let found = condition.lockouts(interval, names);
            self.lockouts.locked += found.locked;
            self.lockouts.ended += found.ended;
            condition.of_lockouts(self.lockouts)
        } else if piece {
            None
        } else {
            condition.measured_in(interval, names)
        };
        let holds = figure.map(|figure| condition.holds_of(figure));
        match holds {
            Some(false) => self.held = Duration::ZERO,
            None if self.held.is_zero() => {}
            Some(true) | None => self.held += interval.lasted(),
        }
        let long_enough = self.held + tolerance >= self.rule.lasting;
        let figure = figure.filter(|_| holds == Some(true) && long_enough)?;
        Some(AbortFound { condition: self.rule.to_string(), found: self.words(figure) })
    }

    fn words(&self, figure: Reach) -> String {
        let condition = &self.rule.condition;
        let shown = condition.shown(figure);
        if condition.is_of_locked() {
            return format!(
                "the target refused {} of {} logins because accounts are locked or disabled, their passwords \
                 expired, or the same account was refused twice in a row",
                self.lockouts.locked, self.lockouts.ended
            );
        }
        format!("in the last interval it was {shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ending, Head, Measured, Own, Plan, Tool, run_id};
    use brunt_exchange::{Class, Moment, Named, Outcome, Stamps};
    use proptest::prelude::*;

    fn operations() -> Vec<String> {
        ["bind", "search"].map(str::to_owned).into()
    }

    fn second(index: u64, ended: &[(u16, Outcome, u64)], dropped: u64) -> Interval {
        let mut interval = Interval::new(2, 0);
        interval.reset(index, Phase::Steady, Duration::from_secs(index));
        interval.to = Duration::from_secs(index + 1);
        for (operation, outcome, millis) in ended {
            interval.plan();
            let at = |millis: u64| Moment::from_nanos(millis * 1_000_000);
            let stamps = Stamps { due: at(0), free: at(0), sent: at(0), ended: at(*millis) };
            interval.record(*operation, *outcome, &stamps, 0, Own::default());
        }
        for _ in 0..dropped {
            interval.plan();
            interval.drop_after(Duration::from_millis(3), false);
        }
        interval
    }

    fn watch(rule: &str) -> AbortWatch {
        let catalogue = Catalogue::new(operations(), Vec::new()).with_spans(["login"]);
        AbortWatch::new(&[rule.parse().unwrap()], &catalogue, Duration::from_secs(1))
    }

    /// The index of the interval at which a condition ended the run.
    fn ended_at(rule: &str, intervals: &[Interval]) -> Option<usize> {
        let mut watch = watch(rule);
        intervals.iter().position(|interval| watch.poll(interval).is_some())
    }

    const OK: Outcome = Outcome::Ok(0);
    const REFUSED: Outcome = Outcome::Failed(Class::Result, 49);

    #[test]
    fn condition_must_hold_in_every_interval_of_its_duration() {
        let bad = |index| second(index, &[(0, REFUSED, 1), (0, REFUSED, 1), (0, OK, 1)], 0);
        let good = |index| second(index, &[(0, OK, 1), (0, OK, 1), (0, REFUSED, 1)], 0);
        let silent = |index| second(index, &[], 0);
        let run = [bad(0), bad(1), good(2), bad(3), silent(4), bad(5), bad(6)];
        assert_eq!(ended_at("errors>50%", &run), Some(0));
        assert_eq!(ended_at("errors>50% for 2s", &run), Some(1));
        assert_eq!(
            ended_at("errors>50% for 3s", &run),
            Some(5),
            "silence neither begins nor ends it"
        );
        assert_eq!(ended_at("errors>50% for 5s", &run), None);
        assert_eq!(ended_at("search.errors>50%", &run), None, "there was no search");
        assert_eq!(ended_at("bind.errors>=2 for 2s", &run), Some(1));
        let words = watch("errors>50%").poll(&bad(0)).unwrap().to_string();
        assert!(words.contains("errors>50%") && words.contains("66.7%"), "{words}");
    }

    #[test]
    fn condition_on_latency_and_drops_sees_hung_and_slow_targets() {
        let slow = second(0, &[(0, OK, 1_500), (0, OK, 2)], 0);
        assert_eq!(ended_at("p99>1s", std::slice::from_ref(&slow)), Some(0));
        assert_eq!(ended_at("p50>1s", std::slice::from_ref(&slow)), None);
        assert_eq!(ended_at("search.p99>1s", std::slice::from_ref(&slow)), None);
        let mut hung = second(0, &[], 0);
        hung.planned = 100;
        assert_eq!(ended_at("goodput<10/s", &[hung.clone()]), Some(0));
        assert_eq!(ended_at("achieved<50%", &[hung]), Some(0));
        let timed_out = second(0, &[(0, Outcome::TimedOut, 50)], 0);
        assert_eq!(ended_at("p99>1s", &[timed_out]), Some(0), "what has no answer takes for ever");
        assert_eq!(ended_at("dropped>0", &[second(0, &[(0, OK, 1)], 1)]), Some(0));
    }

    #[test]
    fn condition_on_a_span_ignores_other_operations() {
        let with_spans = |failed: u64| {
            let mut interval = second(0, &[(0, OK, 1), (1, OK, 1)], 3);
            for number in 0..10 {
                let outcome = if number < failed { REFUSED } else { OK };
                interval.span(0, outcome, Duration::from_millis(700));
            }
            interval
        };
        assert_eq!(ended_at("login.errors>=5", &[with_spans(4), with_spans(5)]), Some(1));
        assert_eq!(ended_at("login.p50>600ms", &[with_spans(0)]), Some(0));
        assert_eq!(ended_at("login.count>10", &[with_spans(0)]), None);
        // No failure of a span is a failure of an exchange, and nothing that was dropped is of a span.
        assert_eq!(ended_at("login.errors>0", &[with_spans(0)]), None);
        assert_eq!(ended_at("errors>3", &[with_spans(10)]), None);
        assert_eq!(ended_at("count>2", &[with_spans(10)]), None);
    }

    #[test]
    fn condition_locked_counts_accounts_over_the_whole_run() {
        let locked = Outcome::Failed(Class::Locked, 49);
        let run: Vec<Interval> =
            (0..4).map(|at| second(at, &[(0, locked, 1), (0, OK, 1)], 0)).collect();
        assert_eq!(ended_at("locked", &run), Some(0));
        assert_eq!(ended_at("locked>2", &run), Some(2));
        assert_eq!(ended_at("search.locked>0", &run), None);
        assert_eq!(
            ended_at("locked", &[second(0, &[(0, REFUSED, 1)], 0)]),
            None,
            "a wrong password"
        );
        let words = watch("locked").poll(&run[0]).unwrap().to_string();
        assert!(words.contains("1 of 2 logins"), "{words}");
    }

    #[test]
    fn condition_ignores_partial_intervals_and_the_drain() {
        let mut piece = second(0, &[(0, REFUSED, 1)], 0);
        piece.to = Duration::from_millis(100);
        let mut drain = second(1, &[(0, REFUSED, 1)], 0);
        drain.phase = Phase::Drain;
        assert_eq!(ended_at("errors>0%", &[piece, drain]), None);
    }

    #[test]
    fn condition_that_is_invalid_is_refused_with_an_example() {
        for wrong in ["", "errors", "errors>50% for", "errors>50% for soon", "speed>3", "locked>1s"]
        {
            let error = wrong.parse::<AbortRule>().unwrap_err().to_string();
            assert!(error.starts_with("read the "), "{wrong}: {error}");
        }
        let rule: AbortRule = " bind.errors > 5% for 1m30s ".parse().unwrap();
        assert_eq!(rule.to_string(), "bind.errors > 5% for 1m30s");
        for (text, tolerated) in [
            ("locked", Some(0)),
            ("locked>=5", Some(4)),
            ("locked>5", Some(5)),
            ("locked>1%", None),
            ("errors>5", None),
        ] {
            assert_eq!(text.parse::<AbortRule>().unwrap().locked_tolerated(), tolerated, "{text}");
        }
        assert!(rule.check(["search"]).is_err() && rule.check(["bind"]).is_ok());
    }

    fn run() -> impl Strategy<Value = Vec<(u16, Outcome, u64)>> {
        let outcome = prop_oneof![
            4 => Just(OK),
            1 => Just(REFUSED),
            1 => Just(Outcome::TimedOut),
            1 => Just(Outcome::Failed(Class::Locked, 49)),
        ];
        prop::collection::vec((0u16..2, outcome, 1u64..4_000), 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// A run of one interval has a record, and the same expression has the same outcome there.
        #[test]
        fn condition_judges_an_interval_like_its_record(ended in run(), dropped in 0u64..3) {
            let interval = second(0, &ended, dropped);
            let mut measured = Measured::default();
            measured.absorb(&interval);
            let tool = Tool { name: "brunt".to_owned(), version: "0".to_owned() };
            let catalogue = Catalogue::new(["bind", "search"], []);
            let started = jiff::Timestamp::UNIX_EPOCH;
            let head = Head::new(run_id(), started, tool, Plan::open(10.0, 1, 9), catalogue);
            let names = |_: usize, _: Outcome| Named::default();
            let ending = Ending::so_far(&measured.totals);
            let record = measured.conclusion(head, &names, ending).record().unwrap();
            let answered = record.operations.iter().any(|operation| operation.counts.ok > 0);
            for text in [
                "errors>20%", "errors>3", "timeouts>10%", "ok<70%", "dropped>0", "locked>0", "locked>10%",
                "p50>1s", "p90>2s", "ok.p90>2s", "mean>1s", "max>3s", "service.p50>1s", "count>10",
                "goodput<10/s", "achieved<12/s", "offered>10/s",
            ] {
                let slo: Slo = text.parse().unwrap();
                let in_record = slo.evaluate(&record).unwrap();
                let here = slo.measured_in(&interval, &operations());
                let times = text.starts_with('p') || text.contains(".p") || text.starts_with('m');
                if times && !answered {
                    continue;
                }
                let holds = here.is_some_and(|figure| slo.holds_of(figure));
                prop_assert_eq!(holds, in_record.outcome == crate::SloOutcome::Met, "{} {:?}", text, here);
            }
        }
    }
}

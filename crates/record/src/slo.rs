//! Objectives: what a run must reach for its exit code to be good, as `bind.p99<20ms`.
//!
//! An expression is `[operation.]figure comparison value`. The unit decides what a figure is
//! compared as, so `errors<0.1%` and `errors<10` both say what they look like. A figure that was
//! not measured meets no objective: an empty run must not pass.

use crate::{Counts, Histogram, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A parsed objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    text: String,
    operation: Option<String>,
    figure: Figure,
    comparison: Comparison,
    value: f64,
    unit: Unit,
}

/// What became of an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SloResult {
    /// The objective as it was given.
    pub expr: String,
    /// What was measured, in the unit of the objective; null if nothing was.
    pub value: Option<f64>,
    /// The unit of the value: `us`, `ms`, `s`, `%`, `/s` or empty for a count.
    pub unit: String,
    /// True if the objective was met.
    pub ok: bool,
}

/// Why an objective is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SloError {
    /// There is no comparison in it.
    #[error(
        "read the objective {0:?}: it compares nothing; write one like bind.p99<20ms, with < <= > >= or =="
    )]
    Comparison(String),
    /// The figure is not known.
    #[error(
        "read the objective {text:?}: there is no figure {figure:?}; there are pN (as p99.9), mean, min, max, \
         service.pN, response.pN, lag.pN, lateness.pN, errors, timeouts, dropped, ok, count, achieved, goodput, \
         offered"
    )]
    Figure {
        /// The objective.
        text: String,
        /// What was not understood of it.
        figure: String,
    },
    /// The value is not a number.
    #[error(
        "read the objective {text:?}: {value:?} is not a number with one of the units us, ms, s, % and /s"
    )]
    Value {
        /// The objective.
        text: String,
        /// What was not understood of it.
        value: String,
    },
    /// The unit does not fit the figure.
    #[error("read the objective {text:?}: {figure} is compared with a value in {expected}")]
    Unit {
        /// The objective.
        text: String,
        /// The figure.
        figure: String,
        /// The units that fit.
        expected: &'static str,
    },
    /// The operation is not in the run.
    #[error("read the objective {text:?}: the run has no operation {operation:?}; it has {known}")]
    Operation {
        /// The objective.
        text: String,
        /// The operation named.
        operation: String,
        /// The operations of the run.
        known: String,
    },
    /// The figure is of a whole run only.
    #[error(
        "read the objective {0:?}: drops, lag, lateness and the offered rate are known of the whole run only; \
             leave the operation out"
    )]
    WholeRun(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    Time(Basis, Statistic),
    Errors,
    Timeouts,
    Dropped,
    Ok,
    Count,
    Achieved,
    Goodput,
    Offered,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Basis {
    Response,
    Service,
    Lag,
    Lateness,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Statistic {
    Percentile(f64),
    Mean,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Count,
    Percent,
    PerSecond,
    /// Nanoseconds in one, and its name.
    Time(f64, &'static str),
}

impl FromStr for Slo {
    type Err = SloError;

    fn from_str(text: &str) -> Result<Self, SloError> {
        let text = text.trim();
        let at = text.find(['<', '>', '=']).ok_or_else(|| SloError::Comparison(text.to_owned()))?;
        let (left, right) = text.split_at(at);
        let known = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("==", Comparison::Equal),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let (sign, comparison) = known
            .into_iter()
            .find(|(sign, _)| right.starts_with(sign))
            .ok_or_else(|| SloError::Comparison(text.to_owned()))?;
        let (value, unit) = amount(right[sign.len()..].trim()).ok_or_else(|| SloError::Value {
            text: text.to_owned(),
            value: right[sign.len()..].trim().to_owned(),
        })?;
        let (operation, figure) = subject(left.trim()).ok_or_else(|| SloError::Figure {
            text: text.to_owned(),
            figure: left.trim().to_owned(),
        })?;
        let slo = Self { text: text.to_owned(), operation, figure, comparison, value, unit };
        slo.checked(left.trim())
    }
}

impl Slo {
    /// The objective as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that a run with these operations can be asked this.
    pub fn check<'a>(&self, operations: impl IntoIterator<Item = &'a str>) -> Result<(), SloError> {
        let Some(wanted) = &self.operation else { return Ok(()) };
        let known: Vec<&str> = operations.into_iter().collect();
        if known.contains(&wanted.as_str()) {
            return Ok(());
        }
        Err(SloError::Operation {
            text: self.text.clone(),
            operation: wanted.clone(),
            known: known.join(", "),
        })
    }

    /// What became of the objective in a run.
    pub fn evaluate(&self, record: &Record) -> Result<SloResult, SloError> {
        self.check(record.operations.iter().map(|operation| operation.name.as_str()))?;
        let value = self.measured(record).filter(|value| value.is_finite());
        let ok = value.is_some_and(|value| match self.comparison {
            Comparison::Less => value < self.value,
            Comparison::LessOrEqual => value <= self.value,
            Comparison::Greater => value > self.value,
            Comparison::GreaterOrEqual => value >= self.value,
            Comparison::Equal => (value - self.value).abs() <= f64::EPSILON * self.value.abs(),
        });
        Ok(SloResult { expr: self.text.clone(), value, unit: self.unit.name().to_owned(), ok })
    }

    fn checked(self, figure: &str) -> Result<Self, SloError> {
        let expected = match (self.figure, self.unit) {
            (Figure::Time(..), Unit::Time(..))
            | (
                Figure::Errors | Figure::Timeouts | Figure::Dropped | Figure::Ok,
                Unit::Percent | Unit::Count,
            )
            | (Figure::Count, Unit::Count)
            | (Figure::Achieved | Figure::Goodput, Unit::Percent | Unit::PerSecond)
            | (Figure::Offered, Unit::PerSecond) => None,
            (Figure::Time(..), _) => Some("us, ms or s"),
            (Figure::Errors | Figure::Timeouts | Figure::Dropped | Figure::Ok, _) => {
                Some("% or without a unit")
            }
            (Figure::Count, _) => Some("exchanges, without a unit"),
            (Figure::Achieved | Figure::Goodput, _) => Some("/s or % of the rate asked for"),
            (Figure::Offered, _) => Some("/s"),
        };
        if let Some(expected) = expected {
            return Err(SloError::Unit { text: self.text, figure: figure.to_owned(), expected });
        }
        let whole = matches!(
            self.figure,
            Figure::Dropped | Figure::Offered | Figure::Time(Basis::Lag | Basis::Lateness, _)
        );
        if whole && self.operation.is_some() {
            return Err(SloError::WholeRun(self.text));
        }
        Ok(self)
    }

    fn measured(&self, record: &Record) -> Option<f64> {
        let counts = self.counts(record);
        let share = |count: u64, of: u64| match self.unit {
            Unit::Percent => (of > 0).then(|| 100.0 * count as f64 / of as f64),
            _ => Some(count as f64),
        };
        match self.figure {
            Figure::Time(basis, statistic) => {
                let histogram = self.histogram(record, basis)?;
                let took = match statistic {
                    Statistic::Percentile(percentile) => histogram.quantile(percentile / 100.0),
                    Statistic::Mean => {
                        let count = histogram.count();
                        return (count > 0)
                            .then(|| self.unit.scale(histogram.sum_nanos() as f64 / count as f64));
                    }
                    Statistic::Min => histogram.min(),
                    Statistic::Max => histogram.max(),
                };
                took.map(|took| self.unit.scale(took.as_nanos() as f64))
            }
            Figure::Errors => share(counts.errors(), counts.completed()),
            Figure::Timeouts => share(counts.timed_out, counts.completed()),
            Figure::Ok => share(counts.ok, counts.completed()),
            Figure::Count => Some(counts.completed() as f64),
            Figure::Dropped => share(counts.dropped, counts.planned),
            Figure::Achieved => self.against(record, counts.completed()),
            Figure::Goodput => self.against(record, counts.ok),
            Figure::Offered => record.rates.offered,
        }
    }

    /// A rate, or its share of what was asked for: the target rate, else whatever was offered.
    fn against(&self, record: &Record, count: u64) -> Option<f64> {
        let rate = count as f64 / record.rates.seconds;
        match self.unit {
            Unit::Percent => {
                record.rates.target.or(record.rates.offered).map(|asked| 100.0 * rate / asked)
            }
            _ => Some(rate),
        }
    }

    fn counts(&self, record: &Record) -> Counts {
        match &self.operation {
            None => record.counts,
            Some(name) => record
                .operations
                .iter()
                .find(|operation| operation.name == *name)
                .map(|operation| operation.counts)
                .unwrap_or_default(),
        }
    }

    fn histogram(&self, record: &Record, basis: Basis) -> Option<Histogram> {
        if basis == Basis::Lag {
            return record.lag.histogram().ok();
        }
        if basis == Basis::Lateness {
            return record.lateness.histogram().ok();
        }
        let mut merged = Histogram::new();
        for operation in &record.operations {
            if self.operation.as_ref().is_none_or(|name| *name == operation.name) {
                let latency =
                    if basis == Basis::Service { &operation.service } else { &operation.response };
                merged.merge(&latency.histogram().ok()?);
            }
        }
        Some(merged)
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Count => "",
            Self::Percent => "%",
            Self::PerSecond => "/s",
            Self::Time(_, name) => name,
        }
    }

    fn scale(self, nanos: f64) -> f64 {
        if let Self::Time(nanos_in_one, _) = self { nanos / nanos_in_one } else { nanos }
    }
}

fn amount(text: &str) -> Option<(f64, Unit)> {
    let units = [
        ("/s", Unit::PerSecond),
        ("us", Unit::Time(1e3, "us")),
        ("ms", Unit::Time(1e6, "ms")),
        ("s", Unit::Time(1e9, "s")),
        ("%", Unit::Percent),
        ("", Unit::Count),
    ];
    let (number, unit) =
        units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, unit))
}

/// Splits `search.service.p99.9` into the operation and the figure: the longest ending that is one,
/// since both operations and percentiles may hold dots.
fn subject(text: &str) -> Option<(Option<String>, Figure)> {
    let mut starts = std::iter::once(0).chain(text.match_indices('.').map(|(at, _)| at + 1));
    let (at, figure) = starts.find_map(|at| Some((at, figure(&text[at..])?)))?;
    let operation = text[..at].trim_end_matches('.');
    Some((
        Some(operation).filter(|name| !name.is_empty() && *name != "total").map(ToOwned::to_owned),
        figure,
    ))
}

fn figure(text: &str) -> Option<Figure> {
    let plain = match text {
        "errors" => Figure::Errors,
        "timeouts" => Figure::Timeouts,
        "dropped" => Figure::Dropped,
        "ok" => Figure::Ok,
        "count" => Figure::Count,
        "achieved" => Figure::Achieved,
        "goodput" => Figure::Goodput,
        "offered" => Figure::Offered,
        _ => {
            let (basis, rest) = match text.split_once('.') {
                Some(("response", rest)) => (Basis::Response, rest),
                Some(("service", rest)) => (Basis::Service, rest),
                Some(("lag", rest)) => (Basis::Lag, rest),
                Some(("lateness", rest)) => (Basis::Lateness, rest),
                _ => (Basis::Response, text),
            };
            Figure::Time(basis, statistic(rest)?)
        }
    };
    Some(plain)
}

fn statistic(text: &str) -> Option<Statistic> {
    match text {
        "mean" => Some(Statistic::Mean),
        "min" => Some(Statistic::Min),
        "max" => Some(Statistic::Max),
        _ => {
            let percentile: f64 = text.strip_prefix('p')?.parse().ok()?;
            (0.0..=100.0).contains(&percentile).then_some(Statistic::Percentile(percentile))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::measured;

    fn ask(expr: &str) -> SloResult {
        expr.parse::<Slo>().unwrap().evaluate(&measured()).unwrap()
    }

    fn refusal(expr: &str) -> String {
        expr.parse::<Slo>().unwrap_err().to_string()
    }

    #[test]
    fn times_rates_and_counts_are_compared_in_their_units() {
        // 10 s, 100/s asked: 900 binds of 1 ms (99 of them failed), 50 searches of 4 ms, 50 dropped.
        for (expr, value, ok) in [
            ("bind.p99<20ms", 1.0, true),
            ("bind.p50<=1000us", 1_000.0, true),
            ("search.service.max<4ms", 3.0, true),
            ("search.max<4ms", 4.0, false),
            ("max==4ms", 4.0, true),
            ("total.mean<0.002s", (900.0 + 200.0) / 950.0 / 1e3, true),
            ("errors<10%", 100.0 * 99.0 / 950.0, false),
            ("search.errors==0", 0.0, true),
            ("bind.errors==99", 99.0, true),
            ("dropped==0", 50.0, false),
            ("dropped<=5%", 5.0, true),
            ("achieved>=99%", 95.0, false),
            ("achieved>94/s", 95.0, true),
            ("goodput>85/s", 85.1, true),
            ("lag.max<=1ms", 1.0, true),
            ("count>=950", 950.0, true),
        ] {
            let result = ask(expr);
            let found = result.value.unwrap();
            assert!(
                (found - value).abs() < value.abs() * 1e-3 + 1e-9,
                "{expr}: {found}, not {value}"
            );
            assert_eq!(result.ok, ok, "{expr}");
        }
    }

    #[test]
    fn what_was_not_measured_meets_no_objective() {
        let mut empty = measured();
        empty.operations[0].response = crate::Latency::default();
        let result = "bind.p99<1s".parse::<Slo>().unwrap().evaluate(&empty).unwrap();
        assert_eq!((result.value, result.ok), (None, false));
    }

    #[test]
    fn mistakes_are_named_with_the_remedy() {
        assert!(refusal("bind.p99").contains("compares nothing"));
        assert!(refusal("bind.p99=3ms").contains("compares nothing"));
        assert!(refusal("bind.p999<3ms").contains("\"bind.p999\""));
        assert!(refusal("p99<soon").contains("\"soon\""));
        assert!(refusal("p99<20").contains("us, ms or s"));
        assert!(refusal("errors<20ms").contains("% or without a unit"));
        assert!(refusal("bind.dropped==0").contains("leave the operation out"));
        let unknown = "compare.p99<1s".parse::<Slo>().unwrap().evaluate(&measured()).unwrap_err();
        assert!(unknown.to_string().contains("it has bind, search"), "{unknown}");
    }

    #[test]
    fn operations_and_percentiles_may_hold_dots() {
        let slo: Slo = "ldap.bind.service.p99.9 < 3 ms".parse().unwrap();
        assert_eq!(slo.operation.as_deref(), Some("ldap.bind"));
        assert_eq!(slo.figure, Figure::Time(Basis::Service, Statistic::Percentile(99.9)));
        let whole: Slo = "p99.9<3ms".parse().unwrap();
        assert_eq!(whole.operation, None);
    }
}

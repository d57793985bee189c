//! Objectives: what a run must reach for a successful exit code, as `bind.p99<20ms`.
//!
//! An expression is `[operation.]figure comparison value`. The unit decides how a figure is compared, so `errors<0.1%`
//! and `errors<10` both mean what they look like. [`evaluate`] evaluates it against a record.

mod allowance;
mod evaluate;
mod moment;
#[cfg(test)]
mod tests;

pub use allowance::{Allowance, Bad};
pub(crate) use moment::Lockouts;

use crate::{Reach, Waits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A parsed objective. In a document it is the text that it was parsed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Slo {
    text: String,
    operation: Option<String>,
    figure: Figure,
    comparison: Comparison,
    value: f64,
    unit: Unit,
}

/// The outcome of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SloOutcome {
    /// It was met, whatever the unknown values are.
    Met,
    /// It was missed, whatever the unknown values are.
    Missed,
    /// Answers that never arrived, or the generator's own part, could have changed the outcome.
    Undecided,
}

impl SloOutcome {
    /// The word a report uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Undecided => "undecided",
        }
    }
}

/// The result of an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SloResult {
    /// The objective as it was given.
    pub expr: String,
    /// What was measured, in the unit of the objective; null if nothing was measured, or if the value is infinite.
    pub value: Option<f64>,
    /// Whether that is only the least it can be.
    #[serde(default)]
    pub at_least: bool,
    /// The unit of the value: `us`, `ms`, `s`, `%`, `/s` or empty for a count.
    pub unit: String,
    /// Its outcome.
    pub outcome: SloOutcome,
    /// What determines the value, where that is not obvious: which exchanges had no answer, why it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why an objective is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SloError {
    /// There is no comparison in it.
    #[error(
        "read the objective {0:?}: it has no comparison; write one such as bind.p99<20ms, with < <= > >= or =="
    )]
    Comparison(String),
    /// The figure does not exist.
    #[error(
        "read the objective {text:?}: there is no figure {figure:?}; use pN (such as p99.9), mean, min, max, ok.pN, \
         service.pN, response.pN, lag.pN, lateness.pN, errors, timeouts, locked, dropped, ok, count, achieved, \
         goodput, offered"
    )]
    Figure {
        /// The objective.
        text: String,
        /// The part of it that was not understood.
        figure: String,
    },
    /// The value is not a number.
    #[error(
        "read the objective {text:?}: {value:?} is not a number with one of the units us, ms, s, % and /s"
    )]
    Value {
        /// The objective.
        text: String,
        /// The part of it that was not understood.
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
    /// No run meets it, or it means something else than was written.
    #[error("read the objective {text:?}: {why}")]
    Senseless {
        /// The objective.
        text: String,
        /// What is wrong with it, and what to write.
        why: String,
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
    /// The figure exists only for a whole run.
    #[error(
        "read the objective {0:?}: drops, lag, lateness and the offered rate exist for the whole run only; leave the \
         operation out"
    )]
    WholeRun(String),
    /// It allows no share of exchanges to miss it.
    #[error(
        "judge the objective {0:?} second by second: it must allow a share of the operations to be bad; write \
        one such as \
         p99<20ms, service.p95<5ms, errors<0.1%, timeouts<1%, dropped<1%, ok>=99%, achieved>=99%, goodput>=99% or \
         mean<5ms"
    )]
    NoShare(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    Time(Basis, Statistic),
    Errors,
    Timeouts,
    Locked,
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
    Ok,
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

impl Statistic {
    /// Its value; nothing if there is no time for it.
    fn of(self, waits: &Waits) -> Option<Reach> {
        match self {
            Self::Percentile(percentile) => waits.quantile(percentile / 100.0),
            Self::Max => waits.quantile(1.0),
            Self::Min => waits.known.min().map(|took| Reach::exactly(took.as_nanos() as f64)),
            Self::Mean if waits.endless > 0 => Some(Reach::exactly(f64::INFINITY)),
            Self::Mean => waits.mean(),
        }
    }
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

impl TryFrom<String> for Slo {
    type Error = SloError;

    fn try_from(text: String) -> Result<Self, SloError> {
        text.parse()
    }
}

impl SloResult {
    /// The operation or span that it is about; `None` if it is about all of them.
    pub fn operation(&self) -> Option<String> {
        self.expr.parse::<Slo>().ok()?.operation
    }
}

impl From<Slo> for String {
    fn from(slo: Slo) -> Self {
        slo.text
    }
}

impl Slo {
    /// The objective as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The greatest or the least value that meets it, in its own unit, as results have it.
    pub const fn limit(&self) -> f64 {
        self.value
    }

    /// The limit of a percentile of the response times of all operations: the percentile and milliseconds.
    pub fn response_limit(&self) -> Option<(f64, f64)> {
        let Unit::Time(nanos, _) = self.unit else { return None };
        let percentile = self.percentile().filter(|_| self.operation.is_none())?;
        Some((percentile, self.value * nanos / 1e6))
    }

    /// The percentile of response time that it is about, if any.
    pub fn percentile(&self) -> Option<f64> {
        match self.figure {
            Figure::Time(Basis::Response | Basis::Ok, Statistic::Percentile(percentile)) => {
                Some(percentile)
            }
            _ => None,
        }
    }

    /// Checks that the objective applies to a run with these operations.
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

    fn checked(self, figure: &str) -> Result<Self, SloError> {
        let expected = match (self.figure, self.unit) {
            (Figure::Time(..), Unit::Time(..))
            | (
                Figure::Errors | Figure::Timeouts | Figure::Locked | Figure::Dropped | Figure::Ok,
                Unit::Percent | Unit::Count,
            )
            | (Figure::Count, Unit::Count)
            | (Figure::Achieved | Figure::Goodput, Unit::Percent | Unit::PerSecond)
            | (Figure::Offered, Unit::PerSecond) => None,
            (Figure::Time(..), _) => Some("us, ms or s, such as 20ms"),
            (
                Figure::Errors | Figure::Timeouts | Figure::Locked | Figure::Dropped | Figure::Ok,
                _,
            ) => Some("% or without a unit, such as 0.1%"),
            (Figure::Count, _) => Some("operations, without a unit, such as 1000"),
            (Figure::Achieved | Figure::Goodput, _) => {
                Some("/s or % of what was scheduled, such as 99%")
            }
            (Figure::Offered, _) => Some("/s, such as 500/s"),
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
        match self.senseless(figure) {
            Some(why) => Err(SloError::Senseless { text: self.text, why }),
            None => Ok(self),
        }
    }

    /// What is wrong with an objective that no run meets, or that means something else than was written.
    fn senseless(&self, figure: &str) -> Option<String> {
        let value = self.value;
        if self.unit == Unit::Count && value.fract() != 0.0 {
            let percent = (value * 1e6).round() / 1e4;
            let share = (value < 1.0).then(|| format!("; write {percent}% for a share"));
            let share = share.unwrap_or_default();
            return Some(format!("{figure} is a whole number of operations, not {value}{share}"));
        }
        if self.unit == Unit::Percent && value > 100.0 {
            return Some(format!("{figure} is at most 100%, not {value}%"));
        }
        let never = match self.comparison {
            Comparison::Less => value <= 0.0,
            Comparison::Greater => self.unit == Unit::Percent && value >= 100.0,
            _ => false,
        };
        never.then(|| "no run can meet it".to_owned())
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

/// Splits `search.service.p99.9` into the operation and the figure. The longest suffix that is a figure is the figure,
/// since both operations and percentiles may contain dots.
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
        "locked" => Figure::Locked,
        "dropped" => Figure::Dropped,
        "ok" => Figure::Ok,
        "count" => Figure::Count,
        "achieved" => Figure::Achieved,
        "goodput" => Figure::Goodput,
        "offered" => Figure::Offered,
        _ => {
            let (basis, rest) = match text.split_once('.') {
                Some(("response", rest)) => (Basis::Response, rest),
                Some(("ok", rest)) => (Basis::Ok, rest),
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

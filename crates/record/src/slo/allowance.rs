//! An objective as a share of bad exchanges, which can be counted second by second while a run is in progress.
//!
//! `p99<20ms` means that no more than 1 % may take longer than 20 ms. Shares can be added over seconds and have a known
//! spread; percentiles have neither property. An objective that allows no share (`max`, `min`, counts, rates) cannot be
//! judged this way, and is refused.

use super::{Basis, Comparison, Figure, Slo, SloError, Statistic, Unit};
use std::time::Duration;

/// Which exchanges are bad, and the share of them that is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowance {
    /// The operation it applies to; `None` for all.
    pub operation: Option<String>,
    /// What makes an exchange bad.
    pub bad: Bad,
    /// The share that may be bad, between 0 and 1. 0 for [`Bad::MeanAbove`], which has no share.
    pub share: f64,
}

/// What makes an exchange bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// Its response came later than this, or it timed out or was dropped.
    Later(Duration),
    /// The target took longer than this, or it timed out or was dropped.
    ServedLater(Duration),
    /// It failed, timed out or was dropped.
    Missed,
    /// It timed out.
    TimedOut,
    /// It was dropped.
    Dropped,
    /// It was due and not completed: it timed out or was dropped.
    NotCompleted,
    /// No exchange by itself: the mean response time must not exceed this.
    MeanAbove(Duration),
}

impl Slo {
    /// The objective as a share of bad exchanges, if it is one.
    pub fn allowance(&self) -> Result<Allowance, SloError> {
        let below = matches!(self.comparison, Comparison::Less | Comparison::LessOrEqual);
        let above = matches!(self.comparison, Comparison::Greater | Comparison::GreaterOrEqual);
        let percent = self.unit == Unit::Percent;
        let limit = Duration::from_nanos(match self.unit {
            Unit::Time(nanos, _) => (self.value * nanos).round() as u64,
            _ => 0,
        });
        let (bad, share) = match self.figure {
            Figure::Time(Basis::Response, Statistic::Percentile(percentile)) if below => {
                (Bad::Later(limit), 1.0 - percentile / 100.0)
            }
            Figure::Time(Basis::Service, Statistic::Percentile(percentile)) if below => {
                (Bad::ServedLater(limit), 1.0 - percentile / 100.0)
            }
            Figure::Time(Basis::Response, Statistic::Mean) if below => {
                return Ok(self.with(Bad::MeanAbove(limit), 0.0));
            }
            Figure::Errors if below && percent => (Bad::Missed, self.value / 100.0),
            Figure::Timeouts if below && percent => (Bad::TimedOut, self.value / 100.0),
            Figure::Dropped if below && percent => (Bad::Dropped, self.value / 100.0),
            Figure::Ok | Figure::Goodput if above && percent => {
                (Bad::Missed, 1.0 - self.value / 100.0)
            }
            Figure::Achieved if above && percent => (Bad::NotCompleted, 1.0 - self.value / 100.0),
            _ => return Err(SloError::NoShare(self.text.clone())),
        };
        // 1 - 99/100 is a little more than 1/100 in binary, and would be shown that way.
        let share = (share * 1e12).round() / 1e12;
        if share <= 0.0 || share >= 1.0 {
            return Err(SloError::NoShare(self.text.clone()));
        }
        Ok(self.with(bad, share))
    }

    fn with(&self, bad: Bad, share: f64) -> Allowance {
        Allowance { operation: self.operation.clone(), bad, share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(text: &str) -> Result<Allowance, SloError> {
        text.parse::<Slo>().unwrap().allowance()
    }

    #[test]
    fn objective_allows_a_share_of_bad_exchanges() {
        let millis = Duration::from_millis;
        for (text, operation, bad, share) in [
            ("bind.p99<20ms", Some("bind"), Bad::Later(millis(20)), 0.01),
            ("p99.9<=1s", None, Bad::Later(millis(1_000)), 0.001),
            ("service.p50<5ms", None, Bad::ServedLater(millis(5)), 0.5),
            ("errors<0.1%", None, Bad::Missed, 0.001),
            ("timeouts<0.1%", None, Bad::TimedOut, 0.001),
            ("dropped<=2%", None, Bad::Dropped, 0.02),
            ("achieved>=99%", None, Bad::NotCompleted, 0.01),
            ("ok>99.9%", None, Bad::Missed, 0.001),
            ("mean<3ms", None, Bad::MeanAbove(millis(3)), 0.0),
        ] {
            let operation = operation.map(str::to_owned);
            assert_eq!(allowance(text), Ok(Allowance { operation, bad, share }), "{text}");
        }
    }

    #[test]
    fn objective_without_a_share_is_refused() {
        for text in [
            "max<1s",
            "min<1s",
            "count>5",
            "errors<10",
            "achieved>=500/s",
            "p99>20ms",
            "p100<1s",
            "errors<=0%",
            "errors>1%",
            "achieved<99%",
            "lag.p99<1ms",
            "ok.p99<1ms",
            "errors==0%",
            "locked<1%",
        ] {
            assert_eq!(allowance(text), Err(SloError::NoShare(text.to_owned())), "{text}");
        }
    }
}

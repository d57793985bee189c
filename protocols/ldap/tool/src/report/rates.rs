//! The running table of the LDAP rate tools: a row for each interval.
//!
//! Figures called recent are of the interval only. Averages and percentiles are of everything since the table began,
//! which is when the warm-up ended.

use super::{Extra, Layout, Row};
use brunt_record::{Counts, Histogram, Interval, rate};
use std::time::Duration;

/// Which latency the table calls response time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimeBasis {
    /// Ended − due: what a user waits.
    #[default]
    Response,
    /// Ended − sent: what the original tools measured.
    Service,
}

/// Makes the rows of a table from the intervals of a run.
#[derive(Clone, Debug)]
pub(crate) struct RatesTable {
    layout: Layout,
    basis: TimeBasis,
    csv: bool,
    began: Option<Duration>,
    counts: Counts,
    times: Histogram,
}

impl RatesTable {
    /// A table of this layout.
    pub(crate) fn new(layout: Layout, basis: TimeBasis, csv: bool) -> Self {
        Self { layout, basis, csv, began: None, counts: Counts::default(), times: Histogram::new() }
    }

    /// The lines above the first row, ending in a newline.
    pub(crate) fn header(&self) -> String {
        if self.csv { self.layout.csv_header() } else { self.layout.text_header() }
    }

    /// Adds an interval and returns its row, ending in a newline.
    pub(crate) fn push(&mut self, interval: &Interval) -> String {
        let row = self.row(interval);
        if self.csv { self.layout.csv_row(&row) } else { self.layout.text_row(&row) }
    }

    /// Adds an interval and returns the figures of its row.
    ///
    /// The column of `addrate` depends on its plan: operation 0 adds and 1 deletes.
    pub(crate) fn row(&mut self, interval: &Interval) -> Row {
        let began = *self.began.get_or_insert(interval.from);
        let (counts, times) = (interval.counts(), self.times_of(interval));
        self.counts.merge(&counts);
        self.times.merge(&times);
        let (lasted, elapsed) = (interval.lasted(), interval.to.saturating_sub(began));
        let percentiles = self.layout.percentiles().iter();
        Row {
            seconds: elapsed.as_secs_f64(),
            recent_throughput: rate(counts.completed(), lasted),
            average_throughput: rate(self.counts.completed(), elapsed),
            recent_mean: mean(&times),
            average_mean: mean(&self.times),
            percentiles: percentiles.map(|p| self.times.quantile(p / 100.0).map(millis)).collect(),
            errors: rate(counts.errors(), lasted),
            extra: self.layout.extra().and_then(|extra| extra_value(extra, interval)),
        }
    }

    fn times_of(&self, interval: &Interval) -> Histogram {
        let mut times = Histogram::new();
        // The original tools' definition: everything that ended, including what they gave up, and nothing else.
        for operation in &interval.operations {
            match self.basis {
                TimeBasis::Response => times.merge(&operation.response.ended()),
                TimeBasis::Service => times.merge(&operation.service_ended()),
            }
        }
        times
    }
}

fn extra_value(extra: Extra, interval: &Interval) -> Option<f64> {
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    match extra {
        Extra::EntriesPerSearch => {
            let counts = interval.counts();
            share(counts.items as f64, counts.ok as f64)
        }
        Extra::AddShare => {
            let completed =
                |number: usize| interval.operations.get(number).map_or(0, |o| o.counts.completed());
            share(100.0 * completed(0) as f64, (completed(0) + completed(1)) as f64)
        }
        Extra::BindTimeShare { search } => {
            let total: u128 = interval
                .operations
                .iter()
                .map(|operation| operation.service_ended().sum_nanos())
                .sum();
            let search = interval.parts.get(usize::from(search))?.sum_nanos().min(total);
            share(100.0 * (total - search) as f64, total as f64)
        }
    }
}

/// The mean in milliseconds, from the exact sum.
fn mean(times: &Histogram) -> Option<f64> {
    (!times.is_empty()).then(|| times.sum_nanos() as f64 / times.count() as f64 / 1e6)
}

fn millis(took: Duration) -> f64 {
    took.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Class, Moment, Outcome, Part, Stamps};
    use brunt_record::{Own, Phase};

    /// Two seconds from `from` in which exchanges of operation `n` took these microseconds, after
    /// each waited a millisecond.
    fn interval(from: u64, took: &[(u16, Outcome, u64)]) -> Interval {
        let mut interval = Interval::new(2, 1);
        interval.reset(0, Phase::Steady, Duration::from_secs(from));
        interval.to = Duration::from_secs(from + 2);
        for &(operation, outcome, micros) in took {
            let [due, sent, ended] =
                [0, 1_000_000, 1_000_000 + micros * 1_000].map(Moment::from_nanos);
            interval.record(
                operation,
                outcome,
                &Stamps { due, free: due, sent, ended },
                3,
                Own::default(),
            );
        }
        interval
    }

    const REFUSED: Outcome = Outcome::Failed(Class::Result, 49);

    fn near(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
    }

    #[test]
    fn recent_covers_the_interval_and_average_all() {
        let mut table =
            RatesTable::new(Layout::new(&[50.0, 100.0], None), TimeBasis::Service, false);
        let first = table.row(&interval(10, &[(0, Outcome::Ok(0), 500), (0, REFUSED, 700)]));
        near(first.recent_throughput, 1.0);
        near(first.average_throughput, 1.0);
        near(first.recent_mean, 0.6);
        near(first.errors, 0.5);
        near(first.percentiles[1], 0.7);
        let second = table.row(&interval(12, &[(0, Outcome::Ok(0), 100); 4]));
        near(second.recent_throughput, 2.0);
        near(second.average_throughput, 6.0 / 4.0);
        near(second.recent_mean, 0.1);
        near(second.average_mean, (0.5 + 0.7 + 0.4) / 6.0);
        near(second.errors, 0.0);
        // Percentiles continue from the beginning, also where the maximum was in the first interval.
        near(second.percentiles[1], 0.7);
        assert!((second.percentiles[0].unwrap() - 0.1).abs() < 0.001);
        near(Some(second.seconds), 4.0);
    }

    #[test]
    fn waiting_is_in_response_time_not_service_time() {
        let one = interval(0, &[(0, Outcome::Ok(0), 500)]);
        let mut response = RatesTable::new(Layout::new(&[50.0], None), TimeBasis::Response, false);
        near(response.row(&one).recent_mean, 1.5);
        assert_eq!(
            RatesTable::new(Layout::new(&[50.0], None), TimeBasis::Service, true).push(&one),
            "2.000,0.5,0.5,0.500,0.500,0.50,0.0\n"
        );
    }

    #[test]
    fn empty_interval_has_rates_but_no_times() {
        let mut table = RatesTable::new(
            Layout::new(&[50.0], Some(Extra::EntriesPerSearch)),
            TimeBasis::Response,
            true,
        );
        assert_eq!(table.push(&interval(0, &[])), "2.000,0.0,0.0,-,-,-,0.0,-\n");
        let mut sliver = interval(2, &[]);
        sliver.to = sliver.from;
        assert_eq!(table.push(&sliver), "2.000,-,0.0,-,-,-,-,-\n");
    }

    #[test]
    fn extra_columns_cover_the_interval() {
        let of = |extra, interval: &Interval| {
            RatesTable::new(Layout::new(&[], Some(extra)), TimeBasis::Response, false)
                .row(interval)
                .extra
        };
        // Nine entries, two of three searches succeeded: entries are counted for all, searches only if they succeeded.
        let searches =
            interval(0, &[(0, Outcome::Ok(0), 1), (0, Outcome::Ok(0), 1), (0, REFUSED, 1)]);
        near(of(Extra::EntriesPerSearch, &searches), 4.5);
        let adds = interval(0, &[(0, Outcome::Ok(0), 1), (1, Outcome::Ok(0), 1), (1, REFUSED, 1)]);
        near(of(Extra::AddShare, &adds), 100.0 / 3.0);
        let mut binds = interval(0, &[(0, Outcome::Ok(0), 400)]);
        binds.part(Part(0), Duration::from_micros(100));
        near(of(Extra::BindTimeShare { search: 0 }, &binds), 75.0);
        assert_eq!(of(Extra::BindTimeShare { search: 0 }, &interval(0, &[])), None);
    }
}

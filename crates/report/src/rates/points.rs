//! The result at each rate: the runs of a rate merged, exact to the bucket.

use brunt_record::{Cell, Collection, Histogram, HistogramError, Reach, Record, Waits};

use crate::summary::response;

/// Percentiles of a point, and what they are called.
pub(super) const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// Runs at one rate.
#[derive(Debug)]
pub(super) struct Point<'a> {
    /// The requested rate, a second.
    pub(super) rate: f64,
    pub(super) runs: Vec<(&'a str, &'a Record)>,
    /// Response times of all that was due in all of its runs.
    pub(super) times: Histogram,
    /// The waits, in which some times are only lower bounds.
    pub(super) waits: Waits,
}

impl Point<'_> {
    /// The points of a collection, from the lowest rate up.
    pub(super) fn all(collection: &Collection) -> Result<Vec<Point<'_>>, HistogramError> {
        let mut points: Vec<Point<'_>> = Vec::new();
        for cell in &collection.cells {
            let Some((rate, name, record)) = run(cell) else { continue };
            let at = points.partition_point(|point| point.rate.total_cmp(&rate).is_lt());
            if points.get(at).is_none_or(|point| point.rate.total_cmp(&rate).is_ne()) {
                let (times, waits) = (Histogram::new(), Waits::default());
                points.insert(at, Point { rate, runs: Vec::new(), times, waits });
            }
            let point = &mut points[at];
            point.runs.push((name, record));
            if let Some(latency) = response(record) {
                point.times.merge(&latency.histogram()?);
                let waits = latency.waits()?;
                point.waits.known.merge(&waits.known);
                point.waits.censored.merge(&waits.censored);
                point.waits.endless += waits.endless;
            }
        }
        Ok(points)
    }

    /// Seconds, and whether that is the time itself or the least it can have been.
    pub(super) fn at(&self, quantile: f64) -> Option<(f64, bool)> {
        let exact = self.waits.quantile(quantile).is_none_or(Reach::is_exact);
        Some((self.times.quantile(quantile)?.as_secs_f64(), exact))
    }

    /// The mean of a rate over its runs, weighted by their lengths.
    pub(super) fn mean(&self, of: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        let known = self.runs.iter().filter_map(|(_, run)| Some((of(run)?, run.rates.seconds)));
        let (sum, seconds) = known
            .fold((0.0, 0.0), |(sum, all), (rate, seconds)| (sum + rate * seconds, all + seconds));
        (seconds > 0.0).then(|| sum / seconds)
    }
}

fn run(cell: &Cell) -> Option<(f64, &str, &Record)> {
    let rate = cell.label(super::RATE)?.parse().ok().filter(|rate: &f64| rate.is_finite())?;
    Some((rate, cell.label(super::RUN).unwrap_or("a run"), cell.record.as_deref()?))
}

//! Response against rate: what a run with a rising or falling rate shows about the load that a target sustains.
//!
//! Steps of the steady phase are grouped by how many exchanges became due a second, and each level has its percentiles:
//! one point of a curve. A constant rate has no curve, nor has a closed loop, whose rate depends on the target.
//! Latencies are of exchanges that ended in the steps of a level, of all operations.

use crate::chart::{Axis, Chart, Line, Lines};
use brunt_record::{Histogram, HistogramError, Mode, Phase, Record};

/// How many levels there are at most.
const LEVELS: usize = 16;
/// The least number of points of a curve.
const POINTS: usize = 3;
/// The highest rate is at least this many times the lowest; a smaller range is the spread of arrivals.
const RANGE: f64 = 1.5;
/// The percentiles of a level with fewer exchanges are not reliable enough for a point.
const EXCHANGES: u64 = 20;
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// The curve of a run, if its rate varied.
pub fn rate_curve(record: &Record) -> Result<Option<Chart>, HistogramError> {
    if record.plan.mode != Mode::Open {
        return Ok(None);
    }
    let points = points(record)?;
    if points.len() < POINTS {
        return Ok(None);
    }
    let line = |(series, (quantile, name)): (usize, (f64, &str))| {
        let at = |(rate, times): &(f64, Histogram)| {
            Some((*rate, times.quantile(quantile)?.as_secs_f64() * 1e3))
        };
        let points = points.iter().filter_map(at).collect();
        Line { name: name.to_owned(), points, published: false, series }
    };
    Ok(Some(Chart::Lines(Lines {
        title: "Response over rate".to_owned(),
        x: Axis::linear(format!("offered, {} a second", record.plan.noun.many)),
        y: Axis::logarithmic("milliseconds"),
        lines: QUANTILES.into_iter().enumerate().map(line).collect(),
        ..Lines::default()
    })))
}

/// The levels by rate: exchanges that became due a second, and the response times of exchanges that ended at the same
/// time.
fn points(record: &Record) -> Result<Vec<(f64, Histogram)>, HistogramError> {
    let steady = record.series.iter().filter(|step| step.phase == Phase::Steady);
    let rated = steady.filter_map(|step| {
        let seconds = step.to_s - step.from_s;
        let rate = step.due.planned as f64 / seconds;
        (seconds > 0.0 && rate > 0.0).then_some((step, seconds, rate))
    });
    let rated: Vec<_> = rated.collect();
    let least = rated.iter().map(|(_, _, rate)| *rate).fold(f64::INFINITY, f64::min);
    let most = rated.iter().map(|(_, _, rate)| *rate).fold(0.0, f64::max);
    if rated.is_empty() || most < least * RANGE {
        return Ok(Vec::new());
    }
    let mut levels: Vec<(u64, f64, Histogram)> =
        (0..LEVELS).map(|_| (0, 0.0, Histogram::new())).collect();
    for (step, seconds, rate) in rated {
        let share = (rate - least) / (most - least);
        let number = ((share * LEVELS as f64) as usize).min(LEVELS - 1);
        let (planned, lasted, times) = &mut levels[number];
        *planned += step.due.planned;
        *lasted += seconds;
        for operation in &step.operations {
            times.merge(&operation.response.histogram()?);
        }
    }
    let filled = levels.into_iter().filter(|(_, _, times)| times.count() >= EXCHANGES);
    Ok(filled.map(|(planned, lasted, times)| (planned as f64 / lasted, times)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Screen;
    use crate::summary::tests::measured;

    /// Seconds at these rates. The operation of each is that of another record: 3 ms, and 2 ms of some that failed.
    fn at(rates: &[u64]) -> Record {
        let mut record = measured(&[]);
        let step = record.series[0].clone();
        record.series = rates
            .iter()
            .enumerate()
            .map(|(number, rate)| {
                let mut step = step.clone();
                (step.from_s, step.to_s) = (number as f64, number as f64 + 1.0);
                step.due.planned = *rate;
                step
            })
            .collect();
        record
    }

    fn lines(record: &Record) -> Option<Lines> {
        match rate_curve(record).unwrap() {
            Some(Chart::Lines(lines)) => Some(lines),
            _ => None,
        }
    }

    #[test]
    fn rate_curve_has_a_point_per_level() {
        let record = at(&[100, 100, 102, 500, 500, 900, 900]);
        let lines = lines(&record).unwrap();
        let median = &lines.lines[0];
        assert_eq!(median.name, "p50");
        // 302 in three seconds; of 50 exchanges a second the median took 3 ms.
        let expected = [(302.0 / 3.0, 3.0), (500.0, 3.0), (900.0, 3.0)];
        for (found, expected) in median.points.iter().zip(expected) {
            assert!((found.0 - expected.0).abs() < 1e-9, "{found:?}");
            assert!((found.1 / expected.1 - 1.0).abs() < 0.01, "{found:?}");
        }
        assert_eq!((median.points.len(), lines.lines.len()), (3, 3));
        let text = crate::summary(&record, Screen::default()).unwrap();
        assert!(text.contains("Response over rate"), "{text}");
        let html = crate::run::page(&record).unwrap().html();
        assert!(html.contains("Response over rate"));
    }

    #[test]
    fn rate_curve_is_absent_without_variation() {
        for rates in [&[55, 55][..], &[], &[100, 110, 95, 105], &[100, 900]] {
            assert_eq!(lines(&at(rates)), None, "{rates:?}");
        }
        let mut closed = at(&[100, 500, 900]);
        closed.plan.mode = Mode::Closed;
        assert_eq!(lines(&closed), None);
    }
}

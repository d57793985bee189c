//! [`History`]: a run over time in bounded memory, for charts.
//!
//! When there are too many points, neighbours are joined in pairs. A joined point has the mean rates, and the worst of
//! each percentile: percentiles cannot be averaged, and a peak must not vanish because a run is long.

use super::digest::{Quantiles, Times};

/// How many points are kept at most.
pub(super) const POINTS_MAX: usize = 3_600;

/// The rates and times between two moments, both in seconds from the origin of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub from: f64,
    pub to: f64,
    /// Exchanges that became due, per second.
    pub offered: f64,
    /// Exchanges that were answered, per second.
    pub answered: f64,
    /// Exchanges that succeeded, per second.
    pub goodput: f64,
    pub times: Times,
}

impl Point {
    /// This point joined with the one that follows it.
    fn joined(self, next: Self) -> Self {
        let (mine, theirs) = (self.to - self.from, next.to - next.from);
        let mean = |a: f64, b: f64| (a * mine + b * theirs) / (mine + theirs).max(1e-9);
        let worst = |a: Quantiles, b: Quantiles| -> Quantiles {
            std::array::from_fn(|at| a[at].into_iter().chain(b[at]).reduce(f64::max))
        };
        Self {
            from: self.from.min(next.from),
            to: self.to.max(next.to),
            offered: mean(self.offered, next.offered),
            answered: mean(self.answered, next.answered),
            goodput: mean(self.goodput, next.goodput),
            times: Times {
                response: worst(self.times.response, next.times.response),
                service: worst(self.times.service, next.times.service),
            },
        }
    }
}

/// Points in order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    points: Vec<Point>,
    /// The time that a point covers before the next begins, in seconds.
    each: f64,
}

impl History {
    pub(super) fn push(&mut self, point: Point) {
        match self.points.last_mut() {
            Some(last) if point.to - last.from <= self.each => *last = last.joined(point),
            _ => self.points.push(point),
        }
        if self.points.len() > POINTS_MAX {
            let joined = self.points.chunks(2).map(|pair| match pair {
                [one, two] => one.joined(*two),
                pair => pair[0],
            });
            self.points = joined.collect();
            let longest = self.points.iter().map(|point| point.to - point.from);
            // Slightly more, since the ends of intervals are not exact.
            self.each = longest.fold(0.0, f64::max) * 1.01;
        }
    }

    pub(super) fn last(&self) -> Option<&Point> {
        self.points.last()
    }

    /// The time from `from` to `to` in this number of columns: one point each, for everything in its column.
    pub(super) fn columns(&self, from: f64, to: f64, columns: usize) -> Vec<Option<Point>> {
        let mut shown: Vec<Option<Point>> = vec![None; columns];
        let width = ((to - from) / columns.max(1) as f64).max(1e-9);
        let first = self.points.partition_point(|point| point.to <= from);
        for point in &self.points[first..] {
            let left = ((point.from - from) / width + 1e-6).floor().max(0.0) as usize;
            let right = ((point.to - from) / width - 1e-6).ceil().max(0.0) as usize;
            for column in shown.iter_mut().take(right).skip(left) {
                *column = Some(column.map_or(*point, |before| before.joined(*point)));
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(second: usize, took: f64) -> Point {
        let times = [Some(took); 3];
        Point {
            from: second as f64,
            to: second as f64 + 1.0,
            offered: second as f64,
            times: Times { response: times, service: times },
            ..Point::default()
        }
    }

    #[test]
    fn history_keeps_peak_and_mean_of_a_long_run() {
        let mut history = History::default();
        let all = 3 * POINTS_MAX;
        for second in 0..all {
            history.push(point(second, if second == 1_234 { 9.0 } else { 0.001 }));
        }
        let points = &history.points;
        assert!(points.len() <= POINTS_MAX && points.len() > POINTS_MAX / 2, "{}", points.len());
        assert!(points.windows(2).all(|pair| pair[0].to <= pair[1].from + 1e-9));
        assert_eq!((points[0].from, history.last().unwrap().to), (0.0, all as f64));
        let peaks: Vec<&Point> =
            points.iter().filter(|point| point.times.response[0] == Some(9.0)).collect();
        assert_eq!(peaks.len(), 1);
        assert!(peaks[0].from <= 1_234.0 && peaks[0].to >= 1_235.0);
        let sum: f64 = points.iter().map(|point| point.offered * (point.to - point.from)).sum();
        assert!((sum - (all * (all - 1) / 2) as f64).abs() < 1.0, "{sum}");
    }

    #[test]
    fn history_columns_hold_their_points() {
        let mut history = History::default();
        (0..10).for_each(|second| history.push(point(second, second as f64)));
        let offered = |from, to, columns| -> Vec<Option<f64>> {
            let shown = history.columns(from, to, columns);
            shown.iter().map(|point| point.map(|point| point.offered)).collect()
        };
        // Two seconds a column: means of pairs.
        assert_eq!(offered(0.0, 10.0, 5), [0.5, 2.5, 4.5, 6.5, 8.5].map(Some));
        // Two columns a second.
        assert_eq!(offered(8.0, 10.0, 4), [8.0, 8.0, 9.0, 9.0].map(Some));
        // What has not happened yet is empty.
        assert_eq!(offered(8.0, 12.0, 4), [Some(8.0), Some(9.0), None, None]);
        let worst = history.columns(0.0, 10.0, 2);
        assert_eq!(worst[0].unwrap().times.response[1], Some(4.0));
    }
}

//! [`Snapshot`]: the figures of a run at one moment, as points of families. Every format is written from it.

use super::family::Family;
use super::times::Times;

/// The value of a point.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number of things.
    Count(u64),
    /// A time in nanoseconds.
    Nanos(u128),
    /// Any other figure.
    Number(f64),
    /// Durations in buckets.
    Times(Box<Times>),
}

/// One point: its labels' values, in the order of the family's labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub labels: Vec<String>,
    pub value: Value,
}

/// The figures of a run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Snapshot {
    /// Families with their points; one without points is left out.
    pub families: Vec<(&'static Family, Vec<Point>)>,
    /// Whether the run is over.
    pub finished: bool,
}

impl Snapshot {
    /// Adds the points of a family.
    pub(super) fn add(
        &mut self,
        family: &'static Family,
        points: impl IntoIterator<Item = (Vec<String>, Value)>,
    ) {
        let point = |(labels, value): (Vec<String>, Value)| {
            debug_assert_eq!(labels.len(), family.labels.len(), "{}", family.name);
            Point { labels, value }
        };
        let points: Vec<Point> = points.into_iter().map(point).collect();
        if !points.is_empty() {
            self.families.push((family, points));
        }
    }

    /// Adds a family of one point without labels.
    pub(super) fn one(&mut self, family: &'static Family, value: Value) {
        self.add(family, [(Vec::new(), value)]);
    }
}

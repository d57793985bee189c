//! Estimates the time to add and remove many users with one process each, from a few calls at several sizes.
//!
//! `useradd` takes longer the more users exist, so that eleven thousand of them take minutes, and the cost at one size
//! does not predict the cost at another. A few users are added and removed again at each of several sizes, and the
//! means are integrated over the sizes by trapezoids. The error is stated: two standard errors of the means, and the
//! curvature between the sizes, estimated by leaving out every other one.

use super::super::request::{Estimate, Point, Provisioned, Sampled, Spread, Way};
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::Users;
use super::act::{Halt, Operation, Store};
use super::way::carry_out;

/// Samples at `points` sizes, with `calls` at each. All users exist afterwards.
pub(crate) fn sample(
    users: &Users,
    points: u32,
    calls: u32,
    store: &Store,
    place: &SandboxPaths,
    halt: &mut dyn Halt,
) -> Result<Sampled, SandboxError> {
    let all = users.end.saturating_sub(users.start);
    let fill = match store {
        Store::Files => Way::Bulk,
        Store::Directory { .. } => Way::Connection,
    };
    let one = Way::Process { own_group: true };
    let (mut inserts, mut deletes) = (Vec::new(), Vec::new());
    let mut there = 0;
    let calls = calls.clamp(1, all.max(1));
    for size in sizes(all, points, calls) {
        let some = |from: u32, to: u32| users.start + from..users.start + to;
        let mut act = |act, way, users: Users| {
            let done = carry_out(act, way, &users, store, place, halt)?;
            whole(done)
        };
        act(Operation::Insert, fill, some(there, size))?;
        there = size;
        let sampled = some(size, size + calls);
        inserts.push((size, act(Operation::Insert, one, sampled.clone())?));
        deletes.push((size, act(Operation::Delete, one, sampled)?));
    }
    whole(carry_out(
        Operation::Insert,
        fill,
        &(users.start + there..users.end),
        store,
        place,
        halt,
    )?)?;
    let estimate = |samples: Vec<(u32, Provisioned)>| {
        let points = samples.into_iter().map(|(size, done)| point(size, calls, &done));
        estimated(points.collect(), all)
    };
    Ok(Sampled { insert: estimate(inserts), delete: estimate(deletes) })
}

/// The sizes at which samples are taken: from zero to the number that leaves room for the last sample.
fn sizes(all: u32, points: u32, calls: u32) -> Vec<u32> {
    let room = u64::from(all.saturating_sub(calls));
    let last = u64::from(points.max(2) - 1);
    let mut sizes: Vec<u32> = (0..=last).map(|point| (point * room / last) as u32).collect();
    // If there are few users, samples must not overlap: each starts where the one before ended.
    sizes.dedup();
    sizes
}

/// Rejects a sample with failures, since its times mean nothing.
fn whole(done: Provisioned) -> Result<Provisioned, SandboxError> {
    if done.failed == 0 {
        return Ok(done);
    }
    let why = done.first_failure.unwrap_or_default();
    Err(SandboxError::Unfit(format!(
        "sample {} users: {} of them failed: {why}",
        done.users, done.failed
    )))
}

fn point(size: u32, calls: u32, done: &Provisioned) -> Point {
    let each = done.each.unwrap_or_default();
    let deviation = deviation(&each);
    Point { users: size, calls, each, error_us: deviation / f64::from(calls).sqrt() }
}

/// The standard deviation derived from the quantiles: in a normal distribution the 95th percentile is 1.645 of them
/// above the median. A single delayed call does not change it.
fn deviation(each: &Spread) -> f64 {
    (each.p95_us - each.p50_us).max(0.0) / 1.645
}

/// Integrates the means over the sizes up to `all`.
fn estimated(points: Vec<Point>, all: u32) -> Estimate {
    let figures: Vec<(f64, f64, f64)> = points
        .iter()
        .map(|point| {
            let middle = f64::from(point.users) + f64::from(point.calls) / 2.0;
            (middle, point.each.mean_us, point.error_us)
        })
        .collect();
    let end = f64::from(all);
    let total =
        weighted(&figures, end).fold(0.0, |sum, (weight, (_, mean, _))| sum + weight * mean);
    let square = weighted(&figures, end)
        .fold(0.0, |sum, (weight, (.., error))| sum + (weight * error).powi(2));
    let last = figures.len().saturating_sub(1);
    let fewer: Vec<(f64, f64, f64)> = (figures.iter().copied().enumerate())
        .filter(|(index, _)| index % 2 == 0 || *index == last)
        .map(|(_, figure)| figure)
        .collect();
    let coarse = weighted(&fewer, end).fold(0.0, |sum, (weight, (_, mean, _))| sum + weight * mean);
    let error = 2.0 * square.sqrt() + (total - coarse).abs();
    Estimate { seconds: total / 1e6, error_s: error / 1e6, points }
}

/// The weight of each figure in the sum of trapezoids from 0 to `end`; beyond the outermost figures the curve is
/// assumed to be level.
fn weighted(
    figures: &[(f64, f64, f64)],
    end: f64,
) -> impl Iterator<Item = (f64, &(f64, f64, f64))> {
    let at = move |index: usize| figures.get(index).map(|figure| figure.0);
    figures.iter().enumerate().map(move |(index, figure)| {
        let left =
            index.checked_sub(1).and_then(at).map_or(0.0, |before| f64::midpoint(before, figure.0));
        let right = at(index + 1).map_or(end, |after| f64::midpoint(after, figure.0));
        (right - left, figure)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(all: u32, count: u32, calls: u32, cost_us: impl Fn(f64) -> f64) -> Vec<Point> {
        sizes(all, count, calls)
            .into_iter()
            .map(|users| {
                let mean = cost_us(f64::from(users) + f64::from(calls) / 2.0);
                let each =
                    Spread { mean_us: mean, p50_us: mean, p95_us: mean, ..Spread::default() };
                Point { users, calls, each, error_us: 0.0 }
            })
            .collect()
    }

    #[test]
    fn estimate_of_a_line_is_exact() {
        // 4 ms, and 3 us for each existing user: 4 * 3000 + 0.003 * 3000^2 / 2 ms.
        let estimate = estimated(points(3_000, 5, 25, |n| 4_000.0 + 3.0 * n), 3_000);
        let expected = 12.0 + 13.5;
        assert!((estimate.seconds - expected).abs() < 0.001, "{estimate:?}");
        assert!(estimate.error_s < 0.001);
    }

    #[test]
    fn estimate_error_covers_a_curve() {
        // The shape that was measured for useradd with a group of its own, in milliseconds: 4 + n^2 / 350000.
        let (all, curve) = (11_000.0_f64, |n: f64| 4_000.0 + n * n / 350.0);
        let truth = (4_000.0 * all + all.powi(3) / 3.0 / 350.0) / 1e6;
        let estimate = estimated(points(11_000, 7, 25, curve), 11_000);
        assert!(
            (estimate.seconds - truth).abs() <= estimate.error_s,
            "{} not {truth}",
            estimate.seconds
        );
        assert!(estimate.error_s < truth * 0.12, "{} of {truth}", estimate.error_s);
    }

    #[test]
    fn estimate_error_includes_scatter() {
        let each = Spread { mean_us: 100.0, p50_us: 100.0, p95_us: 264.5, ..Spread::default() };
        let done = Provisioned { each: Some(each), ..Provisioned::default() };
        let point = point(0, 25, &done);
        assert!((point.error_us - 20.0).abs() < 1e-9);
        let estimate = estimated(vec![point], 1_000);
        assert!((estimate.seconds - 0.1).abs() < 1e-9 && (estimate.error_s - 0.04).abs() < 1e-9);
    }

    #[test]
    fn sample_sizes_never_exceed_the_end() {
        assert_eq!(sizes(3_000, 4, 25), [0, 991, 1_983, 2_975]);
        assert_eq!(sizes(10, 5, 10), [0]);
        assert_eq!(sizes(0, 3, 1), [0]);
    }
}

//! Times each of many operations, and describes the distribution of the times.

use std::fmt::Display;
use std::fs;

use brunt_exchange::{Clock as _, Monotonic};

use super::super::request::{Provisioned, Spread};
use super::super::spec::Users;
use super::super::tools;

/// Does an operation for one user after the other, and times each.
pub(super) fn one_by_one<E: Display>(
    users: &Users,
    mut one: impl FnMut(u32) -> Result<(), E>,
) -> Provisioned {
    let mut done = Provisioned::default();
    let mut each = Vec::with_capacity(users.len());
    let clock = Monotonic::new();
    let mut before = clock.now();
    for user in users.clone() {
        if let Err(why) = one(user) {
            done.failed += 1;
            done.first_failure.get_or_insert_with(|| why.to_string());
        }
        let after = clock.now();
        each.push((after - before).as_nanos() as f64 / 1000.0);
        before = after;
    }
    done.seconds = clock.now().since_origin().as_secs_f64();
    done.each = Some(spread(&mut each));
    done
}

/// The distribution of figures, which are sorted in place.
pub(crate) fn spread(figures: &mut [f64]) -> Spread {
    figures.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (figures.len() as f64 * share).ceil() as usize;
        figures.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    };
    Spread {
        mean_us: figures.iter().sum::<f64>() / figures.len().max(1) as f64,
        p50_us: at(0.5),
        p95_us: at(0.95),
        p99_us: at(0.99),
        max_us: at(1.0),
    }
}

/// The end of the tools' error output, which says why one of them failed.
pub(super) fn complaint(log: &std::path::Path) -> String {
    tools::tail(&fs::read_to_string(log).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_uses_ranks() {
        let mut figures: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let spread = spread(&mut figures);
        assert_eq!(
            (spread.p50_us, spread.p95_us, spread.p99_us, spread.max_us),
            (50.0, 95.0, 99.0, 100.0)
        );
        assert!((spread.mean_us - 50.5).abs() < 1e-9);
        assert!((super::spread(&mut [7.0]).p50_us - 7.0).abs() < 1e-9);
        assert_eq!(super::spread(&mut []), Spread::default());
    }

    #[test]
    fn failures_are_counted_and_the_first_kept() {
        let done =
            one_by_one(
                &(0..5),
                |user| if user % 2 == 1 { Err(format!("no {user}")) } else { Ok(()) },
            );
        assert_eq!((done.failed, done.first_failure.as_deref()), (2, Some("no 1")));
    }
}

//! Pairs of runs with a known truth: how often a comparison of equal ones raises an alarm, and how often it detects
//! that one is slower.

use super::compared::{estimated, pair};
use super::document::Finding;
use super::measured::Measured;
use super::random::Random;
use super::steps::Step;
use brunt_record::Histogram;
use std::time::Duration;

/// Runs in which each second resembles the one before.
#[derive(Clone, Copy)]
struct RunModel {
    seconds: usize,
    /// Exchanges a second.
    rate: usize,
    /// How much of a second's slowness carries over to the next.
    kept: f64,
    /// How much seconds differ: the deviation of the logarithm of their slowness.
    uneven: f64,
}

impl RunModel {
    /// A run of a closed loop, in which everything takes this many times as long.
    fn run(self, slower: f64, random: &mut Random) -> (Vec<Measured>, Vec<Vec<Step>>) {
        let mut level = random.normal();
        let mut step = |random: &mut Random| {
            level = self.kept * level + (1.0 - self.kept * self.kept).sqrt() * random.normal();
            let slowness = slower * (self.uneven * level).exp();
            let count = (self.rate as f64 / slowness).round();
            let (mut response, mut service) = (Histogram::new(), Histogram::new());
            for _ in 0..count as usize {
                let took = 1e6 * slowness * (0.4 * random.normal()).exp();
                response.record(Duration::from_nanos(took as u64));
                service.record(Duration::from_nanos((took * 0.9) as u64));
            }
            Step { seconds: 1.0, answered: count, ok: count, response, service, ..Step::default() }
        };
        let steps: Vec<Step> = (0..self.seconds).map(|_| step(random)).collect();
        (vec![Measured::made(Some("bind"), &steps)], vec![steps])
    }

    /// The findings of this many pairs, of which the second is slower.
    fn findings(self, pairs: u64, runs: usize, slower: f64) -> Vec<Finding> {
        let one = |number: u64| {
            let mut random = Random::new(number.wrapping_mul(0x5851_f42d) ^ self.seconds as u64);
            let side = |side: usize, slower: f64, random: &mut Random| {
                let runs: Vec<_> = (0..runs).map(|_| self.run(slower, random)).collect();
                let runs = runs.iter().map(|(measured, steps)| (&measured[..], &steps[..]));
                estimated(&runs.collect::<Vec<_>>(), side)
            };
            let (a, b) = (side(0, 1.0, &mut random), side(1, slower, &mut random));
            pair(&a, &b, 1).result
        };
        (0..pairs).map(one).collect()
    }
}

fn count(findings: &[Finding], wanted: Finding) -> usize {
    findings.iter().filter(|finding| **finding == wanted).count()
}

/// A minute in which six tenths of a second's slowness carry over to the next.
const MINUTE: RunModel = RunModel { seconds: 60, rate: 100, kept: 0.6, uneven: 0.05 };

#[test]
fn equal_pairs_show_no_difference_in_95_of_100() {
    let found = MINUTE.findings(100, 1, 1.0);
    assert!(count(&found, Finding::Same) >= 95, "{found:?}");
}

#[test]
fn slower_by_ten_percent_is_worse_in_90_of_100() {
    let found = MINUTE.findings(100, 1, 1.1);
    assert!(count(&found, Finding::Worse) >= 90, "{found:?}");
    let found = MINUTE.findings(10, 1, 1.0 / 1.2);
    assert!(count(&found, Finding::Better) >= 9, "{found:?}");
}

/// The figures in `docs/statistics.md`: run with `--ignored` and read what is printed.
#[test]
#[ignore = "it takes minutes, and is for whoever changes the method"]
fn alarm_and_miss_rates_for_docs() {
    println!("seconds kept uneven runs | equal: ~ | 10 % slower: worse | 5 % slower: worse");
    for (seconds, kept, uneven, runs) in [
        (20, 0.0, 0.05, 1),
        (20, 0.6, 0.05, 1),
        (60, 0.0, 0.05, 1),
        (60, 0.6, 0.05, 1),
        (60, 0.6, 0.10, 1),
        (60, 0.85, 0.10, 1),
        (300, 0.85, 0.10, 1),
        (20, 0.0, 0.05, 5),
        (20, 0.6, 0.05, 5),
        (60, 0.6, 0.05, 3),
    ] {
        let environment = RunModel { seconds, rate: 100, kept, uneven };
        let pairs = 400;
        let equal = environment.findings(pairs, runs, 1.0);
        let slower = environment.findings(pairs, runs, 1.1);
        let little = environment.findings(pairs, runs, 1.05);
        let share = |found: &[Finding], wanted| count(found, wanted) as f64 / pairs as f64;
        println!(
            "{seconds:7} {kept:4} {uneven:6} {runs:4} | {:.3} | {:.3} | {:.3}",
            share(&equal, Finding::Same),
            share(&slower, Finding::Worse),
            share(&little, Finding::Worse),
        );
    }
}

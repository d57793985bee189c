//! Simulations of whole runs. A seed draws a load, a target and disturbances of the machine; the run is carried out in
//! virtual time, through everything that a run of any protocol passes; and what must be true of every run is checked
//! against the log that the sessions kept.
//!
//! All tasks of a simulation share a thread and a clock ([`brunt_engine::virtual_time`]), and those that are due at the
//! same moment take turns in an order that the seed draws. So a simulation follows from its seed. Each is made twice,
//! and both must be the same to the byte.
//!
//! A seed that fails is repeated by the command that the failure names, and then becomes a test below.

mod causes;
mod dice;
mod invariants;
mod run;
mod script;
mod session;
mod target;

use std::panic::{AssertUnwindSafe, catch_unwind};

use script::Script;

/// Simulates a seed twice, and says what is wrong.
fn simulated(seed: u64) -> Result<(), String> {
    let script = Script::drawn(seed);
    let [one, same] = [0, 1].map(|_| run::run(&script));
    match (one, same) {
        (Ok(one), Ok(same)) => {
            if one.text() != same.text() {
                return Err(format!(
                    "two simulations differ: {}",
                    differ(&one.text(), &same.text())
                ));
            }
            invariants::check(&script, &one)
        }
        (Err(one), Err(same)) if one == same => invariants::check_refusal(&script, &one),
        (one, same) => Err(format!("one of two was refused: {:?} {:?}", one.err(), same.err())),
    }
}

/// Where two texts begin to differ.
fn differ(one: &str, other: &str) -> String {
    let at = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let around = |text: &str| {
        let around = text.bytes().skip(at.saturating_sub(80)).take(160).collect::<Vec<_>>();
        String::from_utf8_lossy(&around).into_owned()
    };
    format!("{}\n  and {}", around(one), around(other))
}

/// Simulates seeds, and names those that fail with the command that repeats them.
fn all(seeds: impl Iterator<Item = u64>) {
    let mut failed = Vec::new();
    for seed in seeds {
        let ended = catch_unwind(AssertUnwindSafe(|| simulated(seed)));
        let ended = ended.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            Err(format!("it panicked: {}", text.unwrap_or_default()))
        });
        if let Err(why) = ended {
            failed.push(format!("SEED={seed} cargo test --test simulation one_seed\n  {why}"));
        }
    }
    let shown = &failed[..failed.len().min(10)];
    assert!(failed.is_empty(), "{} seeds failed:\n{}", failed.len(), shown.join("\n"));
}

/// The seed that the variable `SEED` names, with its script.
#[test]
fn one_seed() {
    let Some(seed) = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()) else { return };
    println!("{:#?}", Script::drawn(seed));
    all(std::iter::once(seed));
}

#[test]
fn seeds_from_0() {
    all(0..100);
}

#[test]
fn seeds_from_100() {
    all(100..200);
}

/// Tests of 500 seeds each, from these on.
macro_rules! five_hundred_seeds {
    ($($name:ident: $from:literal,)*) => {$(
        #[test]
        #[ignore = "slow: .ci/slow runs it"]
        fn $name() {
            all($from..$from + 500);
        }
    )*};
}

five_hundred_seeds! {
    seeds_from_200: 200,
    seeds_from_700: 700,
    seeds_from_1200: 1_200,
    seeds_from_1700: 1_700,
    seeds_from_2200: 2_200,
    seeds_from_2700: 2_700,
    seeds_from_3200: 3_200,
    seeds_from_3700: 3_700,
    seeds_from_4200: 4_200,
    seeds_from_4700: 4_700,
    seeds_from_5200: 5_200,
    seeds_from_5700: 5_700,
    seeds_from_6200: 6_200,
    seeds_from_6700: 6_700,
    seeds_from_7200: 7_200,
    seeds_from_7700: 7_700,
    seeds_from_8200: 8_200,
    seeds_from_8700: 8_700,
    seeds_from_9200: 9_200,
    seeds_from_9700: 9_700,
}

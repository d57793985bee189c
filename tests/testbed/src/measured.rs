//! [`measured`]: a test about time itself, which runs alone and makes no statement where the machine forbids one.

use crate::noise::{Noise, Watch};
use crate::permits::alone;
use crate::skip::inconclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How often the machine is measured before a test, until it is quiet: servers of the test before may still be ending.
const ROUNDS: usize = 10;

/// Carries out a test about time while no other test runs on this machine. `real` says why it cannot be virtual.
///
/// The noise of the machine is measured first, and again beside the test. A test that fails on a noisy machine is
/// neither passed nor failed: `./test` names it as inconclusive, with the noise. On a quiet machine it has failed.
pub fn measured(real: &str, test: impl FnOnce()) {
    let _alone = alone();
    let before = quietest();
    let watch = Watch::start();
    let result = catch_unwind(AssertUnwindSafe(test));
    let beside = watch.stop();
    let Err(panic) = result else { return };
    match before.forbids().or_else(|| beside.forbids()) {
        Some(noise) => inconclusive(&format!("{noise}; {real}")),
        None => resume_unwind(panic),
    }
}

/// The noise of the machine once it is quiet, or in the end.
fn quietest() -> Noise {
    let mut noise = Noise::of_idle_machine();
    for _ in 1..ROUNDS {
        if noise.forbids().is_none() {
            break;
        }
        noise = Noise::of_idle_machine();
    }
    noise
}

//! [`measured`]: a test about time itself, which runs alone and makes no statement where the machine forbids one.

use crate::noise::{Noise, Watch};
use crate::permits::alone;
use crate::skip::inconclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

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
    if let Some(noise) = excuse(result, before, watch.stop()) {
        inconclusive(&format!("{noise}; {real}"));
    }
}

/// The noise for which a test that failed states nothing. Without any, its failure goes on.
fn excuse(result: thread::Result<()>, before: Noise, beside: Noise) -> Option<String> {
    let panic = result.err()?;
    let noise = before.forbids().or_else(|| beside.forbids());
    noise.or_else(|| resume_unwind(panic))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_is_excused_only_on_a_noisy_machine() {
        let (quiet, noisy) = (Noise::default(), Noise::stolen(0.5));
        let failed = || catch_unwind(|| panic!("too late"));
        let excused = Some("the host took 50 % of a core".to_owned());
        assert_eq!(excuse(Ok(()), noisy, noisy), None);
        assert_eq!(excuse(failed(), noisy, quiet), excused);
        assert_eq!(excuse(failed(), quiet, noisy), excused);
        let panic = catch_unwind(|| excuse(failed(), quiet, quiet)).expect_err("it failed");
        assert_eq!(panic.downcast_ref(), Some(&"too late"));
    }
}

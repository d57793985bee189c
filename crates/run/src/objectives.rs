//! The objectives of `--slo`.

use brunt_record::Slo;

use crate::options::run_options::RunOptions;

/// Checks objectives and the conditions of `--abort-on` against the names of what the run measures: its operations, and
/// its spans if it has any.
pub fn objectives(
    given: &[Slo],
    options: &RunOptions,
    measured: &[&str],
) -> Result<Vec<Slo>, String> {
    for rule in &options.abort_on {
        let known = measured.iter().copied();
        rule.check(known).map_err(|error| format!("--abort-on {rule}: {error}"))?;
    }
    for slo in given {
        let known = measured.iter().copied();
        slo.check(known).map_err(|error| format!("--slo {}: {error}", slo.text()))?;
    }
    Ok(given.to_vec())
}

//! The objectives of `--slo`.

use brunt_record::Slo;

use crate::options::run_options::RunOptions;

/// Checks objectives and the conditions of `--abort-on` against the operations of the run.
pub fn objectives(
    given: &[Slo],
    options: &RunOptions,
    operations: &[&str],
) -> Result<Vec<Slo>, String> {
    objectives_with_spans(given, options, operations, operations)
}

/// The same for a run that measures more than its operations by name, about which there may be objectives.
pub fn objectives_with_spans(
    given: &[Slo],
    options: &RunOptions,
    operations: &[&str],
    measured: &[&str],
) -> Result<Vec<Slo>, String> {
    for rule in &options.abort_on {
        let known = operations.iter().copied();
        rule.check(known).map_err(|error| format!("--abort-on {rule}: {error}"))?;
    }
    for slo in given {
        let known = measured.iter().copied();
        slo.check(known).map_err(|error| format!("--slo {}: {error}", slo.text()))?;
    }
    Ok(given.to_vec())
}

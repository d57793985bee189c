//! The objectives of `--slo`.

use brunt_record::Slo;

use crate::options::run_options::RunOptions;

/// Reads objectives, and checks them and the conditions of `--abort-on` against the operations of the run.
pub fn objectives(
    texts: &[String],
    options: &RunOptions,
    operations: &[&str],
) -> Result<Vec<Slo>, String> {
    for rule in &options.abort_on {
        let known = operations.iter().copied();
        rule.check(known).map_err(|error| format!("--abort-on {rule}: {error}"))?;
    }
    let read = |text: &String| -> Result<Slo, String> {
        let slo: Slo = text.parse().map_err(|error| format!("--slo {text}: {error}"))?;
        slo.check(operations.iter().copied()).map_err(|error| format!("--slo {text}: {error}"))?;
        Ok(slo)
    };
    texts.iter().map(read).collect()
}

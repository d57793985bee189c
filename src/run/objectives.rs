//! The objectives of `--slo`.

use brunt_record::Slo;

/// Reads objectives and checks them against the operations of the run.
pub(crate) fn objectives(texts: &[String], operations: &[&str]) -> Result<Vec<Slo>, String> {
    let read = |text: &String| -> Result<Slo, String> {
        let slo: Slo = text.parse().map_err(|error| format!("--slo {text}: {error}"))?;
        slo.check(operations.iter().copied()).map_err(|error| format!("--slo {text}: {error}"))?;
        Ok(slo)
    };
    texts.iter().map(read).collect()
}

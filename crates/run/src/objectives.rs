//! The objectives of `--slo`.

use brunt_record::{AbortError, AbortRule, Slo, SloError};

use crate::options::run_options::RunOptions;

/// Why an objective or a condition does not fit what a run measures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObjectivesError {
    /// A condition that ends the run.
    #[error("--abort-on {rule}: {source}")]
    AbortOn {
        /// The condition.
        rule: Box<AbortRule>,
        /// What is wrong with it.
        source: AbortError,
    },
    /// An objective.
    #[error("--slo {objective}: {source}")]
    Slo {
        /// The objective.
        objective: String,
        /// What is wrong with it.
        source: SloError,
    },
}

/// Checks objectives and the conditions of `--abort-on` against the names of what the run measures: its operations, and
/// its spans if it has any.
pub fn objectives(
    given: &[Slo],
    options: &RunOptions,
    measured: &[&str],
) -> Result<Vec<Slo>, ObjectivesError> {
    for rule in &options.abort_on {
        let known = measured.iter().copied();
        rule.check(known)
            .map_err(|source| ObjectivesError::AbortOn { rule: Box::new(rule.clone()), source })?;
    }
    for slo in given {
        let known = measured.iter().copied();
        let wrong = |source| ObjectivesError::Slo { objective: slo.text().to_owned(), source };
        slo.check(known).map_err(wrong)?;
    }
    Ok(given.to_vec())
}

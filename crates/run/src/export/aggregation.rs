//! The kind of histogram that a collector is sent, from the variable in which OpenTelemetry programs look for it.

use crate::environment::Environment;

/// The variable.
const VARIABLE: &str = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";
/// Its values.
const EXPLICIT: &str = "explicit_bucket_histogram";
const EXPONENTIAL: &str = "base2_exponential_bucket_histogram";

/// A value of the variable that is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} must be {EXPLICIT} or {EXPONENTIAL}")]
pub struct AggregationError;

/// Whether exponential histograms are wanted.
pub(super) fn is_exponential(environment: &Environment) -> Result<bool, AggregationError> {
    match environment.text(VARIABLE).as_deref() {
        None | Some("" | EXPLICIT) => Ok(false),
        Some(EXPONENTIAL) => Ok(true),
        Some(_) => Err(AggregationError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregation_variable_accepts_both_values() {
        let of =
            |value: &str| is_exponential(&[(VARIABLE, value)].into_iter().collect::<Environment>());
        assert_eq!((of(""), of(EXPLICIT), of(EXPONENTIAL)), (Ok(false), Ok(false), Ok(true)));
        let why = of("other").unwrap_err().to_string();
        assert!(why.contains("must be explicit_bucket_histogram or"), "{why}");
        assert_eq!(is_exponential(&Environment::default()), Ok(false));
    }
}

//! The distribution of a run's response times, in the form that the public `HdrHistogram` plotters read.

use brunt_record::{Histogram, HistogramError, Record, write_hgrm};

/// The response times of all that was due in a run, over all operations. An exchange without an answer counts with the
/// least it can have taken, as the last line of the output states.
pub fn distribution(record: &Record) -> Result<String, HistogramError> {
    let (mut all, mut censored) = (Histogram::new(), record.dropped_after.count);
    for operation in &record.operations {
        all.merge(&operation.response.histogram()?);
        censored += operation.response.censored.as_ref().map_or(0, |bounds| bounds.count);
    }
    all.merge(&record.dropped_after.histogram()?);
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_hgrm(&mut text, &all, censored);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;

    #[test]
    fn distribution_includes_every_exchange_due() {
        let text = distribution(&measured(&[])).unwrap();
        assert!(text.contains("Total count    =          110]"), "{text}");
        assert!(text.ends_with(
            "#[10 operations had no answer: each is listed with its minimum possible time]\n"
        ));
    }
}

//! The percentile spectrum: which share of all exchanges was faster than a time, for response and service time.
//! [`Spectrum`].

use super::columns::figures;
use super::shown::Shown;
use brunt_record::{Histogram, HistogramError, Latency, OperationRecord, Record};
use serde::{Deserialize, Serialize};

/// Points to each halving of the distance to 100 %, as in the `HdrHistogram` plotters.
const STEPS: u32 = 5;

/// The distribution of the steady phase's latencies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The operation, or `all`.
    pub name: String,
    /// Quantiles below 1 and milliseconds in turn, ascending: ended − due.
    pub response: Vec<f64>,
    /// The same of ended − sent.
    pub service: Vec<f64>,
}

/// The spectrum of all operations together, then those of what is shown where that is more than one operation.
pub(super) fn spectra(record: &Record, shown: &Shown) -> Result<Vec<Spectrum>, HistogramError> {
    let services = record.operations.iter().map(|operation| &operation.service);
    let service = Latency::together(services, &[])?.histogram()?;
    let response = response(record)?;
    let mut spectra = vec![spectrum("all".to_owned(), &response, &service)];
    let sent = |operation: &&OperationRecord| operation.counts.sent > 0;
    if record.operations.iter().filter(sent).count() > 1 || !shown.spans.is_empty() {
        let spans = shown.spans.iter().map(|&number| &record.spans[number]);
        let operations = shown.operations.iter().map(|&number| &record.operations[number]);
        for one in operations.chain(spans) {
            let (response, service) = (one.response.histogram()?, one.service.histogram()?);
            spectra.push(spectrum(one.name.clone(), &response, &service));
        }
    }
    Ok(spectra)
}

/// The response times of all that was due.
fn response(record: &Record) -> Result<Histogram, HistogramError> {
    if let Some(all) = &record.response {
        return all.histogram();
    }
    let responses = record.operations.iter().map(|operation| &operation.response);
    Latency::together(responses, &[])?.histogram()
}

fn spectrum(name: String, response: &Histogram, service: &Histogram) -> Spectrum {
    Spectrum { name, response: points(response), service: points(service) }
}

/// The points; the last one is the greatest value, at the quantile 1 - 0.5 / count.
fn points(histogram: &Histogram) -> Vec<f64> {
    let count = histogram.count() as f64;
    let point = |share: &brunt_record::Share| {
        let quantile = if share.quantile < 1.0 { share.quantile } else { 1.0 - 0.5 / count };
        [(quantile * 1e9).round() / 1e9, figures(share.nanos as f64 / 1e6)]
    };
    histogram.distribution(STEPS).iter().flat_map(point).collect()
}

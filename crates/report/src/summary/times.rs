//! How long exchanges took: response and service time one above the other, lag, and parts.

use super::{COLUMN, LABEL, Style, met};
use brunt_record::{Histogram, HistogramError, Latency, Record};
use std::fmt::Write;
use std::time::Duration;

const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// Below this, response and service time are the same to any reader.
const WAIT_WORTH_TELLING: Duration = Duration::from_micros(50);

pub(super) fn latencies(
    text: &mut String,
    record: &Record,
    style: Style,
) -> Result<(), HistogramError> {
    let mut heading = format!("{:<LABEL$}{:>COLUMN$}", "Milliseconds", "mean");
    for quantile in QUANTILES {
        let _ = write!(heading, "{:>COLUMN$}", format!("p{}", shortest(quantile * 100.0)));
    }
    let _ = write!(heading, "{:>COLUMN$}", "max");
    let _ = writeln!(text, "{}", style.heading(&heading));
    let (mut saturated, mut censored) = (0, record.dropped_after.count);
    for operation in met(record) {
        saturated += times(text, &operation.name, "response", &operation.response)?.saturated();
        censored += operation.response.censored.as_ref().map_or(0, |bounds| bounds.count);
        times(text, "", "service", &operation.service)?;
    }
    if let Some(all) = record.response.as_ref().filter(|_| record.dropped_after.count > 0) {
        times(text, "all, the dropped too", "", all)?;
    }
    let lag = times(text, "lag", "", &record.lag)?;
    let lateness = times(text, "", "our own (lateness)", &record.lateness)?;
    for part in record.parts.iter().filter(|part| part.took.count > 0) {
        times(text, &part.name, "", &part.took)?;
    }
    if censored > 0 {
        let _ = writeln!(
            text,
            "{censored} exchanges had no answer: each counts with its minimum possible time (>)."
        );
    }
    if saturated > 0 {
        let _ = writeln!(
            text,
            "{saturated} response times were beyond 60 s; percentiles there are only the maximum"
        );
    }
    difference(text, &lag, &lateness);
    text.push('\n');
    Ok(())
}

fn times(
    text: &mut String,
    name: &str,
    kind: &str,
    latency: &Latency,
) -> Result<Histogram, HistogramError> {
    let histogram = latency.histogram()?;
    let label = if name.is_empty() { format!("  {kind}") } else { format!("{name} {kind}") };
    let _ = write!(text, "{label:<LABEL$}");
    let waits = latency.waits()?;
    let quantile = |share: f64| {
        waits.quantile(share).map(|reach| (histogram.quantile(share), !reach.is_exact()))
    };
    let bounded = latency.censored.is_some();
    let figures = std::iter::once((histogram.mean(), bounded))
        .chain(QUANTILES.map(|share| quantile(share).unwrap_or_default()))
        .chain([(histogram.max(), bounded)]);
    for (took, at_least) in figures {
        let sign = if at_least { ">" } else { "" };
        let shown = took.map_or_else(|| "-".to_owned(), |took| format!("{sign}{}", millis(took)));
        let _ = write!(text, "{shown:>COLUMN$}");
    }
    text.push('\n');
    Ok(histogram)
}

/// Says why response and service time differ, where they do.
fn difference(text: &mut String, lag: &Histogram, lateness: &Histogram) {
    let Some(mean) = lag.mean() else { return };
    let Some(tail) = lag.quantile(0.99) else { return };
    if mean.max(tail) < WAIT_WORTH_TELLING {
        return;
    }
    let ours = lateness.sum_nanos() as f64 / lag.sum_nanos().max(1) as f64;
    let _ = writeln!(
        text,
        "Response time counts from when an exchange was due, service time from when it\n\
         left. The lag between them is {} ms on average: {:.0}% of it waiting for a free\n\
         session, {:.0}% for the generator.",
        millis(mean),
        100.0 * (1.0 - ours),
        100.0 * ours
    );
}

/// Milliseconds that fit a column: microseconds are told where they matter.
fn millis(took: Duration) -> String {
    let millis = took.as_nanos() as f64 / 1e6;
    if millis < 1_000.0 { format!("{millis:.3}") } else { format!("{millis:.1}") }
}

fn shortest(percentile: f64) -> String {
    let text = format!("{percentile:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

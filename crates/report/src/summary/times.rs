//! How long exchanges took: response and service time one above the other, lag, and parts.

use super::met;
use crate::grid::Grid;
use crate::screen::Screen;
use crate::wrapped::wrapped;
use brunt_record::{Counts, Histogram, HistogramError, Latency, Record};
use std::time::Duration;

const COLUMNS: [&str; 7] = ["mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"];
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// How wide columns are where there is room.
const ROOMY: usize = 9;
/// Below this difference, response and service time are the same for a reader.
const WAIT_WORTH_TELLING: Duration = Duration::from_micros(50);
/// If more exchanges fail than this share, the response times of successes are shown apart.
const FAILED_SHARE: f64 = 0.03;
const MEANINGS: &str = "Response: from due to the end. Service: from sent to the end. Lag: from due to sent; \
                        added by brunt: the part of the lag that it caused.";

pub(super) fn latencies(
    text: &mut String,
    record: &Record,
    screen: Screen,
) -> Result<(), HistogramError> {
    let mut grid = Grid::new("Milliseconds", COLUMNS, ROOMY);
    let (mut saturated, mut censored) = (0, record.dropped_after.count);
    for operation in met(record) {
        let response = times(&mut grid, &operation.name, " response", &operation.response)?;
        saturated += response.saturated();
        censored += operation.response.censored.as_ref().map_or(0, |bounds| bounds.count);
        if let Some(ok) = operation.ok.as_ref().filter(|_| fails_often(&operation.counts)) {
            times(&mut grid, "", "  of successes", ok)?;
        }
        times(&mut grid, "", "  service", &operation.service)?;
    }
    if let Some(all) = record.response.as_ref().filter(|_| record.dropped_after.count > 0) {
        times(&mut grid, "all, with dropped", "", all)?;
    }
    let lag = times(&mut grid, "lag", "", &record.lag)?;
    let lateness = times(&mut grid, "", "  added by brunt", &record.lateness)?;
    for span in record.spans.iter().filter(|span| span.counts.sent > 0) {
        times(&mut grid, &span.name, "", &span.response)?;
    }
    for part in record.parts.iter().filter(|part| part.took.count > 0) {
        times(&mut grid, &part.name, "", &part.took)?;
    }
    *text += &grid.text(screen);
    let mut notes = vec![MEANINGS.to_owned()];
    if censored > 0 {
        notes.push(format!(
            "{censored} {} had no answer: each counts with its minimum possible time (>).",
            record.plan.noun.after(censored)
        ));
    }
    if saturated > 0 {
        notes.push(format!(
            "{saturated} response times were beyond 60 s; percentiles there are only the maximum"
        ));
    }
    notes.extend(difference(&lag, &lateness));
    for words in notes {
        *text += &wrapped(&words, "", screen.columns());
    }
    text.push('\n');
    Ok(())
}

/// Whether so many exchanges failed that their times hide those of the others: refusals are often quicker than what
/// they refuse, and time-outs slower.
fn fails_often(counts: &Counts) -> bool {
    let failed = counts.failed + counts.timed_out + counts.cut_off;
    counts.ok > 0 && failed as f64 > FAILED_SHARE * (counts.ok + failed) as f64
}

fn times(
    grid: &mut Grid,
    name: &str,
    kind: &str,
    latency: &Latency,
) -> Result<Histogram, HistogramError> {
    let histogram = latency.histogram()?;
    let waits = latency.waits()?;
    let quantile = |share: f64| {
        waits.quantile(share).map(|reach| (histogram.quantile(share), !reach.is_exact()))
    };
    let bounded = latency.censored.is_some();
    let figures = std::iter::once((histogram.mean(), bounded))
        .chain(QUANTILES.map(|share| quantile(share).unwrap_or_default()))
        .chain([(histogram.max(), bounded)]);
    let cells = figures.map(|(took, at_least)| {
        let sign = if at_least { ">" } else { "" };
        took.map_or_else(|| "-".to_owned(), |took| format!("{sign}{}", millis(took)))
    });
    grid.row(name, kind, cells);
    Ok(histogram)
}

/// The cause of the lag, where response and service time differ.
fn difference(lag: &Histogram, lateness: &Histogram) -> Option<String> {
    let (mean, tail) = (lag.mean()?, lag.quantile(0.99)?);
    if mean.max(tail) < WAIT_WORTH_TELLING {
        return None;
    }
    let ours = lateness.sum_nanos() as f64 / lag.sum_nanos().max(1) as f64;
    Some(format!(
        "The lag is {} ms on average: {:.0}% of it waiting for a free session or a connection, \
         {:.0}% for the generator.",
        millis(mean),
        100.0 * (1.0 - ours),
        100.0 * ours
    ))
}

/// Milliseconds in at most six characters: microseconds are shown where they matter.
pub(crate) fn millis(took: Duration) -> String {
    let millis = took.as_nanos() as f64 / 1e6;
    match millis {
        small if small < 99.9995 => format!("{millis:.3}"),
        medium if medium < 999.995 => format!("{millis:.2}"),
        large if large < 9_999.95 => format!("{millis:.1}"),
        _ => format!("{millis:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_show_successes_separately_above_three_percent_failed() {
        let counts = |ok, failed| Counts { ok, failed, ..Counts::default() };
        assert!(fails_often(&counts(96, 4)) && !fails_often(&counts(97, 3)));
        assert!(!fails_often(&counts(0, 100)) && !fails_often(&counts(100, 0)));
        let late = Counts { ok: 1, timed_out: 1, ..Counts::default() };
        assert!(fails_often(&late));
    }

    #[test]
    fn times_in_milliseconds_fit_their_column() {
        let shown = [0, 71_000, 99_999_900, 999_960_000, 9_999_980_000, 60_000_000_000]
            .map(|nanos| millis(Duration::from_nanos(nanos)));
        assert_eq!(shown, ["0.000", "0.071", "100.00", "999.96", "10000", "60000"]);
    }
}

//! How response times are spread: about eleven rows from the quickest to the slowest, each with a bar.
//!
//! Every row covers the same ratio, because a long tail would hide everything else on a linear scale. All operations
//! are counted together; each has its percentiles above.

use super::times::millis;
use super::{BOLD, met};
use crate::screen::Screen;
use brunt_record::{Histogram, HistogramError, Record};
use std::fmt::Write as _;
use std::time::Duration;

/// How many rows there are where times differ enough.
const ROWS: usize = 11;
/// A row is at least this much wider than the one before: rows closer to each other cannot be distinguished.
const RATIO_MIN: f64 = 1.1;
/// The width of the longest bar where there is room, and of what stands before a bar.
const BAR: usize = 30;
const BEFORE: usize = 25;

/// The rows of a run; none if nothing was answered.
pub(super) fn spread(
    text: &mut String,
    record: &Record,
    screen: Screen,
) -> Result<(), HistogramError> {
    let mut times = Histogram::new();
    for operation in met(record) {
        times.merge(&operation.response.histogram()?);
    }
    let rows = rows(&times);
    let room = BAR.min(screen.columns().saturating_sub(BEFORE)) as u64;
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or_default().max(1);
    if !rows.is_empty() {
        let title = "Response times in milliseconds, up to";
        let _ = writeln!(text, "{}", screen.dress(BOLD, title));
    }
    for (up_to, count) in &rows {
        let bar = screen.either("█", "#").repeat((count * room).div_ceil(most) as usize);
        let line = format!("  {:>8} {count:>12}  {bar}", millis(*up_to));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if !rows.is_empty() {
        text.push('\n');
    }
    Ok(())
}

/// The upper end of each row, and how many exchanges it has.
fn rows(times: &Histogram) -> Vec<(Duration, u64)> {
    let Some((quickest, slowest)) = times.min().zip(times.max()) else { return Vec::new() };
    let [quickest, slowest] = [quickest, slowest].map(|time| (time.as_nanos() as f64).max(1.0));
    let ratio = (slowest / quickest).powf(1.0 / ROWS as f64).max(RATIO_MIN);
    // The row of a time, counted from the slowest.
    let row = |nanos: f64| ((slowest / nanos).ln() / ratio.ln()).floor().max(0.0) as usize;
    let mut counts = vec![0; row(quickest).min(ROWS - 1) + 1];
    for (nanos, count) in times.buckets() {
        let at = row((nanos as f64).min(slowest)).min(counts.len() - 1);
        counts[at] += count;
    }
    let mut up_to = slowest;
    let rows = counts.into_iter().map(|count| {
        let end = Duration::from_nanos(up_to.round() as u64);
        up_to /= ratio;
        (end, count)
    });
    let mut rows: Vec<(Duration, u64)> = rows.collect();
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;

    fn times(micros: impl IntoIterator<Item = u64>) -> Histogram {
        let mut times = Histogram::new();
        micros.into_iter().for_each(|micros| times.record(Duration::from_micros(micros)));
        times
    }

    #[test]
    fn spread_has_eleven_rows_and_counts_everything() {
        for (least, most) in [(1, 60_000_000), (500, 900_000), (1_000, 4_000)] {
            let rows = rows(&times([least, least, u64::midpoint(least, most), most]));
            assert_eq!(rows.len(), 11, "{rows:?}");
            assert!(rows.is_sorted_by(|a, b| a.0 < b.0), "{rows:?}");
            assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), 4);
            assert_eq!((rows[0].1, rows[10].1 > 0), (2, true), "{rows:?}");
            let exact = rows[10].0.as_secs_f64() / (most as f64 / 1e6);
            assert!((0.99..1.01).contains(&exact), "{rows:?}");
        }
        // Times that are nearly the same have fewer rows, and none has no rows.
        assert_eq!(rows(&times([1_000; 9])).len(), 1);
        assert!(rows(&times([1_000, 1_200])).len() <= 2);
        assert_eq!(rows(&Histogram::new()), []);
    }

    #[test]
    fn spread_draws_a_bar_per_row_without_gaps() {
        let mut record = measured(&[]);
        record.operations.truncate(1);
        let all = times([1_000; 9].into_iter().chain([5_000]));
        record.operations[0].response = brunt_record::Latency::new(&all, &[50.0]);
        let mut text = String::new();
        spread(&mut text, &record, Screen::default()).unwrap();
        let lines: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0][1..], ["9", "█".repeat(30).as_str()], "{text}");
        assert_eq!(lines[5][1..], ["0"], "{text}");
        assert_eq!(lines[10][1..], ["1", "████"], "{text}");
        assert!(text.ends_with("████\n\n"), "{text}");
    }
}

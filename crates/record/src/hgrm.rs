//! Writes the percentile distribution text that the `HdrHistogram` plotters read: milliseconds,
//! five steps to each halving of the distance to 100 %.

use crate::Histogram;
use std::io::{self, Write};

const STEPS_PER_HALVING: u32 = 5;
const NANOS_PER_MILLI: f64 = 1e6;

/// The remark of a file about values that are only bounds, for which its format has no field.
pub(crate) fn bounds(censored: u64) -> String {
    format!("{censored} operations had no answer: each is listed with its minimum possible time")
}

/// Writes the distribution of `histogram`, in which `censored` values are only bounds.
pub fn write_hgrm(out: &mut impl Write, histogram: &Histogram, censored: u64) -> io::Result<()> {
    writeln!(
        out,
        "{:>12} {:>14} {:>10} {:>14}\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    )?;
    for row in histogram.distribution(STEPS_PER_HALVING) {
        let millis = row.nanos as f64 / NANOS_PER_MILLI;
        write!(out, "{millis:12.3} {:2.12} {:10}", row.quantile, row.count)?;
        if row.quantile < 1.0 {
            write!(out, " {:14.2}", 1.0 / (1.0 - row.quantile))?;
        }
        writeln!(out)?;
    }
    let millis = |took: Option<std::time::Duration>| {
        took.unwrap_or_default().as_nanos() as f64 / NANOS_PER_MILLI
    };
    let (mean, deviation) = (millis(histogram.mean()), millis(histogram.deviation()));
    writeln!(out, "#[Mean    = {mean:12.3}, StdDeviation   = {deviation:12.3}]")?;
    writeln!(
        out,
        "#[Max     = {:12.3}, Total count    = {:12}]",
        millis(histogram.max()),
        histogram.count()
    )?;
    let (buckets, sub_buckets) = Histogram::layout();
    writeln!(out, "#[Buckets = {buckets:12}, SubBuckets     = {sub_buckets:12}]")?;
    if censored > 0 {
        writeln!(out, "#[{}]", bounds(censored))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ten_values_give_the_known_table() {
        let mut histogram = Histogram::new();
        (1..=10).for_each(|n| histogram.record(Duration::from_millis(n)));
        let mut out = Vec::new();
        write_hgrm(&mut out, &histogram, 0).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[1], "");
        assert_eq!(lines[2], "       1.000 0.000000000000          1           1.00");
        assert_eq!(lines[3], "       1.000 0.100000000000          1           1.11");
        assert_eq!(lines[lines.len() - 4], "      10.000 1.000000000000         10");
        // The mean of 1..10 is 5.5, the deviation the root of 8.25.
        assert_eq!(
            lines[lines.len() - 3],
            "#[Mean    =        5.500, StdDeviation   =        2.872]"
        );
        assert_eq!(
            lines[lines.len() - 2],
            "#[Max     =       10.000, Total count    =           10]"
        );
        assert_eq!(
            lines[lines.len() - 1],
            "#[Buckets =           22, SubBuckets     =         2048]"
        );
    }
}

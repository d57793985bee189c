//! The run over time as CSV: a row for each operation in each step, for spreadsheets.
//!
//! Columns without a prefix are by end: what ended in the step, whenever it had fallen due. Columns that begin with
//! `due_` are by due: what fell due in the step, and how it ended, whenever that was.

use crate::csv_field::csv_field;
use crate::operations::codes;
use brunt_record::{Counts, HistogramError, Latency, Record};
use std::fmt::Write;

/// The steps of a record as CSV. Times are in milliseconds; what was not measured is left empty.
pub fn intervals_csv(record: &Record) -> Result<String, HistogramError> {
    let mut text = String::from(
        "from_s,to_s,phase,operation,completed,ok,failed,timed_out,cut_off,dropped,rate,\
         response_mean,response_p50,response_p99,response_max,service_mean,service_p50,service_p99,service_max,codes,\
         due_planned,due_ok,due_failed,due_timed_out,due_cut_off,due_dropped,due_skipped\n",
    );
    for step in &record.series {
        for (number, operation) in step.operations.iter().enumerate() {
            let name = record.operations.get(number).map_or("", |known| known.name.as_str());
            let counts = &operation.counts;
            let seconds = step.to_s - step.from_s;
            let rate = if seconds > 0.0 {
                format!("{:.1}", counts.completed() as f64 / seconds)
            } else {
                String::new()
            };
            // Dropped exchanges belong to no operation; they are listed once.
            let dropped = if number == 0 { step.ended.dropped } else { 0 };
            let due = if number == 0 { due(&step.due) } else { ",,,,,,".to_owned() };
            let _ = writeln!(
                text,
                "{:.3},{:.3},{},{},{},{},{},{},{},{dropped},{rate},{},{},{},{due}",
                step.from_s,
                step.to_s,
                step.phase,
                csv_field(name),
                counts.completed(),
                counts.ok,
                counts.failed,
                counts.timed_out,
                counts.cut_off,
                times(&operation.response)?,
                times(&operation.service)?,
                csv_field(&codes(&operation.codes))
            );
        }
    }
    Ok(text)
}

/// Exchanges that fell due in a step belong to no operation until they end, so they are listed once for each step.
fn due(counts: &Counts) -> String {
    let Counts { planned, ok, failed, timed_out, cut_off, dropped, skipped, .. } = counts;
    format!("{planned},{ok},{failed},{timed_out},{cut_off},{dropped},{skipped}")
}

fn times(latency: &Latency) -> Result<String, HistogramError> {
    let histogram = latency.histogram()?;
    let figures =
        [histogram.mean(), histogram.quantile(0.5), histogram.quantile(0.99), histogram.max()];
    let shown = figures.map(|took| {
        took.map_or_else(String::new, |took| format!("{:.3}", took.as_secs_f64() * 1e3))
    });
    Ok(shown.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;

    #[test]
    fn a_row_tells_one_second_of_one_operation() {
        let text = intervals_csv(&measured(&[])).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[2],
            "1.000,2.000,steady,bind,50,40,10,0,0,5,50.0,\
             2.800,3.000,3.000,3.000,1.800,2.000,2.000,2.000,success=40 invalidCredentials=10,55,40,10,0,0,5,0"
        );
        assert!(lines.iter().all(|line| line.split(',').count() == 27));
    }
}

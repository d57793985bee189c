//! The run over time as CSV: a row for each operation in each step, followed by the groups, for spreadsheets.
//!
//! Columns without a prefix are by end: what ended in the step, whenever it had fallen due. Columns that begin with
//! `due_` are by due: what became due in the step, and how it ended, whenever that was.

use crate::csv_field::csv_field;
use crate::operations::{codes, kind};
use brunt_record::{Counts, HistogramError, Latency, OperationRecord, Record};
use std::fmt::Write;

/// The steps of a record as CSV. Times are in milliseconds; what was not measured is left empty.
pub fn intervals_csv(record: &Record) -> Result<String, HistogramError> {
    let mut text = String::from(
        "from_s,to_s,phase,operation,completed,ok,failed,timed_out,cut_off,dropped,rate,\
         response_mean,response_p50,response_p99,response_max,service_mean,service_p50,service_p99,service_max,codes,\
         due_planned,due_ok,due_failed,due_timed_out,due_cut_off,due_dropped,due_skipped,kind\n",
    );
    for step in &record.series {
        let names: Vec<&str> = record.operations.iter().chain(&record.spans).map(name).collect();
        let spans = (record.operations.len()..).zip(&step.spans);
        for (number, operation) in step.operations.iter().enumerate().chain(spans) {
            let name = names.get(number).copied().unwrap_or_default();
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
                "{:.3},{:.3},{},{},{},{},{},{},{},{dropped},{rate},{},{},{},{due},{}",
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
                csv_field(&codes(&operation.codes)),
                kind(record, number)
            );
        }
    }
    Ok(text)
}

const fn name(operation: &OperationRecord) -> &str {
    operation.name.as_str()
}

/// Exchanges that became due in a step belong to no operation until they end, so they are listed once for each step.
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
    fn intervals_csv_has_a_row_per_second_and_operation() {
        let text = intervals_csv(&measured(&[])).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[2],
            "1.000,2.000,steady,bind,50,40,10,0,0,5,50.0,\
             2.800,3.000,3.000,3.000,1.800,2.000,2.000,2.000,\
             success=40 invalidCredentials=10,55,40,10,0,0,5,0,operation"
        );
        assert!(lines.iter().all(|line| line.split(',').count() == 28));
    }

    #[test]
    fn intervals_csv_lists_groups_after_operations() {
        let mut record = measured(&[]);
        record.spans =
            vec![OperationRecord { name: "login".to_owned(), ..record.operations[0].clone() }];
        let last = record.series.last_mut().unwrap();
        last.spans = vec![last.operations[0].clone()];
        let text = intervals_csv(&record).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        // What was dropped and what became due belongs to no group.
        assert!(lines[3].starts_with("1.000,2.000,steady,login,50,40,10,0,0,0,50.0,"), "{text}");
        assert!(lines[3].ends_with(",,,,,,,,group"), "{text}");
        assert_eq!(lines[3].split(',').count(), 28);
    }
}

//! The operations of a record as CSV, and after them its groups: a row for each, for spreadsheets and notebooks.

use crate::csv_field::csv_field;
use brunt_record::{CodeRecord, HistogramError, Latency, Record};
use std::fmt::Write;

/// The operations of a record as CSV. Times are in milliseconds; what was not measured is left empty.
pub fn operations_csv(record: &Record) -> Result<String, HistogramError> {
    let times_of = |what: &str| {
        ["mean", "p50", "p90", "p99", "p99.9", "max"]
            .map(|figure| format!("{what}_{figure}"))
            .join(",")
    };
    let mut text = format!(
        "operation,sent,ok,failed,timed_out,cut_off,skipped,items,achieved,goodput,{},{},codes,kind\n",
        times_of("response"),
        times_of("service")
    );
    for (number, operation) in record.operations.iter().chain(&record.spans).enumerate() {
        let counts = &operation.counts;
        let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.3}"));
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            csv_field(&operation.name),
            counts.sent,
            counts.ok,
            counts.failed,
            counts.timed_out,
            counts.cut_off,
            counts.skipped,
            counts.items,
            rate(operation.achieved),
            rate(operation.goodput),
            times(&operation.response)?,
            times(&operation.service)?,
            csv_field(&codes(&operation.codes)),
            kind(record, number),
        );
    }
    Ok(text)
}

/// What the row of this number is of, where the spans follow the operations. The exchanges of a group are in the rows
/// of operations too, so a sum is of one kind only.
pub(crate) const fn kind(record: &Record, number: usize) -> &'static str {
    if number < record.operations.len() { "operation" } else { "group" }
}

/// How often each outcome occurred, in one field.
pub(crate) fn codes(codes: &[CodeRecord]) -> String {
    let codes: Vec<String> =
        codes.iter().map(|code| format!("{}={}", code.name, code.count)).collect();
    codes.join(" ")
}

fn times(latency: &Latency) -> Result<String, HistogramError> {
    let histogram = latency.histogram()?;
    let quantiles = [0.5, 0.9, 0.99, 0.999].map(|quantile| histogram.quantile(quantile));
    let figures = [histogram.mean()].into_iter().chain(quantiles).chain([histogram.max()]);
    let shown = figures.map(|took| {
        took.map_or_else(String::new, |took| format!("{:.3}", took.as_secs_f64() * 1e3))
    });
    Ok(shown.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::OperationRecord;

    #[test]
    fn operations_csv_has_a_row_per_operation() {
        let mut record = measured(&[]);
        record.spans = vec![OperationRecord {
            name: "login".to_owned(),
            achieved: None,
            ..record.operations[0].clone()
        }];
        let text = operations_csv(&record).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines.len(), 2 + record.operations.len());
        assert!(lines.iter().all(|line| line.len() == 24), "{text}");
        let (of_group, kinds) = (lines.last().unwrap(), lines.iter().map(|line| line[23]));
        assert_eq!([of_group[0], of_group[8], of_group[23]], ["login", "", "group"], "{text}");
        assert_eq!(kinds.filter(|kind| *kind == "operation").count(), record.operations.len());
        let (operation, row) = (&record.operations[0], &lines[1]);
        assert_eq!(row[0], operation.name);
        assert_eq!(row[1], operation.counts.sent.to_string());
        let [mean, max] = [10, 15].map(|column| row[column].parse::<f64>().unwrap() * 1e3);
        assert!((mean - operation.response.mean_us.unwrap()).abs() < 1.0, "{text}");
        assert!((max * 1e3 - operation.response.max_ns.unwrap() as f64).abs() < 1e3, "{text}");
    }
}

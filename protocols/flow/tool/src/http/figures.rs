//! The block that `brunt http` prints under the summary: the figures that users of wrk or oha look for.
//!
//! All of it comes from the record of the steady phase. Response times are shown beside service times, since only both
//! together show whether the target or the load causes a slow figure; failed requests are distinguished from refused
//! ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use brunt_record::{Histogram, HistogramError, RATES, Record};

const QUANTILES: [(&str, f64); 9] = [
    ("10%", 0.1),
    ("25%", 0.25),
    ("50%", 0.5),
    ("75%", 0.75),
    ("90%", 0.9),
    ("95%", 0.95),
    ("99%", 0.99),
    ("99.9%", 0.999),
    ("99.99%", 0.9999),
];

/// The block of a run.
pub(super) fn text(record: &Record) -> Result<String, HistogramError> {
    let mut out = String::new();
    let (mut response, mut service) = (Histogram::new(), Histogram::new());
    for operation in &record.operations {
        response.merge(&operation.response.histogram()?);
        service.merge(&operation.service.histogram()?);
    }
    totals(&mut out, record);
    times(&mut out, &response, &service);
    outcomes(&mut out, record);
    Ok(out)
}

fn totals(out: &mut String, record: &Record) {
    let counts = &record.counts;
    let seconds = record.rates.seconds;
    let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
    let _ = writeln!(out, "{:<20}{seconds:.2} s", "Lasted:");
    let _ = writeln!(out, "{:<20}{}", "Requests:", counts.sent);
    let _ = writeln!(out, "{:<20}{}", "Requests/s:", rate(record.rates.achieved));
    let share = 100.0 * counts.ok as f64 / counts.sent.max(1) as f64;
    let _ = writeln!(out, "{:<20}{share:.2}%", "Success rate:");
    let _ = writeln!(out, "{:<20}{}", "Bodies:", bytes(counts.items as f64));
    // Of an older record it is only known when the requests were due.
    let arrived = record.rates.items.or_else(|| {
        let old = record.rates.definition < RATES || counts.items == 0;
        (old && seconds > 0.0).then(|| counts.items as f64 / seconds)
    });
    let per_second = arrived.map_or_else(|| "-".to_owned(), bytes);
    let _ = writeln!(out, "{:<20}{per_second}", "Bodies/s:");
    let answered = counts.ok + counts.failed;
    if answered > 0 {
        let _ = writeln!(
            out,
            "{:<20}{}",
            "Body/request:",
            bytes(counts.items as f64 / answered as f64)
        );
    }
    if counts.dropped > 0 {
        let _ = writeln!(
            out,
            "{:<20}{} (due, but no connection was free)",
            "Never sent:", counts.dropped
        );
    }
}

fn times(out: &mut String, response: &Histogram, service: &Histogram) {
    let _ = writeln!(out, "\n{:<14}{:>14}{:>14}", "Times in ms", "response", "service");
    let mut line = |name: &str, figure: &dyn Fn(&Histogram) -> Option<Duration>| {
        let shown = |histogram| figure(histogram).map_or_else(|| "-".to_owned(), millis);
        let _ = writeln!(out, "  {name:<12}{:>14}{:>14}", shown(response), shown(service));
    };
    line("mean", &Histogram::mean);
    line("deviation", &Histogram::deviation);
    line("least", &Histogram::min);
    for (name, quantile) in QUANTILES {
        line(name, &|histogram: &Histogram| histogram.quantile(quantile));
    }
    line("most", &Histogram::max);
}

fn outcomes(out: &mut String, record: &Record) {
    let mut statuses: BTreeMap<u32, u64> = BTreeMap::new();
    let mut errors: BTreeMap<String, u64> = BTreeMap::new();
    for code in record.operations.iter().flat_map(|operation| &operation.codes) {
        let class = code.class.as_str();
        let answered = matches!(class, "ok" | "result" | "check" | "exceeded" | "unexamined");
        let status = code.code.filter(|status| answered && (100..=999).contains(status));
        if let Some(status) = status {
            *statuses.entry(status).or_default() += code.count;
        }
        if status.is_none() || matches!(class, "check" | "exceeded" | "unexamined") {
            *errors.entry(class.to_owned()).or_default() += code.count;
        }
    }
    let all = record.counts.sent.max(1) as f64;
    if !statuses.is_empty() {
        let _ = writeln!(out, "\nStatuses");
    }
    for (status, count) in statuses {
        let _ = writeln!(out, "  {status:<12}{count:>14}{:>11.2}%", 100.0 * count as f64 / all);
    }
    if !errors.is_empty() {
        let _ = writeln!(out, "\nErrors");
    }
    for (class, count) in errors {
        let _ = writeln!(out, "  {class:<12}{count:>14}{:>11.2}%", 100.0 * count as f64 / all);
    }
}

fn millis(took: Duration) -> String {
    format!("{:.3}", took.as_secs_f64() * 1e3)
}

/// A number of bytes in a suitable unit.
fn bytes(count: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut figure = count;
    let mut unit = 0;
    while figure >= 1024.0 && unit + 1 < units.len() {
        figure /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{figure:.0} B") } else { format!("{figure:.2} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::{CodeRecord, Counts, Latency, OperationRecord, Rates};

    /// A class, a code, and its count.
    type Code = (&'static str, Option<u32>, u64);

    /// A record with these operations: a name, times in microseconds, and outcomes.
    fn record(operations: &[(&str, &[u64], &[Code])]) -> Record {
        let text = include_str!("testdata/empty.record.json");
        let mut record: Record = serde_json::from_str(text).unwrap();
        for (name, times, codes) in operations {
            let mut histogram = Histogram::new();
            times.iter().for_each(|micros| histogram.record(Duration::from_micros(*micros)));
            let latency = Latency::new(&histogram, &[50.0]);
            let code = |(class, code, count): &Code| CodeRecord {
                class: (*class).to_owned(),
                code: *code,
                name: String::new(),
                meaning: None,
                count: *count,
            };
            record.operations.push(OperationRecord {
                name: (*name).to_owned(),
                within: None,
                counts: Counts::default(),
                achieved: None,
                goodput: None,
                codes: codes.iter().map(code).collect(),
                response: latency.clone(),
                ok: None,
                ok_without_own: None,
                service: latency,
                tainted: None,
            });
        }
        record
    }

    fn figures<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
        let line = text.lines().find(|line| line.trim_start().starts_with(label));
        line.unwrap_or_else(|| panic!("no {label} in {text}")).trim_start()[label.len()..]
            .split_whitespace()
            .collect()
    }

    #[test]
    fn figures_cover_all_operations() {
        let mut record = record(&[
            ("a", &[1_000; 9], &[("ok", Some(200), 9)]),
            (
                "b",
                &[5_000],
                &[("result", Some(503), 1), ("closed", None, 2), ("check", Some(200), 3)],
            ),
        ]);
        record.counts = Counts {
            sent: 15,
            ok: 9,
            failed: 6,
            items: 30 * 1024,
            dropped: 4,
            ..Counts::default()
        };
        record.rates =
            Rates { seconds: 2.0, achieved: Some(7.5), items: Some(10_240.0), ..Rates::default() };
        let text = text(&record).unwrap();
        assert_eq!(figures(&text, "Requests/s:"), ["7.5"]);
        assert_eq!(figures(&text, "Success rate:"), ["60.00%"]);
        // What arrived while the load ran; an older record does not have it.
        assert_eq!(figures(&text, "Bodies/s:"), ["10.00", "KiB"]);
        (record.rates.items, record.rates.definition) = (None, 1);
        let text = super::text(&record).unwrap();
        assert_eq!(figures(&text, "Bodies/s:"), ["15.00", "KiB"]);
        assert_eq!(figures(&text, "Body/request:"), ["2.00", "KiB"]);
        assert_eq!(figures(&text, "Never sent:")[0], "4");
        // Nine of 1 ms and one of 5 ms.
        assert_eq!(figures(&text, "mean"), ["1.400", "1.400"]);
        assert_eq!(figures(&text, "90%")[0], "1.000");
        assert_eq!(figures(&text, "most")[0], "5.000");
        assert_eq!(figures(&text, "200"), ["12", "80.00%"]);
        assert_eq!(figures(&text, "503"), ["1", "6.67%"]);
        assert_eq!(figures(&text, "closed"), ["2", "13.33%"]);
        assert_eq!(figures(&text, "check"), ["3", "20.00%"]);
    }

    #[test]
    fn failed_check_is_counted_once() {
        let codes = [("check", Some(0), 2), ("check", None, 1), ("check", Some(200), 1)];
        let mut record = record(&[("a", &[1_000], &codes)]);
        record.counts = Counts { sent: 4, failed: 4, ..Counts::default() };
        let text = text(&record).unwrap();
        assert_eq!(figures(&text, "check"), ["4", "100.00%"]);
        assert_eq!(figures(&text, "200"), ["1", "25.00%"]);
    }

    #[test]
    fn missing_figures_are_dashes() {
        let text = text(&record(&[])).unwrap();
        assert_eq!(figures(&text, "mean"), ["-", "-"]);
        assert_eq!(figures(&text, "Requests/s:"), ["-"]);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(!text.contains("Statuses"));
    }

    #[test]
    fn bytes_have_a_suitable_unit() {
        for (count, shown) in
            [(0.0, "0 B"), (1023.0, "1023 B"), (1536.0, "1.50 KiB"), (2e9, "1.86 GiB")]
        {
            assert_eq!(bytes(count), shown);
        }
    }
}

//! Writes a [`Snapshot`] as the text that Prometheus scrapes, in either of its two formats.
//!
//! Current servers request OpenMetrics; `promtool` and older servers read the older text format. They differ in the
//! names of counters, in units and in the last line. The crate `prometheus-client` writes only the first, from
//! registers of its own that count one value at a time, while here whole histograms are already counted.

use std::fmt::Write as _;

use super::family::{Family, Kind, Unit};
use super::snapshot::{Point, Snapshot, Value};
use super::times::{BOUNDS, Times};

/// One of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The text format 0.0.4.
    Text,
}

impl Format {
    /// The format that an `Accept` header requests.
    pub(super) fn accepted(accept: &str) -> Self {
        if accept.contains("application/openmetrics-text") { Self::OpenMetrics } else { Self::Text }
    }

    /// Its HTTP content type.
    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// The suffix of a point's name; a histogram has several.
pub(super) const fn ending(family: &Family) -> &'static str {
    match family.kind {
        Kind::Counter => "_total",
        Kind::Info => "_info",
        Kind::Gauge | Kind::Histogram => "",
    }
}

/// The text of all figures.
pub(super) fn exposition(snapshot: &Snapshot, format: Format) -> String {
    let mut text = String::new();
    let ours = snapshot.families.iter().filter(|(family, _)| family.is_ours());
    for (family, points) in ours {
        head(&mut text, family, format);
        for point in points {
            write_point(&mut text, family, point);
        }
    }
    if format == Format::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

fn head(text: &mut String, family: &Family, format: Format) {
    let name = family.prometheus();
    let (name, kind) = match (format, family.kind) {
        (Format::OpenMetrics, Kind::Info) => (name, "info"),
        (Format::OpenMetrics, Kind::Counter) => (name, "counter"),
        // In the older format, the name of a family is that of its points.
        (Format::Text, Kind::Info) => (format!("{name}_info"), "gauge"),
        (Format::Text, Kind::Counter) => (format!("{name}_total"), "counter"),
        (_, Kind::Gauge) => (name, "gauge"),
        (_, Kind::Histogram) => (name, "histogram"),
    };
    let _ = writeln!(text, "# HELP {name} {}", escaped(family.help));
    let _ = writeln!(text, "# TYPE {name} {kind}");
    if format == Format::OpenMetrics && family.unit == Unit::Seconds {
        let _ = writeln!(text, "# UNIT {name} seconds");
    }
}

fn write_point(text: &mut String, family: &Family, point: &Point) {
    let (name, ending) = (family.prometheus(), ending(family));
    let labels = family.labels.iter().copied().zip(point.labels.iter().map(String::as_str));
    let labels: Vec<(&str, &str)> = labels.collect();
    let number = match &point.value {
        Value::Count(count) => count.to_string(),
        Value::Nanos(nanos) => seconds(*nanos),
        Value::Number(number) => number.to_string(),
        Value::Times(times) => return write_times(text, &name, &labels, times),
    };
    let _ = writeln!(text, "{name}{ending}{} {number}", written(&labels, None));
}

fn write_times(text: &mut String, name: &str, labels: &[(&str, &str)], times: &Times) {
    let mut below = 0;
    let bounds = BOUNDS.iter().map(|(_, bound)| *bound).chain(["+Inf"]);
    for (bound, held) in bounds.zip(times.counts) {
        below += held;
        let _ = writeln!(text, "{name}_bucket{} {below}", written(labels, Some(bound)));
    }
    let labels = written(labels, None);
    let _ = writeln!(text, "{name}_sum{labels} {}", seconds(times.sum_nanos));
    let _ = writeln!(text, "{name}_count{labels} {below}");
}

/// Labels with their values, and the bound of a bucket.
fn written(labels: &[(&str, &str)], bound: Option<&str>) -> String {
    let of = |(name, value): (&str, &str)| format!("{name}=\"{}\"", escaped(value));
    let all: Vec<String> =
        labels.iter().copied().chain(bound.map(|bound| ("le", bound))).map(of).collect();
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
}

/// A text with the characters escaped that would end its label or its line.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Nanoseconds as seconds, to the last digit.
fn seconds(nanos: u128) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::family;
    use brunt_record::Histogram;
    use std::time::Duration;

    fn shown() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut histogram = Histogram::new();
        for millis in [1, 30, 90_000] {
            histogram.record(Duration::from_millis(millis));
        }
        let mut times = Times::default();
        times.add(&histogram);
        let hostile = "a\"} 7\nbrunt_up 1\\".to_owned();
        let labels = vec![hostile, "steady".to_owned()];
        snapshot.one(family::ELAPSED, Value::Nanos(1_500_000_000));
        snapshot.add(family::ITEMS, [(labels.clone(), Value::Count(7))]);
        snapshot.add(family::RESPONSE, [(labels, Value::Times(Box::new(times)))]);
        snapshot
    }

    #[test]
    fn exposition_formats_follow_their_specifications() {
        let open = exposition(&shown(), Format::OpenMetrics);
        assert!(open.contains("# TYPE brunt_items counter\n"), "{open}");
        assert!(open.contains("# UNIT brunt_response_seconds seconds\n"), "{open}");
        assert!(open.ends_with("# EOF\n"), "{open}");
        let text = exposition(&shown(), Format::Text);
        assert!(text.contains("# TYPE brunt_items_total counter\n"), "{text}");
        assert!(!text.contains("# UNIT") && !text.contains("# EOF"), "{text}");
        for both in [&open, &text] {
            assert!(both.contains("brunt_run_elapsed_seconds 1.500000000\n"), "{both}");
            for (bound, below) in
                [("0.0005", 0), ("0.0025", 1), ("0.05", 2), ("60.0", 2), ("+Inf", 3)]
            {
                let line = format!("le=\"{bound}\"}} {below}\n");
                assert!(both.contains(&line), "{line}: {both}");
            }
            assert!(both.contains("} 90.031000000\n"), "{both}");
        }
    }

    #[test]
    fn exposition_escapes_hostile_label_values() {
        let text = exposition(&shown(), Format::Text);
        let line =
            "brunt_items_total{operation=\"a\\\"} 7\\nbrunt_up 1\\\\\",phase=\"steady\"} 7\n";
        assert!(text.contains(line), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("brunt_up")), "{text}");
    }

    #[test]
    fn accept_header_chooses_the_format() {
        let prometheus =
            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
        assert_eq!(Format::accepted(prometheus), Format::OpenMetrics);
        assert_eq!(Format::accepted("*/*"), Format::Text);
    }
}

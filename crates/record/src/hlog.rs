//! Writes the interval log of the `HdrHistogram` tools, version 1.3.
//!
//! The response times of all operations have no tag, since the log processor reads untagged lines
//! by default; `Tag=bind` marks those of one operation and `Tag=bind.service` its service times. An
//! interval is written in one piece, so that a run that is killed leaves whole lines.

use crate::{Catalogue, Histogram, Interval};
use std::io::{self, Write};
use std::time::Duration;

const COLUMNS: &str =
    r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#;

/// An interval log being written.
pub struct Hlog<W> {
    out: W,
    censored: u64,
    tags: Vec<(String, String)>,
}

impl<W: Write> Hlog<W> {
    /// Begins a log of a run that began at `started`.
    pub fn new(mut out: W, started: jiff::Timestamp, catalogue: &Catalogue) -> io::Result<Self> {
        let seconds = started.as_millisecond() as f64 / 1e3;
        let head = format!(
            "#[Histogram log format version 1.3]\n\
             #[StartTime: {seconds:.3} (seconds since epoch), {started}]\n{COLUMNS}\n"
        );
        out.write_all(head.as_bytes())?;
        out.flush()?;
        let tags =
            catalogue.operations.iter().map(|name| (tag(name), format!("{}.service", tag(name))));
        Ok(Self { out, censored: 0, tags: tags.collect() })
    }

    /// Adds one interval: one line for all operations and two for each operation that was carried
    /// out.
    pub fn push(&mut self, interval: &Interval) -> io::Result<()> {
        let (from, lasted) = (interval.from, interval.lasted());
        let mut all = Histogram::new();
        interval.operations.iter().for_each(|operation| all.merge(&operation.response.due()));
        all.merge(&interval.dropped_after);
        let censored = interval.operations.iter().map(|o| o.response.censored().count());
        self.censored += censored.sum::<u64>() + interval.dropped_after.count();
        let mut text = line(None, from, lasted, &all);
        for (operation, (response, service)) in interval.operations.iter().zip(&self.tags) {
            text += &line(Some(response), from, lasted, &operation.response.due());
            text += &line(Some(service), from, lasted, &operation.service);
        }
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Returns the writer, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        if self.censored > 0 {
            let bounds = format!("#[{}]\n", crate::hgrm::bounds(self.censored));
            self.out.write_all(bounds.as_bytes())?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A line of one histogram; empty if nothing was recorded.
fn line(tag: Option<&str>, from: Duration, lasted: Duration, histogram: &Histogram) -> String {
    let Some(max) = histogram.max() else { return String::new() };
    format!(
        "{}{:.3},{:.3},{:.3},{}\n",
        tag.map_or(String::new(), |tag| format!("Tag={tag},")),
        from.as_secs_f64(),
        lasted.as_secs_f64(),
        max.as_nanos() as f64 / 1e6,
        histogram.to_base64()
    )
}

/// A tag must not contain the field separators.
fn tag(name: &str) -> String {
    name.replace([',', ' ', '\t', '\r', '\n'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Phase;
    use brunt_exchange::{Moment, Outcome, Stamps};
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn hlog_is_read_by_another_parser() {
        let catalogue = Catalogue::new(["bind all", "search"], []);
        let started = "2026-01-02T03:04:05.250Z".parse().unwrap();
        let mut log = Hlog::new(Vec::new(), started, &catalogue).unwrap();
        let mut interval = Interval::new(2, 0);
        interval.reset(1, Phase::Steady, Duration::from_millis(1_500));
        interval.to = Duration::from_millis(2_500);
        for micros in 1..=100 {
            let [due, sent, ended] = [0, 500, 1_000 * micros + 500].map(Moment::from_nanos);
            interval.record(
                0,
                Outcome::Ok(0),
                &Stamps { due, free: due, sent, ended },
                0,
                crate::Own::default(),
            );
        }
        log.push(&interval).unwrap();
        let text = String::from_utf8(log.finish().unwrap()).unwrap();
        assert!(text.contains("#[StartTime: 1767323045.250 (seconds since epoch)"), "{text}");
        let found: Vec<(Option<String>, f64, f64, u64, u64)> =
            IntervalLogIterator::new(text.as_bytes())
                .filter_map(|entry| match entry.unwrap() {
                    LogEntry::Interval(line) => Some(line),
                    _ => None,
                })
                .map(|line| {
                    let bytes = base64::Engine::decode(
                        &base64::engine::general_purpose::STANDARD,
                        line.encoded_histogram(),
                    );
                    let read: hdrhistogram::Histogram<u64> = Deserializer::new()
                        .deserialize(&mut io::Cursor::new(bytes.unwrap()))
                        .unwrap();
                    let tag = line.tag().map(|tag| tag.as_str().to_owned());
                    (
                        tag,
                        line.start_timestamp().as_secs_f64(),
                        line.max(),
                        read.len(),
                        read.value_at_quantile(0.5),
                    )
                })
                .collect();
        let tags: Vec<Option<&str>> = found.iter().map(|(tag, ..)| tag.as_deref()).collect();
        assert_eq!(tags, [None, Some("bind_all"), Some("bind_all.service")]);
        for (_, start, max, count, median) in found {
            assert_eq!((start, count), (1.5, 100));
            assert!((0.099..=0.101).contains(&max), "{max}");
            assert!((50_000..50_600).contains(&median), "{median}");
        }
    }
}

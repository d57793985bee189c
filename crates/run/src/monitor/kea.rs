//! [`Kea`]: the statistics of a Kea server, through its control socket (`statistic-get-all`).

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::path::PathBuf;

use brunt_feed::Files;
use brunt_net::unix;
use brunt_record::{Counts, MonitorRecord};
use serde_json::Value;

use super::{Reading, Source, WITHIN};

/// The largest answer: more than the statistics of many thousands of subnets.
const ANSWER_MAX: u64 = 16 << 20;

/// The names of the counts of clients for which no address was found.
const ALLOCATION_FAILURES: [&str; 2] = ["v4-allocation-fail", "v6-allocation-fail"];

/// Why the statistics of a server cannot be read.
#[derive(Debug, thiserror::Error)]
enum KeaError {
    #[error("query {}: {source}", socket.display())]
    Request { socket: PathBuf, source: std::io::Error },
    #[error("understand the answer of {}: {source}", socket.display())]
    Json { socket: PathBuf, source: serde_json::Error },
    #[error("understand the answer of {}: {text}", socket.display())]
    Refused { socket: PathBuf, text: String },
    #[error("understand the answer of {}: it has no statistics", socket.display())]
    NoStatistics { socket: PathBuf },
}

/// A Kea server on this machine.
pub(super) struct Kea {
    socket: PathBuf,
    files: Files,
}

impl Kea {
    pub(super) fn new(socket: PathBuf, files: Files) -> Self {
        Self { socket, files }
    }

    fn request(&self) -> std::io::Result<Vec<u8>> {
        let mut stream = unix::connect_blocking(&self.socket, &self.files, Some(WITHIN))?;
        stream.write_all(br#"{"command":"statistic-get-all"}"#)?;
        stream.shutdown(Shutdown::Write)?;
        let mut answer = Vec::new();
        stream.take(ANSWER_MAX).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

impl Source for Kea {
    fn read(&mut self) -> Reading {
        let socket = || self.socket.clone();
        let answer =
            self.request().map_err(|source| KeaError::Request { socket: socket(), source })?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|source| KeaError::Json { socket: socket(), source })?;
        if answer["result"] != 0 {
            let text = answer["text"].as_str().unwrap_or("it reports a failure").to_owned();
            return Err(KeaError::Refused { socket: socket(), text }.into());
        }
        let all = answer["arguments"].as_object();
        Ok(numbers(all.ok_or_else(|| KeaError::NoStatistics { socket: socket() })?))
    }
}

/// The latest value of each statistic that is a number: those of the server before those of its subnets, since not all
/// can be kept if there are many.
fn numbers(all: &serde_json::Map<String, Value>) -> Vec<(String, f64)> {
    let number =
        |(name, values): (&String, &Value)| Some((name.clone(), values.get(0)?.get(0)?.as_f64()?));
    let mut numbers: Vec<_> = all.iter().filter_map(number).collect();
    numbers.sort_by_key(|(name, _)| name.contains('['));
    numbers
}

/// An explanation of requests without an answer by Kea's own figures: it does not answer a client for which it finds no
/// address. Failures that are fewer than half of these requests do not explain them.
pub fn allocation_failures(monitors: &[MonitorRecord], counts: &Counts) -> Option<String> {
    let unanswered = counts.timed_out + counts.cut_off;
    let of_kea = monitors.iter().filter(|monitor| monitor.source.starts_with("kea:"));
    let readings = of_kea.flat_map(|monitor| &monitor.readings);
    let failures = readings.filter(|reading| ALLOCATION_FAILURES.contains(&reading.name.as_str()));
    let (name, grown) = failures
        .map(|reading| (&reading.name, reading.last - reading.first))
        .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (unanswered > 0 && grown * 2.0 >= unanswered as f64).then(|| {
        format!(
            "Kea found no address for a client {grown:.0} times ({name}), and does not answer such a request: is the \
             pool exhausted?"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::ReadingRecord;

    #[test]
    fn kea_statistics_use_the_latest_value() {
        let all = serde_json::json!({
            "subnet[1].assigned-addresses": [[7, "2026-01-01 00:00:00.000000"]],
            "pkt4-received": [[12, "2026-01-01 00:00:01.000000"], [11, "2026-01-01 00:00:00.000000"]],
            "text": [["up", "2026-01-01 00:00:00.000000"]],
            "empty": [],
        });
        let numbers = numbers(all.as_object().unwrap());
        let expected =
            [("pkt4-received".to_owned(), 12.0), ("subnet[1].assigned-addresses".to_owned(), 7.0)];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn kea_socket_missing_is_named() {
        let why = Kea::new("/nowhere/kea".into(), Files::default()).read().unwrap_err().to_string();
        assert!(why.starts_with("query /nowhere/kea: "), "{why}");
    }

    #[test]
    fn kea_allocation_failures_explain_unanswered_requests() {
        let reading = |name: &str, first, last| ReadingRecord {
            name: name.to_owned(),
            first,
            last,
            ..ReadingRecord::default()
        };
        let source = "kea:/run/kea/kea4.sock".to_owned();
        let readings =
            vec![reading("v4-allocation-fail", 7.0, 107.0), reading("pkt4-received", 0.0, 900.0)];
        let monitors = [MonitorRecord { source, readings, ..MonitorRecord::default() }];
        let of =
            |timed_out| allocation_failures(&monitors, &Counts { timed_out, ..Counts::default() });
        let found = of(120).unwrap();
        assert!(found.contains("100 times (v4-allocation-fail)"), "{found}");
        assert_eq!((of(0), of(201)), (None, None));
        assert_eq!(allocation_failures(&[], &Counts { timed_out: 5, ..Counts::default() }), None);
    }
}

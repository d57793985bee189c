//! [`Kea`]: the statistics of a Kea server, through its control socket (`statistic-get-all`).

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde_json::Value;

use super::{Reading, Source, WITHIN};

/// The largest answer: more than the statistics of many thousands of subnets.
const ANSWER_MAX: u64 = 16 << 20;

/// A Kea server on this machine.
pub(super) struct Kea {
    socket: PathBuf,
}

impl Kea {
    pub(super) fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    fn ask(&self) -> std::io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(WITHIN))?;
        stream.set_write_timeout(Some(WITHIN))?;
        stream.write_all(br#"{"command":"statistic-get-all"}"#)?;
        stream.shutdown(Shutdown::Write)?;
        let mut answer = Vec::new();
        stream.take(ANSWER_MAX).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

impl Source for Kea {
    fn read(&mut self) -> Reading {
        let answer =
            self.ask().map_err(|error| format!("ask {}: {error}", self.socket.display()))?;
        let wrong =
            |what: &str| format!("understand the answer of {}: {what}", self.socket.display());
        let answer: Value =
            serde_json::from_slice(&answer).map_err(|error| wrong(&error.to_string()))?;
        if answer["result"] != 0 {
            return Err(wrong(answer["text"].as_str().unwrap_or("it reports a failure")));
        }
        let all = answer["arguments"].as_object().ok_or_else(|| wrong("it has no statistics"))?;
        Ok(numbers(all))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_each_number_is_read() {
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
    fn a_socket_that_is_not_there_is_named() {
        let why = Kea::new("/nowhere/kea".into()).read().unwrap_err();
        assert!(why.starts_with("ask /nowhere/kea: "), "{why}");
    }
}

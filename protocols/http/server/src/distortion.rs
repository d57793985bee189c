//! [`Distortion`]: a fault of a script that concerns the bytes of one answer over HTTP/1.

use std::io;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use brunt_embedded::counter::add;
use brunt_embedded::script;
use brunt_embedded::script::period::Period;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::timer::Sleep;

use super::reply::reason;
use super::script::Action;
use super::worker::Worker;

/// How much of endless fields is made at once.
const FIELDS_BYTES: usize = 8 << 10;

/// An answer that a fault applies to.
pub(super) struct Distortion {
    action: Action,
    random: u64,
    /// The answer as hyper wrote it, and after the fault what is left to send.
    bytes: Vec<u8>,
    /// Whether the fault was applied.
    applied: bool,
    sent: usize,
    /// When the next byte of a slow answer is due.
    pace: Option<(Sleep, Duration)>,
    /// The number of the next field that has no meaning.
    field: u64,
}

impl Distortion {
    pub(super) const fn new(action: Action, random: u64) -> Self {
        let bytes = Vec::new();
        Self { action, random, bytes, applied: false, sent: 0, pace: None, field: 0 }
    }

    /// Adds bytes of the answer.
    pub(super) fn collect(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) const fn has_answer(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Sends what the fault makes of the answer. Fails if the connection must end then.
    pub(super) fn poll_write(
        &mut self,
        worker: &Worker,
        stream: &mut Stream,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.applied {
            self.applied = true;
            self.bytes = applied(self.action, self.random, &self.bytes);
        }
        loop {
            while self.sent < self.bytes.len() {
                let piece = match self.action {
                    Action::Drip(Period(each)) => {
                        let now = || (worker.timer.sleep(), worker.clock.now() + each);
                        let (sleep, at) = self.pace.get_or_insert_with(now);
                        ready!(sleep.poll_until(*at, cx));
                        &self.bytes[self.sent..=self.sent]
                    }
                    _ => &self.bytes[self.sent..],
                };
                let count = ready!(stream.poll_write(cx, piece))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                add(&worker.counters.bytes_written, count as u64);
                self.sent += count;
                if let (Action::Drip(Period(each)), Some((_, at))) = (self.action, &mut self.pace) {
                    *at += each;
                }
            }
            ready!(stream.poll_flush(cx))?;
            if !matches!(self.action, Action::EndlessHeaders) {
                break;
            }
            // A client that has enough closes the connection, and writing ends with an error.
            self.make_fields();
        }
        Poll::Ready(if self.ends() { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) })
    }

    fn make_fields(&mut self) {
        self.bytes.clear();
        self.sent = 0;
        while self.bytes.len() < FIELDS_BYTES {
            let field = format!("X-Endless-{}: {}\r\n", self.field, "endless ".repeat(10));
            self.bytes.extend_from_slice(field.as_bytes());
            self.field += 1;
        }
    }

    /// Whether the connection ends after the answer, though the answer does not say so.
    const fn ends(&self) -> bool {
        match self.action {
            // If fewer bytes are sent than announced, the connection ends; if more are sent, they look like the next
            // answer.
            Action::WrongLength(more) => more > 0,
            Action::Interim(_) | Action::Drip(_) | Action::UntilClose => false,
            _ => true,
        }
    }
}

/// What a fault makes of the bytes of an answer.
fn applied(action: Action, random: u64, answer: &[u8]) -> Vec<u8> {
    match action {
        Action::Half => answer[..answer.len() / 2].to_vec(),
        Action::Truncate(bytes) => answer[..bytes.min(answer.len())].to_vec(),
        Action::Garbage(bytes) => script::garbage(random, bytes, b'H'),
        Action::EndlessHeaders => {
            let end = answer.windows(2).position(|two| two == b"\r\n").unwrap_or_default();
            answer[..end + 2].to_vec()
        }
        Action::WrongLength(more) => with_length(answer, |length| {
            Some(format!("Content-Length: {}\r\n", length.saturating_add_signed(more)))
        }),
        Action::UntilClose => with_length(answer, |_| None),
        Action::Interim(status) => {
            let line = format!("HTTP/1.1 {status} {}\r\nX-Interim: yes\r\n\r\n", reason(status));
            [line.as_bytes(), answer].concat()
        }
        _ => answer.to_vec(),
    }
}

/// An answer with another line instead of the one with its length, or without it.
fn with_length(answer: &[u8], line: impl Fn(u64) -> Option<String>) -> Vec<u8> {
    const NAME: &[u8] = b"content-length:";
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_default() + 2;
    let (head, rest) = answer.split_at(head.min(answer.len()));
    let mut made = Vec::with_capacity(answer.len() + 8);
    for field in head.split_inclusive(|byte| *byte == b'\n') {
        let value = field
            .split_at_checked(NAME.len())
            .filter(|(name, _)| name.eq_ignore_ascii_case(NAME))
            .and_then(|(_, value)| std::str::from_utf8(value).ok()?.trim().parse().ok());
        match value {
            Some(length) => made.extend(line(length).unwrap_or_default().bytes()),
            None => made.extend_from_slice(field),
        }
    }
    made.extend_from_slice(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_length_fault_changes_only_the_head() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\nA: b\r\n\r\nContent-Length: 7\r\n";
        for (action, expected) in [
            (Action::WrongLength(3), "HTTP/1.1 200 OK\r\nContent-Length: 22\r\nA: b\r\n\r\n"),
            (Action::WrongLength(-20), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\r\n"),
            (Action::UntilClose, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        ] {
            let made = String::from_utf8(applied(action, 0, answer)).unwrap();
            assert_eq!(made, format!("{expected}Content-Length: 7\r\n"), "{action:?}");
        }
    }

    #[test]
    fn truncation_faults_never_lengthen_the_answer() {
        assert_eq!(applied(Action::Truncate(9), 0, b"HTTP"), b"HTTP");
        assert_eq!(applied(Action::Half, 0, b"HTTP/"), b"HT");
        assert_eq!(
            applied(Action::EndlessHeaders, 0, b"HTTP/1.1 200 OK\r\nA: b\r\n"),
            b"HTTP/1.1 200 OK\r\n"
        );
    }
}

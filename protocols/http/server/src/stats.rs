//! What a server received and answered, counted exactly.
//!
//! A client's figures are compared with these, so nothing is sampled. Each thread has counters of its own, which are
//! summed on request.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_embedded::counter::add;
use brunt_embedded::tcp::accepted::ConnectionStats;
use hashbrown::HashMap;
use serde_json::{Value, json};

use super::request::Version;

/// The methods that are counted by their names.
const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// How often requests of a method and a path were answered with a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally {
    /// The method; `other` for one that RFC 9110 does not define.
    pub method: &'static str,
    /// The path, such as `/api/users/{id}`.
    pub path: &'static str,
    /// The status.
    pub status: u16,
    /// The number of times.
    pub count: u64,
}

/// What a server received and answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How many connections were accepted.
    pub connections_accepted: u64,
    /// How many of them have ended.
    pub connections_closed: u64,
    /// How many were closed at once because there were too many.
    pub connections_refused: u64,
    /// How many TLS handshakes were completed.
    pub handshakes: u64,
    /// How many of those resumed an earlier one.
    pub handshakes_resumed: u64,
    /// How many TLS handshakes failed.
    pub handshakes_failed: u64,
    /// How many requests were read, by HTTP/1 and by HTTP/2.
    pub requests: [u64; 2],
    /// How they were answered, including answers that a script withheld.
    pub answers: Vec<Tally>,
    /// How many connections sent something other than HTTP.
    pub malformed: u64,
    /// How often each action of the script was done, by name.
    pub faults: Vec<(&'static str, u64)>,
    /// How often what happened at the OpenID provider, by name.
    pub events: Vec<(&'static str, u64)>,
    /// How many bytes of HTTP/1 were read, without TLS.
    pub bytes_read: u64,
    /// How many bytes of HTTP/1 were written, without TLS.
    pub bytes_written: u64,
}

impl Stats {
    /// How many requests were read.
    pub fn requests_total(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// How many requests of one method and path were answered with one status.
    pub fn answers_of(&self, method: &str, path: &str, status: u16) -> u64 {
        let same =
            |tally: &&Tally| (tally.method, tally.path, tally.status) == (method, path, status);
        self.answers.iter().filter(same).map(|tally| tally.count).sum()
    }

    /// How often this happened at the OpenID provider.
    pub fn happened(&self, event: &str) -> u64 {
        self.events.iter().filter(|(name, _)| *name == event).map(|(_, count)| count).sum()
    }

    pub(super) fn gather(listener_stats: &ConnectionStats, counters: &[Arc<Counters>]) -> Self {
        let each = counters.iter().map(|counters| &*counters.connection_stats);
        let (accepted, refused, closed) = ConnectionStats::sum(each.chain([listener_stats]));
        let sum = |cell: fn(&Counters) -> &AtomicU64| {
            counters.iter().map(|c| cell(c).load(Ordering::Acquire)).sum()
        };
        let mut answers: BTreeMap<_, u64> = BTreeMap::new();
        for counters in counters {
            for ((method, path, status), count) in &*counters.lock() {
                *answers.entry((*path, *method, *status)).or_default() += count;
            }
        }
        let tally = |((path, method, status), count): ((_, u8, _), _)| {
            let method = METHODS.get(usize::from(method)).copied().unwrap_or("other");
            Tally { method, path, status, count }
        };
        Self {
            connections_accepted: accepted,
            connections_closed: closed,
            connections_refused: refused,
            handshakes: sum(|c| &c.handshakes),
            handshakes_resumed: sum(|c| &c.handshakes_resumed),
            handshakes_failed: sum(|c| &c.handshakes_failed),
            requests: [sum(|c| &c.requests[0]), sum(|c| &c.requests[1])],
            answers: answers.into_iter().map(tally).collect(),
            malformed: sum(|c| &c.malformed),
            faults: Vec::new(),
            events: Vec::new(),
            bytes_read: sum(|c| &c.bytes_read),
            bytes_written: sum(|c| &c.bytes_written),
        }
    }

    /// All of it, as `/stats` shows it.
    pub(super) fn to_json(&self) -> Value {
        let answers: Vec<_> = self
            .answers
            .iter()
            .map(|tally| {
                json!({"method": tally.method, "path": tally.path, "status": tally.status, "count": tally.count})
            })
            .collect();
        let named = |counts: &[(&str, u64)]| -> serde_json::Map<_, _> {
            counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect()
        };
        json!({
            "connections": {
                "accepted": self.connections_accepted,
                "closed": self.connections_closed,
                "refused": self.connections_refused,
            },
            "handshakes": {
                "completed": self.handshakes,
                "resumed": self.handshakes_resumed,
                "failed": self.handshakes_failed,
            },
            "requests": {
                "total": self.requests_total(),
                "http1": self.requests[0],
                "http2": self.requests[1],
            },
            "malformed": self.malformed,
            "answers": answers,
            "faults": named(&self.faults),
            "events": named(&self.events),
            "bytes": {"read": self.bytes_read, "written": self.bytes_written},
        })
    }
}

type Answers = HashMap<(u8, &'static str, u16), u64, foldhash::fast::FixedState>;

/// The counters of one thread.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) connection_stats: Arc<ConnectionStats>,
    pub(super) handshakes: AtomicU64,
    pub(super) handshakes_resumed: AtomicU64,
    pub(super) handshakes_failed: AtomicU64,
    pub(super) malformed: AtomicU64,
    pub(super) bytes_read: AtomicU64,
    pub(super) bytes_written: AtomicU64,
    requests: [AtomicU64; 2],
    /// Locked by its own thread, and by others for `/stats` only.
    answers: Mutex<Answers>,
}

impl Counters {
    /// A request was read.
    pub(super) fn request(&self, version: Version) {
        add(&self.requests[usize::from(version == Version::Http2)], 1);
    }

    /// A request was answered.
    pub(super) fn answer(&self, method: &str, path: &'static str, status: u16) {
        let method = METHODS.iter().position(|known| *known == method).unwrap_or(METHODS.len());
        *self.lock().entry((method as u8, path, status)).or_default() += 1;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

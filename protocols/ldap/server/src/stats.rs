//! What a server received and answered, counted exactly.
//!
//! A client's figures are compared with these, so nothing is sampled. Each thread has counters of its own, which are
//! summed on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) use brunt_embedded::counter::add;
use brunt_embedded::tcp::accepted::ConnectionStats;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Operation {
    /// A bind.
    Bind,
    /// An unbind; it is never answered.
    Unbind,
    /// A search.
    Search,
    /// A modify.
    Modify,
    /// An add.
    Add,
    /// A delete.
    Delete,
    /// A modify DN.
    ModifyDn,
    /// A compare.
    Compare,
    /// An abandon; it is never answered.
    Abandon,
    /// An extended request, StartTLS among them.
    Extended,
}

impl Operation {
    /// Every operation, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Bind,
        Self::Unbind,
        Self::Search,
        Self::Modify,
        Self::Add,
        Self::Delete,
        Self::ModifyDn,
        Self::Compare,
        Self::Abandon,
        Self::Extended,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Unbind => "unbind",
            Self::Search => "search",
            Self::Modify => "modify",
            Self::Add => "add",
            Self::Delete => "delete",
            Self::ModifyDn => "modify-dn",
            Self::Compare => "compare",
            Self::Abandon => "abandon",
            Self::Extended => "extended",
        }
    }
}

/// How often an operation ended with a result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The operation.
    pub operation: Operation,
    /// The result code. Codes from 128 on are counted together as 128.
    pub code: u32,
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
    /// How many TLS handshakes were completed, by LDAPS and by StartTLS.
    pub handshakes: u64,
    /// How many TLS handshakes failed.
    pub handshakes_failed: u64,
    /// How many requests were read, by operation.
    pub requests: Vec<(Operation, u64)>,
    /// How they were answered, without replies that a script withheld.
    pub answers: Vec<Tally>,
    /// How many entries searches returned.
    pub entries_returned: u64,
    /// How many connections sent something other than LDAP.
    pub malformed: u64,
    /// How often each action of the script was done, by name.
    pub faults: Vec<(&'static str, u64)>,
    /// How many bytes of requests were read, without TLS.
    pub bytes_read: u64,
    /// How many bytes of replies were written, without TLS.
    pub bytes_written: u64,
}

impl Stats {
    /// How many requests of one kind were read.
    pub fn requests_of(&self, operation: Operation) -> u64 {
        self.requests.iter().filter(|(of, _)| *of == operation).map(|(_, count)| count).sum()
    }

    /// How many requests of one kind were answered with one result code.
    pub fn answers_of(&self, operation: Operation, code: u32) -> u64 {
        let same = |tally: &&Tally| tally.operation == operation && tally.code == code;
        self.answers.iter().filter(same).map(|tally| tally.count).sum()
    }

    pub(super) fn gather(listener_stats: &ConnectionStats, counters: &[Arc<Counters>]) -> Self {
        let each = counters.iter().map(|counters| &*counters.connection_stats);
        let (accepted, refused, closed) = ConnectionStats::sum(each.chain([listener_stats]));
        let sum = |cell: fn(&Counters) -> &AtomicU64| {
            counters.iter().map(|c| cell(c).load(Ordering::Acquire)).sum()
        };
        let requests = Operation::ALL.map(|operation| {
            let count = counters
                .iter()
                .map(|c| c.requests[operation as usize].load(Ordering::Acquire))
                .sum();
            (operation, count)
        });
        let mut answers = Vec::new();
        for operation in Operation::ALL {
            for code in 0..CODES {
                let cell =
                    |c: &Arc<Counters>| c.answers[operation as usize][code].load(Ordering::Acquire);
                let count = counters.iter().map(cell).sum();
                if count > 0 {
                    answers.push(Tally { operation, code: code as u32, count });
                }
            }
        }
        Self {
            connections_accepted: accepted,
            connections_closed: closed,
            connections_refused: refused,
            handshakes: sum(|c| &c.handshakes),
            handshakes_failed: sum(|c| &c.handshakes_failed),
            requests: requests.into_iter().filter(|(_, count)| *count > 0).collect(),
            answers,
            entries_returned: sum(|c| &c.entries_returned),
            malformed: sum(|c| &c.malformed),
            faults: Vec::new(),
            bytes_read: sum(|c| &c.bytes_read),
            bytes_written: sum(|c| &c.bytes_written),
        }
    }
}

/// The number of counters of result codes; the last one counts all larger codes.
const CODES: usize = 129;

/// The counters of one thread.
#[derive(Debug)]
pub(super) struct Counters {
    pub(super) connection_stats: Arc<ConnectionStats>,
    pub(super) handshakes: AtomicU64,
    pub(super) handshakes_failed: AtomicU64,
    pub(super) entries_returned: AtomicU64,
    pub(super) malformed: AtomicU64,
    pub(super) bytes_read: AtomicU64,
    pub(super) bytes_written: AtomicU64,
    requests: [AtomicU64; Operation::ALL.len()],
    answers: [[AtomicU64; CODES]; Operation::ALL.len()],
}

impl Counters {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            connection_stats: Arc::default(),
            handshakes: zero(),
            handshakes_failed: zero(),
            entries_returned: zero(),
            malformed: zero(),
            bytes_read: zero(),
            bytes_written: zero(),
            requests: std::array::from_fn(|_| zero()),
            answers: std::array::from_fn(|_| std::array::from_fn(|_| zero())),
        }
    }

    pub(super) fn request(&self, operation: Operation) {
        add(&self.requests[operation as usize], 1);
    }

    pub(super) fn answer(&self, operation: Operation, code: u32) {
        add(&self.answers[operation as usize][(code as usize).min(CODES - 1)], 1);
    }
}

//! What a server received and answered, counted exactly.
//!
//! A client's figures are compared with these, so nothing is sampled. Each thread has counters of its own, which are
//! summed on request. For each protocol, the datagrams read are the messages received, by act, and those malformed, too
//! short or unexpected.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_embedded::counter::add;

use super::words::{Answer, Family, RequestKind};

/// What a server received and answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The counts of DHCPv4.
    pub v4: Tally,
    /// The counts of DHCPv6.
    pub v6: Tally,
    /// How often each fault of the script was done, by the name of its action.
    pub faults: Vec<(&'static str, u64)>,
}

/// The counts of one protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many datagrams were read.
    pub datagrams: u64,
    /// How many messages were received, by act.
    pub received: Vec<(RequestKind, u64)>,
    /// How many of them arrived through a relay.
    pub relayed: u64,
    /// How many answers were sent, without those that a script withheld or replaced.
    pub sent: Vec<(Answer, u64)>,
    /// How often DHCPv6 answers had each status code other than success. Codes from 63 on are counted as 63.
    pub statuses: Vec<(u16, u64)>,
    /// Datagrams that are not valid messages.
    pub malformed: u64,
    /// Datagrams shorter than the shortest message.
    pub too_short: u64,
    /// Messages that no client sends to a server.
    pub unexpected: u64,
    /// Messages addressed to another server.
    pub not_ours: u64,
    /// Messages of unknown clients that a server must not answer.
    pub unknown: u64,
    /// Messages not answered because every address was taken.
    pub exhausted: u64,
    /// Messages that a script made the server ignore.
    pub ignored: u64,
    /// Answers that the system did not accept.
    pub unsent: u64,
    /// Datagrams that the system dropped because they were not read fast enough.
    pub lost: u64,
}

/// Why a message is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum NoReply {
    Malformed,
    TooShort,
    Unexpected,
    NotOurs,
    Unknown,
    Exhausted,
    Ignored,
    /// The protocol defines no answer.
    NoneDefined,
}

const NO_REPLIES: usize = 8;

/// The number of counters of status codes; the last one counts all larger codes.
const STATUSES: usize = 64;

impl Stats {
    /// The counts of a protocol.
    pub const fn of(&self, family: Family) -> &Tally {
        match family {
            Family::V4 => &self.v4,
            Family::V6 => &self.v6,
        }
    }

    /// How often a fault of the script was done.
    pub fn fault(&self, name: &str) -> u64 {
        self.faults.iter().filter(|(fault, _)| *fault == name).map(|(_, count)| count).sum()
    }
}

impl Tally {
    /// How many messages of one act were received.
    pub fn received_of(&self, act: RequestKind) -> u64 {
        self.received.iter().filter(|(of, _)| *of == act).map(|(_, count)| count).sum()
    }

    /// How many answers of one kind were sent.
    pub fn sent_of(&self, answer: Answer) -> u64 {
        self.sent.iter().filter(|(of, _)| *of == answer).map(|(_, count)| count).sum()
    }

    /// How many answers had one status code.
    pub fn status_of(&self, code: u16) -> u64 {
        self.statuses.iter().filter(|(of, _)| *of == code).map(|(_, count)| count).sum()
    }

    /// Sums the counters of the threads.
    pub(super) fn gather<'a>(counters: impl IntoIterator<Item = &'a Counters>) -> Self {
        let counters: Vec<&Counters> = counters.into_iter().collect();
        let sum = |cell: &dyn Fn(&Counters) -> &AtomicU64| -> u64 {
            counters.iter().map(|it| cell(it).load(Ordering::Acquire)).sum()
        };
        let no_reply = |why: NoReply| sum(&|it| &it.no_replies[why as usize]);
        let received = RequestKind::ALL.map(|act| (act, sum(&|it| &it.received[act as usize])));
        let sent = Answer::ALL.map(|answer| (answer, sum(&|it| &it.sent[answer as usize])));
        let statuses = (0..STATUSES).map(|code| (code as u16, sum(&|it| &it.statuses[code])));
        Self {
            datagrams: sum(&|it| &it.datagrams),
            received: received.into_iter().filter(|(_, count)| *count > 0).collect(),
            relayed: sum(&|it| &it.relayed),
            sent: sent.into_iter().filter(|(_, count)| *count > 0).collect(),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
            malformed: no_reply(NoReply::Malformed),
            too_short: no_reply(NoReply::TooShort),
            unexpected: no_reply(NoReply::Unexpected),
            not_ours: no_reply(NoReply::NotOurs),
            unknown: no_reply(NoReply::Unknown),
            exhausted: no_reply(NoReply::Exhausted),
            ignored: no_reply(NoReply::Ignored),
            unsent: sum(&|it| &it.unsent),
            lost: 0,
        }
    }
}

/// The counters of one thread.
#[derive(Debug)]
pub(super) struct Counters {
    datagrams: AtomicU64,
    received: [AtomicU64; RequestKind::ALL.len()],
    relayed: AtomicU64,
    sent: [AtomicU64; Answer::ALL.len()],
    statuses: [AtomicU64; STATUSES],
    no_replies: [AtomicU64; NO_REPLIES],
    unsent: AtomicU64,
}

impl Counters {
    pub(super) fn new() -> Self {
        let zero = |_| AtomicU64::new(0);
        Self {
            datagrams: zero(0),
            received: array::from_fn(zero),
            relayed: zero(0),
            sent: array::from_fn(zero),
            statuses: array::from_fn(zero),
            no_replies: array::from_fn(zero),
            unsent: zero(0),
        }
    }

    pub(super) fn datagrams(&self, count: usize) {
        add(&self.datagrams, count as u64);
    }

    pub(super) fn received(&self, act: RequestKind, relayed: bool) {
        add(&self.received[act as usize], 1);
        add(&self.relayed, u64::from(relayed));
    }

    pub(super) fn sent(&self, answer: Answer) {
        add(&self.sent[answer as usize], 1);
    }

    pub(super) fn status(&self, code: u16) {
        add(&self.statuses[usize::from(code).min(STATUSES - 1)], 1);
    }

    pub(super) fn no_reply(&self, why: NoReply) {
        add(&self.no_replies[why as usize], 1);
    }

    pub(super) fn unsent(&self, count: usize) {
        add(&self.unsent, count as u64);
    }
}

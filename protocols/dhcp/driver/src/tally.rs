//! The [`Tally`] of a worker: what it counts in addition to the engine's exchanges, by stage and by phase.
//!
//! A message that was sent ends in exactly one way, and each way has a counter, so for each stage and each phase
//!
//! > sent = received + naks + unusable + drops + cut off + unasked + waiting
//!
//! holds at every moment, and nothing is waiting once a run is over. The phase is that in which the exchange was due,
//! whenever an event is counted: a message of the warm-up whose drop time ends in the steady phase is a drop of the
//! warm-up. Events that belong to no exchange (a foreign reply, a malformed datagram) are counted without a phase.
//! *Unusable* is a reply that ended the exchange without being an answer (an OFFER without a server identifier, an
//! answer without the lease), *unasked* a message that gets no answer by design (a DHCPv4 RELEASE). *Sent* counts
//! messages, not datagrams: repeated sending is counted as *resent*. The other counters are not part of that sum: late
//! and duplicate replies answer no exchange in flight, rejected leases and addresses that are not unique are properties
//! of replies counted already, and drops because brunt was stalled are among the drops.
//!
//! Only the worker's own thread writes, so that counting costs a load and a store; any thread may read. It must not
//! depend on how an event is detected.

use super::Stage;
use brunt_exchange::Ticket;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted for each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Counter {
    /// Messages that were sent for the first time.
    Sent,
    /// Messages that were sent again.
    Resent,
    /// Messages that were answered in time.
    Received,
    /// Messages that were refused by DHCPNAK.
    Naks,
    /// Messages whose reply ended the exchange without being an answer.
    Unusable,
    /// Messages without any answer within the drop time.
    Drops,
    /// Messages that were abandoned before the end of their drop time.
    CutOff,
    /// Messages that no server answers.
    NoReplyExpected,
    /// Replies to messages that had been abandoned.
    Late,
    /// Replies to messages that had been answered.
    Duplicates,
    /// Replies without the requested lease.
    Rejected,
    /// Replies with an address that another client already has.
    NonUnique,
    /// Messages that were sent more than once.
    Retried,
    /// Drops explained by a stall of this program: their drop time ended in the stall, or they were sent in the burst
    /// after it.
    DropsStalled,
}

impl Counter {
    /// Every counter, in the order of the catalogue.
    pub const ALL: [Self; 14] = [
        Self::Sent,
        Self::Resent,
        Self::Received,
        Self::Naks,
        Self::Unusable,
        Self::Drops,
        Self::CutOff,
        Self::NoReplyExpected,
        Self::Late,
        Self::Duplicates,
        Self::Rejected,
        Self::NonUnique,
        Self::Retried,
        Self::DropsStalled,
    ];

    /// The word that follows the stage's title in the catalogue.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Resent => "resent",
            Self::Received => "received",
            Self::Naks => "naks",
            Self::Unusable => "unusable",
            Self::Drops => "drops",
            Self::CutOff => "cut off",
            Self::NoReplyExpected => "unasked",
            Self::Late => "late",
            Self::Duplicates => "duplicates",
            Self::Rejected => "rejected leases",
            Self::NonUnique => "non unique addresses",
            Self::Retried => "retried",
            Self::DropsStalled => "drops because brunt stood still",
        }
    }
}

/// What is counted over all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Overall {
    /// Replies to a transaction that this run did not start, or that was forgotten long ago.
    Foreign,
    /// Datagrams that are not messages of the protocol.
    Malformed,
    /// Datagrams shorter than the shortest message.
    TooShort,
    /// Messages of an unexpected type.
    Unexpected,
    /// Messages that this machine's kernel refused to send.
    LocalLimit,
    /// Leases that were discarded because there were more than the maximum.
    LeasesForgotten,
    /// Messages sent before the run.
    PreloadSent,
    /// Answers to messages sent before the run.
    PreloadReceived,
    /// Messages that the target's host rejected because no process listens on the port.
    PortUnreachable,
}

impl Overall {
    /// Every counter, in the order of the catalogue.
    pub const ALL: [Self; 9] = [
        Self::Foreign,
        Self::Malformed,
        Self::TooShort,
        Self::Unexpected,
        Self::LocalLimit,
        Self::LeasesForgotten,
        Self::PreloadSent,
        Self::PreloadReceived,
        Self::PortUnreachable,
    ];

    /// Its name in the catalogue.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Foreign => "foreign",
            Self::Malformed => "malformed",
            Self::TooShort => "tooshort",
            Self::Unexpected => "unexpected",
            Self::LocalLimit => "locallimit",
            Self::LeasesForgotten => "leases forgotten",
            Self::PreloadSent => "preload sent",
            Self::PreloadReceived => "preload received",
            Self::PortUnreachable => "refused (ICMP port unreachable)",
        }
    }
}

const PER_STAGE: usize = Counter::ALL.len();
const OVERALL_FROM: usize = Stage::ALL.len() * PER_STAGE;
const CELLS: usize = OVERALL_FROM + Overall::ALL.len();

/// The names of all tallies, in the order in which [`Tally::write`] writes them.
pub fn names(v6: bool) -> Vec<String> {
    let of_stages = Stage::ALL.iter().flat_map(|stage| {
        Counter::ALL.iter().map(move |counter| format!("{} {}", stage.title(v6), counter.word()))
    });
    of_stages.chain(Overall::ALL.iter().map(|overall| overall.word().to_owned())).collect()
}

/// One set of counters for each phase, and one for events that belong to no exchange.
const ROWS: usize = Ticket::PHASES + 1;
const NO_EXCHANGE: usize = Ticket::PHASES;

/// What one worker has counted since the beginning of the run.
#[derive(Debug)]
pub struct Tally {
    rows: [[AtomicU64; CELLS]; ROWS],
}

impl Default for Tally {
    fn default() -> Self {
        Self { rows: [const { [const { AtomicU64::new(0) }; CELLS] }; ROWS] }
    }
}

impl Tally {
    /// Counts one event of a stage, for an exchange that was due in this phase. Only call it on the worker's own
    /// thread.
    pub fn count(&self, phase: u8, stage: Stage, counter: Counter) {
        self.add(row(phase), stage as usize * PER_STAGE + counter as usize, 1);
    }

    /// Counts `more` events that belong to no stage; the phase is that of the exchange, if they belong to one. Only
    /// call it on the worker's own thread.
    pub fn count_overall(&self, phase: Option<u8>, overall: Overall, more: u64) {
        self.add(phase.map_or(NO_EXCHANGE, row), OVERALL_FROM + overall as usize, more);
    }

    /// The worker is the only writer, so no other write can happen between the load and the store.
    fn add(&self, row: usize, cell: usize, more: u64) {
        let cell = &self.rows[row][cell];
        cell.store(cell.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }

    /// The value of a stage's counter, over all phases.
    pub fn stage(&self, stage: Stage, counter: Counter) -> u64 {
        self.sum(stage as usize * PER_STAGE + counter as usize)
    }

    /// The value of a stage's counter for the exchanges of one phase.
    pub fn stage_in(&self, phase: u8, stage: Stage, counter: Counter) -> u64 {
        self.rows[row(phase)][stage as usize * PER_STAGE + counter as usize].load(Ordering::Relaxed)
    }

    /// The value of a counter over all stages and all phases.
    pub fn overall(&self, overall: Overall) -> u64 {
        self.sum(OVERALL_FROM + overall as usize)
    }

    fn sum(&self, cell: usize) -> u64 {
        self.rows.iter().map(|row| row[cell].load(Ordering::Relaxed)).sum()
    }

    /// How many messages of a stage were sent and have not ended yet.
    pub fn waiting(&self, stage: Stage) -> i64 {
        waiting(|counter| self.stage(stage, counter))
    }

    /// The same for the exchanges of one phase.
    pub fn waiting_in(&self, phase: u8, stage: Stage) -> i64 {
        waiting(|counter| self.stage_in(phase, stage, counter))
    }

    /// Replies that answer no exchange in flight: late replies, duplicates, and replies to unknown transactions.
    pub fn orphans(&self) -> u64 {
        let late = |stage: &Stage| {
            self.stage(*stage, Counter::Late) + self.stage(*stage, Counter::Duplicates)
        };
        Stage::ALL.iter().map(late).sum::<u64>() + self.overall(Overall::Foreign)
    }

    /// Writes the value of every counter, in the order of [`names`]: events that belong to no exchange, and the rest by
    /// phase. A phase without an exchange stays empty.
    pub fn write(&self, unphased: &mut Vec<u64>, by_phase: &mut [Vec<u64>; Ticket::PHASES]) {
        let outs = by_phase.iter_mut().chain([unphased]);
        for (row, out) in self.rows.iter().zip(outs) {
            out.clear();
            if row.iter().any(|cell| cell.load(Ordering::Relaxed) > 0) {
                out.extend(row.iter().map(|cell| cell.load(Ordering::Relaxed)));
            }
        }
    }
}

/// The row of a phase. The engine uses no more phases than there are rows for.
fn row(phase: u8) -> usize {
    usize::from(phase).min(Ticket::PHASES - 1)
}

fn waiting(count: impl Fn(Counter) -> u64) -> i64 {
    let of = |counter| count(counter).cast_signed();
    let ended = [
        Counter::Received,
        Counter::Naks,
        Counter::Unusable,
        Counter::Drops,
        Counter::CutOff,
        Counter::NoReplyExpected,
    ];
    of(Counter::Sent) - ended.into_iter().map(of).sum::<i64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_counts_appear_under_their_names() {
        let tally = Tally::default();
        tally.count(3, Stage::Second, Counter::Naks);
        tally.count(3, Stage::Second, Counter::Naks);
        tally.count(3, Stage::Decline, Counter::NonUnique);
        tally.count(1, Stage::Second, Counter::Naks);
        tally.count_overall(Some(3), Overall::LocalLimit, 5);
        tally.count_overall(None, Overall::Foreign, 7);
        tally.count_overall(None, Overall::PreloadReceived, 9);
        let (mut unphased, mut by_phase) = (vec![1, 2, 3], [const { Vec::new() }; Ticket::PHASES]);
        tally.write(&mut unphased, &mut by_phase);
        assert!([0, 2, 4].into_iter().all(|phase| by_phase[phase].is_empty()), "{by_phase:?}");
        for v6 in [false, true] {
            let names = names(v6);
            let of = |written: &[u64], name: &str| {
                assert_eq!(names.len(), written.len());
                written[names.iter().position(|known| known == name).expect("it is a name")]
            };
            let second = if v6 { "REQUEST-REPLY naks" } else { "REQUEST-ACK naks" };
            assert_eq!((of(&by_phase[3], second), of(&by_phase[1], second)), (2, 1));
            assert_eq!(of(&unphased, second), 0);
            let decline = if v6 { "DECLINE-REPLY" } else { "DECLINE" };
            assert_eq!(of(&by_phase[3], &format!("{decline} non unique addresses")), 1);
            assert_eq!((of(&unphased, "foreign"), of(&unphased, "preload received")), (7, 9));
            assert_eq!(of(&by_phase[3], "locallimit"), 5);
        }
        assert_eq!(unphased.iter().chain(by_phase.iter().flatten()).sum::<u64>(), 25);
        assert_eq!(tally.stage(Stage::Second, Counter::Naks), 3);
    }

    #[test]
    fn tally_names_are_unique() {
        for v6 in [false, true] {
            let names = names(v6);
            let distinct: std::collections::HashSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len());
        }
    }

    #[test]
    fn tally_waiting_is_sent_minus_ended() {
        let tally = Tally::default();
        for phase in [1, 3] {
            for _ in 0..7 {
                tally.count(phase, Stage::First, Counter::Sent);
            }
            for counter in Counter::ALL.into_iter().skip(1) {
                tally.count(phase, Stage::First, counter);
            }
            assert_eq!(
                tally.waiting_in(phase, Stage::First),
                1,
                "six ends, and seven that are none"
            );
        }
        tally.count(3, Stage::First, Counter::Drops);
        assert_eq!((tally.waiting_in(1, Stage::First), tally.waiting_in(3, Stage::First)), (1, 0));
        assert_eq!((tally.waiting(Stage::First), tally.waiting(Stage::Second)), (1, 0));
        assert_eq!(tally.orphans(), 4);
    }
}

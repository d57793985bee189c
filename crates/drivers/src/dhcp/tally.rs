//! The [`Tally`] of a worker: what it counts beside the engine's exchanges, stage by stage.
//!
//! A message that was sent meets exactly one end, and every end has a counter, so for each stage
//!
//! > sent = received + naks + unusable + drops + cut off + unasked + waiting
//!
//! holds at every moment, and nothing is waiting once a run is over. *Unusable* is a reply that
//! ended the exchange without being an answer (an OFFER without a server identifier, an answer
//! without the lease), *unasked* a message that nobody answers by design (a DHCPv4 RELEASE).
//! *Sent* counts messages, not datagrams: what was sent again is counted as *resent*. The others
//! stand beside that sum: late and duplicate replies answer no exchange in flight, rejected leases
//! and addresses that are not unique are properties of replies counted already.
//!
//! Only the worker's own thread writes, so that counting costs a load and a store; any thread may
//! read. It must not know how anything is found out.

use super::Stage;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted for each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Counter {
    /// Messages that left for the first time.
    Sent,
    /// Messages that left again.
    Resent,
    /// Messages that were answered in time.
    Received,
    /// Messages that were refused by DHCPNAK.
    Naks,
    /// Messages whose reply ended the exchange without being an answer.
    Unusable,
    /// Messages without any answer within the drop time.
    Drops,
    /// Messages whose answer nobody waited for to the end of the drop time.
    CutOff,
    /// Messages that no server answers.
    Unasked,
    /// Replies to messages that had been given up.
    Late,
    /// Replies to messages that had been answered.
    Duplicates,
    /// Replies without the lease that was asked for.
    Rejected,
    /// Replies with an address that somebody has already.
    NonUnique,
    /// Messages that left more than once.
    Retried,
}

impl Counter {
    /// Every counter, in the order of the catalogue.
    pub const ALL: [Self; 13] = [
        Self::Sent,
        Self::Resent,
        Self::Received,
        Self::Naks,
        Self::Unusable,
        Self::Drops,
        Self::CutOff,
        Self::Unasked,
        Self::Late,
        Self::Duplicates,
        Self::Rejected,
        Self::NonUnique,
        Self::Retried,
    ];

    /// What stands behind the stage's title in the catalogue.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Resent => "resent",
            Self::Received => "received",
            Self::Naks => "naks",
            Self::Unusable => "unusable",
            Self::Drops => "drops",
            Self::CutOff => "cut off",
            Self::Unasked => "unasked",
            Self::Late => "late",
            Self::Duplicates => "duplicates",
            Self::Rejected => "rejected leases",
            Self::NonUnique => "non unique addresses",
            Self::Retried => "retried",
        }
    }
}

/// What is counted over all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Overall {
    /// Replies to a transaction that is none of ours, or was forgotten long ago.
    Foreign,
    /// Datagrams that are not the protocol.
    Malformed,
    /// Datagrams shorter than the shortest message.
    TooShort,
    /// Messages of a type that nobody waits for.
    Unexpected,
    /// Messages that this machine's kernel refused to send.
    LocalLimit,
    /// Leases that were forgotten because there were more than could be kept.
    LeasesForgotten,
    /// Messages sent before the run.
    PreloadSent,
    /// Answers to messages sent before the run.
    PreloadReceived,
}

impl Overall {
    /// Every counter, in the order of the catalogue.
    pub const ALL: [Self; 8] = [
        Self::Foreign,
        Self::Malformed,
        Self::TooShort,
        Self::Unexpected,
        Self::LocalLimit,
        Self::LeasesForgotten,
        Self::PreloadSent,
        Self::PreloadReceived,
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

/// What one worker has counted since the beginning of the run.
#[derive(Debug)]
pub struct Tally {
    cells: [AtomicU64; CELLS],
}

impl Default for Tally {
    fn default() -> Self {
        Self { cells: [const { AtomicU64::new(0) }; CELLS] }
    }
}

impl Tally {
    /// Counts one more of a stage's. On the worker's own thread only.
    pub fn count(&self, stage: Stage, counter: Counter) {
        self.add(stage as usize * PER_STAGE + counter as usize, 1);
    }

    /// Counts so many more of what belongs to no stage. On the worker's own thread only.
    pub fn count_overall(&self, overall: Overall, more: u64) {
        self.add(OVERALL_FROM + overall as usize, more);
    }

    /// The worker is the only one to write, so nothing can come between the load and the store.
    fn add(&self, cell: usize, more: u64) {
        let cell = &self.cells[cell];
        cell.store(cell.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }

    /// What a stage's counter stands at.
    pub fn stage(&self, stage: Stage, counter: Counter) -> u64 {
        self.cells[stage as usize * PER_STAGE + counter as usize].load(Ordering::Relaxed)
    }

    /// What a counter over all stages stands at.
    pub fn overall(&self, overall: Overall) -> u64 {
        self.cells[OVERALL_FROM + overall as usize].load(Ordering::Relaxed)
    }

    /// How many messages of a stage were sent and have not met their end.
    pub fn waiting(&self, stage: Stage) -> i64 {
        let of = |counter| self.stage(stage, counter).cast_signed();
        let ended = [
            Counter::Received,
            Counter::Naks,
            Counter::Unusable,
            Counter::Drops,
            Counter::CutOff,
            Counter::Unasked,
        ];
        of(Counter::Sent) - ended.into_iter().map(of).sum::<i64>()
    }

    /// Replies that answer no exchange in flight: all that were late or came twice, and those to
    /// nobody's transaction.
    pub fn orphans(&self) -> u64 {
        let late = |stage: &Stage| {
            self.stage(*stage, Counter::Late) + self.stage(*stage, Counter::Duplicates)
        };
        Stage::ALL.iter().map(late).sum::<u64>() + self.overall(Overall::Foreign)
    }

    /// Writes every counter down, in the order of [`names`].
    pub fn write(&self, out: &mut Vec<u64>) {
        out.clear();
        out.extend(self.cells.iter().map(|cell| cell.load(Ordering::Relaxed)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_is_written_under_its_name() {
        let tally = Tally::default();
        tally.count(Stage::Second, Counter::Naks);
        tally.count(Stage::Second, Counter::Naks);
        tally.count(Stage::Decline, Counter::NonUnique);
        tally.count_overall(Overall::Foreign, 7);
        tally.count_overall(Overall::PreloadReceived, 9);
        let mut written = vec![1, 2, 3];
        tally.write(&mut written);
        for v6 in [false, true] {
            let names = names(v6);
            assert_eq!(names.len(), written.len());
            let of = |name: &str| {
                written[names.iter().position(|known| known == name).expect("it is a name")]
            };
            let second = if v6 { "REQUEST-REPLY" } else { "REQUEST-ACK" };
            assert_eq!(of(&format!("{second} naks")), 2);
            let decline = if v6 { "DECLINE-REPLY" } else { "DECLINE" };
            assert_eq!(of(&format!("{decline} non unique addresses")), 1);
            assert_eq!((of("foreign"), of("preload received")), (7, 9));
            assert_eq!(written.iter().sum::<u64>(), 2 + 1 + 7 + 9);
        }
    }

    #[test]
    fn no_two_tallies_share_a_name() {
        for v6 in [false, true] {
            let names = names(v6);
            let distinct: std::collections::HashSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len());
        }
    }

    #[test]
    fn what_waits_is_what_was_sent_and_met_no_end() {
        let tally = Tally::default();
        for _ in 0..7 {
            tally.count(Stage::First, Counter::Sent);
        }
        for counter in Counter::ALL.into_iter().skip(1) {
            tally.count(Stage::First, counter);
        }
        assert_eq!(tally.waiting(Stage::First), 1, "six ends, and five that are none");
        assert_eq!(tally.waiting(Stage::Second), 0);
        assert_eq!(tally.orphans(), 2);
    }
}

//! What was measured in a run: histograms, intervals, records, verdicts.
//!
//! Each worker fills an [`Interval`] and passes it on once a second. Merged, the intervals are the
//! one stream from which every table, live view and file is made. Runs that belong together form a
//! [`Collection`]; either is a [`Document`] once it is in a file. Nothing here depends on a
//! protocol: operations and parts are numbers until a [`Catalogue`] names them. Nothing here reads
//! a clock.
//!
#![doc = include_str!("../README.md")]

mod abort;
mod away;
mod branch_tallies;
mod buckets;
mod catalogue;
mod codes;
mod collection;
pub mod compact;
mod counts;
mod document;
mod environment;
mod errno;
pub mod events;
mod file;
mod growing;
mod health;
mod hgrm;
mod histogram;
mod hlog;
mod identity;
mod interval;
mod latency;
mod measured;
mod merge;
mod monitor;
mod nanos;
mod node;
mod noun;
mod operation;
mod pace;
mod packed;
mod phase;
mod pipe;
mod presence;
mod prompt;
mod record;
mod response;
mod rows;
mod run_outcome;
mod run_tallies;
mod sample;
mod scenario;
mod series;
mod slo;
mod timing;
mod totals;
mod v2;
pub mod verdict;
mod waits;

pub use abort::{AbortError, AbortFound, AbortRule, AbortWatch};
pub use away::{AWAY_MIN, Absences, Away, Usual};
pub use branch_tallies::{BranchCounts, ChoiceCounts, branches, choices, iterations};
pub use catalogue::Catalogue;
pub use codes::Codes;
pub use collection::{COLLECTION_SCHEMA, Cell, Collection};
pub use counts::{Counts, Imbalance};
pub use document::{Document, ReadError, WriteError, schema_id, schema_of, unpacked};
pub use environment::Environment;
pub use errno::errno_words;
pub use file::{check_writable, create_private, is_full, replace};
pub use growing::Growing;
pub use health::{Health, Machine, NodeMachine, Stall, TimerNoise, WorkerLoad};
pub use hgrm::write_hgrm;
pub use histogram::{Histogram, HistogramError, Share};
pub use hlog::Hlog;
pub use identity::{fingerprint, run_id};
pub use interval::{Interval, Settled};
pub use latency::{Latency, Percentile};
pub use measured::Measured;
pub use merge::{MergeError, NodeRecord, merge};
pub use monitor::{MonitorRecord, ReadingRecord, Readings};
pub use node::Node;
pub use noun::Noun;
pub use operation::{Operation, Own};
pub use pace::{
    Cohort, Crossing, Finish, Late, Overload, Pace, PaceError, PaceShare, PaceSlot, RateDoubt,
    StageOverload, Times,
};
pub use phase::Phase;
pub use presence::{Presence, SLOT, Sign, Slot};
pub use prompt::Prompt;
pub use record::{
    Basis, CodeRecord, Conclusion, ConnectionRecord, Conservation, Ending, Generator, Head,
    IterationRates, MachineRecord, Mode, Names, OperationRecord, PartRecord, PhaseRecord, Plan,
    PortBudget, RATES, Rates, Record, SCHEMA, SampleRecord, StallRecord, StepOperationRecord,
    StepRecord, TallyRecord, TimerRecord, Tool, WorkerRecord, rate,
};
pub use response::Responses;
pub use rows::{Missing, NodeRow, NodeRows, Receipt, Row, Rows};
pub use run_outcome::{OutcomeTone, RunOutcome};
pub use run_tallies::{
    SESSIONS_UNANSWERED, SESSIONS_USED, ServerCounts, ServerEnd, run_tallies, server_tally,
    servers, silent_sessions,
};
pub use sample::{Sample, Samples};
pub use scenario::{ScenarioCounts, ScenarioLag, ScenarioRecord};
pub use series::{Series, Step, StepOperation};
pub use slo::{Allowance, Bad, Slo, SloError, SloOutcome, SloResult};
pub use timing::Timing;
pub use totals::Totals;
pub use verdict::{Cause, EarlyEnd, Effect, Evidence, OwnPart, Reason, Remedy, Status, Verdict};
pub use waits::{Reach, Waits};

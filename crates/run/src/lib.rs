//! What all runs have in common, for every protocol.
//!
//! [`carry_out`] takes a [`Job`] with its [`Protocol`] from the first connection to the record, and shows each interval
//! to the [`Observer`]s; [`exit()`] decides the exit code. All of this exists once, so that a feature that attaches to
//! one run attaches to all of them. A tool reads its command line, makes a job of it, and prints its own results.

mod abort;
pub mod address_policy;
pub mod beside;
mod canary;
pub mod ceiling;
pub mod clock;
mod conclude;
pub mod console;
pub mod core_files;
pub mod environment;
mod execution;
mod exit;
mod export;
pub mod files;
mod finished;
mod job;
pub mod listening;
pub mod live;
mod live_page;
mod live_view;
pub mod load;
pub mod monitor;
mod objectives;
mod observer;
pub mod options;
mod plan;
mod program;
mod progress;
mod protocol;
mod quiet_thread;
mod repeatable;
mod repeated;
pub mod schedules;
mod search_words;
pub mod service;
mod settings_error;
pub mod share;
pub mod signals;
mod start;
mod step_error;
pub mod summary;
mod targets;
mod task;
pub mod tool;
mod verbosity;
mod views;
pub mod web;
pub mod world;
mod write_failures;

pub use address_policy::KeptOut;
pub use brunt_engine::RunClock;
pub use brunt_feed::Files;
pub use canary::CanaryError;
pub use conclude::EndedBy;
pub use console::Console;
pub use execution::{ExecutionError, SignalsError, carry_out, prepare};
pub use exit::{ExitPolicy, exit, judged};
pub use export::{
    AggregationError, CollectorError, DeliverCause, ExportError, LastScrape, Semantic,
};
pub use files::{FileError, ResultError, check as check_files};
pub use finished::Finished;
pub use job::{Job, is_endless};
pub use live_page::LivePageError;
pub use load::{Caller, Load, Unsuitable};
pub use objectives::{ObjectivesError, objectives};
pub use observer::{Observer, ObserverError, ObserverFailure, print};
pub use plan::of_iterations;
pub use program::{tool, version};
pub use protocol::{EngineError, Protocol, ProtocolError};
pub use repeatable::{Prepared, Repeatable, SearchOptions, Step, StepLoad, Subject};
pub use search_words::search_words;
pub use settings_error::{JobError, SettingsError};
pub use share::requested_words;
pub use step_error::StepError;
pub use task::Task;
pub use verbosity::{Outcome, Verbosity};
pub use views::ViewError;
pub use world::World;
pub use write_failures::WriteFailures;

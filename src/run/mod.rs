//! What all runs have in common, for every protocol.
//!
//! [`carry_out`] takes a [`Job`] with its [`Protocol`] from the first connection to the record, and shows each interval
//! to the [`Observer`]s; [`exit()`] decides the exit code. All of this exists once, so that a feature that attaches to
//! one run attaches to all of them. A tool reads its command line, makes a job of it, and prints its own results.

mod abort;
pub(crate) mod canary;
pub(crate) mod ceiling;
mod conclude;
pub(crate) mod core_files;
mod execution;
mod exit;
mod export;
pub(crate) mod fence;
pub(crate) mod files;
mod finished;
mod job;
pub(crate) mod listening;
mod live;
mod live_page;
pub(crate) mod monitor;
mod objectives;
mod observer;
mod plan;
mod progress;
mod protocol;
mod quiet_thread;
mod repeatable;
mod repeated;
pub(crate) mod schedules;
pub(crate) mod service;
pub(crate) mod share;
pub(crate) mod signals;
mod start;
pub(crate) mod summary;
mod targets;
mod verbosity;
mod views;
mod waiting;
mod write_failures;

pub(crate) use conclude::{EndedBy, tool};
pub(crate) use execution::{carry_out, prepare};
pub(crate) use exit::{Manner, exit, judged};
pub(crate) use export::LastScrape;
pub(crate) use files::check as check_files;
pub(crate) use finished::Finished;
pub(crate) use job::{Job, is_endless};
pub(crate) use objectives::objectives;
pub(crate) use observer::{Observer, ObserverFailure, print};
pub(crate) use plan::of_iterations;
pub(crate) use protocol::Protocol;
pub(crate) use repeatable::{Prepared, Repeatable, SearchOptions, Step, StepLoad, Subject};
pub(crate) use share::asked_words;
pub(crate) use verbosity::{Outcome, Verbosity};
pub(crate) use write_failures::WriteFailures;

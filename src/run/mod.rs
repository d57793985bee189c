//! What every run has in common, whatever its protocol.
//!
//! [`carry_out`] takes a [`Job`] with its [`Protocol`] from the first connection to the record, and shows each interval
//! to the [`Observer`]s; [`exit()`] decides the exit code. All of this is here once, so that whatever attaches to a run
//! attaches to all of them. A tool reads its command line, makes a job of it, and prints what is its own.

pub(crate) mod ceiling;
mod conclude;
mod exit;
pub(crate) mod fence;
pub(crate) mod files;
mod job;
mod losses;
pub(crate) mod monitor;
mod objectives;
mod observer;
mod plan;
mod progress;
mod repeatable;
pub(crate) mod schedules;
mod share;
pub(crate) mod signals;
pub(crate) mod summary;
mod verbosity;
mod waiting;

pub(crate) use conclude::{EndedBy, tool};
pub(crate) use exit::{Manner, exit, judged};
pub(crate) use job::{Finished, Job, Protocol, carry_out, is_endless, prepare};
pub(crate) use losses::Losses;
pub(crate) use objectives::objectives;
pub(crate) use observer::{Observer, Trouble, print};
pub(crate) use plan::{asked, of_iterations};
pub(crate) use progress::Progress;
pub(crate) use repeatable::{Prepared, Repeatable, Step, StepLoad, Subject};
pub(crate) use verbosity::{Outcome, Verbosity};

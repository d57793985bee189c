//! The intervals of a run as lines of JSON, which pages, agents and later readers follow.
//!
//! An event file describes a run while it is in progress. Its first line is the
//! [`Head`](crate::Head). One line for each interval follows, and a provisional verdict at regular
//! steps. The end contains what is known only then, with the record. Each line can be read without
//! those before it. The lines written so far are enough for a record ([`Replay`]), so a run that is
//! killed loses at most the interval in progress. `docs/events.md` describes the format for readers
//! of these files.

mod distribution;
mod gathered;
mod interval;
mod line;
mod log;
mod reader;
mod replay;
#[cfg(test)]
mod tests;

use distribution::Distribution;
use interval::IntervalLine;

pub(crate) use gathered::begins_gathered;
pub(crate) use reader::begins_events;

pub use gathered::{
    GATHERED_SCHEMA, GatheredError, GatheredLog, SharedLog, gathered, schema as gathered_schema,
};
pub use line::{EVENTS_SCHEMA, LineError, schema as events_schema};
pub use log::{EventLog, VERDICT_EVERY};
pub use reader::{Event, EventError, EventReader, LINE_MAX};
pub use replay::{Replay, ReplayError};

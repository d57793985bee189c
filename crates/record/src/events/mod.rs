//! The intervals of a run as lines of JSON: what pages, agents and later readers follow.
//!
//! An event file tells of a run while it goes on. Its first line is the [`Head`](crate::Head), then
//! comes one line an interval, now and then a provisional verdict, and at the end what is known
//! only then, with the record. Each line can be read without those before it, and what a run has
//! written so far is enough for a record ([`Replay`]): a run that is killed has lost at most the
//! interval it was in. `docs/events.md` says the same to those who read such files.

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

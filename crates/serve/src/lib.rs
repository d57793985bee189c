//! A website where load tests are built, run, kept and compared.
//!
//! The server makes no load and reads no document that a person wrote: children of the same program do. It keeps
//! history as a directory of ordinary records, of which its database is an index that can be made again.

pub mod child;
pub mod history;
pub mod queue;
mod tail;
pub mod watch;

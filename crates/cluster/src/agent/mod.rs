//! An agent's side: its share of a run ([`Share`]), what it has told ([`Outbox`]), and the difference of clocks
//! ([`Offset`]).
//!
//! Nothing here has a clock, a process or a socket: whoever drives a share says what happened and does what it says.

mod offset;
mod outbox;
mod share;

pub use offset::Offset;
pub use outbox::Outbox;
pub use share::{Act, LEASE, REPORT_EVERY, Share};

//! An agent's side: its share of a run ([`Share`]), the event lines not yet acknowledged ([`Outbox`]), and the
//! difference between the clocks ([`Offset`]).
//!
//! Nothing here has a clock, a process or a socket: the driver of a share reports what happened and carries out the
//! acts that the share returns.

mod offset;
mod outbox;
mod share;

pub use offset::Offset;
pub use outbox::Outbox;
pub use share::{Action, LEASE, REPORT_EVERY, Share};

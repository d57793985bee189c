//! Adds and removes users, in each way that an administrator might use, and measures the time.
//!
//! A way is a function of one user, or of all of them at once. The measured time is the time that the administrator
//! would wait; its inputs (a text, a connection, a log) are made before the clock starts if a script could have done so
//! as well.

mod act;
mod batch;
mod process;
mod sample;
mod timing;
mod way;

pub(super) use act::{Halt, Operation, Store};
pub(super) use batch::slapadd;
pub(super) use sample::sample;
pub(super) use timing::spread;
pub(super) use way::carry_out;

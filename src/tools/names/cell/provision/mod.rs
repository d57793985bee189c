//! Adding and removing users, each way a user's administrator might do it, and how long that took.
//!
//! A way is a function of one user, or of all of them at once. What is timed is what the administrator would wait for;
//! what it needs beforehand (a text, a connection, a log) is made before the clock runs where a script could have done
//! so as well.

mod act;
mod batch;
mod each;
mod process;
mod sample;
mod timing;
mod way;

pub(super) use act::{Act, Halt, Store};
pub(super) use batch::slapadd;
pub(super) use sample::sample;
pub(super) use timing::spread;
pub(super) use way::carry_out;

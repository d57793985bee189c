//! What brunt says of a run whose trouble was arranged: the verdict, the cause it names, what it makes of objectives,
//! and its exit code. A run in trouble must be blamed on whoever had it, and nobody else.
//!
//! The causes are the rows of `bench/verdict`, which has what is expected of each and counts how often it comes true on
//! a quiet machine. Here each is tried once, on a machine that others may share, and looked at closer. How a verdict is
//! reached is tested where it is: in `crates/record`.

mod generator;
mod idle;
mod idle_connections;
mod judged;
mod target;
mod whole;

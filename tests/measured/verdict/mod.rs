//! The verdicts of brunt on runs with arranged trouble: the verdict, the cause it names, the results of objectives, and
//! its exit code. The part that was in trouble must be blamed, and no other.
//!
//! The causes are the rows of `bench/verdict`, which contains the expectations for each and counts how often they are
//! met on a quiet machine. Here each is tried once and checked in more detail. How a
//! verdict is reached is tested in `crates/record`.

/// Why these tests are not virtual.
const REAL_TROUBLE: &str = "real processes are put in real trouble";

mod frozen;
mod generator;
mod idle;
mod idle_connections;
mod judged;
mod target;
mod whole;

//! The program as a library, in virtual time: commands are carried out in this process, against servers in memory, so
//! that a minute of load takes as long as its work and every figure is exact.
//!
//! Each file has one test beside it, in `tests/behaviour`, `tests/http` or `tests/measured`, of the program as a
//! process.

mod callbacks;
mod compared;
mod curves;
mod directory;
mod find_max;
mod http;
mod lease_mistakes;
mod load_options;
mod loadgen;
mod machine;
mod mistakes;
mod perfdhcp;
mod planned;
mod plans;
mod purges;
mod rails;
mod recomputed;
mod records;
mod rest_target;
mod schedules;
mod scripted;
mod secured;
mod stalls;
mod tables;
mod trial;
mod warm_up;
mod wire;

//! The command lines of the tools that follow a plan.

pub mod http;
pub mod import;
pub mod loadgen;
pub mod one_hyphen;
pub mod run;
pub mod trace;

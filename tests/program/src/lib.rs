//! brunt as a process, for the tests of the program: [`Trial`], [`Program`] and [`Ended`], the embedded servers that it
//! brings along ([`Target`], [`RestTarget`]), a terminal to show itself on ([`Terminal`]), plans ([`Plan`]), searches
//! and comparisons, the files and reports of LoadGen ([`Files`], [`Report`]).
//!
//! A crate and no module of one test, because the tests that measure time are a program of their own and use the same.

#![expect(clippy::missing_panics_doc, reason = "support for tests: every failure is a panic")]

mod ab;
mod ended;
mod job_files;
mod junit;
mod plan;
mod program;
mod recomputed;
mod report;
mod rest_target;
mod schema;
mod search;
mod targets;
mod terminal;
mod trial;

pub use ab::{ab, binds};
pub use ended::{ENDS, Ended};
pub use job_files::Files;
pub use junit::{is_junit, xmllint};
pub use plan::Plan;
pub use program::{Program, at, binary, command, measure, run, scratch, slapd, start};
pub use recomputed::Recomputed;
pub use report::{Report, Row};
pub use rest_target::{RestTarget, Seen};
pub use schema::schema_faults;
pub use search::{
    CLIFF, SHORT, counted_by_server, number_after, search, searched, without_a_limit,
};
pub use targets::{Target, Targets};
pub use terminal::{Terminal, searching};
pub use trial::{Trial, brunt};

//! The runs of `brunt serve`, without its pages: children of the program that carry out what somebody submitted, and
//! what they may not do; a queue that outlives its server; a history of their records.
//!
//! What a run says is held against what a server of the test's own counted, and what must not be reached is a listener
//! that hears nothing.

mod counted;
mod fences;
mod files;
mod records;
mod runs;
mod searches;
mod servers;
mod site;

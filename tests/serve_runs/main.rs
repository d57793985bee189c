//! The runs of `brunt serve`, without its pages: child processes that carry out what a user submitted, and what they
//! may not do; a queue that outlives its server; a history of their records.
//!
//! The results of a run are compared with the counts of the test's own server, and an address that must not be reached
//! is a listener that receives nothing.

mod address_policies;
mod counted;
mod files;
mod records;
mod runs;
mod searches;
mod servers;
mod site;

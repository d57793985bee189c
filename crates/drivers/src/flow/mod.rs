//! Flows: what virtual users do, step by step, over any protocol.
//!
//! A [`Flow`] is a plan that was read and settled: scenarios of steps, variables and who fills them, and in which order
//! iterations take scenarios. A user carries out one step an exchange; pauses between steps are times at which it wants
//! its next exchange, so they are in no latency. Whatever is written in a plan file, a LoadGen job or on a command line
//! becomes one of these; nothing here knows which.

pub mod check;
mod compiled_flow;
mod cursor;
mod directory;
pub mod extract;
pub mod http;
mod json;
mod ldap;
pub mod ledger;
mod mix;
mod pattern;
pub mod plan;
pub mod reply;
pub mod source;
mod step_id;
mod user;
mod variables;
mod web;
mod xpath;

pub use check::{Check, Must};
pub use compiled_flow::{CompileError, CompiledFlow};
pub use extract::{Extract, From, LocationError, Missing};
pub use http::{Content, HttpAct};
pub use json::Pointer;
pub use ldap::LdapAct;
pub use ledger::{Ledger, Tallies};
pub use pattern::Pattern;
pub use plan::{
    Act, AfterFailure, Flow, Iterations, Order, Pause, Pool, Repeat, Scenario, Start, Step, Times,
    What,
};
pub use reply::{Parsed, Reply};
pub use source::{Choice, Circle, Exhausted, NoChoice, Place, Renewal, Source, Variable};
pub use user::{Desk, ITERATION, PARTS, User};
pub use xpath::XPath;

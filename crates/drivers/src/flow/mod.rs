//! Flows: what virtual users do, step by step, over any protocol.
//!
//! A [`Flow`] is a plan that was read and settled: scenarios of steps, variables and who fills them, and in which order
//! iterations take scenarios. A user carries out one step an exchange; pauses between steps are times at which it wants
//! its next exchange, so they are in no latency. Whatever is written in a plan file, a LoadGen job or on a command line
//! becomes one of these; nothing here knows which.

pub mod check;
mod compiled_flow;
pub mod counters;
mod cursor;
pub mod extract;
pub mod http;
mod http_client;
mod json;
mod ldap;
mod ldap_client;
mod mix;
mod pattern;
pub mod plan;
pub mod reply;
pub mod source;
mod step_id;
mod user;
mod variables;
mod xpath;

pub use check::{Check, Must};
pub use compiled_flow::{CompileError, CompiledFlow};
pub use counters::{FlowCounters, Tallies};
pub use extract::{Extract, From, LocationError, Missing};
pub use http::{Content, HttpAct};
pub use json::Pointer;
pub use ldap::LdapAct;
pub use pattern::Pattern;
pub use plan::{
    Act, AfterFailure, Flow, Iterations, Order, Pause, Pool, Repeat, Scenario, Start, Step, Times,
    What,
};
pub use reply::{Parsed, Reply};
pub use source::{Choice, Circle, Exhausted, NoChoice, Place, Renewal, Source, Variable};
pub use user::{ITERATION, PARTS, User, WorkerContext};
pub use xpath::XPath;

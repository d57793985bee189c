//! Flows: what virtual users do, step by step, over any protocol.
//!
//! A [`Flow`] is a plan that was read and settled: scenarios of steps, variables and who fills them, and in which order
//! iterations take scenarios. A user carries out one step an exchange; pauses between steps are times at which it wants
//! its next exchange, so they are in no latency. Whatever is written in a plan file, a LoadGen job or on a command line
//! becomes one of these; nothing here knows which.

pub mod check;
pub mod extract;
pub mod http;
pub mod plan;
pub mod reply;
pub mod source;

pub use check::Check;
pub use extract::{Extract, From};
pub use http::{Content, HttpAct};
pub use plan::{
    Act, AfterFailure, Flow, Iterations, Order, Pause, Pool, Renewal, Repeat, Scenario, Start,
    Step, Variable, What,
};
pub use reply::Reply;
pub use source::{Place, Source};

//! Flows: what virtual users do, step by step, over any protocol.
//!
//! A [`Flow`] is a plan that was read, with all names resolved: scenarios of steps, variables and their sources, and
//! the order in which iterations use the scenarios. A user performs one step in each exchange. Pauses between steps
//! determine when it wants its next exchange, so they are in no step's latency. Plan files, LoadGen jobs and command
//! lines are all converted to a flow; nothing here depends on which of them it was.

pub mod check;
mod choice;
mod clock_offset;
mod compiled_flow;
pub mod control;
pub mod counters;
mod cursor;
mod data_end;
mod drawing_order;
pub mod extract;
pub mod filter;
pub mod guard;
mod handover;
pub mod http;
mod http_client;
mod journey;
mod json;
pub mod json_set;
mod jsonpath;
mod last_page;
mod ldap;
mod ldap_client;
mod mix;
mod nesting;
mod own_load;
mod page_request;
pub mod page_step;
mod pattern;
mod pause;
mod pick;
mod place;
pub mod plan;
mod poll;
pub mod refusal;
mod reply;
mod retry;
mod signed;
pub mod source;
mod step_id;
mod token_age;
pub mod trace;
mod unexamined;
pub mod upload;
mod user;
mod value_error;
mod variables;
mod work;
mod xml;
mod xpath;

pub use check::{Check, Condition};
pub use choice::{Choice, NoChoice};
pub use compiled_flow::{CompileError, CompiledFlow};
pub use control::{
    Candidate, Choose, Control, Group, Repetition, Times as RepeatTimes, Together, Weight, When,
};
pub use counters::{FlowCounters, Tallies};
pub use cursor::IterationStart;
pub use data_end::DataEnd;
pub use drawing_order::{VariableCycle, drawing_order};
pub use extract::{Expiry, Extract, Location, LocationError, Missing};
pub use filter::{FILTERS, Filter};
pub use guard::Guard;
pub use handover::Handover;
pub use http::{Content, Dpop, HttpExchange};
pub use json::{Pointer, PointerError};
pub use json_set::{JsonPlace, JsonPlaceError, JsonSet};
pub use jsonpath::{JsonPath, JsonPathError};
pub use ldap::LdapExchange;
pub use own_load::{Arrivals, OwnLoad, OwnLoads};
pub use page_step::{PageStep, SubmitStep};
pub use pattern::{Pattern, PatternError};
pub use pause::Pause;
pub use pick::Pick;
pub use plan::{
    AfterFailure, Around, Between, Bound, Choice as GroupChoice, Each, ExchangeStep, Flow,
    Iterations, KeyCertificate, Order, Payload, Pool, Repeat, Scenario, Start, Step, Times,
};
pub use poll::{Poll, Slower};
pub use reply::{Parsed, Reply};
pub use retry::{Cause, Retry};
pub use signed::{KeyRef, Signed};
pub use source::{DrawContext, Exhausted, Renewal, RequestPart, Source, Variable};
pub use trace::{Trace, TracedExchange};
pub use unexamined::Unexamined;
pub use upload::{FileChoice, NamedFiles, PartContent, Upload, UploadPart};
pub use user::{ITERATION, ITERATION_WORK, PARTS, User, WorkerContext};
pub use value_error::ValueError;
pub use xpath::{XPath, XPathError};

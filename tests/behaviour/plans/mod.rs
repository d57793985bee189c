//! Plans against the identity API in memory: the requests that arrived there are compared with the plan.

mod answers;
mod around;
mod curl;
mod directory;
mod examples;
mod hostile;
mod iterations;
mod memory;
mod nodes;
mod other_tools;
mod own_loads;
mod phases;
mod previews;
mod secrets;
mod trace_contexts;
mod traces;

//! Plans against the identity API: the requests that arrived there are compared with the plan.

mod answers;
mod around;
mod directory;
mod examples;
mod hostile;
mod iterations;
mod keys;
mod leases;
mod nodes;
mod other_tools;
mod own_loads;
mod phases;
mod previews;
mod secrets;
mod trace_contexts;
mod traces;

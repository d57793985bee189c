//! `brunt run`: a plan is read, carried out and reported.

mod callers;
mod granted;
mod loaded_plan;
mod proposal;
mod run;
mod searched;

pub use granted::{Granted, Secrets};
pub use run::{check_granted, once_granted, run_granted};
pub use searched::{Searchable, prepare_granted};

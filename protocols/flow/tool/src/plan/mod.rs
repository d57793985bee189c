//! `brunt run`: a plan is read, carried out and reported.

mod asked;
mod granted;
mod run;
mod searched;

pub use granted::{Granted, Secrets};
pub use run::{check_granted, examine, measure, prepare, run, run_granted};
pub use searched::{Searchable, prepare_granted};

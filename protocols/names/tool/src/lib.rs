//! `brunt names`: measures how much load the name service can sustain, and what it is configured to use.

mod cell;
mod lookup;
mod matrix;
pub mod options;
pub mod report;

pub use lookup::prepare;

use brunt_names_driver::nss;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signals;

use crate::options::names::NamesKind;

/// Carries out a command about names.
pub fn run(kind: &NamesKind, signals: &Signals) -> Result<Exit, Refusal> {
    // Lookups of a comparison are separate processes, and would be refused one after another.
    if matches!(kind, NamesKind::Matrix(_) | NamesKind::Sweep(_)) {
        lookup::askable(nss::asks_modules())
            .map_err(|why| Refusal::usage(format!("failed to {why}")))?;
    }
    match kind {
        NamesKind::Lookup(args) => lookup::run(args, signals),
        NamesKind::Cell(args) => cell::enter(args),
        NamesKind::Matrix(args) => matrix::run(args, signals),
        NamesKind::Sweep(args) => matrix::sweep(args, signals),
    }
}

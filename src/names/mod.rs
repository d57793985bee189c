//! `brunt names`: what the name service can bear, and what stands behind it.

mod cell;

use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::names::NamesKind;

/// Does what is asked about names.
pub(crate) fn run(kind: &NamesKind) -> Result<Exit, Refusal> {
    match kind {
        NamesKind::Cell(args) => cell::enter(args),
    }
}

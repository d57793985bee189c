//! The options of `brunt names`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use super::names_cell::CellArgs;

/// What is done about names.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum NamesKind {
    /// Be one of the processes of a private environment
    #[command(hide = true)]
    Cell(CellArgs),
}

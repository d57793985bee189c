//! [`Quiet`]: the option of every command that makes a load, with one meaning for all of them.
//!
//! It takes effect in one place, the console, which holds back what goes to standard error until it is known what came
//! of the run.

use clap::Args;

/// Whether standard error gets only what needs attention.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quiet {
    /// Write nothing to standard error, or one line if something needs attention
    ///
    /// Nothing is written there if the run passed or was measured and can be trusted; else one line with the outcome
    /// and its cause. Standard output and files are the same as without this option. What could not be written, why a
    /// command was refused, and an address that cannot be known otherwise, such as that of --web, are written as usual.
    #[arg(long)]
    pub quiet: bool,
}

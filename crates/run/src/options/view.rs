//! [`ViewOptions`]: whether a run is shown on the terminal while it is in progress.

use clap::Args;

/// Whether a run is shown on the terminal while it goes on.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewOptions {
    /// Show the live view on the terminal during the run
    ///
    /// By default run, http, leases and names lookup show it if a run lasts longer than five seconds. It needs a
    /// terminal on standard error. A table that the command would print during the run follows when the run is over.
    #[arg(long, conflicts_with_all = ["no_live", "quiet"])]
    pub live: bool,
    /// Do not show the live view
    #[arg(long)]
    pub no_live: bool,
}

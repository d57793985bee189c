//! The hidden command by which a private environment starts its own processes. Not for users.

use clap::Args;

/// One of the processes of a private environment.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct CellArgs {
    /// What the environment is to be, as JSON.
    #[arg(long)]
    pub spec: Option<String>,
    /// Be process 1.
    #[arg(long)]
    pub inner: bool,
    /// Only find out whether such an environment can be had: root or user.
    #[arg(long = "try", value_parser = ["root", "user"])]
    pub attempt: Option<String>,
    /// Become this program, and end with whoever asked.
    #[arg(last = true)]
    pub leash: Vec<String>,
}

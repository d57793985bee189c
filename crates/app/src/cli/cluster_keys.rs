//! The options of `brunt cluster keys`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use clap::Args;

/// Options of `brunt cluster keys`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeysArgs {
    /// Directory to write to, such as keys; existing files are kept, and missing ones are added
    pub(crate) directory: PathBuf,
    /// Number of agents, called agent-0, agent-1 and so on
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: u32,
    /// Name or address by which agents reach the machine of nats-server; may be repeated
    ///
    /// The server's certificate contains all of them and localhost. The logins of all parties contain the first one.
    #[arg(long = "host", value_name = "HOST", default_value = "localhost")]
    pub(crate) hosts: Vec<String>,
    /// Port of nats-server
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: u16,
    /// How long the certificates are valid, in days
    #[arg(long, value_name = "NUMBER", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub(crate) days: u16,
}

/// The help and the page of `brunt cluster keys` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/cluster-keys.txt").trim_ascii_end(),
    examples: &[
        (
            "Make the keys of four agents and of a broker on the machine nats.lab:",
            "brunt cluster keys keys --agents 4 --host nats.lab",
        ),
        ("Start the broker with them:", "cd keys/nats && nats-server -c nats.conf"),
        ("Add two agents to the four:", "brunt cluster keys keys --agents 6 --host nats.lab"),
    ],
    short: &[],
};

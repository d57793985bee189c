//! The command lines of the two parties, which every launcher starts.

use super::LaunchOptions;

/// The options of both: the directory that `brunt cluster keys` made for the party, and the broker.
fn login(options: &LaunchOptions, keys: &str) -> Vec<String> {
    ["--keys", keys, "--nats", &options.nats, "--pool", &options.pool].map(str::to_owned).to_vec()
}

/// The command line of an agent that takes part in one run. Its keys may be a reference in the launcher's language.
pub(super) fn agent(options: &LaunchOptions, keys: &str) -> Vec<String> {
    let words = ["brunt", "agent", "--once"].map(str::to_owned);
    words.into_iter().chain(login(options, keys)).collect()
}

impl LaunchOptions {
    /// The command line of the coordinator, which waits for all agents, with the command that it orders.
    pub(super) fn ordered(&self, keys: &str) -> Vec<String> {
        let mut words = ["brunt", "cluster", "run"].map(str::to_owned).to_vec();
        words.extend(login(self, keys));
        words.extend(["--agents".to_owned(), self.agents.to_string()]);
        // A launcher may take a while to start the agents.
        words.extend(["--patience", "5m", "--"].map(str::to_owned));
        words.extend(self.command.iter().cloned());
        words
    }
}

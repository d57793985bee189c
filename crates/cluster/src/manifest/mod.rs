//! Manifests: texts that make an external launcher start the agents and the coordinator of a run.
//!
//! A manifest is a function of its options, so the same options give the same text, which can be kept beside a plan and
//! reviewed. A manifest never restarts an agent: a run that lost one reports the loss, and a second agent in its place
//! would send the same exchanges again. Every word from the command line is quoted for the language of the manifest.

mod agent;
mod kubernetes;
mod nomad;
mod slurm;
mod ssh;
mod yaml;

use std::time::Duration;

pub use kubernetes::Kubernetes;
pub use nomad::Nomad;
pub use slurm::Slurm;
pub use ssh::Ssh;

/// The options that every launcher receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchOptions {
    /// The number of agents.
    pub agents: u32,
    /// The broker, such as `tls://nats.lab:4222`.
    pub nats: String,
    /// The pool of the agents.
    pub pool: String,
    /// Whole processor cores for each agent.
    pub cores: u32,
    /// The time limit for the whole run.
    pub deadline: Duration,
    /// The command that makes the load.
    pub command: Vec<String>,
}

/// Why there is no manifest. It reads after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// A text contains characters that the launcher's names cannot have.
    #[error("use {what} '{text}' in a manifest: {remedy}")]
    Text {
        /// What the text is used for.
        what: &'static str,
        /// The text.
        text: String,
        /// What to write instead.
        remedy: &'static str,
    },
    /// More agents than a launcher's manifest can have.
    #[error("make a manifest of {0} agents: {1}")]
    Agents(u32, &'static str),
}

impl LaunchOptions {
    fn check(&self) -> Result<(), ManifestError> {
        if let Some(word) = self.command.iter().find(|word| word.chars().any(char::is_control)) {
            return Err(text("the word", word, "put it into a file or a plan"));
        }
        let url = self.nats.strip_prefix("tls://").is_some_and(|it| is_plain(it, ".:-_[]"));
        if !url {
            return Err(text(
                "--nats",
                &self.nats,
                "write tls://HOST:PORT: agents on other machines need TLS",
            ));
        }
        if !is_plain(&self.pool, "-_") {
            return Err(text("--pool", &self.pool, "write letters, digits, - and _"));
        }
        Ok(())
    }

    /// The deadline in minutes, rounded up.
    fn minutes(&self) -> u64 {
        self.deadline.as_secs().div_ceil(60).max(1)
    }
}

fn text(what: &'static str, text: &str, remedy: &'static str) -> ManifestError {
    let text = text.chars().map(|it| if it.is_control() { '?' } else { it }).take(80).collect();
    ManifestError::Text { what, text, remedy }
}

/// Whether a text consists of letters, digits and these other characters, and does not begin like an option.
fn is_plain(text: &str, others: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || others.contains(it);
    !text.is_empty() && text.len() <= 253 && !text.starts_with('-') && text.chars().all(fits)
}

/// A word as a shell reads it: unchanged if no character in it has a special meaning, else in single quotes.
fn shell(word: &str) -> String {
    if is_plain(word.trim_start_matches('-'), "-_./:=,@%+") {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Stands before a line that contains words of the user's as they were written: what looks like an expansion is none.
const AS_WRITTEN: &str = "# shellcheck disable=SC1003,SC2016 # these words are the user's own";

/// A command line as a shell reads it.
fn shell_line(words: &[String]) -> String {
    words.iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;

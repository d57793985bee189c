//! Slurm: a batch script. The first node runs only the coordinator, every other one an agent.

use std::fmt::Write as _;

use super::agent::agent;
use super::{AS_WRITTEN, LaunchOptions, ManifestError, is_plain, shell_line, text};

/// The options for Slurm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slurm {
    /// The partition, if not the default one.
    pub partition: Option<String>,
    /// The account to charge, if not the default one.
    pub account: Option<String>,
}

impl Slurm {
    /// The script.
    pub fn text(&self, options: &LaunchOptions) -> Result<String, ManifestError> {
        options.check()?;
        let mut more = String::new();
        for (option, value) in [("partition", &self.partition), ("account", &self.account)] {
            let Some(value) = value else { continue };
            if !is_plain(value, "-_.,") {
                return Err(text("the name", value, "write letters, digits, - and _"));
            }
            // Writing to a String cannot fail.
            let _ = writeln!(more, "#SBATCH --{option}={value}");
        }
        // Each task has its own number, so the shell that it starts expands the words.
        let agent = agent(options, "$BRUNT_KEYS/agents/agent-$SLURM_PROCID");
        let agent = agent.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        Ok(format!(
            "\
#!/bin/bash
# {agents} agents on a node each, and their coordinator on the first node. BRUNT_KEYS is the directory that
# 'brunt cluster keys' made, on a file system that all nodes share; edit agents/*/agent.toml in it first.
# The broker runs elsewhere: cd nats && nats-server -c nats.conf
# Submit it where the files are that the command reads:
#   sbatch --export=ALL,BRUNT_KEYS=$HOME/keys THIS-FILE
#SBATCH --job-name=brunt
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={cores}
#SBATCH --exclusive
#SBATCH --no-requeue
#SBATCH --time={minutes}
{more}set -euo pipefail
: \"${{BRUNT_KEYS:?is the directory that brunt cluster keys made}}\"
export BRUNT_KEYS

# shellcheck disable=SC2016 # each task expands this with its own number
srun --exclusive --nodes={agents} --ntasks={agents} --ntasks-per-node=1 --cpus-per-task={cores} --relative=1 \\
  bash -c 'exec {agent} --records \"$(mktemp -d)\"' &
agents=$!
trap 'kill \"$agents\" 2>/dev/null || true' EXIT

{coordinator}
ended=$?
wait \"$agents\" || true
exit \"$ended\"
",
            agents = options.agents,
            nodes = options.agents + 1,
            cores = options.cores,
            minutes = options.minutes(),
            coordinator = coordinator(options),
        ))
    }
}

fn coordinator(options: &LaunchOptions) -> String {
    let words = options.ordered("$BRUNT_KEYS/coordinator");
    let own = words.len() - options.command.len();
    let ours = words[..own].iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    format!("set +e\n{AS_WRITTEN}\n{ours} {}", shell_line(&options.command))
}

/// A word of ours, which may contain a variable.
fn quoted(word: &str) -> String {
    if word.contains('$') { format!("\"{word}\"") } else { word.to_owned() }
}

//! ssh: a script that starts an agent on each host, orders the run, and ends the agents when it ends.
//!
//! An agent ends when its standard input does, so it never outlives the connection that started it: however this script
//! ends, no agent is left behind.

use super::agent::agent;
use super::{AS_WRITTEN, LaunchOptions, ManifestError, is_plain, shell_line, text};

/// The options for ssh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ssh {
    /// The hosts, as ssh takes them: `load1` or `jo@load1`. Each has one agent.
    pub hosts: Vec<String>,
}

impl Ssh {
    /// The script.
    pub fn text(&self, options: &LaunchOptions) -> Result<String, ManifestError> {
        options.check()?;
        if let Some(host) = self.hosts.iter().find(|host| !is_plain(host, "-_.:@")) {
            return Err(text("--ssh-host", host, "write HOST or USER@HOST"));
        }
        if self.hosts.len() != options.agents as usize {
            let why = "name as many hosts as there are agents, with --ssh-host";
            return Err(ManifestError::Agents(options.agents, why));
        }
        let mut words = agent(options, "brunt-keys");
        words.push("--with-stdin".to_owned());
        let own = options.ordered("$keys/coordinator");
        let ours = own.len() - options.command.len();
        let ours: Vec<String> = own[..ours]
            .iter()
            .map(|word| if word.contains('$') { format!("\"{word}\"") } else { word.clone() })
            .collect();
        Ok(format!(
            "\
#!/bin/bash
# {agents} agents over ssh, ordered from this machine. 'keys' is the directory that 'brunt cluster keys' made. Each host
# has brunt in its path, and its own keys in brunt-keys in the home directory, whose agent.toml its owner has edited:
#   scp -rp keys/agents/agent-0 HOST:brunt-keys
# Start it where the files are that the command reads; they are sent to the agents.
# The broker runs elsewhere: cd nats && nats-server -c nats.conf
set -euo pipefail
keys=${{BRUNT_KEYS:-keys}}
hosts=({hosts})

# The agents read what only this script could write: when it ends, however it does, they do.
open=$(mktemp -u)
mkfifo -m 600 \"$open\"
exec 9<>\"$open\"
started=()
for host in \"${{hosts[@]}}\"; do
  # shellcheck disable=SC2029 # the words are this script's own
  ssh -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -- \"$host\" \\
    \"exec {agent}\" <\"$open\" 9>&- &
  started+=($!)
done
trap 'rm -f \"$open\"; kill \"${{started[@]}}\" 2>/dev/null || true' EXIT

set +e
{AS_WRITTEN}
timeout --signal=INT {seconds} {ours} {command}
ended=$?
exec 9>&-
wait
exit \"$ended\"
",
            agents = options.agents,
            hosts = self.hosts.join(" "),
            agent = words.join(" "),
            seconds = options.deadline.as_secs().max(1),
            ours = ours.join(" "),
            command = shell_line(&options.command),
        ))
    }
}

//! Reads what an order requests as a command line, and makes the command line by which a child carries it out.
//!
//! [`rules`] decides what no order can do; what the owner of an agent permits is decided by
//! [`Policy`](brunt_cluster::policy::Policy). A coordinator reads a command line before it contacts any agent, so that
//! a mistake is reported at once. It need not have the files and variables that agents have, so anything that is
//! missing here is assumed to exist there.

use std::io;
use std::path::{Path, PathBuf};

use brunt_cluster::message::{Order, Step};
use brunt_net::secret::Secret;
use brunt_run::Caller;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::{Files, World};
use serde::{Deserialize, Serialize};

use crate::cli::{self, STEP_CHILD};
use crate::commands::cluster_check::rules::{self, SharedError};

/// To whom the agents that carry out a command line belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agents {
    /// Agents that a coordinator has started for itself, on its own machine.
    Own,
    /// Agents of other users.
    Others,
}

/// A share of a step of a search, which the hidden command `step-child` carries out, and where its results go.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct StepTask {
    pub(crate) step: Step,
    pub(crate) rank: u32,
    pub(crate) of: u32,
    pub(crate) weights: Vec<u32>,
    pub(crate) seed: u64,
    pub(crate) events: PathBuf,
    pub(crate) record: PathBuf,
}

/// How many words the name of a command has.
fn words_of_command(argv: &[String]) -> usize {
    if argv.first().is_some_and(|word| word == "names") { 2 } else { 1 }
}

/// Why agents cannot carry out a command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OrderError {
    #[error("the command cannot be read: {}", first_paragraph(&.0.text).trim_start_matches("error: "))]
    Unreadable(#[from] Refusal),
    #[error(transparent)]
    Shared(#[from] SharedError),
}

/// The words of a command line that these agents carry out, as a record may show them: secrets starred.
pub(crate) fn shown(
    words: &[String],
    agents: Agents,
    world: &World,
) -> Result<Vec<String>, OrderError> {
    let command = cli::load(words, &AgentSurroundings { agents, world })?;
    let caller = match agents {
        Agents::Own => Caller::OwnAgents,
        Agents::Others => Caller::AgentsOfOthers,
    };
    Ok(rules::shared(command, words, caller)?.output().typed.clone())
}

/// The part of a refusal before its usage and its hints, in one line.
fn first_paragraph(text: &str) -> String {
    let words = text.split("\n\n").next().unwrap_or_default().split_whitespace();
    words.collect::<Vec<&str>>().join(" ")
}

/// The command line by which a child carries out an order, without the program's own name.
pub(super) fn child_line(order: &Order, more: &[String]) -> Vec<String> {
    let (command, rest) = order.argv.split_at(words_of_command(&order.argv).min(order.argv.len()));
    let mut own = vec![
        format!("--node={}/{}", order.rank, order.of),
        "--seed".to_owned(),
        order.seed.to_string(),
        "--start-at=-".to_owned(),
    ];
    if !order.weights.is_empty() {
        let weights: Vec<String> = order.weights.iter().map(ToString::to_string).collect();
        own.push(format!("--weights={}", weights.join(",")));
    }
    own.extend(more.iter().cloned());
    [command, &own, rest].concat()
}

/// The same for an order that is a step of a search.
pub(super) fn step_line(order: &Order, step: &Step, events: &Path, record: &Path) -> Vec<String> {
    let task = StepTask {
        step: step.clone(),
        rank: order.rank,
        of: order.of,
        weights: order.weights.clone(),
        seed: order.seed,
        events: events.to_owned(),
        record: record.to_owned(),
    };
    // Serialising a struct of numbers and texts to JSON cannot fail.
    let task = serde_json::to_string(&task).unwrap_or_default();
    let own = [STEP_CHILD.to_owned(), task, "--".to_owned()];
    own.into_iter().chain(order.argv.iter().cloned()).collect()
}

/// Uses this machine in place of an agent's. No user is prompted for a password.
struct AgentSurroundings<'a> {
    agents: Agents,
    world: &'a World,
}

impl AgentSurroundings<'_> {
    /// What is found here, or else a stand-in for what the agents have.
    fn or_theirs<T>(&self, here: io::Result<T>, theirs: T) -> io::Result<T> {
        match here {
            Err(error)
                if self.agents == Agents::Others && error.kind() == io::ErrorKind::NotFound =>
            {
                Ok(theirs)
            }
            here => here,
        }
    }
}

impl Surroundings for AgentSurroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let theirs = || (self.agents == Agents::Others).then(|| "x".to_owned());
        self.world.variable(name).or_else(theirs)
    }

    /// As for properties files.
    fn ambient(&self, name: &str) -> Option<String> {
        match self.agents {
            Agents::Own => self.world.ambient(name),
            Agents::Others => None,
        }
    }

    fn files(&self) -> Files {
        self.world.files()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.or_theirs(self.world.read(path), b"x\n".to_vec())
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.or_theirs(self.world.secret(path), b"x\n".to_vec())
    }

    fn interactive(&self) -> bool {
        false
    }

    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What a user of this machine has configured for their own tools is no part of an order.
    fn properties_files(&self) -> Vec<PathBuf> {
        match self.agents {
            Agents::Own => self.world.properties_files(),
            Agents::Others => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_cluster::bundle::Manifest;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn order_refuses_options_of_one_machine() {
        let authrate = "authrate -h h -D uid=u -w p";
        for (line, named) in [
            (&*format!("{authrate} --record x.json"), "--record"),
            (&format!("{authrate} --outputFile x"), "--outputFile"),
            (&format!("{authrate} --monitor pid:1"), "--monitor"),
            ("http --web http://127.0.0.1/", "--web"),
            ("http --node 0/2 --seed 1 http://127.0.0.1/", "--node"),
            ("http --events - http://127.0.0.1/", "--events"),
            ("http --trace x.har http://127.0.0.1/", "--trace"),
            ("run x.toml --start-at 12:00:00", "--start-at"),
            ("leases sqlite", "leases"),
            ("names matrix", "names"),
            ("report x.json", "report"),
            ("agent --nats x", "agent"),
            ("", "''"),
        ] {
            let Err(why) = shown(&words(line), Agents::Own, &World::of_process()) else {
                panic!("{line}")
            };
            let why = why.to_string();
            assert!(why.contains(named), "{line}: {why}");
        }
    }

    #[test]
    fn order_from_others_refuses_secrets_and_local_files() {
        for (line, named) in [
            ("authrate -h h -D uid=u -w password", "-w"),
            ("http -H Authorization:x http://127.0.0.1/", "--header"),
            ("names lookup --socket /run/nscd/socket", "--socket"),
        ] {
            let Err(why) = shown(&words(line), Agents::Others, &World::of_process()) else {
                panic!("{line}")
            };
            let why = why.to_string();
            assert!(why.contains(named) && !why.contains("password "), "{line}: {why}");
            let own = shown(&words(line), Agents::Own, &World::of_process())
                .unwrap_or_else(|why| panic!("{line}: {why}"));
            assert!(!own.iter().any(|word| word == "password"), "{own:?}");
        }
        for line in
            ["authrate -h h -D uid=u -w:file nowhere", "authrate -h h -D uid=u -w:env NOBODYS"]
        {
            assert!(shown(&words(line), Agents::Others, &World::of_process()).is_ok(), "{line}");
            assert!(shown(&words(line), Agents::Own, &World::of_process()).is_err(), "{line}");
        }
    }

    #[test]
    fn order_options_follow_the_command_name() {
        let order = |line: &str| Order {
            run: "ab".to_owned(),
            epoch: 0,
            nonce: String::new(),
            rank: 1,
            of: 3,
            weights: Vec::new(),
            seed: 7,
            argv: words(line),
            files: Manifest::default(),
            step: None,
        };
        let line = child_line(&order("names lookup -n 5"), &["--quiet".to_owned()]).join(" ");
        assert_eq!(line, "names lookup --node=1/3 --seed 7 --start-at=- --quiet -n 5");
        let line = child_line(&order("authrate -M 9 cn=x"), &[]).join(" ");
        assert_eq!(line, "authrate --node=1/3 --seed 7 --start-at=- -M 9 cn=x");
    }
}

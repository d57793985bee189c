//! Which part of a run this process carries out, and the fingerprint by which the parts are merged.
//!
//! The nodes of a run are given the same command except for the words that concern their own machine. So a fingerprint
//! is made from the words that define the load; those that name a node, its cores and addresses, its files, or
//! objectives, are left out.

use brunt_engine::{PlanError, Settings};
use brunt_record::{Catalogue, Node, Plan, fingerprint};

use super::program::tool;
use crate::options::row::Row;
use crate::options::run_options::{self, NodeError, RunOptions};

/// Options of ours, beside those of every run, that do not change the load of the whole run and take a value.
const VALUES: &[&str] = &["--workers", "--source-ip", "--source-port", "--percentile"];
/// Those without a value.
const SWITCHES: &[&str] = &["--no-pin", "--quiet"];

/// This process's part, as in its record; none if it carries out the whole run.
pub fn node(options: &RunOptions) -> Option<Node> {
    let node = options.node.as_ref().filter(|node| node.of > 1)?;
    let weights =
        options.weights.as_ref().map_or_else(Vec::new, |weights| weights.given().to_vec());
    Some(Node { weights, ..node.clone() })
}

/// The part that a command line requests. The error says what it lacks: machines that share a run draw the same values.
pub fn requested(options: &RunOptions, seed: Option<u64>) -> Result<brunt_engine::Node, NodeError> {
    options.check_node(seed)?;
    match (&options.node, &options.weights) {
        (None, _) => Ok(brunt_engine::Node::default()),
        (Some(node), None) => Ok(brunt_engine::Node::even(node.rank, node.of)),
        (Some(node), Some(weights)) => brunt_engine::Node::weighted(node.rank, weights.given())
            .map_err(|error| NodeError::Share { weights: weights.clone(), error }),
    }
}

/// A part of a run for which there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to {0}")]
pub struct ShareError(#[from] PlanError);

/// This machine's part of the settings of a whole run, whose connections carry `group` sessions each.
pub fn divided(
    settings: Settings,
    node: brunt_engine::Node,
    group: u32,
) -> Result<Settings, ShareError> {
    Ok(settings.shared(node, group)?)
}

/// The fingerprint of a run that was requested with this command.
pub fn fingerprint_of(plan: &Plan, catalogue: &Catalogue, command: &[String]) -> String {
    fingerprint(&tool(), plan, catalogue, load_words(command))
}

/// The words of a command that define its load, except for the seed.
pub fn requested_words(command: &[String]) -> Vec<String> {
    let mut words = load_words(command).into_iter();
    let mut requested = Vec::new();
    while let Some(word) = words.next() {
        if word == "--seed" {
            words.next();
        } else if !word.starts_with("--seed=") {
            requested.push(word.to_owned());
        }
    }
    requested
}

/// The words of a command that define the load of the whole run.
fn load_words(command: &[String]) -> Vec<&str> {
    let mut words = command.iter().map(String::as_str);
    // The path of the program is not part of the request.
    let program = words.next().and_then(|word| word.rsplit('/').next());
    let perfdhcp = program == Some("perfdhcp");
    let mut load: Vec<&str> = program.into_iter().collect();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        let of_every_run =
            run_options::rows().iter().find(|row| name.strip_prefix("--") == Some(row.name));
        let takes_value = of_every_run.is_some_and(Row::takes_word) || VALUES.contains(&name);
        // perfdhcp's own option for the address or the interface of its machine.
        if takes_value || (perfdhcp && word == "-l") {
            if name == word {
                words.next();
            }
        } else if of_every_run.is_none() && !SWITCHES.contains(&word) {
            load.push(word);
        }
    }
    load
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        load_words(&words).join(" ")
    }

    #[test]
    fn load_words_omit_options_of_one_machine() {
        let load = "run login.toml --duration 30s";
        for line in [
            "run login.toml --node 0/2 --duration 30s --record n0.json",
            "run --web login.toml --web=127.0.0.1:80 --duration 30s",
            "run --node=1/2 login.toml --quiet --duration 30s --slo p99<1s --slo=ok>1",
            "/usr/bin/run --hgrm --node --no-pin login.toml --duration 30s",
        ] {
            assert_eq!(words(line), load, "{line}");
        }
        assert_eq!(words("perfdhcp -4 -l eth1 -r 9 10.0.0.1"), "perfdhcp -4 -r 9 10.0.0.1");
        assert_eq!(words("authrate -l eth1 --nodes 3"), "authrate -l eth1 --nodes 3");
        assert_eq!(load_words(&[]), [""; 0]);
    }

    #[test]
    fn requested_words_omit_the_seed() {
        let words = |line: &str| {
            let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
            requested_words(&words).join(" ")
        };
        assert_eq!(words("authrate --seed 7 -M 100 --record x"), "authrate -M 100");
        assert_eq!(words("run p.toml --seed=7"), "run p.toml");
    }

    #[test]
    fn program_alone_is_no_node() {
        let options = |node: Option<Node>, weights: &str| RunOptions {
            node,
            weights: weights.parse().ok(),
            ..RunOptions::default()
        };
        assert_eq!(node(&options(None, "")), None);
        assert_eq!(node(&options(Some(Node::even(0, 1)), "7")), None);
        assert_eq!(node(&options(Some(Node::even(1, 2)), "")), Some(Node::even(1, 2)));
        let weighted = options(Some(Node::even(1, 2)), "3,1");
        assert_eq!(node(&weighted), Some(Node { weights: vec![3, 1], ..Node::even(1, 2) }));
        assert!((requested(&weighted, Some(7)).unwrap().slots.share() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn weights_without_machines_are_refused() {
        let refused = |node: Option<Node>, weights: &str| {
            let weights = Some(weights.parse().unwrap());
            let options = RunOptions { node, weights, ..RunOptions::default() };
            requested(&options, Some(7)).unwrap_err().to_string()
        };
        assert!(refused(None, "3,1").contains("--weights needs --node"));
        assert!(
            refused(Some(Node::even(0, 3)), "3,1")
                .contains("--weights has 2 weights, but --node has 3 machines")
        );
        assert!(refused(Some(Node::even(0, 2)), "4000000000,1").contains("too far apart"));
    }
}

//! The file of targets: which targets this machine may load, and at which rate.
//!
//! An organisation writes it once; every run is checked against it (`crates/net/src/targets.rs`). A file that
//! cannot be parsed stops every run: a rule that is not read protects no target.

use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_engine::schedule::Rate;
use brunt_net::allowed::Allowed;
use brunt_net::targets::{Rule, Targets};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::environment::Environment;
use crate::options::output::duration;

/// Its path in a directory of configurations.
const PLACE: &str = "brunt/targets.toml";
/// The size limit; a longer file is not a file of targets.
const LENGTH_MAX: u64 = 1 << 20;

/// The content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    target: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    #[serde(deserialize_with = "addresses")]
    address: Vec<Allowed>,
    #[serde(default)]
    ports: Vec<u16>,
    #[serde(default, deserialize_with = "rate")]
    rate: Option<f64>,
    connections: Option<u64>,
    #[serde(default, deserialize_with = "time")]
    duration: Option<Duration>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "an address, or a list of addresses")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn addresses<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<Allowed>, D::Error> {
    let addresses = match OneOrMore::deserialize(value)? {
        OneOrMore::One(address) => vec![address],
        OneOrMore::More(addresses) => addresses,
    };
    if addresses.is_empty() {
        return Err(D::Error::custom("address is an empty list"));
    }
    addresses
        .iter()
        .map(|address| {
            address.parse().map_err(|error| D::Error::custom(format!("failed to {error}")))
        })
        .collect()
}

fn rate<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let text = String::deserialize(value)?;
    let rate: Result<Rate, _> = text.parse();
    let rate = rate.map(Rate::as_per_second);
    rate.map(Some).map_err(|error| D::Error::custom(format!("failed to {error}")))
}

fn time<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(value)?;
    duration(&text).map(Some).map_err(D::Error::custom)
}

/// Why the file of targets cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to read the targets file {}: {cause}", path.display())]
pub(crate) struct TargetsError {
    path: PathBuf,
    #[source]
    cause: TargetsCause,
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
enum TargetsCause {
    #[error(transparent)]
    Read(#[from] std::io::Error),
    #[error("it is longer than {LENGTH_MAX} bytes")]
    Long,
    #[error(
        "it lists requests, as for vegeta: --urls-from-file FILE sends them, and --targets is for the rules about what \
         this machine may load"
    )]
    ListsRequests,
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error("it has no [[target]], so nothing could be loaded; list at least one")]
    Empty,
}

/// Reads the given file, else the first one in the directories of configurations.
pub(crate) fn read(
    given: Option<&Path>,
    environment: &Environment,
) -> Result<Option<Targets>, TargetsError> {
    let found = match given {
        Some(path) => Some(path.to_owned()),
        None => usual(|name| environment.path(name)).find(|path| path.exists()),
    };
    let Some(path) = found else { return Ok(None) };
    match rules(&path) {
        Ok(rules) => Ok(Some(Targets { file: path.display().to_string(), rules })),
        Err(cause) => Err(TargetsError { path, cause }),
    }
}

fn rules(path: &Path) -> Result<Vec<Rule>, TargetsCause> {
    if std::fs::metadata(path)?.len() > LENGTH_MAX {
        return Err(TargetsCause::Long);
    }
    parse(&std::fs::read_to_string(path)?)
}

/// The paths where the file is searched for: XDG Base Directory Specification.
fn usual(variable: impl Fn(&str) -> Option<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let home = variable("HOME").map(|home| home.join(".config"));
    let users = variable("XDG_CONFIG_HOME").filter(absolute).or(home);
    let machines = variable("XDG_CONFIG_DIRS").filter(|dirs| !dirs.as_os_str().is_empty());
    let machines = machines.unwrap_or_else(|| PathBuf::from("/etc/xdg"));
    let machines: Vec<PathBuf> = std::env::split_paths(&machines).filter(absolute).collect();
    users.into_iter().chain(machines).map(|directory| directory.join(PLACE))
}

fn parse(text: &str) -> Result<Vec<Rule>, TargetsCause> {
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(_) if lists_requests(text) => return Err(TargetsCause::ListsRequests),
        Err(error) => return Err(error.into()),
    };
    if file.target.is_empty() {
        return Err(TargetsCause::Empty);
    }
    Ok(file.target.into_iter().map(rule).collect())
}

/// Whether the first line that is not empty has a URL in the place of a rule.
fn lists_requests(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| !line.starts_with('#') && line.contains("://"))
}

fn rule(target: Target) -> Rule {
    let at_ports = |network: Allowed| -> Vec<Allowed> {
        match &*target.ports {
            [] => vec![network],
            ports => ports.iter().map(|port| network.at_port(*port)).collect(),
        }
    };
    Rule {
        networks: target.address.into_iter().flat_map(at_ports).collect(),
        rate: target.rate,
        connections: target.connections,
        duration: target.duration,
        note: target.note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_file_has_a_rule_for_each_target() {
        let text = "
            [[target]]
            address = [\"10.1.0.0/16\", \"2001:db8::/32\"]
            ports = [389, 636]
            rate = \"5k/s\"
            connections = 200
            duration = \"10m\"
            note = \"staging; ask the directory team for more\"

            [[target]]
            address = \"192.0.2.7:80\"
        ";
        let rules = parse(text).unwrap();
        let named: Vec<String> = rules[0].networks.iter().map(ToString::to_string).collect();
        let expected =
            ["10.1.0.0/16:389", "10.1.0.0/16:636", "[2001:db8::]/32:389", "[2001:db8::]/32:636"];
        assert_eq!(named, expected);
        assert_eq!((rules[0].rate, rules[0].connections), (Some(5_000.0), Some(200)));
        assert_eq!(rules[0].duration, Some(Duration::from_secs(600)));
        assert_eq!(
            (rules[1].rate, rules[1].networks[0].to_string()),
            (None, "192.0.2.7:80".to_owned())
        );
    }

    #[test]
    fn targets_example_in_docs_is_valid() {
        let page = include_str!("../../../docs/targets.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let rules = parse(rest.split_once("```").unwrap().0).unwrap();
        assert_eq!((rules.len(), rules[0].networks.len()), (2, 4));
    }

    #[test]
    fn targets_file_without_rules_is_refused_with_its_place() {
        for (text, named) in [
            ("", "no [[target]]"),
            ("GET http://127.0.0.1:8080/\n", "--urls-from-file FILE sends them"),
            ("{\"method\": \"GET\", \"url\": \"http://127.0.0.1/\"}", "as for vegeta"),
            ("[[target]]\nrate = \"5/s\"", "address"),
            ("[[target]]\naddress = \"example.com\"", "line 2"),
            ("[[target]]\naddress = [\"::1\", \"10.0.0.0/33\"]", "line 2"),
            ("[[target]]\naddress = []", "empty list"),
            ("[[target]]\naddress = \"::1\"\nrate = \"fast\"", "line 3"),
            ("[[target]]\naddress = \"::1\"\nduration = \"long\"", "line 3"),
            ("[[target]]\naddress = \"::1\"\nmax-rate = 5", "line 3"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    #[test]
    fn targets_file_is_searched_in_xdg_directories() {
        let of = |pairs: &[(&str, &str)]| -> Vec<String> {
            let value = |name: &str| {
                pairs.iter().find(|(known, _)| *known == name).map(|it| PathBuf::from(it.1))
            };
            usual(value).map(|path| path.display().to_string()).collect()
        };
        assert_eq!(
            of(&[("HOME", "/home/a")]),
            ["/home/a/.config/brunt/targets.toml", "/etc/xdg/brunt/targets.toml"]
        );
        assert_eq!(
            of(&[("HOME", "/home/a"), ("XDG_CONFIG_HOME", "/c"), ("XDG_CONFIG_DIRS", "/d:/e")]),
            ["/c/brunt/targets.toml", "/d/brunt/targets.toml", "/e/brunt/targets.toml"]
        );
    }
}

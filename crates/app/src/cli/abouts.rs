//! The list of the texts about commands. A test fails for a command without one, so that none is forgotten.

use super::{
    agent, args, cluster_check, cluster_keys, cluster_manifest, cluster_run, compare, dhcp_target,
    find_max, push, rest_target, sizing,
};
use crate::tools;
use brunt_run::options::about::{About, Example};

/// The texts about each command of the program's own beside its options, by its words after `brunt`.
const OWN: &[(&str, &About)] = &[
    ("ab", &compare::AB),
    ("agent", &agent::AGENT),
    ("agents", &agent::AGENTS),
    ("calibrate", &args::CALIBRATE),
    ("cluster check", &cluster_check::ABOUT),
    ("cluster keys", &cluster_keys::ABOUT),
    ("cluster manifest", &cluster_manifest::ABOUT),
    ("cluster run", &cluster_run::ABOUT),
    ("compare", &compare::COMPARE),
    ("completions", &args::COMPLETIONS),
    ("find-max", &find_max::ABOUT),
    ("help", &args::HELP),
    ("man", &args::MAN),
    ("merge", &args::MERGE),
    ("push", &push::ABOUT),
    ("quickstart", &args::QUICKSTART),
    ("report", &args::REPORT),
    #[cfg(feature = "website")]
    ("serve", &super::serve::ABOUT),
    ("sizing", &sizing::ABOUT),
    ("target dhcp", &dhcp_target::ABOUT),
    ("target ldap", &args::TARGET_LDAP),
    ("target rest", &rest_target::ABOUT),
    ("trend", &compare::TREND),
];

/// The texts about every command, its words after `brunt` before them.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static About)> {
    OWN.iter().chain(tools::all().flat_map(|tool| tool.abouts)).copied()
}

/// The texts about the command with these words after `brunt`.
pub(super) fn about(name: &str) -> Option<&'static About> {
    all().find(|(of, _)| *of == name).map(|(_, about)| about)
}

/// The examples of a command, by its words after `brunt`; the program itself has no words. A group of commands has
/// those of the command that most users begin with.
pub(super) fn examples(name: &str) -> &'static [Example] {
    match name {
        "" => WHOLE,
        "import" => examples("import curl"),
        "names" => examples("names lookup"),
        "cluster" => examples("cluster keys"),
        "target" => examples("target ldap"),
        name => about(name).map_or(&[], |about| about.examples),
    }
}

const WHOLE: &[Example] = &[
    ("A first run, against a server in memory:", "brunt quickstart"),
    #[cfg(feature = "plans")]
    (
        "2,000 HTTP requests per second for a minute:",
        "brunt http -q 2000 -z 1m https://id.example.com/ping",
    ),
    (
        "LDAP binds, as fast as the server answers:",
        "brunt authrate -h ds.example.com -D uid=jo,dc=example,dc=com -w:file pw -f",
    ),
];

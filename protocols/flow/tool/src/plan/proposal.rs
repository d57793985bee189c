//! The search for the highest rate that a run of a plan proposes at its end: a command that can be typed.
//!
//! A search decides when iterations begin and how long they go on, and takes a plan without keys that say so. They are
//! left out by `--unset` where the plan has them, and not typed again where the command line set them.

use brunt_flow_plan::path::KeyPath;
use brunt_flow_plan::reader::Written;
use brunt_run::search_words;

use crate::options::run::RunArgs;

/// The keys of `[run]` that a search decides itself, and those that need one of them.
const DECIDED: [&str; 10] = [
    "rate",
    "stages",
    "trace",
    "rate-file",
    "duration",
    "warm-up",
    "iterations",
    "ramp-up",
    "arrival",
    "backlog",
];
/// Those without which the load is another.
const ESSENTIAL: [&str; 4] = ["rounds", "think", "back-off", "groups"];
const SET: &str = "--set";

/// The words after `brunt find-max`, as of [`search_words`]; none if a search cannot repeat the load.
pub(super) fn words(args: &RunArgs, written: &Written) -> Vec<String> {
    let of_run = |key: &str| KeyPath::new("run").key(key);
    let standard = args.plan.as_ref().is_none_or(|path| path.as_os_str() == "-");
    let common = search_words(args);
    if common.is_empty() || standard || ESSENTIAL.iter().any(|key| written.has(&of_run(key))) {
        return Vec::new();
    }
    let mut words = kept(common);
    for key in DECIDED.iter().filter(|key| written.text_has(&of_run(key))) {
        words.extend(["--unset".to_owned(), format!("run.{key}")]);
    }
    for slo in &args.output.run.objectives {
        words.extend(["--slo".to_owned(), slo.text().to_owned()]);
    }
    words
}

/// The words without what they set of keys that a search decides.
fn kept(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix(SET) {
            Some("") => {
                let value = rest.next().unwrap_or_default();
                if !is_decided(&value) {
                    kept.extend([word, value]);
                }
            }
            Some(set) if set.strip_prefix('=').is_some_and(is_decided) => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// Whether an override sets such a key, or a part of it.
fn is_decided(set: &str) -> bool {
    let key = set.split('=').next().unwrap_or_default().trim();
    let mut parts = key.split('.').map(str::trim);
    parts.next() == Some("run") && parts.next().is_some_and(|key| DECIDED.contains(&key))
}

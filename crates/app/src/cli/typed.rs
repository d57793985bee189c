//! The command line of a clap command as a record may show it: all its words, with secrets starred.
//!
//! Each tool marks its arguments that can contain a secret, by name. The names of files and variables stay, since they
//! are useful and reveal nothing. The LDAP tools and the lease benchmarks have grammars of their own and redact by the
//! same rule.

use std::collections::VecDeque;

use brunt_redact::{HIDDEN, header, is_secret_header, is_secret_name, text, url};
use brunt_run::options::output::duration;
use brunt_run::options::secrecy::Secrecy;
use clap::{Arg, ArgAction, Command};

use super::declared;
use crate::tools;

/// Which part of an argument is secret.
fn marked(id: &str) -> Option<Secrecy> {
    let mut all = tools::all().flat_map(|tool| tool.secrets);
    all.find(|(name, _)| *name == id).map(|(_, secrecy)| *secrecy)
}

/// The words after the name of the program, with secrets starred.
pub(super) fn typed(line: &[String]) -> Vec<String> {
    let program = declared::parsed_for(line);
    let mut words: VecDeque<&str> = line.iter().skip(1).map(String::as_str).collect();
    let mut shown = Vec::with_capacity(words.len());
    let mut command = &program;
    while let Some(next) = words.front().and_then(|word| command.find_subcommand(word)) {
        shown.extend(words.pop_front().map(str::to_owned));
        command = next;
    }
    let mut positional = command.get_positionals();
    let mut last_positional = None;
    while let Some(word) = words.pop_front() {
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            shown.extend(long_option(command, long, &mut words));
        } else if word.starts_with('-') && word.len() > 1 && word != "--" {
            shown.extend(short_options(command, word, &mut words));
        } else if word == "--" {
            shown.push(word.to_owned());
        } else {
            last_positional = positional.next().or(last_positional);
            shown.push(value(last_positional, word));
        }
    }
    shown
}

/// `--name`, `--name value` or `--name=value`.
fn long_option(command: &Command, long: &str, words: &mut VecDeque<&str>) -> Vec<String> {
    let (name, given) = long.split_once('=').map_or((long, None), |(name, v)| (name, Some(v)));
    let named = |arg: &&Arg| {
        arg.get_long() == Some(name)
            || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    };
    let arg = command.get_arguments().find(named);
    match (arg, given) {
        (arg, Some(given)) => vec![format!("--{name}={}", value(arg, given))],
        (Some(arg), None) if takes_value(arg) => {
            let given = words.pop_front().map(|word| value(Some(arg), word));
            std::iter::once(format!("--{name}")).chain(given).collect()
        }
        _ => vec![format!("--{name}")],
    }
}

/// `-x`, `-xyz`, `-x value`, `-xvalue` or `-x=value`.
fn short_options(command: &Command, word: &str, words: &mut VecDeque<&str>) -> Vec<String> {
    let named = |letter: char| {
        command.get_arguments().find(|arg| {
            arg.get_short() == Some(letter)
                || arg.get_all_short_aliases().is_some_and(|aliases| aliases.contains(&letter))
        })
    };
    for (at, letter) in word.char_indices().skip(1) {
        let Some(arg) = named(letter).filter(|arg| takes_value(arg)) else { continue };
        let (options, given) = word.split_at(at + letter.len_utf8());
        if given.is_empty() {
            let given = words.pop_front().map(|word| value(Some(arg), word));
            return std::iter::once(options.to_owned()).chain(given).collect();
        }
        let (sign, given) = given.strip_prefix('=').map_or(("", given), |given| ("=", given));
        return vec![format!("{options}{sign}{}", value(Some(arg), given))];
    }
    vec![word.to_owned()]
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
        && arg.get_num_args().is_none_or(|number| number.min_values() > 0)
}

/// The value of an argument, with secrets starred. The value of an unknown argument is not shown.
fn value(arg: Option<&Arg>, value: &str) -> String {
    let Some(arg) = arg else { return HIDDEN.to_owned() };
    match marked(arg.get_id().as_str()) {
        None => value.to_owned(),
        Some(Secrecy::UnlessTime) if duration(value).is_ok() => value.to_owned(),
        Some(Secrecy::Whole | Secrecy::UnlessTime) => HIDDEN.to_owned(),
        Some(Secrecy::Header) => match value.split_once(':') {
            Some((name, value)) => format!("{name}: {}", header(name.trim(), value.trim())),
            None => value.to_owned(),
        },
        Some(Secrecy::Url) => url(value),
        Some(Secrecy::Setting) => setting(value),
    }
}

/// A key of a plan and what it is set to. The value of a key that names no secret is shown, so that a run can be
/// repeated. A table is not, since it has keys of its own, and neither is the value within a variable, which the plan
/// may mark as a secret.
fn setting(word: &str) -> String {
    let Some((key, value)) = word.split_once('=') else { return word.to_owned() };
    let keys = key.split('.').map(|key| key.trim().trim_matches(['"', '\''])).collect::<Vec<_>>();
    let (first, last) = (keys.first().copied(), keys.last().copied());
    let harmless = matches!(first, Some("run" | "objectives" | "abort-on"))
        || matches!(last, Some("env" | "file"));
    let named = keys.iter().any(|key| {
        *key == "bearer"
            || is_secret_name(key)
            || keys.contains(&"headers") && is_secret_header(key)
    });
    let within = first == Some("variables") && matches!(last, Some("value" | "choice"));
    let shown = match value.trim_start() {
        _ if harmless => value.to_owned(),
        table if named || within || table.starts_with(['{', '[']) => HIDDEN.to_owned(),
        address if address.contains("://") => url(value),
        _ => text(value),
    };
    format!("{key}={shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[&str]) -> String {
        let line: Vec<String> =
            ["brunt"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        typed(&line).join(" ")
    }

    #[test]
    fn shown_command_line_hides_secrets() {
        for (words, expected) in [
            (
                &["http", "-c", "5", "-q500", "-H", "Authorization: Bearer x", "-H", "A: b", "u"][..],
                "http -c 5 -q500 -H Authorization: Bearer *** -H A: b u",
            ),
            (
                &["http", "-a", "jo:pw", "-d", "30s", "--body=pw", "--slo", "p99<1s", "--seed=7"],
                "http -a *** -d 30s --body=*** --slo p99<1s --seed=7",
            ),
            (&["http", "-d", "pw", "-L4x", "http://a:pw@h:1"], "http -d *** -L4x http://a:***@h:1"),
            (
                &["http", "-dpw", "-apw", "http://h/x?a=1&token=pw"],
                "http -d*** -a*** http://h/x?a=1&token=***",
            ),
            (&["http", "--curl", "curl -u a:pw h"], "http --curl ***"),
            (
                &["http", "--proxy", "http://a:pw@p", "--unknown=pw"],
                "http --proxy http://a:***@p --unknown=***",
            ),
            (
                &[
                    "run",
                    "plan.toml",
                    "--set",
                    "run.users=5",
                    "--set=variables.password=pw",
                    "--node",
                    "0/2",
                ],
                "run plan.toml --set run.users=5 --set=variables.password=*** --node 0/2",
            ),
            (&["loadgen", "-c", "job.json", "--to-plan", "x"], "loadgen -c job.json --to-plan ***"),
            (
                &["leases", "mysql://kea:pw@db", "postgres://a:pw@/x?password=pw", "--mix"],
                "leases mysql://kea:***@db postgres://a:***@/x?password=*** --mix",
            ),
            (&["names", "lookup", "--rate", "5", "--", "x"], "names lookup --rate 5 -- ***"),
        ] {
            assert_eq!(shown(words), expected);
            assert!(!shown(words).contains("pw"), "{words:?}");
        }
    }

    #[test]
    fn shown_command_line_keeps_harmless_set_values() {
        for (given, expected) in [
            ("variables.realm=alpha", "variables.realm=alpha"),
            ("run.stages=[\"1s\"]", "run.stages=[\"1s\"]"),
            ("http.base=https://jo:x@h:1/a", "http.base=https://jo:***@h:1/a"),
            ("http.headers.Accept=text/html", "http.headers.Accept=text/html"),
            ("http.headers.\"X-Session\"=x", "http.headers.\"X-Session\"=***"),
            ("variables.\"client_secret\"=x", "variables.\"client_secret\"=***"),
            ("variables.password.env=PW", "variables.password.env=PW"),
            ("variables.pin.value=1", "variables.pin.value=***"),
            ("variables.pin={value=1}", "variables.pin=***"),
            ("scenario.1.steps.1.bearer=x", "scenario.1.steps.1.bearer=***"),
            (
                "scenario.1.steps.1.text='a=1&password=x'",
                "scenario.1.steps.1.text='a=1&password=***'",
            ),
            ("no value", "no value"),
        ] {
            assert_eq!(shown(&["run", "p", "--set", given]), format!("run p --set {expected}"));
        }
    }

    #[test]
    fn secret_marks_refer_to_existing_arguments() {
        fn ids(command: &Command, found: &mut Vec<String>) {
            found.extend(command.get_arguments().map(|arg| arg.get_id().to_string()));
            command.get_subcommands().for_each(|command| ids(command, found));
        }
        let mut known = Vec::new();
        ids(&declared::parsed(), &mut known);
        for (name, _) in tools::all().flat_map(|tool| tool.secrets) {
            assert!(known.iter().any(|id| id == name), "no command has an argument {name}");
        }
        let secret = |id: &&String| {
            brunt_redact::is_secret_name(id) && !id.ends_with("file") && !id.starts_with("keep")
        };
        // The token of a broker is given as the name of a file.
        let exempt = ["ask_password", "password", "admin_password", "token"];
        let unmarked: Vec<_> =
            known.iter().filter(secret).filter(|id| !exempt.contains(&id.as_str())).collect();
        assert!(unmarked.is_empty(), "not marked: {unmarked:?}");
    }
}

//! What an order asks for, read as a command line, and why it is not carried out.
//!
//! An order comes from another machine, so it may say what load to make and nothing about this one: no files to write, no
//! programs, no ports to open, no paths out of the directory in which the agent lies. What its owner permits beside that is
//! [`Policy`]'s to judge.

use std::cell::RefCell;
use std::io;
use std::path::{Component, Path, PathBuf};

use brunt_cluster::message::Order;
use brunt_drivers::secret::Secret;

use crate::cli::names::NamesKind;
use crate::cli::rate::security::ClientCertificate;
use crate::cli::run_options::RunOptions;
use crate::cli::surroundings::{Machine, Surroundings};
use crate::cli::trace::TraceArgs;
use crate::cli::{Command, read};

/// What an order asks for.
pub(crate) struct Load {
    /// The words of its command, `names lookup` being two.
    pub(crate) command: String,
    /// The environment variables that it refers to.
    pub(crate) variables: Vec<String>,
    /// The addresses that it restricts itself to.
    pub(crate) allow: Vec<String>,
    /// Its words as a record may show them: secrets starred.
    pub(crate) shown: Vec<String>,
}

/// How many words name a command.
pub(crate) fn words_of_command(argv: &[String]) -> usize {
    if argv.first().is_some_and(|word| word == "names") { 2 } else { 1 }
}

impl Load {
    /// Reads an order's command line. `trusted` is whether whoever orders is the one who started this agent. The error
    /// says what is not carried out.
    pub(crate) fn read(argv: &[String], trusted: bool) -> Result<Self, String> {
        let seen = Seen::default();
        let line: Vec<String> =
            std::iter::once("brunt".to_owned()).chain(argv.iter().cloned()).collect();
        let command = read(&line, &seen).map_err(|refusal| {
            let text = refusal.text.trim_end();
            format!("the command cannot be read: {}", text.lines().next().unwrap_or_default())
        })?;
        let (options, own) = given(&command).ok_or_else(|| {
            let word = argv.first().map_or("", String::as_str);
            format!(
                "'{word}' makes no load that agents share: an LDAP rate tool, perfdhcp, http, run or names lookup does"
            )
        })?;
        if let Some((option, _)) = own.iter().find(|(_, given)| *given) {
            return Err(format!(
                "{option} is about one machine alone: leave it out of the command after --"
            ));
        }
        if let Some(option) = about_one_machine(options) {
            return Err(format!(
                "{option} is about the results or the share of one run: give it to 'brunt cluster run', before --"
            ));
        }
        let shown = shown(&command);
        if !trusted {
            shows_no_secret(argv, &shown)?;
            let files = seen.files.borrow();
            if let Some(path) = files.iter().chain(&paths(&command)).find(|path| leads_out(path)) {
                return Err(format!(
                    "{} is no relative path below the agent's directory",
                    path.display()
                ));
            }
        }
        let command = argv.get(..words_of_command(argv)).unwrap_or_default().join(" ");
        let allow = options.allow.iter().map(ToString::to_string).collect();
        Ok(Self { command, variables: seen.variables.take(), allow, shown })
    }
}

/// The command line by which a child carries an order out, without the program's own name.
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

/// The options of every run in a command that agents share, and those of its own that an order must not have.
fn given(command: &Command) -> Option<(&RunOptions, Vec<(&'static str, bool)>)> {
    let traced = |trace: &TraceArgs| [("--once", trace.once), ("--trace", trace.trace.is_some())];
    Some(match command {
        Command::Rate(args) => {
            let library = matches!(args.security.client, Some(ClientCertificate::Pkcs11 { .. }));
            let own = vec![
                ("--outputFile", args.output.file.is_some()),
                ("--usePkcs11KeyStore", library),
            ];
            (&args.output.run, own)
        }
        Command::Perfdhcp(args) => {
            (&args.output.run, vec![("--wrapped (-w)", args.output.wrapped.is_some())])
        }
        Command::Http(args) => {
            let own = traced(&args.trace).into_iter().chain([("--to-plan", args.to_plan)]);
            (&args.output.run, own.collect())
        }
        Command::Run(args) => {
            let own = traced(&args.trace).into_iter();
            let own = own.chain([("--check", args.check), ("--schema", args.schema)]);
            (&args.output.run, own.collect())
        }
        Command::Names(NamesKind::Lookup(args)) => (&args.output.run, Vec::new()),
        _ => return None,
    })
}

/// The option that says what one machine does with its results, if there is one.
fn about_one_machine(options: &RunOptions) -> Option<&'static str> {
    let file = options.paths().into_iter().find_map(|(name, path)| path.map(|_| name));
    let others = [
        ("--events", options.events.is_some()),
        ("--prometheus", options.prometheus.is_some()),
        ("--otlp", options.otlp.is_some()),
        ("--monitor", !options.monitors.is_empty()),
        ("--web", options.web.is_some()),
        ("--node", options.node.is_some()),
        ("--start-at", options.start_at.is_some()),
        ("--weights", options.weights.is_some()),
        ("--abort-on", !options.abort_on.is_empty()),
        ("--canary", options.canary.is_some()),
        ("--targets", options.targets.is_some()),
        ("--live", options.view.live),
    ];
    file.or_else(|| others.into_iter().find_map(|(name, given)| given.then_some(name)))
}

/// The words of a command, secrets starred.
fn shown(command: &Command) -> Vec<String> {
    match command {
        Command::Rate(args) => [vec![args.tool.name().to_owned()], args.redacted.clone()].concat(),
        Command::Perfdhcp(args) => args.words.clone(),
        Command::Http(args) => args.typed.clone(),
        Command::Run(args) => args.typed.clone(),
        Command::Names(NamesKind::Lookup(args)) => args.typed.clone(),
        _ => Vec::new(),
    }
}

/// Refuses a password that stands in the command: it would be on every agent's list of processes.
fn shows_no_secret(argv: &[String], shown: &[String]) -> Result<(), String> {
    match argv.iter().zip(shown).find(|(word, shown)| word != shown) {
        None => Ok(()),
        Some((_, shown)) => Err(format!(
            "{shown} stands for a secret in the command: refer to a variable or a file of each agent instead, such as \
             -w:env NAME or -w:file FILE"
        )),
    }
}

/// Files that are named in the command and read later.
fn paths(command: &Command) -> Vec<PathBuf> {
    match command {
        Command::Run(args) => args.plan.iter().cloned().collect(),
        Command::Http(args) => {
            let files = [&args.urls_from_file, &args.script].into_iter().flatten();
            files.cloned().collect()
        }
        Command::Perfdhcp(args) => args.clients.macs.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

fn leads_out(path: &Path) -> bool {
    path.is_absolute() || path.components().any(|part| part == Component::ParentDir)
}

/// What this machine has, and what of it was asked for. Nobody is there to be asked for a password.
#[derive(Default)]
struct Seen {
    variables: RefCell<Vec<String>>,
    files: RefCell<Vec<PathBuf>>,
}

impl Surroundings for Seen {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.borrow_mut().push(name.to_owned());
        Machine.variable(name)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.borrow_mut().push(path.to_owned());
        Machine.read(path)
    }

    fn interactive(&self) -> bool {
        false
    }

    fn ask(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What the owner of this machine has set for tools of his own is no part of an order.
    fn properties_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_concerns_one_machine_is_refused_by_its_name() {
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
            ("leases --stores sqlite", "leases"),
            ("names matrix --backends files", "names"),
            ("report x.json", "report"),
            ("agent --nats x", "agent"),
            ("", "''"),
        ] {
            let Err(why) = Load::read(&words(line), true) else { panic!("{line}") };
            assert!(why.contains(named), "{line}: {why}");
        }
    }

    #[test]
    fn an_order_of_others_names_no_secret_and_no_file_elsewhere() {
        for (line, named) in [
            ("authrate -h h -D uid=u -w password", "***"),
            ("http -H Authorization:x http://127.0.0.1/", "***"),
            ("run /etc/plan.toml", "/etc/plan.toml"),
            ("run ../plan.toml", "../plan.toml"),
        ] {
            let Err(why) = Load::read(&words(line), false) else { panic!("{line}") };
            assert!(why.contains(named) && !why.contains("password "), "{line}: {why}");
            assert!(Load::read(&words(line), true).is_ok(), "{line}");
        }
        let load =
            Load::read(&words("http --allow 127.0.0.1 --slo p99<1s http://127.0.0.1/"), false);
        let load = load.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((load.command.as_str(), load.allow.len()), ("http", 1));
        let load =
            Load::read(&words("names lookup -n 5"), false).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(load.command, "names lookup");
    }

    #[test]
    fn the_share_is_said_behind_the_name_of_the_command() {
        let order = |line: &str| Order {
            run: "ab".to_owned(),
            epoch: 0,
            nonce: String::new(),
            rank: 1,
            of: 3,
            weights: Vec::new(),
            seed: 7,
            argv: words(line),
        };
        let line = child_line(&order("names lookup -n 5"), &["--quiet".to_owned()]).join(" ");
        assert_eq!(line, "names lookup --node=1/3 --seed 7 --start-at=- --quiet -n 5");
        let line = child_line(&order("authrate -M 9 cn=x"), &[]).join(" ");
        assert_eq!(line, "authrate --node=1/3 --seed 7 --start-at=- -M 9 cn=x");
    }
}

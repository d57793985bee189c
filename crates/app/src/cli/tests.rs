//! Tests of how command lines are read, and of those that are refused.

use std::io;
use std::path::Path;

use brunt_dhcp_tool::options::{self as dhcp, switches};
use brunt_net::secret::Secret;
use brunt_run::options::row::dashed;

use super::args::TargetKind;
use super::*;

struct Nowhere;

impl Surroundings for Nowhere {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn interactive(&self) -> bool {
        false
    }
    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn command(line: &[&str]) -> Result<Command, Refusal> {
    let words: Vec<String> = line.iter().map(ToString::to_string).collect();
    read(&words, &Nowhere)
}

fn printed(line: &[&str]) -> String {
    match command(line) {
        Ok(Command::Print(text)) => text,
        other => panic!("{line:?} printed nothing: {other:?}"),
    }
}

#[test]
fn tool_is_reached_by_name_and_by_link() {
    assert!(printed(&["brunt", "modrate", "-H"]).starts_with("Usage:  modrate "));
    assert!(printed(&["/opt/bin/addrate", "--HELP"]).starts_with("Usage:  addrate "));
    assert_eq!(printed(&["brunt", "help", "modrate"]), printed(&["modrate", "-?"]));
    let refusal = command(&["authrate"]).unwrap_err();
    assert_eq!(refusal.exit, Exit::LdapUsage);
    assert!(refusal.text.ends_with("\n\nSee \"authrate --help\" to get more usage help\n"));
    assert_eq!(printed(&["authrate", "-V"]), printed(&["brunt", "--version"]));
}

#[test]
fn commands_parse_their_options() {
    match command(&["brunt", "target", "ldap", "--listen", "127.0.0.1:0", "--users", "5"]).unwrap()
    {
        Command::Verb(Verb::Target { kind: TargetKind::Ldap(args) }) => {
            assert_eq!(
                (args.listen.port(), args.users, args.suffix.as_str()),
                (0, 5, "dc=example,dc=com")
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        command(&["brunt", "report", "x.json", "--format", "csv"]),
        Ok(Command::Verb(Verb::Report(_)))
    ));
    match command(&["brunt", "merge", "a.json", "b.ndjson", "--record", "all.json"]).unwrap() {
        Command::Verb(Verb::Merge(args)) => {
            assert_eq!((args.files.len(), args.record), (2, Some("all.json".into())));
        }
        other => panic!("{other:?}"),
    }
    for (line, protocol) in [
        (&["brunt", "quickstart"][..], args::Protocol::Ldap),
        (&["brunt", "quickstart", "dhcp"], args::Protocol::Dhcp),
    ] {
        match command(line).unwrap() {
            Command::Verb(Verb::Quickstart(args)) => assert_eq!(args.protocol, protocol),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        command(&["brunt", "calibrate", "--duration", "1"]),
        Ok(Command::Verb(Verb::Calibrate(_)))
    ));
    for wrong in [
        &["brunt", "nosuch"][..],
        &["brunt"],
        &["brunt", "merge"],
        &["brunt", "calibrate", "--duration", "0"],
        &["brunt", "man", "x"],
        &["brunt", "quickstart", "x"],
    ] {
        assert_eq!(command(wrong).unwrap_err().exit, Exit::Usage, "{wrong:?}");
    }
}

#[test]
fn help_lists_every_tool() {
    let help = printed(&["brunt", "--help"]);
    for name in
        tools::all().map(|tool| tool.name).chain(["report", "target", "quickstart", "calibrate"])
    {
        assert!(help.contains(name), "{name}");
    }
}

#[test]
fn help_of_each_command_and_of_the_program() {
    assert!(printed(&["brunt", "report", "--help"]).contains("--format"));
    assert!(printed(&["brunt", "target", "ldap", "--help"]).contains("--suffix"));
    assert!(printed(&["brunt", "help", "calibrate"]).contains("--duration"));
    for whole in [&["brunt", "help"][..], &["brunt", "-h"]] {
        assert!(printed(whole).contains("authrate"), "{whole:?}");
    }
    assert!(command(&["brunt"]).unwrap_err().text.contains("authrate"));
}

#[test]
fn completions_and_manual_pages_contain_tool_options() {
    assert!(printed(&["brunt", "completions", "bash"]).contains("--keepConnectionsOpen"));
    assert!(printed(&["brunt", "man", "modrate"]).contains("read_modify"));
    assert!(printed(&["brunt", "man"]).contains("quickstart"));
}

#[test]
fn manual_page_exists_for_every_command() {
    let (mut open, mut found) = (vec![(Vec::new(), screens::command())], 0);
    while let Some((path, command)) = open.pop() {
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        open.extend(
            shown
                .map(|sub| ([path.clone(), vec![sub.get_name().to_owned()]].concat(), sub.clone())),
        );
        let (apart, joined) = (path.join(" "), path.join("-"));
        let words = ["brunt", "man"].into_iter().chain(path.iter().map(String::as_str));
        let page = printed(&words.collect::<Vec<_>>());
        let spelled = page.replace("\\-", "-").replace("\\fR", "").replace("\\fB", "");
        assert!(spelled.contains(format!("brunt {apart}").trim()), "{apart}: {page}");
        if !path.is_empty() {
            assert_eq!(printed(&["brunt", "man", &joined]), page);
        }
        found += 1;
    }
    assert!(found > 20, "{found}");
    for line in [&["man", "target", "nosuch"][..], &["man", "target", "ldap", "x"]] {
        let line = [&["brunt"], line].concat();
        assert_eq!(command(&line).unwrap_err().exit, Exit::Usage, "{line:?}");
    }
}

#[test]
fn manual_pages_and_completions_are_written_to_a_directory() {
    let written = |line: &[&str]| {
        let Ok(Command::WriteAll { directory, files }) = command(line) else {
            panic!("{line:?} writes nothing")
        };
        assert_eq!(directory, std::path::Path::new("out"));
        files
    };
    let pages = written(&["brunt", "man", "--all", "out"]);
    for (path, _) in pages::leaves(&declared::program()) {
        let (file, words) = (format!("brunt-{}.1", path.join("-")), path.join(" "));
        let found = pages.iter().find(|(name, _)| *name == file);
        let text = &found.unwrap_or_else(|| panic!("no {file}")).1;
        assert_eq!(*text, printed(&["brunt", "man", &path.join("-")]), "{words}");
    }
    assert!(pages.iter().any(|(name, text)| name == "brunt.1" && text.contains("quickstart")));
    for (shell, file) in
        [("bash", "authrate.bash"), ("zsh", "_authrate"), ("fish", "authrate.fish")]
    {
        let scripts = written(&["brunt", "completions", shell, "--all", "out"]);
        let script = &scripts.iter().find(|(name, _)| name == file).expect(file).1;
        assert_eq!(*script, printed(&["brunt", "completions", shell, "authrate"]));
        assert!(script.contains("keepConnectionsOpen") && !script.contains("quickstart"));
        assert_eq!(
            scripts.len(),
            1 + pages::links().len(),
            "brunt and the names that links may have"
        );
    }
    assert_eq!(command(&["brunt", "completions", "bash", "http"]).unwrap_err().exit, Exit::Usage);
}

#[test]
fn single_hyphen_word_is_refused_with_a_tip() {
    for word in ["-more", "-host", "-h2", "-disable-keepalive"] {
        let refused = command(&["brunt", "http", word, "http://127.0.0.1:1/"]).unwrap_err();
        assert_eq!(refused.exit, Exit::Usage, "{word}");
        assert!(refused.text.contains("tip: words have two hyphens here"), "{}", refused.text);
    }
}

#[test]
fn unknown_option_is_never_suggested_as_a_value() {
    for (line, tip) in [
        ("http --vus 10 http://127.0.0.1:1/", "tip: write -c NUMBER"),
        ("http --max-workers 5 http://127.0.0.1:1/", "tip: write -c NUMBER"),
        ("run --vus 10 plan.toml", "tip: write --set run.users=NUMBER"),
        ("run plan.toml -z 10s", "tip: write --duration DURATION"),
        ("http --vuss 5", "found\n\n  tip: write -c NUMBER\n\nUsage"),
        ("http --banana 5", "found\n\nUsage"),
        ("run plan.toml --nonsense", "unexpected argument '--nonsense'"),
        ("report x --nonsense", "unexpected argument '--nonsense'"),
    ] {
        let words: Vec<&str> = std::iter::once("brunt").chain(line.split(' ')).collect();
        let refused = command(&words).unwrap_err();
        assert_eq!(refused.exit, Exit::Usage, "{line}");
        assert!(
            refused.text.contains(tip) && !refused.text.contains("as a value"),
            "{}",
            refused.text
        );
    }
}

#[test]
fn links_behave_like_their_commands() {
    for link in pages::links() {
        let linked = command(&[link, "--help"]);
        let named = command(&["brunt", link, "--help"]);
        let help = |it: Result<Command, Refusal>| match it {
            Ok(Command::Print(text)) => text,
            other => format!("{other:?}"),
        };
        assert_eq!(help(linked), help(named), "{link}");
    }
}

#[test]
fn completions_include_values_without_dash() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["brunt", "completions", shell]);
        for word in ["memfile", "powershell"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        for (path, _) in pages::leaves(&declared::program()) {
            let name = path.join("-");
            assert!(["completions", "man"].contains(&&*name) || script.contains(&name), "{name}");
        }
    }
    let script = printed(&["brunt", "completions", "fish"]);
    let of = |condition: &str| {
        let mut lines = script.lines().filter(|line| line.contains(condition));
        lines.any(|line| line.contains("-f -a \"") && !line.contains(" -l "))
    };
    assert!(of("__fish_brunt_using_subcommand quickstart"), "{script}");
    assert!(of("__fish_brunt_using_subcommand completions"), "{script}");
}

#[test]
fn perfdhcp_switches_are_in_completions_and_manual() {
    let script = completions::completions(clap_complete::Shell::Bash);
    let manual = manual::page(&[dhcp::NAME.to_owned()]).unwrap().replace('\\', "");
    assert!(manual.contains("giaddr"));
    for name in switches::all().iter().flat_map(|switch| switch.names().collect::<Vec<_>>()) {
        let name = dashed(name);
        assert!(script.contains(&name), "{name}");
        assert!(manual.contains(&name), "{name}");
    }
    assert!(screens::program(Screen::Full).contains(dhcp::PURPOSE.split_once(' ').unwrap().1));
}

#[test]
fn perfdhcp_is_reached_by_name_and_by_link() {
    let split = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let command = |line: &str| read(&split(line), &Nowhere);
    let printed = |line: &str| match command(line) {
        Ok(Command::Print(text)) => text,
        other => panic!("{line}: {other:?}"),
    };
    assert!(printed("brunt perfdhcp -h").starts_with("Usage:  perfdhcp "));
    assert_eq!(printed("/usr/sbin/perfdhcp -h"), printed("brunt help perfdhcp"));
    assert_eq!(printed("perfdhcp -v"), printed("brunt --version"));
    assert!(printed("perfdhcp -V").starts_with(&printed("perfdhcp -v")));
    for line in ["perfdhcp -6 ::1", "brunt perfdhcp -6 ::1"] {
        match command(line) {
            Ok(Command::Load(load)) => assert_eq!(load.output().typed, ["perfdhcp", "-6", "::1"]),
            other => panic!("{line}: {other:?}"),
        }
    }
    let refusal = command("brunt perfdhcp -q").unwrap_err();
    let message = "ERROR: parsing command line options: there is no switch -q: see 'perfdhcp -h' for all switches\n";
    assert_eq!((refusal.text.as_str(), refusal.exit), (message, Exit::Usage));
    assert_eq!(command("perfdhcp -l eth0").unwrap_err().exit, Exit::Unsafe);
}

//! The commands that users copy: on every page of the documentation, and in every help. They are parsed here as the
//! program would parse them, so this is compiled only for tests.
//!
//! Everything that begins with one of our names is parsed, in any position: in a block of any language, after a prompt,
//! a pipe, `sudo` or a variable, and in the middle of a sentence. Text that is not a command is listed in [`PROSE`],
//! with the reason. Values that the parser of a command line only passes on, rates and think times, are parsed by the
//! code that parses them in a run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::tools;
use brunt_dhcp_tool::options::switches;
use brunt_engine::ThinkTime;
use brunt_engine::schedule::Schedule;
use brunt_ldap_tool::options::table as options;
use brunt_ldap_tool::options::tool::Tool;
use brunt_net::secret::Secret;
use brunt_record::Slo;
use brunt_run::options::surroundings::Surroundings;
use clap::{Arg, Command};

/// The directory of the pages.
pub(super) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Text in sentences that looks like a command but is none, and why.
const PROSE: [(&str, &str); 15] = [
    ("brunt cluster check", "the name of a command that needs another"),
    ("brunt cluster keys", "the name of a command that needs a directory"),
    ("brunt target", "the name of a group of commands: one of them has to follow"),
    ("brunt import", "the same"),
    ("brunt target ldap|dhcp|rest --script FILE", "three commands at once"),
    ("brunt http", "the name of a command that needs a URL"),
    ("brunt loadgen", "the name of a command that needs a job"),
    ("brunt merge", "the name of a command that needs files"),
    ("brunt report", "the same"),
    ("brunt compare", "the name of a command that needs runs"),
    ("brunt ab", "the name of a command that needs two others"),
    ("brunt find-max", "the name of a command that needs another"),
    ("brunt trend", "the name of a command that needs runs"),
    ("brunt run", "the name of a command that needs a plan"),
    ("brunt names sweep", "the name of a command that needs something to vary"),
];

/// Surroundings in which every file of an example exists, and the password is in `PW`.
struct ExampleSurroundings;

impl Surroundings for ExampleSurroundings {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "PW").then(|| "password".to_owned())
    }
    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(b"password\n".to_vec())
    }
    fn interactive(&self) -> bool {
        false
    }
    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The text of every page of the documentation, by name.
pub(super) fn texts() -> BTreeMap<String, String> {
    let docs = ["docs", "docs/architecture", "docs/tutorials"]
        .into_iter()
        .flat_map(|name| std::fs::read_dir(Path::new(ROOT).join(name)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"));
    let read = |path: &Path| (path.display().to_string(), std::fs::read_to_string(path).unwrap());
    let own =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| Path::new(ROOT).join(name));
    own.iter()
        .filter(|path| path.exists())
        .map(|path| read(path))
        .chain(docs.map(|path| read(&path)))
        .collect()
}

/// The blocks of a page that are in this language.
pub(super) fn blocks(page: &str, language: &str) -> Vec<String> {
    fenced(page).into_iter().filter(|(of, _)| of == language).map(|(_, block)| block).collect()
}

/// All blocks of a page, with their languages.
fn fenced(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match &mut open {
            Some(block) if line == "```" => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
            None => {
                open = line.strip_prefix("```").map(|of| (of.to_owned(), String::new()));
            }
        }
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    blocks
}

/// The texts between backquotes outside of blocks.
fn inline(page: &str) -> Vec<String> {
    let mut outside = true;
    let mut prose = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            outside = !outside;
        } else if outside && !line.starts_with("    ") {
            prose.push_str(line.trim_start_matches("> "));
            prose.push(if line.is_empty() { '\n' } else { ' ' });
        }
    }
    let spans = prose.lines().flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    spans.map(str::to_owned).collect()
}

/// The commands of a block, each as its words: those of a pipe, after `;` and in the background as well. In `sh` every
/// line is one, and in any other language the text after a prompt.
fn commands(language: &str, block: &str) -> Vec<Vec<String>> {
    let joined = block.replace("\\\n", " ");
    let typed = |line: &&str| language == "sh" || line.starts_with("$ ");
    joined.lines().filter(typed).flat_map(shell).collect()
}

/// Splits a line as a shell does, for lines that quote but do not escape.
fn shell(line: &str) -> Vec<Vec<String>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let (mut all, mut words, mut word, mut quote) = (vec![], Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '&' | ';') => {
                words.extend(word.take());
                all.push(std::mem::take(&mut words));
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    all.push(words);
    all.into_iter().map(ours).collect()
}

/// The words without what precedes a command, and without its redirections.
fn ours(mut words: Vec<String>) -> Vec<String> {
    let before = |word: &&String| {
        let variable = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        });
        variable || *word == "sudo"
    };
    let begin = words.iter().take_while(before).count();
    words.drain(..begin);
    let end = words.iter().position(|word| word.starts_with('>') || word.starts_with("2>"));
    words.truncate(end.unwrap_or(words.len()));
    words
}

/// Parses a command as the program would, if it is one of ours: returns whether it is, or why it is wrong.
fn check(words: &[String]) -> Result<bool, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let argv: Vec<&str> = match words[..] {
        ["cargo", "run", "--release", "--", ref rest @ ..] => [&["brunt"], rest].concat(),
        ["brunt", ..] => words,
        [name, ..] if tools::named(name).is_some_and(|tool| !tool.is_read_by_clap()) => words,
        _ => return Ok(false),
    };
    let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
    super::read(&argv, &ExampleSurroundings).map_err(|refusal| refusal.text)?;
    for pair in argv.windows(2) {
        if let Some(name) = pair[0].strip_prefix("--") {
            notation(name, &pair[1])?;
        }
    }
    Ok(true)
}

/// Parses a value that the command line only passes on.
fn notation(option: &str, value: &str) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| format!("--{option} {value}: {error}");
    match option {
        "stages" if value.starts_with("trace ") => Ok(()),
        "stages" => Schedule::parse(value).map(drop).map_err(|error| wrong(&error)),
        "think" => ThinkTime::parse(value).map(drop).map_err(|error| wrong(&error)),
        // find-max accepts values relative to the unloaded run.
        "slo" if value.ends_with('x') => {
            brunt_capacity::Goals::parse([value]).map(drop).map_err(|error| wrong(&error))
        }
        "slo" => value.parse::<Slo>().map(drop).map_err(|error| wrong(&error)),
        _ => Ok(()),
    }
}

/// The values that a help gives as examples: those after "such as", quoted or a word.
fn values(help: &str) -> Vec<String> {
    let mut values = Vec::new();
    for after in help.split("such as ").skip(1) {
        let mut rest = after.split(". ").next().unwrap_or_default();
        loop {
            rest = rest.trim_start_matches("or ");
            let quote = rest.chars().next().filter(|c| "'`".contains(*c));
            let (value, more) = if let Some(quote) = quote {
                rest[1..].split_once(quote).unwrap_or((&rest[1..], ""))
            } else {
                let end = rest.find([' ', ',', ';', ')', '\n']).unwrap_or(rest.len());
                rest.split_at(end)
            };
            let value = value.trim_end_matches('.');
            // A word is an example if it contains a digit; others are prose.
            if quote.is_some() || value.contains(|c: char| c.is_ascii_digit()) {
                values.push(value.to_owned());
            }
            match more.trim_start().strip_prefix("or ") {
                Some(next) => rest = next,
                None => break,
            }
        }
    }
    values
}

/// Every command that clap parses, with its subcommands.
fn declared() -> Vec<Command> {
    let mut open = vec![super::declared::parsed()];
    let mut all = Vec::new();
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().cloned());
        all.push(command);
    }
    all
}

/// Parses a value as its option does, and returns why it is wrong, if it is.
fn refused(arg: &Arg, value: &str) -> Option<String> {
    let mut alone = Arg::new("alone").long("alone").value_parser(arg.get_value_parser().clone());
    if let Some(delimiter) = arg.get_value_delimiter() {
        alone = alone.value_delimiter(delimiter).num_args(1..);
    }
    let line = ["--alone".to_owned(), value.to_owned()];
    let read = Command::new("alone").no_binary_name(true).arg(alone).try_get_matches_from(line);
    let name = arg.get_long().unwrap_or_default();
    read.err().map(|error| error.to_string()).or_else(|| notation(name, value).err())
}

#[test]
fn docs_commands_in_blocks_parse() {
    let (mut found, mut wrong) = (0, Vec::new());
    for (page, text) in texts() {
        for words in fenced(&text).iter().flat_map(|(of, block)| commands(of, block)) {
            match check(&words) {
                Ok(ours) => found += usize::from(ours),
                Err(why) => wrong.push(format!("{page}: {words:?}: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 120, "only {found} examples were found");
}

#[test]
fn docs_commands_in_sentences_parse() {
    let (mut found, mut wrong) = (0, Vec::new());
    let mut listed: Vec<&str> = PROSE.iter().map(|(text, _)| *text).collect();
    for (page, text) in texts() {
        for span in inline(&text).iter().filter(|span| span.starts_with("brunt ")) {
            if PROSE.iter().any(|(text, _)| text == span) {
                listed.retain(|text| text != span);
                continue;
            }
            match check(&shell(span).remove(0)) {
                Ok(ours) => found += usize::from(ours),
                Err(why) => wrong.push(format!("{page}: {span}: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 10, "only {found} commands were found in sentences");
    assert_eq!(listed, [""; 0], "no page says this any more");
}

#[test]
fn help_example_values_parse() {
    let mut found = 0;
    let mut wrong = Vec::new();
    for command in declared() {
        for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
            for value in values(&help.unwrap_or_default()) {
                found += 1;
                let name = command.get_name();
                let id = arg.get_id();
                wrong.extend(refused(arg, &value).map(|why| format!("{name}: {id}: {why}")));
            }
        }
    }
    let of_tools = Tool::ALL.into_iter().flat_map(options::of).map(|it| (it.name, it.help));
    let of_perfdhcp = switches::all().into_iter().map(|it| (it.name, it.help));
    for (option, help) in of_tools.chain(of_perfdhcp) {
        for value in values(help) {
            found += 1;
            wrong.extend(notation(option, &value).err());
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(found > 40, "only {found} values were found");
}

#[test]
fn docs_invalid_example_is_noticed() {
    let page = "```console\n$ brunt report run.json --format none\nbrunt is not called here\n```\n\
                ```sh\nauthrate -D cn=x -w y \\\n  --nosuch\nPW=x ls | sudo authrate --nosuch 2> x\n```\n\
                Some `brunt leases\n--nosuch` here.\n";
    let found: Vec<Vec<String>> =
        fenced(page).iter().flat_map(|(of, block)| commands(of, block)).collect();
    assert!(check(&found[0]).unwrap_err().contains("none"));
    assert!(check(&found[1]).unwrap_err().contains("--nosuch"));
    assert_eq!((check(&found[2]), &found[2][..]), (Ok(false), &["ls".to_owned()][..]));
    assert_eq!(found[3], ["authrate", "--nosuch"]);
    assert_eq!(inline(page), ["brunt leases --nosuch"]);
    let words = shell("brunt leases --stages 'ramp 0..500/s 1m, hold 500/s 5m'").remove(0);
    assert!(check(&words).unwrap_err().contains("over"), "{:?}", check(&words));
    assert_eq!(values("Time, such as 5s or '1 m'. Not such as these"), ["5s", "1 m"]);
}

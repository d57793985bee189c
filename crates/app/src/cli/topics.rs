//! `brunt help`: the help of a command, and the guides of `docs/`, which are part of the program.
//!
//! Messages refer to guides, and a package installs none: so the program has them, by the names of their files. The
//! list that users see is the index of `docs/`.

use std::fmt::Write as _;
use std::io::Read as _;
use std::sync::LazyLock;

use crate::tools;
use brunt_ldap_tool::options::words::alike;
use brunt_run::options::page::wrap;
use brunt_run::tool::{Grammar, Tool};
use flate2::read::DeflateDecoder;

use super::markdown;
use super::pages::NAMES;
use super::screens::{self, Screen};

/// The widest line of the list.
const WIDTH: usize = 79;
/// The column of a topic's description in the list.
const PURPOSE: usize = 24;

/// The index and the guides, as `crates/app/build.rs` packs them: each file's name and text end with a zero byte.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guides.deflate"));

static UNPACKED: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    DeflateDecoder::new(PACKED).read_to_string(&mut text).expect("the guides are those packed");
    text
});

static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let parts: Vec<&str> = UNPACKED.split_terminator('\0').collect();
    let files = parts.chunks_exact(2).filter(|file| file[0] != INDEX);
    files.map(|file| Topic::new(file[0], file[1])).collect()
});

/// The file with the titles and contents of all pages.
const INDEX: &str = "README.md";

/// A guide.
struct Topic {
    name: String,
    /// Its file in `docs/`.
    file: &'static str,
    page: &'static str,
}

impl Topic {
    fn new(file: &'static str, page: &'static str) -> Self {
        let stem = file.trim_end_matches(".md");
        let tutorial = stem.strip_prefix("tutorials/").map(|name| format!("tutorial-{name}"));
        Self { name: tutorial.unwrap_or_else(|| stem.to_owned()), file, page }
    }
}

/// The text of a guide, by the name of its topic.
pub(super) fn page(name: &str) -> Option<&'static str> {
    TOPICS.iter().find(|topic| topic.name == name).map(|topic| topic.page)
}

/// The names of all topics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|topic| &*topic.name)
}

/// Why there is no text to read. The message lists the topics.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoTopic {
    #[error("there is no command or topic '{0}'{hint}\n'brunt help' lists all", hint = similar(.0))]
    Topic(String),
    #[error(
        "there is no section '{name}' in the topic '{topic}'{}",
        instead(topic, sections, name)
    )]
    Section { name: String, topic: String, sections: Vec<String> },
}

/// The text of `brunt help` with these words.
pub(super) fn text(words: &[String]) -> Result<String, NoTopic> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(screens::program(Screen::Full) + &list());
    };
    let guide = TOPICS.iter().find(|topic| topic.name == *first);
    match (command(words), guide, rest) {
        // A group of commands has the name of the guide about them.
        (Some(command), Some(guide), []) => Ok(format!("{command}\n{}", shown(guide.page))),
        (Some(command), ..) => Ok(command),
        (None, Some(guide), []) => Ok(shown(guide.page)),
        (None, Some(guide), [name]) => section(guide, name).map(|text| shown(&text)),
        _ => Err(NoTopic::Topic(words.join(" "))),
    }
}

/// The help of a command.
fn command(words: &[String]) -> Option<String> {
    if let [name] = words
        && let Some(Tool { grammar: Grammar::Own { help, .. }, name, .. }) = tools::named(name)
    {
        return Some(help(name));
    }
    let mut command = screens::command();
    command.build();
    for word in words {
        let below = command.find_subcommand(word).filter(|below| !below.is_hide_set())?;
        command = below.clone();
    }
    Some(command.render_long_help().to_string())
}

/// The topic that was probably meant.
fn similar(name: &str) -> String {
    let known = NAMES.keys().map(String::as_str).chain(names());
    alike(name, known).map(|it| format!("; did you mean '{it}'?")).unwrap_or_default()
}

/// The section that was probably meant, or else where all of them are.
fn instead(topic: &str, sections: &[String], name: &str) -> String {
    let meant = alike(name, sections.iter().map(String::as_str));
    let whole = || format!("\n'brunt help {topic}' prints all of it");
    meant.map_or_else(whole, |it| format!("; did you mean '{it}'?"))
}

/// A page for the terminal, whose links to other pages are commands that show them.
fn shown(page: &str) -> String {
    markdown::terminal(page, &reference)
}

/// How a reader of the terminal follows a link.
pub(super) fn reference(target: &str) -> Option<String> {
    if target.contains("://") {
        return Some(target.to_owned());
    }
    let (file, _) = target.split_once('#').unwrap_or((target, ""));
    let name = named(file)?;
    Some(format!("brunt help {name}"))
}

/// The words after `brunt help` for a file of `docs/`: a topic or a command.
pub(super) fn named(file: &str) -> Option<String> {
    let file = file.trim_start_matches("../");
    if let Some(topic) = TOPICS.iter().find(|topic| topic.file == file) {
        return Some(topic.name.clone());
    }
    let name = file.strip_suffix(".md")?;
    let of_several = |tool: &&Tool| tool.manual().and_then(|manual| manual.page) == Some(name);
    let first = tools::all().find(of_several).map(|tool| tool.name.to_owned());
    first.or_else(|| NAMES.get(name).cloned())
}

/// A section of a guide: what follows an anchor or a heading, up to the next heading of its level.
fn section(guide: &Topic, name: &str) -> Result<String, NoTopic> {
    let anchor = format!("<a id=\"{name}\"></a>");
    let heading = |line: &str| level(line).filter(|_| slug(line) == name);
    let mut lines =
        guide.page.lines().skip_while(|line| *line != anchor && heading(line).is_none());
    let first = lines.find(|line| level(line).is_some()).ok_or_else(|| NoTopic::Section {
        name: name.to_owned(),
        topic: guide.name.clone(),
        sections: guide.page.lines().filter_map(section_name).collect(),
    })?;
    let end = |line: &str| level(line).is_some_and(|of| of <= level(first).unwrap_or_default());
    let below = lines.take_while(|line| !end(line));
    Ok(std::iter::once(first).chain(below).fold(String::new(), |text, line| text + line + "\n"))
}

/// The name by which the section that begins here can be read.
fn section_name(line: &str) -> Option<String> {
    let anchor = line.strip_prefix("<a id=\"").and_then(|rest| rest.strip_suffix("\"></a>"));
    anchor.map(str::to_owned).or_else(|| level(line).map(|_| slug(line)))
}

fn level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (level > 0 && line[level..].starts_with(' ')).then_some(level)
}

/// The URL fragment of a heading, as forges make it.
pub(super) fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    let lower = heading.trim_start_matches(['#', ' ']).to_lowercase();
    lower.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The topics, each with its description in the index.
fn list() -> String {
    let mut out = "\nTopics, for 'brunt help TOPIC':\n".to_owned();
    for (topic, content) in listed() {
        let mut name = &*topic.name;
        for line in wrap(&content, WIDTH - PURPOSE - 2).lines() {
            let _ = writeln!(out, "  {name:PURPOSE$}{line}");
            name = "";
        }
    }
    out
}

/// The topics in the order of the index.
fn listed() -> impl Iterator<Item = (&'static Topic, String)> {
    let index = UNPACKED.split('\0').skip_while(|part| *part != INDEX).nth(1).unwrap_or_default();
    index.lines().filter_map(|line| {
        let (_, rest) = line.strip_prefix("| [")?.split_once("](")?;
        let (file, content) = rest.split_once(") | ")?;
        let topic = TOPICS.iter().find(|topic| topic.file == file)?;
        Some((topic, markdown::plain(content.trim_end_matches([' ', '|']), &|_| None)))
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::cli::quoted::ROOT;
    use crate::cli::{Command, completions};
    use brunt_run::World;

    fn read(words: &str) -> Result<String, NoTopic> {
        text(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn topics_include_every_docs_page() {
        for directory in ["docs", "docs/tutorials"] {
            for entry in std::fs::read_dir(Path::new(ROOT).join(directory)).unwrap() {
                let path = entry.unwrap().path();
                let file =
                    path.strip_prefix(Path::new(ROOT).join("docs")).unwrap().to_str().unwrap();
                if path.extension().is_some_and(|it| it == "md") && file != INDEX {
                    let words =
                        named(file).unwrap_or_else(|| panic!("add {file} to docs/README.md"));
                    assert!(read(&words).is_ok_and(|text| text.lines().count() > 5), "{words}");
                }
            }
        }
    }

    #[test]
    fn topics_are_listed_by_help_within_80_columns() {
        let page = read("").unwrap();
        for topic in TOPICS.iter() {
            assert!(page.contains(&format!("\n  {} ", topic.name)), "{}: {page}", topic.name);
        }
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    }

    #[test]
    fn topic_shows_commands_in_place_of_links() {
        let page = read("schedules").unwrap();
        assert!(page.starts_with("# Load schedules\n\n"), "{page}");
        assert!(page.contains("(brunt help "), "{page}");
        assert!(!page.contains("]("), "{page}");
        // The group of commands and the guide about it.
        let page = read("cluster").unwrap();
        assert!(
            page.contains("Usage: brunt cluster") && page.contains("\n# Many machines"),
            "{page}"
        );
    }

    #[test]
    fn topic_section_is_found_by_anchor_or_heading() {
        let page = read("troubleshooting refused").unwrap();
        assert!(page.starts_with("### ") && page.contains("connection refused"), "{page}");
        assert_eq!(page.matches("### ").count(), 1, "{page}");
        let page = read("exit-codes what-came-of-a-run").unwrap();
        assert!(page.starts_with("## What came of a run\n"), "{page}");
        let error = read("troubleshooting refusd").unwrap_err().to_string();
        assert!(error.ends_with("did you mean 'refused'?"), "{error}");
    }

    #[test]
    fn help_word_works_before_and_after_a_command_group() {
        for line in ["brunt help target ldap", "brunt target help ldap"] {
            let words = line.split(' ').map(str::to_owned).collect::<Vec<_>>();
            match crate::cli::read(&words, &World::of_process()) {
                Ok(Command::Print(text)) => assert!(text.contains("brunt target ldap"), "{text}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn completions_include_topics() {
        for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Fish] {
            assert!(completions::completions(shell).contains("troubleshooting"), "{shell}");
        }
    }

    #[test]
    fn unknown_topic_suggests_the_nearest() {
        let unknown = |words: &str| read(words).unwrap_err().to_string();
        assert!(unknown("shedules").contains("did you mean 'schedules'?"));
        assert!(unknown("find-mac").contains("did you mean 'find-max'?"));
        assert!(unknown("weather forecast today").contains("'weather forecast today'"));
    }

    /// The text of every file of the program that is no test, without comments.
    fn sources() -> Vec<(PathBuf, String)> {
        let mut open = vec![Path::new(ROOT).join("protocols"), Path::new(ROOT).join("crates")];
        let mut all = Vec::new();
        while let Some(path) = open.pop() {
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if !["tests", "testdata", "benches", "vendor"].contains(&name) {
                    open.extend(
                        std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()),
                    );
                }
                continue;
            }
            let only_tests = ["tests.rs", "docs.rs", "quoted.rs", "reference.rs"].contains(&name);
            if only_tests || ![".rs", ".txt", ".js"].iter().any(|end| name.ends_with(end)) {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let program = text.split("#[cfg(test)]").next().unwrap();
            let reported = program.lines().filter(|line| !line.trim_start().starts_with("//"));
            let reported = reported.filter(|line| !line.contains("include_str!"));
            let text = reported.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
            all.push((path, text.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        all
    }

    /// What follows each place at which a text has this, up to the end of a reference.
    fn after<'a>(text: &'a str, phrase: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(phrase)
            .skip(1)
            .map(|rest| rest.split(['\'', '"', '`', '\\', ')', ';', ',']).next().unwrap())
    }

    #[test]
    fn messages_refer_to_existing_topics() {
        let mut found = 0;
        for (path, text) in sources() {
            let pages = after(&text, "docs/").filter(|rest| rest.contains(".md"));
            let pages: Vec<_> = pages.collect();
            assert!(pages.is_empty(), "{}: write 'brunt help TOPIC': {pages:?}", path.display());
            for words in after(&text, "brunt help ").filter(|words| !words.contains(['{', 'T'])) {
                found += 1;
                assert!(read(words).is_ok(), "{}: brunt help {words}", path.display());
            }
        }
        assert!(found >= 3, "only {found}");
    }
}

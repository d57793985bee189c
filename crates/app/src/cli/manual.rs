//! Manual pages, in the format of man(7), generated from the declarations of all commands.
//!
//! clap's generator makes the options. The other sections are ours: a synopsis with the values of options, and what
//! readers of manual pages expect and a declaration does not contain, namely examples, exit codes and files.

use std::collections::BTreeSet;

use brunt_run::options::exit::Exit;
use brunt_run::tool::{Manual, Tool};
use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::declared::program;
use super::markdown::{self, Block, Span};
use super::{abouts, pages, topics};
use crate::tools;

/// The words of a help's last part that introduce its exit codes.
const CODES: &str = "Exit codes: ";

/// What a part of a page begins with.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// The pages of the program and of every command, by the names of their files.
pub(super) fn all() -> Vec<(String, String)> {
    let names = std::iter::once("").chain(pages::NAMES.keys().map(String::as_str));
    names
        .filter_map(|name| {
            let file = format!("brunt-{name}").trim_end_matches('-').to_owned();
            Some((format!("{file}.1"), page(&[name.to_owned()])?))
        })
        .collect()
}

/// The page of the command of these words, joined by a dash or not, if there is one.
pub(super) fn page(words: &[String]) -> Option<String> {
    let mut program = program();
    // Sets the full names of subcommands.
    program.build();
    let name = words.join("-");
    let mut path = Vec::new();
    let mut command = &program;
    let mut rest = name.strip_prefix("brunt").filter(|rest| rest.is_empty()).unwrap_or(&name);
    while !rest.is_empty() {
        let below = command.get_subcommands().filter_map(|sub| {
            let after = rest.strip_prefix(sub.get_name())?;
            let after = if after.is_empty() { after } else { after.strip_prefix('-')? };
            Some((sub, after))
        });
        // `search-and-mod-rate` is one name.
        (command, rest) = below.min_by_key(|(_, after)| after.len())?;
        path.push(command.get_name());
    }
    Page { path: path.join(" "), command }.render().ok()
}

/// A page that is being made.
struct Page<'a> {
    /// The words of the command after `brunt`.
    path: String,
    command: &'a Command,
}

impl Page<'_> {
    fn render(&self) -> std::io::Result<String> {
        let man = Man::new(self.command.clone());
        let mut out = Vec::new();
        man.render_name_section(&mut out)?;
        self.synopsis().to_writer(&mut out)?;
        self.description().to_writer(&mut out)?;
        let mut options = Vec::new();
        if self.command.get_arguments().any(|arg| !arg.is_hide_set()) {
            man.render_options_section(&mut options)?;
        }
        // A value has the same spelling as in the synopsis.
        let options = String::from_utf8_lossy(&options).replace("\\fI<", "\\fI");
        let options = options.replace(">\\fR", "\\fR").replace(">...\\fR", "...\\fR");
        out.extend(options.as_bytes());
        if self.command.get_subcommands().any(|sub| !sub.is_hide_set()) {
            man.render_subcommands_section(&mut out)?;
        }
        self.ending().to_writer(&mut out)?;
        // Each part defines how an apostrophe is written; once is enough.
        let parts = String::from_utf8_lossy(&out).replace(APOSTROPHE, "");
        let title = format!("brunt-{}", self.path.replace(' ', "-"));
        let title = title.trim_end_matches('-').to_uppercase();
        let version = env!("CARGO_PKG_VERSION");
        Ok(format!(
            "{APOSTROPHE}.TH \"{title}\" 1 \"\" \"brunt {version}\" \"Manual of brunt\"\n{parts}"
        ))
    }

    fn synopsis(&self) -> Roff {
        let mut roff = Roff::new();
        let name = self.command.get_bin_name().unwrap_or_else(|| self.command.get_name());
        let mut line = vec![bold(name)];
        let shown = |arg: &&Arg| !arg.is_hide_set();
        let options =
            || self.command.get_arguments().filter(shown).filter(|arg| !arg.is_positional());
        let needed = options().filter(|arg| arg.is_required_set());
        let optional = options().filter(|arg| !arg.is_required_set());
        let positional = self.command.get_positionals().filter(shown);
        for arg in needed.chain(optional).chain(positional) {
            line.push(roman(" "));
            line.extend(synopsis_of(arg));
        }
        if self.command.has_subcommands() {
            line.extend([roman(" "), italic("COMMAND")]);
        }
        roff.control("SH", ["SYNOPSIS"]);
        roff.text(line);
        roff
    }

    fn description(&self) -> Roff {
        let mut roff = Roff::new();
        roff.control("SH", ["DESCRIPTION"]);
        let about = abouts::about(&self.path).map(|about| about.description.to_owned());
        let declared = || self.command.get_long_about().or_else(|| self.command.get_about());
        let declared = || declared().map(ToString::to_string).unwrap_or_default();
        write(&markdown::blocks(&about.unwrap_or_else(declared)), &mut roff);
        let after = self.after();
        let notes = after.split(CODES).next().unwrap_or_default();
        for paragraph in notes.split("\n\n").filter(|text| !text.trim().is_empty()) {
            // Columns of the help are kept as they are.
            if paragraph.lines().any(|line| line.trim().contains("  ")) {
                code(paragraph, &mut roff);
            } else {
                write(&markdown::blocks(paragraph), &mut roff);
            }
        }
        roff
    }

    /// The last part of the help.
    fn after(&self) -> String {
        self.command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
    }

    /// What follows the options.
    fn ending(&self) -> Roff {
        let mut roff = Roff::new();
        let examples = self.examples();
        if !examples.is_empty() {
            roff.control("SH", ["EXAMPLES"]);
        }
        for (what, command) in examples {
            roff.control("PP", []);
            roff.text([roman(what)]);
            code(&command, &mut roff);
        }
        roff.control("SH", ["EXIT STATUS"]);
        match self.after().split_once(CODES) {
            Some((_, codes)) => {
                roff.text([roman(codes)]);
            }
            None => {
                for (code, meaning) in self.exits() {
                    roff.control("TP", []);
                    roff.text([bold(code)]);
                    roff.text([roman(meaning)]);
                }
            }
        }
        let files = self.files();
        if !files.is_empty() {
            roff.control("SH", ["FILES"]);
        }
        for (path, what) in files {
            roff.control("TP", []);
            roff.text([italic(path)]);
            roff.text([roman(what)]);
        }
        self.see_also(&mut roff);
        roff
    }

    fn examples(&self) -> Vec<(String, String)> {
        match self.manual() {
            Some(manual) => (manual.examples)(&self.path),
            None => Manual::examples(abouts::examples(&self.path)),
        }
    }

    /// What the tool adds, if its grammar is its own.
    fn manual(&self) -> Option<&'static Manual> {
        tools::named(&self.path).and_then(Tool::manual)
    }

    /// The exit codes, and their meanings here.
    fn exits(&self) -> Vec<(String, &'static str)> {
        if let Some(manual) = self.manual() {
            return (manual.exits)();
        }
        let own: &[Exit] = match &*self.path {
            "compare" | "ab" | "push" => &[Exit::Undecided, Exit::Regression],
            "cluster check" | "target dhcp" => &[Exit::Unsafe],
            "makeldif" => &[Exit::Input],
            "merge" => &[Exit::Undecided, Exit::Partial, Exit::Missed],
            "leases" => &[Exit::SomeFailed],
            _ => &[],
        };
        let run: &[Exit] = if self.takes("slo") {
            &[
                Exit::Undecided,
                Exit::Partial,
                Exit::Unsafe,
                Exit::Aborted,
                Exit::Missed,
                Exit::Interrupted,
                Exit::Terminated,
            ]
        } else {
            &[]
        };
        let every = [Exit::Ok, Exit::Failed, Exit::Usage];
        let all = || every.iter().chain(own).chain(run);
        let named = all().map(|exit| (exit.code(), exit.meaning()));
        let sorted = named.collect::<std::collections::BTreeMap<_, _>>();
        sorted.into_iter().map(|(code, meaning)| (code.to_string(), meaning)).collect()
    }

    /// Whether the command has an option of this name.
    fn takes(&self, long: &str) -> bool {
        self.command.get_arguments().any(|arg| arg.get_long() == Some(long))
    }

    fn files(&self) -> Vec<(&'static str, &'static str)> {
        let mut files = Vec::new();
        if self.takes("propertiesFilePath") {
            files.push((
                "~/.config/brunt/tools.properties, ~/.opendj/tools.properties",
                "Values of options that are not on the command line; the first file that exists is read.",
            ));
        }
        if self.takes("targets") {
            files.push((
                "~/.config/brunt/targets.toml, /etc/xdg/brunt/targets.toml",
                "The addresses that may be loaded, and how; see 'brunt help targets'.",
            ));
        }
        if self.takes("slo") || self.path == "calibrate" {
            files.push((
                "~/.local/state/brunt/ceiling.json",
                "The highest rate of this machine, which 'brunt calibrate' writes and runs compare theirs with.",
            ));
        }
        match &*self.path {
            "serve" => files.push(("brunt-site/", "All data of the site, unless --dir names another directory.")),
            "agent" => files.push((
                "agent.toml, login.seed, client.pem, client.key, ca.pem",
                "The owner's policy, and the keys of the agent, in the directory that --keys names.",
            )),
            "quickstart" => files.push(("brunt-quickstart/", "The records of the runs.")),
            _ => {}
        }
        files
    }

    fn see_also(&self, roff: &mut Roff) {
        let mut pages: BTreeSet<String> = self.siblings();
        let mut guides = BTreeSet::from(["exit-codes".to_owned()]);
        if self.takes("slo") {
            guides.extend(["record", "schedules", "statistics"].map(str::to_owned));
        }
        guides.extend(self.manual().and_then(|manual| manual.guide).map(str::to_owned));
        let about = abouts::about(&self.path).map(|about| about.description).unwrap_or_default();
        for target in links(&markdown::blocks(about)) {
            let file = target.split('#').next().unwrap_or_default();
            match topics::named(file) {
                Some(name) if topics::page(&name).is_some() => {
                    guides.insert(name);
                }
                Some(name) => {
                    pages.insert(format!("brunt-{}", name.replace(' ', "-")));
                }
                None => {}
            }
        }
        roff.control("SH", ["SEE ALSO"]);
        let last = pages.len().saturating_sub(1);
        for (index, page) in pages.iter().enumerate() {
            roff.text([bold(page.as_str()), roman(if index == last { "(1)" } else { "(1)," })]);
        }
        roff.control("PP", []);
        let mut line = vec![roman("Guides: ")];
        for (index, guide) in guides.iter().enumerate() {
            line.extend([
                roman(if index > 0 { ", " } else { "" }),
                bold(format!("brunt help {guide}")),
            ]);
        }
        roff.text(line);
    }

    /// The pages of the program and of the commands of the same group.
    fn siblings(&self) -> BTreeSet<String> {
        let own = format!("brunt-{}", self.path.replace(' ', "-"));
        let mut pages = BTreeSet::new();
        if self.path.is_empty() {
            return ["brunt-quickstart", "brunt-run", "brunt-help"].map(str::to_owned).into();
        }
        pages.insert("brunt".to_owned());
        let group = self.path.split(' ').next().unwrap_or_default();
        let in_group = |words: &&String| words.split(' ').next() == Some(group);
        pages.extend(
            pages::NAMES
                .values()
                .filter(in_group)
                .map(|words| format!("brunt-{}", words.replace(' ', "-"))),
        );
        pages.remove(&own);
        pages
    }
}

/// An option or argument in a synopsis: `[-M|--targetThroughput RATE]`.
fn synopsis_of(arg: &Arg) -> Vec<Inline> {
    let values = arg.get_value_names().unwrap_or_default();
    let value = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    // The original tools' own notation for several arguments.
    if value.starts_with('[') {
        return vec![italic(value)];
    }
    let (before, after) = if arg.is_required_set() { ("", "") } else { ("[", "]") };
    let mut line = vec![roman(before)];
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    for (index, name) in short.into_iter().chain(long).enumerate() {
        line.extend([roman(if index > 0 { "|" } else { "" }), bold(name)]);
    }
    if arg.is_positional() {
        line.push(italic(if value.is_empty() { arg.get_id().as_str() } else { &value }));
    } else if arg.is_require_equals_set() {
        line.extend([roman("[="), italic(value), roman("]")]);
    } else if arg.get_action().takes_values() {
        line.extend([roman(" "), italic(value)]);
    }
    let many = matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
    line.push(roman(after));
    if many {
        line.push(roman("..."));
    }
    line
}

/// The targets of all links.
fn links(blocks: &[Block]) -> Vec<String> {
    let texts = blocks.iter().flat_map(|block| match block {
        Block::Heading(_, text)
        | Block::Paragraph(text)
        | Block::Quotation(text)
        | Block::Item(_, _, text) => vec![text],
        Block::Table(rows) => rows.iter().flatten().collect(),
        Block::Code(_) => Vec::new(),
    });
    texts
        .flat_map(|text| markdown::spans(text))
        .filter_map(|span| match span {
            Span::Link { target, .. } => Some(target.to_owned()),
            _ => None,
        })
        .collect()
}

/// Adds the blocks of a Markdown text.
fn write(blocks: &[Block], roff: &mut Roff) {
    for block in blocks {
        match block {
            Block::Heading(_, text) => {
                roff.control("SS", [&*markdown::plain(text, &|_| None)]);
            }
            Block::Paragraph(text) | Block::Quotation(text) => {
                roff.control("PP", []);
                roff.text(inlines(text));
            }
            Block::Item(_, mark, text) => {
                let mark = if mark == "-" { "\\(bu" } else { mark };
                roff.control("IP", [mark, "4"]);
                roff.text(inlines(text));
            }
            Block::Code(text) => code(text, roff),
            Block::Table(rows) => {
                for row in rows.iter().skip(1) {
                    let Some((first, others)) = row.split_first() else { continue };
                    roff.control("TP", []);
                    roff.text(inlines(first));
                    let others = others.iter().filter(|cell| !cell.is_empty());
                    let others = others.cloned().collect::<Vec<_>>().join("; ");
                    roff.text(inlines(&others));
                }
            }
        }
    }
}

/// Lines that are not wrapped.
fn code(text: &str, roff: &mut Roff) {
    roff.control("PP", []);
    roff.control("RS", ["4"]);
    roff.control("EX", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("EE", []);
    roff.control("RE", []);
}

fn inlines(text: &str) -> Vec<Inline> {
    let inline = |span| match span {
        Span::Plain(text) => roman(text.replace("\\<", "<").replace("\\*", "*")),
        Span::Code(text) => bold(text),
        Span::Strong(text) => italic(markdown::plain(text, &|_| None)),
        Span::Link { text, .. } => roman(markdown::plain(text, &|_| None)),
    };
    markdown::spans(text).into_iter().map(inline).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command as Process, Stdio};

    use super::*;

    fn named(name: &str) -> String {
        page(&[name.to_owned()]).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn manual_pages_have_the_usual_sections() {
        let all = all();
        assert!(all.len() > 40, "{}", all.len());
        for (file, page) in &all {
            for section in
                ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""]
            {
                assert_eq!(
                    page.matches(&format!("\n.SH {section}\n")).count(),
                    1,
                    "{file}: {section}"
                );
            }
            assert!(page.contains(".TH "), "{file}");
            assert!(!page.contains("]("), "{file} has a link of Markdown");
        }
        let files = |name| named(name).contains("\n.SH FILES\n");
        assert!(
            ["authrate", "run", "calibrate", "serve", "agent"].map(files).iter().all(|has| *has)
        );
    }

    #[test]
    fn manual_synopsis_shows_option_values() {
        let page = named("authrate");
        assert!(page.contains("[\\fB\\-M\\fR|\\fB\\-\\-targetThroughput\\fR \\fI"), "{page}");
        let page = named("run");
        assert!(page.contains("[\\fB\\-\\-record\\fR \\fIFILE\\fR]"), "{page}");
        assert!(page.contains("\\fB\\-\\-record\\fR \\fIFILE\\fR\n"), "{page}");
    }

    #[test]
    fn manual_exit_codes_equal_the_help() {
        let page = named("find-max");
        let (_, codes) = page.split_once("EXIT STATUS").unwrap();
        assert!(codes.contains("9 nothing could be claimed"), "{codes}");
        assert_eq!(page.matches("9 nothing could be claimed").count(), 1, "{page}");
        let page = named("run");
        let (_, codes) = page.split_once("EXIT STATUS").unwrap();
        assert!(codes.contains("\\fB99\\fR\n") && codes.contains("\\fB0\\fR\n"), "{codes}");
    }

    /// groff is part of every system that has man; without it there is nothing to check with.
    #[test]
    fn manual_pages_pass_groff_without_warnings() {
        for (file, page) in all() {
            let started = Process::new("groff")
                .args(["-man", "-Tutf8", "-ww", "-z"])
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            let Ok(mut groff) = started else { return };
            groff.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
            let ended = groff.wait_with_output().unwrap();
            let reported = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert!(ended.status.success() && reported.is_empty(), "{file}: {reported}");
        }
    }
}

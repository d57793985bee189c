//! The pages in `docs/` about the commands that clap parses, and the examples on every page: the tests write the pages
//! and check the notations in them, so this is compiled only for tests. Commands are checked in
//! [`quoted`](super::quoted).
//!
//! A page contains the [`about`] texts of its command, and the declared help of each option. The options of every run
//! have a page of their own, which the others name.

use std::fmt::Write as _;

use brunt_run::options::run_options::{self, RunOptions};
use brunt_run::tool::Tool;
use clap::builder::StyledStr;
use clap::{Arg, Args as _, Command};

use super::abouts;
use super::declared;
use super::pages::leaves;
use crate::tools;

/// The page of every command that clap knows, with its name.
fn pages() -> Vec<(String, String)> {
    let mut open: Vec<(Vec<String>, Command)> = vec![(Vec::new(), declared::parsed())];
    let mut pages = Vec::new();
    while let Some((path, command)) = open.pop() {
        if command.has_subcommands() {
            let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
            open.extend(shown.map(|sub| {
                ([path.clone(), vec![sub.get_name().to_owned()]].concat(), sub.clone())
            }));
        } else {
            pages.push((path.join("-"), page(&path.join(" "), command)));
        }
    }
    pages
}

fn page(name: &str, command: Command) -> String {
    let mut command = command.bin_name(format!("brunt {name}")).disable_help_flag(true);
    let purpose = command.get_about().map(StyledStr::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string().replace("Usage: ", "");
    let mut out = format!("# brunt {name}\n\n{purpose}.\n\n");
    out.push_str("<!-- Written from the declaration of the command by the tests: BRUNT_BLESS=1 cargo test -->\n\n");
    let about = abouts::about(name);
    let about = about.unwrap_or_else(|| panic!("add `brunt {name}` to ABOUT in src/cli/abouts.rs"));
    let description = about.description;
    let _ = write!(out, "    {usage}\n\n{description}\n\n## Options\n");
    let of_runs = if has_all_of_runs(&command) { of_every_run() } else { Vec::new() };
    let is_of_runs = |arg: &Arg| of_runs.iter().any(|one| one.get_id() == arg.get_id());
    let shown = |arg: &&Arg| arg.get_id() != "version" && !arg.is_hide_set() && !is_of_runs(arg);
    let mut headings: Vec<Option<&str>> = vec![None];
    headings.extend(command.get_arguments().map(Arg::get_help_heading));
    for (index, heading) in headings.iter().enumerate() {
        if headings[..index].contains(heading) {
            continue;
        }
        if let Some(title) = heading {
            let _ = write!(out, "\n### {title}\n");
        }
        let under = command.get_arguments().filter(shown);
        for arg in under.filter(|arg| arg.get_help_heading() == *heading) {
            out.push_str(&option(arg));
        }
        if of_runs.iter().any(|arg| arg.get_help_heading() == *heading) {
            let _ = write!(out, "\n{}\n", run_options::on_their_page());
        }
    }
    out.push_str("\n## Examples\n");
    for (what, example) in about.examples {
        let what = what.replace('\n', " ");
        let _ = write!(out, "\n{what}\n\n```sh\n{example}\n```\n");
    }
    out
}

/// The page of the options of every run.
fn page_of_runs() -> String {
    let program = declared::program();
    let takers = leaves(&program).into_iter().filter(|(_, command)| has_all_of_runs(command));
    let takers: Vec<String> =
        takers.map(|(path, _)| format!("[{}]({}.md)", path.join(" "), path.join("-"))).collect();
    let mut out = format!(
        "# Options of every run\n\nWhere results are written, what is shown, objectives, the share of a machine, and \
         what a run may reach. These commands take all of them: {}. Other commands take some, and explain them on \
         their pages.\n\n",
        takers.join(", ")
    );
    out.push_str("<!-- Written from the options that all runs share by the tests: BRUNT_BLESS=1 cargo test -->\n");
    for arg in of_every_run() {
        out.push_str(&option(&arg));
    }
    out
}

/// The options of every run.
fn of_every_run() -> Vec<Arg> {
    RunOptions::augment_args(Command::new("run")).get_arguments().cloned().collect()
}

/// Whether a command has all options of every run.
fn has_all_of_runs(command: &Command) -> bool {
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let has = |long: &str| shown().any(|arg| arg.get_long() == Some(long));
    run_options::rows().iter().all(|row| has(row.name))
}

/// The table of all commands in `docs/README.md`.
fn index() -> String {
    let mut out = "| command | purpose |\n|---|---|\n".to_owned();
    for (path, command) in leaves(&declared::program()) {
        let name = path.join(" ");
        let manual = tools::named(&name).and_then(Tool::manual);
        let page =
            manual.and_then(|manual| manual.page).map_or_else(|| path.join("-"), str::to_owned);
        let title = if abouts::about(&name).is_some() { format!("brunt {name}") } else { name };
        let purpose = command.get_about().map(StyledStr::to_string).unwrap_or_default();
        let (first, rest) = purpose.split_at(1);
        let _ = writeln!(out, "| [{title}]({page}.md) | {}{rest} |", first.to_lowercase());
    }
    out
}

fn option(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let value = value.unwrap_or_else(|| arg.get_id().to_string().to_uppercase());
    let long = arg.get_long().map(|long| format!("--{long}"));
    let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
    let shorts = shorts.into_iter().map(|short| format!("-{short}"));
    let names: Vec<String> = shorts.chain(long).collect();
    let spelled = match names.join(", ") {
        none if none.is_empty() => value,
        names if arg.is_require_equals_set() => format!("{names}[={value}]"),
        names if arg.get_action().takes_values() => format!("{names} {value}"),
        names => names,
    };
    let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
    let mut out = format!("\n`{spelled}`\n\n> {}.\n>\n", help.trim_end_matches('.'));
    let whole = arg.get_long_help().map(StyledStr::to_string).unwrap_or_default();
    for more in whole.split("\n\n").skip(1) {
        let _ = writeln!(out, "> {}\n>", more.replace('\n', " "));
    }
    let possible = arg.get_possible_values();
    for value in &possible {
        let meaning = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
        let _ = writeln!(out, "> - `{}`{meaning}", value.get_name());
    }
    if !possible.is_empty() {
        out.push_str(">\n");
    }
    let defaults = if arg.get_action().takes_values() { arg.get_default_values() } else { &[] };
    let defaults: Vec<_> = defaults.iter().map(|v| v.to_string_lossy()).collect();
    if !defaults.is_empty() {
        let _ = writeln!(out, "> Default: `{}`\n>", defaults.join(" "));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brunt_engine::ThinkTime;
    use brunt_engine::schedule::Schedule;
    use brunt_ldap_server::Script;
    use brunt_record::{AWAY_MIN, Slo, verdict};

    use super::*;
    use crate::cli::quoted::{ROOT, blocks, texts};
    use brunt_flow_plan::reader::Text as Plan;
    use brunt_run::options::exit::Exit;

    #[test]
    fn docs_pages_equal_the_declarations() {
        let of_runs = ("run-options".to_owned(), page_of_runs());
        for (name, text) in pages().into_iter().chain([of_runs]) {
            let path = Path::new(ROOT).join(format!("docs/{name}.md"));
            if std::env::var_os("BRUNT_BLESS").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == text,
                "docs/{name}.md is not what the command declares: run with BRUNT_BLESS=1"
            );
        }
    }

    #[test]
    fn docs_index_lists_every_command() {
        const MARKS: [&str; 2] = ["<!-- commands -->\n", "<!-- end of commands -->"];
        let path = Path::new(ROOT).join("docs/README.md");
        let kept = std::fs::read_to_string(&path).unwrap();
        let (above, rest) = kept.split_once(MARKS[0]).unwrap();
        let (_, below) = rest.split_once(MARKS[1]).unwrap();
        let text = format!("{above}{}{}{}{below}", MARKS[0], index(), MARKS[1]);
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
            return;
        }
        assert!(kept == text, "docs/README.md lists other commands: run with BRUNT_BLESS=1");
    }

    /// Checks that every line of every block in a language can be read by the program's own reader.
    fn each_line(language: &str, reads: impl Fn(&str) -> Option<String>) {
        let mut found = 0;
        for (page, text) in texts() {
            for block in blocks(&text, language) {
                for line in block.lines().filter(|line| !line.is_empty()) {
                    found += 1;
                    assert_eq!(reads(line), None, "{page}: {line}");
                }
            }
        }
        assert!(found > 1, "only {found} lines of {language} were found");
    }

    #[test]
    fn docs_examples_of_notations_parse() {
        each_line("stages", |line| Schedule::parse(line).err().map(|error| error.to_string()));
        each_line("think", |line| ThinkTime::parse(line).err().map(|error| error.to_string()));
        each_line("slo", |line| line.parse::<Slo>().err().map(|error| error.to_string()));
    }

    /// Compares figures in handwritten pages with those of the program.
    #[test]
    fn docs_thresholds_and_exit_codes_equal_the_program() {
        let page = |name: &str| std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let tenth = |share: f64| format!("{:.1} %", share * 100.0);
        let record = page("docs/record.md");
        for phrase in [
            format!("More than {} of what was due was lost", tenth(verdict::LOSS_SHARE)),
            format!("above {} of the ceiling", percent(verdict::CEILING_SHARE)),
        ] {
            assert!(record.contains(&phrase), "docs/record.md does not say: {phrase}");
        }
        // Sentences may be wrapped anywhere.
        let flowing = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let statistics = flowing(page("docs/statistics.md"));
        for phrase in [
            format!("differ by more than {} of it", percent(verdict::OWN_SHARE)),
            format!("less than {} us", verdict::FLOOR_MIN.as_micros()),
            format!("at least {:.0} exchanges lie beyond", verdict::JUDGED_BEYOND),
            format!("throttled brunt for more than {} of", percent(verdict::THROTTLED_SHARE)),
            format!("used more than {} of its core", percent(verdict::CPU_SHARE)),
            format!("more than {} of the cores' time", percent(verdict::STEAL_SHARE)),
            format!("for a core for more than {} of", percent(verdict::WAITED_SHARE)),
            format!(
                "more than {} of all that exchanges waited",
                percent(verdict::WAITED_OF_OWN_SHARE)
            ),
            format!("only if it moved by more than {} ms", verdict::SLICE.as_millis()),
            format!("less than {} of what was offered", percent(verdict::MADE_SHARE)),
            format!("stood still for more than {} of it", percent(verdict::STALLED_SHARE)),
            format!("at least {} second", AWAY_MIN.as_secs()),
        ] {
            assert!(statistics.contains(&phrase), "docs/statistics.md does not say: {phrase}");
        }
        let drift = format!("further apart than {} of the mean", percent(verdict::DRIFT_SHARE));
        assert!(statistics.contains(&drift), "docs/statistics.md does not say: {drift}");
        let codes = page("docs/exit-codes.md");
        for exit in [
            Exit::Ok,
            Exit::Failed,
            Exit::Usage,
            Exit::SomeFailed,
            Exit::Undecided,
            Exit::Partial,
            Exit::Regression,
            Exit::Unsafe,
            Exit::Input,
            Exit::LdapUsage,
            Exit::Missed,
        ] {
            assert!(
                codes.contains(&format!("\n| {} | ", exit.code())),
                "docs/exit-codes.md lacks exit code {exit:?}"
            );
        }
    }

    #[test]
    fn docs_examples_of_scripts_parse() {
        let mut found = [0; 3];
        for (page, text) in texts() {
            for script in blocks(&text, "toml") {
                if page.ends_with("/docs/plan.md") || script.contains("[[scenario]]") {
                    let plan = Plan { name: "plan.md", text: &script, unset: &[], overrides: &[] };
                    let read = brunt_flow_plan::reader::read(&plan, &|_| None);
                    assert!(read.is_ok(), "{page}: {read:?}: {script}");
                    continue;
                }
                if page.ends_with("/docs/targets.md") {
                    // The test beside its reader reads this one.
                    continue;
                }
                let (kind, read) = if page.contains("/docs/dhcp") {
                    (1, brunt_dhcp_server::Script::parse(&script).map(drop))
                } else if page.contains("/docs/rest-scripts") {
                    (2, brunt_http_server::Script::parse(&script).map(drop))
                } else {
                    (0, Script::parse(&script).map(drop))
                };
                assert!(read.is_ok(), "{page}: {read:?}: {script}");
                found[kind] += 1;
            }
        }
        assert!(found.iter().all(|found| *found > 1), "only {found:?} scripts were found");
    }
}

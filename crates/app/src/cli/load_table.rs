//! The page about the options of every load: what each command takes, and how it spells it.
//!
//! Only here all tools are known. The page is made from their declarations, so an option that a tool lacks without a
//! stated reason fails a test, and so does a name that the tool does not have.

use std::fmt::Write as _;

use brunt_dhcp_tool::options::switches::EXCHANGES;
use brunt_flow_tool::options::http::Requests;
use brunt_ldap_tool::options::table::OPERATIONS;
use brunt_leases_tool::options::leases::{self, Operations};
use brunt_names_tool::options::lookup::Lookups;
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::options::spelling::{Own, Spelling};
use brunt_run::options::traceparent::Traceparent;
use clap::{Arg, Args as _, Command};

const HEAD: &str = "\
# Options of every load

<!-- Written from the declarations of the commands by the tests: BRUNT_BLESS=1 cargo test -->

Each command that generates load takes the same options, in the names of the tool that its users know. The first
column is the common name; [load schedules](schedules.md) explains rates, stages and think times. `brunt run` takes
the load from the table `[run]` of its plan, whose keys stand in the column for plans; any of them can be set on a
command line with `--set`, such as `--set run.workers=2`. A dash with a number is an option that a command does not
have, for the reason below.

";

/// A column of the table.
struct Column {
    title: &'static str,
    /// The commands that it is about, as words after `brunt`.
    commands: &'static [&'static str],
    /// How they spell the options of a load.
    spelling: &'static Spelling,
    /// The same for options about results.
    results: &'static [Own],
    /// The options about results that they do not have, and why.
    lacks: &'static [(&'static str, &'static str)],
}

const LDAP: &[&str] = &[
    "addrate",
    "authrate",
    "comparerate",
    "deleterate",
    "moddnrate",
    "modrate",
    "search-and-mod-rate",
    "searchrate",
];

/// Why a command has no `--traceparent`.
const OF_DHCP: (&str, &str) = ("traceparent", "messages of DHCP have no place for a trace id");
const OF_NAMES: (&str, &str) =
    ("traceparent", "calls of name services have no place for a trace id");

const PLAN: &str = "plans (`[run]`)";

/// The keys of `[run]`, as those of [`LoadOptions`].
static KEYS: Spelling = Spelling {
    noun: "iteration",
    nouns: "iterations",
    session: "user",
    is_open: false,
    own: &[Own::new("count", "iterations"), Own::new("no_pin", "pin")],
    lacks: &[],
};

static COLUMNS: [Column; 6] = [
    Column {
        title: "LDAP rate tools",
        commands: LDAP,
        spelling: &OPERATIONS,
        results: &[Own::new("interval", "statInterval")],
        lacks: &[],
    },
    Column {
        title: "perfdhcp",
        commands: &["perfdhcp"],
        spelling: &EXCHANGES,
        results: &[Own::new("seed", "s")],
        lacks: &[OF_DHCP],
    },
    Column {
        title: "http",
        commands: &["http"],
        spelling: Requests::SPELLING,
        results: &[],
        lacks: &[],
    },
    Column { title: PLAN, commands: &["run"], spelling: &KEYS, results: &[], lacks: &[] },
    Column {
        title: "names lookup",
        commands: &["names lookup"],
        spelling: Lookups::SPELLING,
        results: &[],
        lacks: &[OF_NAMES],
    },
    Column {
        title: "leases",
        commands: &["leases"],
        spelling: Operations::SPELLING,
        results: &[],
        lacks: leases::LACKS,
    },
];

/// The name of an option in a column, or why there is none.
fn cell(column: &Column, arg: &Arg, is_of_load: bool) -> Result<String, &'static str> {
    let id = arg.get_id().as_str();
    let lacked = column.lacks.iter().find(|(lacked, _)| *lacked == id).map(|(_, why)| *why);
    if let Some(why) = column.spelling.lacks(id).or(lacked) {
        return Err(why);
    }
    let own = column.results.iter().chain(column.spelling.own).find(|own| own.id == id);
    let long = arg.get_long().unwrap_or_default();
    let name = own.map_or(long, |own| own.long);
    Ok(match name.chars().count() {
        _ if is_of_load && column.title == PLAN => name.to_owned(),
        1 => format!("-{name}"),
        _ => format!("--{name}"),
    })
}

/// The options of every run, and the metadata that a run sends to the target.
fn results() -> Command {
    Traceparent::augment_args(OutputArgs::augment_args(Command::new("output")))
}

fn page() -> String {
    let load = LoadOptions::augment_args(Command::new("load"));
    let results = results();
    let rows = load.get_arguments().map(|arg| (arg, true));
    let rows = rows.chain(results.get_arguments().map(|arg| (arg, false)));
    let mut reasons: Vec<&str> = Vec::new();
    let mut out = HEAD.to_owned();
    let titles: Vec<&str> = COLUMNS.iter().map(|column| column.title).collect();
    let _ = writeln!(out, "| option | {} |", titles.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(COLUMNS.len()));
    for (arg, is_of_load) in rows {
        let _ = write!(out, "| `{}` |", arg.get_long().unwrap_or_default());
        for column in &COLUMNS {
            match cell(column, arg, is_of_load) {
                Ok(name) => {
                    let _ = write!(out, " `{name}` |");
                }
                Err(why) => {
                    let known = reasons.iter().position(|reason| *reason == why);
                    let at = known.unwrap_or_else(|| {
                        reasons.push(why);
                        reasons.len() - 1
                    });
                    let _ = write!(out, " – ({}) |", at + 1);
                }
            }
        }
        out.push('\n');
    }
    out.push('\n');
    for (at, why) in reasons.iter().enumerate() {
        let _ = writeln!(out, "{}. {}{}.", at + 1, why[..1].to_uppercase(), &why[1..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brunt_ldap_tool::options::table;
    use brunt_ldap_tool::options::tool::Tool;

    use super::*;
    use crate::cli::declared;
    use crate::cli::quoted::ROOT;

    /// The name of the page.
    const PAGE: &str = "load-options";

    /// The declaration of a command.
    fn command(words: &str) -> Command {
        let program = declared::program();
        let found =
            words.split(' ').try_fold(&program, |command, word| command.find_subcommand(word));
        found.unwrap_or_else(|| panic!("there is no command {words}")).clone()
    }

    fn has(command: &Command, name: &str) -> bool {
        command.get_arguments().filter(|arg| !arg.is_hide_set()).any(|arg| {
            let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
            let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
            let is_long = name.strip_prefix("--").is_some_and(|long| longs.contains(&long));
            let short = name.strip_prefix('-').and_then(|name| name.chars().next());
            is_long || (name.len() == 2 && short.is_some_and(|short| shorts.contains(&short)))
        })
    }

    /// Whether an LDAP rate tool has this name for an option, also if the help shows another first.
    fn is_of_ldap(words: &str, name: &str) -> bool {
        let tool = Tool::ALL.into_iter().find(|tool| tool.name() == words);
        let mut longs = tool
            .into_iter()
            .flat_map(table::of)
            .flat_map(|option| option.names().map(|long| format!("--{long}")).collect::<Vec<_>>());
        longs.any(|long| long == name)
    }

    /// The keys of the table `[run]`, as the schema of plans lists them.
    fn keys() -> Vec<String> {
        let path = Path::new(ROOT).join("docs/plan.schema.json");
        let text = std::fs::read_to_string(path).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        schema["$defs"]["Run"]["properties"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn load_options_are_available_in_every_load() {
        let load = LoadOptions::augment_args(Command::new("load"));
        let results = results();
        let rows = load.get_arguments().map(|arg| (arg, true));
        let rows: Vec<_> = rows.chain(results.get_arguments().map(|arg| (arg, false))).collect();
        let keys = keys();
        let mut gaps = Vec::new();
        for column in &COLUMNS {
            for words in column.commands {
                let command = command(words);
                for (arg, is_of_load) in &rows {
                    let Ok(name) = cell(column, arg, *is_of_load) else { continue };
                    let there = has(&command, &name) || is_of_ldap(words, &name);
                    let there = there || (!name.starts_with('-') && keys.contains(&name));
                    if !there {
                        gaps.push(format!("{words} has no {name}, for {}", arg.get_id()));
                    }
                }
            }
            // A reason without a gap would be out of date.
            for (id, why) in column.lacks.iter().chain(column.spelling.lacks) {
                let arg = rows.iter().find(|(arg, _)| arg.get_id() == id);
                let (arg, _) = arg.unwrap_or_else(|| panic!("{id} is no option: {why}"));
                let name = format!("--{}", arg.get_long().unwrap_or_default());
                for words in column.commands {
                    assert!(
                        !has(&command(words), &name),
                        "{words} has {name}, and says that it has not"
                    );
                }
            }
        }
        assert!(gaps.is_empty(), "add what is missing, or a reason: {gaps:#?}");
    }

    #[test]
    fn load_options_page_equals_the_declarations() {
        let (text, path) = (page(), Path::new(ROOT).join(format!("docs/{PAGE}.md")));
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "docs/{PAGE}.md is not what commands declare: run with BRUNT_BLESS=1"
        );
    }
}

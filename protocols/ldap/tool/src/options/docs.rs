//! The pages of `docs/` about the tools: one for what most tools share, and one for what else each of them has.
//!
//! The tests write the pages and compare them, so this is compiled only for tests. `--help` of a tool says all of it,
//! because its reader has nothing else at hand.

use std::fmt::Write as _;
use std::sync::LazyLock;

use brunt_run::options::row::Row;
use brunt_run::options::run_options;

use super::help::{LAYOUT, exits};
use super::prose;
use super::table::{self as options, group};
use super::tool::Tool;

/// What this many tools have in the same words is on the common page.
const COMMON_MIN: usize = 5;
/// The name of the common page.
const COMMON: &str = "ldap-options";
pub(crate) const DIFFERENCES: &str = "Intentional differences from the original tools";

/// The options of every tool.
static TABLES: LazyLock<Vec<(Tool, Vec<Row>)>> =
    LazyLock::new(|| Tool::ALL.map(|tool| (tool, options::of(tool))).to_vec());

/// The page of a tool.
fn of_tool(tool: Tool) -> String {
    let name = tool.name();
    let mut out = format!("# {name}\n\n{name} — {}\n\n", tool.purpose());
    let _ = writeln!(
        out,
        "<!-- Written from the table of options by the tests: BRUNT_BLESS=1 cargo test -->\n"
    );
    let _ = writeln!(out, "    {name} {{options}} {}\n", tool.trailing());
    let _ = writeln!(out, "{}\n", prose::description(tool));
    let _ = writeln!(
        out,
        "This page explains what {name} does not share with most other LDAP rate tools. The \
         [options that they share]({COMMON}.md) have one page, with the exit codes, and the \
         [options of every run](run-options.md) have another. Separate pages explain \
         [templates and generated values](templates.md), [load schedules](schedules.md), \
         [what is measured, and how](statistics.md), \
         [connections closed while idle](statistics.md#connections-closed-while-idle), \
         [the record of a run](record.md).\n"
    );
    let table = options::of(tool);
    for group in group::ALL {
        let own = table.iter().filter(|option| option.group == group && is_own(option));
        let own: String = own.map(shown).collect();
        if !own.is_empty() {
            let _ = write!(out, "## {group}\n\n{own}");
        }
    }
    out.push_str(&shared(&table));
    let _ = writeln!(out, "\n## {DIFFERENCES}\n");
    for difference in prose::differences(tool).iter().filter(|it| with(it).len() < COMMON_MIN) {
        let _ = writeln!(out, "- {difference}");
    }
    let place = anchor(DIFFERENCES);
    let _ = writeln!(out, "- The [differences that the tools share]({COMMON}.md#{place}) apply.");
    out.push_str("\n## Examples\n");
    for (what, command) in prose::examples(tool) {
        let _ = writeln!(out, "\n{what}\n\n```sh\n{command}\n```");
    }
    out
}

/// The names of the options that are explained on other pages.
fn shared(table: &[Row]) -> String {
    let mut out = "## Shared options\n\n".to_owned();
    for group in group::ALL {
        let common = table.iter().filter(|option| option.group == group && is_common(option));
        let names: Vec<String> = common.map(|option| format!("`--{}`", option.name)).collect();
        if !names.is_empty() {
            let (title, place) = (group, anchor(group));
            let _ = writeln!(out, "- [{title}]({COMMON}.md#{place}): {}.", names.join(", "));
        }
    }
    let _ = writeln!(out, "- {}", run_options::on_their_page());
    out
}

/// The page about what most tools have in common.
fn of_all() -> String {
    let tools = Tool::ALL.map(|tool| format!("[{0}]({0}.md)", tool.name()));
    let mut out = format!(
        "# Options of the LDAP rate tools\n\nWhat most of these tools share: {}. The page of a tool names \
         those that it takes, and explains the others that it has.\n\n",
        tools.join(", ")
    );
    out.push_str(
        "<!-- Written from what the tables of options have in common by the tests: BRUNT_BLESS=1 cargo test -->\n\n",
    );
    out.push_str(
        "The groups are those of `--help`. The [options of every run](run-options.md) come in addition: where results \
         are written, what is shown, objectives, limits.\n\n",
    );
    let all = || TABLES.iter().flat_map(|(_, table)| table);
    for group in group::ALL {
        let mut common: Vec<&Row> = Vec::new();
        for option in all().filter(|it| it.group == group && is_common(it)) {
            if !common.iter().any(|known| known.name == option.name) {
                common.push(option);
            }
        }
        common.sort_by_cached_key(|option| options::order(option));
        if common.is_empty() {
            continue;
        }
        let _ = writeln!(out, "## {group}\n");
        for option in common {
            out.push_str(shown(option).trim_end());
            out.push('\n');
            if let Some(without) = without(&holders(option)) {
                let _ = writeln!(out, "> Not for {without}.\n>");
            }
            out.push('\n');
        }
    }
    let _ = writeln!(out, "## {DIFFERENCES}\n");
    let mut documented: Vec<&str> = Vec::new();
    for difference in Tool::ALL.into_iter().flat_map(prose::differences) {
        let tools = with(difference);
        if tools.len() < COMMON_MIN || documented.contains(&difference) {
            continue;
        }
        documented.push(difference);
        let without = without(&tools).map(|names| format!(" Not for {names}.")).unwrap_or_default();
        let _ = writeln!(out, "- {difference}{without}");
    }
    out.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in exits() {
        let _ = writeln!(out, "| {code} | {meaning} |");
    }
    out
}

/// An option as a page shows it.
fn shown(option: &Row) -> String {
    LAYOUT.markdown(option)
}

/// Whether every command that makes a run has the option.
fn is_of_every_run(option: &Row) -> bool {
    run_options::rows().iter().any(|row| row.name == option.name)
}

fn is_common(option: &Row) -> bool {
    !is_of_every_run(option) && takers(option).len() >= COMMON_MIN
}

fn is_own(option: &Row) -> bool {
    !is_of_every_run(option) && takers(option).len() < COMMON_MIN
}

/// The tools that have an option in the same words.
fn takers(option: &Row) -> Vec<Tool> {
    let same = |other: &Row| {
        (other.name, other.group) == (option.name, option.group) && shown(other) == shown(option)
    };
    TABLES.iter().filter(|(_, table)| table.iter().any(same)).map(|(tool, _)| *tool).collect()
}

/// The tools that have an option of this name. Those that explain it in other words do so on their own page.
fn holders(option: &Row) -> Vec<Tool> {
    let same = |other: &Row| other.name == option.name;
    TABLES.iter().filter(|(_, table)| table.iter().any(same)).map(|(tool, _)| *tool).collect()
}

/// The tools that have a difference in the same words.
fn with(difference: &str) -> Vec<Tool> {
    let has = |tool: &Tool| prose::differences(*tool).contains(&difference);
    Tool::ALL.into_iter().filter(has).collect()
}

/// The tools that are not among these, in words.
fn without(tools: &[Tool]) -> Option<String> {
    let others = Tool::ALL.into_iter().filter(|tool| !tools.contains(tool));
    let names: Vec<&str> = others.map(Tool::name).collect();
    let (last, first) = names.split_last()?;
    Some(if first.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} and {last}", first.join(", "))
    })
}

/// The URL fragment of a heading.
pub(crate) fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-").replace('/', "")
}

/// Compares a page with a text, or writes it if `BRUNT_BLESS` is set.
pub(crate) fn golden(name: &str, text: &str) {
    let path = format!("{}/../../../docs/{name}.md", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BRUNT_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/{name}.md differs from the table of options: run the tests with BRUNT_BLESS=1"
    );
}

#[test]
fn docs_equal_the_tables() {
    for tool in Tool::ALL {
        golden(tool.name(), &of_tool(tool));
    }
    golden(COMMON, &of_all());
}

/// Every option of a tool is on its page, or on a page that it links.
#[test]
fn docs_page_names_every_option() {
    let common = of_all();
    for tool in Tool::ALL {
        let page = of_tool(tool);
        for option in options::of(tool) {
            let named = [format!("`--{}", option.name), format!("--{} ", option.name)];
            assert!(
                named.iter().any(|name| page.contains(name)),
                "{}: --{}",
                tool.name(),
                option.name
            );
            if is_common(&option) {
                assert!(
                    common.contains(&shown(&option)[..shown(&option).len() - 1]),
                    "--{}",
                    option.name
                );
            }
        }
    }
}

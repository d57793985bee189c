//! The pages of `docs/` about UnboundID's tools: one for what they share, and a short one for each of them.
//!
//! The tests write the pages and compare them, so this is compiled only for tests. `--help` of a tool says all of it,
//! because its reader has nothing else at hand.

use std::fmt::Write as _;

use brunt_run::options::row::Row;
use brunt_run::options::run_options;

use super::help::LAYOUT;
use super::{prose, table};
use crate::options::dialect::Dialect;
use crate::options::docs::{DIFFERENCES, anchor, golden};
use crate::options::tool::Tool;

/// The name of the common page.
const COMMON: &str = "unboundid-options";
const MARK: &str =
    "<!-- Written from UnboundID's table of options by the tests: BRUNT_BLESS=1 cargo test -->";
const OPTIONS: &str = "Options that the tools share";

fn tools() -> Vec<Tool> {
    Tool::ALL.into_iter().filter(|tool| Dialect::Unboundid.has(*tool)).collect()
}

/// The name of a tool's page, which 'brunt help' has room for.
fn name(tool: Tool) -> String {
    match tool {
        Tool::SearchAndModRate => "unboundid-search-mod".to_owned(),
        _ => format!("unboundid-{}", tool.name()),
    }
}

/// Whether all of the tools have an option in the same words.
fn is_common(option: &Row) -> bool {
    let words = LAYOUT.markdown(option);
    let same = |other: &Row| other.name == option.name && LAYOUT.markdown(other) == words;
    tools().into_iter().all(|tool| table::of(tool).iter().any(same))
}

fn of_the_original(tool: Tool) -> Vec<Row> {
    table::of(tool).into_iter().filter(|row| row.group == table::ORIGINAL).collect()
}

/// The page of a tool.
fn of_tool(tool: Tool) -> String {
    let tool_name = tool.name();
    let mut out =
        format!("# {tool_name} (UnboundID)\n\n{tool_name} — {}\n\n{MARK}\n\n", tool.purpose());
    let _ = writeln!(out, "    {tool_name} {{options}}\n\n{}\n", prose::description(tool));
    let _ = writeln!(
        out,
        "These are the options of UnboundID's SDK and of PingDirectory. OpenDJ's tool of this name, if there is one, \
         has [others]({tool_name}.md), and [the options themselves](coming-from.md) tell which of the two is meant; a \
         link called `unboundid-{tool_name}` decides it. The [options that UnboundID's tools share]({COMMON}.md) have \
         one page, with the exit codes. [Templates and generated values](templates.md) explains value patterns.\n"
    );
    let _ = writeln!(out, "## Options of this tool\n");
    let rows = of_the_original(tool);
    for row in rows.iter().filter(|row| !is_common(row)) {
        out.push_str(&LAYOUT.markdown(row));
    }
    let common = rows.iter().filter(|row| is_common(row));
    let common: Vec<String> = common.map(|row| format!("`--{}`", row.name)).collect();
    let place = anchor(OPTIONS);
    let _ = writeln!(
        out,
        "## Shared options\n\n- [{OPTIONS}]({COMMON}.md#{place}): {}.",
        common.join(", ")
    );
    let all = table::of(tool);
    let ours = all.iter().filter(|row| row.group == table::ADDED && !is_of_every_run(row));
    let ours: Vec<String> = ours.map(|row| format!("`--{}`", row.name)).collect();
    let _ = writeln!(out, "- [Options added by brunt](ldap-options.md): {}.", ours.join(", "));
    let _ = writeln!(out, "- {}", run_options::on_their_page());
    let _ = writeln!(out, "\n## {DIFFERENCES}\n");
    for difference in prose::own_differences(tool) {
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

fn is_of_every_run(option: &Row) -> bool {
    run_options::rows().iter().any(|row| row.name == option.name)
}

/// The page about what the tools have in common.
fn of_all() -> String {
    let pages: Vec<String> =
        tools().into_iter().map(|tool| format!("[{}]({}.md)", tool.name(), name(tool))).collect();
    let mut out = format!(
        "# Options of UnboundID's rate tools\n\nWhat these tools share: {}. The page of a tool explains the others \
         that it has. [Coming from another tool](coming-from.md) says how their lines are told from OpenDJ's.\n\n\
         {MARK}\n\nLong names may be in any case, and have dashes between their words: `--numThreads` is \
         `--num-threads`. Short options without a value may be joined, also before one with a value. There are no \
         trailing arguments. Options that brunt adds, and the [options of every run](run-options.md), keep their names \
         and have no letters.\n\n## {OPTIONS}\n\n",
        pages.join(", ")
    );
    for row in of_the_original(Tool::Searchrate).iter().filter(|row| is_common(row)) {
        out.push_str(&LAYOUT.markdown(row));
    }
    let _ = writeln!(out, "## {DIFFERENCES}\n");
    for difference in prose::DIFFERENCES {
        let _ = writeln!(out, "- {difference}");
    }
    out.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in prose::exits() {
        let _ = writeln!(out, "| {code} | {meaning} |");
    }
    out
}

#[test]
fn docs_equal_the_tables() {
    for tool in tools() {
        golden(&name(tool), &of_tool(tool));
    }
    golden(COMMON, &of_all());
}

/// Every option of a tool is on its page, or on a page that it links.
#[test]
fn docs_page_names_every_option() {
    for tool in tools() {
        let page = of_tool(tool);
        for row in table::of(tool) {
            assert!(page.contains(&format!("--{}", row.name)), "{}: --{}", tool.name(), row.name);
        }
    }
}

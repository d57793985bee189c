//! The text of `perfdhcp -h`, and the page of the documentation, both made from the table of switches.

#[cfg(test)]
use std::fmt::Write as _;

#[cfg(test)]
use super::PURPOSE;
use super::switches::{self, group};
use super::{NAME, prose};
use brunt_run::options::exit::Exit;
use brunt_run::options::help::{Help, Layout, Section};
#[cfg(test)]
use brunt_run::options::row::Row;
#[cfg(test)]
use brunt_run::options::run_options;

/// The exit codes perfdhcp can have.
const EXITS: [Exit; 8] = [
    Exit::Ok,
    Exit::Failed,
    Exit::Usage,
    Exit::SomeFailed,
    Exit::Unsafe,
    Exit::Missed,
    Exit::Interrupted,
    Exit::Terminated,
];

/// How perfdhcp shows switches.
const LAYOUT: Layout = Layout::EachName;

/// The help.
pub fn page() -> String {
    let counters = prose::COUNTERS.iter().map(|(name, meaning)| format!("{name}: {meaning}"));
    let counters = Section { title: "Other counters", indent: 4, paragraphs: counters.collect() };
    let differences =
        Section::list("Intentional differences from the original tool", prose::DIFFERENCES);
    let help = Help {
        layout: LAYOUT,
        usage: format!("{NAME} [switches] [server]"),
        description: prose::DESCRIPTION,
        examples: prose::EXAMPLES,
        groups: &group::ALL,
        rows: &switches::all(),
        sections: vec![counters, differences],
        exits: exits().collect(),
    };
    help.page()
}

/// Its exit codes, for the manual page.
pub fn exits() -> impl Iterator<Item = (String, &'static str)> {
    EXITS.into_iter().map(|exit| (exit.code().to_string(), meaning(exit)))
}

/// Its examples, for the manual page.
pub fn examples() -> &'static [(&'static str, &'static str)] {
    prose::EXAMPLES
}

/// Its description, for the manual page.
pub fn description() -> String {
    prose::DESCRIPTION.join("\n\n")
}

/// The page of the documentation, which the tests write and compare.
#[cfg(test)]
fn markdown() -> String {
    let mut out = format!("# {NAME}\n\n{NAME} — {PURPOSE}\n\n");
    out.push_str(
        "<!-- Written from the table of switches by the tests: BRUNT_BLESS=1 cargo test -->\n\n",
    );
    let _ = writeln!(out, "    {NAME} [switches] [server]\n");
    for paragraph in prose::DESCRIPTION {
        let _ = writeln!(out, "{paragraph}\n");
    }
    out.push_str(
        "[Measuring a DHCP server](dhcp.md) is the guide. Separate pages explain what the commands share: \
         [load schedules](schedules.md), [what is measured, and how](statistics.md), \
         [the record of a run](record.md).\n\n",
    );
    let table = switches::all();
    for group in group::ALL {
        let _ = writeln!(out, "## {group}\n");
        let of_every_run =
            |switch: &&Row| run_options::rows().iter().any(|row| row.name == switch.name);
        let here = |switch: &&Row| switch.group == group && !of_every_run(switch);
        for switch in table.iter().filter(here) {
            out.push_str(&LAYOUT.markdown(switch));
        }
        if group == group::OUTPUT {
            let _ = writeln!(out, "{}\n", run_options::on_their_page());
        }
    }
    out.push_str("## Other counters\n\n");
    for (name, meaning) in prose::COUNTERS {
        let _ = writeln!(out, "- `{name}`: {meaning}");
    }
    out.push_str("\n## Intentional differences from the original tool\n\n");
    for difference in prose::DIFFERENCES {
        let _ = writeln!(out, "- {difference}");
    }
    out.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for exit in EXITS {
        let _ = writeln!(out, "| {} | {} |", exit.code(), meaning(exit));
    }
    out.push_str("\n## Examples\n");
    for (what, command) in prose::EXAMPLES {
        let _ = writeln!(out, "\n{what}\n\n```sh\n{command}\n```");
    }
    out
}

/// The codes with a specific meaning here.
fn meaning(exit: Exit) -> &'static str {
    match exit {
        Exit::Ok => "Every exchange completed.",
        Exit::Failed => "The run failed.",
        Exit::SomeFailed => "The run completed, but one or more exchanges did not.",
        Exit::Interrupted => "Interrupted by a second SIGINT, after the report was written.",
        other => other.meaning(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn golden(file: &str, text: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "{file} differs from the table of switches: run the tests with BRUNT_BLESS=1"
        );
    }

    #[test]
    fn docs_and_help_equal_the_table() {
        golden("../../../docs/perfdhcp.md", &markdown());
        golden("testdata/perfdhcp.help.txt", &page());
    }

    #[test]
    fn help_fits_a_terminal_and_names_every_switch() {
        let page = page();
        for line in page.lines() {
            assert!(line.chars().count() < 80, "{line}");
            assert_eq!(line, line.trim_end());
        }
        for switch in switches::all() {
            let start = format!("\n{}", LAYOUT.signature(&switch));
            assert!(page.contains(&start), "{start}");
        }
    }

    #[test]
    fn exit_codes_of_the_original_are_kept() {
        assert_eq!(EXITS[..4].iter().map(|exit| exit.code()).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}

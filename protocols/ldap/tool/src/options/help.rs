//! The pages about a tool: `--help`, and the commented properties file.
//!
//! Both are made from the table of options, as are the pages in `docs/`, so they agree. Intentional differences from
//! the original tools are in one list, because users who compare figures must be able to find them.

use std::fmt::Write as _;

use brunt_run::options::exit::Exit;
use brunt_run::options::help::{Help, Layout, Section};
use brunt_run::options::page::{WIDTH, wrap};
use brunt_run::options::row::{Kind, Row};

use super::prose;
use super::tool::Tool;
use crate::options::table as options;
use crate::options::table::group;

/// How the tools show options.
pub(super) const LAYOUT: Layout = Layout::Braces { secret: "[:env|:file]", names_others: true };

/// The help page.
pub fn page(tool: Tool) -> String {
    let differences = prose::differences(tool);
    let help = Help {
        layout: LAYOUT,
        usage: format!("{} {{options}} {}", tool.name(), tool.trailing()),
        description: &[prose::description(tool)],
        examples: prose::examples(tool),
        groups: &group::ALL,
        rows: &options::of(tool),
        sections: vec![Section::list(
            "Intentional differences from the original tools",
            &differences,
        )],
        exits: exits(),
    };
    help.page()
}

/// A properties file with every option of the tool, commented out.
pub fn properties_file(tool: Tool) -> String {
    let name = tool.name();
    let mut out = format!(
        "# Values for options that are not on the command line of {name}.\n\
         # Remove the # before a line to set it. A key without '{name}.' applies to\n\
         # the other tools as well.  A repeatable option may have several lines.\n"
    );
    for option in options::of(tool)
        .iter()
        .filter(|option| option.group != group::GENERAL && !is_about_files(option))
    {
        out.push('\n');
        for line in wrap(option.help, WIDTH - 2).lines() {
            let _ = writeln!(out, "# {line}");
        }
        for (word, text) in LAYOUT.notes(option) {
            let _ = writeln!(out, "# {word}: {text}");
        }
        let value = if option.kind == Kind::Switch { "false" } else { "" };
        let _ = writeln!(out, "#{name}.{}={value}", option.name);
    }
    out
}

/// Whether an option selects a file to read or write instead of running: it does not belong in that file.
fn is_about_files(option: &Row) -> bool {
    ["propertiesFilePath", "noPropertiesFile", "generatePropertiesFile", "generateSampleRateFile"]
        .contains(&option.name)
}

/// The exit codes of a rate tool.
pub fn exits() -> Vec<(String, &'static str)> {
    let foreign = [
        Exit::Usage,
        Exit::SomeFailed,
        Exit::Regression,
        Exit::PlaneLost,
        Exit::NoClaim,
        Exit::OldFailure,
    ];
    let own = Exit::ALL.into_iter().filter(|exit| !foreign.contains(exit));
    let named = own.map(|exit| (exit.code().to_string(), exit.meaning()));
    named.chain([("other".to_owned(), Exit::Ldap(0).meaning())]).collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::options::properties;

    /// Compares a file with a text, or writes it if `BRUNT_BLESS` is set.
    fn golden(file: &str, text: &str) {
        let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "{file} differs from the table of options: run the tests with BRUNT_BLESS=1"
        );
    }

    #[test]
    fn help_equals_the_tables() {
        for tool in Tool::ALL {
            golden(&format!("testdata/{}.help.txt", tool.name()), &page(tool));
        }
    }

    #[test]
    fn help_fits_a_terminal_and_names_every_option() {
        for tool in Tool::ALL {
            let page = page(tool);
            for line in page.lines() {
                assert!(line.chars().count() < 80, "{}: {line}", tool.name());
                assert_eq!(line, line.trim_end(), "{}", tool.name());
            }
            for option in options::of(tool) {
                assert!(page.contains(&format!("--{}", option.name)), "--{}", option.name);
            }
        }
    }

    #[test]
    fn properties_file_template_sets_nothing_and_lists_every_key() {
        for tool in Tool::ALL {
            let text = properties_file(tool);
            assert_eq!(properties::parse(text.as_bytes()), Ok(Vec::new()));
            assert!(text.contains(&format!("#{}.bindPassword=\n", tool.name())));
            assert!(!text.contains("generatePropertiesFile="));
        }
    }
}

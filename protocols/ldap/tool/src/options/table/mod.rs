//! The tables of options of the LDAP rate tools.
//!
//! One row describes an option completely: its spelling, its values, its default, its group and its help. Parsing, the
//! help text, the documentation, the shell completions and the properties file all use the same row, so they cannot
//! differ. This module does not depend on the effect of an option.

mod command;
mod connection;
mod own;
mod spelling;

use std::collections::HashSet;
use std::sync::LazyLock;

use super::tool::Tool;

pub use spelling::{OPERATIONS, common_rows};

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The one-letter name.
    pub short: Option<char>,
    /// The long name, which is also the key of its value.
    pub long: &'static str,
    /// Other long names, for users of other tools.
    pub also: &'static [&'static str],
    /// The placeholder of its value; empty for a switch.
    pub value: &'static str,
    /// The legal values.
    pub kind: Kind,
    /// Whether it may be given more than once.
    pub many: bool,
    /// The default, as the help states it.
    pub default: &'static str,
    /// Where the help lists it.
    pub group: Group,
    /// What it does.
    pub help: &'static str,
}

/// The values of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// None: the switch is on or off.
    Switch,
    /// Any text.
    Text,
    /// The name of a file.
    Path,
    /// An optional text: it follows the name and an `=`, and is never a separate word.
    Attached,
    /// A text that must not be shown. The name may end in `:env` or `:file`.
    Secret,
    /// A whole number, in which commas may group digits.
    Integer(i64, i64),
    /// A number with or without decimals, in which commas may group digits.
    Decimal(f64, f64),
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
}

/// A section of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What the tool does.
    Command,
    /// The server and the identity.
    Connection,
    /// The behaviour at the terminal.
    Utility,
    /// Help and version.
    General,
    /// Ours: when operations begin, and how many.
    Load,
    /// Ours: the contents of each request.
    Request,
    /// Ours: the network.
    Network,
    /// Ours: the output.
    Output,
}

impl Group {
    /// Every group, in the order of the help.
    pub const ALL: [Self; 8] = [
        Self::Command,
        Self::Connection,
        Self::Utility,
        Self::General,
        Self::Load,
        Self::Request,
        Self::Network,
        Self::Output,
    ];

    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Command => "Command options",
            Self::Connection => "LDAP connection options",
            Self::Utility => "Utility input/output options",
            Self::General => "General options",
            Self::Load => "Load options added by brunt",
            Self::Request => "Request options added by brunt",
            Self::Network => "Connection options added by brunt",
            Self::Output => "Output options added by brunt",
        }
    }
}

impl Opt {
    const fn new(
        group: Group,
        long: &'static str,
        value: &'static str,
        kind: Kind,
        help: &'static str,
    ) -> Self {
        Self { short: None, long, also: &[], value, kind, many: false, default: "", group, help }
    }

    const fn switch(group: Group, long: &'static str, help: &'static str) -> Self {
        Self::new(group, long, "", Kind::Switch, help)
    }

    const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    const fn many(mut self) -> Self {
        self.many = true;
        self
    }

    /// Whether it takes a value.
    pub fn takes_value(&self) -> bool {
        self.kind != Kind::Switch
    }

    /// Whether the next word is its value, if none is attached.
    pub fn takes_word(&self) -> bool {
        !matches!(self.kind, Kind::Switch | Kind::Attached)
    }

    /// Every long name; the help shows the first.
    pub fn longs(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.long).chain(self.also.iter().copied())
    }

    /// The key by which the help is sorted.
    pub(super) fn order(&self) -> (String, bool) {
        let name = self
            .short
            .map_or_else(|| self.long.to_lowercase(), |short| short.to_lowercase().collect());
        (name, self.short.is_some_and(char::is_uppercase))
    }
}

/// Every option of a tool, group by group, each group in the order of the help.
pub fn of(tool: Tool) -> Vec<Opt> {
    let mut all: Vec<Opt> = unsorted(tool).collect();
    all.sort_by_cached_key(|option| {
        let group = Group::ALL.iter().position(|group| *group == option.group);
        (group, option.order())
    });
    all
}

/// Whether any tool has an option whose first long name is this. It is asked for every option that is read, so the
/// tables are made once.
pub fn is_known(long: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        Tool::ALL.into_iter().flat_map(unsorted).map(|option| option.long).collect()
    });
    KNOWN.contains(long)
}

fn unsorted(tool: Tool) -> impl Iterator<Item = Opt> {
    [command::of(tool), connection::of(tool), own::of(tool)].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_has_two_options_of_one_name() {
        for tool in Tool::ALL {
            let mut names = HashSet::new();
            let mut shorts = HashSet::new();
            for option in of(tool) {
                for name in option.longs() {
                    assert!(names.insert(name.to_lowercase()), "{} has two --{name}", tool.name());
                }
                if let Some(short) = option.short {
                    assert!(shorts.insert(short), "{} has two -{short}", tool.name());
                }
            }
        }
    }

    #[test]
    fn every_row_is_complete() {
        for option in Tool::ALL.into_iter().flat_map(of) {
            assert!(option.help.ends_with(['.', ')']), "--{} has no sentence", option.long);
            assert_eq!(option.value.is_empty(), option.kind == Kind::Switch, "--{}", option.long);
        }
    }
}

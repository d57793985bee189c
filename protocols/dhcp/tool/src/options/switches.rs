//! The table of switches: the spelling, the values and the purpose of each.
//!
//! Parsing, the help, the page of the documentation, the completions and the manual page all use the same row. A name
//! of one letter is a switch of the original tool and is spelled `-r`; our own have only long names, so that no letter
//! of an existing command line changes its meaning. This module does not depend on the effect of a value.

mod ours;
mod spelling;
mod theirs;

pub use spelling::{EXCHANGES, common_rows};

/// One switch.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name, without dashes, which is also the key of its value.
    pub name: &'static str,
    /// Another name of it, or nothing.
    pub also: &'static str,
    /// The placeholder of its value; empty for a flag.
    pub value: &'static str,
    /// The legal values.
    pub kind: Kind,
    /// How many of its values count. If this is above 1, one more is an error; if it is 1, the last one counts.
    pub most: usize,
    /// The default, as the help states it.
    pub default: &'static str,
    /// Where the help lists it.
    pub group: Group,
    /// What it does.
    pub help: &'static str,
}

/// The values of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// None: the switch is on or off.
    Flag,
    /// Any non-empty text.
    Text,
    /// The name of a file.
    Path,
    /// An optional text: it follows the name and an `=`, and is never a separate word.
    Attached,
    /// A whole number within these bounds.
    Whole(u64, u64),
    /// A number above 0, with or without decimals, up to this.
    Above(f64),
    /// A time above 0 in seconds, with or without decimals.
    Time,
    /// A time in seconds that may be 0.
    TimeOrNone,
    /// A share: `0.05` or `5%`.
    Share,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A section of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The parts of an exchange.
    Exchange,
    /// The clients.
    Clients,
    /// The server, and the addresses to send from.
    Network,
    /// The contents of messages.
    Messages,
    /// When exchanges start.
    Rate,
    /// When the run ends.
    End,
    /// The lives of a fleet's clients.
    Fleet,
    /// What is printed and written.
    Output,
    /// Help and version.
    General,
}

impl Group {
    /// Every group, in the order of the help.
    pub const ALL: [Self; 9] = [
        Self::Exchange,
        Self::Clients,
        Self::Network,
        Self::Messages,
        Self::Rate,
        Self::End,
        Self::Fleet,
        Self::Output,
        Self::General,
    ];

    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Exchange => "Exchange",
            Self::Clients => "Clients",
            Self::Network => "Network",
            Self::Messages => "Message content",
            Self::Rate => "Rate",
            Self::End => "Drops and the end of the run",
            Self::Fleet => "Client behaviour in --scenario fleet",
            Self::Output => "Output",
            Self::General => "Help and version",
        }
    }
}

impl Switch {
    const fn new(
        group: Group,
        name: &'static str,
        value: &'static str,
        kind: Kind,
        help: &'static str,
    ) -> Self {
        Self { name, also: "", value, kind, most: 1, default: "", group, help }
    }

    const fn flag(group: Group, name: &'static str, help: &'static str) -> Self {
        Self::new(group, name, "", Kind::Flag, help)
    }

    const fn also(mut self, name: &'static str) -> Self {
        self.also = name;
        self
    }

    const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    const fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Whether it takes a value.
    pub fn takes_value(&self) -> bool {
        self.kind != Kind::Flag
    }

    /// Whether the next word is its value, if none is attached.
    pub fn takes_word(&self) -> bool {
        !matches!(self.kind, Kind::Flag | Kind::Attached)
    }

    /// Every name; the help shows the first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name, self.also].into_iter().filter(|name| !name.is_empty())
    }

    /// Whether the original tool has it under a long name.
    pub fn is_old_long(&self) -> bool {
        OLD_LONGS.contains(&self.name)
    }
}

/// The long names of the original tool.
const OLD_LONGS: [&str; 2] = ["scenario", "or"];

/// A name with the dashes that belong before it.
pub fn dashed(name: &str) -> String {
    if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") }
}

/// Every switch, group by group, each group in the order of the help.
pub fn all() -> Vec<Switch> {
    let mut all = [theirs::ALL.to_vec(), ours::all()].concat();
    all.sort_by_key(|switch| {
        let group = Group::ALL.iter().position(|group| *group == switch.group);
        let long = switch.name.len() > 1;
        (group, long, switch.name.to_lowercase(), switch.name.starts_with(char::is_uppercase))
    });
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_switches_share_a_name() {
        let mut names = HashSet::new();
        for name in all().iter().flat_map(Switch::names) {
            assert!(names.insert(name), "there are two {}", dashed(name));
        }
    }

    #[test]
    fn every_row_is_complete() {
        for switch in all() {
            let name = dashed(switch.name);
            assert!(switch.help.ends_with(['.', ')']), "{name} has no sentence");
            assert_eq!(switch.value.is_empty(), switch.kind == Kind::Flag, "{name}");
        }
    }

    /// The letters of the guide of 2012 and of Kea 3, as in their `getopt` strings.
    #[test]
    fn every_switch_of_the_old_tool_is_there() {
        let table = all();
        let find = |name: &str| {
            table.iter().find(|switch| switch.name == name).unwrap_or_else(|| panic!("{name}"))
        };
        let old = "hv46A:r:t:R:b:n:p:d:D:l:P:a:L:N:M:s:iBc1C:J:T:X:O:o:E:S:I:x:W:w:e:f:F:g:uy:Y:V";
        let mut letters = old.chars().peekable();
        let mut count = 0;
        while let Some(letter) = letters.next() {
            let takes_value = letters.next_if_eq(&':').is_some();
            assert_eq!(find(&letter.to_string()).takes_value(), takes_value, "-{letter}");
            count += 1;
        }
        let short = table.iter().filter(|switch| switch.name.chars().count() == 1).count();
        assert_eq!(short, count, "a letter of our own could change what an old script says");
        assert!(find("scenario").takes_value() && find("or").takes_value());
    }
}

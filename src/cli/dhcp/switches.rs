//! The table of switches: how each is spelled, what value it takes, and what it is for.
//!
//! Parsing, the help, the page of the documentation, the completions and the manual page all read the same row. A name
//! of one letter is a switch of the old tool and is spelled `-r`; our own have long names only, so that no letter of
//! an old command line ever changes its meaning. What a value does to a run is not known here.

mod ours;
mod theirs;

/// One switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switch {
    /// Its name, without dashes, which is also the key under which its value is asked for.
    pub(crate) name: &'static str,
    /// Another name of it, or nothing.
    pub(crate) also: &'static str,
    /// What its value is called; empty for a flag.
    pub(crate) value: &'static str,
    /// What values are legal.
    pub(crate) kind: Kind,
    /// How often it may be given for each time to count. Beyond 1, one more is an error; at 1 the last one counts.
    pub(crate) most: usize,
    /// The default, as the help states it.
    pub(crate) default: &'static str,
    /// Where the help lists it.
    pub(crate) group: Group,
    /// What it does.
    pub(crate) help: &'static str,
}

/// What values a switch takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// None: it is on or off.
    Flag,
    /// Any text but none at all.
    Text,
    /// The name of a file.
    Path,
    /// A text that may be left out: it follows the name and an `=`, and never is a word of its own.
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
pub(crate) enum Group {
    /// What an exchange consists of.
    Exchange,
    /// Who asks.
    Clients,
    /// Who is asked, and from where.
    Network,
    /// What is in the messages.
    Messages,
    /// When exchanges start.
    Rate,
    /// When the run ends.
    End,
    /// How the clients of a fleet live.
    Fleet,
    /// What is shown and written.
    Output,
    /// Help and version.
    General,
}

impl Group {
    /// Every group, in the order of the help.
    pub(crate) const ALL: [Self; 9] = [
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
    pub(crate) const fn title(self) -> &'static str {
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
    pub(crate) fn takes_value(&self) -> bool {
        self.kind != Kind::Flag
    }

    /// Whether the word after it is its value, if none is attached.
    pub(crate) fn takes_word(&self) -> bool {
        !matches!(self.kind, Kind::Flag | Kind::Attached)
    }

    /// Every name, the first being the one the help shows.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name, self.also].into_iter().filter(|name| !name.is_empty())
    }

    /// Whether the old tool has it under a long name.
    pub(crate) fn is_old_long(&self) -> bool {
        OLD_LONGS.contains(&self.name)
    }
}

/// The long names of the old tool.
const OLD_LONGS: [&str; 2] = ["scenario", "or"];

/// A name with the dashes that belong before it.
pub(crate) fn dashed(name: &str) -> String {
    if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") }
}

/// Every switch, group by group, each group in the order of the help.
pub(crate) fn all() -> Vec<Switch> {
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

    /// The letters of the guide of 2012 and of Kea 3, as their `getopt` strings have them.
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

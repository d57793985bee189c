//! [`Row`]: an option of a tool with a grammar of its own, described completely.
//!
//! The LDAP rate tools and perfdhcp split words in their own ways, but describe an option in the same terms: its names,
//! its values, its default, its group and its help. Parsing, the help, the pages, the completions and the properties
//! files all use the same row, so they cannot differ. A row does not depend on the effect of an option.

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name without dashes, which is also the key of its value; one letter is a switch such as `-r`.
    pub name: &'static str,
    /// A letter beside a longer name.
    pub short: Option<char>,
    /// Other names, also those that users of other tools know.
    pub also: &'static [&'static str],
    /// The placeholder of its value; empty for a switch.
    pub value: &'static str,
    /// The legal values.
    pub kind: Kind,
    /// How many of its values count.
    pub most: usize,
    /// The default, as the help states it.
    pub default: &'static str,
    /// The heading under which the help lists it.
    pub group: &'static str,
    /// What it does, in sentences.
    pub help: &'static str,
    /// The option with the same meaning in the table of another tool; empty if there is none.
    pub to: &'static str,
    /// Whether it is one of ours, that the original tool does not have.
    pub is_ours: bool,
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
    /// A text that must not be shown.
    Secret,
    /// A whole number within these bounds.
    Integer(i128, i128),
    /// A number with or without decimals, within these bounds.
    Decimal(f64, f64),
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

impl Row {
    /// An option with a value.
    pub const fn new(
        group: &'static str,
        name: &'static str,
        value: &'static str,
        kind: Kind,
        help: &'static str,
    ) -> Self {
        Self {
            name,
            short: None,
            also: &[],
            value,
            kind,
            most: 1,
            default: "",
            group,
            help,
            to: "",
            is_ours: false,
        }
    }

    /// An option without a value.
    pub const fn switch(group: &'static str, name: &'static str, help: &'static str) -> Self {
        Self::new(group, name, "", Kind::Switch, help)
    }

    /// The same with this letter.
    #[must_use]
    pub const fn short(self, short: char) -> Self {
        Self { short: Some(short), ..self }
    }

    /// The same with these other names.
    #[must_use]
    pub const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// The same with this default.
    #[must_use]
    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// The same with this many values.
    #[must_use]
    pub const fn most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The same with any number of values.
    #[must_use]
    pub const fn many(self) -> Self {
        self.most(usize::MAX)
    }

    /// The same with an option of another table that has its meaning.
    #[must_use]
    pub const fn to(self, to: &'static str) -> Self {
        Self { to, ..self }
    }

    /// The same as an option of ours.
    #[must_use]
    pub const fn ours(self) -> Self {
        Self { is_ours: true, ..self }
    }

    /// Whether it takes a value.
    pub fn takes_value(&self) -> bool {
        self.kind != Kind::Switch
    }

    /// Whether the next word is its value, if none is attached.
    pub fn takes_word(&self) -> bool {
        !matches!(self.kind, Kind::Switch | Kind::Attached)
    }

    /// Whether it may be given more than once.
    pub fn is_repeatable(&self) -> bool {
        self.most > 1
    }

    /// Every name but the letter beside a longer one; the help shows the first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }

    /// Every name of more than one letter.
    pub fn longs(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names().filter(|name| name.chars().count() > 1)
    }
}

/// A name with the dashes that belong before it.
pub fn dashed(name: &str) -> String {
    if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") }
}

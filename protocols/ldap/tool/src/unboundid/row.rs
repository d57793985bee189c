//! [`Row`]: an option of UnboundID's grammar, and the option of ours that it becomes.

use crate::options::table::{Kind, Opt};

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The one-letter name.
    pub short: Option<char>,
    /// The long name that the help shows, which is also the key of its value.
    pub long: &'static str,
    /// Further long names, beside the dashed form that each long name has.
    pub hidden: &'static [&'static str],
    /// The placeholder of its value; empty for a switch.
    pub value: &'static str,
    /// The legal values.
    pub kind: Kind,
    /// Whether it may be given more than once.
    pub many: bool,
    /// The default, as the help states it.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The option of OpenDJ's table with the same meaning; empty if it takes more than a new name.
    pub to: &'static str,
    /// Whether it is an option of ours that both dialects have.
    pub ours: bool,
}

impl Row {
    /// An option with a value.
    pub(super) const fn new(
        long: &'static str,
        value: &'static str,
        kind: Kind,
        help: &'static str,
    ) -> Self {
        Self {
            short: None,
            long,
            hidden: &[],
            value,
            kind,
            many: false,
            default: "",
            help,
            to: "",
            ours: false,
        }
    }

    /// An option without a value.
    pub(super) const fn switch(long: &'static str, help: &'static str) -> Self {
        Self::new(long, "", Kind::Switch, help)
    }

    /// An option of ours.
    pub(super) fn ours(option: &Opt) -> Self {
        Self {
            hidden: option.also,
            many: option.many,
            default: option.default,
            to: option.long,
            ours: true,
            ..Self::new(option.long, option.value, option.kind, option.help)
        }
    }

    pub(super) const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    pub(super) const fn hidden(mut self, names: &'static [&'static str]) -> Self {
        self.hidden = names;
        self
    }

    pub(super) const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    pub(super) const fn many(mut self) -> Self {
        self.many = true;
        self
    }

    pub(super) const fn to(mut self, option: &'static str) -> Self {
        self.to = option;
        self
    }

    /// Whether it takes a value.
    pub(super) fn takes_value(&self) -> bool {
        self.kind != Kind::Switch
    }

    /// Whether the next word is its value, if none is attached.
    pub(super) fn takes_word(&self) -> bool {
        !matches!(self.kind, Kind::Switch | Kind::Attached)
    }

    /// Whether this long name is one of its own. Case does not matter, and a name of several words may have dashes.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.longs().any(|long| {
            long.eq_ignore_ascii_case(name) || dashed(long) == name.to_ascii_lowercase()
        })
    }

    /// Whether a long name is its dashed form.
    pub(super) fn is_dashed(&self, name: &str) -> bool {
        let own = self.longs().any(|long| long.eq_ignore_ascii_case(name));
        !own && self.is_named(name)
    }

    pub(super) fn longs(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.long).chain(self.hidden.iter().copied())
    }
}

/// `numThreads` as `num-threads`, and `useSASLExternal` as `use-sasl-external`.
fn dashed(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let after_small = at > 0 && letters[at - 1].is_ascii_lowercase();
        let before_small = at > 0
            && letters[at - 1].is_ascii_uppercase()
            && letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (after_small || before_small) {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_are_divided_where_their_case_changes() {
        for (name, expected) in [
            ("numThreads", "num-threads"),
            ("baseDN", "base-dn"),
            ("entryDN", "entry-dn"),
            ("useSSL", "use-ssl"),
            ("ldapURL", "ldap-url"),
            ("useSASLExternal", "use-sasl-external"),
            ("useStartTLS", "use-start-tls"),
            ("csv", "csv"),
        ] {
            assert_eq!(dashed(name), expected);
        }
    }
}

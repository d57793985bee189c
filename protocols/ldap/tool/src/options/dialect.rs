//! The two grammars of the rate tools: that of OpenDJ and `PingDS`, and that of UnboundID's SDK and
//! `PingDirectory`.

use super::tool::Tool;

/// A grammar of command lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenDJ and `PingDS`.
    #[default]
    Opendj,
    /// UnboundID's LDAP SDK and `PingDirectory`.
    Unboundid,
}

impl Dialect {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Opendj, Self::Unboundid];

    /// Its word on the command line, and the beginning of the name of a link.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Opendj => "opendj",
            Self::Unboundid => "unboundid",
        }
    }

    /// Its name in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Opendj => "OpenDJ",
            Self::Unboundid => "UnboundID",
        }
    }

    /// The dialect of this word, in any case.
    pub fn new(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word().eq_ignore_ascii_case(word))
    }

    /// Whether a tool exists in this dialect.
    pub const fn has(self, tool: Tool) -> bool {
        matches!(
            (self, tool),
            (Self::Opendj, _)
                | (
                    Self::Unboundid,
                    Tool::Authrate | Tool::Searchrate | Tool::Modrate | Tool::SearchAndModRate
                )
        )
    }
}

/// The tool that a program of this name is, and its dialect if the name tells: `unboundid-searchrate`.
pub fn named(name: &str) -> Option<(Tool, Option<Dialect>)> {
    if let Some(tool) = Tool::named(name) {
        return Some((tool, None));
    }
    let (word, rest) = name.split_once('-')?;
    let dialect = Dialect::ALL.into_iter().find(|it| it.word() == word)?;
    let tool = Tool::named(rest).filter(|tool| dialect.has(*tool))?;
    Some((tool, Some(dialect)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_name_can_decide_the_dialect() {
        for (name, found) in [
            ("searchrate", Some((Tool::Searchrate, None))),
            ("unboundid-searchrate", Some((Tool::Searchrate, Some(Dialect::Unboundid)))),
            ("opendj-addrate", Some((Tool::Addrate, Some(Dialect::Opendj)))),
            (
                "unboundid-search-and-mod-rate",
                Some((Tool::SearchAndModRate, Some(Dialect::Unboundid))),
            ),
            ("unboundid-addrate", None),
            ("search-and-mod-rate", Some((Tool::SearchAndModRate, None))),
            ("unboundid", None),
        ] {
            assert_eq!(named(name), found, "{name}");
        }
    }
}

//! The names of the LDAP rate tools, and the tool whose name a program was called by.
//!
//! A tool can be called as `brunt NAME` and through a link of that name to the binary, so that scripts for the original
//! tools need no change. This module does not depend on what the tools do.

use std::path::Path;

/// One of the LDAP rate tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Binds, or searches followed by binds.
    Authrate,
    /// Modifications.
    Modrate,
    /// Searches.
    Searchrate,
    /// Adds and deletes.
    Addrate,
    /// Searches, each followed by a modification of what it found.
    SearchAndModRate,
    /// Comparisons.
    Comparerate,
    /// Deletions of existing entries.
    Deleterate,
    /// Renamings and moves.
    Moddnrate,
}

impl Tool {
    /// Every tool, in the order in which the help lists them.
    pub const ALL: [Self; 8] = [
        Self::Authrate,
        Self::Modrate,
        Self::Searchrate,
        Self::Addrate,
        Self::SearchAndModRate,
        Self::Comparerate,
        Self::Deleterate,
        Self::Moddnrate,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authrate => "authrate",
            Self::Modrate => "modrate",
            Self::Searchrate => "searchrate",
            Self::Addrate => "addrate",
            Self::SearchAndModRate => "search-and-mod-rate",
            Self::Comparerate => "comparerate",
            Self::Deleterate => "deleterate",
            Self::Moddnrate => "moddnrate",
        }
    }

    /// The tool of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Its purpose, in one line.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Authrate => "measure bind throughput and response time",
            Self::Modrate => "measure modification throughput and response time",
            Self::Searchrate => "measure search throughput and response time",
            Self::Addrate => "measure add and delete throughput and response time",
            Self::SearchAndModRate => {
                "measure throughput and response time of searches, and of modifications of the entries found"
            }
            Self::Comparerate => "measure comparison throughput and response time",
            Self::Deleterate => "measure deletion throughput and response time",
            Self::Moddnrate => {
                "measure throughput and response time of renaming and moving entries"
            }
        }
    }

    /// The synopsis of its trailing arguments.
    pub const fn trailing(self) -> &'static str {
        match self {
            Self::Authrate => "[filter template string] [attributes ...]",
            Self::Modrate => "[(attribute:value template string) ...]",
            Self::Searchrate => "filter template string [attributes ...]",
            Self::Addrate => "template-file-path",
            Self::SearchAndModRate => {
                "filter template string [(attribute:value template string) ...]"
            }
            Self::Comparerate => "attribute:value template string",
            Self::Deleterate => "",
            Self::Moddnrate => "new RDN template string",
        }
    }

    /// The first trailing argument, for a message that it is missing.
    pub const fn first_trailing(self) -> &'static str {
        match self {
            Self::Authrate | Self::Searchrate | Self::SearchAndModRate => {
                "filter template string, such as '(uid=user.{})',"
            }
            Self::Modrate | Self::Comparerate => "attribute:value template string",
            Self::Addrate => "path of the template file",
            Self::Deleterate => "trailing argument",
            Self::Moddnrate => "new RDN template string, such as 'uid=renamed.{}',",
        }
    }

    /// Fewest and most trailing arguments.
    pub const fn trailing_range(self) -> (usize, usize) {
        match self {
            Self::Authrate | Self::Modrate => (0, usize::MAX),
            Self::Searchrate | Self::SearchAndModRate => (1, usize::MAX),
            Self::Addrate | Self::Comparerate | Self::Moddnrate => (1, 1),
            Self::Deleterate => (0, 0),
        }
    }
}

/// The name of a link to the binary: the last part of the path it was called by.
pub fn base_name(argv0: &str) -> Option<&str> {
    Path::new(argv0).file_stem()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_is_known_by_the_base_name_of_a_link() {
        let tool_of = |argv0| base_name(argv0).and_then(Tool::named);
        assert_eq!(tool_of("/usr/local/bin/authrate"), Some(Tool::Authrate));
        assert_eq!(tool_of("search-and-mod-rate"), Some(Tool::SearchAndModRate));
        assert_eq!(tool_of("./brunt"), None);
        assert_eq!(tool_of(""), None);
        assert_eq!(base_name("/usr/sbin/perfdhcp"), Some("perfdhcp"));
    }
}

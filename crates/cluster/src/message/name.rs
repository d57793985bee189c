//! [`Name`]: the name of an agent or of a pool. It is a part of subjects, of file names and of printed texts, so it
//! consists of letters, digits, `-` and `_` only.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The name of an agent or of a pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a text cannot be a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the name {0:?}: write 1 to 64 letters, digits, - and _")]
pub struct NameError(String);

impl Name {
    /// The name derived from a host name: characters that a name cannot have become `-`.
    pub fn of_host(host: &str) -> Self {
        let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let text: String = host.chars().take(64).map(fits).collect();
        Self(if text.is_empty() { "agent".to_owned() } else { text })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_name = (1..=64).contains(&text.len()) && text.bytes().all(fits);
        is_name
            .then(|| Self(text.to_owned()))
            .ok_or_else(|| NameError(text.chars().take(80).collect()))
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_name_is_a_valid_subject_token() {
        for good in ["a", "node-7", "A_1"] {
            assert_eq!(good.parse::<Name>().unwrap().as_str(), good);
        }
        for bad in ["", "a.b", "*", ">", "a b", "\u{1b}[2J", "ü", &"x".repeat(65)] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
        assert!(serde_json::from_str::<Name>("\"a.b\"").is_err());
        assert_eq!(Name::of_host("web-1.example.org").as_str(), "web-1-example-org");
        assert_eq!(Name::of_host("").as_str(), "agent");
    }
}

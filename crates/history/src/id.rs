//! [`RunId`]: the name of a run in addresses, and the name of its directory.
//!
//! A run that this server makes has a random id before there is a record of it. The id of an uploaded record is derived
//! from its bytes, so that uploading it twice makes one entry.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The number of characters of an id.
const LENGTH: usize = 24;

/// An id: 24 lower-case letters and digits, which have no special meaning in a path, a page or an address.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, extend("pattern" = "^[0-9a-z]{24}$"))]
pub struct RunId(String);

/// Why a text is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the id of a run: it has {LENGTH} small letters and digits")]
pub struct IdError;

impl RunId {
    /// A new random id.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; LENGTH / 2];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hexadecimal(&bytes)))
    }

    /// The id of an uploaded record, by the SHA-256 of its bytes in hexadecimal.
    pub fn of_hash(sha256: &str) -> Result<Self, IdError> {
        sha256.get(..LENGTH).ok_or(IdError)?.parse()
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = text.len() == LENGTH && text.bytes().all(plain);
        fits.then(|| Self(text.to_owned())).ok_or(IdError)
    }
}

impl TryFrom<String> for RunId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The SHA-256 of the content of a document, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_id_is_alphanumeric() {
        let id = RunId::new().unwrap();
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_ne!(RunId::new().unwrap(), id);
        for wrong in
            ["", "../../../../../../../etc", "0123456789abcdef0123456A", "0123456789abcdef0123456/"]
        {
            assert_eq!(wrong.parse::<RunId>(), Err(IdError), "{wrong}");
        }
        assert!(serde_json::from_str::<RunId>("\"..\"").is_err());
    }

    #[test]
    fn run_id_of_a_document_follows_from_its_hash() {
        // From sha256sum of coreutils.
        let id = RunId::of_hash(&sha256(b"abc")).unwrap();
        assert_eq!(id.as_str(), "ba7816bf8f01cfea414140de");
        assert!(RunId::of_hash("ba78").is_err() && RunId::of_hash(&"../".repeat(30)).is_err());
    }
}

//! [`FileName`]: the name of a file in an order. It cannot lead out of the order's directory, and contains nothing that
//! acts on a terminal.

use std::fmt;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The most bytes of a name.
const LENGTH_MAX: usize = 512;
/// The most directories in a name.
const DEPTH_MAX: usize = 16;

/// The name of a file in an order, without `.` and double slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileName(String);

/// The text cannot be the name of a file in an order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an order has a file of a name that no order may have")]
pub struct NoFileName;

impl FileName {
    /// The name of a path, if an order may have it.
    pub fn new(path: &Path) -> Option<Self> {
        let mut parts = Vec::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
            }
        }
        let name = parts.join("/");
        let printable = !name.chars().any(|it| it.is_control() || is_formatting(it));
        let fits = (1..=LENGTH_MAX).contains(&name.len()) && parts.len() <= DEPTH_MAX;
        (fits && printable && parts.iter().all(|part| part.len() <= 255)).then_some(Self(name))
    }

    /// The name as a path, relative to the directory of the order.
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// Whether a character changes the direction of a text or is invisible: these make one name look like another.
fn is_formatting(it: char) -> bool {
    matches!(it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl TryFrom<String> for FileName {
    type Error = NoFileName;

    fn try_from(text: String) -> Result<Self, NoFileName> {
        // Only the normal spelling is accepted: two spellings of one name would be two entries for the same place.
        Self::new(Path::new(&text)).filter(|name| name.0 == text).ok_or(NoFileName)
    }
}

impl std::convert::From<FileName> for String {
    fn from(name: FileName) -> Self {
        name.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

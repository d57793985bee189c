//! [`KeyPath`]: the position of something in a plan, by its keys.
//!
//! The model contains no positions of a file, so that a plan can be made by a program as well as read from one. A fault
//! is reported by keys, and the text the plan was read from, if there is one, provides the line.

use std::fmt;

/// The path from the top of a plan to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPath(Vec<Segment>);

/// One step of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Into a table.
    Key(String),
    /// Into an array, counted from 0.
    Index(usize),
}

impl KeyPath {
    /// The path to this key at the top.
    pub fn new(key: &str) -> Self {
        Self::default().key(key)
    }

    /// The path to a key of the table there.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(key.to_owned()))
    }

    /// The path to an element of the array there.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// The segments, from the top.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn with(&self, segment: Segment) -> Self {
        Self([&self.0[..], &[segment]].concat())
    }
}

/// `scenario[0].steps[2].post`, with elements counted from 1 for users.
impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{}]", index + 1)?,
                Segment::Key(key) => {
                    let bare = !key.is_empty()
                        && key
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
                    let dot = if place > 0 { "." } else { "" };
                    if bare { write!(f, "{dot}{key}") } else { write!(f, "{dot}{key:?}") }?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_path_is_written_as_in_the_file_counting_from_one() {
        let steps = KeyPath::new("scenario").index(0).key("steps").index(2);
        assert_eq!(steps.key("post").to_string(), "scenario[1].steps[3].post");
        assert_eq!(steps.key("a b").to_string(), "scenario[1].steps[3].\"a b\"");
        assert_eq!(KeyPath::default().to_string(), "");
    }
}

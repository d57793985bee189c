//! [`KeyPath`]: where in a plan something stands, by its keys.
//!
//! The model holds no places of a file, so that a plan can be made by a program as well as read from one. Whoever
//! finds a fault says where by keys, and the text the plan was read from, if there is one, knows the line.

use std::fmt;

/// The way from the top of a plan to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyPath(Vec<Segment>);

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Into a table.
    Key(String),
    /// Into an array, counted from 0.
    Index(usize),
}

impl KeyPath {
    /// The way to this key of the top.
    pub(crate) fn of(key: &str) -> Self {
        Self::default().key(key)
    }

    /// On to a key of the table there.
    #[must_use]
    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(key.to_owned()))
    }

    /// On to a value of the array there.
    #[must_use]
    pub(crate) fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// The segments, from the top.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn with(&self, segment: Segment) -> Self {
        Self([&self.0[..], &[segment]].concat())
    }
}

/// `scenario[0].steps[2].post`, elements counted from 1 as a person counts them.
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
    fn ways_are_written_as_in_the_file_and_counted_from_one() {
        let steps = KeyPath::of("scenario").index(0).key("steps").index(2);
        assert_eq!(steps.key("post").to_string(), "scenario[1].steps[3].post");
        assert_eq!(steps.key("a b").to_string(), "scenario[1].steps[3].\"a b\"");
        assert_eq!(KeyPath::default().to_string(), "");
    }
}

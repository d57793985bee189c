//! [`Pick`]: which of several values is taken.

use std::fmt;

/// Which of several values is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The last.
    Last,
    /// A random one, by the number that is drawn for the answer. Of lists of the same length the same is taken.
    Random,
    /// The one with this number, counted from 0.
    Number(usize),
}

impl Pick {
    /// The value that is taken.
    pub(super) fn of<T>(self, mut values: Vec<T>, draw: u64) -> Option<T> {
        let at = match self {
            Self::Last => values.len().checked_sub(1)?,
            Self::Random => {
                let above = u128::from(draw) * values.len() as u128;
                (above >> 64) as usize
            }
            Self::Number(number) => number,
        };
        (at < values.len()).then(|| values.swap_remove(at))
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("the last"),
            Self::Random => f.write_str("a random one"),
            Self::Number(number) => write!(f, "number {}", number + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pick_takes_one_of_several() {
        let picked = |pick: Pick, draw| pick.of(vec!["a", "b", "c", "d"], draw);
        assert_eq!(picked(Pick::Last, 0), Some("d"));
        assert_eq!((picked(Pick::Number(1), 0), picked(Pick::Number(4), 0)), (Some("b"), None));
        assert_eq!(Pick::Random.of(Vec::<u8>::new(), 7), None);
        for (draw, expected) in [(0, "a"), (1 << 62, "b"), (1 << 63, "c"), (u64::MAX, "d")] {
            assert_eq!(picked(Pick::Random, draw), Some(expected));
        }
    }
}

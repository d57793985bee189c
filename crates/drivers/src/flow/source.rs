//! [`Source`]: where the values of a variable come from.

use brunt_feed::Text;

/// Which iteration a value is drawn for. Values follow from this and the seed, never from the value before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of the iteration in the whole run.
    pub iteration: u64,
    /// The number of the user.
    pub user: u32,
    /// How many users there are.
    pub users: u32,
    /// How many values this user has drawn of this variable before.
    pub turn: u64,
}

/// Where values come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Nowhere: an extraction brings them.
    Answer,
    /// Other variables and text.
    Text(Text),
    /// The number of the user.
    User,
    /// The number of the iteration.
    Iteration,
    /// Whole numbers from the first on, by a step: one for each value that the user draws.
    Count {
        /// The first.
        first: i64,
        /// The step.
        step: i64,
    },
    /// A random whole number, both ends included.
    Random {
        /// The least.
        least: i64,
        /// The most.
        most: i64,
    },
}

//! [`Pacing`]: an option that sets when exchanges begin, how many there are or how long they go on.

use super::row::dashed;

/// Such an option of a command line. A caller that decides this itself refuses one that was given, and leaves it out of
/// a command that it proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// What a refusal calls it.
    pub called: String,
    /// Every way to type it, with its dashes; none if the load is another without it.
    pub spelled: Vec<String>,
    /// Whether the next word is its value, if none is attached.
    pub takes_word: bool,
    /// Whether it was given.
    pub given: bool,
}

impl Pacing {
    /// An option with a value, typed in these ways: names without dashes.
    pub fn new(names: &[&str], given: bool) -> Self {
        let spelled: Vec<String> = names.iter().map(|name| dashed(name)).collect();
        let called = spelled.first().cloned().unwrap_or_default();
        Self { called, spelled, takes_word: true, given }
    }

    /// One without which the load is another.
    pub fn essential(called: &str, given: bool) -> Self {
        Self { called: called.to_owned(), spelled: Vec::new(), takes_word: false, given }
    }

    /// Whether a word without its attached value is this option. Tools that distinguish the case of long names have no
    /// two that differ only in it.
    pub fn is_typed(&self, name: &str) -> bool {
        let is_long = name.starts_with("--");
        self.spelled.iter().any(|it| it == name || (is_long && it.eq_ignore_ascii_case(name)))
    }
}

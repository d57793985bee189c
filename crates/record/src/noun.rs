//! [`Noun`]: what screens call the exchanges of a run, in the words of its protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an exchange of a run is: a bind, a search, a request. Only the tool knows; where a run makes several kinds, or
/// its record is of an older version, each is an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Noun {
    /// The word for one: `bind`.
    pub one: String,
    /// The word for several: `binds`.
    pub many: String,
}

impl Noun {
    /// A noun and its plural.
    pub fn new(one: &str, many: &str) -> Self {
        Self { one: one.to_owned(), many: many.to_owned() }
    }

    /// The noun of several runs: that of all of them, if they have the same.
    pub fn common<'a>(mut of: impl Iterator<Item = &'a Self>) -> Self {
        let first = of.next().cloned().unwrap_or_default();
        if of.all(|other| *other == first) { first } else { Self::default() }
    }

    /// The word after such a number.
    pub fn after(&self, count: u64) -> &str {
        if count == 1 { &self.one } else { &self.many }
    }

    /// The word for one, with its article: `a bind`, `an operation`.
    pub fn with_article(&self) -> String {
        let an = self.one.starts_with(['a', 'e', 'i', 'o', 'u']);
        format!("{} {}", if an { "an" } else { "a" }, self.one)
    }
}

impl Default for Noun {
    fn default() -> Self {
        Self::new("operation", "operations")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noun_is_shared_only_if_all_runs_have_it() {
        let (bind, search) = (Noun::new("bind", "binds"), Noun::new("search", "searches"));
        assert_eq!(Noun::common([&bind, &bind].into_iter()), bind);
        assert_eq!(Noun::common([&bind, &search].into_iter()), Noun::default());
        assert_eq!(Noun::common(std::iter::empty()), Noun::default());
        assert_eq!((bind.after(1), bind.after(0)), ("bind", "binds"));
        assert_eq!(
            bind.with_article() + "; " + &Noun::default().with_article(),
            "a bind; an operation"
        );
    }
}

//! [`Labels`]: as many values of a label as a time series database can bear, and one for all others.
//!
//! Names of operations come from plans, and names of codes from targets: both may be hostile, and there may be any
//! number of them. Values are inert, of bounded length, and of bounded number; those beyond share the value `other`.

use brunt_exchange::{Layout, inert};

/// The most characters of a value.
const LENGTH_MAX: usize = 120;
/// What values are called that are not told apart.
pub(super) const OTHER: &str = "other";

/// A text as the value of a label.
pub(super) fn value(text: &str) -> String {
    let shown = inert(text, Layout::Line);
    match shown.char_indices().nth(LENGTH_MAX) {
        None => shown,
        Some(_) => shown.chars().take(LENGTH_MAX - 1).chain(['…']).collect(),
    }
}

/// The values of one label, by number.
#[derive(Debug)]
pub(super) struct Labels {
    values: Vec<String>,
    most: usize,
}

impl Labels {
    /// No value yet, and at most so many beside that of all others.
    pub(super) const fn new(most: usize) -> Self {
        Self { values: Vec::new(), most }
    }

    /// The number of a value. Texts that look the same as values are one.
    pub(super) fn number(&mut self, text: &str) -> usize {
        let wanted = value(text);
        if let Some(known) = self.values.iter().position(|known| *known == wanted) {
            return known;
        }
        let value = if self.values.len() < self.most { wanted } else { OTHER.to_owned() };
        self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }

    /// The value of this number.
    pub(super) fn value(&self, number: usize) -> &str {
        self.values.get(number).map_or(OTHER, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_values_than_allowed_and_the_other() {
        let mut labels = Labels::new(3);
        let numbers: Vec<usize> = (0..10).map(|name| labels.number(&format!("op{name}"))).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 3, 3, 3, 3, 3, 3]);
        assert_eq!((labels.values.len(), labels.value(1), labels.value(3)), (4, "op1", OTHER));
        assert_eq!(labels.number("op1"), 1);
        // An operation of that name is not told apart from those that are not.
        assert_eq!(labels.number(OTHER), 3);
    }

    #[test]
    fn values_are_inert_and_short() {
        assert_eq!(value("a\u{1b}[2J\nb"), "a\\u{1b}[2J b");
        assert_eq!(value(&"é".repeat(500)).chars().count(), LENGTH_MAX);
    }
}

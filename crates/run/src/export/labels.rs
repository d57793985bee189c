//! [`Labels`]: a limited number of values of a label, as a time series database needs it, and one value for all others.
//!
//! Names of operations come from plans, and names of codes from targets: both may be hostile, and there may be any
//! number of them. Values are made safe, and their length and number are bounded; those beyond the limit share the
//! value `other`.

use brunt_exchange::{Layout, inert};

/// The most characters of a value.
const LENGTH_MAX: usize = 120;
/// The value shared by all that are not listed separately.
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
    /// No value yet, and at most this number of values beside the shared one.
    pub(super) const fn new(most: usize) -> Self {
        Self { values: Vec::new(), most }
    }

    /// The number of a value. Texts that are equal as label values are one.
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
    fn labels_are_limited_with_one_for_the_rest() {
        let mut labels = Labels::new(3);
        let numbers: Vec<usize> = (0..10).map(|name| labels.number(&format!("op{name}"))).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 3, 3, 3, 3, 3, 3]);
        assert_eq!((labels.values.len(), labels.value(1), labels.value(3)), (4, "op1", OTHER));
        assert_eq!(labels.number("op1"), 1);
        // An operation of that name shares the value of those beyond the limit.
        assert_eq!(labels.number(OTHER), 3);
    }

    #[test]
    fn label_values_are_harmless_and_short() {
        assert_eq!(value("a\u{1b}[2J\nb"), "a\\u{1b}[2J b");
        assert_eq!(value(&"é".repeat(500)).chars().count(), LENGTH_MAX);
    }
}

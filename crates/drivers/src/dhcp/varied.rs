//! [`Pattern`]: text that differs from client to client, for options by which servers tell them apart.

use std::ops::Range;

/// Text in which `{n}` stands for the number of the client, in decimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    /// Where the constant parts stand: between any two of them comes the number.
    parts: Vec<Range<usize>>,
}

const SLOT: &str = "{n}";

impl Pattern {
    /// Any text is one.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut parts = Vec::new();
        let mut start = 0;
        for (at, slot) in text.match_indices(SLOT) {
            parts.push(start..at);
            start = at + slot.len();
        }
        parts.push(start..text.len());
        Self { text, parts }
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The most bytes that it can have for any client.
    pub fn longest(&self) -> usize {
        let constant: usize = self.parts.iter().map(Range::len).sum();
        constant + (self.parts.len() - 1) * DIGITS_MAX
    }

    /// Appends the text for a client.
    pub fn write(&self, client: u64, out: &mut Vec<u8>) {
        let mut digits = [0; DIGITS_MAX];
        let digits = decimal(client, &mut digits);
        for (nth, part) in self.parts.iter().enumerate() {
            if nth > 0 {
                out.extend_from_slice(digits);
            }
            out.extend_from_slice(&self.text.as_bytes()[part.clone()]);
        }
    }
}

/// The digits of the largest number.
const DIGITS_MAX: usize = 20;

fn decimal(mut number: u64, room: &mut [u8; DIGITS_MAX]) -> &[u8] {
    let mut at = DIGITS_MAX;
    loop {
        at -= 1;
        room[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &room[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pattern: &str, client: u64) -> String {
        let mut out = b"kept ".to_vec();
        Pattern::new(pattern).write(client, &mut out);
        String::from_utf8(out.split_off(5)).unwrap()
    }

    #[test]
    fn the_number_stands_wherever_it_is_asked_for() {
        for client in [0, 7, 10, 4_294_967_295, u64::MAX] {
            for pattern in ["eth0/{n}", "{n}", "{n}{n}", "{n}-{x}-{n}", "none", ""] {
                let expected = pattern.replace("{n}", &client.to_string());
                assert_eq!(written(pattern, client), expected);
                assert!(Pattern::new(pattern).longest() >= expected.len());
            }
        }
    }

    #[test]
    fn the_longest_text_is_that_of_the_largest_number() {
        assert_eq!(Pattern::new("a{n}b{n}").longest(), written("a{n}b{n}", u64::MAX).len());
    }
}

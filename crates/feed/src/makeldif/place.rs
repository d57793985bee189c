//! The position of an entry, and the value of each line of its definition there.
//!
//! A line is computed only from its position, so a DN costs no more than its RDN attributes. When a whole entry is
//! made, a reference copies the value already computed for the line it names.

use super::MakeLdif;
use super::backslash::escaped;
use super::definition::Definition;
use super::value::{Condition, Extent, Part, Random};
use crate::Escape;
use crate::stream::Draws;
use crate::uuid;
use std::ops::Range;

/// One entry on the path down from a branch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    pub(super) template: usize,
    /// How many entries of this template precede it.
    pub(super) occurrence: u64,
    /// The same, below the same parent.
    pub(super) sibling: u64,
}

/// The position of one entry.
#[derive(Clone, Copy)]
pub(super) struct EntryPosition<'a> {
    pub(super) forest: &'a MakeLdif,
    pub(super) branch: usize,
    pub(super) levels: &'a [Level],
    /// The values of the entry's lines so far, in the buffer that is being written.
    pub(super) given: &'a [Given],
}

/// The range of a line's value; empty if the line gave none, or has not been reached yet.
#[derive(Clone, Debug, Default)]
pub(super) enum Given {
    #[default]
    Unknown,
    Nothing,
    Value(Range<usize>),
}

impl<'a> EntryPosition<'a> {
    /// The template or branch that makes the entry.
    pub(super) fn definition(&self) -> &'a Definition {
        &self.forest.definitions[self.levels.last().map_or(self.branch, |level| level.template)]
    }

    /// Appends the DN.
    pub(super) fn dn(&self, out: &mut Vec<u8>) {
        for depth in (1..=self.levels.len()).rev() {
            // Values computed so far belong to the entry itself, not to those above it.
            let given = if depth == self.levels.len() { self.given } else { &[] };
            Self { levels: &self.levels[..depth], given, ..*self }.rdn(out);
            out.push(b',');
        }
        out.extend_from_slice(self.forest.definitions[self.branch].name.as_bytes());
    }

    /// Appends the value of line `line`; false, with nothing appended, if it has none.
    pub(super) fn value(&self, line: usize, out: &mut Vec<u8>) -> bool {
        match self.given.get(line) {
            Some(Given::Value(bytes)) => {
                out.extend_from_within(bytes.clone());
                return true;
            }
            Some(Given::Nothing) => return false,
            _ => {}
        }
        let value = &self.definition().lines[line].value;
        if !value.conditions.iter().all(|condition| self.holds(condition, out)) {
            return false;
        }
        for part in &value.parts {
            self.part(part, out);
        }
        true
    }

    fn last(&self) -> Level {
        self.levels.last().copied().unwrap_or_default()
    }

    fn parent(&self) -> Self {
        Self { levels: &self.levels[..self.levels.len().saturating_sub(1)], given: &[], ..*self }
    }

    fn rdn(&self, out: &mut Vec<u8>) {
        let definition = self.definition();
        for (index, &line) in definition.rdn.iter().enumerate() {
            if index > 0 {
                out.push(b'+');
            }
            out.extend_from_slice(definition.lines[line].name.as_bytes());
            out.push(b'=');
            let start = out.len();
            self.value(line, out);
            Escape::Dn.apply(out, start);
        }
    }

    fn holds(&self, condition: &Condition, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        match condition {
            Condition::Presence(percent, stream) => {
                stream.at(self.last().occurrence).up_to(99) < u64::from(*percent)
            }
            Condition::IfAbsent(lines, text) => !self.any(lines, text.as_deref(), start, out),
            Condition::IfPresent(lines, text) => self.any(lines, text.as_deref(), start, out),
        }
    }

    /// Whether one of `lines` has a value, or has the value `text` if that is given.
    fn any(&self, lines: &[usize], text: Option<&str>, start: usize, out: &mut Vec<u8>) -> bool {
        lines.iter().any(|&line| {
            let given = self.value(line, out);
            let same = text.is_none_or(|text| &out[start..] == text.as_bytes());
            out.truncate(start);
            given && same
        })
    }

    fn part(&self, part: &Part, out: &mut Vec<u8>) {
        let Level { occurrence, sibling, .. } = self.last();
        match part {
            Part::Text(text) => out.extend_from_slice(text.as_bytes()),
            Part::Reference(line, chars) => {
                let start = out.len();
                self.value(*line, out);
                shorten(out, start, *chars);
            }
            Part::Dn(extent) => cut(out, *extent, b',', |out| self.dn(out)),
            Part::ParentDn(extent) => cut(out, *extent, b',', |out| self.parent().dn(out)),
            Part::Rdn(extent) if self.levels.is_empty() => {
                let first = Extent { count: 1, underscores: false };
                cut(out, *extent, b'+', |out| cut(out, first, b',', |out| self.dn(out)));
            }
            Part::Rdn(extent) => cut(out, *extent, b'+', |out| self.rdn(out)),
            Part::First => self.forest.names.first(occurrence, out),
            Part::Last => self.forest.names.last(occurrence, out),
            Part::Lines(lines) => out.extend_from_slice(lines.line(occurrence % lines.len())),
            Part::Line(lines, stream) => {
                out.extend_from_slice(lines.line(stream.at(occurrence).up_to(lines.len() - 1)));
            }
            Part::List(list, stream) => {
                let total = list.last().map_or(0, |(upto, _)| *upto);
                let drawn = stream.at(occurrence).up_to(total.saturating_sub(1));
                let chosen = list.partition_point(|(upto, _)| *upto <= drawn);
                out.extend_from_slice(list.get(chosen).map_or("", |(_, text)| text).as_bytes());
            }
            Part::Guid(stream) => uuid::write(&mut stream.at(occurrence), out),
            Part::Sequence { start, restart } => {
                let index = if *restart { sibling } else { occurrence };
                let value = start.wrapping_add_unsigned(index);
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            }
            Part::Random(random, stream) => draw(random, &mut stream.at(occurrence), out),
        }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn draw(random: &Random, draws: &mut Draws, out: &mut Vec<u8>) {
    match random {
        Random::Chars(charset, min, max) => {
            for _ in 0..u64::from(*min) + draws.up_to(u64::from(max - min)) {
                out.extend_from_slice(charset.char(draws.up_to(charset.last())));
            }
        }
        Random::Number(first, span, format) => {
            let value = first.wrapping_add_unsigned(draws.up_to(*span));
            match format {
                Some(format) => format.write(value, out),
                None => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            }
        }
        Random::Month(chars) => {
            let start = out.len();
            out.extend_from_slice(MONTHS[draws.up_to(11) as usize].as_bytes());
            shorten(out, start, *chars);
        }
        Random::Telephone => {
            out.extend_from_slice(b"+1");
            for digits in [3, 3, 4] {
                out.push(b' ');
                for _ in 0..digits {
                    out.push(b'0' + draws.up_to(9) as u8);
                }
            }
        }
    }
}

/// Keeps the first `chars` characters from `start` on; if that is 0, all of them.
fn shorten(out: &mut Vec<u8>, start: usize, chars: usize) {
    if chars == 0 {
        return;
    }
    // A continuation byte does not begin a character.
    let mut begins = out[start..].iter().enumerate().filter(|(_, byte)| **byte & 0xc0 != 0x80);
    if let Some((beyond, _)) = begins.nth(chars) {
        out.truncate(start + beyond);
    }
}

/// Appends the part of a DN that `extent` selects, counted in components separated by `separator`.
fn cut(out: &mut Vec<u8>, extent: Extent, separator: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let parts = |at: &usize| out[*at] == separator && !escaped(&out[start..], at - start);
    let nth = (extent.count.unsigned_abs() as usize).checked_sub(1);
    let at = nth.and_then(|nth| {
        if extent.count > 0 {
            (start..out.len()).filter(parts).nth(nth)
        } else {
            (start..out.len()).rev().filter(parts).nth(nth)
        }
    });
    match at {
        Some(at) if extent.count > 0 => out.truncate(at),
        Some(at) => {
            out.drain(start..=at);
        }
        None => {}
    }
    if extent.underscores {
        for at in start..out.len() {
            if out[at] == b',' && !escaped(&out[start..], at - start) {
                out[at] = b'_';
            }
        }
    }
}

//! [`Sources`]: the values that recorded answers gave, found by a hash of each.
//!
//! A value is kept with the place it is in, so that a later request which sends it takes it from there. A value that
//! the client had sent before any answer contained it is an echo and is not kept. Of the places of a value the best is
//! taken, and of equally good ones the latest.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::rc::Rc;

use super::bits::{DRAWN, LIKELY, bits, is_given_name};
use super::neighbours::neighbours;
use crate::imported::Location;

/// The most values that are kept.
const MOST: usize = 200_000;
/// The longest value.
const LONGEST: usize = 16 << 10;
/// The most bytes that are searched for what is beside values.
const SEARCHED_MAX: usize = 2 << 30;

/// The values, and those that the client sent first.
#[derive(Debug, Default)]
pub(super) struct Sources {
    list: Vec<Source>,
    /// The positions of the values of each hash: the latest of each rank.
    index: HashMap<u64, Vec<u32>>,
    sent_first: HashSet<u64>,
    /// How many bytes were searched for the neighbours of values.
    searched: Cell<usize>,
}

/// A value that an answer gave.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// What it is called in the answer.
    pub(super) name: String,
    /// The step whose answer it is in.
    pub(super) step: usize,
    pub(super) rank: Rank,
    /// Whether drawn values are usual in such a place.
    pub(super) likely: bool,
    /// Whether the answer names what was created.
    pub(super) created: bool,
    /// The text that it is in, and the place of that text.
    pub(super) text: Rc<str>,
    pub(super) place: Spot,
    pub(super) range: Range<usize>,
    /// The value, if it is another than the text, and the filter that makes it of the text.
    pub(super) filtered: Option<(String, &'static str)>,
    /// The variable that it became.
    pub(super) variable: Option<String>,
    /// Where a plan finds it, once that was determined.
    pub(super) found: OnceCell<Option<Location>>,
}

/// How good a place is: the first is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A member of JSON, a part of a redirect, a field of a form.
    Named,
    /// A header, a cookie, a `meta`.
    Header,
    /// A link, a data attribute.
    Link,
    /// A part of a text.
    Text,
    /// Nowhere that a plan could take it from.
    Nowhere,
}

/// The place of a text in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Location(Location),
    /// The text is the body.
    Body,
    /// It is in an answer that is followed at once.
    Passing,
}

impl Source {
    pub(super) fn value(&self) -> &str {
        match &self.filtered {
            Some((value, _)) => value,
            None => &self.text[self.range.clone()],
        }
    }

    /// Where a plan finds it.
    fn search(&self) -> Option<Location> {
        let whole = self.range == (0..self.text.len());
        match &self.place {
            Spot::Passing => None,
            Spot::Location(place) if whole => Some(place.clone()),
            Spot::Location(place) => {
                let pattern = neighbours(&self.text, &self.range)?;
                Some(Location::Within(Box::new(place.clone()), pattern))
            }
            Spot::Body => neighbours(&self.text, &self.range).map(Location::Pattern),
        }
    }

    /// Whether a request that sends this value as `name` took it from here. `whole` is whether it sends nothing else
    /// there.
    fn explains(&self, name: &str, whole: bool) -> bool {
        let value = self.value();
        let bits = bits(value);
        let number = value.bytes().all(|byte| byte.is_ascii_digit());
        if bits >= DRAWN || bits >= LIKELY && (self.likely || self.created) && whole {
            return true;
        }
        let named = is_given_name(&self.name) || self.created && self.name.is_empty();
        if !whole || !named {
            return false;
        }
        if number {
            return value.len() >= 4 || self.created && is_given_name(name);
        }
        // A word is only taken under the same name: words are sent for many reasons.
        bits >= LIKELY || same(&self.name, name)
    }
}

impl Sources {
    /// Keeps a value, unless it is an echo.
    pub(super) fn give(&mut self, source: Source) {
        let value = source.value();
        if value.is_empty() || value.len() > LONGEST || self.list.len() >= MOST {
            return;
        }
        let hash = hash(value);
        if self.sent_first.contains(&hash) {
            return;
        }
        let at = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let known = self.index.entry(hash).or_default();
        let same = known.iter_mut().find(|it| self.list[**it as usize].rank == source.rank);
        match same {
            Some(same) => *same = at,
            None => known.push(at),
        }
        self.list.push(source);
    }

    /// Notes that the client sent a value. If no answer contained it before, those that do are echoes.
    pub(super) fn sent(&mut self, value: &str) {
        let hash = hash(value);
        if !self.index.contains_key(&hash) {
            self.sent_first.insert(hash);
        }
    }

    /// The best source of a value that a request sends as `name`. `any` takes every value, however short.
    pub(super) fn find(&self, value: &str, name: &str, whole: bool, any: bool) -> Option<usize> {
        let known = self.index.get(&hash(value))?;
        let fits = known.iter().map(|at| *at as usize).filter(|at| {
            let source = &self.list[*at];
            source.value() == value && (any || source.explains(name, whole))
        });
        let mut fits: Vec<usize> = fits.collect();
        fits.sort_by_key(|at| (self.list[*at].rank, usize::MAX - at));
        fits.into_iter().find(|at| self.place(*at).is_some())
    }

    /// Where a plan finds a value.
    pub(super) fn place(&self, at: usize) -> Option<Location> {
        let source = &self.list[at];
        let found = source.found.get_or_init(|| {
            let searched = self.searched.get().saturating_add(source.text.len() * 8);
            self.searched.set(searched);
            if searched > SEARCHED_MAX { None } else { source.search() }
        });
        found.clone()
    }

    /// Whether any answer contained it.
    pub(super) fn has(&self, value: &str) -> bool {
        self.index.contains_key(&hash(value))
    }

    pub(super) fn at(&self, at: usize) -> &Source {
        &self.list[at]
    }

    pub(super) fn becomes(&mut self, at: usize, variable: &str) {
        self.list[at].variable = Some(variable.to_owned());
    }
}

/// Whether two names are the same but for case and separators.
fn same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_lowercase()
    };
    !other.is_empty() && plain(one) == plain(other)
}

fn hash(value: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

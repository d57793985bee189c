//! [`Flow`]: where each value that a request sends comes from.
//!
//! In this order: a value that was made before, one that an answer gave, one that the person typed, one that the client
//! makes, and then the same for its pieces. What is none of these stays as it was recorded, and is listed if it looks
//! drawn.

use std::collections::{BTreeMap, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brunt_redact::is_secret_name;
use jiff::Timestamp;

use super::bits::{LIKELY, LISTED, bits};
use super::given::{SEPARATORS, decoded, split};
use super::made::{Maker, Verifiers, maker};
use super::person::Person;
use super::sent::Part;
use super::source::Sources;
use crate::imported::{Extract, Value};
use crate::notation::{hole, literal};
use crate::secrets::Variables;

/// The most literal values that are listed.
const LISTED_MAX: usize = 20;
/// The shortest name of a person that is looked for elsewhere.
const TYPED_MIN: usize = 4;

/// Where values come from.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) sources: Sources,
    pub(super) variables: Variables,
    pub(super) person: Person,
    pub(super) verifiers: Verifiers,
    /// What stands for values that the client made.
    made: HashMap<String, String>,
    /// What each step's answer gives to later ones.
    pub(super) extracts: BTreeMap<usize, Vec<Extract>>,
    pub(super) literal: Vec<String>,
    pub(super) literal_more: usize,
    /// What must be given in the environment because nothing here makes it.
    pub(super) missing: Vec<String>,
    /// The values of the same request in a second recording.
    pub(super) other: Option<HashMap<(Part, String), String>>,
    pub(super) moment: Option<Timestamp>,
}

/// Where a value is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    /// The name of the step.
    pub(super) step: &'a str,
    pub(super) part: Part,
    /// The name there: that of a parameter, a header, a field, a member; for a segment of a path the one before.
    pub(super) name: &'a str,
    /// The name that distinguishes it from others of that part: a pointer, the number of a segment.
    pub(super) key: &'a str,
}

impl Flow {
    pub(super) fn new(variables: Variables, verifiers: Verifiers) -> Self {
        Self { variables, verifiers, ..Self::default() }
    }

    /// What stands for a value in a plan; none if it stays as it is.
    pub(super) fn replaced(&mut self, at: At<'_>, value: &str) -> Option<String> {
        if value.is_empty() {
            return None;
        }
        let other = self.other.as_ref().and_then(|it| it.get(&(at.part, at.key.to_owned())));
        let other =
            other.filter(|_| at.part != Part::Header || at.name != "authorization").cloned();
        if other.as_deref() == Some(value) {
            self.sources.sent(value);
            return None;
        }
        let found = self.whole(at, value, other.is_some()).or_else(|| self.pieces(at, value));
        let found = found.or_else(|| {
            let other = other.filter(|_| !is_secret_name(at.name))?;
            Some(self.person.types(at.name, value, Some(&other)))
        });
        if found.is_none() {
            self.stays(at, value);
        }
        found
    }

    fn whole(&mut self, at: At<'_>, value: &str, differs: bool) -> Option<String> {
        if let Some(made) = self.made.get(value) {
            return Some(made.clone());
        }
        if let Some(found) = self.sources.find(value, at.name, true, differs) {
            return Some(self.taken(found, at.name, ""));
        }
        if let Some(found) = self.packed(at, value) {
            return Some(found);
        }
        if let Some((scheme, rest)) = value.split_once(' ').filter(|_| at.part == Part::Header)
            && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())
            && let Some(found) = self.sources.find(rest, at.name, true, differs)
        {
            return Some(format!("{scheme} {}", self.taken(found, at.name, "")));
        }
        if value.len() >= TYPED_MIN
            && let Some(typed) = self.person.typed(value)
        {
            return Some(typed);
        }
        self.makes(at, value)
    }

    /// A value that is the encoding of one that an answer gave.
    fn packed(&mut self, at: At<'_>, value: &str) -> Option<String> {
        if let Some(plain) = decoded(value).filter(|_| at.part == Part::Header) {
            let found = self.sources.find(&plain, at.name, true, false)?;
            return Some(self.taken(found, at.name, "|form"));
        }
        if value.len() < 8 || !value.len().is_multiple_of(4) {
            return None;
        }
        let plain = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
        let found = self.sources.find(&plain, at.name, true, false)?;
        Some(self.taken(found, at.name, "|base64"))
    }

    /// A value that the client makes by itself.
    fn makes(&mut self, at: At<'_>, value: &str) -> Option<String> {
        if self.sources.has(value) && bits(value) < LIKELY {
            return None;
        }
        let verifier = self.verifiers.of_challenge(value).map(str::to_owned);
        let (made, name) = match &verifier {
            Some(verifier) => (maker("code_verifier", verifier, None)?, "verifier"),
            None if at.name == "code_verifier" => (maker(at.name, value, self.moment)?, "verifier"),
            None => (maker(at.name, value, self.moment)?, at.name),
        };
        let stands = match made {
            Maker::Variable(source) => {
                let comment = match &source {
                    Value::Timestamp { .. } => "the time of the request",
                    _ => "made anew for each iteration",
                };
                let name = self.variables.made(name, source, comment);
                match verifier {
                    Some(verifier) => {
                        self.made.insert(verifier, hole(&name));
                        hole(&format!("{name}|sha256|base64url"))
                    }
                    None => hole(&name),
                }
            }
            Maker::Missing(what) => {
                let stands = self.variables.missing(at.name, &format!("{what}: give it"));
                self.missing.push(format!("{} of {} ({what})", at.name, at.step));
                stands
            }
        };
        self.sources.sent(value);
        self.made.insert(value.to_owned(), stands.clone());
        Some(stands)
    }

    /// A value in which pieces are of other origin.
    fn pieces(&mut self, at: At<'_>, value: &str) -> Option<String> {
        let mut out = String::new();
        let (mut kept, mut any) = (0, false);
        for range in split(value, SEPARATORS).collect::<Vec<_>>() {
            let piece = &value[range.clone()];
            let made = self.made.get(piece).filter(|_| bits(piece) >= LIKELY).cloned();
            let found = || self.sources.find(piece, at.name, false, false);
            let stands = match made {
                None => found().map(|found| self.taken(found, at.name, "")),
                made => made,
            };
            let Some(stands) = stands else { continue };
            out.push_str(&literal(&value[kept..range.start]));
            out.push_str(&stands);
            (kept, any) = (range.end, true);
        }
        any.then(|| out + &literal(&value[kept..]))
    }

    /// The variable for a value that an answer gave.
    fn taken(&mut self, found: usize, sent_as: &str, filter: &str) -> String {
        let source = self.sources.at(found);
        let own =
            source.filtered.as_ref().map_or(String::new(), |(_, filter)| format!("|{filter}"));
        let name = if let Some(name) = &source.variable {
            name.clone()
        } else {
            let step = source.step;
            let called = if source.name.is_empty() { sent_as } else { &source.name };
            let name = self.variables.reserved(called);
            self.sources.becomes(found, &name);
            if let Some(from) = self.sources.place(found) {
                let extract = Extract { name: name.clone(), from };
                self.extracts.entry(step).or_default().push(extract);
            }
            name
        };
        hole(&format!("{name}{own}{filter}"))
    }

    /// What stands for a word of a text, if an answer gave it.
    pub(super) fn word(&mut self, word: &str) -> Option<String> {
        let found = self.sources.find(word, "", false, false)?;
        Some(self.taken(found, "value", ""))
    }

    /// Notes that a value stays as it was recorded.
    fn stays(&mut self, at: At<'_>, value: &str) {
        self.sources.sent(value);
        let mut most: f64 = 0.0;
        for range in split(value, SEPARATORS).collect::<Vec<_>>() {
            let piece = &value[range];
            let bits = bits(piece);
            most = most.max(bits);
            if bits >= LIKELY {
                self.sources.sent(piece);
            }
        }
        let secret = match at.part {
            Part::Header => brunt_redact::is_secret_header(at.name),
            _ => is_secret_name(at.name),
        };
        if most < LISTED || secret {
            return;
        }
        if self.literal.len() >= LISTED_MAX {
            self.literal_more += 1;
            return;
        }
        let begin: String = value.chars().take(6).collect();
        let (step, word, name) = (at.step, at.part.word(), at.name);
        self.literal.push(format!("{step}, {word} '{name}': {begin}.. ({most:.0} bits)"));
    }
}

//! [`Draft`]: a job with every wildcard and every attribute resolved, still as text from which a plan can be written.
//!
//! What is sent is decided here, once, for the run and for the plan that `--to-plan` writes: which wildcard becomes
//! which variable, which answers are kept, which fields are added, and which of LoadGen's faults are repaired.

use std::collections::BTreeSet;
use std::path::PathBuf;

use brunt_feed::Escape;
use brunt_flow_driver::Repeat;

use super::fields::nearest;
use super::files::Files;
use super::job_error::JobError;
use super::names::{Name, Names, Part, Piece, WildcardMeaning};
use super::repairs::Repair;
use super::task::Request;
use super::wildcard::{Column, Endpoint, Nature};
use crate::report::Compatibility;

/// The variable of a plan that is a dollar sign right before another variable: a plan's text could not distinguish it
/// from an escape. No wildcard becomes a variable of this name.
pub(super) const DOLLAR: &str = "dollar";

/// A job with everything resolved.
#[derive(Debug, Default)]
pub struct Draft {
    /// Whether it is done as the job defines it, or as LoadGen would do it.
    pub manner: Compatibility,
    /// The variables that wildcards become.
    pub variables: Vec<Variable>,
    /// The operations, for which figures are reported.
    pub operations: Vec<Operation>,
    /// The workloads that are performed.
    pub scenarios: Vec<Scenario>,
    /// The order in which each thread performs them.
    pub rounds: Vec<Vec<Repeat>>,
    /// The differences from the original tool that have an effect.
    pub repairs: BTreeSet<Repair>,
}

/// The variable that a wildcard becomes.
#[derive(Debug)]
pub struct Variable {
    /// Its unique name.
    pub name: String,
    /// The wildcard.
    pub word: String,
    /// What it means.
    pub meaning: Meaning,
}

/// The meaning of a wildcard once every attribute is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A random whole number, drawn for each iteration.
    Random {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A counter of the thread.
    Increment,
    /// The number of the thread.
    Thread,
    /// A UUID, drawn for each iteration.
    Uuid,
    /// A value from an answer of the iteration: the name of an attribute, or a JSON pointer.
    Kept(String),
    /// A random line of a file.
    Line(PathBuf),
    /// A column of a random row of a file.
    Column(PathBuf, Column),
    /// A random value that a service lists.
    Element(Endpoint),
    /// A constant that must not be shown.
    Secret(String),
    /// Text, which may contain other variables.
    Text(Words),
}

/// A task, or several of the same name, whose figures are reported together.
#[derive(Debug)]
pub struct Operation {
    /// Its unique name.
    pub name: String,
    /// The key of its task.
    pub key: String,
    /// The number of its scenario.
    pub scenario: usize,
    /// How many milliseconds it may take.
    pub threshold: Option<u64>,
}

/// A workload that is performed.
#[derive(Debug)]
pub struct Scenario {
    /// Its unique name.
    pub name: String,
    /// The key of its workload.
    pub key: String,
    /// How many times each thread must perform it.
    pub loops: u64,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A task in its position.
#[derive(Debug)]
pub enum Step {
    /// A pause.
    Sleep {
        /// The key of its task.
        key: String,
        /// The threshold that its workload gives it.
        threshold: u64,
        /// How many milliseconds it lasts.
        millis: u64,
    },
    /// A request.
    Send(Box<Send>),
}

/// A request.
#[derive(Debug)]
pub struct Send {
    /// The number of its operation.
    pub operation: usize,
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: Words,
    /// The fields.
    pub fields: Vec<(String, Words)>,
    /// The payload.
    pub body: Option<Payload>,
    /// The values that are kept from the answer: the attribute and the number of the variable.
    pub keeps: Vec<(String, usize)>,
    /// How many milliseconds it may take.
    pub threshold: Option<u64>,
}

/// A payload.
#[derive(Debug)]
pub struct Payload {
    /// Its text.
    pub words: Words,
    /// How values are escaped in it.
    pub escape: Escape,
    /// Whether it is JSON, with every wildcard within a string.
    pub is_json: bool,
}

/// Text with variables in it, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<Bit>);

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bit {
    /// Literal text.
    Literal(String),
    /// A variable.
    Variable(usize),
    /// A variable whose value is percent-encoded.
    Encoded(usize),
}

impl Words {
    /// Text without variables.
    pub fn literal(text: impl Into<String>) -> Self {
        Self(vec![Bit::Literal(text.into())])
    }

    /// This text followed by another.
    pub fn then(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// The bytes of its literal text.
    pub fn literals(&self) -> impl Iterator<Item = u8> {
        self.0
            .iter()
            .flat_map(|bit| match bit {
                Bit::Literal(text) => text.as_bytes(),
                Bit::Variable(_) | Bit::Encoded(_) => &[],
            })
            .copied()
    }

    /// The variables in it.
    pub fn variables(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|bit| match bit {
            Bit::Variable(number) | Bit::Encoded(number) => Some(*number),
            Bit::Literal(_) => None,
        })
    }
}

impl Send {
    /// The variables that it needs, by number.
    pub fn needs(&self) -> impl Iterator<Item = usize> {
        let fields = self.fields.iter().flat_map(|(_, value)| value.variables());
        let body = self.body.iter().flat_map(|body| body.words.variables());
        self.url.variables().chain(fields).chain(body)
    }
}

/// A draft that is being made.
pub(super) struct Drafting<'a> {
    pub draft: Draft,
    pub files: &'a mut Files,
}

impl Drafting<'_> {
    /// Notes a repair; in compatible mode none is noted.
    pub(super) fn repaired(&mut self, repair: Repair) {
        if self.draft.manner == Compatibility::Repaired {
            self.draft.repairs.insert(repair);
        }
    }

    /// A text with its wildcards found.
    pub(super) fn words(
        &mut self,
        text: &str,
        part: Part<'_>,
        names: &Names,
        request: &Request,
    ) -> Result<Words, JobError> {
        let mut words = Words::default();
        for piece in names.pieces(text, part, self.draft.manner) {
            match piece {
                Piece::Literal("") => {}
                Piece::Literal(text) => {
                    self.undeclared(text, names, request);
                    words.0.push(Bit::Literal(text.to_owned()));
                }
                Piece::Name(name) => {
                    if !name.stood(part) {
                        self.repaired(Repair::Wildcards);
                    }
                    let meaning = self.meaning(name, names, request)?;
                    let number = self.variable(&name.word, meaning);
                    let encoded = name.encoded(part);
                    words.0.push(if encoded {
                        Bit::Encoded(number)
                    } else {
                        Bit::Variable(number)
                    });
                }
            }
        }
        Ok(words)
    }

    /// Notes text that looks like a wildcard but is none there, and is therefore sent unchanged.
    fn undeclared(&mut self, text: &str, names: &Names, request: &Request) {
        for (at, _) in text.match_indices('$') {
            let rest = &text[at + 1..];
            let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c));
            let word = &text[at..=at + rest.find(ends).unwrap_or(rest.len())];
            let known: Vec<&str> = names.words().collect();
            let near = nearest(word, &known);
            // Wildcards are in capitals, or named after attributes such as _id; $filter and $ref are other languages.
            let first = |c: char| c.is_ascii_uppercase() || c == '_';
            let looks_like_one = word.len() > 2 && word[1..].starts_with(first);
            if word.len() < 2 || !looks_like_one && near.is_none() {
                continue;
            }
            let hint = match near {
                Some(near) if near == word => "; LoadGen does not replace it there".to_owned(),
                Some(near) => format!("; did you mean {near}?"),
                None => {
                    "; if its value should change, declare it under WILDCARDS, or list it in \"persist\" of a task \
                     before"
                        .to_owned()
                }
            };
            self.files.notes.push(format!(
                "{}: {word} is no wildcard here, and is sent as it stands{hint}",
                request.spot
            ));
        }
    }

    /// The variable of a wildcard. A value from answers is the same variable under any name.
    fn variable(&mut self, word: &str, meaning: Meaning) -> usize {
        let variables = &mut self.draft.variables;
        let kept = matches!(meaning, Meaning::Kept(_));
        let same = |known: &Variable| known.meaning == meaning && (kept || known.word == word);
        if let Some(known) = variables.iter().position(same) {
            return known;
        }
        let plain = plan_name(word);
        let taken = |name: &str| name == DOLLAR || variables.iter().any(|known| known.name == name);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        let name = candidates.find(|name| !taken(name)).unwrap_or_default();
        variables.push(Variable { name, word: word.to_owned(), meaning });
        variables.len() - 1
    }

    fn meaning(
        &mut self,
        name: &Name,
        names: &Names,
        request: &Request,
    ) -> Result<Meaning, JobError> {
        let spot = name.spot.as_ref().unwrap_or(&request.spot);
        let missing = |key: &str| {
            spot.fault(
                format!("{} is used, but \"{key}\" is not set", name.word),
                format!("write \"{key}\" into the job, the workload or the task"),
            )
        };
        let attributes = &request.attributes;
        Ok(match &name.sense {
            WildcardMeaning::AdminPassword => Meaning::Secret(
                attributes.admin_password.clone().ok_or_else(|| missing("ADMINUSERPASSWORD"))?,
            ),
            WildcardMeaning::AdminUser => {
                let user = attributes.admin_user.as_ref().ok_or_else(|| missing("ADMINUSERID"))?;
                // A name that contains itself would be replaced without end.
                let own = user.contains(&name.word);
                let part = Part::Field("");
                let words = if own {
                    Words::literal(user)
                } else {
                    self.words(user, part, names, request)?
                };
                Meaning::Text(words)
            }
            WildcardMeaning::RandomFile => {
                let (file, spot) =
                    attributes.random_file.as_ref().ok_or_else(|| missing("randomfile"))?;
                Meaning::Line(self.files.values(file, spot)?)
            }
            WildcardMeaning::Nature(nature) => match nature {
                Nature::Random { least, most } => {
                    let most =
                        most.or(attributes.upper_bounds).ok_or_else(|| missing("upperbounds"))?;
                    if *least > most {
                        let what = format!("no number is at least {least} and at most {most}");
                        return Err(spot.fault(what, "write a lower bound below the upper one"));
                    }
                    Meaning::Random { least: *least, most }
                }
                Nature::Increment => Meaning::Increment,
                Nature::Thread => Meaning::Thread,
                Nature::Uuid => Meaning::Uuid,
                Nature::Retained(attribute) => Meaning::Kept(attribute.clone()),
                Nature::File(file) => Meaning::Line(self.files.values(file, spot)?),
                Nature::Column(column) => {
                    Meaning::Column(self.files.values(&column.file, spot)?, column.clone())
                }
                Nature::Endpoint(endpoint) => Meaning::Element(endpoint.clone()),
            },
        })
    }
}

/// The name of a wildcard as that of a variable of a plan. A dot would make it the column of a feeder.
fn plan_name(word: &str) -> String {
    let legal = |c: char| if c.is_alphanumeric() || "-_@".contains(c) { c } else { '-' };
    let name: String = word.trim_start_matches('$').chars().map(legal).collect();
    if name.is_empty() { "value".to_owned() } else { name }
}

//! [`Names`]: the variables of a plan, each with its hole, and texts that use them.
//!
//! Declared variables come first, then extracted ones; built-in ones (the number of the user, a column of a feeder) get
//! a hole when a text first uses them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use brunt_feed::{Escape, Feeder, Hole, Text, TextError, TextPiece};
use brunt_flow_driver::{Renewal, RequestPart, Signed, Source, Variable};
use brunt_net::secret::Secret;

use super::filters::{self, Filters};
use super::possible::{Possible, PossibleError};
use crate::key_error::{KeyError, instead};
use crate::path::KeyPath;

/// The built-in variables: the number of the user, that of the iteration, and the parts of the request that is sent.
const OWN: [(&str, Source, Renewal); 6] = [
    ("run.user", Source::User, Renewal::Iteration),
    ("run.iteration", Source::Iteration, Renewal::Iteration),
    ("request.method", Source::Request(RequestPart::Method), Renewal::Request),
    ("request.url", Source::Request(RequestPart::Url), Renewal::Request),
    ("request.path", Source::Request(RequestPart::Path), Renewal::Request),
    ("request.body", Source::Request(RequestPart::Body), Renewal::Request),
];

/// How deep variables may be composed of others whose value is known before the run.
const CONSTANT_DEPTH_MAX: usize = 8;

/// The variables of a plan.
#[derive(Debug, Default)]
pub(super) struct Names {
    variables: Vec<Variable>,
    holes: BTreeMap<String, Hole>,
    feeders: BTreeMap<String, Rows>,
    /// What filters make of variables, by the words of the plan.
    filtered: BTreeMap<String, Hole>,
    /// The public parts of keys.
    public: BTreeMap<String, Source>,
    /// Variables that were marked as secrets, or as not secret.
    marks: Vec<(Hole, bool)>,
    /// Variables that get values from answers, whatever they have before.
    extracted: Vec<Hole>,
}

/// A feeder, and when it draws the next row.
#[derive(Debug)]
struct Rows {
    feeder: Arc<Feeder>,
    renewal: Renewal,
    /// Whether its one column has the feeder's own name.
    lines: bool,
    /// The columns that are marked as secrets.
    secrets: Vec<String>,
}

/// A piece of a text, before its position is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// Bytes as they are.
    Literal(Vec<u8>),
    /// A value, and its escape if the text sets one.
    Hole(Hole, Option<Escape>),
}

impl Names {
    /// Declares a variable, whose name must not be taken.
    pub(super) fn declare(
        &mut self,
        at: &KeyPath,
        name: &str,
        source: Source,
        renewal: Renewal,
    ) -> Result<Hole, KeyError> {
        let legal = |c: char| c.is_alphanumeric() || "-_.$@".contains(c);
        if name.is_empty() || !name.chars().all(legal) {
            let what =
                format!("'{name}' is not a variable name: use letters, digits, '-', '_' and '.'");
            return Err(KeyError::new(at, what));
        }
        if OWN.iter().any(|(own, ..)| *own == name) {
            return Err(KeyError::new(
                at,
                format!("'{name}' is a built-in variable: choose another name"),
            ));
        }
        if let Some(hole) = self.holes.get(name) {
            return Ok(*hole);
        }
        let hole = self.add(at, name, source, renewal)?;
        self.holes.insert(name.to_owned(), hole);
        Ok(hole)
    }

    /// Declares a variable that gets values from answers; it may have another source, too.
    pub(super) fn declare_extracted(&mut self, at: &KeyPath, name: &str) -> Result<(), KeyError> {
        let hole = self.declare(at, name, Source::Answer, Renewal::Extracted)?;
        self.extracted.push(hole);
        Ok(())
    }

    /// A variable that no text can name.
    pub(super) fn add(
        &mut self,
        at: &KeyPath,
        name: &str,
        source: Source,
        renewal: Renewal,
    ) -> Result<Hole, KeyError> {
        let number = u16::try_from(self.variables.len())
            .map_err(|_| KeyError::new(at, "is one variable too many: the maximum is 65,536"))?;
        self.variables.push(Variable::new(name, source, renewal));
        Ok(Hole(number))
    }

    /// A secret that no text can name.
    pub(super) fn secret(
        &mut self,
        at: &KeyPath,
        name: &str,
        secret: Secret,
    ) -> Result<Hole, KeyError> {
        self.add(at, name, Source::Secret(secret), Renewal::User)
    }

    /// Sets the source of a declared variable's values.
    pub(super) fn settle(&mut self, hole: Hole, source: Source, renewal: Renewal) {
        if let Some(variable) = self.variables.get_mut(usize::from(hole.0)) {
            (variable.source, variable.renewal) = (source, renewal);
        }
    }

    /// Sets the stream that a variable draws from.
    pub(super) fn draw_from(&mut self, hole: Hole, stream: u64) {
        if let Some(variable) = self.variables.get_mut(usize::from(hole.0)) {
            variable.stream = Some(stream);
        }
    }

    /// Adds a value that is made of a key as a variable.
    pub(super) fn publish(&mut self, name: String, signed: Signed) {
        self.public.insert(name, Source::Signed(Arc::new(signed)));
    }

    /// Whether a text is made of the request that is sent, and therefore known last.
    pub(super) fn is_of_request(&self, text: &Text) -> bool {
        self.request_part(text).is_some()
    }

    /// Refuses texts that are made of the request that is sent, where it is not known yet or no longer.
    pub(super) fn no_request<'a>(
        &self,
        at: &KeyPath,
        texts: impl IntoIterator<Item = &'a Text>,
    ) -> Result<(), KeyError> {
        let Some(part) = texts.into_iter().find_map(|text| self.request_part(text)) else {
            return Ok(());
        };
        let what = format!("uses '{part}', which only the values of 'headers' can be made of");
        Err(KeyError::new(at, what))
    }

    /// The part of the request that a text is made of. Variables that are made of each other are refused later.
    fn request_part(&self, text: &Text) -> Option<&str> {
        let mut seen = Vec::new();
        let mut open: Vec<Hole> = text.holes().collect();
        while let Some(hole) = open.pop() {
            if seen.contains(&hole) {
                continue;
            }
            seen.push(hole);
            let Some(variable) = self.variables.get(usize::from(hole.0)) else { continue };
            if matches!(variable.source, Source::Request(_)) {
                return Some(&variable.name);
            }
            open.extend(variable.source.texts().flat_map(Text::holes));
        }
        None
    }

    /// The first of these variables that texts are made of, by its name.
    pub(super) fn made_of<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a Text>,
        of: &[Hole],
    ) -> Option<&str> {
        let mut seen = Vec::new();
        let mut open: Vec<Hole> = texts.into_iter().flat_map(Text::holes).collect();
        while let Some(hole) = open.pop() {
            if of.contains(&hole) {
                return self.name(hole);
            }
            if !seen.contains(&hole) {
                seen.push(hole);
                let variable = self.variables.get(usize::from(hole.0));
                open.extend(
                    variable.iter().flat_map(|one| one.source.texts()).flat_map(Text::holes),
                );
            }
        }
        None
    }

    /// The name of a variable.
    pub(super) fn name(&self, hole: Hole) -> Option<&str> {
        self.variables.get(usize::from(hole.0)).map(|variable| variable.name.as_str())
    }

    /// Adds a feeder, whose columns are variables.
    pub(super) fn feed(
        &mut self,
        name: &str,
        feeder: Feeder,
        renewal: Renewal,
        lines: bool,
        secrets: &[String],
    ) {
        let (feeder, secrets) = (Arc::new(feeder), secrets.to_vec());
        self.feeders.insert(name.to_owned(), Rows { feeder, renewal, lines, secrets });
    }

    /// Marks a variable as a secret, or as not secret, whatever its name.
    pub(super) fn mark(&mut self, hole: Hole, secret: bool) {
        self.marks.push((hole, secret));
    }

    /// How many feeders there are.
    pub(super) fn feeders(&self) -> usize {
        self.feeders.len()
    }

    /// The hole of a name, or what is wrong with the name.
    pub(super) fn find(&mut self, at: &KeyPath, name: &str) -> Result<Hole, KeyError> {
        if let Some(hole) = self.holes.get(name) {
            return Ok(*hole);
        }
        let own = OWN.into_iter().find(|(own, ..)| *own == name);
        let (source, renewal) = match own {
            Some((_, source, renewal)) => (source, renewal),
            None if self.public.contains_key(name) => (self.public[name].clone(), Renewal::User),
            None => self.cell(name).ok_or_else(|| KeyError::new(at, self.unknown(name)))?,
        };
        let hole = self.add(at, name, source, renewal)?;
        if self.is_marked(name) {
            self.mark(hole, true);
        }
        self.holes.insert(name.to_owned(), hole);
        Ok(hole)
    }

    /// Whether a name is that of a column which is marked as a secret.
    fn is_marked(&self, name: &str) -> bool {
        self.feeders.iter().any(|(feeder, rows)| {
            let column = name.strip_prefix(feeder.as_str()).and_then(|rest| rest.strip_prefix('.'));
            column.is_some_and(|column| rows.secrets.iter().any(|secret| secret == column))
        })
    }

    fn cell(&self, name: &str) -> Option<(Source, Renewal)> {
        let whole = self.feeders.get(name).filter(|rows| rows.lines).map(|rows| (rows, 0));
        let found = whole.or_else(|| {
            self.feeders.iter().find_map(|(feeder, rows)| {
                let column = name.strip_prefix(feeder.as_str())?.strip_prefix('.')?;
                Some((rows, rows.feeder.table().column(column)?))
            })
        });
        let (rows, column) = found?;
        Some((Source::Cell { feeder: Arc::clone(&rows.feeder), column }, rows.renewal))
    }

    fn unknown(&self, name: &str) -> String {
        let column =
            self.feeders.iter().filter(|(_, rows)| !rows.lines).find_map(|(feeder, rows)| {
                let column = name.strip_prefix(feeder.as_str())?.strip_prefix('.')?;
                let hint =
                    instead(column, rows.feeder.table().columns().iter().map(String::as_str));
                Some(format!(
                    "uses the column '{column}', which the feeder '{feeder}' does not have{hint}"
                ))
            });
        if let Some(column) = column {
            return column;
        }
        let known: Vec<String> = self.known();
        let hint = instead(name, known.iter().map(String::as_str));
        format!("uses the variable '{name}', which is neither declared nor extracted{hint}")
    }

    /// Every name a text may use.
    fn known(&self) -> Vec<String> {
        let columns = self.feeders.iter().flat_map(|(name, rows)| {
            let columns = rows.feeder.table().columns().iter();
            let named =
                columns.filter(|_| !rows.lines).map(move |column| format!("{name}.{column}"));
            named.chain(rows.lines.then(|| name.clone())).collect::<Vec<_>>()
        });
        let own = OWN.iter().map(|(name, ..)| (*name).to_owned());
        let public = self.public.keys().cloned();
        self.holes.keys().cloned().chain(columns).chain(own).chain(public).collect()
    }

    /// A text in which values are inserted unchanged, unless it says otherwise.
    pub(super) fn plain(&mut self, at: &KeyPath, text: &str) -> Result<Text, KeyError> {
        self.escaped(at, text, Escape::None)
    }

    /// A text in which values are escaped for their position, and the rest is unchanged.
    pub(super) fn escaped(
        &mut self,
        at: &KeyPath,
        text: &str,
        escape: Escape,
    ) -> Result<Text, KeyError> {
        let pieces = self.pieces(at, text)?.into_iter().map(|piece| match piece {
            Piece::Literal(bytes) => TextPiece::Literal(bytes.into()),
            Piece::Hole(hole, other) => TextPiece::Hole(hole, other.unwrap_or(escape)),
        });
        Ok(Text::from_pieces(pieces))
    }

    /// A text that is escaped for its position, values included.
    pub(super) fn encoded(
        &mut self,
        at: &KeyPath,
        text: &str,
        escape: Escape,
    ) -> Result<Text, KeyError> {
        let pieces = self.pieces(at, text)?.into_iter().map(|piece| match piece {
            Piece::Literal(mut bytes) => {
                escape.apply(&mut bytes, 0);
                TextPiece::Literal(bytes.into())
            }
            Piece::Hole(hole, other) => TextPiece::Hole(hole, other.unwrap_or(escape)),
        });
        Ok(Text::from_pieces(pieces))
    }

    /// The pieces of a text: `${name}`, or `${name|url}` for a value with another escape than the default of its
    /// position.
    pub(super) fn pieces(&mut self, at: &KeyPath, text: &str) -> Result<Vec<Piece>, KeyError> {
        let mut found: Vec<(Hole, Option<Escape>)> = Vec::new();
        let mut fault = None;
        let parsed = Text::parse(text, Escape::None, |inside| {
            let hole = self.hole(at, inside).map_err(|why| fault = Some(why)).ok()?;
            found.push(hole);
            // A number by which it is found again below: a text has no more holes than a u16 can count.
            u16::try_from(found.len() - 1).ok().map(Hole)
        });
        let parsed = parsed.map_err(|error| {
            fault.unwrap_or_else(|| match error {
                TextError::Unclosed(inside) => {
                    let start: String = inside.chars().take(20).collect();
                    let what = format!(
                        "has no '}}' after '${{{start}'; write $${{ for a dollar sign and a brace"
                    );
                    KeyError::new(at, what)
                }
                TextError::Unknown(name) => {
                    KeyError::new(at, format!("has too many variables to add '{name}'"))
                }
            })
        })?;
        let piece = |piece: &TextPiece| match piece {
            TextPiece::Literal(bytes) => Piece::Literal(bytes.to_vec()),
            TextPiece::Hole(Hole(number), _) => {
                let (hole, escape) = found[usize::from(*number)];
                Piece::Hole(hole, escape)
            }
        };
        Ok(parsed.pieces().iter().map(piece).collect())
    }

    fn hole(&mut self, at: &KeyPath, inside: &str) -> Result<(Hole, Option<Escape>), KeyError> {
        let Some((name, words)) = inside.split_once('|') else {
            return Ok((self.find(at, inside)?, None));
        };
        let hole = self.find(at, name.trim())?;
        let Filters { filters, escape } = filters::read(at, words)?;
        if filters.is_empty() {
            return Ok((hole, escape));
        }
        let name = filters::spelled(name.trim(), words);
        if let Some(known) = self.filtered.get(&name) {
            return Ok((*known, escape));
        }
        let value = Text::from_pieces([TextPiece::Hole(hole, Escape::None)]);
        let source = Source::Filtered(value, filters.into());
        let made = self.add(at, &name, source, Renewal::Iteration)?;
        self.filtered.insert(name, made);
        Ok((made, escape))
    }

    /// The value of a text, if every variable in it always has the same value and none is a secret.
    pub(super) fn constant(&self, text: &Text) -> Option<String> {
        let mut out = Vec::new();
        self.append_constant(text, 0, &mut out)?;
        String::from_utf8(out).ok()
    }

    fn append_constant(&self, text: &Text, depth: usize, out: &mut Vec<u8>) -> Option<()> {
        for piece in text.pieces() {
            let (hole, escape) = match piece {
                TextPiece::Literal(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
                TextPiece::Hole(hole, escape) => (*hole, *escape),
            };
            let variable = self.variables.get(usize::from(hole.0))?;
            // Variables that are composed of each other are found later.
            let varies = self.extracted.contains(&hole) || variable.is_secret();
            let Source::Text(value) = &variable.source else { return None };
            if varies || depth == CONSTANT_DEPTH_MAX {
                return None;
            }
            let start = out.len();
            self.append_constant(value, depth + 1, out)?;
            escape.apply(out, start);
        }
        Some(())
    }

    /// All texts that a text can become, if that is known before the run: its variables are constants, choices and
    /// columns, of which one may vary.
    pub(super) fn possible(
        &self,
        text: &Text,
        most: usize,
    ) -> Result<BTreeSet<Vec<u8>>, PossibleError> {
        self.possible_within(text, most, 0)
    }

    fn possible_within(
        &self,
        text: &Text,
        most: usize,
        depth: usize,
    ) -> Result<BTreeSet<Vec<u8>>, PossibleError> {
        let mut all = Possible::new(most);
        for piece in text.pieces() {
            let (hole, escape) = match piece {
                TextPiece::Literal(bytes) => {
                    all.append(&BTreeSet::from([bytes.to_vec()]))?;
                    continue;
                }
                TextPiece::Hole(hole, escape) => (*hole, *escape),
            };
            let Some(variable) = self.variables.get(usize::from(hole.0)) else { continue };
            let late = || PossibleError::Late(variable.name.clone());
            if self.extracted.contains(&hole) || depth == CONSTANT_DEPTH_MAX {
                return Err(late());
            }
            let values = match &variable.source {
                Source::Text(value) => self.possible_within(value, most, depth + 1)?,
                Source::Choice(choice) => {
                    let each = choice.texts().map(|one| self.possible_within(one, most, depth + 1));
                    let each: Vec<BTreeSet<Vec<u8>>> = each.collect::<Result<_, _>>()?;
                    each.into_iter().flatten().collect()
                }
                Source::Cell { feeder, column } => {
                    let table = feeder.table();
                    (0..table.rows()).map(|row| table.cell(row, *column).to_vec()).collect()
                }
                _ => return Err(late()),
            };
            let escaped = values.into_iter().map(|mut value| {
                escape.apply(&mut value, 0);
                value
            });
            all.append(&escaped.collect())?;
        }
        Ok(all.texts())
    }

    /// The variables, by hole, and which of them are marked as secrets or as not secret.
    pub(super) fn finish(self) -> (Vec<Variable>, Vec<(Hole, bool)>) {
        (self.variables, self.marks)
    }
}

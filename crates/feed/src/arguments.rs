//! The arguments of a run, `-g` of the rate tools: parsed once, drawn for every exchange.
//!
//! An argument is a call of a known function or a static value. All are drawn, in order, for every exchange, and the
//! same row is used by every template of the exchange, so that `{1}` in a DN and `{1}` in a filter are the same value.
//! A value depends only on the seed, the argument's place in the list and the position: two arguments with the same
//! range are independent, and a run repeats.
//!
//! A call is recognised literally, as in the original tools: the name, directly followed by an opening parenthesis, and
//! a closing parenthesis at the very end. The original tools end the call at the first closing parenthesis; here the
//! last one ends it, so a file name may contain parentheses.

use crate::charset::Charset;
use crate::files::Files;
use crate::generator::{Generator, Kind, Range, Scope};
use crate::lines::Lines;
use crate::permutation::Permutation;
use crate::stream::Stream;
use crate::template::{Template, TemplateError};
use crate::{Position, Row};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum length of a string that `randstr` makes.
pub(crate) const LENGTH_MAX: u32 = 16 * 1024 * 1024;

/// The settings for every argument of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The seed of the run: the same seed gives the same values.
    pub seed: u64,
    /// Which count `inc` follows.
    pub inc_scope: Scope,
    /// Whether `rand(min,max)` can draw max itself.
    pub rand_inclusive: bool,
}

/// Why the arguments of a run cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// A call that cannot be parsed, or whose bounds are invalid.
    #[error("use argument {number} `{text}`: {problem}")]
    Malformed {
        /// The number of the argument, counted from 1.
        number: usize,
        /// The argument as given.
        text: String,
        /// What is wrong and what would be correct.
        problem: String,
    },
    /// A data file that cannot be read.
    #[error("read the data file {} of argument {number} `{text}`; check its name and permissions", path.display())]
    File {
        /// The number of the argument, counted from 1.
        number: usize,
        /// The argument as given.
        text: String,
        /// The file.
        path: PathBuf,
        /// The error that the operating system returned.
        source: io::Error,
    },
}

/// The compiled arguments of a run.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    generators: Vec<Generator>,
    files: Files,
    lines: HashMap<PathBuf, Arc<Lines>>,
    settings: Settings,
}

impl Arguments {
    /// Compiles `specs`, reading the data files they name.
    pub fn parse(
        specs: &[String],
        settings: &Settings,
        files: &Files,
    ) -> Result<Self, ArgumentError> {
        let mut arguments = Self { settings: *settings, files: files.clone(), ..Self::default() };
        for spec in specs {
            arguments.push(spec)?;
        }
        Ok(arguments)
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.generators.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.generators.is_empty()
    }

    /// The kind of values of argument `index` (counted from 0); text beyond the last.
    pub fn kind(&self, index: usize) -> Kind {
        self.generators.get(index).map_or(Kind::Text, Generator::kind)
    }

    /// Compiles a template that these arguments, followed by `appended` further values, will fill.
    ///
    /// In addition to the checks of [`Template::compile`], it refuses `%d` for a value that is known to be text.
    pub fn template(&self, text: &str, appended: usize) -> Result<Template, TemplateError> {
        Template::compile_for(text, self.len() + appended, &|index| self.kind(index))
    }

    /// Fills `row` with the values at `position`.
    pub fn draw(&self, position: &Position, row: &mut Row) {
        row.clear();
        for generator in &self.generators {
            generator.draw(position, row);
        }
    }

    /// Adds a generator as one more argument and returns its place, counted from 0.
    pub(crate) fn add(&mut self, generator: Generator) -> usize {
        self.generators.push(generator);
        self.generators.len() - 1
    }

    /// The stream of the next argument.
    pub(crate) fn next_stream(&self) -> Stream {
        Stream::new(self.settings.seed, self.generators.len() as u64)
    }

    /// The lines of the file at `path`, which is read once even if several arguments name it.
    pub(crate) fn lines_of(&mut self, path: &Path) -> io::Result<Arc<Lines>> {
        if let Some(lines) = self.lines.get(path) {
            return Ok(Arc::clone(lines));
        }
        let lines = Arc::new(Lines::read(&self.files, path)?);
        self.lines.insert(path.to_owned(), Arc::clone(&lines));
        Ok(lines)
    }

    /// Compiles one more argument and adds it after the others.
    pub fn push(&mut self, spec: &str) -> Result<(), ArgumentError> {
        let number = self.len() + 1;
        let generator = self.generator(spec).map_err(|fault| fault.of(number, spec))?;
        self.generators.push(generator);
        Ok(())
    }

    fn generator(&mut self, spec: &str) -> Result<Generator, SourceError> {
        let Some((name, inside)) = call(spec)? else {
            return Ok(Generator::Static(spec.as_bytes().to_vec(), spec.parse().ok()));
        };
        let stream = self.next_stream();
        let scope = self.settings.inc_scope;
        match name {
            "randstr" => text(inside, stream),
            "xrand" => {
                let (min, max) = bounds(inside)?.ok_or_else(|| {
                    SourceError::of_text(
                        "it takes two integers, as in `xrand(0,2000)`; for the lines of a file use \
                         `rand`",
                    )
                })?;
                let last =
                    last_drawn(max, self.settings.rand_inclusive).wrapping_sub(min).cast_unsigned();
                Ok(Generator::Shuffled(min, Permutation::new(stream, last)))
            }
            "inc" => match bounds(inside)? {
                Some((min, max)) => Ok(Generator::Sequence(Range::between(min, max), scope)),
                None => Ok(Generator::Lines(self.lines(Path::new(inside))?, scope)),
            },
            _ => match bounds(inside)? {
                Some((min, max)) => {
                    let range = Range::between(min, last_drawn(max, self.settings.rand_inclusive));
                    Ok(Generator::Uniform(range, stream))
                }
                None => Ok(Generator::Line(self.lines(Path::new(inside))?, stream)),
            },
        }
    }

    /// The lines of the file at `path`, which must have at least one line.
    fn lines(&mut self, path: &Path) -> Result<Arc<Lines>, SourceError> {
        let lines =
            self.lines_of(path).map_err(|source| SourceError::File(path.to_owned(), source))?;
        if lines.len() == 0 {
            return Err(SourceError::Text(format!(
                "the file {} is empty; put one value on each line",
                path.display()
            )));
        }
        Ok(lines)
    }
}

/// A fault of an argument, before its number and text are known.
enum SourceError {
    Text(String),
    File(PathBuf, io::Error),
}

impl SourceError {
    fn of_text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    fn of(self, number: usize, spec: &str) -> ArgumentError {
        let text = spec.to_owned();
        match self {
            Self::Text(problem) => ArgumentError::Malformed { number, text, problem },
            Self::File(path, source) => ArgumentError::File { number, text, path, source },
        }
    }
}

/// The name and the inside of a call; `None` if `spec` is a static value.
///
/// A word that is almost the name of a function is refused, and so is any other name that is called. The original
/// tools sent them to the server unchanged, for example `Rand(0,2000)` or `rnd(0,2000)`.
fn call(spec: &str) -> Result<Option<(&str, &str)>, SourceError> {
    const NAMES: [&str; 4] = ["inc", "rand", "randstr", "xrand"];
    let Some((name, rest)) = spec.split_once('(') else { return Ok(None) };
    if NAMES.contains(&name) {
        let inside = rest.strip_suffix(')');
        return inside.map(|inside| Some((name, inside))).ok_or_else(|| {
            SourceError::Text(format!(
                "the call does not end with `)`; write `{name}(...)` with nothing after it"
            ))
        });
    }
    let word = name.trim().to_ascii_lowercase();
    let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    // Bounds, a length or nothing at all make a call of it; `ou(people)` is text.
    let like_bounds = rest.contains(',')
        || rest.starts_with(|first: char| first.is_ascii_digit() || "-)".contains(first));
    let called = NAMES.iter().any(|known| word.starts_with(known))
        || word.len() == name.len() && like_bounds;
    if is_name && called && rest.trim_end().ends_with(')') {
        return Err(SourceError::Text(format!(
            "`{name}` is not a generator; use inc, rand, randstr or xrand, in lower case and without spaces; a text of \
             this form belongs into the template"
        )));
    }
    Ok(None)
}

/// The two bounds of a range; `None` if `inside` names a file.
fn bounds(inside: &str) -> Result<Option<(i64, i64)>, SourceError> {
    let Some((min, max)) = inside.split_once(',') else {
        if inside.is_empty() {
            return Err(SourceError::of_text(
                "it names neither a file nor a range, as in `(names.txt)` or `(0,2000)`",
            ));
        }
        if inside.parse::<i64>().is_ok() && !Path::new(inside).exists() {
            return Err(SourceError::Text(format!(
                "the range has one bound only; write `(0,{inside})`, or name a file"
            )));
        }
        return Ok(None);
    };
    if max.contains(',') {
        return Err(SourceError::of_text(
            "there are more than two bounds; write integers without commas between their digits, as in `(0,2000)`",
        ));
    }
    let (min, max) = (bound(min)?, bound(max)?);
    if min >= max {
        return Err(SourceError::Text(format!(
            "the minimum {min} is not below the maximum {max}; give the smaller one first, and write integers \
             without commas between their digits"
        )));
    }
    Ok(Some((min, max)))
}

fn bound(text: &str) -> Result<i64, SourceError> {
    text.parse().map_err(|_| {
        SourceError::Text(format!(
            "`{text}` is not an integer of 64 bits; write digits only, without spaces; a file name cannot contain \
             a comma here"
        ))
    })
}

const fn last_drawn(max: i64, inclusive: bool) -> i64 {
    if inclusive { max } else { max - 1 }
}

fn text(inside: &str, stream: Stream) -> Result<Generator, SourceError> {
    let (length, notation) = inside.split_once(',').unwrap_or((inside, Charset::DEFAULT));
    let length: u32 = length
        .parse()
        .ok()
        .filter(|length| (1..=LENGTH_MAX).contains(length))
        .ok_or_else(|| {
            SourceError::Text(format!(
                "the length `{length}` is not an integer between 1 and {LENGTH_MAX}, without commas"
            ))
        })?;
    let charset = Charset::parse(notation).map_err(|problem| {
        SourceError::Text(format!("{problem}; write the characters as in `randstr(8,[a-f][0-9]_)`"))
    })?;
    Ok(Generator::Text(charset, length, stream))
}

#[cfg(test)]
mod tests;

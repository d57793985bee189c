//! Value patterns, the notation of `UnboundID`'s tools, translated into arguments and a template.
//!
//! A pattern contains its generators inline, `uid=user.[1-2000],ou=people`. Each becomes a further argument, appended
//! to those of the run, so that a run has one kind of template and one place where values are drawn. The supported
//! components are:
//!
//! | component | values |
//! |---|---|
//! | `[1:9]`, `[9:1]` | the integers in turn, up or down, one count for the whole run |
//! | `[1:9x2]` | every second of them |
//! | `[1-9]` | a random integer, both bounds included |
//! | `[1:9%0000]` | with a number format, after a step if there is one |
//! | `[random:8]`, `[random:8:abc]` | random letters a to z, or of the characters given |
//! | `[file:P]`, `[randomfile:P]` | a random line of a file |
//! | `[sequentialfile:P]`, `[streamfile:P]` | the lines of a file in turn |
//! | `[timestamp]`, `[timestamp:format=F]` | the present, see below |
//! | `[timestamp:min=A:max=B]`, `[timestamp:min=A:max=B:format=F]` | a random moment; A and B in generalized time |
//! | `[uuid]` | a random UUID |
//! | `[ref:2]` | the value of the second component once more |
//! | `[[`, `]]` | a bracket |
//!
//! A format is `milliseconds`, `seconds` or fields of Java's `SimpleDateFormat`. Files are loaded completely, also for
//! `streamfile`. `[http:...]` is refused: a run must not wait for a network before it begins.

use crate::arguments::{Arguments, LENGTH_MAX};
use crate::charset::{Charset, CharsetError};
use crate::conversion::Conversion;
use crate::decimal::{Decimal, DecimalError};
use crate::generator::{Generator, Range, Scope};
use crate::template::Template;
use crate::timestamp::{Form, FormError, Timestamp, generalized};
use std::io;
use std::path::{Path, PathBuf};

/// Why a value pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// A component that cannot be parsed.
    #[error("use the value pattern `{pattern}`: at character {at}, {problem}")]
    Malformed {
        /// The pattern as given.
        pattern: String,
        /// Where the component begins, in characters counted from 1.
        at: usize,
        /// What is wrong and what would be correct.
        problem: PatternProblem,
    },
    /// A data file that cannot be read.
    #[error("read the data file {} of the value pattern `{pattern}`; check its name and permissions", path.display())]
    File {
        /// The pattern as given.
        pattern: String,
        /// The file.
        path: PathBuf,
        /// The error that the operating system returned.
        source: io::Error,
    },
}

/// What is wrong with a component of a value pattern, and what would be correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternProblem {
    /// A bracket that closes nothing.
    #[error("a `]` closes nothing; write `]]` where a bracket is meant")]
    Closing,
    /// A bracket that is not closed.
    #[error("a `[` is not closed; write `[[` where a bracket is meant")]
    Open,
    /// A reference to nothing.
    #[error("`[ref:{index}]` names no component before it; there are {known}, counted from 1")]
    Reference {
        /// The number as written.
        index: String,
        /// How many components there are.
        known: usize,
    },
    /// A value from the network.
    #[error("values cannot be fetched over the network; save them to a file and use `[file:PATH]`")]
    Network,
    /// No file is named.
    #[error("no file is named; write it as in `[file:names.txt]`")]
    NoFile,
    /// The file has no value.
    #[error("the file {0} is empty; put one value on each line")]
    EmptyFile(String),
    /// A length that cannot be.
    #[error(
        "the length `{0}` is not an integer between 1 and {LENGTH_MAX}; write `[random:8:abc]`"
    )]
    Length(String),
    /// A set of characters that cannot be.
    #[error(transparent)]
    Charset(#[from] CharsetError),
    /// The format of a timestamp that cannot be.
    #[error(transparent)]
    Form(#[from] FormError),
    /// The format of a number that cannot be.
    #[error(transparent)]
    Decimal(#[from] DecimalError),
    /// Not a timestamp.
    #[error(
        "`[{0}]` is not a timestamp; write `[timestamp]`, `[timestamp:format=F]` or \
         `[timestamp:min=A:max=B:format=F]`"
    )]
    Timestamp(String),
    /// A bound that is not a time.
    #[error("`{0}` is not a generalized time in UTC; write it as in `20260102030405.678Z`")]
    Time(String),
    /// Bounds in the wrong order.
    #[error("the minimum {0} is later than the maximum {1}; give the earlier one first")]
    Bounds(String, String),
    /// Not a component.
    #[error(
        "`[{0}]` is not a component; write a range as in `[1-9]`, `[1:9]`, `[1:9x2]` or `[1:9%000]`, or `[[` where a \
         bracket is meant"
    )]
    Component(String),
    /// A step that cannot be.
    #[error(
        "the step of `[{0}]` is not a positive integer; to count down, give the larger bound first"
    )]
    Step(String),
    /// A step where none has a meaning.
    #[error("`[{0}]` gives a step to a random range; only `[a:b]` takes one")]
    RandomStep(String),
}

/// Translates `text` into a template, and adds the arguments that fill it to `arguments`.
///
/// Braces and percent signs are text in a pattern.
pub fn translate(text: &str, arguments: &mut Arguments) -> Result<Template, PatternError> {
    let mut template = Template::default();
    // The argument of each component so far; a reference has none.
    let mut components = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', ']']) {
        let wrong = |problem: PatternProblem| {
            let before = text.len() - rest.len() + at;
            PatternError::Malformed {
                pattern: text.to_owned(),
                at: text[..before].chars().count() + 1,
                problem,
            }
        };
        template.push_text(&rest[..at]);
        let bracket = &rest[at..=at];
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix(bracket) {
            template.push_text(bracket);
            rest = after;
            continue;
        }
        if bracket == "]" {
            return Err(wrong(PatternProblem::Closing));
        }
        let close = after.find(['[', ']']).filter(|&close| after[close..].starts_with(']'));
        let close = close.ok_or_else(|| wrong(PatternProblem::Open))?;
        let argument = if let Some(index) = after[..close].strip_prefix("ref:") {
            referred(index, &components).map_err(wrong)?
        } else {
            let generator = component(&after[..close], arguments).map_err(|fault| match fault {
                PatternFailure::Problem(problem) => wrong(problem),
                PatternFailure::File(path, source) => {
                    PatternError::File { pattern: text.to_owned(), path, source }
                }
            })?;
            let argument = arguments.add(generator);
            components.push(argument);
            argument
        };
        template.push_slot(argument, Conversion::default());
        rest = &after[close + 1..];
    }
    template.push_text(rest);
    Ok(template)
}

enum PatternFailure {
    Problem(PatternProblem),
    File(PathBuf, io::Error),
}

impl<E: Into<PatternProblem>> From<E> for PatternFailure {
    fn from(problem: E) -> Self {
        Self::Problem(problem.into())
    }
}

fn referred(index: &str, components: &[usize]) -> Result<usize, PatternProblem> {
    let known = index.parse::<usize>().ok().and_then(|index| components.get(index.checked_sub(1)?));
    let wrong = || PatternProblem::Reference { index: index.to_owned(), known: components.len() };
    known.copied().ok_or_else(wrong)
}

fn component(text: &str, arguments: &mut Arguments) -> Result<Generator, PatternFailure> {
    let stream = arguments.next_stream();
    let (name, inside) = text.split_once(':').unwrap_or((text, ""));
    match name {
        "random" => random(inside, arguments),
        "file" | "randomfile" => Ok(Generator::Line(lines(inside, arguments)?, stream)),
        "sequentialfile" | "streamfile" => {
            Ok(Generator::Lines(lines(inside, arguments)?, Scope::Process))
        }
        "uuid" => Ok(Generator::Uuid(stream)),
        "timestamp" => {
            let (between, form) = timestamp(text)?;
            Ok(Generator::Timestamp(Timestamp { between, form, stream }))
        }
        "http" | "https" => Err(PatternProblem::Network.into()),
        _ => numeric(text, arguments),
    }
}

fn lines(
    path: &str,
    arguments: &mut Arguments,
) -> Result<std::sync::Arc<crate::lines::Lines>, PatternFailure> {
    if path.is_empty() {
        return Err(PatternProblem::NoFile.into());
    }
    let lines = arguments
        .lines_of(Path::new(path))
        .map_err(|source| PatternFailure::File(PathBuf::from(path), source))?;
    if lines.len() == 0 {
        return Err(PatternProblem::EmptyFile(path.to_owned()).into());
    }
    Ok(lines)
}

fn random(inside: &str, arguments: &Arguments) -> Result<Generator, PatternFailure> {
    let (length, chars) = inside.split_once(':').unwrap_or((inside, "abcdefghijklmnopqrstuvwxyz"));
    let number = length.parse().ok().filter(|length| (1..=LENGTH_MAX).contains(length));
    let length = number.ok_or_else(|| PatternProblem::Length(length.to_owned()))?;
    Ok(Generator::Text(Charset::new(chars.chars().collect())?, length, arguments.next_stream()))
}

fn timestamp(text: &str) -> Result<(Option<(i64, u64)>, Form), PatternProblem> {
    let rest = text.strip_prefix("timestamp").unwrap_or(text);
    // A format may contain colons, so it is split off first.
    let (bounds, form) = match rest.split_once(":format=") {
        Some((bounds, format)) => (bounds, Form::parse(format)?),
        None => (rest, Form::Generalized),
    };
    if bounds.is_empty() {
        return Ok((None, form));
    }
    let (min, max) = bounds
        .strip_prefix(":min=")
        .and_then(|bounds| bounds.split_once(":max="))
        .ok_or_else(|| PatternProblem::Timestamp(text.to_owned()))?;
    let read =
        |bound: &str| generalized(bound).ok_or_else(|| PatternProblem::Time(bound.to_owned()));
    let (first, last) = (read(min)?, read(max)?);
    if first > last {
        return Err(PatternProblem::Bounds(min.to_owned(), max.to_owned()));
    }
    Ok((Some((first, first.abs_diff(last))), form))
}

fn numeric(text: &str, arguments: &Arguments) -> Result<Generator, PatternFailure> {
    let shape = || PatternProblem::Component(text.to_owned());
    let (bounds, format) =
        text.split_once('%').map_or((text, None), |(bounds, format)| (bounds, Some(format)));
    let (bounds, step) =
        bounds.split_once('x').map_or((bounds, None), |(bounds, step)| (bounds, Some(step)));
    // The first character may be the sign of the lower bound.
    let separator = bounds
        .get(1..)
        .and_then(|tail| tail.find([':', '-']))
        .map(|at| at + 1)
        .ok_or_else(shape)?;
    let bound =
        |text: &str| text.parse::<i64>().ok().filter(|_| !text.starts_with('+')).ok_or_else(shape);
    let (lower, upper) = (bound(&bounds[..separator])?, bound(&bounds[separator + 1..])?);
    let generator = if bounds[separator..].starts_with(':') {
        let step = step.map_or(Some(1), |step| step.parse::<i64>().ok().filter(|&step| step > 0));
        let step = step.ok_or_else(|| PatternProblem::Step(text.to_owned()))?;
        let steps = lower.abs_diff(upper) / step.unsigned_abs();
        let step = if lower <= upper { step } else { -step };
        Generator::Sequence(Range { first: lower, step, steps }, Scope::Process)
    } else if step.is_some() {
        return Err(PatternProblem::RandomStep(text.to_owned()).into());
    } else {
        Generator::Uniform(
            Range::between(lower.min(upper), lower.max(upper)),
            arguments.next_stream(),
        )
    };
    match format {
        Some(format) => Ok(Generator::Formatted(Box::new(generator), Decimal::parse(format)?)),
        None => Ok(generator),
    }
}

#[cfg(test)]
mod tests;

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
use crate::charset::Charset;
use crate::conversion::Conversion;
use crate::decimal::Decimal;
use crate::generator::{Generator, Range, Scope};
use crate::template::Template;
use crate::timestamp::{Form, Timestamp, generalized};
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
        problem: String,
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

/// Translates `text` into a template, and adds the arguments that fill it to `arguments`.
///
/// Braces and percent signs are text in a pattern.
pub fn translate(text: &str, arguments: &mut Arguments) -> Result<Template, PatternError> {
    let mut template = Template::default();
    // The argument of each component so far; a reference has none.
    let mut components = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', ']']) {
        let wrong = |problem: String| {
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
            return Err(wrong(
                "a `]` closes nothing; write `]]` where a bracket is meant".to_owned(),
            ));
        }
        let close = after.find(['[', ']']).filter(|&close| after[close..].starts_with(']'));
        let close = close.ok_or_else(|| {
            wrong("a `[` is not closed; write `[[` where a bracket is meant".to_owned())
        })?;
        let argument = if let Some(index) = after[..close].strip_prefix("ref:") {
            referred(index, &components).map_err(wrong)?
        } else {
            let generator = component(&after[..close], arguments).map_err(|fault| match fault {
                PatternFault::Text(problem) => wrong(problem),
                PatternFault::File(path, source) => {
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

enum PatternFault {
    Text(String),
    File(PathBuf, io::Error),
}

impl From<String> for PatternFault {
    fn from(problem: String) -> Self {
        Self::Text(problem)
    }
}

fn referred(index: &str, components: &[usize]) -> Result<usize, String> {
    let known = index.parse::<usize>().ok().and_then(|index| components.get(index.checked_sub(1)?));
    known.copied().ok_or_else(|| {
        format!(
            "`[ref:{index}]` names no component before it; there are {}, counted from 1",
            components.len()
        )
    })
}

fn component(text: &str, arguments: &mut Arguments) -> Result<Generator, PatternFault> {
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
        "http" | "https" => Err(PatternFault::Text(
            "values cannot be fetched over the network; save them to a file and use `[file:PATH]`"
                .to_owned(),
        )),
        _ => numeric(text, arguments),
    }
}

fn lines(
    path: &str,
    arguments: &mut Arguments,
) -> Result<std::sync::Arc<crate::lines::Lines>, PatternFault> {
    if path.is_empty() {
        return Err(PatternFault::Text(
            "no file is named; write it as in `[file:names.txt]`".to_owned(),
        ));
    }
    let lines = arguments
        .lines_of(Path::new(path))
        .map_err(|source| PatternFault::File(PathBuf::from(path), source))?;
    if lines.len() == 0 {
        return Err(PatternFault::Text(format!(
            "the file {path} is empty; put one value on each line"
        )));
    }
    Ok(lines)
}

fn random(inside: &str, arguments: &Arguments) -> Result<Generator, PatternFault> {
    let (length, chars) = inside.split_once(':').unwrap_or((inside, "abcdefghijklmnopqrstuvwxyz"));
    let length = length.parse().ok().filter(|length| (1..=LENGTH_MAX).contains(length)).ok_or_else(|| {
        format!("the length `{length}` is not an integer between 1 and {LENGTH_MAX}; write `[random:8:abc]`")
    })?;
    Ok(Generator::Text(Charset::new(chars.chars().collect())?, length, arguments.next_stream()))
}

fn timestamp(text: &str) -> Result<(Option<(i64, u64)>, Form), String> {
    let shape = "write `[timestamp]`, `[timestamp:format=F]` or `[timestamp:min=A:max=B:format=F]`";
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
        .ok_or_else(|| format!("`[{text}]` is not a timestamp; {shape}"))?;
    let read = |bound: &str| {
        generalized(bound).ok_or_else(|| {
            format!(
                "`{bound}` is not a generalized time in UTC; write it as in `20260102030405.678Z`"
            )
        })
    };
    let (first, last) = (read(min)?, read(max)?);
    if first > last {
        return Err(format!(
            "the minimum {min} is later than the maximum {max}; give the earlier one first"
        ));
    }
    Ok((Some((first, first.abs_diff(last))), form))
}

fn numeric(text: &str, arguments: &Arguments) -> Result<Generator, PatternFault> {
    let shape = || {
        format!(
            "`[{text}]` is not a component; write a range as in `[1-9]`, `[1:9]`, `[1:9x2]` or `[1:9%000]`, or `[[` \
             where a bracket is meant"
        )
    };
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
        let step = step.ok_or_else(|| {
            format!("the step of `[{text}]` is not a positive integer; to count down, give the larger bound first")
        })?;
        let steps = lower.abs_diff(upper) / step.unsigned_abs();
        let step = if lower <= upper { step } else { -step };
        Generator::Sequence(Range { first: lower, step, steps }, Scope::Process)
    } else if step.is_some() {
        return Err(PatternFault::Text(format!(
            "`[{text}]` gives a step to a random range; only `[a:b]` takes one"
        )));
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

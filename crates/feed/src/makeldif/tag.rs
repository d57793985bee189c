//! The value of an attribute line: text, `{references}` and `<tags>`.

use super::resources::{ResourceError, Resources};
use super::value::{Condition, Extent, Line, Part, Random, Value};
use crate::charset::{Charset, CharsetError};
use crate::decimal::{Decimal, DecimalError};
use crate::stream::Stream;

const LENGTH_MAX: u32 = 1024 * 1024;

/// What is wrong with a value, and what would be correct.
#[derive(Debug, thiserror::Error)]
pub enum TagError {
    /// A bracket that is not closed.
    #[error("the `{char}` before `{after}` is not closed; write `\\{char}` where text is meant")]
    Open {
        /// The bracket.
        char: char,
        /// What follows it.
        after: String,
    },
    /// A length that is not a number.
    #[error("`{0}` is not a number of characters")]
    Characters(String),
    /// Too many words.
    #[error("a reference is `{{name}}` or `{{name:characters}}`")]
    Reference,
    /// An attribute that no line above gives.
    #[error("the attribute `{0}` is referred to and no line above gives it; move it up")]
    Attribute(String),
    /// Not a share.
    #[error("<presence:{0}> wants 0 to 100 percent")]
    Presence(String),
    /// A parent where there is none.
    #[error("<{0}> is not allowed in a branch, which has no parent here")]
    NoParent(String),
    /// An unknown tag.
    #[error("there is no tag <{0}>; write `\\<` where text is meant")]
    Tag(String),
    /// An unknown order.
    #[error("<file> takes the lines random or sequential, not `{0}`")]
    Order(String),
    /// Too few or too many arguments.
    #[error("<{tag}> takes 1 to {most} arguments after colons, not {given}")]
    Arguments {
        /// The tag.
        tag: String,
        /// The most that it takes.
        most: usize,
        /// The number given.
        given: usize,
    },
    /// An argument of a tag that takes none.
    #[error("<{0}> takes no argument")]
    NoArgument(String),
    /// Not a number.
    #[error("<{tag}> takes a number, not `{word}`")]
    Number {
        /// The tag.
        tag: String,
        /// What was given.
        word: String,
    },
    /// Too many arguments.
    #[error("<{tag}> takes one argument at most, not {given}")]
    OneArgument {
        /// The tag.
        tag: String,
        /// The number given.
        given: usize,
    },
    /// A list of nothing.
    #[error("<list> needs values, as in <list:bronze;2:silver;1>")]
    EmptyList,
    /// A list from which nothing is drawn.
    #[error("every weight of <list> is zero; give one of them more")]
    Weights,
    /// Neither true nor false.
    #[error("<sequential> starts over true or false, not `{0}`")]
    Restart(String),
    /// Too many arguments.
    #[error("<sequential> takes a first number and true or false, no more")]
    Sequential,
    /// An unknown kind of random value.
    #[error(
        "<random> cannot make `{0}`; there are alpha, numeric, alphanumeric, chars, hex, base64, month and telephone"
    )]
    Random(String),
    /// Not a length.
    #[error(
        "<random:{0}> takes a length or a shortest and a longest one, integers up to {LENGTH_MAX}"
    )]
    Lengths(String),
    /// Not a range.
    #[error("<random:numeric> takes a length, or a minimum, a maximum not below it and a format")]
    Numeric,
    /// A data file.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The characters of a random value.
    #[error(transparent)]
    Charset(#[from] CharsetError),
    /// The format of a number.
    #[error(transparent)]
    Decimal(#[from] DecimalError),
}

/// The inputs for compiling a value.
pub(super) struct Context<'a> {
    /// The lines above it, which it may refer to.
    pub(super) above: &'a [Line],
    pub(super) resources: &'a mut Resources,
    /// The stream of the line, from which each tag takes its own.
    pub(super) stream: Stream,
    /// Whether it is in a branch, which has no parent entry.
    pub(super) branch: bool,
}

impl Context<'_> {
    /// Compiles `text`.
    pub(super) fn compile(&mut self, text: &str) -> Result<Value, TagError> {
        let mut value = Value::default();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            let after = &rest[char.len_utf8()..];
            match char {
                '\\' => {
                    let next = after.chars().next().filter(|next| "<>{}[]\\".contains(*next));
                    literal.push(next.unwrap_or('\\'));
                    rest = &after[next.map_or(0, char::len_utf8)..];
                    continue;
                }
                '<' | '{' => {
                    let close = if char == '<' { '>' } else { '}' };
                    let end = end(after, close)
                        .ok_or_else(|| TagError::Open { char, after: after.to_owned() })?;
                    if !literal.is_empty() {
                        value.parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    let words: Vec<String> = split(&after[..end]);
                    if char == '<' {
                        self.tag(&words, &mut value)?;
                    } else {
                        self.reference(&words, &mut value)?;
                    }
                    rest = &after[end + 1..];
                    continue;
                }
                _ => literal.push(char),
            }
            rest = after;
        }
        if !literal.is_empty() {
            value.parts.push(Part::Text(literal));
        }
        Ok(value)
    }

    fn reference(&self, words: &[String], value: &mut Value) -> Result<(), TagError> {
        let chars = match words {
            [_] => 0,
            [_, chars] => chars.parse().map_err(|_| TagError::Characters(chars.clone()))?,
            _ => return Err(TagError::Reference),
        };
        let lines = self.lines(&words[0])?;
        value.needs_dn |= lines.iter().any(|&line| self.above[line].value.needs_dn);
        value.parts.push(Part::Reference(lines[0], chars));
        Ok(())
    }

    /// The lines above that give the attribute `name`; at least one.
    fn lines(&self, name: &str) -> Result<Vec<usize>, TagError> {
        let lines: Vec<usize> = (0..self.above.len())
            .filter(|&line| self.above[line].name.eq_ignore_ascii_case(name))
            .collect();
        if lines.is_empty() {
            return Err(TagError::Attribute(name.to_owned()));
        }
        Ok(lines)
    }

    fn tag(&mut self, words: &[String], value: &mut Value) -> Result<(), TagError> {
        let name = words[0].to_ascii_lowercase();
        let rest = &words[1..];
        let stream = self.stream.fork((value.parts.len() + value.conditions.len()) as u64);
        let part = match name.as_str() {
            "presence" => {
                let percent = one(&name, rest, 1)?.parse().ok().filter(|percent| *percent <= 100);
                let percent = percent.ok_or_else(|| TagError::Presence(rest[0].clone()))?;
                value.conditions.push(Condition::Presence(percent, stream));
                return Ok(());
            }
            "ifpresent" | "ifabsent" => {
                one(&name, rest, 2)?;
                let lines = self.lines(&rest[0])?;
                value.needs_dn |= lines.iter().any(|&line| self.above[line].value.needs_dn);
                let make =
                    if name == "ifpresent" { Condition::IfPresent } else { Condition::IfAbsent };
                value.conditions.push(make(lines, rest.get(1).cloned()));
                return Ok(());
            }
            "dn" | "_dn" | "underscoredn" | "rdn" => {
                value.needs_dn = true;
                let count = optional(&name, rest, 0)?;
                match name.as_str() {
                    "rdn" => Part::Rdn(Extent { count, underscores: false }),
                    _ => Part::Dn(Extent { count, underscores: name != "dn" }),
                }
            }
            "parentdn" | "_parentdn" | "underscoreparentdn" => {
                if self.branch {
                    return Err(TagError::NoParent(words[0].clone()));
                }
                none(&name, rest)?;
                value.needs_dn = true;
                Part::ParentDn(Extent { count: 0, underscores: name != "parentdn" })
            }
            "first" | "last" => {
                none(&name, rest)?;
                if name == "first" { Part::First } else { Part::Last }
            }
            "guid" => {
                none(&name, rest)?;
                Part::Guid(stream)
            }
            "file" => self.file(rest, stream)?,
            "list" => list(rest, stream)?,
            "sequential" => sequence(rest)?,
            "random" => Part::Random(random(rest)?, stream),
            _ => return Err(TagError::Tag(words[0].clone())),
        };
        value.parts.push(part);
        Ok(())
    }

    fn file(&mut self, words: &[String], stream: Stream) -> Result<Part, TagError> {
        let name = one("file", words, 2)?;
        let lines = self.resources.lines(name)?;
        match words.get(1).map(|order| order.to_ascii_lowercase()).as_deref() {
            None | Some("random") => Ok(Part::Line(lines, stream)),
            Some("sequential") => Ok(Part::Lines(lines)),
            Some(order) => Err(TagError::Order(order.to_owned())),
        }
    }
}

/// The position of `close` in `text` without a backslash before it.
fn end(text: &str, close: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, char)| {
        let here = char == close && !escaped;
        escaped = char == '\\' && !escaped;
        here.then_some(at)
    })
}

/// The words between colons, without the backslashes before closing characters.
fn split(text: &str) -> Vec<String> {
    let plain = |word: &str| {
        let mut word = word.to_owned();
        for char in ['>', '}', ']', '\\'] {
            word = word.replace(&format!("\\{char}"), &char.to_string());
        }
        word
    };
    text.split(':').map(plain).collect()
}

fn one<'a>(name: &str, words: &'a [String], max: usize) -> Result<&'a str, TagError> {
    match words.first() {
        Some(first) if words.len() <= max && !first.is_empty() => Ok(first),
        _ => {
            let (tag, given) = (name.to_owned(), words.len());
            Err(TagError::Arguments { tag, most: max, given })
        }
    }
}

fn none(name: &str, words: &[String]) -> Result<(), TagError> {
    if words.is_empty() { Ok(()) } else { Err(TagError::NoArgument(name.to_owned())) }
}

fn optional<T: std::str::FromStr>(name: &str, words: &[String], default: T) -> Result<T, TagError> {
    let tag = name.to_owned();
    match words {
        [] => Ok(default),
        [word] => word.parse().map_err(|_| TagError::Number { tag, word: word.clone() }),
        _ => Err(TagError::OneArgument { tag, given: words.len() }),
    }
}

fn list(words: &[String], stream: Stream) -> Result<Part, TagError> {
    if words.is_empty() {
        return Err(TagError::EmptyList);
    }
    let mut total = 0u64;
    let mut values = Vec::with_capacity(words.len());
    for word in words {
        let weighted = word
            .rsplit_once(';')
            .and_then(|(text, weight)| Some((text, weight.parse::<u32>().ok()?)));
        let (text, weight) = weighted.unwrap_or((word, 1));
        total += u64::from(weight);
        values.push((total, text.to_owned()));
    }
    if total == 0 {
        return Err(TagError::Weights);
    }
    Ok(Part::List(values, stream))
}

fn sequence(words: &[String]) -> Result<Part, TagError> {
    let start = optional("sequential", &words[..words.len().min(1)], 0)?;
    let restart = match words.get(1).map(|word| word.to_ascii_lowercase()).as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(word) => return Err(TagError::Restart(word.to_owned())),
    };
    if words.len() > 2 {
        return Err(TagError::Sequential);
    }
    Ok(Part::Sequence { start, restart })
}

fn random(words: &[String]) -> Result<Random, TagError> {
    let kind = words.first().map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    let chars = |notation: &str| {
        let charset = Charset::parse(notation)?;
        let (min, max) = lengths(&kind, rest)?;
        Ok(Random::Chars(charset, min, max))
    };
    match kind.as_str() {
        "alpha" => chars("[a-z]"),
        "alphanumeric" => chars("[a-z][0-9]"),
        "hex" => chars("[0-9][a-f]"),
        "base64" => chars("[A-Z][a-z][0-9]+/"),
        "numeric" if rest.len() == 1 => chars("[0-9]"),
        "numeric" => number(rest),
        "chars" => {
            let set = Charset::new(
                rest.first().map(String::as_str).unwrap_or_default().chars().collect(),
            )?;
            let (min, max) = lengths(&kind, &rest[1..])?;
            Ok(Random::Chars(set, min, max))
        }
        "month" => Ok(Random::Month(optional("random:month", rest, 0)?)),
        "telephone" => {
            none("random:telephone", rest)?;
            Ok(Random::Telephone)
        }
        _ => Err(TagError::Random(kind)),
    }
}

fn lengths(kind: &str, words: &[String]) -> Result<(u32, u32), TagError> {
    let read = |word: &String| word.parse::<u32>().ok().filter(|length| *length <= LENGTH_MAX);
    let lengths = match words {
        [length] => read(length).map(|length| (length, length)),
        [min, max] => read(min).zip(read(max)),
        _ => None,
    };
    let lengths = lengths.filter(|(min, max)| min <= max && *max > 0);
    lengths.ok_or_else(|| TagError::Lengths(kind.to_owned()))
}

fn number(words: &[String]) -> Result<Random, TagError> {
    let (min, max, format) = match words {
        [min, max] => (min, max, None),
        [min, max, format] => (min, max, Some(Decimal::parse(format)?)),
        _ => return Err(TagError::Numeric),
    };
    let (min, max): (i64, i64) = min.parse().ok().zip(max.parse().ok()).ok_or(TagError::Numeric)?;
    if min > max {
        return Err(TagError::Numeric);
    }
    Ok(Random::Number(min, min.abs_diff(max), format))
}

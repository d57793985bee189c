//! A cURL command line, as people paste it and browsers copy it.
//!
//! The effect of each option on a request is the one in cURL's manual. An unknown option is an error: a request without
//! it would be another request. Options about what cURL shows are ignored without a note, those that would have changed
//! the sending of requests with a note.

mod draft;
mod options;
mod urls;

use crate::imported::Imported;
use crate::secrets::{Secrets, Variables};
use crate::shell::{self, ShellError};
use draft::Draft;
use options::Kind;
use std::io;
use std::path::{Path, PathBuf};

/// The greatest size of a command line, which may contain a body.
const LARGEST: usize = 16 * 1024 * 1024;

/// A command line that cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum CurlError {
    /// It is too large.
    #[error(
        "read a command line of more than 16 MiB: put the body into a file, --data-binary @FILE"
    )]
    Large,
    /// It has no words.
    #[error("split the command line: failed to {0}")]
    Words(#[from] ShellError),
    /// It is another command.
    #[error("import the command '{0}': it must begin with curl")]
    Other(String),
    /// An option that is not known.
    #[error("import the option '{0}' of curl: leave it out if the request is the same without it")]
    Unknown(String),
    /// An option that cannot be imported.
    #[error("import the option '{option}' of curl: {remedy}")]
    Refused {
        /// The option.
        option: String,
        /// What to do.
        remedy: &'static str,
    },
    /// An option without its value.
    #[error("find the value of the option '{0}' of curl")]
    NoValue(String),
    /// A value that cannot be understood.
    #[error("understand '{value}' of the option '{option}' of curl: {remedy}")]
    Value {
        /// The option.
        option: &'static str,
        /// The given value.
        value: String,
        /// The values that are allowed.
        remedy: &'static str,
    },
    /// Two options that exclude each other.
    #[error("import {0} and {1} of curl together: one request has one body")]
    Both(&'static str, &'static str),
    /// A variable where a plan cannot have one.
    #[error("import a variable of the shell in {0} of curl: put its value in its place")]
    Hole(&'static str),
    /// A file that cannot be read.
    #[error("read {}, which {option} of curl names: {source}", path.display())]
    File {
        /// The option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// No URL.
    #[error("find a URL on the command line of curl")]
    NoUrl,
    /// A URL that cannot be imported.
    #[error("import the URL '{url}' of curl: {remedy}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong, and what to do.
        remedy: &'static str,
    },
}

/// Reads a file that a command line names.
pub(crate) type Read<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// Reads a command line. `read` reads the files named by options whose content must be known.
pub fn curl(text: &str, secrets: Secrets, read: Read<'_>) -> Result<Imported, CurlError> {
    if text.len() > LARGEST {
        return Err(CurlError::Large);
    }
    let line = shell::words(text)?;
    let mut words = line.words.iter().map(String::as_str).peekable();
    // A shell prompt that was copied with the command.
    words.next_if(|word| *word == "$");
    let command = words.next().ok_or(CurlError::NoUrl)?;
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    if !matches!(name, "curl" | "curl.exe") {
        return Err(CurlError::Other(command.chars().take(40).collect()));
    }
    let mut imported = Imported { name: "curl".to_owned(), ..Imported::default() };
    let mut variables = Variables::new(secrets);
    for name in &line.variables {
        variables.environment(name, "a variable of the shell the command line was written for");
    }
    if let Some(left_out) = line.left_out {
        let left_out: String = left_out.chars().take(60).collect();
        imported.notes.push(format!("what follows the command is left out: {left_out}"));
    }
    let mut drafts = vec![Draft::default()];
    let words: Vec<&str> = words.collect();
    let mut at = 0;
    while at < words.len() {
        at = take(&words, at, &mut drafts, &mut imported.notes)?;
    }
    for draft in &mut drafts {
        draft.finish(&mut imported, &mut variables, read)?;
    }
    imported.notes.extend(variables.taken_note());
    imported.variables = variables.into_list();
    Ok(imported)
}

/// Takes the word at `at`, and its values; returns the place of the next.
fn take(
    words: &[&str],
    at: usize,
    drafts: &mut Vec<Draft>,
    notes: &mut Vec<String>,
) -> Result<usize, CurlError> {
    let word = words[at];
    let unknown = |name: &str| CurlError::Unknown(name.chars().take(40).collect());
    let mut next = at + 1;
    let mut apply = |option: options::Opt, value: Option<&str>, message: &str| {
        let draft = drafts.last_mut().ok_or(CurlError::NoUrl)?;
        match option.kind {
            Kind::Next => drafts.push(Draft::default()),
            Kind::Refused(remedy) => {
                return Err(CurlError::Refused { option: message.to_owned(), remedy });
            }
            Kind::Noted(why) => {
                let note = format!("the option --{} of curl {why}", option.long);
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            kind => draft.option(kind, value.unwrap_or_default())?,
        }
        Ok(())
    };
    let missing = |message: &str| CurlError::NoValue(message.to_owned());
    if let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty()) {
        let option = options::long(name).or_else(|| {
            // Any switch may be turned off again, which is what most are already.
            let name = name.strip_prefix("no-")?;
            let turned = options::long(name).filter(|option| !option.takes_value)?;
            Some(options::Opt { kind: Kind::Ignored, ..turned })
        });
        let option = option.ok_or_else(|| unknown(word))?;
        let value = if option.takes_value {
            next += 1;
            Some(*words.get(at + 1).ok_or_else(|| missing(word))?)
        } else {
            None
        };
        apply(option, value, word)?;
    } else if let Some(mut letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
        while let Some(letter) = letters.chars().next() {
            letters = &letters[letter.len_utf8()..];
            let message = format!("-{letter}");
            let option = options::letter(letter).ok_or_else(|| unknown(&message))?;
            let value = if !option.takes_value {
                None
            } else if letters.is_empty() {
                next += 1;
                Some(*words.get(at + 1).ok_or_else(|| missing(&message))?)
            } else {
                Some(std::mem::take(&mut letters))
            };
            apply(option, value, &message)?;
        }
    } else {
        let draft = drafts.last_mut().ok_or(CurlError::NoUrl)?;
        draft.option(Kind::Url, word)?;
    }
    Ok(next)
}

#[cfg(test)]
mod tests;

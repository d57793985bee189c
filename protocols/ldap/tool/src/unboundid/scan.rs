//! What the options of a line would be in each grammar, whether or not the line is valid in it.
//!
//! Values are taken away before options are judged: `-w -c` is a password and no `-c`.

use brunt_run::options::row::Row;
use brunt_run::options::syntax::Source;

use super::table::{find_long, find_short};
use crate::options::words::find_long as find_opt;

/// An option as one of the grammars sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen<'a> {
    /// Its long name there.
    pub long: &'static str,
    /// As it was spelled.
    pub spelled: String,
    /// Its value, if it takes one.
    pub value: Option<&'a str>,
    /// What follows the option and its value.
    pub next: Next<'a>,
    /// Whether it was spelled as a long name.
    pub is_long: bool,
    /// Where the value comes from.
    pub source: Source,
}

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// Nothing.
    End,
    /// A word, or another letter of the same word.
    Word(&'a str),
    /// Another letter of the same word.
    Letter,
}

/// The options that UnboundID's grammar sees, anywhere in the line.
pub(super) fn unboundid<'a>(words: &'a [String], rows: &[Row]) -> Vec<Seen<'a>> {
    let mut seen = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let long = word.strip_prefix("--").filter(|name| !name.is_empty());
        let letters = word.strip_prefix('-').filter(|it| !it.is_empty() && !it.starts_with('-'));
        at = match (long, letters) {
            (Some(text), _) => {
                let (name, inline) = divided(text);
                match find_long(name, rows) {
                    None => at + 1,
                    Some(row) => {
                        let takes = row.takes_word();
                        push(
                            &mut seen,
                            words,
                            at,
                            (row.name, format!("--{name}"), true),
                            (takes, inline),
                        )
                    }
                }
            }
            (None, Some(letters)) => of_letters(&mut seen, words, at, letters, |letter| {
                find_short(letter, rows).map(|row| (row.name, row.takes_word()))
            }),
            (None, None) => at + 1,
        };
    }
    seen
}

/// The options that OpenDJ's grammar sees, and the trailing arguments. The value of an option that only UnboundID's
/// grammar knows is skipped.
pub(super) fn opendj<'a>(
    words: &'a [String],
    options: &[Row],
    rows: &[Row],
) -> (Vec<Seen<'a>>, &'a [String]) {
    let mut seen = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let long = word.strip_prefix("--");
        let letters = word.strip_prefix('-').filter(|it| !it.is_empty() && !it.starts_with('-'));
        at = match (long, letters) {
            (Some(""), _) => {
                at += 1;
                break;
            }
            (Some(text), _) => {
                let (name, inline) = divided(text);
                if let Some((option, source)) = find_opt(name, options) {
                    let what = (option.name, format!("--{name}"), true);
                    let next = push(&mut seen, words, at, what, (option.takes_word(), inline));
                    seen.last_mut().into_iter().for_each(|last| last.source = source);
                    next
                } else {
                    let known = find_long(name, rows).is_some_and(Row::takes_word);
                    at + 1 + usize::from(known && inline.is_none())
                }
            }
            (None, Some(letters)) => {
                let find = |letter: char| {
                    let option = options.iter().find(|option| option.short == Some(letter));
                    option.map(|option| (option.name, option.takes_word()))
                };
                let mut each = letters.chars();
                let first = each.next().unwrap_or_default();
                if find(first).is_some() {
                    of_letters(&mut seen, words, at, letters, find)
                } else {
                    let known = find_short(first, rows).is_some_and(Row::takes_word);
                    at + 1 + usize::from(known && each.next().is_none())
                }
            }
            (None, None) => break,
        };
    }
    (seen, words.get(at..).unwrap_or_default())
}

fn divided(text: &str) -> (&str, Option<&str>) {
    text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)))
}

/// Adds an option; returns the number of the word after it.
fn push<'a>(
    seen: &mut Vec<Seen<'a>>,
    words: &'a [String],
    at: usize,
    (long, spelled, is_long): (&'static str, String, bool),
    (takes, inline): (bool, Option<&'a str>),
) -> usize {
    let apart = takes && inline.is_none();
    let value = inline.or_else(|| words.get(at + 1).filter(|_| apart).map(String::as_str));
    let next = at + 1 + usize::from(apart);
    let after = words.get(next).map_or(Next::End, |word| Next::Word(word));
    seen.push(Seen { long, spelled, value, next: after, is_long, source: Source::Literal });
    next
}

/// Adds the options of a word of letters; a word with an unknown letter is not one of options.
fn of_letters<'a>(
    seen: &mut Vec<Seen<'a>>,
    words: &'a [String],
    at: usize,
    letters: &'a str,
    find: impl Fn(char) -> Option<(&'static str, bool)>,
) -> usize {
    let before = seen.len();
    for (index, letter) in letters.char_indices() {
        let Some((long, takes)) = find(letter) else {
            seen.truncate(before);
            return at + 1;
        };
        let spelled = format!("-{letter}");
        let rest = &letters[index + letter.len_utf8()..];
        if takes {
            let inline = (!rest.is_empty()).then_some(rest);
            return push(seen, words, at, (long, spelled, false), (true, inline));
        }
        push(seen, words, at, (long, spelled, false), (false, None));
        if let Some(last) = seen.last_mut().filter(|_| !rest.is_empty()) {
            last.next = Next::Letter;
        }
    }
    at + 1
}

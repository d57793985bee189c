//! Splits a command line by the rules of UnboundID's tools.
//!
//! Options come in any order and there are no trailing arguments. An option with a value takes the next word whatever
//! it is; `-nVALUE` and `--name=VALUE` attach it. Short options without a value can share a dash, also with one that
//! takes a value at their end.

use brunt_redact::HIDDEN;
use brunt_run::options::row::{Kind, Row};
use brunt_run::options::syntax::{Given, Source, Words};
use brunt_run::options::usage_error::UsageError;

use super::table::{find_long, find_short};
use crate::options::words::alike;

/// Splits the words after the name of the tool.
pub(super) fn split(words: &[String], rows: &[Row]) -> Result<Words, UsageError> {
    let mut given = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at = if word == "--" {
            match words.get(at + 1) {
                Some(next) => return Err(trailing(next)),
                None => at + 1,
            }
        } else if let Some(text) = word.strip_prefix("--") {
            long(words, at, text, rows, &mut given)?
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            short(words, at, letters, rows, &mut given)?
        } else {
            return Err(trailing(word));
        };
    }
    once(&given, rows)?;
    Ok(Words { given, trailing: Vec::new() })
}

/// The words with every secret replaced.
pub(super) fn redacted(words: &[String], given: &[Given], rows: &[Row]) -> Vec<String> {
    let mut out = words.to_vec();
    for given in given.iter().filter(|given| row(given, rows).kind == Kind::Secret) {
        if let Some((word, byte)) = given.place {
            out[word].replace_range(byte.., HIDDEN);
        }
    }
    out
}

fn long(
    words: &[String],
    at: usize,
    text: &str,
    rows: &[Row],
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let spelled = format!("--{name}");
    let row = *find_long(name, rows).ok_or_else(|| unknown(&spelled, name, rows))?;
    match value {
        Some(_) if !row.takes_value() => Err(UsageError::new(format!(
            "{spelled} takes no value: leave out '={}'",
            value.unwrap_or_default()
        ))),
        Some(value) => {
            let place = Some((at, name.len() + 3));
            given.push(option_given(&row, spelled, value.to_owned(), place));
            Ok(at + 1)
        }
        None => take(words, at, row, spelled, given),
    }
}

fn short(
    words: &[String],
    at: usize,
    letters: &str,
    rows: &[Row],
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    for (index, letter) in letters.char_indices() {
        let spelled = format!("-{letter}");
        let row = *find_short(letter, rows).ok_or_else(|| unknown(&spelled, "", rows))?;
        let rest = &letters[index + letter.len_utf8()..];
        if !row.takes_value() {
            given.push(option_given(&row, spelled, String::new(), None));
        } else if rest.is_empty() {
            return take(words, at, row, spelled, given);
        } else {
            let place = Some((at, 1 + letters.len() - rest.len()));
            given.push(option_given(&row, spelled, rest.to_owned(), place));
            return Ok(at + 1);
        }
    }
    Ok(at + 1)
}

/// Takes the word after an option as its value, if it needs one.
fn take(
    words: &[String],
    at: usize,
    row: Row,
    spelled: String,
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    if !row.takes_word() {
        given.push(option_given(&row, spelled, String::new(), None));
        return Ok(at + 1);
    }
    let Some(value) = words.get(at + 1) else {
        return Err(UsageError::new(format!("{spelled} needs a value: {{{}}}", row.value)));
    };
    given.push(option_given(&row, spelled, value.clone(), Some((at + 1, 0))));
    Ok(at + 2)
}

fn option_given(row: &Row, spelled: String, value: String, place: Option<(usize, usize)>) -> Given {
    Given { name: row.name, spelled, source: Source::Literal, value, place }
}

/// The row of an option that was given.
pub(super) fn row<'t>(given: &Given, rows: &'t [Row]) -> &'t Row {
    let row = rows.iter().find(|row| row.name == given.name);
    row.unwrap_or_else(|| unreachable!("--{} came from this table", given.name))
}

fn once(given: &[Given], rows: &[Row]) -> Result<(), UsageError> {
    for (at, one) in given.iter().enumerate().filter(|(_, one)| !row(one, rows).is_repeatable()) {
        if let Some(again) = given[at + 1..].iter().find(|other| other.name == one.name) {
            return Err(UsageError::new(format!(
                "{} can be given once only, and was given as {} before",
                again.spelled, one.spelled
            )));
        }
    }
    Ok(())
}

fn unknown(spelled: &str, name: &str, rows: &[Row]) -> UsageError {
    let meant = alike(name, rows.iter().map(|row| row.name)).filter(|_| !name.is_empty());
    let hint = meant.map(|name| format!(".  Did you mean --{name}?")).unwrap_or_default();
    UsageError::new(format!("UnboundID's tool has no option {spelled}{hint}"))
}

fn trailing(word: &str) -> UsageError {
    UsageError::new(format!(
        "'{word}' belongs to no option, and UnboundID's tools take no trailing arguments: a filter is the value of -f"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use crate::options::tool::Tool;

    fn outcome(line: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let words = split(&words, &table::of(Tool::Searchrate)).map_err(|fault| fault.reason)?;
        Ok(words.given.iter().map(|it| format!("{}={}", it.name, it.value)).collect())
    }

    #[test]
    fn options_are_parsed_in_every_spelling() {
        for (line, expected) in [
            ("--filter (a=b)", &["filter=(a=b)"][..]),
            ("--FILTER=(a=b)", &["filter=(a=b)"]),
            ("-f (a=b)", &["filter=(a=b)"]),
            ("-I1 -t2", &["numIntervals=1", "numThreads=2"]),
            ("-caO5", &["csv=", "asynchronous=", "maxOutstandingRequests=5"]),
            ("-f=x", &["filter==x"]),
            ("-f -c", &["filter=-c"]),
            ("--num-intervals 3 --base-dn dc=x", &["numIntervals=3", "baseDN=dc=x"]),
            ("--use-ssl --rate-per-second 5", &["useSSL=", "ratePerSecond=5"]),
            ("--address a --timelimit 4", &["hostname=a", "timeLimitSeconds=4"]),
            ("-h a -h b --", &["hostname=a", "hostname=b"]),
            ("-?", &["help="]),
            ("--record x --seed 7", &["record=x", "seed=7"]),
        ] {
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(outcome(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn option_errors_are_one_line() {
        for (line, part) in [
            ("--csv=true", "--csv takes no value"),
            ("-c -c", "-c can be given once only"),
            ("-f a --filter b", "--filter can be given once only, and was given as -f"),
            ("--filtre a", "no option --filtre.  Did you mean --filter?"),
            ("-e 5", "no option -e"),
            ("-f a cn", "'cn' belongs to no option"),
            ("-f a -- cn", "'cn' belongs to no option"),
            ("-f", "-f needs a value"),
            ("--value-patterns", "no option --value-patterns"),
        ] {
            let reason = outcome(line).unwrap_err();
            assert!(reason.contains(part) && !reason.contains('\n'), "{line}: {reason}");
        }
    }

    #[test]
    fn secrets_are_redacted_everywhere() {
        let words = ["-wpw", "-D", "pw", "--keyStorePIN=pw", "-T", "pw"].map(str::to_owned);
        let rows = table::of(Tool::Searchrate);
        let split = split(&words, &rows).unwrap();
        assert_eq!(
            redacted(&words, &split.given, &rows),
            ["-w***", "-D", "pw", "--keyStorePIN=***", "-T", "***"]
        );
    }
}

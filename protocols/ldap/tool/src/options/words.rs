//! Splits a command line by the rules of the original tools.
//!
//! Options come first: the first word that does not start with a dash begins the trailing arguments, and everything
//! after it belongs to them, dashes or not; `--` begins them as well. Long names match in any case and cannot be
//! abbreviated (confirmed by running OpenDJ 5.0.3: `--keepC` is an unknown argument there). Short options without a
//! value can share a dash. This module finds only the position of a value, not its meaning: so
//! [redaction](super::redact) can find every secret without searching for it.

use brunt_run::options::row::{Kind, Row};
use brunt_run::options::syntax::{Given, Source, Words};
use brunt_run::options::usage_error::UsageError;

/// Splits the words after the name of the tool.
pub fn split(words: &[String], options: &[Row]) -> Result<Words, UsageError> {
    let mut out = Words::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = if word == "--" {
            at += 1;
            break;
        } else if let Some(name) = word.strip_prefix("--") {
            long(words, at, name, options, &mut out.given)?
        } else if word == "-" {
            return Err(UsageError::new(
                "The dash character by itself is invalid for use as an argument name",
            ));
        } else if let Some(letters) = word.strip_prefix('-') {
            short(words, at, letters, options, &mut out.given)?
        } else {
            break;
        };
        at = next;
    }
    out.trailing = words.get(at..).unwrap_or_default().to_vec();
    Ok(out)
}

fn long(
    words: &[String],
    at: usize,
    text: &str,
    options: &[Row],
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let (option, source) = find_long(name, options)
        .ok_or_else(|| unknown(&format!("--{name}"), nearest(name, options)))?;
    let spelled = format!("--{name}");
    if let Some(value) = value {
        if !option.takes_value() {
            return Err(UsageError::new(format!(
                "A value was provided for argument {spelled} but that argument does not take a value"
            )));
        }
        given.push(Given {
            name: option.name,
            spelled,
            source,
            value: value.to_owned(),
            place: Some((at, name.len() + 3)),
        });
        return Ok(at + 1);
    }
    take(words, at, (option, source), spelled, given)
}

fn short(
    words: &[String],
    at: usize,
    letters: &str,
    options: &[Row],
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    for (index, letter) in letters.char_indices() {
        let spelled = format!("-{letter}");
        let option = find_short(letter, options).ok_or_else(|| unknown(&spelled, None))?;
        if !option.takes_value() {
            given.push(Given {
                name: option.name,
                spelled,
                source: Source::Literal,
                value: String::new(),
                place: Some((at, 0)),
            });
            continue;
        }
        if index > 0 {
            return Err(UsageError::new(format!(
                "The provided argument block '-{letters}' is illegal because the '{letter}' argument requires a value \
                 but is in the same block as at least one other argument that does not require a value"
            )));
        }
        let rest = &letters[letter.len_utf8()..];
        let (source, rest) =
            if option.kind == Kind::Secret { suffix(rest) } else { (Source::Literal, rest) };
        if rest.is_empty() {
            return take(words, at, (option, source), spelled, given);
        }
        // `-w:env=NAME` has an equals sign to drop; `-w=x` is the password `=x`, as in the original tools.
        let value =
            if source == Source::Literal { rest } else { rest.strip_prefix('=').unwrap_or(rest) };
        given.push(Given {
            name: option.name,
            spelled,
            source,
            value: value.to_owned(),
            place: Some((at, letters.len() + 1 - value.len())),
        });
        return Ok(at + 1);
    }
    Ok(at + 1)
}

/// Takes the word after an option as its value, if it needs one.
fn take(
    words: &[String],
    at: usize,
    (option, source): (&Row, Source),
    spelled: String,
    given: &mut Vec<Given>,
) -> Result<usize, UsageError> {
    if !option.takes_word() {
        given.push(Given {
            name: option.name,
            spelled,
            source,
            value: String::new(),
            place: Some((at, 0)),
        });
        return Ok(at + 1);
    }
    let Some(value) = words.get(at + 1) else {
        return Err(UsageError::new(format!(
            "Argument {spelled} requires a value but none was provided"
        )));
    };
    given.push(Given {
        name: option.name,
        spelled,
        source,
        value: value.clone(),
        place: Some((at + 1, 0)),
    });
    Ok(at + 2)
}

/// The option of a long name, which for a secret may end in `:env` or `:file`.
pub fn find_long<'o>(name: &str, options: &'o [Row]) -> Option<(&'o Row, Source)> {
    let named = |name: &str| {
        options.iter().find(|option| option.names().any(|long| long.eq_ignore_ascii_case(name)))
    };
    if let Some(option) = named(name) {
        return Some((option, Source::Literal));
    }
    let (stem, end) = name.rsplit_once(':')?;
    let source = match end.to_ascii_lowercase().as_str() {
        "env" => Source::Variable,
        "file" => Source::File,
        _ => return None,
    };
    named(stem).filter(|option| option.kind == Kind::Secret).map(|option| (option, source))
}

fn find_short(letter: char, options: &[Row]) -> Option<&Row> {
    let letter = if letter == '?' { 'H' } else { letter };
    options.iter().find(|option| option.short == Some(letter))
}

/// The suffix of a secret's letter: `:env`, `:file`, or the secret itself.
fn suffix(rest: &str) -> (Source, &str) {
    for (word, source) in [(":env", Source::Variable), (":file", Source::File)] {
        if let Some(tail) = rest.strip_prefix(word)
            && (tail.is_empty() || tail.starts_with('='))
        {
            return (source, tail);
        }
    }
    (Source::Literal, rest)
}

/// The message about an unknown option, with the one that was probably meant.
pub fn unknown(spelled: &str, meant: Option<&str>) -> UsageError {
    let hint = meant.map(|name| format!(".  Did you mean --{name}?")).unwrap_or_default();
    UsageError::new(format!("Argument {spelled} is not allowed for use with this program{hint}"))
}

/// The long name most similar to this one, if any is similar.
pub fn nearest(name: &str, options: &[Row]) -> Option<&'static str> {
    alike(name, options.iter().flat_map(Row::names))
}

/// The one of these names that is most similar to this one, if any is similar.
pub fn alike<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, &other.to_lowercase());
    known
        .map(|other| (likeness(other), other))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::table as options;
    use crate::options::tool::Tool;

    fn outcome(line: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
        let words: Vec<String> = line.iter().map(ToString::to_string).collect();
        let split = split(&words, &options::of(Tool::Authrate)).map_err(|fault| fault.reason)?;
        let given = split.given.iter().map(|given| match given.source {
            Source::Literal | Source::Verbatim => format!("{}={}", given.name, given.value),
            Source::Variable => format!("{}=${}", given.name, given.value),
            Source::File => format!("{}=@{}", given.name, given.value),
        });
        Ok((given.collect(), split.trailing))
    }

    #[test]
    fn option_values_are_parsed_in_every_spelling() {
        for (line, expected) in [
            (&["-c", "3"][..], &["numConnections=3"][..]),
            (&["-c3"], &["numConnections=3"]),
            (&["-c=3"], &["numConnections==3"]),
            (&["--numConnections", "3"], &["numConnections=3"]),
            (&["--NUMCONNECTIONS=3"], &["numConnections=3"]),
            (&["--bindPassword="], &["bindPassword="]),
            (&["-ZXf"], &["useSsl=", "trustAll=", "keepConnectionsOpen="]),
            (&["-?"], &["help="]),
            (&["-D", "-x"], &["bindDn=-x"]),
            (&["--useSSL", "--baseDN", "dc=x"], &["useSsl=", "baseDn=dc=x"]),
            (&["-w:env", "PW"], &["bindPassword=$PW"]),
            (&["-w:env=PW"], &["bindPassword=$PW"]),
            (&["-w:envoy"], &["bindPassword=:envoy"]),
            (&["--bindpassword:FILE", "/pw"], &["bindPassword=@/pw"]),
            (&["--bindPassword:file=/pw"], &["bindPassword=@/pw"]),
            (
                &["-T:file", "/pw", "-W:env", "A"],
                &["trustStorePassword=@/pw", "keyStorePassword=$A"],
            ),
        ] {
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(outcome(line), Ok((expected, Vec::new())), "{line:?}");
        }
    }

    #[test]
    fn options_end_at_the_first_trailing_argument() {
        let (given, trailing) = outcome(&["-f", "(uid={})", "-S", "--", "x"]).unwrap();
        assert_eq!(given, ["keepConnectionsOpen="]);
        assert_eq!(trailing, ["(uid={})", "-S", "--", "x"]);
        assert_eq!(outcome(&["--", "-x"]).unwrap().1, ["-x"]);
    }

    /// The texts are those of OpenDJ 5.0.3, except for the suggestion.
    #[test]
    fn option_errors_use_the_words_of_opendj() {
        for (line, message) in [
            (&["-"][..], "The dash character by itself is invalid for use as an argument name"),
            (&["-c"], "Argument -c requires a value but none was provided"),
            (
                &["--useSSL=true"],
                "A value was provided for argument --useSSL but that argument does not take a value",
            ),
            (&["-y"], "Argument -y is not allowed for use with this program"),
            (
                &["--keepC"],
                "Argument --keepC is not allowed for use with this program.  Did you mean --keepConnectionsOpen?",
            ),
            (&["--xyzzy"], "Argument --xyzzy is not allowed for use with this program"),
            (
                &["--hostname:env", "H"],
                "Argument --hostname:env is not allowed for use with this program.  Did you mean --hostname?",
            ),
            (
                &["-fcX"],
                "The provided argument block '-fcX' is illegal because the 'c' argument requires a value but is in the \
                 same block as at least one other argument that does not require a value",
            ),
        ] {
            assert_eq!(outcome(line).unwrap_err(), message, "{line:?}");
        }
    }
}

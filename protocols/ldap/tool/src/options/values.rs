//! The values of a command line, checked against the table and available by name.
//!
//! A value is checked when it is read, so that getting it later cannot fail; the message then names the option as it
//! was spelled, or the file and line. Values from the properties file are used only if the command line does not set
//! them. This module does not depend on the effect of the values.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use brunt_net::secret::Secret;
use brunt_run::options::fault::Fault;
use brunt_run::options::row::{Kind, Row};
use brunt_run::options::surroundings::Surroundings;

use super::properties;
use super::tool::Tool;
use super::words::{self, Source, Words};
use crate::options::table as options;
use crate::options::table::is_known;

/// The values of one command line.
#[derive(Debug)]
pub struct Values {
    options: Vec<Row>,
    given: HashMap<&'static str, Vec<Value>>,
}

/// One value and its origin.
#[derive(Debug)]
struct Value {
    text: String,
    source: Source,
    /// The option as the user knows it: `-c`, or `numConnections (tools.properties:3)`.
    spelled: String,
}

impl Values {
    /// Checks the values of a command line.
    pub fn new(words: &Words<'_>, options: Vec<Row>) -> Result<Self, Fault> {
        let mut values = Self { options, given: HashMap::new() };
        for given in &words.given {
            let option = values.row(given.option);
            let value = Value {
                text: given.value.to_owned(),
                source: given.source,
                spelled: given.spelled.clone(),
            };
            values.insert(option, value)?;
        }
        Ok(values)
    }

    /// Fills in missing values from a properties file, whose name is used in messages. Returns the names of the options
    /// that were filled in. A key that looks like a misspelt option is a note.
    pub fn fill(
        &mut self,
        file: &Path,
        bytes: &[u8],
        tool: Tool,
        notes: &mut Vec<String>,
    ) -> Result<Vec<&'static str>, Fault> {
        let at = |line: usize| format!("{}:{line}", file.display());
        let properties = properties::parse(bytes).map_err(|fault| {
            Fault::new(format!("The properties file {} cannot be read: {fault}", file.display()))
        })?;
        let prefix = format!("{}.", tool.name());
        let mut found = Vec::new();
        for property in properties {
            let lower = property.key.to_ascii_lowercase();
            let own = lower.strip_prefix(&prefix);
            match words::find_long(own.unwrap_or(&lower), &self.options) {
                Some((option, source)) => found.push((*option, source, own.is_some(), property)),
                None if own.is_none() => {
                    if let Some(meant) = misspelt(&lower, &self.options) {
                        notes.push(format!(
                            "{}: {} is not an option, and is ignored.  Did you mean {meant}?",
                            at(property.line),
                            property.key
                        ));
                    }
                }
                None => {
                    let name = own.unwrap_or_default();
                    let hint = words::nearest(name, &self.options)
                        .map(|name| format!(".  Did you mean {prefix}{name}?"));
                    let reason =
                        format!("{}: {} has no option {name}", at(property.line), tool.name());
                    return Err(Fault::new(reason + &hint.unwrap_or_default()));
                }
            }
        }
        let open: Vec<&'static str> = self
            .options
            .iter()
            .map(|option| option.name)
            .filter(|long| !self.given.contains_key(long))
            .collect();
        let mut filled = Vec::new();
        for long in open {
            let own = found.iter().any(|(option, _, own, _)| option.name == long && *own);
            for (option, source, _, property) in
                found.iter().filter(|it| it.0.name == long && it.2 == own)
            {
                let spelled = format!("{} ({})", property.key, at(property.line));
                self.insert_property(*option, *source, &property.value, spelled)?;
                filled.push(option.name);
            }
        }
        filled.dedup();
        Ok(filled)
    }

    fn insert_property(
        &mut self,
        option: Row,
        source: Source,
        text: &str,
        spelled: String,
    ) -> Result<(), Fault> {
        if option.kind != Kind::Switch {
            return self
                .insert(option, Value { text: text.trim_end().to_owned(), source, spelled });
        }
        match text.trim().to_ascii_lowercase().as_str() {
            "true" => self.insert(option, Value { text: String::new(), source, spelled }),
            "false" => Ok(()),
            _ => Err(refused(text, &spelled, "It must be true or false")),
        }
    }

    fn insert(&mut self, option: Row, value: Value) -> Result<(), Fault> {
        if value.source == Source::Literal {
            check(&option, &value)?;
        }
        let values = self.given.entry(option.name).or_default();
        if !values.is_empty() && option.takes_value() && !option.is_repeatable() {
            return Err(Fault::new(format!(
                "The argument {} was included multiple times in the provided set of arguments but it does not allow \
                 multiple values",
                value.spelled
            )));
        }
        values.push(value);
        Ok(())
    }

    fn row(&self, long: &str) -> Row {
        let row = self.options.iter().find(|option| option.name == long);
        *row.unwrap_or_else(|| unreachable!("--{long} came from this table"))
    }

    /// Whether the tool has this option.
    pub fn has(&self, long: &str) -> bool {
        self.options.iter().any(|option| option.name == long)
    }

    /// The option as the user spelled it, if it was given.
    pub fn spelled(&self, long: &str) -> Option<&str> {
        self.given.get(long)?.last().map(|value| value.spelled.as_str())
    }

    /// Whether it was given.
    pub fn given(&self, long: &str) -> bool {
        debug_assert!(is_known(long), "--{long} is in no table");
        self.given.contains_key(long)
    }

    /// The text given for an option.
    pub fn text(&self, long: &str) -> Option<&str> {
        debug_assert!(is_known(long), "--{long} is in no table");
        self.given.get(long)?.last().map(|value| value.text.as_str())
    }

    /// Every text given for an option that may be repeated.
    pub fn texts(&self, long: &str) -> Vec<String> {
        debug_assert!(is_known(long), "--{long} is in no table");
        self.given.get(long).into_iter().flatten().map(|value| value.text.clone()).collect()
    }

    /// The file given for an option.
    pub fn path(&self, long: &str) -> Option<PathBuf> {
        self.text(long).map(PathBuf::from)
    }

    /// The whole number given for an option.
    pub fn integer(&self, long: &str) -> Option<i64> {
        self.text(long).and_then(integer)
    }

    /// The whole number given for an option that cannot be negative.
    pub fn count(&self, long: &str) -> Option<u64> {
        self.integer(long).and_then(|number| u64::try_from(number).ok())
    }

    /// The number given for an option.
    pub fn decimal(&self, long: &str) -> Option<f64> {
        self.text(long).and_then(decimal)
    }

    /// Every number given for an option that may be repeated.
    pub fn decimals(&self, long: &str) -> Vec<f64> {
        self.given
            .get(long)
            .into_iter()
            .flatten()
            .filter_map(|value| decimal(&value.text))
            .collect()
    }

    /// The word given for an option, in the case of the table.
    pub fn choice(&self, long: &str) -> Option<&'static str> {
        let text = self.text(long)?;
        match self.row(long).kind {
            Kind::Choice(words) => {
                words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
            }
            _ => None,
        }
    }

    /// The secret given for an option, or in the file that another option names. A dash prompts for it.
    pub fn secret(
        &self,
        long: &str,
        file: &str,
        prompt: &str,
        surroundings: &dyn Surroundings,
    ) -> Result<Option<Secret>, Fault> {
        exclusive(self, &[long, file])?;
        if let Some(path) = self.text(file) {
            return secret_file(path, self.spelled(file).unwrap_or(file), surroundings).map(Some);
        }
        let Some(value) = self.given.get(long).and_then(|values| values.last()) else {
            return Ok(None);
        };
        match value.source {
            Source::Literal if value.text == "-" => self.ask(long, prompt, surroundings).map(Some),
            Source::Literal | Source::Verbatim => {
                Ok(Some(Secret::new(value.text.clone().into_bytes())))
            }
            Source::File => secret_file(&value.text, &value.spelled, surroundings).map(Some),
            Source::Variable => match surroundings.variable(&value.text) {
                Some(text) => Ok(Some(Secret::new(text.into_bytes()))),
                None => Err(refused(
                    &value.text,
                    &value.spelled,
                    "No environment variable of that name is set to a text",
                )),
            },
        }
    }

    /// Prompts for a secret, unless that is forbidden or there is no user to prompt.
    pub fn ask(
        &self,
        long: &str,
        prompt: &str,
        surroundings: &dyn Surroundings,
    ) -> Result<Secret, Fault> {
        let remedy = format!("give it with --{long}, --{long}:env or --{long}:file");
        if self.given("no-prompt") {
            return Err(Fault::new(format!(
                "A password is missing, and --no-prompt is given: {remedy}"
            )));
        }
        if !surroundings.interactive() {
            return Err(Fault::new(format!(
                "A password is missing, and standard input is not a terminal: {remedy}"
            )));
        }
        surroundings.ask(prompt).map_err(|error| {
            Fault::new(format!(
                "The password could not be read from the terminal ({error}): {remedy}"
            ))
        })
    }
}

/// Refuses options that exclude each other.
pub fn exclusive(values: &Values, longs: &[&str]) -> Result<(), Fault> {
    let given: Vec<&str> = longs.iter().copied().filter(|long| values.given(long)).collect();
    match given[..] {
        [one, other, ..] => Err(Fault::new(format!(
            "You may not provide both the --{one} and the --{other} arguments"
        ))),
        _ => Ok(()),
    }
}

/// A value that is not acceptable, and why.
pub fn refused(value: &str, spelled: &str, why: &str) -> Fault {
    Fault::new(format!(
        "The provided value \"{value}\" for argument {spelled} is not acceptable:  {why}"
    ))
}

/// The option that a key of a shared properties file was probably meant to be. Keys with a dot, options of the other
/// tools and words unlike any option belong to others.
fn misspelt(key: &str, options: &[Row]) -> Option<&'static str> {
    let others =
        || Tool::ALL.into_iter().any(|tool| words::find_long(key, &options::of(tool)).is_some());
    if key.contains('.') || others() {
        return None;
    }
    let most = if key.len() < 8 { 1 } else { 2 };
    let stem = key.split(':').next().unwrap_or(key);
    let apart = |long: &str| strsim::damerau_levenshtein(stem, &long.to_ascii_lowercase());
    let near = options.iter().flat_map(Row::names).map(|long| (apart(long), long));
    near.filter(|(apart, _)| *apart <= most).min_by_key(|(apart, _)| *apart).map(|(_, long)| long)
}

/// The first line of a file, as a secret.
fn secret_file(
    path: &str,
    spelled: &str,
    surroundings: &dyn Surroundings,
) -> Result<Secret, Fault> {
    let bytes = surroundings
        .secret(Path::new(path))
        .map_err(|error| refused(path, spelled, &format!("The file cannot be read: {error}")))?;
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(refused(path, spelled, "The first line of the file is empty"));
    }
    Ok(Secret::new(line.to_vec()))
}

fn check(option: &Row, value: &Value) -> Result<(), Fault> {
    let (name, text) = (option.name, value.text.as_str());
    let bound = |side: &str, bound: &dyn std::fmt::Display| {
        format!(
            "The provided {name} value {text} is unacceptable because it is {side} bound of {bound}"
        )
    };
    let why = match option.kind {
        Kind::Integer(min, max) => match integer(text).map(i128::from) {
            None => Some(format!(
                "The provided value \"{text}\" for the {name} argument cannot be decoded as an integer"
            )),
            Some(number) if number < min => Some(bound("below the lower", &min)),
            Some(number) if number > max => Some(bound("above the upper", &max)),
            Some(_) => None,
        },
        Kind::Decimal(min, max) => match decimal(text) {
            None => Some(format!(
                "The provided value \"{text}\" for the {name} argument cannot be decoded as a number"
            )),
            Some(number) if number < min => Some(bound("below the lower", &min)),
            Some(number) if number > max => Some(bound("above the upper", &max)),
            Some(_) => None,
        },
        Kind::Choice(words) if !words.iter().any(|word| word.eq_ignore_ascii_case(text)) => {
            Some(format!(
                "The provided {name} value {text} is unacceptable because it is not one of {}",
                words.join(", ")
            ))
        }
        Kind::Path if text.is_empty() => Some("A file name cannot be empty".to_owned()),
        _ => None,
    };
    why.map_or(Ok(()), |why| Err(refused(text, &value.spelled, &why)))
}

/// A whole number, in which commas may separate groups of three digits.
fn integer(text: &str) -> Option<i64> {
    ungroup(text)?.parse().ok()
}

fn decimal(text: &str) -> Option<f64> {
    let plain = ungroup(text)?;
    let legal =
        plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'));
    plain.parse().ok().filter(|number: &f64| legal && number.is_finite())
}

/// Removes grouping commas, if they are in the right positions.
fn ungroup(text: &str) -> Option<String> {
    let (whole, fraction) =
        text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    if !whole.contains(',') {
        return Some(text.to_owned());
    }
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let mut groups = digits.split(',');
    let first = groups.next().unwrap_or_default();
    if !(1..=3).contains(&first.len()) || groups.any(|group| group.len() != 3) {
        return None;
    }
    let plain = whole.replace(',', "");
    Some(fraction.map_or_else(|| plain.clone(), |fraction| format!("{plain}.{fraction}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_group_three_digits_or_are_refused() {
        for (text, number) in [
            ("10,000", Some(10_000)),
            ("1,234,567", Some(1_234_567)),
            ("-1,000", Some(-1_000)),
            ("10000", Some(10_000)),
            ("1,00", None),
            (",100", None),
            ("1000,000", None),
            ("", None),
            ("1e3", None),
        ] {
            assert_eq!(integer(text), number, "{text}");
        }
        assert_eq!(decimal("1,000.5"), Some(1000.5));
        assert_eq!(decimal("99.95"), Some(99.95));
        for text in ["nan", "inf", "1e3", "1.2,3", ""] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}

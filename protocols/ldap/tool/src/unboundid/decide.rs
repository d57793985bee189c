//! Which grammar a line is in: the first of a list of signs decides.
//!
//! The user's choice comes first, then the options that only one family of tools has, then options whose values or
//! followers only one family accepts, and last which grammar can read the line at all. A few lines mean something in
//! both; they are OpenDJ's, as they always were here, with a note.

use std::path::Path;

use brunt_feed::file;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::row::Row;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::Source;
use brunt_run::options::usage_error::UsageError;

use super::names::is_dashed;
use super::scan::{self, Next, Seen};
use super::table::{self, find_long, find_short};
use super::trial::{Kept, Trial};
use crate::options::dialect::Dialect;
use crate::options::properties;
use crate::options::rate::brackets::is_range_or_kind;
use crate::options::rate::{self, Parsed};
use crate::options::table as options;
use crate::options::tool::Tool;

/// The variable that names the dialect.
const VARIABLE: &str = "BRUNT_LDAP_DIALECT";

/// Reads the words after the name of a tool in the dialect that they are in. `linked` is the dialect that the name of a
/// link implies.
pub(crate) fn parse(
    tool: Tool,
    linked: Option<Dialect>,
    words: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Parsed, Refusal> {
    let surroundings = &Kept::new(surroundings);
    let faulty = |fault: UsageError| opendj_refusal(&fault, tool);
    let DialectWords { rest, removed, dialect: message } = message(tool, words).map_err(faulty)?;
    let known = match message.or(linked) {
        Some(dialect) => Some(dialect),
        None => elsewhere(tool, &rest, surroundings).map_err(faulty)?,
    };
    // A variable or a property for all tools is not about one that the dialect does not have.
    let known = known.filter(|dialect| message.is_some() || dialect.has(tool));
    let mut parsed = match known {
        None => Line::new(tool, &rest).read(surroundings)?,
        Some(dialect) if !dialect.has(tool) => {
            let reason = format!("UnboundID has no {}: leave out --dialect unboundid", tool.name());
            return Err(faulty(UsageError::new(reason)));
        }
        Some(Dialect::Opendj) => opendj(tool, &rest, surroundings)?,
        Some(Dialect::Unboundid) => super::parse(tool, &rest, surroundings)?,
    };
    if let Parsed::Run(args) = &mut parsed {
        // The line that a record shows must be read in the same dialect again.
        let names = message.is_none() && (known.is_some() || args.dialect == Dialect::Unboundid);
        let dialect = ["--dialect", args.dialect.word()].map(str::to_owned);
        let dialect = if names { &dialect[..] } else { &[] };
        let [name, redacted @ ..] = &args.output.typed[..] else { return Ok(parsed) };
        let shown = with_dialect(words, &removed, redacted);
        args.output.typed = [std::slice::from_ref(name), dialect, &shown].concat();
    }
    Ok(parsed)
}

fn opendj(
    tool: Tool,
    words: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Parsed, Refusal> {
    rate::parse(tool, words, surroundings).map_err(|fault| opendj_refusal(&fault, tool))
}

/// The redacted words with `--dialect` where it was in the line.
fn with_dialect(words: &[String], removed: &[usize], redacted: &[String]) -> Vec<String> {
    let mut shown = redacted.iter();
    let word = |at: usize| if removed.contains(&at) { words.get(at) } else { shown.next() };
    (0..words.len()).filter_map(word).cloned().collect()
}

fn opendj_refusal(fault: &UsageError, tool: Tool) -> Refusal {
    Refusal { text: fault.page(tool.name()), exit: Exit::LdapUsage }
}

/// A line, and the value of `--dialect` in it.
struct DialectWords {
    /// The words without it.
    rest: Vec<String>,
    /// The numbers of the others.
    removed: Vec<usize>,
    dialect: Option<Dialect>,
}

/// Takes `--dialect` out of a line. A word that is the value of an option in both grammars is no
/// option.
fn message(tool: Tool, words: &[String]) -> Result<DialectWords, UsageError> {
    let rows = table::of(tool);
    let known = options::of(tool);
    let takes = |word: &String| {
        let ours = scan::opendj(std::slice::from_ref(word), &known, &[]).0;
        let theirs = scan::unboundid(std::slice::from_ref(word), &rows);
        let needs = |seen: &[Seen<'_>], takes: &dyn Fn(&str) -> bool| {
            seen.last().is_some_and(|it| it.value.is_none() && takes(it.long))
        };
        let in_ours = |long: &str| known.iter().any(|it| it.name == long && it.takes_word());
        let in_theirs = |long: &str| rows.iter().any(|it| it.name == long && it.takes_word());
        needs(&ours, &in_ours) && (rows.is_empty() || needs(&theirs, &in_theirs))
    };
    let mut message = DialectWords { rest: Vec::new(), removed: Vec::new(), dialect: None };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_value = at > 0 && takes(&words[at - 1]);
        let (name, inline) =
            word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
        if is_value || !name.eq_ignore_ascii_case("--dialect") {
            message.rest.push(word.clone());
            at += 1;
            continue;
        }
        let value = inline.or_else(|| words.get(at + 1).map(String::as_str));
        message.dialect = Some(dialect(value.unwrap_or_default(), "--dialect")?);
        let consumed = if inline.is_some() { 1 } else { 2 };
        message.removed.extend(at..at + consumed);
        at += consumed;
    }
    Ok(message)
}

fn dialect(word: &str, from: &str) -> Result<Dialect, UsageError> {
    Dialect::new(word.trim()).ok_or_else(|| {
        UsageError::new(format!("{from} '{word}' is not a dialect: it must be opendj or unboundid"))
    })
}

/// The dialect that a properties file or the environment names.
fn elsewhere(
    tool: Tool,
    words: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Option<Dialect>, UsageError> {
    if let Some(word) = property(tool, words, surroundings) {
        return dialect(&word, "the property dialect").map(Some);
    }
    let variable = surroundings.ambient(VARIABLE).filter(|word| !word.is_empty());
    variable.map(|word| dialect(&word, VARIABLE)).transpose()
}

/// The property of the first properties file that either dialect would read. One that cannot be read is reported where
/// it is needed.
fn property(tool: Tool, words: &[String], surroundings: &dyn Surroundings) -> Option<String> {
    let seen = scan::unboundid(words, &table::of(Tool::Searchrate));
    let given = |long: &str| seen.iter().find(|it| it.long == long);
    if given("noPropertiesFile").is_some() {
        return None;
    }
    let named = given("propertiesFilePath").and_then(|it| it.value);
    let bytes = match named {
        Some(path) => surroundings.read(Path::new(path)).ok(),
        None => surroundings
            .properties_files()
            .into_iter()
            .find_map(|path| surroundings.read(&path).ok()),
    };
    let found = properties::parse(&file::unmarked(bytes?)).ok()?;
    let own = format!("{}.dialect", tool.name());
    let of = |key: &str| found.iter().find(|it| it.key.eq_ignore_ascii_case(key));
    of(&own).or_else(|| of("dialect")).map(|property| property.value.clone())
}

/// A line whose dialect is not given.
struct Line<'a> {
    tool: Tool,
    words: &'a [String],
    rows: Vec<Row>,
}

/// What the options of a line show.
#[derive(Debug, PartialEq, Eq)]
enum Signs {
    /// It is in this dialect, by this option.
    One(Dialect, String),
    /// It has options of both: UnboundID's and OpenDJ's.
    Both(String, String),
    /// Nothing.
    None,
}

impl<'a> Line<'a> {
    fn new(tool: Tool, words: &'a [String]) -> Self {
        Self { tool, words, rows: table::of(tool) }
    }

    fn read(&self, surroundings: &dyn Surroundings) -> Result<Parsed, Refusal> {
        if !Dialect::Unboundid.has(self.tool) {
            return opendj(self.tool, self.words, surroundings);
        }
        match self.signs() {
            Signs::One(Dialect::Opendj, _) => opendj(self.tool, self.words, surroundings),
            Signs::One(Dialect::Unboundid, _) => super::parse(self.tool, self.words, surroundings),
            Signs::Both(theirs, ours) => Err(opendj_refusal(
                &UsageError::new(format!(
                    "{theirs} is an option of UnboundID's {name}, and {ours} one of OpenDJ's: use the options of one \
                     of them.  {}",
                    self.remedy(),
                    name = self.tool.name(),
                )),
                self.tool,
            )),
            Signs::None => self.tried(surroundings),
        }
    }

    /// The options that only one dialect has, or that it alone can mean.
    fn signs(&self) -> Signs {
        let theirs = scan::unboundid(self.words, &self.rows);
        let known = options::of(self.tool);
        let (ours, trailing) = scan::opendj(self.words, &known, &self.rows);
        let theirs = theirs.iter().find(|seen| self.is_unboundid(seen));
        let placed = || trailing.iter().find(|word| has_placeholder(word)).cloned();
        let ours = ours.iter().find(|seen| is_opendj(seen)).map(shown).or_else(placed);
        match (theirs.map(shown), ours) {
            (Some(theirs), Some(ours)) => Signs::Both(theirs, ours),
            (Some(theirs), None) => Signs::One(Dialect::Unboundid, theirs),
            (None, Some(ours)) => Signs::One(Dialect::Opendj, ours),
            (None, None) => Signs::None,
        }
    }

    fn is_unboundid(&self, seen: &Seen<'_>) -> bool {
        if seen.is_long {
            let name = seen.spelled.trim_start_matches('-');
            let dashed = find_long(name, &self.rows).is_some_and(|row| is_dashed(row, name));
            return dashed || UNBOUNDID.contains(&seen.long) || seen.long.starts_with("promptFor");
        }
        let before_option = match seen.next {
            Next::End => false,
            Next::Letter => true,
            Next::Word(word) => self.is_option(word),
        };
        let value = seen.value.unwrap_or_default();
        match seen.spelled.as_str() {
            "-a" if self.tool == Tool::Authrate => {
                AUTH_TYPES.contains(&value.to_lowercase().as_str())
            }
            // At the end of a line it may also be one of OpenDJ's that lacks its value.
            "-c" | "-B" | "-a" => before_option,
            "-m" => !is_number(value),
            "-r" | "-R" | "-C" | "-A" | "-O" | "-z" | "-l" => true,
            "-I" => self.tool != Tool::Authrate,
            "-f" => before_option && !value.starts_with('-'),
            _ => false,
        }
    }

    /// Whether UnboundID's grammar would take a word for an option.
    fn is_option(&self, word: &str) -> bool {
        match word.strip_prefix("--") {
            Some(text) => {
                let name = text.split('=').next().unwrap_or_default();
                find_long(name, &self.rows).is_some()
            }
            None => word
                .strip_prefix('-')
                .and_then(|letters| letters.chars().next())
                .is_some_and(|letter| find_short(letter, &self.rows).is_some()),
        }
    }

    /// Which of the grammars can read the line.
    fn tried(&self, surroundings: &dyn Surroundings) -> Result<Parsed, Refusal> {
        let (tool, words) = (self.tool, self.words);
        let trial = Trial(surroundings);
        let ours = rate::parse(tool, words, &trial);
        let theirs = super::parse(tool, words, &trial);
        match (&ours, &theirs) {
            (Ok(Parsed::Run(_)), Ok(Parsed::Run(_))) => {}
            // Help, a version or a file: whichever it is, it was always that of OpenDJ's.
            (Ok(_), _) => return opendj(tool, words, surroundings),
            (Err(_), Ok(_)) => return super::parse(tool, words, surroundings),
            (Err(_), Err(_)) if self.has_pattern() => {
                return super::parse(tool, words, surroundings);
            }
            (Err(_), Err(_)) => return self.neither(surroundings),
        }
        if tool == Tool::Modrate || self.has_pattern() {
            return super::parse(tool, words, surroundings);
        }
        let mut parsed = opendj(tool, words, surroundings)?;
        if let Parsed::Run(args) = &mut parsed {
            args.notes.push(format!(
                "This line is valid for OpenDJ's {name} (-f keeps connections open) and for UnboundID's (-f is the \
                 filter); it is read as OpenDJ's.  {}",
                self.remedy(),
                name = tool.name()
            ));
        }
        Ok(parsed)
    }

    /// The message of OpenDJ's grammar, which most lines are in.
    fn neither(&self, surroundings: &dyn Surroundings) -> Result<Parsed, Refusal> {
        let parsed = rate::parse(self.tool, self.words, surroundings);
        parsed.map_err(|fault| {
            let more =
                if self.words.is_empty() { String::new() } else { format!(".  {}", self.remedy()) };
            opendj_refusal(&UsageError::new(fault.reason + &more), self.tool)
        })
    }

    fn remedy(&self) -> String {
        format!(
            "Say which: --dialect opendj, --dialect unboundid, or start it as unboundid-{}",
            self.tool.name()
        )
    }

    /// Whether the filter or the base has a value pattern.
    fn has_pattern(&self) -> bool {
        let theirs = scan::unboundid(self.words, &self.rows);
        let (ours, trailing) = scan::opendj(self.words, &options::of(self.tool), &self.rows);
        let named = ["filter", "baseDN", "entryDN", "baseDn", "targetDn"];
        let values = theirs.iter().chain(&ours).filter(|seen| named.contains(&seen.long));
        let values = values.filter_map(|seen| seen.value);
        let mut values = values.chain(trailing.first().map(String::as_str));
        values.any(|value| {
            let mut from = value.match_indices('[').map(|(at, _)| &value[at + 1..]);
            from.any(|rest| rest.split_once(']').is_some_and(|(inner, _)| is_range_or_kind(inner)))
        })
    }
}

fn shown(seen: &Seen<'_>) -> String {
    // Other values may be secrets.
    let shows = ["-c", "-B", "-m"].contains(&seen.spelled.as_str());
    match seen.value.filter(|value| shows && is_number(value)) {
        Some(value) => format!("{} {value}", seen.spelled),
        None => seen.spelled.clone(),
    }
}

fn is_opendj(seen: &Seen<'_>) -> bool {
    let value = seen.value.unwrap_or_default();
    if seen.source != Source::Literal {
        return true;
    }
    if seen.is_long {
        // Both families have this name for the rate.
        let shared = seen.spelled.eq_ignore_ascii_case("--ratePerSecond");
        return OPENDJ.contains(&seen.long) && !shared;
    }
    match seen.spelled.as_str() {
        "-g" | "-F" | "-M" | "-d" | "-e" | "-S" | "-E" | "-n" | "-v" => true,
        "-m" | "-c" | "-B" => is_number(value),
        "-a" => POLICIES.contains(&value.to_lowercase().as_str()),
        "-w" | "-W" | "-T" => [":env", ":file"].iter().any(|suffix| value.starts_with(suffix)),
        _ => false,
    }
}

/// Options that only UnboundID's tools have.
const UNBOUNDID: [&str; 12] = [
    "filter",
    "credentials",
    "bindOnly",
    "authType",
    "ldapURL",
    "numIntervals",
    "warmUpIntervals",
    "suppressErrorResultCodes",
    "asynchronous",
    "maxOutstandingRequests",
    "useSASLExternal",
    "helpSASL",
];

/// Options that only OpenDJ's tools have, or that are ours and only make sense there.
const OPENDJ: [&str; 15] = [
    "targetThroughput",
    "argument",
    "noRebind",
    "maxDuration",
    "no-prompt",
    "numConnections",
    "keepConnectionsOpen",
    "maxIterations",
    "mvcc",
    "strategy",
    "raw",
    "inc-scope",
    "rand-inclusive",
    "value-patterns",
    "percentile",
];

const AUTH_TYPES: [&str; 4] = ["simple", "plain", "cram-md5", "digest-md5"];
const POLICIES: [&str; 4] = ["never", "always", "search", "find"];

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Whether a trailing argument has a placeholder of OpenDJ's templates: `%d`, `%2$s`, `{}`, `{2}`.
fn has_placeholder(word: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let braces = word.match_indices('{').any(|(at, _)| {
        let rest = &word[at + 1..];
        rest[digits(rest)..].starts_with('}')
    });
    let percents = word.match_indices('%').any(|(at, _)| {
        let rest = &word[at + 1..];
        let number = digits(rest);
        rest.starts_with(['d', 's']) || number > 0 && rest[number..].starts_with("$s")
    });
    braces || percents
}

#[cfg(test)]
mod tests;

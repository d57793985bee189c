//! Files of rates that vary over a run: `--variableRateData` of `UnboundID`'s tools.
//!
//! A header of `name=value` lines ends with `END HEADER`; each line after it is a rate per second and, after a comma,
//! how long it applies. A rate that ends with `x` is a multiple of the rate on the command line. The file is read
//! completely, since a schedule needs to know when it ends.

use crate::files::Files;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that `--generateSampleRateFile` writes: it can be used directly, and explains the rules.
pub const SAMPLE: &str = include_str!("rates/sample.txt");

/// A rate and how long it applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Exchanges a second.
    pub per_second: f64,
    /// How long it applies.
    pub lasting: Duration,
}

/// The rates of a run, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// The rates; at least one.
    pub steps: Vec<Rate>,
    /// Whether the first rate follows the last again. Otherwise the run ends with the last.
    pub repeat: bool,
}

/// Why a file of rates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    /// The file cannot be read.
    #[error("read the rate file {}; check its name and permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error that the operating system returned.
        source: io::Error,
    },
    /// A line that is not valid in its place.
    #[error("use the rate file: {file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what would be correct.
        problem: RateProblem,
    },
}

/// What is wrong with a line of a file of rates, and what would be correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RateProblem {
    /// The header does not name the contents of the file.
    #[error("the header lacks the line `format=rate-and-duration`")]
    NoFormat,
    /// The header has no end.
    #[error("the file ends within its header; close it with the line `END HEADER`")]
    OpenHeader,
    /// There are no rates.
    #[error("no rate follows the header; give at least one, as in `1000, 10 seconds`")]
    NoRate,
    /// Nothing would be sent.
    #[error("every rate is zero; give at least one above it")]
    AllZero,
    /// A line of the header without a value.
    #[error("`{0}` is not of the form name=value; end the header with `END HEADER`")]
    NoValue(String),
    /// A name that was given before.
    #[error("`{0}` is given twice; keep one of the two")]
    Twice(String),
    /// Another format.
    #[error("the format `{0}` is not known; it can only be rate-and-duration")]
    Format(String),
    /// A repetition that is neither on nor off.
    #[error("repeat is `{0}`; it can be true or false")]
    Repeat(String),
    /// A name that the header does not have.
    #[error("the header has no `{0}`; there are format, default-duration and repeat")]
    Name(String),
    /// A rate without an end.
    #[error("the rate has no duration, and the header no default-duration; give one of them")]
    NoDuration,
    /// Not a rate.
    #[error(
        "`{0}` is not a rate; write a number a second, as in `1000`, or a multiple, as in `0.75x`"
    )]
    Rate(String),
    /// A multiple of nothing.
    #[error("`{0}` is a multiple of the rate on the command line, which is not given; give it")]
    NoBase(String),
    /// Not a time.
    #[error(
        "`{0}` is not a duration; write a positive integer and a unit, ns us ms s m h or d, as in `10 seconds`"
    )]
    Duration(String),
}

impl Rates {
    /// Reads the file at `path`; `base` is the rate to which multiples refer.
    pub fn read(files: &Files, path: &Path, base: Option<f64>) -> Result<Self, RateError> {
        let text = files
            .read_text(path)
            .map_err(|source| RateError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string(), base)
    }

    /// Parses `text`; errors refer to it as `file`, and `base` is the rate to which multiples refer.
    pub fn parse(text: &str, file: &str, base: Option<f64>) -> Result<Self, RateError> {
        let mut header = Some(Header::default());
        let mut rates = Self::default();
        let mut lasting = None;
        for (index, line) in text.lines().enumerate() {
            let wrong =
                |problem| RateError::Line { file: file.to_owned(), line: index + 1, problem };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match &mut header {
                Some(open) if line == "END HEADER" => {
                    if !open.format {
                        return Err(wrong(RateProblem::NoFormat));
                    }
                    lasting = open.lasting;
                    rates.repeat = open.repeat.unwrap_or(false);
                    header = None;
                }
                Some(open) => open.read(line).map_err(wrong)?,
                None => rates.steps.push(rate(line, base, lasting).map_err(wrong)?),
            }
        }
        let wrong = |problem| {
            let line = text.lines().count().max(1);
            RateError::Line { file: file.to_owned(), line, problem }
        };
        if header.is_some() {
            return Err(wrong(RateProblem::OpenHeader));
        }
        if rates.steps.is_empty() {
            return Err(wrong(RateProblem::NoRate));
        }
        if rates.steps.iter().all(|rate| rate.per_second == 0.0) {
            return Err(wrong(RateProblem::AllZero));
        }
        Ok(rates)
    }
}

#[derive(Default)]
struct Header {
    format: bool,
    lasting: Option<Duration>,
    repeat: Option<bool>,
}

impl Header {
    fn read(&mut self, line: &str) -> Result<(), RateProblem> {
        let (name, value) =
            line.split_once('=').ok_or_else(|| RateProblem::NoValue(line.to_owned()))?;
        let (name, value) = (name.trim(), value.trim());
        let again = || RateProblem::Twice(name.to_owned());
        match name.to_ascii_lowercase().as_str() {
            "format" if self.format => Err(again()),
            "format" if value != "rate-and-duration" => Err(RateProblem::Format(value.to_owned())),
            "format" => {
                self.format = true;
                Ok(())
            }
            "default-duration" => {
                self.lasting.replace(duration(value)?).map_or(Ok(()), |_| Err(again()))
            }
            "repeat" => {
                let repeat = match value.to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(RateProblem::Repeat(value.to_owned())),
                };
                self.repeat.replace(repeat).map_or(Ok(()), |_| Err(again()))
            }
            _ => Err(RateProblem::Name(name.to_owned())),
        }
    }
}

fn rate(line: &str, base: Option<f64>, default: Option<Duration>) -> Result<Rate, RateProblem> {
    let (rate, lasting) = line
        .split_once(',')
        .map_or((line, None), |(rate, lasting)| (rate.trim(), Some(lasting.trim())));
    let lasting = match lasting {
        Some(lasting) => duration(lasting)?,
        None => default.ok_or(RateProblem::NoDuration)?,
    };
    let number = |text: &str| {
        let read = text.trim().parse::<f64>().ok();
        read.filter(|rate| rate.is_finite() && *rate >= 0.0)
            .ok_or_else(|| RateProblem::Rate(rate.to_owned()))
    };
    let per_second = match rate.strip_suffix(['x', 'X']) {
        Some(factor) => {
            let base = base.ok_or_else(|| RateProblem::NoBase(rate.to_owned()))?;
            number(factor)? * base
        }
        None => number(rate)?,
    };
    Ok(Rate { per_second, lasting })
}

fn duration(text: &str) -> Result<Duration, RateProblem> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let unit = match text[end..].trim().to_ascii_lowercase().as_str() {
        "nanoseconds" | "nanosecond" | "nanos" | "nano" | "ns" => Some(1),
        "microseconds" | "microsecond" | "micros" | "micro" | "us" => Some(1_000),
        "milliseconds" | "millisecond" | "millis" | "milli" | "ms" => Some(1_000_000),
        "seconds" | "second" | "secs" | "sec" | "s" => Some(1_000_000_000),
        "minutes" | "minute" | "mins" | "min" | "m" => Some(60_000_000_000),
        "hours" | "hour" | "hrs" | "hr" | "h" => Some(3_600_000_000_000),
        "days" | "day" | "d" => Some(86_400_000_000_000_u64),
        _ => None,
    };
    let nanos = unit
        .and_then(|unit| text[..end].parse::<u64>().ok()?.checked_mul(unit))
        .filter(|&nanos| nanos > 0);
    nanos.map(Duration::from_nanos).ok_or_else(|| RateProblem::Duration(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "format=rate-and-duration\nEND HEADER\n";

    fn complaint(text: &str) -> String {
        Rates::parse(text, "rates.txt", None).unwrap_err().to_string()
    }

    #[test]
    fn rates_and_durations_are_parsed() {
        let text = "# A comment.\n\nformat = rate-and-duration\ndefault-duration=250ms\nrepeat = TRUE\nEND HEADER\n\
                    1000, 1 minute\n 2.5X\n0x,3s\n# Another.\n50.5,1d\n";
        let rates = Rates::parse(text, "rates.txt", Some(200.0)).unwrap();
        let expected = [(1000.0, 60_000), (500.0, 250), (0.0, 3_000), (50.5, 86_400_000)];
        let steps = expected.map(|(per_second, millis)| Rate {
            per_second,
            lasting: Duration::from_millis(millis),
        });
        assert_eq!(rates, Rates { steps: steps.to_vec(), repeat: true });
    }

    #[test]
    fn duration_units_are_all_known() {
        for (text, nanos) in [
            ("1 nanoseconds", 1),
            ("7ns", 7),
            ("2 micros", 2_000),
            ("3us", 3_000),
            ("4 milli", 4_000_000),
            ("5secs", 5_000_000_000),
            ("6 M", 360_000_000_000),
            ("1 hrs", 3_600_000_000_000),
            ("2day", 172_800_000_000_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn rate_file_sample_is_valid() {
        let rates = Rates::parse(SAMPLE, "sample", None).unwrap();
        assert!(rates.repeat);
        assert_eq!(rates.steps.len(), 10);
        assert_eq!(rates.steps[9], Rate { per_second: 10_000.0, lasting: Duration::from_secs(60) });
    }

    #[test]
    fn rate_file_errors_are_named_by_line() {
        let after = |line: &str| format!("{HEADER}{line}\n");
        for (text, line, words) in [
            (String::new(), 1, "ends within its header"),
            ("END HEADER\n1,1s".to_owned(), 1, "lacks the line `format=rate-and-duration`"),
            ("format=other\n".to_owned(), 1, "`other` is not known"),
            ("format=rate-and-duration\nformat=rate-and-duration\n".to_owned(), 2, "given twice"),
            ("default-duration=1s\ndefault-duration=1s\n".to_owned(), 2, "given twice"),
            ("repeat=maybe\n".to_owned(), 1, "true or false"),
            ("repeat=true\nrepeat=true\n".to_owned(), 2, "given twice"),
            ("colour=red\n".to_owned(), 1, "has no `colour`"),
            ("1000\n".to_owned(), 1, "not of the form name=value"),
            (HEADER.to_owned(), 2, "no rate follows"),
            (after("1000"), 3, "has no duration"),
            (after("fast,1s"), 3, "`fast` is not a rate"),
            (after("-1,1s"), 3, "`-1` is not a rate"),
            (after("2x,1s"), 3, "not given"),
            (after("0,1s"), 3, "every rate is zero"),
            (after("1,10"), 3, "`10` is not a duration"),
            (after("1,0s"), 3, "`0s` is not a duration"),
            (after("1,1 fortnight"), 3, "is not a duration"),
            (after("1,99999999999999999d"), 3, "is not a duration"),
        ] {
            let complaint = complaint(&text);
            assert!(
                complaint.starts_with(&format!("use the rate file: rates.txt:{line}: ")),
                "{complaint}"
            );
            assert!(complaint.contains(words), "{complaint}");
        }
        let missing = Rates::read(&Files::default(), Path::new("/nonexistent/rates"), None)
            .unwrap_err()
            .to_string();
        assert!(missing.contains("/nonexistent/rates"), "{missing}");
    }
}

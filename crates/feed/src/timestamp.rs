//! Timestamps of value patterns: the present or a random point in time, in a chosen format.
//!
//! The present time is the only value in this crate that is not a function of (seed, position): a pattern without
//! bounds requests it explicitly. Everything is written in UTC, so that a run means the same on every machine; Java's
//! tools use the machine's time zone for formats of letters.

use crate::stream::Stream;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use std::time::Duration;

/// Points in time and their format.
#[derive(Clone, Debug)]
pub(crate) struct Timestamp {
    /// The earliest time and the span after it, in milliseconds since 1970; `None` means the present.
    pub(crate) between: Option<(i64, u64)>,
    pub(crate) form: Form,
    pub(crate) stream: Stream,
}

/// The format of a point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Generalized time with milliseconds: `20260102030405.678Z`.
    Generalized,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Seconds since 1970.
    Seconds,
    /// Fields of Java's `SimpleDateFormat`.
    Fields(Vec<Field>),
}

/// A part of a format of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Text(String),
    /// A number with its minimum number of digits.
    Number(char, usize),
    /// `Z`, `X` or `z`: the zone.
    Zone(&'static str),
}

impl Timestamp {
    /// Appends the time for the exchange `number`.
    pub(crate) fn write(&self, number: u64, out: &mut Vec<u8>) {
        let millis = match self.between {
            Some((first, span)) => {
                first.saturating_add_unsigned(self.stream.at(number).up_to(span))
            }
            None => present(),
        };
        let mut buffer = itoa::Buffer::new();
        match &self.form {
            Form::Milliseconds => out.extend_from_slice(buffer.format(millis).as_bytes()),
            Form::Seconds => {
                out.extend_from_slice(buffer.format(millis.div_euclid(1000)).as_bytes());
            }
            Form::Generalized => {
                let at = civil(millis);
                for (letter, digits) in [('y', 4), ('M', 2), ('d', 2), ('H', 2), ('m', 2), ('s', 2)]
                {
                    digit(part(at, letter), digits, out);
                }
                out.push(b'.');
                digit(part(at, 'S'), 3, out);
                out.push(b'Z');
            }
            Form::Fields(fields) => {
                let at = civil(millis);
                for field in fields {
                    match field {
                        Field::Text(text) => out.extend_from_slice(text.as_bytes()),
                        // Two letters for the year mean its last two digits.
                        Field::Number('y', 2) => digit(part(at, 'y') % 100, 2, out),
                        Field::Number(letter, digits) => digit(part(at, *letter), *digits, out),
                        Field::Zone(zone) => out.extend_from_slice(zone.as_bytes()),
                    }
                }
            }
        }
    }
}

/// Why a text is not the format of a timestamp.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// It is empty.
    #[error("the timestamp format is empty")]
    Empty,
    /// A text in quotes has no end.
    #[error("the quote in `{0}` is not closed")]
    Quote(String),
    /// Letters without a meaning.
    #[error(
        "`{letters}` in the timestamp format `{format}` is not known; use milliseconds, seconds, or the fields y M d H \
         m s S Z X with other letters in single quotes"
    )]
    Letters {
        /// The letters.
        letters: String,
        /// The whole format.
        format: String,
    },
}

impl Form {
    /// Parses the name of a format or a format of letters.
    pub(crate) fn parse(text: &str) -> Result<Self, FormError> {
        match text {
            "milliseconds" => return Ok(Self::Milliseconds),
            "seconds" => return Ok(Self::Seconds),
            "" => return Err(FormError::Empty),
            _ => {}
        }
        let mut fields = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let run = rest.len() - rest.trim_start_matches(first).len();
            let after = &rest[run..];
            match first {
                'y' | 'M' | 'd' | 'H' | 'm' | 's' | 'S'
                    if run <= 4 && (first != 'M' || run <= 2) =>
                {
                    fields.push(Field::Number(first, run));
                }
                'Z' => fields.push(Field::Zone("+0000")),
                'X' => fields.push(Field::Zone("Z")),
                'z' => fields.push(Field::Zone("UTC")),
                '\'' => {
                    let inside = &rest[1..];
                    let end = inside.find('\'').ok_or_else(|| FormError::Quote(text.to_owned()))?;
                    fields.push(Field::Text(if end == 0 {
                        "'".to_owned()
                    } else {
                        inside[..end].to_owned()
                    }));
                    rest = &inside[end + 1..];
                    continue;
                }
                _ if first.is_ascii_alphabetic() => {
                    let (letters, format) = (rest[..run].to_owned(), text.to_owned());
                    return Err(FormError::Letters { letters, format });
                }
                _ => fields.push(Field::Text(rest[..run].to_owned())),
            }
            rest = after;
        }
        Ok(Self::Fields(fields))
    }
}

/// Parses a generalized time in UTC, `20260102030405Z` or with a fraction, as milliseconds since 1970.
pub(crate) fn generalized(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('Z')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if whole.len() != 14 || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let number = |range: std::ops::Range<usize>| whole[range].parse::<i8>().ok();
    let date = Date::new(whole[..4].parse().ok()?, number(4..6)?, number(6..8)?).ok()?;
    let time = Time::new(number(8..10)?, number(10..12)?, number(12..14)?, 0).ok()?;
    let millis: i64 = format!("{fraction:0<3}")[..3].parse().ok()?;
    let at = Offset::UTC.to_timestamp(DateTime::from_parts(date, time)).ok()?;
    Some(at.as_millisecond() + millis)
}

fn civil(millis: i64) -> DateTime {
    Offset::UTC.to_datetime(jiff::Timestamp::from_millisecond(millis).unwrap_or_default())
}

fn part(at: DateTime, letter: char) -> u64 {
    let value = match letter {
        'y' => at.year(),
        'M' => at.month().into(),
        'd' => at.day().into(),
        'H' => at.hour().into(),
        'm' => at.minute().into(),
        's' => at.second().into(),
        _ => at.millisecond(),
    };
    value.unsigned_abs().into()
}

fn digit(value: u64, digits: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let written = buffer.format(value).as_bytes();
    out.resize(out.len() + digits.saturating_sub(written.len()), b'0');
    out.extend_from_slice(written);
}

/// The present, for values that name it: a server compares them with its own clock.
#[expect(
    clippy::disallowed_methods,
    reason = "times that are sent and signed name the present, and nothing else does"
)]
pub fn since_1970() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}

fn present() -> i64 {
    i64::try_from(since_1970().as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form, millis: i64) -> String {
        let timestamp = Timestamp { between: Some((millis, 0)), form, stream: Stream::new(0, 0) };
        let mut out = Vec::new();
        timestamp.write(1, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn timestamp_forms_write_the_same_moment() {
        // 1577862823976 ms is 2020-01-01T07:13:43.976Z (`date -u -d @1577862823`).
        let at = 1_577_862_823_976;
        assert_eq!(written(Form::Generalized, at), "20200101071343.976Z");
        assert_eq!(written(Form::Milliseconds, at), "1577862823976");
        assert_eq!(written(Form::Seconds, at), "1577862823");
        let form = Form::parse("yyyy-MM-dd'T'HH:mm:ss.SSSX").unwrap();
        assert_eq!(written(form, at), "2020-01-01T07:13:43.976Z");
        assert_eq!(written(Form::parse("d.M.yy ''H''").unwrap(), at), "1.1.20 '7'");
        assert_eq!(generalized("20200101071343.976Z"), Some(at));
        assert_eq!(generalized("20200101071343Z"), Some(at - 976));
    }

    #[test]
    fn timestamp_errors_are_refused() {
        for text in [
            "20200101071343",
            "2020010107134Z",
            "20201301071343Z",
            "20200101251343Z",
            "x",
            "2020010107134éZ",
        ] {
            assert_eq!(generalized(text), None, "{text}");
        }
        for text in ["xx", "", "MMM", "'open"] {
            assert!(Form::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn timestamp_of_the_present_is_now() {
        let timestamp = Timestamp { between: None, form: Form::Seconds, stream: Stream::new(0, 0) };
        let mut out = Vec::new();
        timestamp.write(0, &mut out);
        let seconds: i64 = String::from_utf8(out).unwrap().parse().unwrap();
        assert!((present() / 1000 - seconds).abs() <= 1);
    }
}

//! [`Times`]: a cron line: minute, hour, day of the month, month, day of the week, in a time zone.
//!
//! A time that the clock skips in spring is moved by as much as the clock jumps; a time that occurs twice in autumn
//! counts once. No crate keeps both promises for every line (docs/decisions/007-libraries.md).

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};

/// How many days ahead are searched: every possible date occurs within the longest interval between two leap days.
const DAYS: usize = 366 * 8 + 2;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// What is wrong with the times of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TimesError {
    /// It is no cron line.
    #[error(
        "'{line}' has {count} fields, and takes five: minute hour day month weekday, such as 30 2 * * 1-5"
    )]
    Fields { line: String, count: usize },
    /// A field of the cron line cannot be read.
    #[error(
        "'{text}' is not understood: write *, a number from {least} to {most}, 1-5, */15 or a list of these"
    )]
    Field { text: String, least: u32, most: u32 },
    #[error("these times do not occur within eight years")]
    Never,
    #[error("'{0}' is not a time zone; write one such as Europe/Berlin or UTC")]
    Zone(String),
    #[error("'{0}' is not understood: write quiet hours such as 08:00-18:00")]
    Quiet(String),
}

/// The times at which something is due.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether days of the month and days of the week were both given: then either of them matches.
    either: bool,
    zone: TimeZone,
}

impl Times {
    /// Reads a cron line and the name of a time zone.
    pub(crate) fn read(line: &str, zone: &str) -> Result<Self, TimesError> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = &fields[..] else {
            return Err(TimesError::Fields { line: line.to_owned(), count: fields.len() });
        };
        let zone = zone_of(zone)?;
        let mut weekday = field(weekdays, (0, 7), &WEEKDAYS)?;
        // Sunday is 0 and 7.
        weekday |= (weekday >> 7) & 1;
        Ok(Self {
            minutes: field(minutes, (0, 59), &[])?,
            hours: field(hours, (0, 23), &[])?,
            days: field(days, (1, 31), &[])?,
            months: field(months, (1, 12), &MONTHS)?,
            weekdays: weekday & 0x7f,
            either: !days.starts_with('*') && !weekdays.starts_with('*'),
            zone,
        })
    }

    /// The first time after this one; `None` if there is none within eight years.
    pub(crate) fn next(&self, after: i64) -> Option<i64> {
        let after = Timestamp::from_second(after).ok()?;
        let mut date = after.to_zoned(self.zone.clone()).date();
        for _ in 0..DAYS {
            if self.has_date(date)
                && let Some(at) = self.on(date).find(|at| *at > after.as_second())
            {
                return Some(at);
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    fn has_date(&self, date: Date) -> bool {
        let has = |bits: u64, number: i8| (bits >> number) & 1 == 1;
        let day = has(self.days, date.day());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        has(self.months, date.month()) && if self.either { day || weekday } else { day && weekday }
    }

    /// The times of a day, in order.
    fn on(&self, date: Date) -> impl Iterator<Item = i64> + '_ {
        let hours = (0..24_i8).filter(|hour| (self.hours >> hour) & 1 == 1);
        let times = hours.flat_map(|hour| {
            let minutes = (0..60_i8).filter(|minute| (self.minutes >> minute) & 1 == 1);
            minutes.map(move |minute| (hour, minute))
        });
        times.filter_map(move |(hour, minute)| {
            let at = date.at(hour, minute, 0, 0).to_zoned(self.zone.clone()).ok()?;
            Some(at.timestamp().as_second())
        })
    }

    /// A time in the time zone.
    pub(crate) fn local(&self, at: i64) -> Option<Zoned> {
        Some(Timestamp::from_second(at).ok()?.to_zoned(self.zone.clone()))
    }
}

/// The numbers of a field, as bits.
fn field(text: &str, (least, most): (u32, u32), names: &[&str]) -> Result<u64, TimesError> {
    let wrong = || TimesError::Field { text: text.to_owned(), least, most };
    let number = |text: &str| -> Result<u32, TimesError> {
        let found = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        // Months are counted from 1, and days of the week from 0.
        let offset = u32::from(names.len() == MONTHS.len());
        let number =
            found.map(|at| at as u32 + offset).or_else(|| text.parse().ok()).ok_or_else(wrong)?;
        (least..=most).contains(&number).then_some(number).ok_or_else(wrong)
    };
    let mut bits = 0_u64;
    for part in text.split(',') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let step: usize =
            step.parse().ok().filter(|step| (1..=59).contains(step)).ok_or_else(wrong)?;
        let (from, to) = match range {
            "*" => (least, most),
            range => match range.split_once('-') {
                Some((from, to)) => (number(from)?, number(to)?),
                None if part.contains('/') => (number(range)?, most),
                None => (number(range)?, number(range)?),
            },
        };
        if from > to {
            return Err(wrong());
        }
        bits |= (from..=to).step_by(step).fold(0, |bits, number| bits | 1 << number);
    }
    Ok(bits)
}

/// Hours of each day in which no run begins, such as 08:00-18:00; they may extend past midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quiet {
    from: Time,
    to: Time,
}

/// A time zone, UTC if the name is empty.
pub(crate) fn zone_of(name: &str) -> Result<TimeZone, TimesError> {
    let name = if name.is_empty() { "UTC" } else { name };
    TimeZone::get(name).map_err(|_| TimesError::Zone(name.to_owned()))
}

impl Quiet {
    /// Reads quiet hours; `None` for an empty text.
    pub(crate) fn read(text: &str) -> Result<Option<Self>, TimesError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let wrong = || TimesError::Quiet(text.to_owned());
        let time = |text: &str| -> Result<Time, TimesError> {
            let (hour, minute) = text.trim().split_once(':').ok_or_else(wrong)?;
            let (hour, minute) =
                (hour.parse().map_err(|_| wrong())?, minute.parse().map_err(|_| wrong())?);
            Time::new(hour, minute, 0, 0).map_err(|_| wrong())
        };
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let (from, to) = (time(from)?, time(to)?);
        if from == to { Err(wrong()) } else { Ok(Some(Self { from, to })) }
    }

    /// When the quiet hours end that contain this time; `None` if they do not contain it.
    pub(crate) fn end(self, at: &Zoned) -> Option<i64> {
        let time = at.time();
        let inside = if self.from < self.to {
            (self.from..self.to).contains(&time)
        } else {
            time >= self.from || time < self.to
        };
        if !inside {
            return None;
        }
        let date = if time < self.to { at.date() } else { at.date().checked_add(1.day()).ok()? };
        let end = date.to_datetime(self.to).to_zoned(at.time_zone().clone()).ok()?;
        Some(end.timestamp().as_second())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Zoned>().unwrap().timestamp().as_second()
    }

    fn next(line: &str, zone: &str, after: &str) -> String {
        let times = Times::read(line, zone).unwrap();
        times.local(times.next(at(after)).unwrap()).unwrap().strftime("%a %F %H:%M %z").to_string()
    }

    #[test]
    fn cron_line_gives_the_next_time() {
        for (line, zone, after, expected) in [
            ("30 2 * * *", "UTC", "2026-11-23T02:29:59[UTC]", "Mon 2026-11-23 02:30 +0000"),
            ("30 2 * * *", "UTC", "2026-11-23T02:30:00[UTC]", "Tue 2026-11-24 02:30 +0000"),
            (
                "*/15 8-9 * * mon-fri",
                "UTC",
                "2026-11-20T09:45:00[UTC]",
                "Mon 2026-11-23 08:00 +0000",
            ),
            ("0 0 29 2 *", "UTC", "2026-11-23T00:00:00[UTC]", "Tue 2028-02-29 00:00 +0000"),
            // Either the 13th or a Friday, as in cron.
            ("0 12 13 * 5", "UTC", "2026-11-23T00:00:00[UTC]", "Fri 2026-11-27 12:00 +0000"),
            ("0 12 * jan,dec 7", "UTC", "2026-11-23T00:00:00[UTC]", "Sun 2026-12-06 12:00 +0000"),
            ("5/20 0 * * *", "UTC", "2026-11-23T00:05:00[UTC]", "Mon 2026-11-23 00:25 +0000"),
            // In spring 02:30 does not exist: it becomes 03:30. In autumn it occurs twice, and counts once.
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-03-28T12:00:00[Europe/Berlin]",
                "Sun 2026-03-29 03:30 +0200",
            ),
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-10-24T12:00:00[Europe/Berlin]",
                "Sun 2026-10-25 02:30 +0200",
            ),
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-10-25T02:30:00+02:00[Europe/Berlin]",
                "Mon 2026-10-26 02:30 +0100",
            ),
            // Likewise each of several times.
            (
                "0,30 2 * * *",
                "Europe/Berlin",
                "2026-03-28T12:00:00[Europe/Berlin]",
                "Sun 2026-03-29 03:00 +0200",
            ),
            (
                "0,30 2 * * *",
                "Europe/Berlin",
                "2026-03-29T03:00:00[Europe/Berlin]",
                "Sun 2026-03-29 03:30 +0200",
            ),
            (
                "0,30 2 * * *",
                "Europe/Berlin",
                "2026-10-25T02:30:00+02:00[Europe/Berlin]",
                "Mon 2026-10-26 02:00 +0100",
            ),
            (
                "30 1-3 * * *",
                "Europe/Berlin",
                "2026-10-25T02:30:00+02:00[Europe/Berlin]",
                "Sun 2026-10-25 03:30 +0100",
            ),
        ] {
            assert_eq!(next(line, zone, after), expected, "{line} after {after}");
        }
        assert_eq!(Times::read("0 0 30 2 *", "UTC").unwrap().next(0), None);
    }

    #[test]
    fn cron_line_errors_are_refused() {
        for line in [
            "",
            "* * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "5-1 * * * *",
            "*/0 * * * *",
            "x * * * *",
        ] {
            assert!(Times::read(line, "UTC").is_err(), "{line}");
        }
        let zone = Times::read("* * * * *", "Middle-earth").unwrap_err();
        assert_eq!(zone, TimesError::Zone("Middle-earth".to_owned()));
        for wrong in ["8", "08:00", "25:00-26:00", "08:00-08:00"] {
            assert!(Quiet::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Quiet::read(" "), Ok(None));
    }

    #[test]
    fn quiet_hours_end() {
        for (hours, moment, expected) in [
            ("08:00-18:00", "2026-11-23T08:00:00[UTC]", Some("2026-11-23T18:00:00[UTC]")),
            ("08:00-18:00", "2026-11-23T18:00:00[UTC]", None),
            ("22:00-06:00", "2026-11-23T23:00:00[UTC]", Some("2026-11-24T06:00:00[UTC]")),
            ("22:00-06:00", "2026-11-23T05:59:00[UTC]", Some("2026-11-23T06:00:00[UTC]")),
            ("22:00-06:00", "2026-11-23T07:00:00[UTC]", None),
        ] {
            let quiet = Quiet::read(hours).unwrap().unwrap();
            assert_eq!(quiet.end(&moment.parse().unwrap()), expected.map(at), "{hours} {moment}");
        }
    }
}

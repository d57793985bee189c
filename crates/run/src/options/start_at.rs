//! [`StartAt`]: the moment at which a run begins (`--start-at`), so that several machines begin together.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use jiff::civil::Time;
use jiff::{Timestamp, ToSpan as _, Zoned};

use super::value_error::ValueError;

/// When a run must begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAt {
    /// The next moment at which a clock of this time zone shows this time.
    Clock(Time),
    /// This moment.
    Moment(Timestamp),
    /// The moment that is read from standard input once everything is connected.
    StandardInput,
}

/// Why a run cannot start at a time.
#[derive(Debug, thiserror::Error)]
pub enum StartAtError {
    /// The clock of this time zone does not show this time any more.
    #[error("--start-at {at}: {source}")]
    Clock {
        /// The time.
        at: StartAt,
        /// The error of the calendar.
        source: jiff::Error,
    },
    /// It is too late.
    #[error("--start-at {at} is in the past: it is now {now}")]
    Past {
        /// The time.
        at: StartAt,
        /// The present.
        now: Timestamp,
    },
}

impl StartAt {
    /// The moment, for a machine where it is `now`; none if it is not known yet.
    pub fn moment(self, now: &Zoned) -> Result<Option<SystemTime>, StartAtError> {
        let moment = match self {
            Self::StandardInput => return Ok(None),
            Self::Moment(moment) => moment,
            Self::Clock(time) => {
                let today = now.with().time(time).build();
                let next = today.and_then(|today| {
                    if today > *now { Ok(today) } else { today.checked_add(1.day()) }
                });
                next.map_err(|source| StartAtError::Clock { at: self, source })?.timestamp()
            }
        };
        if moment < now.timestamp() {
            return Err(StartAtError::Past { at: self, now: now.timestamp() });
        }
        Ok(Some(moment.into()))
    }
}

impl FromStr for StartAt {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        let clock = || text.parse().ok().filter(|_| text.contains(':')).map(Self::Clock);
        let moment = text.parse().ok().map(Self::Moment);
        moment.or_else(clock).ok_or(ValueError::StartAt)
    }
}

impl fmt::Display for StartAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clock(time) => time.fmt(f),
            Self::Moment(moment) => moment.fmt(f),
            Self::StandardInput => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn start_at_time_of_day_is_the_next_occurrence() {
        let now: Zoned = "2026-11-22T11:59:00+01:00[Europe/Berlin]".parse().unwrap();
        let ahead = |text: &str| {
            let at = text.parse::<StartAt>().unwrap().moment(&now);
            let at = at.map_err(|error| error.to_string())?.unwrap();
            Ok::<_, String>(at.duration_since(now.timestamp().into()).unwrap())
        };
        assert_eq!(ahead("12:00:05"), Ok(Duration::from_secs(65)));
        assert_eq!(ahead("11:58"), Ok(Duration::from_secs(24 * 3600 - 60)));
        assert_eq!(ahead("2026-11-22T11:00:05.25Z"), Ok(Duration::from_millis(65_250)));
        assert!(ahead("2026-11-22T10:00:00Z").unwrap_err().contains("is in the past"));
        assert!(matches!("-".parse::<StartAt>().unwrap().moment(&now), Ok(None)));
        for wrong in ["", "soon", "12", "25:00", "2026-11-22"] {
            assert!(wrong.parse::<StartAt>().is_err(), "{wrong}");
        }
    }
}

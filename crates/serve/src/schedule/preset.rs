//! [`Typed`]: the times of a schedule as a form has them: one of the presets that most schedules are, or a cron line.
//!
//! What is stored is always a cron line. A preset is only a way to write it, so a line that one of them could have
//! written is shown as that preset, whether a form or a user wrote it.

use super::Times;

/// The time of day that a new schedule has.
const USUAL: &str = "02:30";
const NAMES: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// Hours that are at night.
const NIGHT: [std::ops::Range<u8>; 2] = [0..6, 20..24];

/// A kind of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Preset {
    #[default]
    Night,
    WorkingDays,
    Week,
    Hour,
    Own,
}

impl Preset {
    pub(crate) const ALL: [Self; 5] =
        [Self::Night, Self::WorkingDays, Self::Week, Self::Hour, Self::Own];

    /// Its name in forms.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Night => "night",
            Self::WorkingDays => "days",
            Self::Week => "week",
            Self::Hour => "hour",
            Self::Own => "own",
        }
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Night => "Every night",
            Self::WorkingDays => "Working days",
            Self::Week => "Every week",
            Self::Hour => "Every hour",
            Self::Own => "Own times",
        }
    }

    /// The preset of this name; own times without one.
    pub(crate) fn from_key(key: &str) -> Self {
        Self::ALL.into_iter().find(|one| one.key() == key).unwrap_or(Self::Own)
    }
}

/// Times as a form has them. What the preset does not need may be anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) preset: Preset,
    /// The time of day, such as 02:30.
    pub(crate) at: String,
    /// The weekday, from 0 for Sunday.
    pub(crate) day: String,
    /// The minute of each hour.
    pub(crate) minute: String,
    /// A cron line.
    pub(crate) own: String,
}

impl Default for Typed {
    fn default() -> Self {
        Self {
            preset: Preset::Night,
            at: USUAL.to_owned(),
            day: "1".to_owned(),
            minute: "0".to_owned(),
            own: String::new(),
        }
    }
}

impl Typed {
    /// A cron line as the form shows it.
    pub(crate) fn read(line: &str) -> Self {
        let own = Self { preset: Preset::Own, own: line.to_owned(), ..Self::default() };
        let Some(plain) = Plain::read(line) else { return own };
        let minute = plain.minute;
        let Some(hour) = plain.hour else {
            return Self { preset: Preset::Hour, minute: minute.to_string(), ..own };
        };
        let at = format!("{hour:02}:{minute:02}");
        let (preset, day) = match plain.days {
            Days::All => (Preset::Night, own.day.clone()),
            Days::Working => (Preset::WorkingDays, own.day.clone()),
            Days::One(day) => (Preset::Week, day.to_string()),
        };
        Self { preset, at, day, ..own }
    }

    /// The cron line. The error names the field that is wrong, and the reason.
    pub(crate) fn line(&self) -> Result<String, (&'static str, String)> {
        let days = match self.preset {
            Preset::Own => return Ok(self.own.clone()),
            Preset::Hour => {
                let minute = self.minute.trim().parse().ok().filter(|minute: &u8| *minute < 60);
                let why = || ("minute", "write a minute from 0 to 59".to_owned());
                return Ok(format!("{} * * * *", minute.ok_or_else(why)?));
            }
            Preset::Night => "*".to_owned(),
            Preset::WorkingDays => "1-5".to_owned(),
            Preset::Week => {
                let day = self.day.trim().parse().ok().filter(|day: &u8| *day < 7);
                day.ok_or_else(|| ("day", "choose a weekday".to_owned()))?.to_string()
            }
        };
        let why = || ("at", format!("'{}' is no time of day: write one such as 02:30", self.at));
        let (hour, minute) = clock(self.at.trim()).ok_or_else(why)?;
        Ok(format!("{minute} {hour} * * {days}"))
    }
}

/// A cron line in words; `None` for one that no preset writes.
pub(crate) fn words(line: &str) -> Option<String> {
    let Plain { minute, hour, days } = Plain::read(line)?;
    let Some(hour) = hour else {
        return Some(match minute {
            0 => "Every hour, on the hour".to_owned(),
            1 => "Every hour, 1 minute past".to_owned(),
            minute => format!("Every hour, {minute} minutes past"),
        });
    };
    let which = match days {
        Days::All if NIGHT.iter().any(|hours| hours.contains(&hour)) => "Every night",
        Days::All => "Every day",
        Days::Working => "Working days",
        Days::One(day) => {
            return Some(format!("Every {} at {hour:02}:{minute:02}", NAMES[usize::from(day)]));
        }
    };
    Some(format!("{which} at {hour:02}:{minute:02}"))
}

/// The weekdays, each with its number.
pub(crate) fn weekdays() -> Vec<(String, String)> {
    let all = [1, 2, 3, 4, 5, 6, 0_usize];
    all.map(|day| (day.to_string(), NAMES[day].to_owned())).to_vec()
}

/// The cron line that a text, which is none, most likely stands for.
pub(crate) fn likely(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let line = named(&text).or_else(|| without_seconds(&text)).or_else(|| spoken(&text))?;
    Times::read(&line, "UTC").ok()?;
    Some(line)
}

/// The names that some versions of cron have for a line.
fn named(text: &str) -> Option<String> {
    let line = match text {
        "@hourly" => "0 * * * *",
        "@daily" | "@midnight" => "0 0 * * *",
        "@weekly" => "0 0 * * 0",
        "@monthly" => "0 0 1 * *",
        _ => return None,
    };
    Some(line.to_owned())
}

/// A line of six fields, as some schedulers write it: the first is for seconds.
fn without_seconds(text: &str) -> Option<String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let is_line =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"*/,-?".contains(&byte));
    let six = fields.len() == 6 && fields.iter().all(|field| is_line(field));
    six.then(|| fields[1..].join(" ").replace('?', "*"))
}

/// A schedule in English: "every day at 2", "mondays 9:30", "every 15 minutes".
fn spoken(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let has = |begin: &str| words.iter().any(|word| word.starts_with(begin));
    let is_line =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || b"*/-".contains(&byte));
    if has("month") || has("year") || words.len() > 1 && words.iter().all(is_line) {
        return None;
    }
    if has("minute") || has("min") {
        let step = words.iter().find_map(|word| word.parse::<u8>().ok()).unwrap_or(1);
        return Some(if step == 1 { "* * * * *".to_owned() } else { format!("*/{step} * * * *") });
    }
    if has("hour") {
        let step = words.iter().find_map(|word| word.parse::<u8>().ok()).unwrap_or(1);
        return Some(if step == 1 { "0 * * * *".to_owned() } else { format!("0 */{step} * * *") });
    }
    let day = NAMES.iter().position(|name| has(&name.to_lowercase()[..3]));
    let days = if has("working") || has("workday") || has("weekday") || has("business") {
        "1-5".to_owned()
    } else if has("weekend") {
        "0,6".to_owned()
    } else if let Some(day) = day {
        day.to_string()
    } else {
        "*".to_owned()
    };
    let found = time_of(&words);
    let is_periodic =
        days != "*" || has("day") || has("dail") || has("night") || has("every") || has("at");
    let (hour, minute) = found.or_else(|| clock(USUAL).filter(|_| is_periodic))?;
    Some(format!("{minute} {hour} * * {days}"))
}

/// The time of day among words.
fn time_of(words: &[&str]) -> Option<(u8, u8)> {
    for (number, word) in words.iter().enumerate() {
        let next = words.get(number + 1).copied().unwrap_or_default();
        let half = |half: &str| word.ends_with(half) || next == half;
        let digits = word.trim_end_matches(['a', 'p', 'm', 'h']);
        let found = match *word {
            "noon" => Some((12, 0)),
            "midnight" => Some((0, 0)),
            _ => clock(digits).or_else(|| clock(&format!("{digits}:00"))),
        };
        if let Some((hour, minute)) = found {
            let hour = match hour {
                1..=11 if half("pm") => hour + 12,
                12 if half("am") => 0,
                hour => hour,
            };
            return Some((hour, minute));
        }
    }
    None
}

/// An hour and a minute, such as 02:30.
fn clock(text: &str) -> Option<(u8, u8)> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute) = (hour.parse().ok()?, minute.get(..2)?.parse().ok()?);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

/// A line that a preset could have written.
struct Plain {
    minute: u8,
    /// Without one it is every hour.
    hour: Option<u8>,
    days: Days,
}

enum Days {
    All,
    Working,
    One(u8),
}

impl Plain {
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [minute, hour, "*", "*", days] = fields[..] else { return None };
        let minute = minute.parse().ok().filter(|minute| *minute < 60)?;
        let days = match days.to_lowercase().as_str() {
            "*" => Days::All,
            "1-5" | "mon-fri" => Days::Working,
            "7" => Days::One(0),
            day => Days::One(weekday(day)?),
        };
        let hour = match hour {
            "*" => None,
            hour => Some(hour.parse().ok().filter(|hour| *hour < 24)?),
        };
        let fits = hour.is_some() || matches!(days, Days::All);
        fits.then_some(Self { minute, hour, days })
    }
}

fn weekday(text: &str) -> Option<u8> {
    let named = NAMES.iter().position(|name| name.to_lowercase()[..3] == *text);
    let number = named.and_then(|day| u8::try_from(day).ok());
    number.or_else(|| text.parse().ok().filter(|day| *day < 7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preset_is_recognized_from_its_cron_line() {
        for (line, preset, message) in [
            ("30 2 * * *", Preset::Night, Some("Every night at 02:30")),
            ("0 14 * * *", Preset::Night, Some("Every day at 14:00")),
            ("5 9 * * 1-5", Preset::WorkingDays, Some("Working days at 09:05")),
            ("0 22 * * 0", Preset::Week, Some("Every Sunday at 22:00")),
            ("15 * * * *", Preset::Hour, Some("Every hour, 15 minutes past")),
            ("0 * * * *", Preset::Hour, Some("Every hour, on the hour")),
            ("*/15 * * * *", Preset::Own, None),
            ("0 2 1 * *", Preset::Own, None),
            ("0 * * * 1-5", Preset::Own, None),
            ("0 25 * * *", Preset::Own, None),
        ] {
            let typed = Typed::read(line);
            assert_eq!((typed.preset, words(line).as_deref()), (preset, message), "{line}");
            assert_eq!(typed.line().as_deref(), Ok(line));
        }
        assert_eq!(words("0 9 * * MON").as_deref(), Some("Every Monday at 09:00"));
        assert_eq!(words("0 9 * * 7").as_deref(), Some("Every Sunday at 09:00"));
    }

    #[test]
    fn preset_field_errors_are_named() {
        for (preset, at, day, minute, wrong) in [
            (Preset::Night, "2", "1", "0", "at"),
            (Preset::WorkingDays, "24:00", "1", "0", "at"),
            (Preset::Week, "02:30", "8", "0", "day"),
            (Preset::Hour, "02:30", "1", "60", "minute"),
        ] {
            let own = Typed::default();
            let typed = Typed {
                preset,
                at: at.to_owned(),
                day: day.to_owned(),
                minute: minute.to_owned(),
                ..own
            };
            assert_eq!(typed.line().map_err(|(field, _)| field), Err(wrong));
        }
    }

    #[test]
    fn schedule_text_is_understood_as_a_proposal() {
        for (text, proposed) in [
            ("every day at 2", Some("0 2 * * *")),
            ("daily at 2:30 pm", Some("30 14 * * *")),
            ("02:30", Some("30 2 * * *")),
            ("every night", Some("30 2 * * *")),
            ("Mondays at 9am", Some("0 9 * * 1")),
            ("weekdays 18:00", Some("0 18 * * 1-5")),
            ("every 15 minutes", Some("*/15 * * * *")),
            ("every hour", Some("0 * * * *")),
            ("every 6 hours", Some("0 */6 * * *")),
            ("@daily", Some("0 0 * * *")),
            ("0 30 2 * * ?", Some("30 2 * * *")),
            ("every day at noon", Some("0 12 * * *")),
            ("60 * * * *", None),
            ("0 2 * *", None),
            ("every month", None),
            ("whenever", None),
            ("", None),
        ] {
            assert_eq!(likely(text).as_deref(), proposed, "{text}");
        }
    }
}

//! Stages from text: `1000/s for 30s, ramp 1000..5000 over 1m, sine 1000±500 every 10s for 1m`.
//!
//! The parser is hand-written, because its error messages matter most: they name the column, the word found there and
//! the words that are allowed. It must not know where the text was written.

use super::{Rate, Schedule, ScheduleError, Shape, Stage};
use brunt_exchange::{decimal, duration};
use brunt_record::Phase;
use std::str::FromStr;
use std::time::Duration;

/// Why a text is not a valid list of stages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StagesError {
    /// Something else was expected.
    #[error("read the stages: at column {column} stands '{found}', expected {expected}")]
    Unexpected {
        /// The column, counted from 1 in characters.
        column: usize,
        /// The word found there.
        found: String,
        /// What is allowed there.
        expected: &'static str,
    },
    /// The stages can be read but are not a valid schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

const STAGE: &str = "a stage: '1000/s for 30s', 'ramp 1000..5000 over 1m', \
     'sine 1000±500 every 10s for 1m', 'poisson 2000/s for 30s' or 'pause 5s'";
const RATE: &str = "a rate such as 1000/s, 2.5k/s or 90/m, at most 10000000/s";
const TIME: &str = "a time such as 500ms, 30s, 1m30s or 2h";
const PHASE: &str = "a phase: warm-up, ramp or steady";

/// Reads a whole schedule.
///
/// A ramp that opens the list and is followed by more stages belongs to the ramp phase, every other stage to the steady
/// one, unless the stage says otherwise with `as PHASE`.
pub(super) fn schedule(text: &str) -> Result<Schedule, StagesError> {
    let mut words = Tokens::new(text);
    let mut stages = Vec::new();
    let mut labelled = Vec::new();
    loop {
        let (shape, lasting) = stage(&mut words)?;
        let phase = if words.take("as") { Some(words.read(PHASE, phase)?) } else { None };
        labelled.push(phase.is_some());
        stages.push(Stage { phase: phase.unwrap_or_default(), shape, lasting });
        if words.peek().is_none() {
            break;
        }
        words.expect(",", "a comma before the next stage, or the end")?;
    }
    let opening = stages.iter().zip(&labelled);
    let ramps = opening.take_while(|(s, named)| !**named && matches!(s.shape, Shape::Ramp { .. }));
    let ramps = ramps.count();
    if ramps < stages.len() {
        stages[..ramps].iter_mut().for_each(|stage| stage.phase = Phase::Ramp);
    }
    Ok(Schedule::new(stages)?)
}

fn stage(words: &mut Tokens<'_>) -> Result<(Shape, Option<Duration>), StagesError> {
    if words.take("pause") {
        let lasting = words.read(TIME, duration)?;
        let silence = Rate::per_second(0).map(Shape::Constant);
        return Ok((silence.unwrap_or(Shape::Trace([].into())), Some(lasting)));
    }
    if words.take("ramp") {
        let (from, to) = words.read("two rates such as 1000..5000", |word| pair(word, &[".."]))?;
        words.expect("over", "'over' and how long the ramp takes")?;
        return Ok((Shape::Ramp { from, to }, Some(words.read(TIME, duration)?)));
    }
    let shape = if words.take("sine") {
        let swing = "a mean and how far to swing, such as 1000±500 or 1000+-500";
        let (mean, amplitude) = words.read(swing, |word| pair(word, &["±", "+-"]))?;
        words.expect("every", "'every' and the time of one swing")?;
        Shape::Sine { mean, amplitude, period: words.read(TIME, duration)? }
    } else if words.take("poisson") {
        Shape::Poisson(words.read(RATE, rate)?)
    } else {
        Shape::Constant(words.read(STAGE, rate)?)
    };
    if words.take("for") {
        return Ok((shape, Some(words.read(TIME, duration)?)));
    }
    Ok((shape, None))
}

/// The tokens of a text, with their columns. A comma is a token of its own.
struct Tokens<'a> {
    list: Vec<(usize, &'a str)>,
    next: usize,
    end: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        let mut words = Vec::new();
        let mut begin = None;
        for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
            let parts = character.is_whitespace() || character == ',';
            if parts && let Some(begin) = begin.take() {
                words.push((begin, &text[begin..at]));
            }
            if character == ',' {
                words.push((at, &text[at..=at]));
            } else if !parts && begin.is_none() {
                begin = Some(at);
            }
        }
        let column = |at: usize| text[..at].chars().count() + 1;
        let list = words.into_iter().map(|(at, word)| (column(at), word)).collect();
        Self { list, next: 0, end: column(text.len()) }
    }

    fn peek(&self) -> Option<&'a str> {
        self.list.get(self.next).map(|(_, word)| *word)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), StagesError> {
        if self.take(word) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn read<T>(
        &mut self,
        expected: &'static str,
        reader: impl Fn(&str) -> Option<T>,
    ) -> Result<T, StagesError> {
        let value = self.peek().and_then(reader).ok_or_else(|| self.unexpected(expected))?;
        self.next += 1;
        Ok(value)
    }

    fn unexpected(&self, expected: &'static str) -> StagesError {
        let (column, found) = self.list.get(self.next).copied().unwrap_or((self.end, "the end"));
        let found = found.chars().take(40).collect();
        StagesError::Unexpected { column, found, expected }
    }
}

fn phase(word: &str) -> Option<Phase> {
    [Phase::WarmUp, Phase::Ramp, Phase::Steady]
        .into_iter()
        .find(|phase| phase.word().eq_ignore_ascii_case(word))
}

fn pair(word: &str, separators: &[&str]) -> Option<(Rate, Rate)> {
    let (first, second) = separators.iter().find_map(|separator| word.split_once(separator))?;
    // In '1000..5000/m' the unit belongs to both.
    let unit = second.split_once('/').filter(|_| !first.contains('/')).map(|(_, unit)| unit);
    let first = unit.map_or_else(|| first.to_owned(), |unit| format!("{first}/{unit}"));
    Some((rate(&first)?, rate(second)?))
}

/// A text that is not a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a rate such as 500, 10k, 2.5/s or 90/m, above 0 and at most 10m")]
pub struct RateError;

/// A rate as command lines and plans write it: `500`, `10k`, `2.5/s`, `90/m`.
impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        rate(text.trim()).filter(|rate| !rate.is_zero()).ok_or(RateError)
    }
}

fn rate(word: &str) -> Option<Rate> {
    let (figure, unit) = word.split_once('/').unwrap_or((word, "s"));
    let per = match unit.to_ascii_lowercase().as_str() {
        "s" | "sec" | "second" => 1,
        "m" | "min" | "minute" => 60,
        "h" | "hour" => 3_600,
        _ => return None,
    };
    let (figure, factor) = match figure.char_indices().last() {
        Some((at, 'k' | 'K')) => (&figure[..at], 1_000),
        Some((at, 'm' | 'M')) => (&figure[..at], 1_000_000),
        _ => (figure, 1),
    };
    let (digits, scale) = decimal(figure)?;
    Rate::new(digits.checked_mul(factor)?, Duration::from_secs(per * scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_notation_is_the_same_everywhere() {
        for (text, count, seconds) in [
            ("1000", 1000, 1),
            (" 10k ", 10_000, 1),
            ("1m", 1_000_000, 1),
            ("200/s", 200, 1),
            ("2.5", 5, 2),
            ("90/m", 90, 60),
            ("0.5k/min", 500, 60),
            ("5/h", 5, 3_600),
        ] {
            assert_eq!(text.parse(), Ok(Rate::new(count, Duration::from_secs(seconds)).unwrap()));
        }
        for wrong in ["", "0", "k", "1/d", "-1", "x/s", "99999999999", "inf", "5/fortnight"] {
            assert_eq!(wrong.parse::<Rate>(), Err(RateError), "{wrong}");
        }
        let rate: Rate = "3".parse().unwrap();
        assert_eq!(rate.time_of(10), Duration::from_nanos(3_333_333_333));
    }

    fn per_second(count: u64) -> Rate {
        Rate::per_second(count).unwrap()
    }

    #[test]
    fn stages_of_every_kind_are_parsed() {
        let text = "ramp 0..1000 over 10s, 1000/s for 30s, sine 1000±500 every 10s for 1m, \
                    pause 500ms, poisson 2k/s for 1m30s, 90/m";
        let schedule = schedule(text).unwrap();
        let shapes: Vec<_> = schedule.stages.iter().map(|stage| stage.shape.clone()).collect();
        let expected = [
            Shape::Ramp { from: per_second(0), to: per_second(1_000) },
            Shape::Constant(per_second(1_000)),
            Shape::Sine {
                mean: per_second(1_000),
                amplitude: per_second(500),
                period: Duration::from_secs(10),
            },
            Shape::Constant(per_second(0)),
            Shape::Poisson(per_second(2_000)),
            Shape::Constant(Rate::new(3, Duration::from_secs(2)).unwrap()),
        ];
        assert_eq!(shapes, expected);
        let lasting: Vec<_> = schedule.stages.iter().map(|stage| stage.lasting).collect();
        let millis = [Some(10_000), Some(30_000), Some(60_000), Some(500), Some(90_000), None];
        assert_eq!(lasting, millis.map(|m| m.map(Duration::from_millis)));
        assert_eq!(schedule.stages[0].phase, Phase::Ramp);
        assert!(schedule.stages[1..].iter().all(|stage| stage.phase == Phase::Steady));
    }

    #[test]
    fn stage_can_name_its_phase() {
        let text = "100/s for 5s as warm-up, ramp 100..900/s over 5s as ramp, 900/s for 1m";
        let phases: Vec<_> = schedule(text).unwrap().stages.iter().map(|s| s.phase).collect();
        assert_eq!(phases, [Phase::WarmUp, Phase::Ramp, Phase::Steady]);
        let alone = schedule("ramp 10..20 over 1m").unwrap();
        assert_eq!(alone.stages[0].phase, Phase::Steady, "a ramp alone is what is measured");
    }

    #[test]
    fn parse_error_names_the_column() {
        let cases = [
            ("", 1, "the end", "a stage"),
            ("fast for 10s", 1, "fast", "a stage"),
            ("100/s for ten", 11, "ten", "a time"),
            ("100/s 10s", 7, "10s", "a comma"),
            ("100/s for 5s,", 14, "the end", "a stage"),
            ("sine 10±5 for 3s", 11, "for", "'every'"),
            ("ramp 10 over 3s", 6, "10", "two rates"),
            ("poisson 5/y for 3s", 9, "5/y", "a rate"),
            ("11000k/s for 1s", 1, "11000k/s", "a stage"),
            ("1/s for 1s as lunch", 15, "lunch", "a phase"),
        ];
        for (text, at, stands, could) in cases {
            match schedule(text) {
                Err(StagesError::Unexpected { column, found, expected }) => {
                    assert_eq!((column, found.as_str()), (at, stands), "{text}");
                    assert!(expected.starts_with(could), "{text}: {expected}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        let swings = schedule("sine 10+-11 every 1s for 3s").unwrap_err();
        assert_eq!(swings, StagesError::Schedule(ScheduleError::Amplitude(1)));
        assert!(
            schedule("5/s, 6/s for 1s").unwrap_err().to_string().contains("stage 1 has no end")
        );
    }
}

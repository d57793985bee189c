//! Think time: how long a virtual user of the closed model pauses between two exchanges.
//!
//! A pause is a pure function of (seed, session, turn), so a run repeats, however fast the target
//! is. This file only computes how long a pause is; it must not wait.

use crate::chance::{Stream, mix};
use crate::notation::duration as parse_duration;
use std::fmt;
use std::time::Duration;

/// How long virtual users pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkTime {
    /// Not at all.
    #[default]
    None,
    /// Always the same time.
    Constant(Duration),
    /// Between two times, all equally likely.
    Uniform(Duration, Duration),
    /// Exponentially distributed with this mean: short pauses are more likely than long ones.
    Exponential(Duration),
    /// Normally distributed with a mean and a deviation; never negative.
    Normal {
        /// The mean.
        mean: Duration,
        /// The standard deviation.
        deviation: Duration,
    },
}

/// Why a text is not a think time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinkTimeError(String);

impl fmt::Display for ThinkTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "read the think time '{}': write a time such as 500ms, 'uniform 100ms..2s', 'exponential 1s' or \
             'normal 1s±200ms'",
            self.0
        )
    }
}

impl std::error::Error for ThinkTimeError {}

impl ThinkTime {
    /// Parses a think time: `500ms`, `uniform 100ms..2s`, `exponential 1s`, `normal 1s±200ms`.
    pub fn parse(text: &str) -> Result<Self, ThinkTimeError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let read = match words[..] {
            ["none" | "0"] => Some(Self::None),
            [time] | ["constant", time] => parse_duration(time).map(Self::Constant),
            ["uniform", range] => range.split_once("..").and_then(|(least, most)| {
                let (least, most) = (parse_duration(least)?, parse_duration(most)?);
                (least <= most).then_some(Self::Uniform(least, most))
            }),
            ["exponential", mean] => parse_duration(mean).map(Self::Exponential),
            ["normal", spread] => {
                let parts = spread.split_once('±').or_else(|| spread.split_once("+-"));
                parts.and_then(|(mean, deviation)| {
                    let (mean, deviation) = (parse_duration(mean)?, parse_duration(deviation)?);
                    Some(Self::Normal { mean, deviation })
                })
            }
            _ => None,
        };
        read.ok_or_else(|| ThinkTimeError(text.to_owned()))
    }

    /// The pause of `session` before its exchange number `turn`, counted from 0.
    pub fn pause(&self, seed: u64, session: u32, turn: u64) -> Duration {
        let stream = || Stream::new(mix(mix(seed, u64::from(session)), turn));
        match *self {
            Self::None => Duration::ZERO,
            Self::Constant(time) => time,
            Self::Uniform(least, most) => {
                least + scaled(most.saturating_sub(least), stream().unit())
            }
            // No draw exceeds 37 means, since the random number is never below 2^-53.
            Self::Exponential(mean) => scaled(mean, stream().exponential()),
            Self::Normal { mean, deviation } => {
                let off = stream().normal();
                let distance = scaled(deviation, off.abs());
                if off < 0.0 {
                    mean.saturating_sub(distance)
                } else {
                    mean.saturating_add(distance)
                }
            }
        }
    }
}

fn scaled(time: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_millis(think: ThinkTime) -> f64 {
        let pauses = (0..20_000).map(|turn| think.pause(5, 3, turn).as_secs_f64() * 1e3);
        pauses.sum::<f64>() / 20_000.0
    }

    #[test]
    fn distributions_have_their_mean() {
        let ms = Duration::from_millis;
        assert!((mean_millis(ThinkTime::Uniform(ms(100), ms(300))) - 200.0).abs() < 3.0);
        assert!((mean_millis(ThinkTime::Exponential(ms(50))) - 50.0).abs() < 2.0);
        let normal = ThinkTime::Normal { mean: ms(80), deviation: ms(10) };
        assert!((mean_millis(normal) - 80.0).abs() < 0.5);
        let below = (0..20_000).filter(|turn| normal.pause(5, 3, *turn) < ms(70)).count();
        // 15.87 % of a normal distribution lies more than one deviation below its mean.
        assert!((below as f64 / 20_000.0 - 0.1587).abs() < 0.01, "{below}");
    }

    #[test]
    fn pause_depends_only_on_its_arguments() {
        let think = ThinkTime::Exponential(Duration::from_secs(1));
        assert_eq!(think.pause(1, 2, 3), think.pause(1, 2, 3));
        assert_ne!(think.pause(1, 2, 3), think.pause(1, 3, 2));
    }

    #[test]
    fn think_time_is_parsed_or_refused_with_examples() {
        let ms = Duration::from_millis;
        assert_eq!(ThinkTime::parse("500ms"), Ok(ThinkTime::Constant(ms(500))));
        assert_eq!(
            ThinkTime::parse("uniform 1s..2s"),
            Ok(ThinkTime::Uniform(ms(1_000), ms(2_000)))
        );
        let normal = ThinkTime::Normal { mean: ms(1_000), deviation: ms(200) };
        assert_eq!(ThinkTime::parse("normal 1s±200ms"), Ok(normal));
        for wrong in ["", "soon", "uniform 2s..1s", "normal 1s", "poisson 3s"] {
            assert!(ThinkTime::parse(wrong).unwrap_err().to_string().contains("exponential 1s"));
        }
    }
}

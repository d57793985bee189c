//! The texts of the first few failures of each kind, so that a count can be understood.
//!
//! A run that fails a million times keeps ten texts of a kind, and soon stops requesting texts from sessions: creating
//! texts that are not kept would delay the generator.

use brunt_exchange::{Outcome, ShownExchange, Unreached};
use std::time::Duration;

/// The text of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The number of the operation.
    pub operation: u16,
    /// How the exchange ended.
    pub outcome: Outcome,
    /// When it ended, since the origin of the run.
    pub at: Duration,
    /// The text from the session.
    pub text: String,
    /// The address of the target and the error, if no connection to it could be made. In events of an older version the
    /// error is empty.
    pub unreached: Option<Unreached>,
    /// What was sent, for a reader and without secrets, if the session says it.
    pub sent: Option<String>,
    /// What was answered, likewise.
    pub answer: Option<String>,
}

impl Sample {
    /// Why no connection could be made, as records have it.
    pub(crate) fn error(&self) -> Option<String> {
        let known = self.unreached.as_ref().filter(|unreached| !unreached.error.is_empty());
        known.map(|unreached| unreached.error.clone())
    }
}

/// The samples kept, within bounds.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    kept: Vec<Sample>,
    tally: Vec<(u16, Outcome, usize)>,
    refused: u32,
    every: bool,
}

impl Samples {
    /// The most texts kept of one outcome of one operation.
    pub const PER_OUTCOME: usize = 10;
    /// The most outcomes for which texts are kept.
    pub const OUTCOMES_MAX: usize = 32;
    /// The most characters kept of a text.
    pub const TEXT_MAX: usize = 400;
    /// The most texts kept between two calls that take them, for [`every`](Self::every).
    pub const EVERY_MAX: usize = 10_000;
    /// After this many texts that were not kept, only one in about `RECHECK_EVERY` exchanges writes a text.
    const REFUSED_MAX: u32 = 1_024;
    const RECHECK_EVERY: u32 = 256;

    /// No samples yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// No samples yet, and no limit by kind: for a user who wants to read every failure.
    pub fn every() -> Self {
        Self { every: true, ..Self::default() }
    }

    /// Whether the next exchange should write a text if it fails.
    #[inline]
    pub fn wants(&mut self) -> bool {
        if self.every || self.refused < Self::REFUSED_MAX {
            return true;
        }
        self.refused = if self.refused >= Self::REFUSED_MAX + Self::RECHECK_EVERY {
            Self::REFUSED_MAX
        } else {
            self.refused + 1
        };
        self.refused == Self::REFUSED_MAX
    }

    /// Keeps a text if there are not yet enough of its kind.
    pub fn offer(
        &mut self,
        operation: u16,
        outcome: Outcome,
        at: Duration,
        text: &str,
        unreached: Option<Unreached>,
        shown: ShownExchange,
    ) {
        if !self.admit(operation, outcome) {
            self.refused = self.refused.saturating_add(1).min(Self::REFUSED_MAX);
            return;
        }
        self.refused = 0;
        let cut = |text: &str| text.chars().take(Self::TEXT_MAX).collect::<String>();
        let ShownExchange { sent, answer } = shown;
        let [sent, answer] = [sent, answer].map(|shown| shown.map(|shown| cut(&shown)));
        let text = cut(text);
        let unreached = unreached.map(|Unreached { address, error }| Unreached {
            address: cut(&address),
            error: cut(&error),
        });
        self.kept.push(Sample { operation, outcome, at, text, unreached, sent, answer });
    }

    /// Adds the samples of another, within the same bounds.
    pub fn merge(&mut self, samples: impl IntoIterator<Item = Sample>) {
        for sample in samples {
            if self.admit(sample.operation, sample.outcome) {
                self.kept.push(sample);
            }
        }
    }

    /// Returns the samples since the last call. The number of each kind is remembered.
    pub fn take(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.kept)
    }

    /// The samples kept.
    pub fn kept(&self) -> &[Sample] {
        &self.kept
    }

    fn admit(&mut self, operation: u16, outcome: Outcome) -> bool {
        if self.every {
            return self.kept.len() < Self::EVERY_MAX;
        }
        let known = self.tally.iter().position(|&(o, known, _)| o == operation && known == outcome);
        let at = match known {
            Some(at) => at,
            None if self.tally.len() == Self::OUTCOMES_MAX => return false,
            None => {
                self.tally.push((operation, outcome, 0));
                self.tally.len() - 1
            }
        };
        let room = self.tally[at].2 < Self::PER_OUTCOME;
        self.tally[at].2 += usize::from(room);
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Class;

    fn nothing() -> ShownExchange {
        ShownExchange::default()
    }

    #[test]
    fn samples_keep_the_first_few_of_a_kind() {
        let mut samples = Samples::new();
        let outcome = Outcome::Failed(Class::Result, 49);
        for n in 0..100 {
            samples.offer(0, outcome, Duration::from_secs(n), "no", None, nothing());
        }
        samples.offer(1, outcome, Duration::ZERO, "other operation", None, nothing());
        assert_eq!(samples.take().len(), Samples::PER_OUTCOME + 1);
        samples.offer(0, outcome, Duration::ZERO, "still enough", None, nothing());
        assert!(samples.kept().is_empty());
    }

    #[test]
    fn samples_are_collected_rarely_after_many_failures() {
        let mut samples = Samples::new();
        let mut requested = 0;
        for _ in 0..100_000 {
            if samples.wants() {
                requested += 1;
                samples.offer(0, Outcome::TimedOut, Duration::ZERO, "late", None, nothing());
            }
        }
        // The ten kept, 1,024 not kept, then one of 257.
        assert!((1_300..1_600).contains(&requested), "{requested}");
        samples.offer(
            0,
            Outcome::Failed(Class::Closed, 104),
            Duration::ZERO,
            "reset",
            None,
            nothing(),
        );
        assert!(samples.wants());
    }

    #[test]
    fn sample_text_is_cut_between_characters() {
        let mut samples = Samples::new();
        samples.offer(
            0,
            Outcome::TimedOut,
            Duration::ZERO,
            &"ü".repeat(1_000),
            None,
            ShownExchange { sent: Some("ü".repeat(1_000)), answer: Some("ü".repeat(1_000)) },
        );
        let [Sample { text, sent: Some(sent), answer: Some(answer), .. }] = samples.kept() else {
            panic!("{samples:?}")
        };
        assert_eq!([text, sent, answer].map(|it| it.chars().count()), [Samples::TEXT_MAX; 3]);
    }

    #[test]
    fn samples_every_keeps_all_texts_up_to_its_limit() {
        let mut samples = Samples::every();
        let outcome = Outcome::Failed(Class::Result, 49);
        for n in 0..(Samples::PER_OUTCOME * 3) {
            assert!(samples.wants());
            samples.offer(0, outcome, Duration::ZERO, &format!("failure {n}"), None, nothing());
        }
        assert_eq!(samples.take().len(), Samples::PER_OUTCOME * 3);
        (0..=Samples::EVERY_MAX)
            .for_each(|_| samples.offer(0, outcome, Duration::ZERO, "again", None, nothing()));
        assert_eq!(samples.kept().len(), Samples::EVERY_MAX);
    }
}

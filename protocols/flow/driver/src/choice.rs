//! [`Choice`]: one of several texts, some more likely than others.

use brunt_feed::{Draws, Text};

/// Texts with weights.
#[derive(Clone, Debug)]
pub struct Choice {
    /// For each text, the sum of the weights up to and including its own, and the text.
    options: Vec<(u64, Text)>,
}

/// Texts none of which can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose one of several values: none has a weight above 0")]
pub struct NoChoice;

impl Choice {
    /// Creates a choice from these texts; the probability of each is proportional to its weight.
    pub fn new(options: impl IntoIterator<Item = (u32, Text)>) -> Result<Self, NoChoice> {
        let mut sum = 0;
        let weighed = options.into_iter().map(|(weight, text)| {
            sum += u64::from(weight);
            (sum, text)
        });
        let options: Vec<_> = weighed.collect();
        if sum == 0 { Err(NoChoice) } else { Ok(Self { options }) }
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.options.iter().map(|(_, text)| text)
    }

    pub(super) fn pick(&self, draws: &mut Draws) -> &Text {
        let total = self.options.last().map_or(1, |(sum, _)| *sum);
        let weight = draws.up_to(total - 1);
        let at = self.options.partition_point(|(sum, _)| *sum <= weight);
        &self.options[at].1
    }
}

//! What one second of a step says of the objectives: counts that add up.

/// One second of the steady phase. A recorded one may be several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// How long it was, in seconds.
    pub seconds: f64,
    /// For each objective, in their order, how many exchanges there were and how many of them were bad.
    pub tallies: Vec<Tally>,
    /// The sum of response times of what was answered or failed, in seconds.
    pub response_s: f64,
    /// How many those were.
    pub responses: u64,
}

/// Exchanges that an objective is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many ended or were given up.
    pub of: u64,
    /// How many of those were bad.
    pub bad: u64,
    /// The sum of the response times of those that were answered or failed, in seconds.
    pub sum_s: f64,
    /// How many those were.
    pub timed: u64,
}

impl Second {
    /// Adds what another second counted.
    pub fn append(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.response_s += other.response_s;
        self.responses += other.responses;
        self.tallies.resize(self.tallies.len().max(other.tallies.len()), Tally::default());
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.of += theirs.of;
            mine.bad += theirs.bad;
            mine.sum_s += theirs.sum_s;
            mine.timed += theirs.timed;
        }
    }

    /// Seconds laid together in groups of `size`; what is left over at the end joins the last group.
    pub(crate) fn grouped(seconds: &[Self], size: usize) -> Vec<Self> {
        let groups = (seconds.len() / size.max(1)).max(1);
        let mut grouped = vec![Self::default(); groups.min(seconds.len())];
        for (at, second) in seconds.iter().enumerate() {
            let group = (at / size.max(1)).min(groups - 1);
            grouped[group].append(second);
        }
        grouped
    }
}

//! The counts of one second of a step for each objective; counts of several seconds can be added.

/// One second of the steady phase. A recorded one may cover several seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Its length, in seconds.
    pub seconds: f64,
    /// For each objective, in their order, the number of exchanges and how many of them were bad.
    pub tallies: Vec<Tally>,
    /// The sum of the response times of exchanges that were answered or failed, in seconds.
    pub response_s: f64,
    /// The number of those exchanges.
    pub responses: u64,
    /// Whether something kept the generator from running: a quota, a host that took its time, a stop.
    pub disturbed: bool,
}

/// The exchanges that an objective is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many ended or were given up.
    pub of: u64,
    /// How many of those were bad.
    pub bad: u64,
    /// The sum of the response times of those that were answered or failed, in seconds.
    pub sum_s: f64,
    /// The number of those exchanges.
    pub timed: u64,
}

impl Second {
    /// Adds the counts of another second.
    pub fn append(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.response_s += other.response_s;
        self.responses += other.responses;
        self.disturbed |= other.disturbed;
        self.tallies.resize(self.tallies.len().max(other.tallies.len()), Tally::default());
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.of += theirs.of;
            mine.bad += theirs.bad;
            mine.sum_s += theirs.sum_s;
            mine.timed += theirs.timed;
        }
    }

    /// Seconds merged in groups of `size`; those left over at the end join the last group.
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

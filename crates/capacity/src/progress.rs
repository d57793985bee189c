//! The progress of a search: [`Progress`].

/// The progress of a search, for the progress view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Seconds since the search began.
    pub elapsed_s: f64,
    /// The time limit of the search, in seconds.
    pub budget_s: f64,
    /// The highest rate that passed.
    pub passed: Option<f64>,
    /// The lowest rate that failed.
    pub failed: Option<f64>,
    /// The estimated limit.
    pub estimate: Option<Estimate>,
}

/// The estimated limit: shown, never claimed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The 10th percentile.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
}

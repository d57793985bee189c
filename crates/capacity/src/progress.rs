//! How far a search has come: [`Progress`].

/// How far a search has come, for whoever looks on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Seconds since the search began.
    pub elapsed_s: f64,
    /// Seconds it may take at most.
    pub budget_s: f64,
    /// The highest rate that passed.
    pub passed: Option<f64>,
    /// The lowest rate that failed.
    pub failed: Option<f64>,
    /// Where the limit is thought to be.
    pub estimate: Option<Estimate>,
}

/// Where the limit is thought to be: shown, never claimed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// With a probability of a tenth it is lower.
    pub p10: f64,
    /// As likely lower as higher.
    pub p50: f64,
    /// With a probability of a tenth it is higher.
    pub p90: f64,
}

//! The limits and the precision of a search: [`Settings`].

use std::ops::RangeInclusive;

/// The allowed range of a precision.
pub const PRECISION: RangeInclusive<f64> = 0.005..=0.5;

/// The limits and the precision of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far a claim lies below the estimate, as a share: 0.05.
    pub precision: f64,
    /// How long a confirmation is, in seconds.
    pub confirm_s: u32,
    /// How long the search may take, in seconds.
    pub budget_s: f64,
    /// How long the target may take to recover, in seconds.
    pub recovery_s: u32,
    /// The first rate; unless given, a quarter of the rate that one session makes.
    pub from: Option<f64>,
    /// The highest rate to try.
    pub to: Option<f64>,
    /// The rate that this generator reaches with a target that costs nothing, if that is calibrated.
    pub ceiling: Option<f64>,
    /// Warm-up of a step, in seconds.
    pub warm_up_s: u32,
    /// How long the unloaded run is, in seconds.
    pub baseline_s: u32,
    /// A target is warm when this number of seconds were no better than as many before.
    pub settled_s: u32,
    /// The longest wait for that, in seconds.
    pub settle_max_s: u32,
    /// How long a sentinel is, in seconds.
    pub sentinel_s: u32,
    /// How long a step of the ramp is, in seconds.
    pub ramp_s: u32,
    /// The most steps, not counting baseline and calm steps.
    pub steps: u32,
    /// The most steps that search.
    pub searches: u32,
    /// The first looks of a searching step, in seconds.
    pub looks: [u32; 2],
    /// The estimate is narrow enough to confirm a rate when the ratio between the ends of its 80 % interval is at most
    /// this.
    pub narrow: f64,
    /// The factor by which looks grow once short ones have misled.
    pub stretch: u32,
    /// The most confirmations.
    pub confirmations: u32,
    /// Whether a confirmation may pass after half of its time.
    pub passes_early: bool,
    /// The factor above the claim at which failure is looked for.
    pub above: f64,
    /// The looks there, in seconds.
    pub above_looks: [u32; 3],
    /// How long nothing is sent after a failure, in seconds.
    pub idle_s: u32,
    /// How long nothing is sent after a target did not recover under load, in seconds.
    pub long_idle_s: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            precision: 0.05,
            confirm_s: 300,
            budget_s: 45.0 * 60.0,
            recovery_s: 60,
            from: None,
            to: None,
            ceiling: None,
            warm_up_s: 5,
            baseline_s: 10,
            settled_s: 15,
            settle_max_s: 120,
            sentinel_s: 20,
            ramp_s: 10,
            steps: 40,
            searches: 10,
            looks: [15, 30],
            narrow: 1.10,
            stretch: 4,
            confirmations: 4,
            passes_early: true,
            above: 1.10,
            above_looks: [30, 60, 120],
            idle_s: 5,
            long_idle_s: 30,
        }
    }
}

impl Settings {
    /// A search of five minutes. It confirms for one minute, so events rarer than one in 6 s can be missed, and it
    /// claims less, because its looks are short.
    pub fn quick() -> Self {
        Self {
            precision: 0.10,
            confirm_s: 60,
            budget_s: 5.0 * 60.0,
            recovery_s: 30,
            warm_up_s: 2,
            baseline_s: 5,
            settled_s: 4,
            settle_max_s: 20,
            sentinel_s: 8,
            ramp_s: 4,
            looks: [8, 16],
            narrow: 1.20,
            stretch: 2,
            passes_early: false,
            above: 1.15,
            above_looks: [10, 20, 40],
            idle_s: 2,
            long_idle_s: 10,
            ..Self::default()
        }
    }

    /// The share of a calibrated ceiling above which nothing is tried.
    pub const CEILING_SHARE: f64 = 0.8;

    /// The highest rate that may be tried.
    pub fn highest(&self) -> f64 {
        let ceiling = self.ceiling.map_or(f64::INFINITY, |ceiling| ceiling * Self::CEILING_SHARE);
        self.to.unwrap_or(f64::INFINITY).min(ceiling)
    }

    /// How long a search is likely to take, in seconds: the usual time, and the longest. Printed before the search.
    pub fn expected_s(&self) -> (f64, f64) {
        let warm = self.warm_up_s;
        let sentinels = 2 * (warm + self.sentinel_s);
        let opening = 2 * warm + self.baseline_s + 2 * self.settled_s + sentinels;
        let ramp = 5 * (warm + self.ramp_s);
        let searches = 3 * (warm + self.looks[1]);
        let calm = 3 * (self.idle_s + 3);
        let confirmed = warm + self.confirm_s + warm + self.above_looks[1];
        let usual = f64::from(opening + ramp + searches + calm + confirmed);
        (usual.min(self.budget_s), self.budget_s)
    }
}

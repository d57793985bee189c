//! What a search may do and how exact it is to be: [`Settings`].

/// What a search may do and how exact it is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far a claim lies below the estimate, as a share: 0.05.
    pub precision: f64,
    /// How long a confirmation is, in seconds.
    pub confirm_s: u32,
    /// How long the search may take, in seconds.
    pub budget_s: f64,
    /// How long the target may take to be itself again, in seconds.
    pub recovery_s: u32,
    /// The rate to begin with; unless given, a quarter of what one session makes.
    pub from: Option<f64>,
    /// No higher rate than this.
    pub to: Option<f64>,
    /// What this generator manages against a target that costs nothing, where that is calibrated.
    pub ceiling: Option<f64>,
    /// Warm-up of a step, in seconds.
    pub warm_up_s: u32,
    /// The most steps, baseline and calm steps left out.
    pub steps: u32,
    /// The most steps that search.
    pub searches: u32,
    /// The most confirmations.
    pub confirmations: u32,
    /// The first looks of a searching step, in seconds.
    pub looks: [u32; 2],
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
            steps: 40,
            searches: 10,
            confirmations: 4,
            looks: [15, 30],
        }
    }
}

impl Settings {
    /// A search that takes half the time, and claims less: what comes more rarely than each 12 s can be missed.
    pub fn quick() -> Self {
        Self { confirm_s: 120, budget_s: 20.0 * 60.0, ..Self::default() }
    }

    /// The share of a calibrated ceiling above which nothing is tried.
    pub const CEILING_SHARE: f64 = 0.8;

    /// The highest rate that may be tried.
    pub fn highest(&self) -> f64 {
        let ceiling = self.ceiling.map_or(f64::INFINITY, |ceiling| ceiling * Self::CEILING_SHARE);
        self.to.unwrap_or(f64::INFINITY).min(ceiling)
    }

    /// How long a search is likely to take, in seconds: of most, and of the longest it is given. To be said first.
    pub fn expected_s(&self) -> (f64, f64) {
        let ramp = 8.0 * f64::from(10 + self.warm_up_s + 8);
        let searches = 5.0 * f64::from(self.looks[1] + self.warm_up_s);
        let confirmed = f64::from(self.confirm_s + 60 + 3 * self.warm_up_s);
        let around = f64::from(15 + 30 + 2 * 25);
        ((ramp + searches + confirmed + around).min(self.budget_s), self.budget_s)
    }
}

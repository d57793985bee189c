//! [`Pause`]: the time between two steps of a user.

use brunt_exchange::ThinkTime;

/// A pause between two steps.
#[derive(Clone, Debug)]
pub struct Pause {
    /// Its duration.
    pub time: ThinkTime,
    /// The name under which it is counted, if a table shows pauses.
    pub name: String,
}

impl Pause {
    /// Whether it is ever longer than nothing.
    pub fn takes_time(&self) -> bool {
        match self.time {
            ThinkTime::None => false,
            ThinkTime::Constant(time)
            | ThinkTime::Uniform(_, time)
            | ThinkTime::Exponential(time) => !time.is_zero(),
            ThinkTime::Normal { mean, deviation } => !mean.is_zero() || !deviation.is_zero(),
        }
    }
}

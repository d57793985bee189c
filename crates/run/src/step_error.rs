//! [`StepError`]: why a step of a load cannot be carried out.

use std::time::TryFromFloatSecsError;

use brunt_engine::PlanError;
use brunt_engine::schedule::ScheduleError;

/// Why there is no plan of a step.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// All data was used by earlier steps.
    #[error(
        "the load has no more data: all of its {0} operations were made; give it more entries or users"
    )]
    UsedUp(u64),
    /// The engine does not take it.
    #[error("failed to {0}")]
    Plan(#[from] PlanError),
    /// No pause keeps this limit.
    #[error("failed to hold {most}/s: {source}")]
    Pause {
        /// The highest rate.
        most: f64,
        /// What is wrong with the pause.
        source: TryFromFloatSecsError,
    },
    /// There is no such rate.
    #[error("failed to make a rate of {0}/s")]
    Rate(f64),
    /// The rate makes no schedule.
    #[error("failed to {0}")]
    Schedule(#[from] ScheduleError),
}

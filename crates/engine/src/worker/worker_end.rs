//! [`WorkerEnd`]: when a worker's part of a run was over, and why.

use super::Ended;
use brunt_exchange::Moment;

/// When exchanges ceased to become due, as one worker knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowTo {
    /// At this moment, for all workers.
    End(Moment),
    /// At the due time of the first exchange beyond the count. Among several workers the earliest is right.
    Count(Moment),
    /// With the last answer.
    Answer(Moment),
}

/// The result of a worker's run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerEnd {
    pub(crate) ended: Ended,
    pub(crate) origin: Moment,
    /// When the last answer arrived, or when the schedule was over, if that was later.
    pub(crate) last: Moment,
    /// When exchanges of the steady phase ceased to become due.
    pub(crate) window_to: WindowTo,
    /// When nothing was in flight any more.
    pub(crate) over: Moment,
}

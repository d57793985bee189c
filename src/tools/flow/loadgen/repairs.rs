//! [`Repair`]: what this tool does otherwise than the one whose jobs it reads, so that figures differ.
//!
//! A repair is named at the end of a report only where it made a difference to the run that is reported.

/// A repair that made a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    /// The mix runs exactly the loops that are asked for.
    Remainders,
    /// A task that is used in several workloads has a row for each.
    SharedTasks,
    /// A task has a row for each of its thresholds.
    Thresholds,
    /// What follows a failure is skipped.
    Skipped,
    /// `$INCREMENT` is the same throughout an iteration.
    Increment,
    /// Wildcards are replaced where they were not.
    Wildcards,
    /// Backslashes are kept.
    Backslashes,
    /// A GET stays one.
    Get,
    /// PATCH is sent.
    Patch,
    /// Arrays are payloads.
    Arrays,
    /// A sleep is one whatever its task is called.
    Sleeps,
    /// Times are exact, and of the service only.
    Times,
}

impl Repair {
    /// What is done, and what was done.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Remainders => {
                "every workload ran exactly as often as it says; LoadGen drops the remainder of its division into \
                 rounds"
            }
            Self::SharedTasks => {
                "a task that is used in several workloads has a row and figures for each; LoadGen prints and sums \
                 the grand total once for each"
            }
            Self::Thresholds => {
                "a task with several thresholds in one workload has a row for each; LoadGen prints the last of them \
                 for all"
            }
            Self::Skipped => {
                "tasks after a failure are counted as skipped, in a list of their own; LoadGen counts them as failed"
            }
            Self::Increment => {
                "$INCREMENT is the same for all tasks of an iteration; LoadGen adds one as soon as a task has used it"
            }
            Self::Wildcards => {
                "wildcards were replaced wherever they stand; LoadGen leaves them in locations, endpoints and \
                 strings, and knows only some of them elsewhere"
            }
            Self::Backslashes => "backslashes of payloads were sent; LoadGen deletes them",
            Self::Get => "a GET with a payload was sent as GET; LoadGen sends POST",
            Self::Patch => "PATCH was sent; LoadGen fails it without sending anything",
            Self::Arrays => "a payload that is an array was sent; LoadGen ends the thread",
            Self::Sleeps => {
                "a sleep is no operation, whatever its task is called; LoadGen knows it in its report by the name \
                 \"sleep\" only"
            }
            Self::Times => {
                "times are exact, and from the first byte sent to the last one received; LoadGen counts whole \
                 milliseconds and adds connecting to them"
            }
        }
    }
}

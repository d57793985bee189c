//! [`Repair`]: the differences between this tool and LoadGen that change figures.
//!
//! A repair is named at the end of a report only if it made a difference to the run that is reported.

/// A repair that made a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// The mix runs exactly the requested number of loops.
    Remainders,
    /// A task that is used in several workloads has a row for each.
    SharedTasks,
    /// A task has a row for each of its thresholds.
    Thresholds,
    /// The steps after a failure are skipped.
    Skipped,
    /// `$INCREMENT` is the same throughout an iteration.
    Increment,
    /// Wildcards are replaced also where LoadGen did not.
    Wildcards,
    /// Backslashes are kept.
    Backslashes,
    /// A GET stays a GET.
    Get,
    /// PATCH is sent.
    Patch,
    /// Arrays can be payloads.
    Arrays,
    /// A sleep is recognised regardless of its task's name.
    Sleeps,
    /// Times are exact, and contain only the service.
    Times,
}

impl Repair {
    /// The new behaviour, and the original one.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Remainders => {
                "every workload ran exactly as often as it says; LoadGen drops the remainder of the division into \
                 rounds"
            }
            Self::SharedTasks => {
                "a task that is used in several workloads has a row and figures for each; LoadGen prints and adds up \
                 the grand total in each"
            }
            Self::Thresholds => {
                "a task with several thresholds in one workload has a row for each; LoadGen prints the last threshold \
                 for all"
            }
            Self::Skipped => {
                "tasks after a failure are counted as skipped, in a separate list; LoadGen counts them as failed"
            }
            Self::Increment => {
                "$INCREMENT is the same for all tasks of an iteration; LoadGen increments it after each task that \
                 uses it"
            }
            Self::Wildcards => {
                "wildcards were replaced everywhere; LoadGen does not replace them in locations, endpoints and \
                 strings, and only some of them elsewhere"
            }
            Self::Backslashes => "backslashes of payloads were sent; LoadGen deletes them",
            Self::Get => "a GET with a payload was sent as GET; LoadGen sends POST",
            Self::Patch => "PATCH was sent; LoadGen fails it without sending anything",
            Self::Arrays => "a payload that is an array was sent; LoadGen ends the thread",
            Self::Sleeps => {
                "a sleep does not count as an operation, whatever its task is called; LoadGen recognises it by the \
                 name \"sleep\" only"
            }
            Self::Times => {
                "times are exact, from the first byte sent to the last one received; LoadGen counts whole \
                 milliseconds and includes connecting"
            }
        }
    }
}

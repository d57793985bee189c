//! [`Manner`]: whether a job is performed as it says, or as LoadGen would perform it.

/// How a job is performed and reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As the job says.
    #[default]
    Repaired,
    /// With those faults of LoadGen that its figures depend on.
    Compatible,
}

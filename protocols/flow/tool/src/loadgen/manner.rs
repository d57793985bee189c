//! [`Manner`]: whether a job is performed as it is written, or as LoadGen would perform it.

/// How a job is performed and reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// As the job is written.
    #[default]
    Repaired,
    /// With those faults of LoadGen that its figures depend on.
    Compatible,
}

//! The messages between a website and the processes that it starts.
//!
//! A process receives one [`Envelope`] on its standard input and writes one [`Answer`]. These are values without
//! behaviour: neither side names the other.

mod answer;
mod envelope;
mod import;

pub use answer::{
    Answer, Checked, EXIT_ABORTED, EXIT_REFUSED, Finding, LoadFigures, Outcome, PathPart,
};
pub use envelope::{
    COMPARED_MAX, ClusterSettings, Compared, Delivery, ENVELOPE_MAX, ENVELOPE_VERSION, Envelope,
    EnvelopeError, Export, Fetch, Fetched, Grant, RequestedSecrets, RunSpec, RunTask, Search,
    SearchProgress, Task,
};
pub use import::{Import, Imported, Kind};

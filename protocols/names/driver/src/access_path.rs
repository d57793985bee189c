//! An [`AccessPath`]: how one session looks up names.
//!
//! Access paths differ in the layers between the question and the data. Each cache and each daemon can be queried
//! without the layers above it; the difference shows what the layer above costs or saves.

use brunt_net::resend::Resend;

use super::error::LookupError;
use super::question::{Answer, Question};

/// A path on which one session looks up names.
pub trait AccessPath {
    /// Whether [`ready`](Self::ready) would have nothing to do.
    fn is_ready(&self) -> bool {
        true
    }

    /// Opens what stays open between questions.
    fn ready(&mut self) -> Result<(), LookupError> {
        Ok(())
    }

    /// Whether a connection that is kept was closed meanwhile by the other side. Needs system calls, so it is called
    /// only after a pause.
    fn has_lapsed(&mut self) -> bool {
        false
    }

    /// The rule for repeating the lookup that failed last, once the path is ready again, if it was sent over a
    /// connection that had been used before and that ended before any part of an answer arrived.
    fn unanswered(&self) -> Option<Resend> {
        None
    }

    /// Sends the question and waits for the answer.
    fn look_up(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError>;

    /// Closes the connection.
    fn close(&mut self) {}
}

//! An [`AccessPath`]: one session's way to ask questions.
//!
//! Access paths differ in what lies between the question and the data, which is why there are several: each cache and
//! each daemon can be asked without those above it, and the difference is what the one above costs or saves.

use super::error::LookupError;
use super::question::{Answer, Question};

/// A way on which one session asks.
pub trait AccessPath {
    /// Whether [`ready`](Self::ready) would have nothing to do.
    fn is_ready(&self) -> bool {
        true
    }

    /// Opens what stays open between questions.
    fn ready(&mut self) -> Result<(), LookupError> {
        Ok(())
    }

    /// Whether a connection that is kept was closed meanwhile by the other side. Costs system calls, so it is called
    /// after a pause alone.
    fn has_lapsed(&mut self) -> bool {
        false
    }

    /// Whether the question that failed last may be asked again once the path is ready again: it was asked over a
    /// connection that had been used before, and nothing of an answer came before the end of it.
    fn may_ask_again(&self) -> bool {
        false
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError>;

    /// Closes the connection.
    fn close(&mut self) {}
}

//! [`Retry`]: a step that is tried again after some failures.

use super::pause::Pause;
use brunt_exchange::{Class, Outcome};

/// How a step is tried again.
#[derive(Clone, Debug)]
pub struct Retry {
    /// How many further attempts there are.
    pub times: u32,
    /// The failures after which it is tried again; empty for all.
    pub of: Vec<Cause>,
    /// The pause before each further attempt.
    pub pause: Option<Pause>,
    /// The number of the span that measures further attempts.
    pub span: u16,
}

/// Failures after which a step is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The answer had a code in this range, both ends included, and was a failure.
    Code(u32, u32),
    /// Failures of a class.
    Class(Class),
    /// No answer came in time.
    Timeout,
}

impl Retry {
    /// Whether it is tried again after this outcome of the attempt that `made` others preceded.
    pub fn follows(&self, outcome: Outcome, made: u32) -> bool {
        made < self.times
            && (self.of.is_empty() || self.of.iter().any(|of| of.is(outcome)))
            && matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut)
    }
}

impl Cause {
    fn is(self, outcome: Outcome) -> bool {
        match (self, outcome) {
            (Self::Code(least, most), Outcome::Failed(class, code)) => {
                class.answered() && (least..=most).contains(&code)
            }
            (Self::Class(wanted), Outcome::Failed(class, _)) => wanted == class,
            (Self::Timeout, outcome) => outcome == Outcome::TimedOut,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_applies_to_named_failures_up_to_its_limit() {
        let retry = |of: &[Cause]| Retry { times: 2, of: of.to_vec(), pause: None, span: 0 };
        let some = retry(&[Cause::Code(503, 504), Cause::Class(Class::Closed), Cause::Timeout]);
        let refused = |code| Outcome::Failed(Class::Result, code);
        let followed = [refused(503), Outcome::Failed(Class::Closed, 104), Outcome::TimedOut];
        let others = [
            refused(500),
            Outcome::Ok(503),
            Outcome::Failed(Class::Connect, 503),
            Outcome::Skipped,
            Outcome::CutOff,
        ];
        assert!(followed.iter().all(|outcome| some.follows(*outcome, 1)));
        assert!(followed.iter().all(|outcome| !some.follows(*outcome, 2)));
        assert!(others.iter().all(|outcome| !some.follows(*outcome, 0)));
        assert!(retry(&[]).follows(Outcome::Failed(Class::Check, 200), 0));
        assert!(!retry(&[]).follows(Outcome::Ok(200), 0));
    }
}

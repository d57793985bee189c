//! [`Silence`]: since when no reply has arrived, so that a report can say which target disappeared and when.
//!
//! Each worker records when its last reply arrived and what it sent after that. It does not decide whether the silence
//! is too long.

use brunt_exchange::Moment;
use std::time::Duration;

/// What a worker, or all of them, know about the last reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    /// When the last reply arrived, since the beginning of the run; `None` if none ever did.
    pub heard: Option<Duration>,
    /// When the last message that requires a reply was sent.
    pub requested: Option<Duration>,
    /// How many such messages were sent after the last reply.
    pub unanswered: u64,
}

impl Silence {
    /// How long no reply had arrived when the last message was sent.
    pub fn lasted(&self) -> Duration {
        self.requested.unwrap_or_default().saturating_sub(self.heard.unwrap_or_default())
    }

    /// Combines what two workers know: the later reply shows that the target was still there.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            heard: self.heard.max(other.heard),
            requested: self.requested.max(other.requested),
            unanswered: self.unanswered + other.unanswered,
        }
    }
}

/// What one worker records.
#[derive(Debug, Default)]
pub(super) struct Listening {
    heard: Option<Moment>,
    requested: Option<Moment>,
    unanswered: u64,
}

impl Listening {
    /// Records that a reply arrived.
    pub(super) fn heard(&mut self, at: Moment) {
        self.heard = Some(at);
        self.unanswered = 0;
    }

    /// Records that a message that requires a reply was sent.
    pub(super) fn requested(&mut self, at: Moment) {
        self.requested = Some(at);
        self.unanswered += 1;
    }

    /// The recorded times, counted from `origin`.
    pub(super) fn since(&self, origin: Moment) -> Silence {
        let since = |moment: Option<Moment>| moment.map(|moment| moment - origin);
        Silence {
            heard: since(self.heard),
            requested: since(self.requested),
            unanswered: self.unanswered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::at;

    #[test]
    fn silence_begins_with_the_last_reply_of_any_worker() {
        let (mut one, mut two) = (Listening::default(), Listening::default());
        assert_eq!(one.since(at(0)).lasted(), Duration::ZERO);
        one.requested(at(1_000));
        one.heard(at(1_001));
        one.requested(at(4_000));
        one.heard(at(5_000));
        for millis in [6_000, 7_000, 9_000] {
            one.requested(at(millis));
        }
        two.requested(at(2_000));
        let both = one.since(at(1_000)).and(two.since(at(1_000)));
        assert_eq!(both.heard, Some(Duration::from_secs(4)));
        assert_eq!((both.unanswered, both.lasted()), (4, Duration::from_secs(4)));
        assert_eq!(two.since(at(1_000)).heard, None);
    }
}

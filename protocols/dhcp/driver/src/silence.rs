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
    pub last_reply: Option<Duration>,
    /// When the last message that requires a reply was sent.
    pub requested: Option<Duration>,
    /// How many such messages were sent after the last reply.
    pub unanswered: u64,
}

impl Silence {
    /// How long no reply had arrived when the last message was sent.
    pub fn lasted(&self) -> Duration {
        self.requested.unwrap_or_default().saturating_sub(self.last_reply.unwrap_or_default())
    }

    /// Combines what two workers know: the later reply shows that the target was still there.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            last_reply: self.last_reply.max(other.last_reply),
            requested: self.requested.max(other.requested),
            unanswered: self.unanswered + other.unanswered,
        }
    }
}

/// What one worker records.
#[derive(Debug, Default)]
pub(super) struct Listening {
    last_reply: Option<Moment>,
    requested: Option<Moment>,
    unanswered: u64,
}

impl Listening {
    /// Records that a reply arrived.
    pub(super) fn on_reply(&mut self, at: Moment) {
        self.last_reply = Some(at);
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
            last_reply: since(self.last_reply),
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
        one.on_reply(at(1_001));
        one.requested(at(4_000));
        one.on_reply(at(5_000));
        for millis in [6_000, 7_000, 9_000] {
            one.requested(at(millis));
        }
        two.requested(at(2_000));
        let both = one.since(at(1_000)).and(two.since(at(1_000)));
        assert_eq!(both.last_reply, Some(Duration::from_secs(4)));
        assert_eq!((both.unanswered, both.lasted()), (4, Duration::from_secs(4)));
        assert_eq!(two.since(at(1_000)).last_reply, None);
    }
}

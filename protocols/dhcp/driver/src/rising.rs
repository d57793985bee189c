//! A [`Rising`]: a period in which clients claim to have waited for increasingly long times.

use std::time::Duration;

/// A period in which first messages (DISCOVER, SOLICIT) claim that their clients have been waiting for one second, two,
/// three and so on, so that a standby server believes that its partner is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rising {
    /// When it begins, counted from the beginning of the run.
    pub after: Duration,
    /// How long it lasts.
    pub lasting: Duration,
}

impl Rising {
    /// The whole seconds that a message claims when it is sent at this time of the run.
    pub(super) fn seconds(self, at: Duration) -> u64 {
        let into = at.checked_sub(self.after).filter(|into| *into < self.lasting);
        into.map_or(0, |into| into.as_secs() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claimed_seconds_rise_within_the_period() {
        let rising = Rising { after: Duration::from_secs(10), lasting: Duration::from_secs(5) };
        let claimed = |millis| rising.seconds(Duration::from_millis(millis));
        assert_eq!((claimed(0), claimed(9_999)), (0, 0));
        assert_eq!(
            (claimed(10_000), claimed(10_999), claimed(11_000), claimed(14_999)),
            (1, 1, 2, 5)
        );
        assert_eq!(claimed(15_000), 0);
        let long = Rising { after: Duration::ZERO, lasting: Duration::MAX };
        assert_eq!(long.seconds(Duration::from_secs(1_000_000)), 1_000_001);
    }
}

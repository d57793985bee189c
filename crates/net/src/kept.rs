//! [`Kept`]: what is known of one connection that is kept between exchanges, and may lapse meanwhile.
//!
//! Servers close idle connections, restart and refuse. For each protocol the questions are then the same: how long to
//! wait before the next attempt, whether a request met the end of its connection on the way, and whether a pause was
//! long enough for the server to have closed it. The driver of the protocol opens and uses the connection and reports
//! what happened; this module has no socket and reads no clock.

use crate::backoff;
use crate::resend::{KEPT, Unanswered};
use brunt_exchange::{Clock, Moment};
use std::time::Duration;

/// After this time without a request a connection is checked before it is used, where a check costs little: far less
/// than any server waits.
const IDLE: Duration = Duration::from_millis(5);

/// The longest that one call of [`Kept::rest_blocking`] waits.
const LONGEST_BLOCKING: Duration = Duration::from_millis(200);

/// The history of a connection, as far as its future depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept {
    /// How many attempts to open it were made.
    attempts: u64,
    /// Failed attempts in a row.
    failures: u32,
    /// Connections in a row that ended without an answer.
    unanswered: u32,
    /// The wait after failed attempts is over for the next attempt.
    rested: bool,
    /// How long connecting took, the last time.
    round_trip: Duration,
    /// When the last request began, where this is followed.
    requested: Option<Moment>,
}

impl Kept {
    /// Begins an attempt to open it; returns how many were made before.
    pub fn begin(&mut self) -> u64 {
        let before = self.attempts;
        (self.attempts, self.rested) = (before + 1, false);
        before
    }

    /// How many attempts were made.
    pub const fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Makes the next attempt the first of a round of this many.
    pub fn begin_round(&mut self, of: u64) {
        self.attempts = self.attempts.next_multiple_of(of);
    }

    /// The server was reached in this time.
    pub fn reached(&mut self, in_time: Duration) {
        self.round_trip = in_time;
    }

    /// How long connecting took, the last time.
    pub const fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// The server answered an attempt, even if it refused to be used: it is tried again at the pace of the run.
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// An attempt failed, or the connection was given up.
    pub fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// Whether the last attempt failed.
    pub const fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// A request was answered.
    #[inline]
    pub fn answered(&mut self) {
        self.unanswered = 0;
    }

    /// The connection ended; `used` is whether a request was answered on it. Each further connection in a row that a
    /// server ends without an answer lengthens the wait before the next.
    pub fn ended(&mut self, used: bool) {
        self.unanswered = if used { 0 } else { self.unanswered.saturating_add(1) };
    }

    /// Whether the wait before the next attempt is over.
    pub const fn is_rested(&self) -> bool {
        self.rested
    }

    /// The wait before the next attempt is over.
    pub fn rested(&mut self) {
        self.rested = true;
    }

    /// The number of the wait before the next attempt, if there is one.
    pub fn wait(&self) -> Option<u32> {
        backoff::attempt(self.failures, self.unanswered).filter(|_| !self.rested)
    }

    /// Waits before the next attempt, which is then made without a wait.
    pub async fn rest(&mut self, seed: u64, session: u32, clock: &dyn Clock) {
        if let Some(number) = self.wait() {
            backoff::wait(seed, session, number, clock).await;
        }
        self.rested = true;
    }

    /// Waits before the next attempt, or a part of it, so that the thread can look for the end of the run in between.
    #[expect(
        clippy::disallowed_methods,
        reason = "a back-off of a thread that serves nobody else and has nothing to measure meanwhile"
    )]
    pub fn rest_blocking(&self, seed: u64, session: u32) {
        if let Some(number) = self.wait() {
            std::thread::sleep(backoff::delay(seed, session, number).min(LONGEST_BLOCKING));
        }
    }

    /// Notes that a request begins now. Returns the time since the one before, if it was so long that the connection is
    /// to be checked before it is used; the longest time if one of the two moments is unknown.
    #[inline]
    pub fn pause(&mut self, now: Option<Moment>) -> Option<Duration> {
        let before = std::mem::replace(&mut self.requested, now);
        let pause = before.zip(now).map_or(Duration::MAX, |(before, now)| now - before);
        Some(pause).filter(|pause| *pause >= IDLE)
    }

    /// What is known of a request that was sent at this moment, if it was sent at all, over a connection that was
    /// opened at `opened` and ended now without an answer. `used` is whether another was answered over it before.
    pub fn unanswered(
        &self,
        (opened, used): (Moment, bool),
        sent: Option<Moment>,
        safe: bool,
        now: Moment,
    ) -> Unanswered {
        let kept = used || sent.is_some_and(|sent| sent - opened >= KEPT);
        let in_flight = sent.map_or(Duration::ZERO, |sent| now - sent);
        Unanswered { kept, in_flight, round_trip: self.round_trip, safe }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_connection_backs_off_after_failures_without_answer() {
        let mut kept = Kept::default();
        assert_eq!((kept.wait(), kept.has_failed()), (None, false));
        assert_eq!([kept.begin(), kept.begin()], [0, 1]);
        kept.failed();
        kept.failed();
        assert_eq!((kept.wait(), kept.has_failed()), (Some(1), true));
        kept.rested();
        assert_eq!(kept.wait(), None, "the wait is over for the next attempt");
        assert_eq!((kept.begin(), kept.wait()), (2, Some(1)));
        kept.succeeded();
        // The first that ends unanswered may have been opened long before.
        kept.ended(false);
        assert_eq!(kept.wait(), None);
        kept.ended(false);
        kept.ended(false);
        assert_eq!(kept.wait(), Some(1));
        kept.answered();
        assert_eq!(kept.wait(), None);
        kept.ended(false);
        kept.ended(true);
        kept.ended(false);
        assert_eq!(kept.wait(), None, "an answer between them ends the row");
    }

    #[test]
    fn kept_connection_rounds_of_servers_restart() {
        let mut kept = Kept::default();
        for _ in 0..4 {
            kept.begin();
        }
        kept.begin_round(3);
        assert_eq!((kept.attempts(), kept.begin()), (6, 6));
    }

    #[test]
    fn kept_connection_is_checked_after_a_pause() {
        let mut kept = Kept::default();
        let after = |millis| Some(Moment::ZERO + Duration::from_millis(millis));
        let requested = [after(1), after(5), after(10), None, after(11), after(12)];
        let unknown = Some(Duration::MAX);
        let pauses = [unknown, None, Some(IDLE), unknown, unknown, None];
        assert_eq!(requested.map(|now| kept.pause(now)), pauses);
    }

    #[test]
    fn kept_connection_counts_as_reused_if_used_or_idle() {
        let (mut kept, opened) = (Kept::default(), Moment::ZERO);
        kept.reached(Duration::from_millis(100));
        let after = |millis| opened + Duration::from_millis(millis);
        let known = |used, sent| kept.unanswered((opened, used), sent, true, after(90));
        let request = |kept, in_flight| Unanswered {
            kept,
            in_flight: Duration::from_millis(in_flight),
            round_trip: Duration::from_millis(100),
            safe: true,
        };
        assert_eq!(known(true, Some(after(3))), request(true, 87));
        assert_eq!(known(false, Some(after(19))), request(false, 71));
        assert_eq!(known(false, Some(after(20))), request(true, 70));
        assert_eq!((known(true, None), known(false, None)), (request(true, 0), request(false, 0)));
        assert_eq!(kept.round_trip(), Duration::from_millis(100));
    }
}

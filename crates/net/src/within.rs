//! Waits and limits by the clock of a run. The timers of the runtime follow the machine's, which a run in virtual time
//! does not.

use std::time::Duration;

use brunt_exchange::Clock;

/// What this gives, unless it takes longer than `limit` by the clock.
pub async fn within<F: Future>(limit: Duration, clock: &dyn Clock, act: F) -> Option<F::Output> {
    match clock.wait(clock.now() + limit) {
        None => tokio::time::timeout(limit, act).await.ok(),
        Some(over) => tokio::select! {
            biased;
            done = act => Some(done),
            () = over => None,
        },
    }
}

/// Waits this long. A millisecond of inaccuracy must not matter, so the runtime's timer is good enough for a clock that
/// it follows.
#[expect(clippy::disallowed_methods, reason = "the callers do not pace a load")]
pub(crate) async fn pause(time: Duration, clock: &dyn Clock) {
    match clock.wait(clock.now() + time) {
        None => tokio::time::sleep(time).await,
        Some(over) => over.await,
    }
}

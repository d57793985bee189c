//! [`timer_noise`]: the precision of this machine's timers, measured by a thread that does nothing but sleep.

use crate::timer::{MachineTime, Time, Timer};
use brunt_exchange::{Clock, Moment};
use brunt_record::TimerNoise;
use std::future::poll_fn;
use std::time::Duration;
use tokio::runtime::Builder;

/// The time from one wake-up to the next.
const STEP: Duration = Duration::from_millis(1);

/// Sleeps in steps of a millisecond for this time, and returns how late the wake-ups were. The thread waits as a worker
/// does: for a timerfd, in the runtime's epoll. Without a timer there are no samples.
///
/// # Panics
///
/// Within a tokio runtime, since it makes one.
pub fn timer_noise(lasting: Duration) -> TimerNoise {
    summary(&mut lateness(lasting).unwrap_or_default())
}

fn lateness(lasting: Duration) -> std::io::Result<Vec<Duration>> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let time = MachineTime::new();
        let (clock, timer) = (time.clock(), time.timer()?);
        let end = clock.now() + lasting;
        let mut late = Vec::with_capacity(lasting.as_millis() as usize);
        let mut at = clock.now() + STEP;
        while at < end {
            let now = woken(&clock, &timer, at).await;
            late.push(now - at);
            // One late wake-up must not make those after it late.
            at = (at + STEP).max(now + STEP / 2);
        }
        Ok(late)
    })
}

/// When a thread that sleeps until this moment is awake.
async fn woken(clock: &impl Clock, timer: &impl Timer, at: Moment) -> Moment {
    loop {
        // A timer that rang early by this clock does not ring again unless it is set again.
        timer.set(at);
        let now = clock.now();
        if now >= at {
            return now;
        }
        poll_fn(|cx| timer.poll_ring(cx)).await;
    }
}

fn summary(late: &mut [Duration]) -> TimerNoise {
    late.sort_unstable();
    // The nearest rank: the least value that the share `percent` of all values does not exceed.
    let rank = |percent: usize| {
        let rank = (late.len() * percent).div_ceil(100).max(1);
        late.get(rank - 1).copied().unwrap_or_default()
    };
    TimerNoise { samples: late.len() as u64, p50: rank(50), p99: rank(99), max: rank(100) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let mut late: Vec<_> = (1..=200).rev().map(Duration::from_micros).collect();
        let micros = Duration::from_micros;
        let expected =
            TimerNoise { samples: 200, p50: micros(100), p99: micros(198), max: micros(200) };
        assert_eq!(summary(&mut late), expected);
        let one = TimerNoise { samples: 1, p50: micros(7), p99: micros(7), max: micros(7) };
        assert_eq!(summary(&mut [micros(7)]), one);
        assert_eq!(summary(&mut []), TimerNoise::default());
    }

    /// A timer that rings once each time it is set, immediately; each reading of the clock takes a while.
    #[derive(Default)]
    struct Early {
        now: Cell<u64>,
        armed: Cell<bool>,
    }

    impl Timer for Early {
        fn set(&self, _: Moment) {
            self.armed.set(true);
        }

        fn poll_ring(&self, _: &mut Context<'_>) -> Poll<()> {
            if self.armed.take() { Poll::Ready(()) } else { Poll::Pending }
        }
    }

    impl Clock for Early {
        fn now(&self) -> Moment {
            self.now.update(|now| now + 400);
            Moment::from_nanos(self.now.get())
        }
    }

    #[test]
    fn a_timer_that_rings_early_is_waited_for_again() {
        let early = Early::default();
        let woken = pin!(woken(&early, &early, Moment::from_nanos(1_000)));
        let woken = woken.poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(woken, Poll::Ready(Moment::from_nanos(1_200)));
    }

    #[test]
    fn a_quarter_of_a_second_has_samples_enough_to_judge_by() {
        let noise = timer_noise(Duration::from_millis(250));
        // A busy machine skips some steps; at least half of them remain on any machine.
        assert!((25..=250).contains(&noise.samples), "{noise:?}");
        assert!(noise.p50 <= noise.p99 && noise.p99 <= noise.max, "{noise:?}");
        assert!(noise.max > Duration::ZERO && noise.p50 < Duration::from_secs(1), "{noise:?}");
    }
}

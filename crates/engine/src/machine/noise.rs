//! [`timer_noise`]: the precision of this machine's timers, measured by a thread that does nothing but sleep.
//!
//! It is what a figure of the run is excused for, so it must not contain what it should reveal: a quota, other
//! processes and a hypervisor disturb this thread as they disturb the run. Wake-ups beside such evidence are therefore
//! left out. If none is left, nothing is known of the timer.

use super::disturbance::{Disturbance, DisturbanceCounters};
use crate::timer::{MachineTime, Time, Timer};
use brunt_exchange::{Clock, Moment};
use brunt_record::TimerNoise;
use std::future::poll_fn;
use std::time::Duration;
use tokio::runtime::Builder;

/// The time from one wake-up to the next.
const STEP: Duration = Duration::from_millis(1);

/// A later wake-up counts only if it is known that no hypervisor kept the core: steal is counted in ticks, too coarse
/// to tell which wake-up it made late. No verdict takes the timer to be more precise than this.
const STEAL_LATE_MIN: Duration = brunt_record::verdict::FLOOR_MIN;

/// One wake-up of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WakeUp {
    late: Duration,
    beside: Disturbance,
}

/// Sleeps in steps of a millisecond for this time, and returns how late the wake-ups were that nothing disturbed. The
/// thread waits as a worker does: for a timerfd, in the runtime's epoll. Without a timer there are no samples.
///
/// # Panics
///
/// Within a tokio runtime, since it makes one.
pub fn timer_noise(lasting: Duration) -> TimerNoise {
    let mut counters = DisturbanceCounters::of_thread();
    let time = MachineTime::new();
    let runtime = Builder::new_current_thread().enable_io().build();
    let wake_ups = runtime.and_then(|runtime| {
        runtime.block_on(async {
            let take = |late| counters.take(late);
            Ok(wake_ups(lasting, &time.clock(), &time.timer()?, take).await)
        })
    });
    undisturbed(&wake_ups.unwrap_or_default(), counters.stolen())
}

async fn wake_ups(
    lasting: Duration,
    clock: &impl Clock,
    timer: &impl Timer,
    mut beside: impl FnMut(Duration) -> Disturbance,
) -> Vec<WakeUp> {
    let end = clock.now() + lasting;
    let mut found = Vec::with_capacity(lasting.as_millis() as usize);
    let mut at = clock.now() + STEP;
    while at < end {
        let now = woken(clock, timer, at).await;
        let late = now - at;
        found.push(WakeUp { late, beside: beside(late) });
        // One late wake-up must not make those after it late.
        at = (at + STEP).max(clock.now() + STEP / 2);
    }
    found
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

/// What the wake-ups show of the timer. `stolen` is whether a hypervisor kept the core at any time.
fn undisturbed(wake_ups: &[WakeUp], stolen: Option<bool>) -> TimerNoise {
    let kept = |one: &&WakeUp| {
        !one.beside.may_explain(one.late) && (one.late <= STEAL_LATE_MIN || stolen == Some(false))
    };
    let mut late: Vec<_> = wake_ups.iter().filter(kept).map(|one| one.late).collect();
    let disturbed = (wake_ups.len() - late.len()) as u64;
    TimerNoise { disturbed, ..summary(&mut late) }
}

fn summary(late: &mut [Duration]) -> TimerNoise {
    late.sort_unstable();
    // The nearest rank: the least value that the share `percent` of all values does not exceed.
    let rank = |percent: usize| {
        let rank = (late.len() * percent).div_ceil(100).max(1);
        late.get(rank - 1).copied().unwrap_or_default()
    };
    let (p50, p99, max) = (rank(50), rank(99), rank(100));
    TimerNoise { samples: late.len() as u64, disturbed: 0, p50, p99, max }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::collections::VecDeque;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn timer_noise_percentiles_use_the_nearest_rank() {
        let mut late: Vec<_> = (1..=200).rev().map(Duration::from_micros).collect();
        let micros = Duration::from_micros;
        let expected = TimerNoise {
            samples: 200,
            disturbed: 0,
            p50: micros(100),
            p99: micros(198),
            max: micros(200),
        };
        assert_eq!(summary(&mut late), expected);
        let one =
            TimerNoise { samples: 1, disturbed: 0, p50: micros(7), p99: micros(7), max: micros(7) };
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
    fn timer_that_fires_early_is_awaited_again() {
        let early = Early::default();
        let woken = pin!(woken(&early, &early, Moment::from_nanos(1_000)));
        let woken = woken.poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(woken, Poll::Ready(Moment::from_nanos(1_200)));
    }

    /// A millisecond is the shortest sleep; this timer is late by the times in its script, or by 60 us.
    struct Scripted {
        now: Cell<u64>,
        late: RefCell<VecDeque<u64>>,
    }

    impl Timer for Scripted {
        fn set(&self, at: Moment) {
            let late = self.late.borrow_mut().pop_front().unwrap_or(60);
            self.now.set(self.now.get().max(at.since_origin().as_nanos() as u64 + late * 1_000));
        }

        fn poll_ring(&self, _: &mut Context<'_>) -> Poll<()> {
            Poll::Ready(())
        }
    }

    impl Clock for Scripted {
        fn now(&self) -> Moment {
            Moment::from_nanos(self.now.get())
        }
    }

    /// Measured for a quarter of a second with a timer that is late by these microseconds, of which the thread waited
    /// for a core and was throttled as `beside` gives for each lateness.
    fn measured(late: &[u64], beside: impl Fn(u64) -> (Option<u64>, u64)) -> Vec<WakeUp> {
        let late = RefCell::new(late.iter().copied().collect());
        let machine = Scripted { now: Cell::new(0), late };
        let micros = Duration::from_micros;
        let beside = |late: Duration| {
            let (waited, throttled) = beside(late.as_micros() as u64);
            Disturbance { waited: waited.map(micros), throttled: micros(throttled) }
        };
        let measured = pin!(wake_ups(Duration::from_millis(250), &machine, &machine, beside));
        let Poll::Ready(found) = measured.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("the timer rings at once");
        };
        found
    }

    #[test]
    fn quota_does_not_raise_the_timer_noise() {
        // A quota of a fiftieth of a core: twice the process waits for the next period.
        let found = measured(&[60, 97_000, 60, 97_000], |late| {
            (Some(5), if late > 1_000 { late } else { 0 })
        });
        let noise = undisturbed(&found, Some(false));
        assert_eq!((noise.disturbed, noise.p99), (2, Duration::from_micros(60)), "{noise:?}");
        assert!((40..=60).contains(&noise.samples), "two waits leave 56 ms: {noise:?}");
    }

    #[test]
    fn other_processes_do_not_raise_the_timer_noise() {
        let late: Vec<u64> = (0..250).map(|n| if n % 3 == 0 { 3_000 } else { 70 }).collect();
        let noise = undisturbed(&measured(&late, |late| (Some(late - 50), 0)), Some(false));
        assert_eq!(noise.p99, Duration::from_micros(70));
        assert!(noise.disturbed > 30, "{noise:?}");
        // A timer that is as late with nobody to be waited for is excused.
        let noise = undisturbed(&measured(&late, |_| (Some(5), 0)), Some(false));
        assert_eq!((noise.disturbed, noise.p99), (0, Duration::from_millis(3)));
    }

    #[test]
    fn late_wake_ups_beside_steal_are_ignored() {
        let late: Vec<u64> = (0..250).map(|n| if n % 3 == 0 { 3_000 } else { 150 }).collect();
        let found = measured(&late, |_| (Some(5), 0));
        for stolen in [Some(true), None] {
            let noise = undisturbed(&found, stolen);
            assert_eq!(noise.p99, Duration::from_micros(150), "{stolen:?}");
            assert!(noise.disturbed > 30, "{noise:?}");
        }
        let unknown = undisturbed(&measured(&[3_000; 250], |_| (None, 0)), None);
        assert!(unknown.disturbed > 30, "{unknown:?}");
        assert_eq!(unknown, TimerNoise { disturbed: unknown.disturbed, ..TimerNoise::default() });
    }

    #[test]
    fn timer_noise_samples_a_quarter_of_a_second() {
        let noise = timer_noise(Duration::from_millis(250));
        // A busy machine skips some steps, and more of them are left out.
        assert!((1..=250).contains(&(noise.samples + noise.disturbed)), "{noise:?}");
        assert!(noise.p50 <= noise.p99 && noise.p99 <= noise.max, "{noise:?}");
        assert!(noise.samples == 0 || noise.max > Duration::ZERO, "{noise:?}");
    }
}

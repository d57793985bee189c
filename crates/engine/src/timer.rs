//! Waiting: one [`Timer`] for each worker, which triggers everything that must happen at some moment.
//!
//! On a real machine that is a timerfd. Measured at 2,000 due times a second, the median lateness of tokio's timers is
//! 1.3 ms, since their wheel turns in milliseconds, and that of a timerfd 28-43 us. In tests it is tokio's paused
//! clock, so that an hour takes no time at all. Nothing here may know what is waited for.

use crate::machine::SimulatedMachine;
use crate::run_clock::RunClock;
use brunt_exchange::{Clock, Moment, Monotonic};
use rustix::fd::OwnedFd;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime::Builder;

const SECOND: u64 = 1_000_000_000;
/// How often the origin of a clock is read to determine it precisely.
const ORIGIN_READINGS: usize = 8;

/// A timer that rings once a moment has passed.
pub trait Timer {
    /// Requests a ring at this moment and cancels the previous request.
    fn set(&self, at: Moment);

    /// Ready when it has rung. It may ring for a cancelled moment, so the caller must check the clock.
    fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()>;
}

/// The source of the clocks and timers of a run's workers.
pub trait Time: Sync {
    /// The clock that all workers share.
    type Clock: Clock + Clone + 'static;
    /// The timer of one worker.
    type Timer: Timer + 'static;

    /// The clock.
    fn clock(&self) -> Self::Clock;

    /// The same clock, if it is the machine's own, by which the machine itself can be observed.
    fn machine(&self) -> Option<Monotonic> {
        None
    }

    /// The machine, if it is simulated. All workers of the run then share one thread, which does nothing while the
    /// collector does something, so that a run follows from its seeds.
    fn simulated(&self) -> Option<Arc<dyn SimulatedMachine>> {
        None
    }

    /// Prepares the runtime whose tasks wait for it.
    fn prepare(&self, runtime: &mut Builder) {
        let _ = runtime;
    }

    /// The time of day.
    fn today(&self) -> RunClock {
        RunClock::default()
    }

    /// A timer on that clock, made within the runtime of the worker that will wait for it.
    fn timer(&self) -> io::Result<Self::Timer>;
}

/// The time of the machine.
#[derive(Clone, Copy, Debug)]
pub struct MachineTime {
    clock: Monotonic,
    today: RunClock,
}

impl MachineTime {
    /// Time counted from now.
    #[expect(clippy::new_without_default, reason = "two of them made by default would not agree")]
    pub fn new() -> Self {
        Self::by(RunClock::default())
    }

    /// The same with this time of day.
    pub fn by(today: RunClock) -> Self {
        Self { clock: Monotonic::new(), today }
    }

    fn origin_on_the_kernels_clock(&self) -> u64 {
        let ours = self.clock.now().as_nanos();
        let kernel = clock_gettime(ClockId::Monotonic);
        (kernel.tv_sec as u64 * SECOND + kernel.tv_nsec as u64).saturating_sub(ours)
    }
}

impl Time for MachineTime {
    type Clock = Monotonic;
    type Timer = MachineTimer;

    fn clock(&self) -> Monotonic {
        self.clock
    }

    fn machine(&self) -> Option<Monotonic> {
        Some(self.clock)
    }

    fn today(&self) -> RunClock {
        self.today
    }

    fn timer(&self) -> io::Result<MachineTimer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // The origin of our clock on the kernel's. Each reading is too late by the time between the two calls, in which
        // this thread may have lost its core, so the least of several is the best, and none makes a timer ring early.
        let origin = (0..ORIGIN_READINGS).map(|_| self.origin_on_the_kernels_clock()).min();
        Ok(MachineTimer { fd: registered(fd)?, origin: origin.unwrap_or_default() })
    }
}

/// A timerfd.
///
/// It is never read: epoll reports it edge by edge, and setting it again resets the count of rings.
#[derive(Debug)]
pub struct MachineTimer {
    fd: AsyncFd<OwnedFd>,
    origin: u64,
}

impl Timer for MachineTimer {
    fn set(&self, at: Moment) {
        let at = self.origin.saturating_add(at.as_nanos()).max(1);
        let value = Timespec {
            tv_sec: i64::try_from(at / SECOND).unwrap_or(i64::MAX),
            tv_nsec: (at % SECOND).cast_signed(),
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let set = timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &once);
        debug_assert!(set.is_ok(), "a timerfd takes any time: {set:?}");
    }

    fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self.fd.poll_read_ready(cx) {
            Poll::Ready(Ok(mut guard)) => {
                guard.clear_ready();
                Poll::Ready(())
            }
            // Only while the runtime shuts down, when no task waits any more.
            Poll::Ready(Err(_)) => Poll::Ready(()),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[expect(unsafe_code, reason = "tokio cannot see that nobody closes the descriptor it watches")]
fn registered(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned, so it is open; it moves into the AsyncFd, which is its only owner from then on
    // and only ever gives out a shared reference.
    let registered = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) };
    registered.map_err(io::Error::from)
}

#[cfg(test)]
pub(crate) mod virtual_time {
    //! Time that passes only when everything waits: tokio's paused clock.

    use super::{Time, Timer};
    use crate::readings::Readings;
    use brunt_exchange::{Clock, Moment};
    use std::cell::RefCell;
    use std::io;
    use std::pin::Pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll};
    use std::time::Duration;
    use tokio::time::{Instant, Sleep, sleep_until};

    /// The virtual time of the test that made it.
    #[derive(Clone)]
    pub(crate) struct VirtualTime {
        origin: Instant,
        readings: Arc<Mutex<Readings>>,
    }

    impl VirtualTime {
        pub(crate) fn new() -> Self {
            Self { origin: Instant::now(), readings: Arc::default() }
        }
    }

    impl Clock for VirtualTime {
        fn now(&self) -> Moment {
            let now = Moment::ZERO + self.origin.elapsed();
            self.readings.lock().unwrap().add(now);
            now
        }
    }

    impl Time for VirtualTime {
        type Clock = Self;
        type Timer = VirtualTimer;

        fn clock(&self) -> Self {
            self.clone()
        }

        fn timer(&self) -> io::Result<VirtualTimer> {
            let far = self.origin + Duration::from_secs(86_400 * 365);
            Ok(VirtualTimer {
                origin: self.origin,
                sleep: RefCell::new(Box::pin(sleep_until(far))),
            })
        }
    }

    pub(crate) struct VirtualTimer {
        origin: Instant,
        sleep: RefCell<Pin<Box<Sleep>>>,
    }

    impl Timer for VirtualTimer {
        fn set(&self, at: Moment) {
            self.sleep.borrow_mut().as_mut().reset(self.origin + at.since_origin());
        }

        fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()> {
            self.sleep.borrow_mut().as_mut().poll(cx)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::time::Duration;

    #[test]
    fn timer_fires_at_its_moment_and_can_be_reset() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let time = MachineTime::new();
            let (clock, timer) = (time.clock(), time.timer().unwrap());
            for _ in 0..5 {
                let at = clock.now() + Duration::from_millis(3);
                timer.set(at);
                while clock.now() < at {
                    poll_fn(|cx| timer.poll_ring(cx)).await;
                }
                // It never rings early, and on a busy machine it can only be late.
                let rung = clock.now();
                assert!(rung >= at && rung - at < Duration::from_secs(2));
            }
            timer.set(Moment::ZERO);
            poll_fn(|cx| timer.poll_ring(cx)).await;
        });
    }
}

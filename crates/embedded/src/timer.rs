//! Timers for the embedded servers over TCP: one timerfd per thread.
//!
//! tokio's timers have a resolution of a millisecond, which is too coarse for a scripted delay of half of one. A
//! timerfd is late by some tens of microseconds on an idle machine. A wait costs an entry in a tree; a server that
//! delays nothing never reads the clock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::clock::Clock;
#[cfg(feature = "memory")]
use crate::given_time::Wait;

/// Wakes the tasks of one thread at given times.
#[derive(Debug)]
pub struct Timer {
    clock: Clock,
    /// None if the time is given, which wakes its tasks itself.
    fd: Option<AsyncFd<OwnedFd>>,
    waiting: RefCell<BTreeMap<(Duration, u64), Waker>>,
    next: Cell<u64>,
}

impl Timer {
    /// Creates a timer in the runtime of the current thread.
    pub fn new(clock: Clock) -> io::Result<Self> {
        let fd = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        Ok(Self::waking(clock, Some(registered(fd)?)))
    }

    /// A timer by a clock that shows a given time.
    #[cfg(feature = "memory")]
    pub fn given(clock: Clock) -> Self {
        Self::waking(clock, None)
    }

    fn waking(clock: Clock, fd: Option<AsyncFd<OwnedFd>>) -> Self {
        Self { clock, fd, waiting: RefCell::default(), next: Cell::new(0) }
    }

    /// Wakes tasks for as long as the thread runs. Exactly one task per thread runs this.
    pub async fn run(&self) {
        let Some(fd) = &self.fd else { return };
        while let Ok(mut guard) = fd.readable().await {
            // The descriptor is never read: epoll is edge-triggered here, and setting the timer again resets its count.
            guard.clear_ready();
            self.wake_due();
        }
    }

    /// A wait whose end may be changed while it is polled.
    pub fn sleep(self: &Rc<Self>) -> Sleep {
        Sleep {
            timer: Rc::clone(self),
            key: None,
            #[cfg(feature = "memory")]
            given: None,
        }
    }

    fn wake_due(&self) {
        let now = self.clock.now();
        let mut waiting = self.waiting.borrow_mut();
        while let Some(first) = waiting.first_entry() {
            if first.key().0 > now {
                break;
            }
            first.remove().wake();
        }
        if let Some((&(at, _), _)) = waiting.first_key_value() {
            self.set(at.saturating_sub(now));
        }
    }

    fn insert(&self, at: Duration, waker: Waker) -> (Duration, u64) {
        let key = (at, self.next.get());
        self.next.set(key.1 + 1);
        let mut waiting = self.waiting.borrow_mut();
        let first = waiting.first_key_value().is_none_or(|(first, _)| key < *first);
        waiting.insert(key, waker);
        if first {
            self.set(at.saturating_sub(self.clock.now()));
        }
        key
    }

    fn set(&self, after: Duration) {
        // Zero would disarm it.
        let after = after.max(Duration::from_nanos(1));
        let value = Timespec {
            tv_sec: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(after.subsec_nanos()),
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let Some(fd) = &self.fd else { return };
        let set = timerfd_settime(fd.get_ref(), TimerfdTimerFlags::empty(), &once);
        debug_assert!(set.is_ok(), "a timerfd takes any time: {set:?}");
    }
}

/// A wait on a [`Timer`]. Dropping it cancels it.
pub struct Sleep {
    timer: Rc<Timer>,
    key: Option<(Duration, u64)>,
    /// The wait for a moment of a given time.
    #[cfg(feature = "memory")]
    given: Option<(Duration, Wait)>,
}

impl Sleep {
    /// Ready at `at` or later.
    pub fn poll_until(&mut self, at: Duration, cx: &Context<'_>) -> Poll<()> {
        #[cfg(feature = "memory")]
        if let Some(time) = self.timer.clock.given_time() {
            if time.now() >= at {
                self.given = None;
                return Poll::Ready(());
            }
            self.given.take_if(|(set, _)| *set != at);
            let mut cx = Context::from_waker(cx.waker());
            let (_, wait) = self.given.get_or_insert_with(|| (at, time.until(at)));
            return wait.as_mut().poll(&mut cx);
        }
        if self.key.is_some_and(|(set, _)| set == at) && self.is_waiting(cx) {
            return Poll::Pending;
        }
        self.cancel();
        if self.timer.clock.now() >= at {
            return Poll::Ready(());
        }
        self.key = Some(self.timer.insert(at, cx.waker().clone()));
        Poll::Pending
    }

    /// Waits until `at`.
    pub async fn until(&mut self, at: Duration) {
        std::future::poll_fn(|cx| self.poll_until(at, cx)).await;
    }

    fn is_waiting(&self, cx: &Context<'_>) -> bool {
        let mut waiting = self.timer.waiting.borrow_mut();
        let Some(waker) = self.key.and_then(|key| waiting.get_mut(&key)) else {
            return false;
        };
        waker.clone_from(cx.waker());
        true
    }

    fn cancel(&mut self) {
        if let Some(key) = self.key.take() {
            self.timer.waiting.borrow_mut().remove(&key);
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[expect(unsafe_code, reason = "tokio cannot prove that the descriptor it watches stays open")]
fn registered(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned, so it is open; it moves into the AsyncFd, which is its only owner from then on
    // and only ever gives out a shared reference.
    let registered = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) };
    registered.map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timer_wakes_sleepers_in_order_and_never_early() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let local = tokio::task::LocalSet::new();
        local.block_on(&runtime, async {
            let clock = Clock::new();
            let timer = Rc::new(Timer::new(clock.clone()).unwrap());
            let running = Rc::clone(&timer);
            tokio::task::spawn_local(async move { running.run().await });
            let order = Rc::new(RefCell::new(Vec::new()));
            let tasks: Vec<_> = [9_u64, 3, 6]
                .into_iter()
                .map(|millis| {
                    let (timer, order) = (Rc::clone(&timer), Rc::clone(&order));
                    let clock = clock.clone();
                    tokio::task::spawn_local(async move {
                        let at = Duration::from_millis(millis);
                        timer.sleep().until(at).await;
                        assert!(clock.now() >= at);
                        order.borrow_mut().push(millis);
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*order.borrow(), [3, 6, 9]);
            assert!(timer.waiting.borrow().is_empty());
        });
    }

    #[test]
    fn timer_forgets_a_dropped_sleep() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let timer = Rc::new(Timer::new(Clock::new()).unwrap());
            let mut sleep = timer.sleep();
            let hour = Duration::from_secs(3600);
            std::future::poll_fn(|cx| {
                assert!(sleep.poll_until(hour, cx).is_pending());
                Poll::Ready(())
            })
            .await;
            assert_eq!(timer.waiting.borrow().len(), 1);
            drop(sleep);
            assert!(timer.waiting.borrow().is_empty());
        });
    }
}

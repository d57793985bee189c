//! [`VirtualTime`]: time that passes only when everything on a worker waits, so that an hour takes as long as its work.
//!
//! A task beside the sessions notices that none of them has looked at the time since it last ran, and then moves the
//! clock on to the next moment that something waits for.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use brunt_engine::timer::{Time, Timer};
use brunt_exchange::{Clock, Moment};
use tokio::task::{spawn_local, yield_now};

/// The time of one run, which has one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct VirtualTime(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    now: Moment,
    /// How often it was looked at, or something was asked of it.
    looks: u64,
    alarms: BTreeMap<u64, Alarm>,
    made: u64,
}

#[derive(Debug, Default)]
struct Alarm {
    at: Option<Moment>,
    waker: Option<Waker>,
}

impl VirtualTime {
    /// Waits for this long.
    pub(crate) async fn pass(&self, time: Duration) {
        let alarm = self.alarm();
        alarm.set(self.now() + time);
        poll_fn(|cx| alarm.poll_ring(cx)).await;
    }

    fn alarm(&self) -> VirtualTimer {
        let mut state = self.lock();
        state.made += 1;
        let number = state.made;
        state.alarms.insert(number, Alarm::default());
        VirtualTimer { time: self.clone(), number }
    }

    async fn go_on(self) {
        loop {
            let before = self.lock().looks;
            // It ends when no task is ready any more, and each looks at the time as it runs.
            yield_now().await;
            let mut state = self.lock();
            if state.looks == before {
                state.move_on();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn move_on(&mut self) {
        let Some(next) = self.alarms.values().filter_map(|alarm| alarm.at).min() else { return };
        self.now = self.now.max(next);
        for alarm in self.alarms.values_mut().filter(|alarm| alarm.at == Some(next)) {
            if let Some(waker) = alarm.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Clock for VirtualTime {
    fn now(&self) -> Moment {
        let mut state = self.lock();
        state.looks += 1;
        state.now
    }
}

impl Time for VirtualTime {
    type Clock = Self;
    type Timer = VirtualTimer;

    fn clock(&self) -> Self {
        self.clone()
    }

    fn timer(&self) -> io::Result<VirtualTimer> {
        spawn_local(self.clone().go_on());
        Ok(self.alarm())
    }
}

/// Rings when the clock was moved on to its moment.
pub(crate) struct VirtualTimer {
    time: VirtualTime,
    number: u64,
}

impl Timer for VirtualTimer {
    fn set(&self, at: Moment) {
        let mut state = self.time.lock();
        state.looks += 1;
        state.alarms.entry(self.number).or_default().at = Some(at);
    }

    fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.time.lock();
        state.looks += 1;
        let now = state.now;
        let alarm = state.alarms.entry(self.number).or_default();
        if alarm.at.take_if(|at| *at <= now).is_some() {
            return Poll::Ready(());
        }
        alarm.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for VirtualTimer {
    fn drop(&mut self) {
        self.time.lock().alarms.remove(&self.number);
    }
}

//! [`VirtualThreads`]: the threads of a run of blocking sessions in virtual time, of which one runs at a time.
//!
//! A thread that waits for a moment lets the one continue whose moment is the earliest, and the clock moves on to that
//! moment. Threads that wait for the same moment continue in an order that is drawn from the seed. So such a run
//! follows from its seeds, as a run of tasks does. It must not know what the threads do.

use super::VirtualTime;
use crate::stop::Stop;
use crate::worker::blocking::{Registration, Wait};
use brunt_exchange::{Clock, Moment};
use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The threads of one run, which are its clock. Clones are the same threads.
#[derive(Clone, Debug)]
pub(crate) struct VirtualThreads(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    time: VirtualTime,
    stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The moment of each thread that waits, a number drawn from the seed, and the number of the thread.
    waiting: BTreeSet<(Moment, u64, u64)>,
    /// The thread that runs.
    running: Option<u64>,
    /// How many threads were registered, and how many of them have not ended.
    registered: u64,
    present: usize,
    /// Whether the run is over, so that no thread waits any longer.
    ended: bool,
    /// Why the run would not have ended by itself.
    endless: Option<String>,
}

impl VirtualThreads {
    /// The threads of a run in this time. A run that would never end is stopped.
    pub(crate) fn new(time: VirtualTime, stop: Stop) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let threads = Self(Arc::new(Shared { time, stop, state, changed }));
        threads.0.time.lock().threads = Some(threads.clone());
        threads
    }

    /// Ends the waits of all threads, and waits for their ends. Returns why the run would not have ended by itself.
    pub(crate) fn end(&self) -> Option<String> {
        let mut state = self.lock();
        state.ended = true;
        self.0.changed.notify_all();
        while state.present > 0 {
            state = self.wait_for_change(state);
        }
        self.0.time.lock().threads = None;
        state.endless.take()
    }

    /// Lets the thread run whose moment is the earliest.
    fn resume_next(&self, state: &mut State) {
        let next = state.waiting.pop_first();
        state.running = next.map(|(_, _, number)| number);
        if let Some(why) = next.and_then(|(at, ..)| self.0.time.move_to(at)) {
            state.endless = Some(why);
            self.0.stop.abort();
        }
        self.0.changed.notify_all();
    }

    /// Waits until this thread runs.
    fn until_running(&self, mut state: MutexGuard<'_, State>, number: u64) {
        while state.running != Some(number) && !state.ended {
            state = self.wait_for_change(state);
        }
    }

    fn wait_for_change<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualThreads {
    fn now(&self) -> Moment {
        self.0.time.now()
    }
}

impl Wait for VirtualThreads {
    type Registration = VirtualThread;

    fn wait_until(&self, at: Moment) {
        let mut state = self.lock();
        let Some(number) = state.running.filter(|_| !state.ended) else { return };
        state.waiting.insert((at, self.0.time.chance(), number));
        self.resume_next(&mut state);
        self.until_running(state, number);
    }

    fn register(&self) -> VirtualThread {
        let now = self.now();
        let mut state = self.lock();
        state.registered += 1;
        state.present += 1;
        let number = state.registered;
        state.waiting.insert((now, self.0.time.chance(), number));
        if state.running.is_none() {
            self.resume_next(&mut state);
        }
        VirtualThread { threads: self.clone(), number }
    }

    fn call(&self) {
        let takes = self.0.time.call_time();
        if !takes.is_zero() {
            self.wait_until(self.now() + takes);
        }
    }
}

/// One of the threads, until it ends.
#[derive(Debug)]
pub(crate) struct VirtualThread {
    threads: VirtualThreads,
    number: u64,
}

impl Registration for VirtualThread {
    fn begin(&self) {
        self.threads.until_running(self.threads.lock(), self.number);
    }
}

impl Drop for VirtualThread {
    fn drop(&mut self) {
        let mut state = self.threads.lock();
        state.present -= 1;
        if state.running == Some(self.number) {
            self.threads.resume_next(&mut state);
        } else {
            // It was never started, or the run is over.
            state.waiting.retain(|(_, _, number)| *number != self.number);
            self.threads.0.changed.notify_all();
        }
    }
}

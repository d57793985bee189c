//! [`VirtualTime`]: time that passes as soon as nothing has anything to do, so that an hour takes as long as its work.
//!
//! All tasks of a run share one thread. When none of them is ready any more, the runtime is about to park its thread;
//! this moves the clock on to the next moment that something waits for. What waits for the same moment is woken in an
//! order that is drawn from the seed. So a run follows from its seeds, and another seed tries another order. What a
//! [`Pause`] of the machine holds up is woken when that is over.
//!
//! Sessions that block have threads, of which one runs at a time; the others wait for their moments.
//!
//! Tokio's own timers keep the machine's time. Code that a run in virtual time uses must not wait for them.
//!
//! A run that would never end panics, so that its test fails and says when that was: if nothing waits for any moment,
//! if a day has passed, or if the clock is read again and again while it stands still.

mod pause;
mod threads;
mod virtual_machine;

pub use pause::{Pause, PauseCause};
pub(crate) use threads::VirtualThreads;
pub use virtual_machine::VirtualMachine;

use crate::machine::SimulatedMachine;
use crate::readings::Readings;
use crate::run_clock::RunClock;
use crate::timer::{Time, Timer};
use crate::worker::blocking::Wait as _;
use brunt_exchange::chance::mix;
use brunt_exchange::{Clock, Moment, Wait};
use brunt_record::{Machine, Stall, TimerNoise};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};
use tokio::runtime::Builder;

use crate::machine::ThreadUse;

/// The time of one run. Clones are the same time.
#[derive(Clone, Debug)]
pub struct VirtualTime(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    seed: u64,
    now: Moment,
    machine: VirtualMachine,
    /// The numbers of the alarms that are set, by their moments and then by chance.
    set: BTreeMap<(Moment, u64), u64>,
    alarms: BTreeMap<u64, Alarm>,
    made: u64,
    /// How often an alarm was set, from which chance follows.
    times_set: u64,
    readings: Readings,
    /// When a run must be over, while there is one.
    end: Option<Moment>,
    /// How long each call of a blocking session takes besides its work.
    call_time: Duration,
    /// The threads of the run of blocking sessions, while there is one.
    threads: Option<VirtualThreads>,
}

#[derive(Debug, Default)]
struct Alarm {
    key: Option<(Moment, u64)>,
    rung: bool,
    waker: Option<Waker>,
}

impl VirtualTime {
    /// The time of a machine that nothing disturbs.
    pub fn new(seed: u64) -> Self {
        Self::on_machine(VirtualMachine::default(), seed)
    }

    /// The time of this machine.
    pub fn on_machine(machine: VirtualMachine, seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            seed,
            now: Moment::ZERO,
            machine,
            set: BTreeMap::new(),
            alarms: BTreeMap::new(),
            made: 0,
            times_set: 0,
            readings: Readings::default(),
            end: None,
            call_time: Duration::ZERO,
            threads: None,
        })))
    }

    /// Waits for something outside the machine that takes this long.
    pub async fn pass(&self, time: Duration) {
        self.until(self.now() + time).await;
    }

    /// Waits for something outside the machine that happens at this moment.
    pub async fn until(&self, at: Moment) {
        self.ring(at, false).await;
    }

    /// Keeps the processor for this long, during which nothing else runs.
    pub fn work(&self, time: Duration) {
        let mut state = self.lock();
        let from = state.now;
        state.now = state.machine.worked(from, time);
    }

    /// Blocks the calling thread, which is that of a blocking session, for this long.
    ///
    /// # Panics
    ///
    /// If no run of blocking sessions is under way.
    pub fn block(&self, time: Duration) {
        let (at, threads) = (self.now() + time, self.lock().threads.clone());
        threads.expect("a blocking session has a thread of a run").wait_until(at);
    }

    /// Has each exchange of a blocking session from now on take this long: what it does in it takes no time, unless it
    /// [blocks](Self::block).
    pub fn calls_take(&self, time: Duration) {
        self.lock().call_time = time;
    }

    fn call_time(&self) -> Duration {
        self.lock().call_time
    }

    /// What decides the order of what happens at the same moment.
    fn chance(&self) -> u64 {
        self.lock().chance()
    }

    /// Moves on to this moment, or to a later one if the machine is paused then. Returns why the run will never end, if
    /// it should have been over by then.
    fn move_to(&self, at: Moment) -> Option<String> {
        let mut state = self.lock();
        let at = state.now.max(at);
        state.now = state.machine.woken(at);
        let now = state.now;
        state.end.take_if(|end| *end <= now)?;
        Some(format!("the run never ends, and waits for {at:?} at {:?}", now.since_origin()))
    }

    /// Waits until an alarm rings that is set to this moment now.
    fn ring(&self, at: Moment, is_timer: bool) -> impl Future<Output = ()> + use<> {
        let alarm = self.alarm(is_timer);
        alarm.set(at);
        async move { poll_fn(|cx| alarm.poll_ring(cx)).await }
    }

    fn alarm(&self, is_timer: bool) -> VirtualTimer {
        let mut state = self.lock();
        state.made += 1;
        let number = state.made;
        state.alarms.insert(number, Alarm::default());
        VirtualTimer { time: self.clone(), number, is_timer }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves on to the next moment that something waits for. Nothing is ready now.
    fn move_on(&self) {
        let rung = self.lock().move_on();
        rung.into_iter().for_each(Waker::wake);
    }
}

impl State {
    fn chance(&mut self) -> u64 {
        self.times_set += 1;
        mix(self.seed, self.times_set)
    }

    fn set(&mut self, number: u64, at: Moment, is_timer: bool) {
        self.cancel(number);
        let chance = self.chance();
        let at = if is_timer { self.machine.rings(at, chance) } else { at };
        let key = (at, chance);
        let Some(alarm) = self.alarms.get_mut(&number) else { return };
        (alarm.key, alarm.rung) = (Some(key), false);
        self.set.insert(key, number);
    }

    fn cancel(&mut self, number: u64) {
        if let Some(key) = self.alarms.get_mut(&number).and_then(|alarm| alarm.key.take()) {
            self.set.remove(&key);
        }
    }

    fn read(&mut self) -> Moment {
        self.readings.add(self.now);
        self.now
    }

    /// The wakers of what waited for the next moment.
    fn move_on(&mut self) -> Vec<Waker> {
        let next = self.set.first_key_value().map(|(&(next, _), _)| next);
        let Some(next) = next.filter(|next| self.end.is_none_or(|end| *next < end)) else {
            let now = self.now.since_origin();
            assert!(self.end.is_none(), "the run never ends, and waits for {next:?} at {now:?}");
            return Vec::new();
        };
        self.now = self.machine.woken(self.now.max(next));
        let mut wakers = Vec::new();
        while let Some(first) = self.set.first_entry().filter(|first| first.key().0 <= self.now) {
            let number = first.remove();
            if let Some(alarm) = self.alarms.get_mut(&number) {
                (alarm.key, alarm.rung) = (None, true);
                wakers.extend(alarm.waker.take());
            }
        }
        wakers
    }
}

impl Clock for VirtualTime {
    fn now(&self) -> Moment {
        self.lock().read()
    }

    fn wait(&self, at: Moment) -> Option<Wait> {
        Some(Box::pin(self.ring(at, true)))
    }
}

impl Time for VirtualTime {
    type Clock = Self;
    type Timer = VirtualTimer;

    fn clock(&self) -> Self {
        self.clone()
    }

    fn simulated(&self) -> Option<Arc<dyn SimulatedMachine>> {
        Some(Arc::new(self.clone()))
    }

    fn prepare(&self, runtime: &mut Builder) {
        let time = self.clone();
        runtime.on_thread_park(move || time.move_on());
    }

    fn today(&self) -> RunClock {
        RunClock::standing(SystemTime::UNIX_EPOCH + self.now().since_origin())
    }

    fn timer(&self) -> io::Result<VirtualTimer> {
        Ok(self.alarm(true))
    }
}

impl SimulatedMachine for VirtualTime {
    fn noise(&self) -> TimerNoise {
        self.lock().machine.noise
    }

    fn observe(&self, origin: Option<Moment>) -> (Machine, Vec<Stall>) {
        let mut state = self.lock();
        let now = state.now;
        state.machine.observe(origin, now)
    }

    fn used(&self) -> ThreadUse {
        self.lock().machine.used()
    }

    fn ends_by(&self, at: Option<Moment>) {
        self.lock().end = at;
    }
}

/// Rings when the clock was moved on to its moment.
#[derive(Debug)]
pub struct VirtualTimer {
    time: VirtualTime,
    number: u64,
    is_timer: bool,
}

impl Timer for VirtualTimer {
    fn set(&self, at: Moment) {
        self.time.lock().set(self.number, at, self.is_timer);
    }

    fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.time.lock();
        let Some(alarm) = state.alarms.get_mut(&self.number) else { return Poll::Pending };
        if std::mem::take(&mut alarm.rung) {
            return Poll::Ready(());
        }
        if !alarm.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            alarm.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for VirtualTimer {
    fn drop(&mut self) {
        let mut state = self.time.lock();
        state.cancel(self.number);
        state.alarms.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{UnwindSafe, catch_unwind};

    /// What ends a run that would never end.
    fn end<F: Future>(run: impl FnOnce(VirtualTime) -> F + UnwindSafe) -> String {
        let panic = catch_unwind(|| {
            let time = VirtualTime::new(1);
            time.ends_by(Some(Moment::ZERO + Duration::from_secs(3_600)));
            let mut builder = Builder::new_current_thread();
            time.prepare(&mut builder);
            builder.build().unwrap().block_on(run(time));
        });
        *panic.unwrap_err().downcast().unwrap()
    }

    #[test]
    fn run_that_never_ends_panics() {
        let waits = end(|_| std::future::pending::<()>());
        assert_eq!(waits, "the run never ends, and waits for None at 0ns");
        let goes_on = end(|time| async move {
            loop {
                time.pass(Duration::from_secs(60)).await;
            }
        });
        assert!(goes_on.ends_with(" at 3540s"), "{goes_on}");
        let stands_still = end(|time| async move {
            loop {
                time.until(time.now()).await;
            }
        });
        assert_eq!(stands_still, "it stands still at 0ns");
    }
}

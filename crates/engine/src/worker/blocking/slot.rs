//! The [`BlockingSlot`]: everything that the threads of one slot and the watchdog share.

use super::super::IntervalSender;
use super::super::WorkerEnd;
use super::super::dispatch::{Dispatch, Numbers};
use super::super::recorder::Recorder;
use super::super::steps::Steps;
use super::super::window::Window;
use super::Wait;
use super::slot_state::{SlotState, ThreadState};
use crate::drain::Drain;
use crate::gate::Gate;
use crate::plan::Plan;
use crate::stop::Stop;
use brunt_record::{Catalogue, Samples};
use std::any::Any;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why a slot failed.
pub(crate) enum SlotError {
    /// A session panicked, with this payload.
    Panic(Box<dyn Any + Send>),
    /// No thread could be started.
    Thread(io::Error),
}

/// What one slot's threads share with the watchdog.
pub(crate) struct BlockingSlot<T> {
    pub(super) number: usize,
    pub(super) clock: T,
    pub(super) gate: Arc<Gate>,
    pub(super) stop: Stop,
    pub(super) timeout: Option<Duration>,
    pub(super) drain: Drain,
    /// Whether exchanges in flight may take as long as their own time-outs allow, because no drain time was set.
    pub(super) has_own_time: bool,
    /// How many threads of all slots are still inside an abandoned exchange.
    pub(super) left: Arc<AtomicUsize>,
    state: Mutex<SlotState>,
    fault: Mutex<Option<SlotError>>,
}

impl<T: Wait> BlockingSlot<T> {
    pub(crate) fn new(
        plan: &Plan,
        number: usize,
        catalogue: &Catalogue,
        sender: IntervalSender,
        (clock, gate, stop): (T, &Arc<Gate>, &Stop),
        (numbers, left): (&Arc<Numbers>, &Arc<AtomicUsize>),
    ) -> Self {
        let settings = plan.settings();
        let steps = Steps::new(plan.phases(), settings.interval, plan.lasting());
        let samples = if settings.explain_every { Samples::every() } else { Samples::new() };
        let window = Window::new(plan);
        let recorder = Recorder::new(number, catalogue, samples, (steps, window), sender);
        let dispatch = Dispatch::new(plan, number, 1, false, Arc::clone(numbers));
        let session = plan.first_session() + plan.sessions_of(number).start;
        let timeout = Some(settings.operation_timeout).filter(|timeout| !timeout.is_zero());
        Self {
            number,
            clock,
            gate: Arc::clone(gate),
            stop: stop.clone(),
            timeout,
            drain: plan.drain(),
            has_own_time: settings.drain.is_none() && timeout.is_some(),
            left: Arc::clone(left),
            state: Mutex::new(SlotState::new(dispatch, recorder, session, plan.lasting())),
            fault: Mutex::new(None),
        }
    }

    /// The state, locked.
    #[inline]
    pub(super) fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for the thread of this number; `None` once it belongs to another thread. Then the caller was
    /// abandoned, and has returned.
    #[inline]
    pub(super) fn state_of(&self, me: u32) -> Option<MutexGuard<'_, SlotState>> {
        let state = self.state();
        if state.holder == me && state.end.is_none() {
            return Some(state);
        }
        drop(state);
        self.left.fetch_sub(1, Ordering::Relaxed);
        None
    }

    /// Takes the state from the thread that is inside a call.
    pub(super) fn leave_behind(&self, state: &mut SlotState) {
        self.left.fetch_add(1, Ordering::Relaxed);
        state.holder += 1;
        state.thread = ThreadState::Vacant;
    }

    /// Records why the slot failed, and aborts the run.
    pub(super) fn fail(&self, fault: SlotError) {
        self.stop.abort();
        let mut kept = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(fault);
    }

    /// How the slot's run went, once the watchdog has ended.
    pub(crate) fn end(&self) -> Result<Option<WorkerEnd>, SlotError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or_else(|| Ok(self.state().end), Err)
    }
}

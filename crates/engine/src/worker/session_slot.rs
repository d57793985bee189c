//! A [`SessionSlot`]: the state that a worker keeps for each session that it drives.
//!
//! A slot has some sixty bytes, is found by index, and is stored next to its neighbours: ten thousand of them are
//! scanned in the time of one or two exchanges. Everything is a `Cell`, since a worker is one thread. A slot must not
//! know why it is called.

use super::assignment::Assignment;
use brunt_exchange::{Moment, Outcome};
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionState {
    /// Connecting, or waiting out a back-off.
    Readying,
    /// Waiting for an exchange to become due.
    Waiting,
    /// Carrying out an exchange.
    Exchanging,
    /// Closing, or closed.
    Closing,
}

pub(super) struct SessionSlot {
    state: Cell<SessionState>,
    /// When its current activity times out.
    deadline: Cell<Moment>,
    /// What was assigned to the session while it waited.
    assignment: Cell<Option<Assignment>>,
    /// Set from outside to cancel the session's current activity.
    called_off: Cell<Option<Outcome>>,
    waker: RefCell<Option<Waker>>,
}

pub(super) const NEVER: Moment = Moment::from_nanos(u64::MAX);

impl SessionSlot {
    pub(super) fn new() -> Self {
        Self {
            state: Cell::new(SessionState::Readying),
            deadline: Cell::new(NEVER),
            assignment: Cell::new(None),
            called_off: Cell::new(None),
            waker: RefCell::new(None),
        }
    }

    pub(super) fn state(&self) -> SessionState {
        self.state.get()
    }

    /// Sets the session's new activity, and its deadline.
    pub(super) fn begin(&self, state: SessionState, deadline: Moment) {
        self.state.set(state);
        self.deadline.set(deadline);
        self.called_off.set(None);
    }

    pub(super) fn overdue(&self, now: Moment) -> bool {
        self.deadline.get() <= now
    }

    pub(super) fn give(&self, assignment: Assignment) {
        self.assignment.set(Some(assignment));
        self.wake();
    }

    pub(super) fn take(&self) -> Option<Assignment> {
        self.assignment.take()
    }

    pub(super) fn call_off(&self, with: Outcome) {
        self.called_off.set(Some(with));
        self.wake();
    }

    pub(super) fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    /// Stores the waker. A session's waker is always the same, so it is stored once.
    pub(super) fn wait(&self, cx: &Context<'_>) {
        let mut kept = self.waker.borrow_mut();
        if !kept.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *kept = Some(cx.waker().clone());
        }
    }

    /// Drives `act` until it ends or is cancelled. If both happen at once, it counts as ended. The future is taken
    /// pinned where it was made: by value, every exchange would move it, and every session would store it twice.
    pub(super) async fn unless_called_off<F: Future>(
        &self,
        mut act: Pin<&mut F>,
    ) -> Result<F::Output, Outcome> {
        std::future::poll_fn(|cx| {
            if let Poll::Ready(end) = act.as_mut().poll(cx) {
                return Poll::Ready(Ok(end));
            }
            if let Some(outcome) = self.called_off.take() {
                return Poll::Ready(Err(outcome));
            }
            self.wait(cx);
            Poll::Pending
        })
        .await
    }
}

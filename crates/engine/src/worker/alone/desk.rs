//! The [`Desk`]: all that the threads of one seat and the watchman share.

use super::super::WorkerEnd;
use super::super::dispatch::{Dispatch, Numbers};
use super::super::recorder::{Outlet, Recorder, Steps};
use super::Wait;
use super::books::{Books, Doing};
use crate::gate::Gate;
use crate::plan::Plan;
use crate::stop::Stop;
use brunt_record::{Catalogue, Samples};
use std::any::Any;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why a seat came to no good end.
pub(crate) enum Fault {
    /// A session panicked, with this.
    Panic(Box<dyn Any + Send>),
    /// No thread could be started.
    Thread(io::Error),
}

/// What one seat's threads share with the watchman.
pub(crate) struct Desk<T> {
    pub(super) number: usize,
    pub(super) clock: T,
    pub(super) gate: Arc<Gate>,
    pub(super) stop: Stop,
    pub(super) timeout: Option<Duration>,
    pub(super) drain: Option<Duration>,
    /// Threads that are still in an exchange nobody waits for any more, of all seats.
    pub(super) left: Arc<AtomicUsize>,
    books: Mutex<Books>,
    fault: Mutex<Option<Fault>>,
}

impl<T: Wait> Desk<T> {
    pub(crate) fn new(
        plan: &Plan,
        number: usize,
        catalogue: &Catalogue,
        outlet: Outlet,
        (clock, gate, stop): (T, &Arc<Gate>, &Stop),
        (numbers, left): (&Arc<Numbers>, &Arc<AtomicUsize>),
    ) -> Self {
        let settings = plan.settings();
        let steps = Steps::new(plan.phases(), settings.interval, plan.lasting());
        let samples = if settings.explain_every { Samples::every() } else { Samples::new() };
        let recorder = Recorder::new(number, catalogue, samples, steps, outlet);
        let dispatch = Dispatch::new(plan, number, 1, false, Arc::clone(numbers));
        let session = plan.first_session() + plan.sessions_of(number).start;
        Self {
            number,
            clock,
            gate: Arc::clone(gate),
            stop: stop.clone(),
            timeout: Some(settings.operation_timeout).filter(|timeout| !timeout.is_zero()),
            drain: settings.drain,
            left: Arc::clone(left),
            books: Mutex::new(Books::new(dispatch, recorder, session, plan.lasting())),
            fault: Mutex::new(None),
        }
    }

    /// The books, for whoever may write in them now.
    #[inline]
    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The books, for the thread of this number; `None` once they are another's. Then the thread was left behind, and
    /// is back.
    #[inline]
    pub(super) fn books_of(&self, me: u32) -> Option<MutexGuard<'_, Books>> {
        let books = self.books();
        if books.holder == me && books.end.is_none() {
            return Some(books);
        }
        drop(books);
        self.left.fetch_sub(1, Ordering::Relaxed);
        None
    }

    /// Takes the books from the thread that is away.
    pub(super) fn leave_behind(&self, books: &mut Books) {
        self.left.fetch_add(1, Ordering::Relaxed);
        books.holder += 1;
        books.doing = Doing::Vacant;
    }

    /// Notes why the seat came to no good end, and ends the run.
    pub(super) fn fail(&self, fault: Fault) {
        self.stop.abort();
        let mut kept = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(fault);
    }

    /// How the seat's run went, once the watchman has gone.
    pub(crate) fn end(&self) -> Result<Option<WorkerEnd>, Fault> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or_else(|| Ok(self.books().end), Err)
    }
}

//! The [`Watchman`]: looks after the seats whose threads are away.
//!
//! He notices what takes too long, at the latest after a twentieth of the time it may take, hears that the run is to
//! end, and closes the books of seats that nobody comes back to. He must not touch what a thread that is present does.

use super::books::{Books, Doing, Under};
use super::desk::{Desk, Fault};
use super::{TICK, TICK_MIN, Wait, thread};
use crate::blocking_session_factory::BlockingSessionFactory;
use crate::stop::Urgency;
use crate::worker::Ended;
use brunt_exchange::{Moment, Outcome, Watch};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How many threads may be left behind at a time, beside one for each seat. A library that never returns must not
/// fill the machine with threads; what falls due meanwhile waits, and is dropped and counted in the end.
const LEFT_MAX: usize = 64;

/// Watches over all seats of a run.
pub(crate) struct Watchman<T, C> {
    pub(crate) desks: Vec<Arc<Desk<T>>>,
    pub(crate) factory: Arc<C>,
}

impl<T: Wait, C: BlockingSessionFactory> Watchman<T, C> {
    /// Puts a thread to each seat and watches until the last has closed its books.
    pub(crate) fn watch(&self) {
        for desk in &self.desks {
            if !self.place(desk, 0) {
                desk.gate.give_up();
                desk.books().doing = Doing::Vacant;
            }
        }
        let timeout = self.desks.first().and_then(|desk| desk.timeout);
        let tick = timeout.map_or(TICK, |timeout| (timeout / 20).clamp(TICK_MIN, TICK));
        loop {
            let mut busy = false;
            for desk in &self.desks {
                busy |= self.look(desk);
            }
            let Some(desk) = self.desks.first().filter(|_| busy) else { break };
            desk.clock.wait_until(desk.clock.now() + tick);
        }
    }

    /// Starts thread number `me` of a seat; says whether there is one now.
    fn place(&self, desk: &Arc<Desk<T>>, me: u32) -> bool {
        let (seat, factory) = (Arc::clone(desk), Arc::clone(&self.factory));
        let name = format!("worker-{}", desk.number);
        // A thread that may have to be left behind can be nobody's to join.
        let placed = std::thread::Builder::new()
            .name(name)
            .spawn(move || thread::live(&*seat, &*factory, me));
        placed.map_err(|error| desk.fail(Fault::Thread(error))).is_ok()
    }

    /// Looks at one seat; says whether its books are still open.
    fn look(&self, desk: &Arc<Desk<T>>) -> bool {
        let mut books = desk.books();
        if books.end.is_some() {
            return false;
        }
        let now = desk.clock.now();
        let urgency = desk.stop.urgency();
        match urgency {
            Urgency::Run => {}
            Urgency::Finish => books.stop(Ended::Stopped, now),
            Urgency::Abort => books.stop(Ended::Aborted, now),
        }
        if books.origin().is_some() {
            books.look(now);
        }
        books.driver_counts(|into| self.factory.counts(desk.number, into));
        let begun = books.origin().is_some();
        let doing = books.doing;
        if begun && !matches!(doing, Doing::Waiting) {
            books.release(now);
        }
        let aborted = urgency == Urgency::Abort;
        let closing = aborted || books.drained(now, desk.drain);
        let own_time = desk.drain.is_none() && desk.timeout.is_some() && books.carried_through();
        match doing {
            Doing::Readying if closing || !begun && urgency > Urgency::Run => {
                if !begun {
                    desk.gate.give_up();
                }
                desk.leave_behind(&mut books);
                books.conclude(now);
            }
            Doing::Waiting | Doing::Readying => {}
            Doing::Vacant if closing || books.dispatch.exhausted() => books.conclude(now),
            Doing::Vacant => self.replace(desk, &mut books),
            Doing::Exchanging(under) => {
                let due = under.given.due.max(under.free);
                let overdue = desk.timeout.is_some_and(|timeout| now >= due + timeout);
                if overdue || aborted || (closing && !own_time) {
                    let outcome = if overdue { Outcome::TimedOut } else { Outcome::CutOff };
                    desk.leave_behind(&mut books);
                    self.enter(desk, &mut books, &under, outcome, now);
                    if closing || books.dispatch.exhausted() {
                        books.conclude(now);
                    } else {
                        self.replace(desk, &mut books);
                    }
                }
            }
        }
        books.end.is_none()
    }

    /// Puts a stand-in to a seat, if not too many threads are away already.
    fn replace(&self, desk: &Arc<Desk<T>>, books: &mut Books) {
        if desk.left.load(Ordering::Relaxed) < LEFT_MAX + self.desks.len()
            && self.place(desk, books.holder)
        {
            books.doing = Doing::Readying;
        }
    }

    /// Enters an exchange that nobody waits for any more.
    fn enter(
        &self,
        desk: &Desk<T>,
        books: &mut Books,
        under: &Under,
        outcome: Outcome,
        now: Moment,
    ) {
        let mut watch = Watch::new(&desk.clock, None);
        watch.operation(self.factory.operation(&under.ticket));
        watch.sent_as(under.began);
        books.ended((&under.given, under.free), (now, now), &watch, outcome);
        books.doing = Doing::Vacant;
        let wanted = outcome == Outcome::TimedOut && books.recorder().wants_text();
        if wanted {
            let text = "no answer within the operation timeout; the call has not returned";
            books.recorder().explained(watch.named_operation(), outcome, now, text);
        }
    }
}

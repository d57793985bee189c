//! The [`Pacer`]: does on time everything that a worker must do at a moment.
//!
//! It waits on the worker's only timer, set to the earliest of: an exchange falling due, the end of a think time or of
//! a step, the next check of the exchanges in flight, the end of the drain. Timeouts thus cost an exchange one
//! comparison now and then and no timer of its own; they are noticed within a twentieth of their length. It must not
//! carry out exchanges.

use super::dispatch::Ended;
use super::session_slot::{NEVER, SessionSlot, SessionState};
use super::{TICK, Worker, WorkerEnd};
use crate::gate::Gate;
use crate::session_factory::DriverCounts;
use crate::stop::Urgency;
use crate::timer::Timer;
use brunt_exchange::{Clock, Moment, Outcome};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

pub(super) struct Pacer<'a, C, T> {
    pub(super) worker: &'a Worker<C>,
    pub(super) timer: &'a T,
}

impl<C: Clock, T: Timer> Pacer<'_, C, T> {
    /// Waits until every session is prepared, or until the run must end before it began.
    pub(super) async fn prepare(&self) {
        while self.worker.unready.get() > 0 {
            if self.worker.stop.urgency() > Urgency::Run {
                self.worker.leaving.set(true);
                self.call_off(SessionState::Readying, None, Outcome::CutOff);
            }
            self.wait_until(self.worker.clock.now() + TICK).await;
        }
    }

    /// Waits until the run begins; the other workers have arrived.
    pub(super) async fn origin(&self, gate: &Gate) -> Moment {
        loop {
            match gate.begins(self.worker.clock.now(), &self.worker.stop) {
                Ok(origin) => return origin,
                Err(again) => self.wait_until(again).await,
            }
        }
    }

    /// Begins the run at `origin`, unless it was stopped before that: then nothing is sent.
    pub(super) async fn start(&self, origin: Moment, lasting: Option<Duration>) {
        let worker = self.worker;
        worker.dispatch.borrow_mut().start(origin, lasting);
        if worker.stop.urgency() > Urgency::Run {
            worker.dispatch.borrow_mut().stop(Ended::Stopped, origin);
        }
        worker.recorder.borrow_mut().start(origin);
        worker.step_at.set(worker.recorder.borrow().boundary().unwrap_or(NEVER));
        worker.origin.set(origin);
        while worker.clock.now() < origin {
            self.wait_until(origin).await;
        }
        worker.started.set(true);
        self.wake_waiting();
    }

    /// Drives the run until the last exchange has ended.
    pub(super) async fn pace(
        &self,
        origin: Moment,
        lasting: Option<Duration>,
        driver_counts: &dyn Fn(&mut DriverCounts),
    ) -> WorkerEnd {
        let worker = self.worker;
        let mut tick = origin;
        let mut over: Option<(Ended, Moment)> = None;
        let mut wanted_at = origin;
        loop {
            let now = worker.clock.now();
            worker.recorder.borrow_mut().gap(wanted_at, now);
            worker.roll_step(now);
            worker.dispatch.borrow_mut().release(now, worker);
            let drained = over.map(|(_, at)| worker.drained_at(at));
            if now >= tick || drained.is_some_and(|at| now >= at) {
                if worker.stop.urgency() == Urgency::Run {
                    // The check may take longer than an exchange may be late: exchanges that were just assigned are
                    // sent first. Due times and ticks are both multiples of round numbers, so they do coincide.
                    tokio::task::yield_now().await;
                }
                self.poll(now, drained, over.map(|(ended, _)| ended));
                driver_counts(worker.recorder.borrow_mut().driver_counts());
                tick = worker.ticks.checked(now, over.is_none() && worker.is_idle());
            }
            tick = worker.ticks.next(tick, now);
            if worker.active.get() == 0 && worker.dispatch.borrow().over().is_none() {
                let ended = worker.dispatch.borrow().left();
                let mut dispatch = worker.dispatch.borrow_mut();
                dispatch.stop(ended, now);
                dispatch.drop_backlog(now, worker);
            }
            if let Some(ended) = worker.dispatch.borrow().over() {
                over = Some((ended, over.map_or(now, |(_, at)| at)));
                if !worker.over_seen.replace(true)
                    && let Some(at) = worker.dispatch.borrow().counted_to()
                {
                    worker.recorder.borrow_mut().window_ends(at);
                }
            }
            if over.is_some() {
                self.dismiss();
                if worker.active.get() == 0 {
                    break;
                }
            }
            let drained = over.map(|(_, at)| worker.drained_at(at)).filter(|at| *at > now);
            let ring = worker.dispatch.borrow().next_ring();
            let step = Some(worker.step_at.get());
            wanted_at = [ring, step, drained].into_iter().flatten().fold(tick, Moment::min);
            self.wait_until(wanted_at).await;
        }
        let (ended, at) = over.unwrap_or((Ended::Aborted, origin));
        let end = match (ended, lasting) {
            (Ended::Time, Some(lasting)) => origin + lasting,
            (Ended::Count | Ended::Exhausted, _) => origin,
            _ => at,
        };
        let counted_to = worker.dispatch.borrow().counted_to();
        let mut recorder = worker.recorder.borrow_mut();
        driver_counts(recorder.driver_counts());
        let last = recorder.finish(end);
        let over = worker.clock.now();
        let window_to = recorder.window_to(end, counted_to, ended == Ended::Count);
        WorkerEnd { ended, origin, last, window_to, over }
    }

    /// Waits until every session has closed, and cancels those that take too long.
    pub(super) async fn take_leave(&self) {
        while self.worker.present.get() > 0 {
            let now = self.worker.clock.now();
            let overdue = (self.worker.stop.urgency() < Urgency::Abort).then_some(now);
            self.call_off(SessionState::Closing, overdue, Outcome::CutOff);
            self.wait_until(now + TICK).await;
        }
    }

    /// Checks everything that may have to end.
    fn poll(&self, now: Moment, drained: Option<Moment>, over: Option<Ended>) {
        let worker = self.worker;
        let backlog = worker.dispatch.borrow().backlog();
        worker.recorder.borrow_mut().poll(now, backlog, worker.slots.len());
        let urgency = worker.stop.urgency();
        if urgency > Urgency::Run {
            worker.stopped.set(worker.stopped.get().or(Some(now)));
            let mut dispatch = worker.dispatch.borrow_mut();
            let aborted = urgency == Urgency::Abort;
            dispatch.stop(if aborted { Ended::Aborted } else { Ended::Stopped }, now);
            dispatch.drop_backlog(now, worker);
            worker.recorder.borrow_mut().window_ends(now);
        }
        if worker.timeout.is_some() || worker.impatient.get() {
            self.call_off(SessionState::Exchanging, Some(now), Outcome::TimedOut);
        }
        let aborted = urgency == Urgency::Abort;
        if drained.is_some_and(|at| now >= at) || aborted {
            let mut dispatch = worker.dispatch.borrow_mut();
            dispatch.drop_backlog(now, worker);
            dispatch.close_continuations();
            drop(dispatch);
            // Exchanges of a run that a count ended are completed; a run with a time limit ends.
            let carried_through = over == Some(Ended::Count) && worker.has_own_time;
            if aborted || !carried_through {
                self.call_off(SessionState::Exchanging, None, Outcome::CutOff);
            }
        }
    }

    /// Wakes all sessions that will never receive an exchange.
    fn dismiss(&self) {
        if self.worker.dispatch.borrow().exhausted() {
            self.call_off(SessionState::Readying, None, Outcome::CutOff);
            self.wake_waiting();
        }
    }

    /// Cancels what sessions are doing; only overdue ones if a moment is given.
    fn call_off(&self, state: SessionState, overdue: Option<Moment>, with: Outcome) {
        for slot in &self.worker.slots {
            if slot.state() == state && overdue.is_none_or(|now| slot.overdue(now)) {
                slot.call_off(with);
            }
        }
    }

    fn wake_waiting(&self) {
        let waiting = |slot: &&SessionSlot| slot.state() == SessionState::Waiting;
        self.worker.slots.iter().filter(waiting).for_each(SessionSlot::wake);
    }

    /// Waits until a moment, or until a session wakes it. It may return early.
    async fn wait_until(&self, at: Moment) {
        let worker = self.worker;
        if worker.pacer_at.replace(at) != at {
            self.timer.set(at);
        }
        poll_fn(|cx| {
            if worker.poked.replace(false) {
                return Poll::Ready(());
            }
            let mut kept = worker.pacer.borrow_mut();
            if !kept.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                *kept = Some(cx.waker().clone());
            }
            let rung = self.timer.poll_ring(cx);
            if rung.is_ready() {
                // It may have fired slightly early by our clock, and must be set again then.
                worker.pacer_at.set(NEVER);
            }
            rung
        })
        .await;
    }
}

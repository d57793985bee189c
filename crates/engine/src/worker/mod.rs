//! A [`Worker`]: one thread with its own runtime, sessions, timer and histograms.
//!
//! Each session is a local task that requests work, carries it out and reports. One more task, the pacer, waits on the
//! timer and does everything that must happen at a moment: assigns what is due, ends steps, cancels what takes too
//! long, and checks whether the run must end. Only the numbers of a closed loop are shared with other workers. A worker
//! must not know a protocol.

mod assignment;
pub(crate) mod blocking;
mod continuations;
mod dispatch;
mod gaps;
mod interval_sender;
mod pacer;
mod recorder;
mod run_tallies;
mod session_slot;
mod sessions;
mod steps;
mod ticks;
mod usage;
mod window;
mod worker_end;

pub use dispatch::Ended;
pub(crate) use dispatch::Numbers;
pub(crate) use interval_sender::{IntervalSender, WorkerIntervals};
pub(crate) use sessions::Sessions;
pub(crate) use worker_end::{WindowTo, WorkerEnd};

use crate::drain::Drain;
use crate::gate::Gate;
use crate::plan::{Load, Plan};
use crate::start::Ready;
use crate::stop::Stop;
use crate::timer::Time;
use assignment::{Assignment, DispatchSink, WorkReply, WorkRequest};
use brunt_exchange::{Clock, Moment, Outcome, Session, Ticket, Want, Watch};
use brunt_record::{Catalogue, Samples};
use dispatch::Dispatch;
use pacer::Pacer;
use recorder::Recorder;
use run_tallies::SessionUse;
use session_slot::{NEVER, SessionSlot, SessionState};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;
use steps::Steps;
use ticks::Ticks;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use window::{Cycle, Unit, Window};

/// How often a worker checks whether the run must end and whether an exchange takes too long.
const TICK: Duration = Duration::from_millis(50);
const TICK_MIN: Duration = Duration::from_millis(1);
/// How many sessions of a worker connect at once while the run is prepared.
const READYING_MAX: usize = 256;
/// If no session could be made ready and one took this long to fail, the remaining ones are prepared during the run.
const SLOW: Duration = Duration::from_secs(1);
/// How long sessions may take to close.
const CLOSING_MAX: Duration = Duration::from_secs(1);

/// What all workers of a run receive.
pub(crate) struct Shared<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) stop: &'a Stop,
    pub(crate) gate: &'a Gate,
    pub(crate) numbers: &'a Arc<Numbers>,
}

/// Carries out one worker's share of a run. Must be called where tasks that are not `Send` may be spawned.
pub(crate) async fn work<T: Time>(
    shared: &Shared<'_>,
    number: usize,
    time: &T,
    sessions: &dyn Sessions<T::Clock>,
    sender: IntervalSender,
) -> std::io::Result<WorkerEnd> {
    let timer = time.timer()?;
    let local = shared.plan.sessions_of(number);
    let first = shared.plan.first_session();
    let slots = (local.len(), sessions.alike(), sessions.iterates());
    let worker = Rc::new(Worker::new(shared, number, time.clock(), slots, sender));
    let mut tasks = JoinSet::new();
    sessions.spawn(&worker, number, first + local.start..first + local.end, &mut tasks);
    let pacer = Pacer { worker: &worker, timer: &timer };
    pacer.prepare().await;
    shared.gate.arrive(&worker.brought(), || worker.clock.now());
    let origin = pacer.origin(shared.gate).await;
    let lasting = shared.plan.lasting();
    pacer.start(origin, lasting).await;
    let end = pacer.pace(origin, lasting, &|into| sessions.counts(number, into)).await;
    pacer.take_leave().await;
    while let Some(done) = tasks.join_next().await {
        if let Err(failure) = done
            && let Ok(panic) = failure.try_into_panic()
        {
            std::panic::resume_unwind(panic);
        }
    }
    Ok(end)
}

pub(crate) struct Worker<C> {
    clock: C,
    slots: Box<[SessionSlot]>,
    dispatch: RefCell<Dispatch>,
    recorder: RefCell<Recorder>,
    readying: Semaphore,
    timeout: Option<Duration>,
    drain: Drain,
    /// Whether exchanges in flight may take as long as their own time-outs allow, because no drain time was set.
    has_own_time: bool,
    stop: Stop,
    /// When it was first seen that the run is to stop.
    stopped: Cell<Option<Moment>>,
    /// Set when sessions that are not ready yet need not be prepared any more.
    leaving: Cell<bool>,
    /// How many sessions could be made ready before the run.
    reached: Cell<u32>,
    ticks: Ticks,
    /// Whether any session has set a time limit of its own.
    impatient: Cell<bool>,
    started: Cell<bool>,
    /// Whether the pacer knows that nothing becomes due any more.
    over_seen: Cell<bool>,
    origin: Cell<Moment>,
    /// Whether exchanges become due by a schedule, and whether each of these begins an iteration.
    open: bool,
    iterates: bool,
    /// Sessions that have not made themselves ready yet.
    unready: Cell<usize>,
    /// Sessions that may still carry out an exchange.
    active: Cell<usize>,
    /// Sessions whose tasks have not ended.
    present: Cell<usize>,
    /// When the pacer will check again, so that sessions know when to wake it earlier.
    pacer_at: Cell<Moment>,
    /// When the current step is over.
    step_at: Cell<Moment>,
    pacer: RefCell<Option<Waker>>,
    poked: Cell<bool>,
}

/// How an exchange went.
struct Done {
    /// When the session was free again.
    now: Moment,
    sent: Option<Moment>,
    ended: Moment,
    outcome: Outcome,
}

/// What a session has begun, as far as it is not in the figures yet.
#[derive(Default)]
struct History {
    /// What an arrival of an open load began.
    unit: Option<Unit>,
    /// Its last exchange in a closed load, whose cycle lasts until the next.
    cycle: Option<Cycle>,
    /// The turn of the exchange that it would have begun next, when it was free for that, and when it wanted it.
    next: Option<(u64, Moment, Want)>,
    session: SessionUse,
}

/// One session's task: get ready, then request work, exchange and report until there is nothing more to do.
async fn serve<C: Clock + Clone + 'static, S: Session>(
    worker: Rc<Worker<C>>,
    mut session: S,
    index: u32,
    name: u32,
) {
    let guard = TaskGuard { worker: &worker, active: Cell::new(true) };
    let mut text = String::new();
    let (mut free, prepared) = worker.first_ready(&mut session, index).await;
    let mut history = History::default();
    let mut last = 0;
    for turn in 0.. {
        let wants = session.wants(free);
        if worker.open && worker.iterates && !matches!(wants, Want::At(_)) {
            worker.iterated(&mut history);
        }
        history.next = Some((turn, free, wants));
        if turn > 0 && !worker.dispatch.borrow_mut().promise(wants) {
            break;
        }
        if turn > 0 || !prepared {
            match worker.ready(&mut session, index).await {
                Ok((true, _)) => free = worker.clock.now(),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let request = WorkRequest { slot: index, session: name, turn, free, wants, last };
        let Some(assignment) = worker.next(request).await else { break };
        last = assignment.number;
        worker.begins(&mut history, &assignment);
        let ticket = Ticket {
            number: assignment.number,
            session: name,
            turn,
            phase: assignment.phase as u8,
        };
        let done =
            worker.exchange(&mut session, index, &ticket, &assignment, free, &mut text).await;
        free = done.now;
        worker.ends(&mut history, &assignment, &done);
        // A target that always answers at once must not keep the others from running.
        tokio::task::coop::consume_budget().await;
    }
    worker.leaves(name, &history);
    guard.retire();
    let slot = worker.slot(index);
    slot.begin(SessionState::Closing, worker.clock.now() + CLOSING_MAX);
    // A session that takes too long to close is dropped.
    let _ = slot.unless_called_off(pin!(session.close(&worker.clock))).await;
}

/// Counts a session's last exchange and the end of its task, even if that is a panic, which is a fault of brunt and
/// ends the run.
struct TaskGuard<'a, C> {
    worker: &'a Worker<C>,
    active: Cell<bool>,
}

impl<C> TaskGuard<'_, C> {
    fn retire(&self) {
        if self.active.replace(false) {
            let active = self.worker.active.get() - 1;
            self.worker.active.set(active);
            if active == 0 {
                self.worker.poke();
            }
        }
    }
}

impl<C> Drop for TaskGuard<'_, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.worker.stop.abort();
        }
        self.retire();
        let present = self.worker.present.get() - 1;
        self.worker.present.set(present);
        if present == 0 {
            self.worker.poke();
        }
    }
}

impl<C> Worker<C> {
    /// When the drain is over, if nothing was due after `over`.
    fn drained_at(&self, over: Moment) -> Moment {
        self.drain.ends(over, self.stopped.get())
    }

    /// Ends the current step if it is over. The first reader of the clock does this, so that nothing is recorded in a
    /// step that belongs to the next.
    #[inline]
    fn roll_step(&self, now: Moment) {
        if now >= self.step_at.get() {
            let backlog = self.dispatch.borrow().backlog();
            let mut recorder = self.recorder.borrow_mut();
            recorder.roll_step(now, backlog);
            self.step_at.set(recorder.boundary().unwrap_or(NEVER));
        }
    }

    /// Whether no exchange is in flight or waits for a session.
    fn is_idle(&self) -> bool {
        self.recorder.borrow().in_flight() == 0 && self.dispatch.borrow().backlog() == 0
    }

    /// Has the pacer check as often as while something is in flight, if it does not.
    #[inline]
    fn stir(&self) {
        if self.ticks.stirred() {
            self.poke();
        }
    }

    /// Wakes the pacer early.
    fn poke(&self) {
        if !self.poked.replace(true)
            && let Some(pacer) = &*self.pacer.borrow()
        {
            pacer.wake_by_ref();
        }
    }
}

impl<C> DispatchSink for Worker<C> {
    fn planned(&self, assignment: &Assignment) {
        self.recorder.borrow_mut().planned(assignment);
    }

    fn dropped(&self, assignment: &Assignment, now: Moment) {
        self.recorder.borrow_mut().dropped(assignment, now);
    }

    fn backlog(&self, waiting: usize) {
        self.recorder.borrow_mut().backlog(waiting);
        self.stir();
    }

    fn assign(&self, index: u32, assignment: Assignment) {
        self.slots[index as usize].give(assignment);
    }
}

impl<C: Clock + Clone + 'static> Worker<C> {
    fn new(
        shared: &Shared<'_>,
        number: usize,
        clock: C,
        (slots, alike, iterates): (usize, bool, bool),
        sender: IntervalSender,
    ) -> Self {
        let settings = shared.plan.settings();
        let timeout = Some(settings.operation_timeout).filter(|timeout| !timeout.is_zero());
        let steps = Steps::new(shared.plan.phases(), settings.interval, shared.plan.lasting());
        let numbers = Arc::clone(shared.numbers);
        let dispatch = Dispatch::new(shared.plan, number, slots, alike, numbers);
        let samples = if settings.explain_every { Samples::every() } else { Samples::new() };
        Self {
            clock,
            slots: (0..slots).map(|_| SessionSlot::new()).collect(),
            dispatch: RefCell::new(dispatch),
            recorder: RefCell::new(Recorder::new(
                number,
                shared.catalogue,
                samples,
                (steps, Window::new(shared.plan)),
                sender,
            )),
            readying: Semaphore::new(READYING_MAX.div_ceil(shared.plan.workers())),
            timeout,
            drain: shared.plan.drain(),
            has_own_time: settings.drain.is_none() && timeout.is_some(),
            stop: shared.stop.clone(),
            stopped: Cell::new(None),
            leaving: Cell::new(false),
            reached: Cell::new(0),
            ticks: Ticks::new(timeout),
            impatient: Cell::new(false),
            started: Cell::new(false),
            over_seen: Cell::new(false),
            origin: Cell::new(Moment::ZERO),
            open: matches!(settings.load, Load::Open(_)),
            iterates,
            unready: Cell::new(slots),
            active: Cell::new(slots),
            present: Cell::new(slots),
            pacer_at: Cell::new(NEVER),
            step_at: Cell::new(NEVER),
            pacer: RefCell::new(None),
            poked: Cell::new(false),
        }
    }

    /// Shortens the tick so that an exchange which exceeds this timeout is noticed within a twentieth of it.
    fn watch_closely(&self, timeout: Duration) {
        self.impatient.set(true);
        self.ticks.notice(timeout);
    }

    /// The sessions with which this worker arrives at the gate.
    fn brought(&self) -> Ready {
        Ready {
            sessions: self.slots.len() as u32,
            ready: self.reached.get(),
            unready: self.recorder.borrow().unready(),
        }
    }

    fn slot(&self, index: u32) -> &SessionSlot {
        &self.slots[index as usize]
    }

    /// Prepares a session before the run and waits for the run to begin; returns when that is, and whether it was
    /// prepared. While no session can be made ready, later ones are prepared during the run: the beginning is not
    /// delayed by each connection that a dead target does not accept.
    async fn first_ready<S: Session>(&self, session: &mut S, index: u32) -> (Moment, bool) {
        let permit = self.readying.acquire().await;
        let prepares = !self.leaving.get();
        if prepares {
            // If it is cancelled, the run ends before it begins, and the session receives no work.
            let began = self.clock.now();
            if let Ok((_, true)) = self.ready(session, index).await {
                self.reached.set(self.reached.get() + 1);
            }
            if self.reached.get() == 0 && self.clock.now() - began >= SLOW {
                self.leaving.set(true);
            }
        }
        drop(permit);
        let slot = self.slot(index);
        slot.begin(SessionState::Waiting, NEVER);
        self.unready.set(self.unready.get() - 1);
        if self.unready.get() == 0 {
            self.poke();
        }
        poll_fn(|cx| {
            slot.wait(cx);
            if self.started.get() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        (self.origin.get(), prepares)
    }

    /// Prepares a session; returns whether that took any waiting and whether it is ready, or the outcome if it was
    /// cancelled.
    async fn ready<S: Session>(
        &self,
        session: &mut S,
        index: u32,
    ) -> Result<(bool, bool), Outcome> {
        let slot = self.slot(index);
        slot.begin(SessionState::Readying, NEVER);
        let mut watch = Watch::new(&self.clock, None);
        let mut waited = false;
        let readied = {
            let mut act = pin!(session.ready(&mut watch));
            let act = pin!(poll_fn(|cx| {
                let polled = act.as_mut().poll(cx);
                waited |= polled.is_pending();
                polled
            }));
            slot.unless_called_off(act).await
        };
        self.recorder.borrow_mut().readied(&watch, || self.clock.now());
        readied.map(|()| (waited, watch.why_not_ready().is_none()))
    }

    /// An exchange begins, which ends the cycle before it.
    #[inline]
    fn begins(&self, history: &mut History, assignment: &Assignment) {
        if let Some(cycle) = history.cycle.take() {
            self.recorder.borrow_mut().cycle(&cycle, assignment.due);
        }
        if self.open && assignment.arrival {
            history.unit = Some(Unit::new(assignment));
        }
    }

    /// An exchange ended.
    #[inline]
    fn ends(&self, history: &mut History, assignment: &Assignment, done: &Done) {
        history.session.add(done.outcome);
        if !self.open {
            history.cycle = Some(Cycle::new(assignment, done.outcome));
            return;
        }
        if let Some(unit) = &mut history.unit {
            unit.add(done.sent, done.ended, done.outcome);
        }
        if !self.iterates {
            self.iterated(history);
        }
    }

    /// What an arrival began is over.
    #[inline]
    fn iterated(&self, history: &mut History) {
        if let Some(unit) = history.unit.take() {
            self.recorder.borrow_mut().unit(&unit);
        }
    }

    /// A session carries out nothing more.
    fn leaves(&self, session: u32, history: &History) {
        let (counted, next_due) = {
            let dispatch = self.dispatch.borrow();
            let next = history.next;
            let due = |(turn, free, wants)| dispatch.next_due((session, turn), free, wants);
            (dispatch.has_counted(), next.and_then(due))
        };
        let mut recorder = self.recorder.borrow_mut();
        recorder.left(history.session);
        if counted {
            recorder.window_counted();
        }
        if let Some(unit) = history.unit {
            recorder.unit(&unit.given_up());
        }
        if let Some((cycle, to)) = history.cycle.zip(next_due) {
            recorder.cycle(&cycle, to);
        }
    }

    /// The next exchange for a session that requests work; `None` when there is none.
    async fn next(&self, request: WorkRequest) -> Option<Assignment> {
        let slot = self.slot(request.slot);
        slot.begin(SessionState::Waiting, NEVER);
        self.roll_step(request.free);
        let (answer, ring) = {
            let mut dispatch = self.dispatch.borrow_mut();
            (dispatch.next_work(&request, self), dispatch.next_ring())
        };
        let sooner =
            answer == WorkReply::Wait && ring.is_some_and(|ring| ring < self.pacer_at.get());
        let unseen = answer == WorkReply::Leave && !self.over_seen.get();
        if sooner || unseen || request.free >= self.pacer_at.get() {
            self.poke();
        }
        match answer {
            WorkReply::Take(assignment) => Some(assignment),
            WorkReply::Leave => None,
            WorkReply::Wait => {
                poll_fn(|cx| {
                    if let Some(assignment) = slot.take() {
                        return Poll::Ready(Some(assignment));
                    }
                    if self.dispatch.borrow().exhausted() {
                        return Poll::Ready(None);
                    }
                    slot.wait(cx);
                    Poll::Pending
                })
                .await
            }
        }
    }

    /// Carries out one exchange and records it; returns when it ended.
    async fn exchange<S: Session>(
        &self,
        session: &mut S,
        index: u32,
        ticket: &Ticket,
        assignment: &Assignment,
        free: Moment,
        text: &mut String,
    ) -> Done {
        let slot = self.slot(index);
        let limit = session.timeout(ticket).inspect(|timeout| self.watch_closely(*timeout));
        let limit = limit.or(self.timeout);
        let deadline = limit.map_or(NEVER, |limit| assignment.due.max(free) + limit);
        slot.begin(SessionState::Exchanging, deadline);
        let wanted = {
            let mut recorder = self.recorder.borrow_mut();
            recorder.began();
            recorder.wants_text()
        };
        self.stir();
        text.clear();
        let mut watch = Watch::new(&self.clock, wanted.then_some(&mut *text));
        let done = slot.unless_called_off(pin!(session.exchange(ticket, &mut watch))).await;
        if let Err(outcome) = done {
            session.called_off(outcome, &mut watch);
        }
        let now = self.clock.now();
        let ended = watch.ended_at().unwrap_or(now);
        // While the pacer is overdue, everything else is late as well: an answer read now has been unread since then.
        let wanted_at = self.pacer_at.get();
        let unread = ended - wanted_at;
        self.roll_step(now);
        let outcome = done.unwrap_or_else(|called_off| called_off);
        let (operation, sent) = (watch.named_operation(), watch.began_at());
        let mut recorder = self.recorder.borrow_mut();
        recorder.gap(wanted_at, now);
        recorder.ended(assignment, (free, ended), &watch, outcome, unread);
        recorder.concurrent(assignment, free, &mut watch);
        if wanted && matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut) {
            let (unreached, shown) = (watch.take_unreached(), watch.take_shown());
            let text = match outcome {
                Outcome::TimedOut if text.is_empty() => "no answer within the operation timeout",
                _ => text,
            };
            recorder.explained(operation, outcome, ended, text, unreached, shown);
        }
        Done { now, sent, ended, outcome }
    }
}

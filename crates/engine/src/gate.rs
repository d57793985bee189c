//! The [`Gate`] at which workers wait for each other before the run begins.
//!
//! The last worker to arrive sets the origin of the run for all, unless the run begins at a moment that was agreed on
//! with other machines, or on a signal. A worker that fails before it arrives is counted as arrived, so that the others
//! do not wait for it forever. Waiting for each other blocks the threads: nothing is in flight yet that could be
//! delayed. Waiting for the moment does not block them: it may be far away, and connections must be kept alive. A
//! request to stop opens the gate at once.

use crate::run_clock::RunClock;
use crate::start::{Ready, Start};
use crate::stop::{Stop, Urgency};
use crate::sync::{Condvar, Mutex, MutexGuard};
use brunt_exchange::Moment;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// The time between the last arrival and the origin, so that every worker is awake at the origin.
const LEAD: Duration = Duration::from_millis(1);

/// How often a worker checks for a request to stop, and for the signal to begin, before the moment of the beginning.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Gate {
    start: Start,
    today: RunClock,
    state: Mutex<State>,
    arrived: Condvar,
    /// Whether the workers share one thread, so that none may block it.
    one_thread: bool,
    /// The origin, for readers that do not wait for it.
    origin: Arc<OnceLock<Moment>>,
}

#[derive(Debug)]
struct State {
    missing: usize,
    ready: Ready,
    /// The moment at which the run will begin, once it is known.
    moment: Option<Moment>,
}

impl Gate {
    /// A gate for the workers of a run that begins at `start`, by the machine's time of day.
    pub(crate) fn new(workers: usize, start: Start) -> Self {
        let state = State { missing: workers, ready: Ready::default(), moment: None };
        Self {
            start,
            today: RunClock::default(),
            state: Mutex::new(state),
            arrived: Condvar::new(),
            one_thread: false,
            origin: Arc::default(),
        }
    }

    /// The same by this time of day.
    pub(crate) fn by(self, today: RunClock) -> Self {
        Self { today, ..self }
    }

    /// The same for workers that share one thread: they wait for each other by polling.
    pub(crate) fn on_one_thread(self) -> Self {
        Self { one_thread: true, ..self }
    }

    /// When the run begins, once that is known.
    pub(crate) fn origin(&self) -> Arc<OnceLock<Moment>> {
        Arc::clone(&self.origin)
    }

    /// Waits for the other workers. `brought` counts the sessions of this worker, and how many of them are ready.
    pub(crate) fn arrive(&self, brought: &Ready, now: impl Fn() -> Moment) {
        let mut state = self.lock();
        state.missing = state.missing.saturating_sub(1);
        state.ready.sessions += brought.sessions;
        state.ready.ready += brought.ready;
        state.ready.unready.merge(&brought.unready);
        if state.missing == 0 {
            if self.start == Start::WhenReady {
                self.open(now() + LEAD);
            }
            self.arrived.notify_all();
        }
        while state.missing > 0 && !self.one_thread {
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// When the run begins, for a worker that has arrived; otherwise when to call again.
    pub(crate) fn begins(&self, now: Moment, stop: &Stop) -> Result<Moment, Moment> {
        if let Some(origin) = self.origin.get() {
            return Ok(*origin);
        }
        let mut state = self.lock();
        if stop.urgency() > Urgency::Run {
            return Ok(self.open(now + LEAD));
        }
        if state.missing > 0 {
            return Err(now + LEAD);
        }
        let moment = match (&self.start, state.moment) {
            (_, Some(moment)) => moment,
            (Start::WhenReady, None) => now,
            (Start::At(at), None) => self.moment_of(*at, now),
            (Start::OnSignal(signal), None) => match signal.start_time() {
                Some(at) => self.moment_of(at, now),
                None => return Err(now + LOOK),
            },
        };
        state.moment = Some(moment);
        let early = (moment - now).saturating_sub(LEAD);
        if early.is_zero() {
            Ok(self.open(moment.max(now + LEAD)))
        } else {
            Err(now + early.min(LOOK))
        }
    }

    /// What is ready, if the run waits for the signal to begin and every worker has arrived.
    pub(crate) fn ready(&self) -> Option<Ready> {
        let waits_for_signal = matches!(self.start, Start::OnSignal(_));
        let state = self.lock();
        (waits_for_signal && state.missing == 0).then(|| state.ready.clone())
    }

    /// Counts a worker that will not arrive.
    pub(crate) fn give_up(&self) {
        let mut state = self.lock();
        state.missing = state.missing.saturating_sub(1);
        self.arrived.notify_all();
    }

    /// The first caller to open the gate fixes for all when the run begins.
    fn open(&self, origin: Moment) -> Moment {
        *self.origin.get_or_init(|| origin)
    }

    /// The moment of a time of day, on the clock that shows `now`.
    fn moment_of(&self, at: SystemTime, now: Moment) -> Moment {
        now + at.duration_since(self.today.now()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartSignal;
    use brunt_exchange::{Class, Clock, Monotonic, Outcome};
    use brunt_record::Codes;

    fn waited(gate: &Gate, clock: Monotonic, stop: &Stop) -> Moment {
        gate.arrive(&Ready { sessions: 2, ready: 2, ..Ready::default() }, || clock.now());
        loop {
            match gate.begins(clock.now(), stop) {
                Ok(origin) => return origin,
                Err(again) => std::thread::park_timeout(again - clock.now()),
            }
        }
    }

    /// The origins of three workers; a fourth never arrives.
    fn origins(gate: &Gate, clock: Monotonic, stop: &Stop) -> [Moment; 3] {
        std::thread::scope(|scope| {
            let arrive = || scope.spawn(move || waited(gate, clock, stop));
            let waiting = [arrive(), arrive(), arrive()];
            gate.give_up();
            waiting.map(|thread| thread.join().unwrap())
        })
    }

    #[expect(clippy::disallowed_methods, reason = "a time of day is agreed on")]
    fn in_millis(millis: u64) -> SystemTime {
        SystemTime::now() + Duration::from_millis(millis)
    }

    #[test]
    fn gate_opens_for_all_at_once_even_if_one_gives_up() {
        let gate = Gate::new(4, Start::WhenReady);
        let origins = origins(&gate, Monotonic::new(), &Stop::new());
        assert!(origins.iter().all(|origin| *origin == origins[0]));
        assert!(origins[0] > Moment::ZERO);
        assert_eq!(gate.ready(), None, "no signal is expected");
    }

    #[test]
    #[cfg(feature = "virtual-time")]
    fn gate_opens_at_the_agreed_moment_unless_past() {
        let (at, stop) = (|millis| Moment::ZERO + Duration::from_millis(millis), Stop::new());
        let (today, agreed) = (SystemTime::UNIX_EPOCH, Duration::from_millis(120));
        let gate = Gate::new(2, Start::At(today + agreed)).by(RunClock::standing(today));
        let gate = gate.on_one_thread();
        gate.arrive(&Ready::default(), || at(0));
        assert_eq!(gate.begins(at(0), &stop), Err(at(0) + LEAD), "one is missing");
        gate.arrive(&Ready::default(), || at(0));
        assert_eq!(gate.begins(at(0), &stop), Err(at(0) + LOOK));
        assert_eq!(gate.begins(at(118), &stop), Err(at(119)));
        // Whoever is there first, the moment is the same for all.
        assert_eq!(gate.begins(at(119), &stop), Ok(at(120)));
        assert_eq!(gate.begins(at(140), &stop), Ok(at(120)));
        let gate = Gate::new(1, Start::At(SystemTime::UNIX_EPOCH));
        gate.arrive(&Ready::default(), || at(500));
        assert_eq!(gate.begins(at(500), &Stop::new()), Ok(at(500) + LEAD));
    }

    #[test]
    fn gate_uses_the_time_of_day_of_the_run() {
        let (agreed, now, stop) = (in_millis(3_600_000), Moment::ZERO, Stop::new());
        let begins = |today| {
            let gate = Gate::new(1, Start::At(agreed)).by(today);
            gate.arrive(&Ready::default(), || now);
            gate.begins(now, &stop)
        };
        assert_eq!(begins(RunClock::default()), Err(now + LOOK));
        assert_eq!(begins(RunClock::showing(agreed)), Ok(now + LEAD));
    }

    #[test]
    fn gate_opens_on_a_stop_request() {
        for start in [Start::At(in_millis(3_600_000)), Start::OnSignal(StartSignal::new())] {
            let (gate, stop) = (Gate::new(4, start), Stop::new());
            stop.request();
            let origins = origins(&gate, Monotonic::new(), &stop);
            assert!(origins[0] < Moment::ZERO + Duration::from_secs(60), "{origins:?}");
        }
    }

    #[test]
    fn gate_reports_ready_and_waits_for_the_start_signal() {
        let (signal, stop) = (StartSignal::new(), Stop::new());
        let gate = Gate::new(2, Start::OnSignal(signal.clone()));
        let (clock, now) = (Monotonic::new(), Moment::ZERO);
        let mut unready = Codes::default();
        unready.record(Outcome::Failed(Class::Connect, 111));
        let lacking = Ready { sessions: 3, ready: 1, unready: unready.clone() };
        std::thread::scope(|scope| {
            scope.spawn(|| gate.arrive(&lacking, || clock.now()));
            assert_eq!(gate.ready(), None, "one is missing");
            gate.arrive(&Ready { sessions: 4, ready: 4, ..Ready::default() }, || clock.now());
        });
        assert_eq!(gate.ready(), Some(Ready { sessions: 7, ready: 5, unready }));
        assert_eq!(gate.begins(now, &stop), Err(now + LOOK));
        signal.send(in_millis(10_000));
        assert_eq!(gate.begins(now, &stop), Err(now + LOOK));
        // The first signal counts, and the moment was computed once.
        signal.send(in_millis(0));
        let later = now + Duration::from_millis(9_999);
        let origin = gate.begins(later, &stop).unwrap();
        assert!(origin >= later && origin <= now + Duration::from_secs(10), "{origin:?}");
        assert_eq!(gate.begins(now, &stop), Ok(origin));
    }
}

/// Every order in which threads can meet at the gate (`.ci/orders`).
#[cfg(all(test, brunt_loom))]
mod orders {
    use super::*;
    use crate::start::StartSignal;

    /// A worker that arrives at this millisecond, and polls once.
    fn started(
        gate: &Arc<Gate>,
        stop: &Stop,
        millis: u64,
    ) -> loom::thread::JoinHandle<Result<Moment, Moment>> {
        let (gate, stop) = (Arc::clone(gate), stop.clone());
        let now = Moment::ZERO + Duration::from_millis(millis);
        loom::thread::spawn(move || {
            gate.arrive(&Ready { sessions: 1, ready: 1, ..Ready::default() }, || now);
            gate.begins(now, &stop)
        })
    }

    #[test]
    fn gate_has_one_origin_and_skips_who_gives_up() {
        loom::model(|| {
            let (gate, stop) = (Arc::new(Gate::new(3, Start::WhenReady)), Stop::new());
            let others = [started(&gate, &stop, 1), started(&gate, &stop, 2)];
            gate.give_up();
            let [first, second] = others.map(|other| other.join().unwrap());
            assert!(first.is_ok());
            assert_eq!(first, second);
            assert_eq!(gate.origin().get(), first.as_ref().ok());
        });
    }

    #[test]
    fn gate_opens_on_a_stop_request_in_any_order() {
        loom::model(|| {
            let gate = Arc::new(Gate::new(2, Start::OnSignal(StartSignal::new())));
            let stop = Stop::new();
            let others = [started(&gate, &stop, 1), started(&gate, &stop, 2)];
            stop.request();
            let answers = others.map(|other| other.join().unwrap());
            assert_eq!(gate.ready().map(|ready| ready.ready), Some(2));
            // A worker that polled before the request polls again, and receives the same origin as the others.
            let origin = gate.begins(Moment::ZERO, &stop).unwrap();
            assert!(answers.into_iter().flatten().all(|earlier| earlier == origin));
        });
    }
}

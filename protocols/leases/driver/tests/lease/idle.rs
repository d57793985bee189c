//! Stores whose server closes the connection while it is idle, scripted: which operations are repeated and which are
//! not.

use brunt_exchange::{BlockingSession as _, Class, Clock, Moment, Outcome, Ticket, Watch};
use brunt_leases_driver::{
    Backend, BackendError, By, Connection, Contents, Draw, Family, Identity, Lease, LeaseSessions,
    Leases, PARTS, Renewal, Search, Work,
};
use brunt_net::resend::Resend;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LEASES: Leases = Leases { family: Family::V4, contents: Contents::Distinct, epoch: 1_000 };
const CLOSED: Outcome = Outcome::Failed(Class::Closed, 0);

/// A backend whose stores lose their connection before their second operation, except for the last store.
struct LosingBackend {
    /// Whether checking the connection reveals the loss; otherwise the operation does.
    detectable: bool,
    /// How many stores may be opened.
    connections: u64,
    /// How long the operation that fails takes, by this clock.
    works: Duration,
    clock: StandingClock,
    opened: AtomicU64,
    requested: Arc<AtomicU64>,
}

/// A clock that only the store advances.
#[derive(Clone, Default)]
struct StandingClock(Arc<AtomicU64>);

impl Clock for StandingClock {
    fn now(&self) -> Moment {
        Moment::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

struct LosingConnection {
    detectable: bool,
    works: Duration,
    clock: StandingClock,
    operations: u64,
    broken: bool,
    requested: Arc<AtomicU64>,
}

impl LosingConnection {
    fn operate(&mut self) -> Result<bool, BackendError> {
        self.operations += 1;
        self.requested.fetch_add(1, Ordering::Relaxed);
        self.broken |= self.operations == 2;
        if self.broken {
            self.clock.0.fetch_add(self.works.as_nanos() as u64, Ordering::Relaxed);
            return Err(BackendError::new(Class::Closed, 0, "gone away"));
        }
        Ok(true)
    }
}

impl Connection for LosingConnection {
    fn create(&mut self, _: &Lease) -> Result<(), BackendError> {
        self.operate().map(drop)
    }

    fn find(&mut self, _: &Identity) -> Result<bool, BackendError> {
        self.operate()
    }

    fn renew(&mut self, _: &Renewal) -> Result<bool, BackendError> {
        self.operate()
    }

    fn release(&mut self, _: u128) -> Result<bool, BackendError> {
        self.operate()
    }

    fn expire(&mut self, _: i64, _: u32) -> Result<u32, BackendError> {
        self.operate().map(|_| 0)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        self.operate().map(drop)
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    fn has_lapsed(&mut self, idle: Duration) -> bool {
        self.broken |= self.detectable && self.operations == 1 && idle >= Duration::from_millis(5);
        self.broken
    }

    fn broken(&self) -> bool {
        self.broken
    }
}

impl Backend for LosingBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        if self.opened.fetch_add(1, Ordering::Relaxed) >= self.connections {
            return Err(BackendError::new(Class::Connect, 111, "refused"));
        }
        let (detectable, requested) = (self.detectable, Arc::clone(&self.requested));
        let (works, clock) = (self.works, self.clock.clone());
        Ok(Box::new(LosingConnection {
            detectable,
            works,
            clock,
            operations: 0,
            broken: false,
            requested,
        }))
    }

    fn count(&self) -> Result<u64, BackendError> {
        Ok(0)
    }

    fn preload(&self, _: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        Ok(())
    }

    fn clear(&self) -> Result<(), BackendError> {
        Ok(())
    }

    fn left_behind(&self) -> String {
        "nothing".into()
    }

    fn version(&self) -> Result<String, BackendError> {
        Ok(String::new())
    }

    fn durability(&self) -> String {
        String::new()
    }

    fn name_of(&self, code: u32) -> String {
        code.to_string()
    }
}

/// The result of the second operation.
#[derive(Debug, PartialEq, Eq)]
struct SecondOperation {
    outcome: Outcome,
    parts: Vec<&'static str>,
    reconnected: u32,
    resent: u32,
    not_ready: Option<Outcome>,
    /// The total number of operations requested from the stores.
    requested: u64,
}

/// Performs two operations, the second after the given time.
fn second(
    work: Work,
    resend: Resend,
    detectable: bool,
    connections: u64,
    pause: Duration,
) -> SecondOperation {
    second_working(Duration::ZERO, work, resend, detectable, (connections, pause))
}

/// The same; the operation that meets the end of its connection takes the time that the store `works`.
fn second_working(
    works: Duration,
    work: Work,
    resend: Resend,
    detectable: bool,
    (connections, pause): (u64, Duration),
) -> SecondOperation {
    let requested = Arc::new(AtomicU64::new(0));
    let opened = AtomicU64::new(0);
    let clock = StandingClock::default();
    let backend = Arc::new(LosingBackend {
        detectable,
        connections,
        works,
        clock: clock.clone(),
        opened,
        requested: Arc::clone(&requested),
    });
    let factory = Arc::new(LeaseSessions::new(backend, work, LEASES, 5, 1).resending(resend));
    let mut session = factory.session(0);
    session.ready(&mut Watch::new(&clock, None));
    let mut seen = None;
    for number in 0..2 {
        clock.0.store((pause * number as u32).as_nanos() as u64, Ordering::Relaxed);
        let mut watch = Watch::new(&clock, None);
        watch.sent();
        let ticket = Ticket { number, session: 0, turn: number, phase: 0 };
        let outcome = session.exchange(&ticket, &mut watch);
        seen = Some(SecondOperation {
            outcome,
            parts: watch.parts().iter().map(|(part, _)| PARTS[usize::from(part.0)]).collect(),
            reconnected: watch.times_reconnected(),
            resent: watch.times_resent(),
            not_ready: watch.why_not_ready(),
            requested: requested.load(Ordering::Relaxed),
        });
    }
    seen.unwrap()
}

fn search() -> Work {
    Work::Search(Search { population: 9, by: By::Address, draw: Draw::Ratio(1.0) })
}

fn create() -> Work {
    Work::Create { first: 0 }
}

const LONG: Duration = Duration::from_secs(1);

/// The result of a second operation that succeeded over a reopened store.
fn anew(resent: u32, requested: u64) -> SecondOperation {
    let (outcome, parts) = (Outcome::Ok(0), vec!["reconnect"]);
    SecondOperation { outcome, parts, reconnected: 1, resent, not_ready: None, requested }
}

fn failed(outcome: Outcome, not_ready: Option<Outcome>, requested: u64) -> SecondOperation {
    SecondOperation { outcome, parts: Vec::new(), reconnected: 0, resent: 0, not_ready, requested }
}

#[test]
fn lapsed_connection_is_reopened_and_the_request_sent_once() {
    for work in [search(), create(), Work::Update { population: 9 }, Work::Delete { first: 0 }] {
        assert_eq!(second(work, Resend::Never, true, 2, LONG), anew(0, 2));
    }
    let refused = Outcome::Failed(Class::Connect, 111);
    let seen = second(create(), Resend::Always, true, 1, LONG);
    assert_eq!(seen, failed(refused, Some(refused), 1), "nothing was asked of nobody");
}

#[test]
fn request_on_a_closing_connection_is_resent_if_allowed() {
    for (work, resend, again) in [
        (search(), Resend::Safe, true),
        (search(), Resend::Never, false),
        (create(), Resend::Safe, false),
        (create(), Resend::Always, true),
        (Work::Delete { first: 0 }, Resend::Safe, false),
    ] {
        let expected = if again { anew(1, 3) } else { failed(CLOSED, None, 2) };
        assert_eq!(second(work, resend, false, 2, LONG), expected);
    }
    // The connection was in use recently, so it did not end because it was idle.
    let busy = second(search(), Resend::Always, false, 2, Duration::from_millis(1));
    assert_eq!(busy, failed(CLOSED, None, 2));
    let refused = Outcome::Failed(Class::Connect, 111);
    let died = second(search(), Resend::Safe, false, 1, LONG);
    assert_eq!(died, failed(CLOSED, Some(refused), 2));
}

#[test]
fn connection_closed_during_work_was_not_idle() {
    let ended = |millis| {
        let works = Duration::from_millis(millis);
        second_working(works, search(), Resend::Always, false, (2, LONG))
    };
    assert_eq!(ended(10), anew(1, 3));
    assert_eq!(ended(500), failed(CLOSED, None, 2));
}

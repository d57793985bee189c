//! Visits in virtual time: arrivals that begin several exchanges with pauses between them, and sessions with time-outs
//! of their own.

use crate::plan::Settings;
use crate::session_factory::SessionFactory;
use crate::simulation::{at_least, ms, open, pass, simulate_with};
use crate::stop::Stop;
use crate::worker::Ended;
use brunt_exchange::{Clock, Moment, Outcome, Session, ThinkTime, Ticket, Want, Watch};
use brunt_record::Phase;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Each visit is a number of exchanges of equal length, with a pause before each but the first.
#[derive(Clone, Default)]
struct Visitors {
    steps: u64,
    taking: Duration,
    pause: Duration,
    hanging: bool,
    timeout: Option<Duration>,
    /// The numbers of all tickets, in order.
    numbers: Arc<Mutex<Vec<u64>>>,
}

struct Visitor {
    visitors: Visitors,
    done: u64,
}

impl Session for Visitor {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    fn wants(&mut self, free: Moment) -> Want {
        if self.done.is_multiple_of(self.visitors.steps) {
            Want::Next
        } else {
            Want::At(free + self.visitors.pause)
        }
    }

    fn timeout(&mut self, _: &Ticket) -> Option<Duration> {
        self.visitors.timeout
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        self.done += 1;
        self.visitors.numbers.lock().unwrap().push(ticket.number);
        watch.sent();
        if self.visitors.hanging {
            return std::future::pending().await;
        }
        pass(self.visitors.taking).await;
        Outcome::Ok(0)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for Visitors {
    type Session = Visitor;

    const ITERATES: bool = true;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Visitor> {
        numbers.map(|_| Visitor { visitors: self.clone(), done: 0 }).collect()
    }
}

fn three_steps() -> Visitors {
    Visitors { steps: 3, taking: ms(20), pause: ms(50), ..Visitors::default() }
}

fn run(settings: Settings, visitors: &Visitors) -> crate::simulation::Simulated {
    simulate_with(settings, visitors, &Stop::new(), async {})
}

#[test]
fn visits_are_completed_after_the_last_arrival() {
    let visitors = three_steps();
    let done = run(open(10, 1, 5), &visitors);
    let counts = done.finished.counts;
    assert_eq!((counts.planned, counts.ok, counts.dropped), (30, 30, 0));
    // The last arrival is due at 900 ms and takes three steps and two pauses.
    assert_eq!(done.finished.lasted, ms(900 + 3 * 20 + 2 * 50));
    let mut numbers = visitors.numbers.lock().unwrap().clone();
    numbers.sort_unstable();
    let thrice: Vec<u64> = (0..10).flat_map(|number| [number; 3]).collect();
    assert_eq!(numbers, thrice, "what goes on keeps the number of its arrival");
    let response = done.steady().operations[0].response.due();
    assert_eq!(at_least(&response, ms(21)), 0, "no pause is in a response time");
    assert_eq!(done.steady().lateness.sum_nanos(), 0);
}

#[test]
fn session_within_a_visit_takes_no_other_arrival() {
    // A visit keeps the only session busy for 160 ms, and one arrives each 100 ms: visit n begins 60·n ms late.
    let done = run(open(10, 1, 1), &three_steps());
    assert_eq!(done.finished.counts.ok, 30);
    let mut response = done.steady().operations[0].response.due();
    // Steps that became due after the last arrival belong to the drain.
    let drained = done.total(Phase::Drain).operations[0].response.due();
    assert_eq!((response.count(), drained.count()), (22, 8));
    response.merge(&drained);
    let waited: u128 = (0..10).map(|visit| 60 * visit).sum();
    assert_eq!(response.sum_nanos(), ms(30 * 20).as_nanos() + waited * 1_000_000);
    // The first steps of visits 1 to 9 waited at least 60 ms; no other step did.
    assert_eq!(at_least(&response, ms(60)), 9);
}

#[test]
fn session_timeout_is_detected_within_five_percent() {
    let visitors = Visitors { hanging: true, timeout: Some(ms(100)), ..three_steps() };
    let mut settings = Settings::closed(ThinkTime::None, 1);
    settings.operation_timeout = Duration::from_secs(10);
    settings.stop.count = Some(4);
    let done = run(settings, &visitors);
    assert_eq!((done.finished.counts.timed_out, done.finished.counts.sent), (4, 4));
    let response = done.steady().operations[0].response.due();
    assert!(
        response.min() >= Some(ms(100)) && response.max() <= Some(ms(105)),
        "{:?}",
        response.max()
    );
}

#[test]
fn pause_beyond_the_drain_is_skipped() {
    let visitors = Visitors { pause: Duration::from_secs(3600), ..three_steps() };
    let mut settings = open(10, 1, 20);
    settings.drain = Some(ms(500));
    let done = run(settings, &visitors);
    assert_eq!((done.finished.counts.planned, done.finished.counts.ok), (10, 10));
    assert_eq!(done.finished.ended, Ended::Time);
}

//! An exchange allocates nothing: a run ten times as long makes not one allocation more.
//!
//! The allocator of this test program counts. Both runs are otherwise the same, so an allocation for each exchange
//! would be visible ten thousand times.
#![expect(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::timer::MachineTime;
use brunt_engine::{Plan, SessionFactory, Settings, Stop, ThinkTime, run};
use brunt_exchange::{Class, Clock, Outcome, Session, Ticket, Watch};
use brunt_record::{Catalogue, Interval};
use brunt_testbed::{CountingAllocator, allocations};
use std::ops::Range;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Answers at once or after being driven once more, and fails now and then.
struct QuickSession;

impl Session for QuickSession {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        if ticket.number.is_multiple_of(3) {
            tokio::task::yield_now().await;
        }
        if ticket.number.is_multiple_of(7) {
            Outcome::Failed(Class::Result, 49)
        } else {
            Outcome::Ok(0)
        }
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

struct QuickSessions;

impl SessionFactory for QuickSessions {
    type Session = QuickSession;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<QuickSession> {
        numbers.map(|_| QuickSession).collect()
    }
}

fn allocated(mut settings: Settings, count: u64) -> u64 {
    settings.stop.count = Some(count);
    settings.interval = Duration::from_secs(3_600);
    settings.backlog = Some(20_000);
    settings.operation_timeout = Duration::from_secs(60);
    settings.workers = Some(1);
    let plan = Plan::new(settings, 1).unwrap();
    let names = Catalogue::new(["quick"], []);
    let before = allocations::by_process();
    let done = run(
        &plan,
        &names,
        &MachineTime::new(),
        &QuickSessions,
        &Stop::new(),
        &mut |_: &Interval| {},
    );
    let after = allocations::by_process();
    assert_eq!(done.unwrap().counts.completed(), count);
    after - before
}

#[test]
fn exchange_allocates_nothing() {
    let rate = Rate::per_second(50_000).unwrap();
    let open = Settings::open(Schedule::constant(rate, None).unwrap(), 5);
    let poisson = Settings::open(Schedule::poisson(rate, None).unwrap(), 5);
    for settings in [open, poisson, Settings::closed(ThinkTime::None, 5)] {
        let short = allocated(settings.clone(), 1_000);
        let long = allocated(settings, 11_000);
        // Room for allocations that depend on how the machine happened to wake its threads; ten thousand exchanges that
        // allocated would exceed it by far.
        assert!(long <= short + 200, "{short} allocations became {long}");
    }
}

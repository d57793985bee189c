//! The reported length of a run whose last exchanges are not answered.

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::timer::MachineTime;
use brunt_engine::{Plan, SessionFactory, Settings, Stop, run};
use brunt_exchange::{Clock, Outcome, Session, Ticket, Watch};
use brunt_record::{Catalogue, Interval};
use std::ops::Range;
use std::time::Duration;

struct SilentSession;

impl Session for SilentSession {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, _: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        std::future::pending().await
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

struct SilentSessions;

impl SessionFactory for SilentSessions {
    type Session = SilentSession;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<SilentSession> {
        numbers.map(|_| SilentSession).collect()
    }
}

#[test]
fn final_wait_is_not_part_of_the_rate() {
    let (seconds, patience) = (Duration::from_millis(300), Duration::from_millis(400));
    let rate = Rate::per_second(100).unwrap();
    let mut settings = Settings::open(Schedule::constant(rate, None).unwrap(), 60);
    settings.stop.time = Some(seconds);
    settings.operation_timeout = patience;
    let plan = Plan::new(settings, 1).unwrap();
    let names = Catalogue::new(["exchange"], []);
    let (time, stop) = (MachineTime::new(), Stop::new());
    let finished =
        run(&plan, &names, &time, &SilentSessions, &stop, &mut |_: &Interval| {}).unwrap();
    assert_eq!((finished.counts.planned, finished.counts.timed_out), (30, 30));
    assert!(finished.lasted >= seconds, "{:?}", finished.lasted);
    // The last exchange was sent at 290 ms and given up at 690.
    assert!(finished.lasted < Duration::from_millis(650), "{:?}", finished.lasted);
}

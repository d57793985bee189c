//! The cost of the engine itself: time per exchange, lateness of the pacer, memory per session.
//!
//! A session that does nothing but stamp leaves only the engine to be measured. Figures are printed and not judged,
//! since they depend on the machine as much as on the engine.
#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot run has nothing to print")]

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::timer::MachineTime;
use brunt_engine::{
    BlockingSessionFactory, Finished, Plan, SessionFactory, Settings, Stop, ThinkTime, run,
    run_blocking,
};
use brunt_exchange::{BlockingSession, Clock, Monotonic, Outcome, Session, Ticket, Watch};
use brunt_record::{Catalogue, Interval, Phase};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A session that is answered immediately, without sending anything.
struct Null;

impl Session for Null {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, _: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        Outcome::Ok(0)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

struct Nulls;

impl SessionFactory for Nulls {
    type Session = Null;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Null> {
        numbers.map(|_| Null).collect()
    }
}

impl BlockingSessionFactory for Nulls {
    type Session = Null;

    fn session(&self, _: u32) -> Null {
        Null
    }
}

impl BlockingSession for Null {
    fn is_ready(&self) -> bool {
        true
    }

    fn ready(&mut self, _: &mut Watch<'_>) {}

    fn exchange(&mut self, _: &Ticket, _: &mut Watch<'_>) -> Outcome {
        Outcome::Ok(0)
    }

    fn close(&mut self) {}
}

fn main() {
    let exchanges = 2_000_000;
    let clock = Monotonic::new();
    let reads = (0..exchanges).map(|_| clock.now()).max().unwrap();
    println!("one read of the clock          {:>8.0} ns", each(reads.since_origin(), exchanges));
    let mut closed = Settings::closed(ThinkTime::None, 10);
    closed.stop.count = Some(exchanges);
    println!(
        "closed loop, an exchange       {:>8.0} ns",
        each(carried_out(closed).lasted, exchanges)
    );
    let mut blocking = Settings::closed(ThinkTime::None, 1);
    blocking.stop.count = Some(exchanges);
    println!(
        "blocking, closed, an exchange  {:>8.0} ns",
        each(carried_out_alone(blocking).lasted, exchanges)
    );
    let done = carried_out_alone(open(2_000, 3, 1));
    let late = |q| done.totals[&Phase::Steady].lateness.quantile(q).unwrap().as_secs_f64() * 1e6;
    println!(
        "blocking, paced at 2000/s  late p50 {:>6.0} us  p99 {:>6.0} us",
        late(0.5),
        late(0.99)
    );
    let mut flood = open(10_000_000, 1, 10);
    flood.backlog = Some(exchanges as usize);
    flood.stop.count = Some(exchanges);
    println!(
        "open, backlogged, an exchange  {:>8.0} ns",
        each(carried_out(flood).lasted, exchanges)
    );
    for per_second in [200, 2_000, 20_000] {
        let done = carried_out(open(per_second, 3, 10));
        let steady = &done.totals[&Phase::Steady];
        let micros = |q| steady.lateness.quantile(q).unwrap().as_secs_f64() * 1e6;
        let cpu: Duration = steady.health.workers.iter().map(|worker| worker.cpu).sum();
        println!(
            "paced at {per_second:>6}/s   late p50 {:>6.0} us  p99 {:>6.0} us   cpu {:>6.0} ns an exchange",
            micros(0.5),
            micros(0.99),
            each(cpu, steady.counts().ok)
        );
    }
    let before = resident();
    let sessions = 50_000;
    let mut idle = open(10, 1, sessions);
    idle.stop.count = Some(1);
    let finished = std::cell::Cell::new(0);
    let plan = Plan::new(Settings { workers: Some(1), ..idle }, 1).unwrap();
    let mut sink = |_: &Interval| finished.set(finished.get().max(resident()));
    run(&plan, &names(), &MachineTime::new(), &Nulls, &Stop::new(), &mut sink).unwrap();
    println!(
        "an idle session                {:>8} octets",
        (finished.get() - before) / u64::from(sessions)
    );
}

fn open(per_second: u64, seconds: u64, sessions: u32) -> Settings {
    let rate = Rate::per_second(per_second).unwrap();
    Settings::open(Schedule::constant(rate, Some(Duration::from_secs(seconds))).unwrap(), sessions)
}

fn carried_out(settings: Settings) -> Finished {
    let plan = Plan::new(Settings { workers: Some(1), ..settings }, 1).unwrap();
    run(&plan, &names(), &MachineTime::new(), &Nulls, &Stop::new(), &mut |_: &Interval| {}).unwrap()
}

fn carried_out_alone(settings: Settings) -> Finished {
    let plan = Plan::new(settings, 1).unwrap();
    let mut sink = |_: &Interval| {};
    run_blocking(&plan, &names(), &MachineTime::new(), &Arc::new(Nulls), &Stop::new(), &mut sink)
        .unwrap()
}

fn names() -> Catalogue {
    Catalogue::new(["null"], [])
}

fn each(time: Duration, exchanges: u64) -> f64 {
    time.as_secs_f64() * 1e9 / exchanges as f64
}

/// The resident memory of this process, in octets.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4_096
}

//! Runs that are carried out in this process, against sessions that follow a script, in time that passes at once.

mod time;

use std::ops::Range;
use std::time::Duration;

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::{EngineRun, Plan, SessionFactory, Settings};
use brunt_exchange::{Outcome, Session, Ticket, Watch};
use brunt_net::Network;
use brunt_record::{Catalogue, Record};
use brunt_run::environment::Environment;
use brunt_run::{Job, Protocol, World, carry_out};

use time::VirtualTime;

/// Answers after a time that follows from the number of the exchange.
struct Scripted(VirtualTime);

impl Session for Scripted {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        self.0.pass(Duration::from_millis(1 + ticket.number % 40)).await;
        Outcome::Ok(0)
    }

    async fn close(&mut self) {}
}

struct ScriptedSessions(VirtualTime);

impl SessionFactory for ScriptedSessions {
    type Session = Scripted;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Scripted> {
        numbers.map(|_| Scripted(self.0.clone())).collect()
    }
}

struct ScriptedProtocol;

impl Protocol for ScriptedProtocol {
    fn outcome(&self, _: usize, outcome: Outcome) -> String {
        format!("{outcome:?}")
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, String> {
        let time = VirtualTime::default();
        let sessions = ScriptedSessions(time.clone());
        let EngineRun { plan, catalogue, stop, sink, .. } = run;
        let finished = brunt_engine::run(plan, catalogue, &time, &sessions, stop, sink);
        finished.map_err(|error| format!("failed to {error}"))
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// The record of an hour of ten exchanges a second, on average.
fn hour(seed: u64) -> Record {
    let rate = Rate::per_second(10).expect("a rate");
    let mut settings = Settings::open(Schedule::poisson(rate, Some(HOUR)).expect("a schedule"), 8);
    (settings.seed, settings.workers, settings.pin) = (seed, Some(1), false);
    // Few steps, so that none is merged with the next because the thread that collects them is late.
    settings.interval = HOUR;
    let plan = Plan::new(settings, 1).expect("a plan");
    let catalogue = Catalogue::new(["exchange"], []);
    let target = "a script".to_owned();
    let job = Job::new(Vec::new(), catalogue, target, plan, Network::private());
    let world = World::kept(Environment::default());
    carry_out(&job, &ScriptedProtocol, &mut [], &world).expect("it is carried out").record
}

/// What differs between two runs on any machine: their numbers, when they began, and how the machine was.
const OF_THE_MACHINE: [&str; 4] = ["run", "started", "environment", "generator"];

/// The parts of two records that differ, apart from these and from how busy the worker was.
fn unlike(mut records: [Record; 2]) -> Vec<String> {
    for step in records.iter_mut().flat_map(|record| &mut record.series) {
        step.busiest = None;
    }
    let [one, other] = records.map(|it| serde_json::to_value(it).expect("a value"));
    let parts = one.as_object().into_iter().flatten();
    let differ = parts.filter(|(name, part)| other.get(name) != Some(part));
    let differ = differ.filter(|(name, _)| !OF_THE_MACHINE.contains(&name.as_str()));
    differ.map(|(name, part)| format!("{name}: {part} and {:?}", other.get(name))).collect()
}

#[test]
fn two_runs_of_an_hour_with_one_seed_have_one_record() {
    let (one, same) = (hour(7), hour(7));
    assert!((35_000..37_000).contains(&one.counts.ok), "{:?}", one.counts);
    assert_eq!((one.counts.planned, one.counts.dropped), (one.counts.ok, 0));
    let response = &one.operations[0].response;
    assert!((20_400.0..20_700.0).contains(&response.mean_us.unwrap()), "{response:?}");
    assert_eq!(unlike([one, same]), [""; 0]);
}

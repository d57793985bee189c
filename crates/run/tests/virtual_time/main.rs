//! Runs that are carried out in this process, against sessions that follow a script, in time that passes at once.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::virtual_time::VirtualTime;
use brunt_engine::{EngineRun, Plan, RunClock, SessionFactory, Settings};
use brunt_exchange::{Clock, Named, Outcome, Session, Ticket, Watch};
use brunt_net::Network;
use brunt_record::{Catalogue, Record};
use brunt_run::environment::Environment;
use brunt_run::{EngineError, Job, Protocol, ProtocolError, World, carry_out};

/// Answers after a time that follows from the number of the exchange.
struct Scripted(VirtualTime);

impl Session for Scripted {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        self.0.pass(Duration::from_millis(1 + ticket.number % 40)).await;
        Outcome::Ok(0)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

struct ScriptedSessions(VirtualTime);

impl SessionFactory for ScriptedSessions {
    type Session = Scripted;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Scripted> {
        numbers.map(|_| Scripted(self.0.clone())).collect()
    }
}

struct ScriptedProtocol(VirtualTime);

impl Protocol for ScriptedProtocol {
    fn outcome(&self, _: usize, outcome: Outcome) -> Named {
        format!("{outcome:?}").into()
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        let sessions = ScriptedSessions(self.0.clone());
        Ok(run.with(&sessions).map_err(EngineError)?)
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// The record of an hour of ten exchanges a second, on average.
fn hour(seed: u64) -> Record {
    let rate = Rate::per_second(10).expect("a rate");
    let mut settings = Settings::open(Schedule::poisson(rate, Some(HOUR)).expect("a schedule"), 8);
    (settings.seed, settings.workers, settings.pin) = (seed, Some(1), false);
    let plan = Plan::new(settings, 1).expect("a plan");
    let catalogue = Catalogue::new(["exchange"], []);
    let target = "a script".to_owned();
    let job = Job::new(Vec::new(), catalogue, target, plan, Network::private());
    let time = VirtualTime::new(seed);
    let mut world = World::kept(Environment::default());
    world.clock = RunClock::standing(SystemTime::UNIX_EPOCH);
    world.time = Some(time.clone().into());
    let finished = carry_out(&job, &ScriptedProtocol(time), &mut [], &world);
    // A run has a number of its own.
    Record { run: None, ..finished.expect("it is carried out").record }
}

#[test]
fn seed_repeats_the_record_of_a_virtual_hour() {
    let (one, same) = (hour(7), hour(7));
    assert!((35_000..37_000).contains(&one.counts.ok), "{:?}", one.counts);
    assert_eq!((one.counts.planned, one.counts.dropped), (one.counts.ok, 0));
    let response = &one.operations[0].response;
    assert!((20_400.0..20_700.0).contains(&response.mean_us.unwrap()), "{response:?}");
    assert!(one.series.len() > 1_000, "{} steps", one.series.len());
    let [one, same] = [one, same].map(|record| serde_json::to_string(&record).expect("JSON"));
    assert!(one == same, "two records of {} and {} octets", one.len(), same.len());
}

//! Runs in real time: of sessions that virtual time would stand still for, and of several threads.

use crate::finished::Finished;
use crate::plan::{Plan, Settings};
use crate::session_factory::SessionFactory;
use crate::simulation::{ScriptedSessions, Step, ms, open};
use crate::stop::Stop;
use crate::timer::MachineTime;
use crate::worker::Ended;
use brunt_exchange::{Clock, Outcome, Session, ThinkTime, Ticket, Watch};
use brunt_record::{Catalogue, Interval};
use std::ops::Range;
use std::time::Duration;

#[test]
fn immediate_answers_do_not_starve_other_tasks() {
    // One session is answered at once forever; the timeout of the other, the rows and the end of the run need the
    // pacer, which this session must let run. Real time passes here, since virtual time stands still while a task is
    // busy.
    struct EagerSession(bool);

    impl Session for EagerSession {
        async fn ready(&mut self, _: &mut Watch<'_>) {}

        async fn exchange(&mut self, _: &Ticket, watch: &mut Watch<'_>) -> Outcome {
            watch.sent();
            if self.0 {
                return Outcome::Ok(0);
            }
            std::future::pending().await
        }

        async fn close(&mut self, _: &dyn Clock) {}
    }

    struct Pair;

    impl SessionFactory for Pair {
        type Session = EagerSession;

        fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<EagerSession> {
            numbers.map(|number| EagerSession(number == 0)).collect()
        }
    }

    let mut settings = Settings::closed(ThinkTime::None, 2);
    settings.stop.time = Some(ms(1_000));
    settings.interval = ms(100);
    settings.operation_timeout = ms(100);
    settings.workers = Some(1);
    let plan = Plan::new(settings, 1).unwrap();
    let catalogue = Catalogue::new(["exchange"], ["connect"]);
    let mut rows = 0;
    let (time, stop) = (MachineTime::new(), Stop::new());
    let mut row = |_: &Interval| rows += 1;
    let finished = crate::run(&plan, &catalogue, &time, &Pair, &stop, &mut row).unwrap();
    assert!(finished.counts.timed_out >= 2, "{:?}", finished.counts);
    assert!(finished.counts.ok > 1_000);
    assert!(rows >= 3);
}

#[test]
fn workers_share_the_numbers_without_loss() {
    let carried_out = |settings: Settings| {
        let scripted = ScriptedSessions::new(|_| Step::Answer(Duration::ZERO));
        let plan = Plan::new(Settings { workers: Some(3), ..settings }, 1).unwrap();
        let catalogue = Catalogue::new(["exchange"], ["connect"]);
        let time = MachineTime::new();
        let finished =
            crate::run(&plan, &catalogue, &time, &scripted, &Stop::new(), &mut |_: &Interval| {})
                .unwrap();
        (finished, scripted.numbers())
    };
    for model in ["open", "closed"] {
        let mut settings = match model {
            "open" => Settings { backlog: Some(6_000), ..open(5_000, 60, 10) },
            _ => Settings::closed(ThinkTime::None, 10),
        };
        settings.stop.count = Some(2_000);
        let (finished, numbers): (Finished, Vec<u64>) = carried_out(settings);
        assert_eq!((finished.counts.ok, finished.ended), (2_000, Ended::Count), "{model}");
        assert_eq!(numbers, (0..2_000).collect::<Vec<_>>(), "{model}");
    }
}

//! A record for tests of what is made from records.

use std::time::Duration;

use brunt_exchange::{Class, Moment, Named, Outcome, Part, Stamps};
use brunt_record::{
    Catalogue, Conclusion, Counts, Ending, Head, Interval, Own, Phase, Plan, Record, Sample,
    Series, Timing, Tool, Totals, WorkerLoad,
};

/// A bind that the directory refused.
pub const REFUSED: Outcome = Outcome::Failed(Class::Result, 49);

/// Two steady seconds: 80 binds of 2 ms and 20 refused after 1 ms, each a millisecond late, a
/// quarter of which the generator caused; 10 dropped.
///
/// # Panics
///
/// An objective is none.
pub fn measured(objectives: &[&str]) -> Record {
    let (mut totals, mut series) = (Totals::new(), Series::new());
    for second in 0..2 {
        let mut interval = Interval::new(1, 1);
        interval.reset(second, Phase::Steady, Duration::from_secs(second));
        interval.to = Duration::from_secs(second + 1);
        for n in 0..50 {
            let outcome = if n < 40 { Outcome::Ok(0) } else { REFUSED };
            let ended = if n < 40 { 3_000_000 } else { 2_000_000 };
            let [due, free, sent, ended] = [0, 750_000, 1_000_000, ended].map(Moment::from_nanos);
            interval.record(0, outcome, &Stamps { due, free, sent, ended }, 0, Own::default());
        }
        (0..55).for_each(|_| interval.plan());
        let counts = interval.operations[0].counts;
        interval.due.merge(&Counts { planned: 0, dropped: 5, ..counts });
        (0..5).for_each(|_| interval.drop_after(Duration::from_millis(7), false));
        interval.part(Part(0), Duration::from_millis(5));
        interval.health.record(WorkerLoad {
            node: 0,
            worker: 0,
            cpu: Duration::from_millis(250),
            wall: Duration::from_secs(1),
            waited: Duration::ZERO,
            runs: 0,
            unseen: false,
        });
        let text = "no such\x1b[31m user".to_owned();
        interval.samples.push(Sample {
            operation: 0,
            outcome: REFUSED,
            at: interval.from,
            text,
            unreached: None,
            sent: None,
            answer: None,
        });
        totals.absorb(&interval);
        series.push(&interval);
    }
    let names =
        |_, outcome| Named::from(if outcome == REFUSED { "invalidCredentials" } else { "success" });
    let tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
    let started = "2026-01-02T03:04:05Z".parse().expect("it is one");
    let catalogue = Catalogue::new(["bind"], ["connect"]);
    let conclusion = Conclusion {
        head: Head {
            command: vec!["brunt".into(), "authrate".into(), "-M".into(), "55".into()],
            percentiles: vec![50.0],
            ceiling: Some(1_000.0),
            objectives: objectives.iter().map(|text| text.parse().expect("it is one")).collect(),
            ..Head::new("a".repeat(32), started, tool, Plan::open(55.0, 10, 7), catalogue)
        },
        names: &names,
        totals: &totals,
        series: &series,
        ending: Ending::planned(Timing {
            to: Duration::from_secs(2),
            over: Duration::from_secs(4),
            ..Timing::default()
        }),
    };
    conclusion.record().expect("it is whole")
}

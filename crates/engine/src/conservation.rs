//! Conservation in virtual time: whatever sessions do and whenever a run is stopped, every exchange is accounted for.

use crate::plan::Settings;
use crate::simulation::{ScriptedSessions, Simulated, Step, ms, open, pass, simulate_with};
use crate::stop::Stop;
use brunt_exchange::{ThinkTime, Ticket};
use brunt_record::{Counts, Phase};
use proptest::prelude::*;

/// The exchanges of a phase, counted where they became due.
pub(crate) fn by_due(run: &Simulated, phase: Phase) -> Counts {
    let mut counts = Counts::default();
    for interval in run.intervals.iter().filter(|interval| interval.phase == phase) {
        counts.merge(&interval.due);
        interval.settled.iter().for_each(|settled| counts.merge(&settled.counts));
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Whatever sessions do and whenever the run is stopped, every exchange is accounted for.
    #[test]
    fn every_exchange_is_accounted_for(
        script in prop::collection::vec((0..10_u8, 0..300_u64), 1..40),
        per_second in 1..300_u64,
        sessions in 1..6_u32,
        backlog in 0..30_usize,
        closed: bool,
        timeout in 0..200_u64,
        drain in 0..500_u64,
        stops in prop::collection::vec(0..1_500_u64, 0..3),
        count in prop::option::of(1..400_u64),
        think in 0..30_u64,
    ) {
        let acts = move |ticket: &Ticket| {
            let (kind, time) = script[ticket.number as usize % script.len()];
            match kind {
                0 => Step::Hang,
                1..3 => Step::Refuse(ms(time)),
                _ => Step::Answer(ms(time / 10)),
            }
        };
        let mut settings = open(per_second, 1, sessions);
        if closed {
            // Without a think time, a closed loop whose answers take no time would never end.
            settings = Settings::closed(ThinkTime::Constant(ms(think + 1)), sessions);
            settings.stop.time = Some(ms(1_000));
        }
        settings.stop.count = count;
        settings.backlog = Some(backlog);
        settings.operation_timeout = ms(timeout);
        settings.drain = Some(ms(drain));
        settings.warm_up = ms(timeout);
        let stop = Stop::new();
        let handle = stop.clone();
        let meddle = async move {
            for at in stops {
                pass(ms(at)).await;
                handle.request();
            }
        };
        // An imbalance would panic in `simulate_with`.
        let run = simulate_with(settings, &ScriptedSessions::new(acts), &stop, meddle);
        let counts = run.finished.counts;
        let rows = run.intervals.iter().map(|row| row.planned).sum::<u64>();
        prop_assert_eq!(rows, counts.planned);
        for (phase, total) in &run.finished.totals {
            prop_assert_eq!(by_due(&run, *phase), total.counts(), "{}", phase);
        }
        let steady = run.finished.totals.get(&Phase::Steady);
        if let Some(count) = count {
            prop_assert!(steady.is_none_or(|steady| steady.planned <= count));
        }
        prop_assert!(run.finished.lasted <= ms(1_000 + timeout + drain + 100));
    }
}

//! Sessions that make several exchanges at once, in virtual time: each is counted, however the run ends.

use crate::plan::Settings;
use crate::session_factory::SessionFactory;
use crate::simulation::{ms, open, pass, simulate_named};
use crate::stop::Stop;
use brunt_exchange::{Class, Clock, Concurrent, Outcome, Session, ThinkTime, Ticket, Watch};
use brunt_record::{Catalogue, Counts};
use std::ops::Range;

/// Each exchange is three at once: two that end after 20 and 30 ms, and one of them that hangs, if one does.
struct Threes {
    hangs: bool,
}

struct Three {
    hangs: bool,
}

impl Three {
    /// What is made beside the first: one that succeeds and one that ends like this.
    fn others(watch: &mut Watch<'_>, outcome: Outcome) {
        for (operation, outcome) in [(1, Outcome::Ok(200)), (2, outcome)] {
            let mut other = Watch::new(watch.clock(), None);
            other.operation(operation);
            other.sent();
            let text = if outcome == Outcome::Ok(200) { "" } else { "no such page" };
            watch.beside(Concurrent::new(&mut other, outcome).explained(text.to_owned()));
        }
    }
}

impl Session for Three {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, _: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        pass(ms(30)).await;
        if self.hangs {
            std::future::pending::<()>().await;
        }
        Self::others(watch, Outcome::Failed(Class::Result, 404));
        Outcome::Ok(200)
    }

    fn called_off(&mut self, outcome: Outcome, watch: &mut Watch<'_>) {
        Self::others(watch, outcome);
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for Threes {
    type Session = Three;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Three> {
        numbers.map(|_| Three { hangs: self.hangs }).collect()
    }
}

/// The counts of each operation, and those of all.
fn counts(settings: Settings, hangs: bool, stops: u32) -> (Vec<Counts>, Counts) {
    let catalogue = Catalogue::new(["first", "second", "third"], ["connect"]);
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(950)).await;
        (0..stops).for_each(|_| {
            handle.request();
        });
    };
    let run = simulate_named(settings, &Threes { hangs }, &stop, meddle, &catalogue);
    let mut operations = vec![Counts::default(); 3];
    for total in run.finished.totals.values() {
        for (sum, operation) in operations.iter_mut().zip(&total.operations) {
            sum.merge(&operation.counts);
        }
    }
    (operations, run.finished.counts)
}

#[test]
fn parallel_exchanges_are_counted() {
    let mut closed = Settings::closed(ThinkTime::None, 2);
    closed.stop.time = Some(ms(600));
    for settings in [closed, open(40, 1, 5)] {
        let (operations, all) = counts(settings, false, 0);
        let first = operations[0].ok;
        assert!(first >= 40, "{operations:?}");
        assert_eq!((operations[1].ok, operations[2].failed), (first, first));
        assert_eq!((all.planned, all.sent, all.ok), (3 * first, 3 * first, 2 * first));
    }
}

#[test]
fn parallel_exchanges_survive_timeout_and_abort() {
    let mut settings = Settings::closed(ThinkTime::None, 2);
    settings.stop.time = Some(ms(2_000));
    settings.operation_timeout = ms(500);
    let (operations, all) = counts(settings.clone(), true, 0);
    assert_eq!((operations[0].timed_out, operations[1].ok, operations[2].timed_out), (8, 8, 8));
    assert_eq!(all.planned, 24);
    settings.operation_timeout = ms(60_000);
    let (operations, all) = counts(settings, true, 2);
    assert_eq!((operations[0].cut_off, operations[1].ok, operations[2].cut_off), (2, 2, 2));
    assert_eq!((all.planned, all.sent), (6, 6));
}

//! A target that answers no connection attempt, in virtual time: it delays the beginning of a run once, not once for
//! each group of sessions.

use crate::session_factory::SessionFactory;
use crate::simulation::{ms, open, pass, simulate_with};
use crate::stop::Stop;
use brunt_exchange::{Class, Clock, Outcome, Session, Ticket, Watch};
use std::ops::Range;
use std::time::Duration;

const PATIENCE: Duration = ms(10_000);

/// Sessions of which only those from `reachable` on reach their target.
struct Unreachable {
    reachable: u32,
}

struct Waiting {
    reaches: bool,
}

impl Session for Waiting {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        if !self.reaches {
            pass(PATIENCE).await;
            watch.not_ready(Outcome::Failed(Class::Connect, 110));
        }
    }

    async fn exchange(&mut self, _: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        if self.reaches {
            watch.sent();
            return Outcome::Ok(0);
        }
        Outcome::Failed(Class::Connect, 110)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for Unreachable {
    type Session = Waiting;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Waiting> {
        numbers.map(|number| Waiting { reaches: number >= self.reachable }).collect()
    }
}

#[test]
fn unreachable_target_is_waited_for_once() {
    // 256 are prepared at a time, so that all would take 40 seconds.
    let run = simulate_with(
        open(100, 1, 1_000),
        &Unreachable { reachable: 1_000 },
        &Stop::new(),
        async {},
    );
    assert_eq!(run.finished.prepared_in.as_secs(), 10);
    let counts = run.finished.counts;
    assert_eq!((counts.planned, counts.failed), (100, 100));
    assert!(run.finished.over < ms(1_100), "{:?}", run.finished.over);
}

#[test]
fn reachable_target_has_every_session_prepared() {
    let run =
        simulate_with(open(100, 1, 600), &Unreachable { reachable: 200 }, &Stop::new(), async {});
    assert_eq!(run.finished.prepared_in.as_secs(), 10);
    assert_eq!(run.finished.counts.completed(), 100);
}

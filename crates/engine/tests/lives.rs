//! Sessions that decide by themselves when their next exchange is due, may find nothing to do, and know better than the
//! engine when an answer arrived.

use brunt_engine::timer::MachineTime;
use brunt_engine::{DriverCounts, Plan, SessionFactory, Settings, Stop, ThinkTime, run};
use brunt_exchange::{Clock, Moment, Outcome, Session, Ticket, Want, Watch};
use brunt_record::{Catalogue, Interval, Phase};
use std::ops::Range;
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(40);
const TURNS: u32 = 6;

/// Wants an exchange every 40 ms from when it was first free, six in all; every third time there is nothing to do.
struct Client {
    first: Option<Moment>,
    turn: u32,
}

impl Session for Client {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        self.turn += 1;
        if ticket.turn % 3 == 2 {
            return Outcome::Skipped;
        }
        let now = watch.now();
        watch.sent_as(now);
        // The answer arrived 5 ms after the request, whenever this session reads it.
        watch.ended_as(now + Duration::from_millis(5));
        Outcome::Ok(7)
    }

    fn wants(&mut self, free: Moment) -> Want {
        let first = *self.first.get_or_insert(free);
        if self.turn == TURNS { Want::Nothing } else { Want::At(first + EVERY * self.turn) }
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

struct Clients;

impl SessionFactory for Clients {
    type Session = Client;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Client> {
        numbers.map(|_| Client { first: None, turn: 0 }).collect()
    }

    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        into.tallies.resize(2, 0);
        // Cumulative: reported many times, counted once.
        into.tallies[1] = 11 + worker as u64;
    }
}

#[test]
fn sessions_may_keep_their_own_time() {
    let mut settings = Settings::closed(ThinkTime::Constant(Duration::from_secs(3_600)), 2);
    settings.workers = Some(2);
    settings.interval = Duration::from_millis(50);
    let plan = Plan::new(settings, 1).unwrap();
    let catalogue = Catalogue::new(["exchange"], []).with_tallies(["first", "second"]);
    let mut rows = Vec::new();
    let mut sink = |interval: &Interval| rows.push(interval.tallies.get(1).copied().unwrap_or(0));
    let finished =
        run(&plan, &catalogue, &MachineTime::new(), &Clients, &Stop::new(), &mut sink).unwrap();
    let counts = finished.counts;
    assert_eq!((counts.planned, counts.sent, counts.ok, counts.skipped), (12, 8, 8, 4));
    counts.conserved().unwrap();

    let steady = &finished.totals[&Phase::Steady];
    assert_eq!((steady.operations[0].service.count(), steady.lag.count()), (8, 8));
    assert_eq!(steady.operations[0].service.min(), Some(Duration::from_millis(5)));
    assert_eq!(steady.operations[0].service.max(), Some(Duration::from_millis(5)));
    // Five pauses between six turns, not one of an hour.
    assert!((EVERY * 5..EVERY * 20).contains(&finished.lasted), "{:?}", finished.lasted);
    // Due when the session said, and late by no more than a busy machine causes.
    assert!(steady.lag.quantile(0.5).unwrap() < EVERY, "{:?}", steady.lag.quantile(0.5));

    assert_eq!(steady.tallies, [0, 23]);
    assert_eq!(rows.iter().sum::<u64>(), 23);
    assert_eq!(catalogue.tally("second"), Some(1));
}

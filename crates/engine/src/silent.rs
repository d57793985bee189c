//! Sessions that never get an answer, and servers of which one is silent, in virtual time.

use crate::plan::Settings;
use crate::session_factory::SessionFactory;
use crate::simulation::{ms, pass, simulate_named};
use crate::stop::Stop;
use brunt_exchange::{Clock, Outcome, Session, ThinkTime, Ticket, Watch};
use brunt_record::{
    Catalogue, Interval, ServerCounts, TallyRecord, run_tallies, servers, silent_sessions,
};
use std::ops::Range;

/// Sessions of two servers, of which the second never answers.
struct HalfSilent {
    /// The sessions below this number use the second.
    silent: u32,
}

struct Client {
    server: u16,
}

impl Session for Client {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.server(Some(self.server));
        watch.sent();
        if self.server == 1 {
            return std::future::pending().await;
        }
        pass(ms(100)).await;
        if ticket.turn.is_multiple_of(2) {
            Outcome::Ok(0)
        } else {
            Outcome::Failed(brunt_exchange::Class::Result, 53)
        }
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for HalfSilent {
    type Session = Client;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Client> {
        numbers.map(|number| Client { server: u16::from(number < self.silent) }).collect()
    }
}

/// The tallies of a run of fifty users of 3 s, whose exchanges may take 700 ms.
fn tallies(silent: u32) -> Vec<TallyRecord> {
    let catalogue = Catalogue::new(["exchange"], ["connect"])
        .with_tallies(run_tallies(&["one", "two"].map(str::to_owned)));
    let mut settings = Settings::closed(ThinkTime::None, 50);
    settings.stop.time = Some(ms(3_000));
    settings.operation_timeout = ms(700);
    let stop = Stop::new();
    let run = simulate_named(settings, &HalfSilent { silent }, &stop, async {}, &catalogue);
    let count = |number: usize| {
        let of = |phase: &Interval| phase.tallies.get(number).copied().unwrap_or(0);
        run.finished.totals.values().map(of).sum()
    };
    let names = catalogue.tallies.iter().enumerate();
    let tally =
        |(number, name): (usize, &String)| TallyRecord { name: name.clone(), count: count(number) };
    names.map(tally).collect()
}

#[test]
fn silent_sessions_are_counted_per_server() {
    let run = tallies(30);
    assert_eq!(silent_sessions(&run), Some((30, 50)));
    let of = |server: &str, ok, failed, unanswered| ServerCounts {
        server: server.to_owned(),
        ok,
        failed,
        unanswered,
    };
    // Twenty users have 30 answers each, every second a refusal; thirty wait 700 ms five times, at last beyond the end.
    assert_eq!(servers(&run), [of("one", 300, 300, 0), of("two", 0, 0, 150)]);
    assert_eq!(silent_sessions(&tallies(0)), None);
}

//! Servers that close idle connections: the connections are opened again, and no operation fails for that reason.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use brunt_exchange::{BlockingSession as _, Clock as _, Monotonic, Outcome, Ticket, Watch};
use brunt_leases_driver::{By, Draw, LeaseSession, LeaseSessions, PARTS, Search, Work};
use brunt_net::resend::Resend;

use crate::database::{BackendRequest, Database, leases, with_durable_servers};

/// Makes the server close what is idle for a second.
fn make_impatient(database: Database<'_>) {
    let output: &[&str] = match database {
        Database::MariaDb(_) => &["SET GLOBAL wait_timeout = 1"],
        Database::Postgres(_) => {
            &["ALTER SYSTEM SET idle_session_timeout = '1s'", "SELECT pg_reload_conf()"]
        }
    };
    for text in output {
        database.sql(text);
    }
}

/// The result of exchange `number`: its outcome, how many connections were opened again for it, how many times it was
/// repeated, and its parts.
fn operate(
    session: &mut LeaseSession,
    clock: &Monotonic,
    number: u64,
) -> (Outcome, u32, u32, Vec<&'static str>) {
    let mut watch = Watch::new(clock, None);
    assert!(session.is_ready(), "nobody has told the session");
    let began = clock.now();
    watch.sent_as(began);
    let outcome =
        session.exchange(&Ticket { number, session: 0, turn: number, phase: 0 }, &mut watch);
    let parts = watch.parts().iter().map(|(part, _)| PARTS[usize::from(part.0)]).collect();
    assert_eq!(watch.sent_at() > Some(began), watch.times_reconnected() > 0, "it left later");
    (outcome, watch.times_reconnected(), watch.times_resent(), parts)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the connection has to be idle")]
fn idle_close_costs_no_operation() {
    with_durable_servers(|database| {
        make_impatient(database);
        let requested = BackendRequest::default();
        let backend = database.backend(&requested);
        backend.prepare().unwrap();
        let search = Search { population: 4, by: By::Address, draw: Draw::Ratio(1.0) };
        for (work, group) in [
            (Work::Create { first: 0 }, 1),
            (Work::Search(search), 1),
            (Work::Create { first: 9 }, 2),
        ] {
            let crew =
                LeaseSessions::new(Arc::clone(&backend), work, leases(requested.family), 5, 1);
            let crew = Arc::new(crew.grouped(group, u64::MAX).resending(Resend::Never));
            let mut session = crew.session(0);
            let clock = Monotonic::new();
            session.ready(&mut Watch::new(&clock, None));
            // Create makes the leases that the search then finds.
            for number in 0..3 {
                let (outcome, ..) = operate(&mut session, &clock, number);
                assert_eq!(outcome, Outcome::Ok(0), "{database:?}");
            }
            sleep(Duration::from_millis(2_500));
            let seen = operate(&mut session, &clock, 3);
            assert_eq!(seen, (Outcome::Ok(0), 1, 0, vec!["reconnect"]), "{database:?}");
            assert_eq!(operate(&mut session, &clock, 4).1, 0, "{database:?}");
            session.close();
        }
        backend.clear().unwrap();
    });
}

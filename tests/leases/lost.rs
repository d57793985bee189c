//! Servers that are lost: killed, paused and ended in the middle of an operation. They are counted, and never waited
//! for without a limit.

use std::time::{Duration, Instant};

use brunt_exchange::Class;
use brunt_testbed::until;

use crate::database::{BackendRequest, Database, lease, with_durable_servers};

fn pause(database: Database<'_>) {
    match database {
        Database::MariaDb(server) => server.pause(),
        Database::Postgres(server) => server.pause(),
    }
}

fn resume(database: Database<'_>) {
    match database {
        Database::MariaDb(server) => server.resume(),
        Database::Postgres(server) => server.resume(),
    }
}

fn kill(database: Database<'_>) {
    match database {
        Database::MariaDb(server) => server.kill(),
        Database::Postgres(server) => server.kill(),
    }
}

/// A database that can be named: MariaDB's is made, PostgreSQL's is there.
fn place(database: Database<'_>) -> &'static str {
    match database {
        Database::MariaDb(_) => "lost",
        Database::Postgres(_) => "postgres",
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long the store waited is what is tested")]
fn timeout_gives_up_the_connection() {
    with_durable_servers(|database| {
        // The same place, named, for two backends. Only the connection that meets the pause is impatient: making tables
        // may take its time.
        let requested =
            BackendRequest { named: Some(place(database)), ..BackendRequest::default() };
        let patient = database.backend(&requested);
        patient.prepare().unwrap();
        let impatient = database
            .backend(&BackendRequest { patience: Duration::from_secs(1), ..requested.clone() });
        let mut connection = impatient.open().unwrap();
        connection.create(&lease(requested.family, 1)).unwrap();
        pause(database);
        let begun = Instant::now();
        // Some of its threads may stop a moment later than the signal was sent.
        let error =
            (2..100).find_map(|number| connection.create(&lease(requested.family, number)).err());
        let error = error.expect("nobody answers");
        assert_eq!(error.class, Class::Closed, "{error}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        assert!(connection.broken());
        drop(connection);
        // Nor can a new connection be had.
        assert!(impatient.open().is_err());
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
        resume(database);
        // It catches up with what was sent while it was paused first.
        let mut connection = None;
        assert!(until(Duration::from_secs(90), || {
            connection = patient.open().ok();
            connection.is_some()
        }));
        connection.unwrap().create(&lease(requested.family, 100)).unwrap();
        assert!(until(Duration::from_secs(90), || patient.clear().is_ok()));
    });
}

#[test]
fn killed_server_is_a_closed_connection() {
    with_durable_servers(|database| {
        let requested = BackendRequest::default();
        let backend = database.backend(&requested);
        backend.prepare().unwrap();
        let mut connection = backend.open().unwrap();
        connection.create(&lease(requested.family, 1)).unwrap();
        kill(database);
        let error = connection.create(&lease(requested.family, 2)).unwrap_err();
        assert_eq!(error.class, Class::Closed, "{error}");
        assert!(connection.broken());
        let error = backend.open().err().unwrap();
        assert_eq!(error.class, Class::Connect, "{error}");
        assert!(backend.clear().is_err(), "what cannot be cleared away is said");
        let left = backend.left_behind();
        assert!(left.contains("brunt_leases_") && left.contains("DROP "), "{left}");
    });
}

//! What must not happen: tables of another owner destroyed, settings left behind, passwords shown.

use brunt_exchange::Class;
use brunt_leases_driver::{Durability, Family, Schema, Statements};
use brunt_testbed::{MariaDb, Postgres};

use crate::database::{
    BackendRequest, Database, lease, mariadb_is_here, postgres_is_here, with_servers,
};

/// Servers on which a database called `kea` contains another owner's `lease4` with three rows.
fn with_somebodys_tables(test: impl Fn(Database<'_>, &dyn Fn() -> u64)) {
    let fill = "CREATE TABLE lease4 (address BIGINT PRIMARY KEY, note VARCHAR(10)); \
                INSERT INTO lease4 VALUES (1, 'mine'), (2, 'mine'), (3, 'mine')";
    if mariadb_is_here() {
        let server = MariaDb::start();
        server.sql(&format!("CREATE DATABASE kea; USE kea; {fill}"));
        let count = || server.number("SELECT COUNT(*) FROM kea.lease4 WHERE note = 'mine'");
        test(Database::MariaDb(&server), &count);
    }
    if postgres_is_here() {
        let server = Postgres::start();
        // One database is all that psql is asked about here, so it is the one that is named.
        server.sql(fill);
        let count = || server.number("SELECT COUNT(*) FROM lease4 WHERE note = 'mine'");
        test(Database::Postgres(&server), &count);
    }
}

fn named(database: Database<'_>) -> &'static str {
    match database {
        Database::MariaDb(_) => "kea",
        Database::Postgres(_) => "postgres",
    }
}

#[test]
fn foreign_tables_are_kept_until_destruction_is_allowed() {
    with_somebodys_tables(|database, count| {
        for schema in [Schema::Guide, Schema::Kea] {
            let requested = BackendRequest {
                schema,
                named: Some(named(database)),
                ..BackendRequest::default()
            };
            let backend = database.backend(&requested);
            let error = backend.prepare().unwrap_err();
            assert_eq!(error.class, Class::Check, "{error}");
            for word in ["lease4 with 3 rows, not made by brunt", "--yes-destroy"] {
                assert!(error.text.contains(word), "{error}");
            }
            backend.clear().unwrap();
            assert_eq!(count(), 3, "clearing up after a refusal touches nothing");
        }
        let requested = BackendRequest {
            named: Some(named(database)),
            may_destroy: true,
            ..BackendRequest::default()
        };
        let backend = database.backend(&requested);
        assert!(backend.left_behind().contains("in the database"), "{}", backend.left_behind());
        backend.prepare().unwrap();
        backend.open().unwrap().create(&lease(requested.family, 1)).unwrap();
        // The leftovers of a killed run are distinguished from the tables of another owner.
        let requested =
            BackendRequest { named: Some(named(database)), ..BackendRequest::default() };
        let error = database.backend(&requested).prepare().unwrap_err();
        for word in ["lease4 with 1 rows", "of a run of brunt that was killed", "--yes-destroy"] {
            assert!(error.text.contains(word), "{error}");
        }
        // A second phase begins with empty tables.
        backend.prepare().unwrap();
        assert_eq!(backend.count().unwrap(), 0);
        backend.clear().unwrap();
        assert!(
            database.places().contains(&"kea".to_owned())
                || matches!(database, Database::Postgres(_))
        );
        let left = database
            .number("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'lease4'");
        assert_eq!(left, 0, "what was made in place of them is gone");
    });
}

#[test]
fn other_tables_of_a_named_database_are_kept() {
    with_servers(|database| {
        let (make, keep, drop) = match database {
            Database::MariaDb(_) => (
                "CREATE DATABASE others; CREATE TABLE others.payroll (n INT); INSERT INTO others.payroll VALUES (1)",
                "SELECT COUNT(*) FROM others.payroll",
                "DROP DATABASE others",
            ),
            Database::Postgres(_) => (
                "CREATE DATABASE others",
                "SELECT COUNT(*) FROM pg_database WHERE datname = 'others'",
                "DROP DATABASE others",
            ),
        };
        database.sql(make);
        let requested = BackendRequest {
            schema: Schema::Kea,
            named: Some("others"),
            may_destroy: true,
            ..BackendRequest::default()
        };
        let backend = database.backend(&requested);
        backend.prepare().unwrap();
        backend.clear().unwrap();
        assert_eq!(database.number(keep), 1);
        // The functions that triggers called are gone as well, or making them again would fail.
        let again = database.backend(&BackendRequest { may_destroy: false, ..requested });
        again.prepare().unwrap();
        again.clear().unwrap();
        database.sql(drop);
    });
}

#[test]
fn global_server_setting_is_restored() {
    if !mariadb_is_here() {
        return;
    }
    let server = MariaDb::start();
    let setting = || server.number("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit");
    let requested = BackendRequest { flush: Some(2), ..BackendRequest::default() };
    let backend = Database::MariaDb(&server).backend(&requested);
    backend.prepare().unwrap();
    backend.prepare().unwrap();
    assert_eq!(setting(), 2);
    assert!(backend.durability().starts_with("not sync"), "{}", backend.durability());
    backend.clear().unwrap();
    assert_eq!(setting(), 1);
}

#[test]
fn wrong_password_is_a_refused_login_and_not_printed() {
    with_servers(|database| {
        for url in [database.url(), database.tcp_url()] {
            let requested = BackendRequest {
                password: Some("wrong-hunter3"),
                url: Some(url),
                ..BackendRequest::default()
            };
            let backend = database.backend(&requested);
            for error in [backend.prepare().unwrap_err(), backend.open().err().unwrap()] {
                assert_eq!(error.class, Class::Login, "{error}");
                assert!(!format!("{error:?}{error}").contains("hunter"), "{error}");
            }
            assert!(!backend.durability().contains("hunter"));
            let debugged = format!("{requested:?}").replace("wrong-hunter3", "");
            assert!(!debugged.contains("hunter"));
        }
    });
}

#[test]
fn absent_server_is_a_connect_failure() {
    with_servers(|database| {
        let scheme = if matches!(database, Database::MariaDb(_)) { "mysql" } else { "postgres" };
        let port = brunt_testbed::free_port();
        for url in [
            format!("{scheme}://tester@127.0.0.1:{port}/"),
            format!(
                "{scheme}://tester@localhost/?{}=/nowhere",
                if scheme == "mysql" { "socket" } else { "host" }
            ),
        ] {
            let requested = BackendRequest { url: Some(url), ..BackendRequest::default() };
            let error = database.backend(&requested).prepare().unwrap_err();
            assert_eq!(error.class, Class::Connect, "{error}");
            assert!(error.code > 0 && error.text.contains("is the server running"), "{error:?}");
        }
    });
}

#[test]
fn tcp_works_like_the_socket() {
    with_servers(|database| {
        for durability in [Durability::Sync, Durability::Async] {
            let url = Some(database.tcp_url());
            let requested = BackendRequest {
                url,
                durability,
                named: Some("over_tcp"),
                ..BackendRequest::default()
            };
            // PostgreSQL cannot be connected to a database that is not there yet.
            let requested = match database {
                Database::MariaDb(_) => requested,
                Database::Postgres(_) => BackendRequest { named: None, ..requested },
            };
            let backend = database.backend(&requested);
            backend.prepare().unwrap();
            backend.open().unwrap().create(&lease(requested.family, 1)).unwrap();
            assert_eq!(backend.count().unwrap(), 1);
            backend.clear().unwrap();
            assert!(
                !database.places().contains(&"over_tcp".to_owned()),
                "made by the backend, so dropped by it"
            );
        }
    });
}

#[test]
fn tls_to_postgres_checks_the_certificate() {
    if !postgres_is_here() {
        return;
    }
    let server = Postgres::start_unflushed();
    let database = Database::Postgres(&server);
    let (user, port) = (Postgres::USER, server.port());
    let authority = server.pki().ca();
    let over_tls = |host: &str, more: &str| {
        let url = format!("postgres://{user}@{host}:{port}/?sslmode=verify-full{more}");
        database.backend(&BackendRequest { url: Some(url), ..BackendRequest::default() })
    };
    let trusted = format!("&sslrootcert={}", authority.display());
    let backend = over_tls("localhost", &trusted);
    backend.prepare().unwrap();
    let query = "SELECT COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                 WHERE ssl AND application_name = 'brunt'";
    let connection = backend.open().unwrap();
    assert_eq!(server.number(query), 1, "the server says that it is secured");
    drop(connection);
    backend.clear().unwrap();
    let error = over_tls("localhost", "").prepare().unwrap_err();
    assert_eq!(error.class, Class::Tls, "{error}");
}

#[test]
fn tls_to_mariadb_checks_the_certificate() {
    if !mariadb_is_here() {
        return;
    }
    let server = MariaDb::start_unflushed();
    let (user, port) = (MariaDb::USER, server.port());
    let over_tls = |host: &str, more: &str, statements| {
        let url = format!("mysql://{user}@{host}:{port}/?ssl-mode=VERIFY_IDENTITY{more}");
        let requested = BackendRequest { url: Some(url), statements, ..BackendRequest::default() };
        Database::MariaDb(&server).backend(&requested)
    };
    let trusted = format!("&ssl-ca={}", server.pki().ca().display());
    // Nobody may be let in without TLS.
    server.sql(&format!("ALTER USER {user}@'127.0.0.1' REQUIRE SSL"));
    for statements in [Statements::Prepared, Statements::Basic] {
        let backend = over_tls("localhost", &trusted, statements);
        backend.prepare().unwrap();
        backend.open().unwrap().create(&lease(Family::V4, 1)).unwrap();
        assert_eq!(backend.count().unwrap(), 1);
        backend.clear().unwrap();
    }
    // Without a look at the certificate, for which no authority is needed.
    let url = format!("mysql://{user}@127.0.0.1:{port}/?ssl-mode=REQUIRED");
    let requested = BackendRequest { url: Some(url), ..BackendRequest::default() };
    let unchecked = Database::MariaDb(&server).backend(&requested);
    unchecked.prepare().unwrap();
    unchecked.open().unwrap().create(&lease(Family::V4, 2)).unwrap();
    assert_eq!(unchecked.count().unwrap(), 1);
    unchecked.clear().unwrap();
    server.sql(&format!("ALTER USER {user}@'127.0.0.1' REQUIRE NONE"));
    let error = over_tls("localhost", "", Statements::Basic).prepare().unwrap_err();
    assert_eq!(error.class, Class::Tls, "{error}");
    assert!(error.text.contains("ssl-ca="), "{error}");
}

//! Kea's own tables, made by the scripts that come with Kea: the statements of the stores fit them, and the tables that
//! brunt makes have their columns and indexes.

use std::path::Path;

use brunt_leases_driver::{Family, Identity, Renewal, Schema, Statements};
use brunt_testbed::{MariaDb, Postgres, require};

use crate::database::{
    BackendRequest, Database, lease, leases, made_since, mariadb_is_here, postgres_is_here,
};

/// Servers whose database `kea` is as Kea's script made it.
fn with_kea(test: impl Fn(Database<'_>)) {
    let script = |kind: &str| format!("/usr/share/kea/scripts/{kind}/dhcpdb_create.{kind}");
    // The scripts come with the program.
    if !require(&["perfdhcp"]) {
        return;
    }
    if mariadb_is_here() {
        // Kea's script makes some hundred tables, and none of them has to outlive the machine.
        let server = MariaDb::start_with(&["--innodb-flush-method=nosync", "--skip-log-bin"]);
        server.sql("CREATE DATABASE kea");
        server.source("kea", Path::new(&script("mysql")));
        test(Database::MariaDb(&server));
    }
    if postgres_is_here() {
        let server = Postgres::start_with(&["fsync=off"]);
        server.sql("CREATE DATABASE kea");
        server.source("kea", Path::new(&script("pgsql")));
        test(Database::Postgres(&server));
    }
}

/// Rows of a query in the database `kea`.
fn ask(database: Database<'_>, query: &str) -> Vec<Vec<String>> {
    match database {
        Database::MariaDb(server) => server.sql(&format!("USE kea; {query}")),
        Database::Postgres(server) => server.sql_in("kea", query),
    }
}

#[test]
fn statements_fit_the_tables_of_kea() {
    with_kea(|database| {
        for statements in [Statements::Prepared, Statements::Basic] {
            for (family, name) in
                [(Family::V4, "lease4"), (Family::V6, "lease6"), (Family::Prefix, "lease6")]
            {
                let requested = BackendRequest {
                    schema: Schema::Kea,
                    family,
                    statements,
                    named: Some("kea"),
                    ..BackendRequest::default()
                };
                let backend = database.backend(&requested);
                backend.prepare().unwrap_err();
                let all = leases(family);
                backend.preload(&mut (0..30).map(|number| all.lease(number))).unwrap();
                let mut connection = backend.open().unwrap();
                connection.create(&all.lease(30)).unwrap();
                let of = lease(family, 30);
                assert!(connection.find(&Identity::Address(of.address)).unwrap());
                assert!(connection.find(&Identity::ClientId(of.client_id)).unwrap());
                assert!(connection.find(&Identity::Hardware(of.hardware)).unwrap());
                let address = of.address;
                assert!(
                    connection
                        .renew(&Renewal { address, valid_lifetime: 9_999, cltt: all.epoch })
                        .unwrap()
                );
                assert!(connection.release(all.address(0)).unwrap());
                assert_eq!(connection.expire(all.epoch + 1_000 + 10, 100).unwrap(), 9);
                let count = &ask(database, &format!("SELECT COUNT(*) FROM {name}"))[0][0];
                let kept = &ask(database, &format!("SELECT SUM(leases) FROM {name}_stat"))[0][0];
                assert_eq!((count.as_str(), kept.as_str()), ("21", "21"), "{requested:?}");
                assert_eq!(connection.expire(i64::from(i32::MAX), 100).unwrap(), 21);
                assert_eq!(backend.count().unwrap(), 0);
            }
        }
    });
}

#[test]
fn tables_have_the_columns_and_indexes_of_kea() {
    with_kea(|database| {
        for (family, name) in [(Family::V4, "lease4"), (Family::V6, "lease6")] {
            let before = database.places();
            let backend = database.backend(&BackendRequest {
                schema: Schema::Kea,
                family,
                ..BackendRequest::default()
            });
            backend.prepare().unwrap();
            let made = made_since(database, &before);
            let place = &made[0];
            for table in [name.to_owned(), format!("{name}_stat")] {
                let (ours, theirs) = shapes(database, place, &table);
                assert_eq!(ours, theirs, "{table}");
            }
            backend.clear().unwrap();
        }
    });
}

type Shape = (Vec<Vec<String>>, Vec<Vec<String>>);

/// The columns and indexes of a table of ours, and of Kea's.
fn shapes(database: Database<'_>, place: &str, table: &str) -> (Shape, Shape) {
    match database {
        Database::MariaDb(server) => {
            let shape = |place: &str| {
                let columns = format!(
                    "SELECT column_name FROM information_schema.columns \
                     WHERE table_schema = '{place}' AND table_name = '{table}' ORDER BY 1"
                );
                let indexes = format!(
                    "SELECT GROUP_CONCAT(column_name ORDER BY seq_in_index) AS columns \
                     FROM information_schema.statistics \
                     WHERE table_schema = '{place}' AND table_name = '{table}' GROUP BY index_name ORDER BY 1"
                );
                (server.sql(&columns), server.sql(&indexes))
            };
            (shape(place), shape("kea"))
        }
        Database::Postgres(server) => {
            let shape = |within: &str, place: &str| {
                let columns = format!(
                    "SELECT column_name FROM information_schema.columns \
                     WHERE table_schema = '{place}' AND table_name = '{table}' ORDER BY 1"
                );
                let indexes = format!(
                    "SELECT regexp_replace(indexdef, '.* USING ', '') FROM pg_indexes \
                     WHERE schemaname = '{place}' AND tablename = '{table}' ORDER BY 1"
                );
                (server.sql_in(within, &columns), server.sql_in(within, &indexes))
            };
            (shape("postgres", place), shape("kea", "public"))
        }
    }
}

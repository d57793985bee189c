//! Every operation of the stores, in every schema and family, prepared and basic, as the server's own client sees it.

use brunt_exchange::Class;
use brunt_leases_driver::{
    Backend, Connection, Durability, Family, Identity, Renewal, Schema, Statements, sqlstate,
};

use crate::database::{
    BackendRequest, Database, lease, leases, made_since, with_durable_servers, with_servers,
};

const FAMILIES: [Family; 3] = [Family::V4, Family::V6, Family::Prefix];

/// Does something with a backend that was prepared, and its place on the server.
fn with(database: Database<'_>, requested: &BackendRequest, act: impl FnOnce(&dyn Backend, &str)) {
    let before = database.places();
    let backend = database.backend(requested);
    backend.prepare().unwrap();
    let made = made_since(database, &before);
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(made[0].starts_with("brunt_leases_"), "{made:?}");
    act(&*backend, &made[0]);
    backend.clear().unwrap();
    assert_eq!(database.places(), before, "what was made is gone");
    backend.clear().unwrap();
}

fn every_way(mut act: impl FnMut(Database<'_>, &BackendRequest)) {
    with_servers(|database| {
        for schema in [Schema::Guide, Schema::Kea] {
            for family in FAMILIES {
                for statements in [Statements::Prepared, Statements::Basic] {
                    let requested =
                        BackendRequest { schema, family, statements, ..BackendRequest::default() };
                    act(database, &requested);
                }
            }
        }
    });
}

fn name(family: Family) -> &'static str {
    if family == Family::V4 { "lease4" } else { "lease6" }
}

#[test]
fn operations_leave_the_expected_rows() {
    every_way(|database, requested| {
        with(database, requested, |backend, place| {
            let family = requested.family;
            let table = format!("{place}.{}", name(family));
            let count = || database.number(&format!("SELECT COUNT(*) FROM {table}"));
            let mut connection = backend.open().unwrap();
            for number in 0..10 {
                connection.create(&lease(family, number)).unwrap();
            }
            assert_eq!((count(), backend.count().unwrap()), (10, 10), "{requested:?}");
            found_by_all(&mut *connection, family);
            let five = lease(family, 5);
            let renewal =
                Renewal { address: five.address, valid_lifetime: 4_321, cltt: 1_800_000_000 };
            for _ in 0..2 {
                // The second changes nothing, and has found its lease all the same.
                assert!(connection.renew(&renewal).unwrap());
            }
            assert_eq!(renewed(database, requested, &table), 1, "{requested:?}");
            let missing = Renewal { address: lease(family, 77).address, ..renewal };
            assert!(!connection.renew(&missing).unwrap());
            assert!(connection.release(five.address).unwrap());
            assert!(!connection.release(five.address).unwrap());
            assert_eq!(count(), 9);
            for number in [0, 1, 2, 3, 4, 6, 7, 8, 9] {
                assert!(connection.release(lease(family, number).address).unwrap());
            }
            assert_eq!((count(), backend.count().unwrap()), (0, 0));
        });
    });
}

fn found_by_all(connection: &mut dyn Connection, family: Family) {
    let (there, missing) = (lease(family, 7), lease(family, 70));
    for (of, found) in [(there, true), (missing, false)] {
        let by = [
            Identity::Address(of.address),
            Identity::ClientId(of.client_id),
            Identity::Hardware(of.hardware),
        ];
        for identity in by {
            assert_eq!(connection.find(&identity).unwrap(), found, "{identity:?}");
        }
    }
}

/// How many rows have the lifetime and moment of the test's renewal.
fn renewed(database: Database<'_>, requested: &BackendRequest, table: &str) -> u64 {
    let (lifetime, column, moment) = match requested.schema {
        Schema::Guide => ("valid_lft", "cltt", 1_800_000_000),
        Schema::Kea => ("valid_lifetime", "expire", 1_800_004_321_u64),
    };
    let at = database.epoch(column);
    database.number(&format!(
        "SELECT COUNT(*) FROM {table} WHERE {lifetime} = 4321 AND {at} = {moment}"
    ))
}

#[test]
fn lease_columns_are_written_completely() {
    every_way(|database, requested| {
        with(database, requested, |backend, place| {
            let family = requested.family;
            let of = lease(family, 300);
            backend.open().unwrap().create(&of).unwrap();
            let guide = requested.schema == Schema::Guide;
            let (address, client) = (
                if guide { "addr" } else { "address" },
                if family == Family::V4 { "client_id" } else { "duid" },
            );
            let address = match (family, guide) {
                (Family::V4, _) | (_, false) => address.to_owned(),
                (_, true) => database.hex(address),
            };
            let expected_address = match (family, guide) {
                (Family::V4, _) => of.address.to_string(),
                (_, false) => of.notation(),
                (_, true) => format!("{:032x}", of.address),
            };
            let moment = database.epoch(if guide { "cltt" } else { "expire" });
            let expected_moment = if guide { of.cltt } else { of.expires() };
            let rows = database.sql(&format!(
                "SELECT {address}, {}, {}, {moment}, hostname FROM {place}.{}",
                database.hex("hwaddr"),
                database.hex(client),
                name(family),
            ));
            let digits = |octets: &[u8]| {
                octets.iter().fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
            };
            let expected = vec![
                expected_address,
                digits(&of.hardware),
                digits(&of.client_id),
                expected_moment.to_string(),
                "foo".to_owned(),
            ];
            assert_eq!(rows, [expected], "{requested:?}");
            if family != Family::V4 {
                let length = database.number(&format!("SELECT prefix_len FROM {place}.lease6"));
                assert_eq!(length, if family == Family::Prefix { 64 } else { 128 });
            }
        });
    });
}

#[test]
fn duplicate_address_is_refused_by_class() {
    every_way(|database, requested| {
        with(database, requested, |backend, _| {
            let mut connection = backend.open().unwrap();
            connection.create(&lease(requested.family, 1)).unwrap();
            let error = connection.create(&lease(requested.family, 1)).unwrap_err();
            let (code, named) = match database {
                Database::MariaDb(_) => (1062, "1062 (ER_DUP_ENTRY)"),
                Database::Postgres(_) => (sqlstate("23505"), "23505 (unique_violation)"),
            };
            assert_eq!((error.class, error.code), (Class::Result, code), "{error}");
            assert_eq!(backend.name_of(code), named);
            assert!(!connection.broken());
            connection.create(&lease(requested.family, 2)).unwrap();
            assert_eq!(backend.count().unwrap(), 2);
        });
    });
}

#[test]
fn reclaim_takes_the_longest_expired_up_to_its_limit() {
    every_way(|database, requested| {
        with(database, requested, |backend, _| {
            let family = requested.family;
            let all = leases(family);
            backend.preload(&mut (0..20).map(|number| all.lease(number))).unwrap();
            let mut connection = backend.open().unwrap();
            // Lease n is over at the epoch + 1000 + n.
            let now = all.epoch + 1_000 + 10;
            assert_eq!(connection.expire(now, 4).unwrap(), 4);
            for number in 0..20 {
                let found = connection.find(&Identity::Address(all.address(number))).unwrap();
                assert_eq!(found, number >= 4, "{number}");
            }
            assert_eq!(connection.expire(now, 100).unwrap(), 6);
            assert_eq!(connection.expire(now, 100).unwrap(), 0);
            assert_eq!(backend.count().unwrap(), 10);
        });
    });
}

#[test]
fn transaction_is_kept_entirely_or_not_at_all() {
    every_way(|database, requested| {
        with(database, requested, |backend, _| {
            let mut connection = backend.open().unwrap();
            connection.begin().unwrap();
            for number in 0..5 {
                connection.create(&lease(requested.family, number)).unwrap();
            }
            assert_eq!(backend.count().unwrap(), 0, "nobody else sees it before the commit");
            connection.roll_back().unwrap();
            assert_eq!(backend.count().unwrap(), 0);
            connection.begin().unwrap();
            for number in 0..5 {
                connection.create(&lease(requested.family, number)).unwrap();
            }
            connection.commit().unwrap();
            assert_eq!(backend.count().unwrap(), 5);
            connection.begin().unwrap();
            connection.create(&lease(requested.family, 9)).unwrap();
            connection.create(&lease(requested.family, 3)).unwrap_err();
            connection.roll_back().unwrap();
            assert_eq!(backend.count().unwrap(), 5);
        });
    });
}

#[test]
fn kea_statistics_tables_agree_with_the_rows() {
    with_servers(|database| {
        for family in FAMILIES {
            let requested =
                BackendRequest { schema: Schema::Kea, family, ..BackendRequest::default() };
            with(database, &requested, |backend, place| {
                let mut connection = backend.open().unwrap();
                let agree = |rows: u64| {
                    let table = format!("{place}.{}", name(family));
                    let by = if family == Family::V4 {
                        "subnet_id, state"
                    } else {
                        "subnet_id, lease_type, state"
                    };
                    let counted = database.sql(&format!(
                        "SELECT {by}, COUNT(*) FROM {table} GROUP BY {by} ORDER BY {by}"
                    ));
                    let kept = database.sql(&format!(
                        "SELECT {by}, leases FROM {table}_stat WHERE leases > 0 ORDER BY {by}"
                    ));
                    assert_eq!(counted, kept);
                    let sum: u64 =
                        kept.iter().map(|row| row.last().unwrap().parse::<u64>().unwrap()).sum();
                    assert_eq!(sum, rows);
                };
                backend.preload(&mut (0..1_500).map(|number| lease(family, number))).unwrap();
                agree(1_500);
                connection.release(lease(family, 4).address).unwrap();
                let address = lease(family, 5).address;
                connection
                    .renew(&Renewal { address, valid_lifetime: 9, cltt: 1_700_000_009 })
                    .unwrap();
                agree(1_499);
                // Moved between subnets and declined by another process, as a server does.
                let enter = match database {
                    Database::MariaDb(_) => "USE",
                    Database::Postgres(_) => "SET search_path =",
                };
                for change in [
                    "SET subnet_id = 7 WHERE valid_lifetime = 9",
                    "SET state = 1 WHERE subnet_id = 7",
                ] {
                    database.sql(&format!("{enter} {place}; UPDATE {} {change}", name(family)));
                    agree(1_499);
                }
                assert_eq!(
                    database.number(&format!(
                        "SELECT SUM(leases) FROM {place}.{}_stat WHERE subnet_id = 7 AND state = 1",
                        name(family)
                    )),
                    1
                );
            });
        }
    });
}

#[test]
fn durability_equals_the_server_setting() {
    with_durable_servers(|database| {
        for durability in [Durability::Sync, Durability::Async] {
            let requested = BackendRequest { durability, ..BackendRequest::default() };
            with(database, &requested, |backend, place| {
                let words = backend.durability();
                match (database, durability) {
                    (Database::MariaDb(_), _) => {
                        let engine = database.sql(&format!(
                            "SELECT engine FROM information_schema.tables WHERE table_schema = '{place}' \
                             AND table_name = 'lease4'"
                        ));
                        let sync = durability == Durability::Sync;
                        assert_eq!(engine, [[if sync { "InnoDB" } else { "MyISAM" }]]);
                        let setting = database.number("SELECT @@innodb_flush_log_at_trx_commit");
                        assert_eq!(setting, 1);
                        let begins = if sync {
                            "InnoDB, innodb_flush_log_at_trx_commit=1"
                        } else {
                            "MyISAM"
                        };
                        assert!(words.starts_with(begins), "{words}");
                    }
                    (Database::Postgres(_), Durability::Sync) => {
                        let method = &database.sql("SHOW wal_sync_method")[0][0];
                        assert!(words.starts_with("synchronous_commit=on, fsync=on"), "{words}");
                        assert!(words.contains(&format!("wal_sync_method={method}")), "{words}");
                    }
                    (Database::Postgres(_), Durability::Async) => {
                        assert!(words.starts_with("synchronous_commit=off"), "{words}");
                    }
                }
            });
        }
    });
}

#[test]
fn version_equals_that_of_the_server() {
    with_servers(|database| {
        let version = database.backend(&BackendRequest::default()).version().unwrap();
        let output = &database.sql("SELECT VERSION()")[0][0];
        let (name, number) = version.split_once(' ').unwrap();
        assert!(output.contains(name) && output.contains(number), "{version} of {output}");
    });
}

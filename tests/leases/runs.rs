//! `brunt leases` against real servers: the reported operations of a run are compared with the rows that the server's
//! client counts.

use std::time::Duration;

use brunt_test_program::{Ended, Program, Trial, brunt};
use brunt_testbed::{MariaDb, until};
use serde_json::Value;

use crate::database::{
    BackendRequest, Database, made_since, mariadb_is_here, with_durable_servers, with_servers,
};

/// The result of a run: the cells of its comparison.
struct Run {
    ended: Ended,
}

impl From<Ended> for Run {
    fn from(ended: Ended) -> Self {
        Self { ended }
    }
}

impl Run {
    fn cells(&self) -> &[Value] {
        self.ended.json()["cells"].as_array().map_or(&[], Vec::as_slice)
    }

    fn expect(self, code: i32) -> Self {
        assert_eq!(self.ended.code(), code, "{}", self.ended);
        for cell in self.ended.any_json().map_or(&[][..], |_| self.cells()) {
            assert_eq!(cell["record"]["conservation"]["holds"], true, "{cell}");
        }
        self
    }

    /// How many operations of this name went well, over all cells.
    fn ok(&self, operation: &str) -> u64 {
        self.sum(operation, |of| of["counts"]["ok"].as_u64())
    }

    /// How many operations of this name found what they were about.
    fn hits(&self, operation: &str) -> u64 {
        self.sum(operation, |of| {
            let ends = of["codes"].as_array()?;
            ends.iter().find(|end| end["name"] == "hit").and_then(|end| end["count"].as_u64())
        })
    }

    /// How many exchanges of any operation ended in an outcome of this class.
    fn of_class(&self, class: &str) -> u64 {
        let operations = self.operations();
        let ends = operations.iter().filter_map(|of| of["codes"].as_array()).flatten();
        ends.filter(|end| end["class"] == class).filter_map(|end| end["count"].as_u64()).sum()
    }

    fn timed_out(&self) -> u64 {
        self.operations().iter().filter_map(|of| of["counts"]["timed_out"].as_u64()).sum()
    }

    fn sum(&self, operation: &str, figure: impl Fn(&Value) -> Option<u64>) -> u64 {
        let all = self.operations();
        all.iter().filter(|of| of["name"] == operation).filter_map(|of| figure(of)).sum()
    }

    fn operations(&self) -> Vec<&Value> {
        let records = self.cells().iter().map(|cell| &cell["record"]);
        records.filter_map(|record| record["operations"].as_array()).flatten().collect()
    }
}

/// A run of `brunt leases` on a server, with its password in the environment.
fn leases(database: Database<'_>, line: &str) -> Trial {
    at(database, &database.url(), line)
}

fn at(database: Database<'_>, url: &str, line: &str) -> Trial {
    let run = brunt("leases").arg(url).typed("--quiet --seed 7").recorded().typed(line);
    run.env("BRUNT_LEASES_PASSWORD", database.password())
}

fn run(trial: Trial) -> Run {
    Run::from(trial.run())
}

/// Runs a check on the rows of a run that was asked to keep them, and drops them.
fn with_what_is_kept(database: Database<'_>, line: &str, judge: impl FnOnce(&Run, &str)) {
    let before = database.places();
    let run = run(leases(database, line).arg("--keep")).expect(0);
    let made = made_since(database, &before);
    assert_eq!(made.len(), 1, "{made:?}\n{}", run.ended);
    judge(&run, &made[0]);
    database.sql(&match database {
        Database::MariaDb(_) => format!("DROP DATABASE {}", made[0]),
        Database::Postgres(_) => {
            format!("SET client_min_messages = warning; DROP SCHEMA {} CASCADE", made[0])
        }
    });
}

#[test]
fn phases_leave_the_expected_rows() {
    with_durable_servers(|database| {
        let before = database.places();
        for (schema, family, statements) in
            [("2012", "4", "basic"), ("kea", "6", "prepared"), ("kea", "pd", "basic")]
        {
            let how = format!(
                "--schema {schema} --family {family} --statements {statements} --durability sync"
            );
            let table = if family == "4" { "lease4" } else { "lease6" };
            with_what_is_kept(
                database,
                &format!("{how} --phases create,update -n 200 --workers 3"),
                |run, place| {
                    let rows = |which: &str| {
                        database.number(&format!("SELECT COUNT(*) FROM {place}.{table} {which}"))
                    };
                    assert_eq!((rows(""), run.ok("create"), run.ok("update")), (200, 200, 200));
                    let lifetime = if schema == "kea" { "valid_lifetime" } else { "valid_lft" };
                    let renewed = rows(&format!("WHERE {lifetime} = 1002"));
                    assert!((50..200).contains(&renewed), "{renewed} of 200 were hit by 200 draws");
                },
            );
            with_what_is_kept(database, &format!("{how} -n 100 --group 7"), |run, place| {
                let rows = database.number(&format!("SELECT COUNT(*) FROM {place}.{table}"));
                assert_eq!(rows, 0, "{}", run.ended);
            });
        }
        run(leases(database, "-n 50 --durability async")).expect(0);
        assert_eq!(database.places(), before, "what was not to be kept is gone");
    });
}

#[test]
fn mix_leaves_rows_that_match_its_answers() {
    with_durable_servers(|database| {
        let line = "--schema kea --durability sync --preload 300 --workers 3 -n 600 \
                    --mix allocate=40,renew=30,release=20,expire=5,search=5";
        with_what_is_kept(database, line, |run, place| {
            let rows = database.number(&format!("SELECT COUNT(*) FROM {place}.lease4"));
            let counted = database.number(&format!("SELECT SUM(leases) FROM {place}.lease4_stat"));
            assert_eq!(rows, counted, "the triggers counted every change");
            let expired = run.sum("expire", |of| of["counts"]["items"].as_u64());
            let expected = 300 + run.ok("allocate") - run.hits("release") - expired;
            assert_eq!(rows, expected, "{}", run.ended);
            // Not everything was there to be released: what is expired may be reclaimed by any connection.
            let enough = run.ok("allocate") > 100 && run.hits("release") > 0 && expired > 0;
            assert!(enough, "{}", run.ended);
        });
    });
}

/// Waits until a run has written some leases, as the server's statistics have it: tables come and go before.
fn under_way(database: Database<'_>, running: &mut Program) {
    let inserted = match database {
        Database::MariaDb(_) => {
            "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'COM_INSERT'"
        }
        Database::Postgres(_) => {
            "SELECT coalesce(sum(n_tup_ins), 0) FROM pg_stat_user_tables WHERE relname = 'lease4'"
        }
    };
    let before = database.number(inserted);
    let written = until(Duration::from_secs(60), || {
        assert!(!running.has_ended(), "{}", running.printed());
        database.number(inserted) > before + 20
    });
    assert!(written, "{}", running.printed());
}

#[test]
fn killed_server_gives_counted_errors_and_no_hang() {
    with_durable_servers(|database| {
        let line = "--phases create --durability sync -n 10m -d 20s --workers 3 --timeout 2s";
        let mut running = leases(database, line).start();
        under_way(database, &mut running);
        match database {
            Database::MariaDb(server) => server.kill(),
            Database::Postgres(server) => server.kill(),
        }
        let run = Run::from(running.wait());
        assert!([1, 3].contains(&run.ended.code()), "{}", run.ended);
        // Of what was under way each worker may lack an answer.
        assert!(run.ok("create") + 3 > 20, "{}", run.ended);
        assert!(run.of_class("closed") + run.of_class("connect") > 0, "{}", run.ended);
    });
}

#[test]
fn paused_server_gives_timeouts() {
    with_durable_servers(|database| {
        let line = "--phases create --durability sync -n 10m -d 60s --workers 2 --timeout 400ms";
        let mut running = leases(database, line).start();
        under_way(database, &mut running);
        let (pause, resume): (&dyn Fn(), &dyn Fn()) = match &database {
            Database::MariaDb(server) => (&|| server.pause(), &|| server.resume()),
            Database::Postgres(server) => (&|| server.pause(), &|| server.resume()),
        };
        pause();
        assert!(!until(Duration::from_millis(1_500), || false), "a pause of a second and a half");
        resume();
        under_way(database, &mut running);
        running.interrupt();
        let run = Run::from(running.wait());
        assert_eq!(run.ended.code(), 130, "{}", run.ended);
        assert!(run.timed_out() > 0 && run.ok("create") + 2 > 20, "{}", run.ended);
    });
}

#[test]
fn foreign_tables_stop_a_run_before_it_begins() {
    if !mariadb_is_here() {
        return;
    }
    let server = MariaDb::start();
    let database = Database::MariaDb(&server);
    server.sql("CREATE DATABASE kea; CREATE TABLE kea.lease4 (n INT); INSERT INTO kea.lease4 VALUES (1), (2)");
    let count = || {
        server.number(
            "SELECT COUNT(*) FROM information_schema.columns \
             WHERE table_schema = 'kea' AND column_name = 'n'",
        )
    };
    let url = server.url().replace("localhost/", "localhost/kea");
    let refused = run(at(database, &url, "-n 10")).expect(8);
    for word in ["lease4 with 2 rows", "--yes-destroy"] {
        assert!(refused.ended.stderr.contains(word), "{}", refused.ended);
    }
    assert_eq!((count(), server.number("SELECT COUNT(*) FROM kea.lease4")), (1, 2));
    run(at(database, &url, "-n 10 --yes-destroy")).expect(0);
    assert_eq!(count(), 0);
    assert_eq!(server.databases(), ["kea"], "the database was there before");
}

#[test]
fn password_is_never_printed_and_a_wrong_one_ends_the_run() {
    with_servers(|database| {
        let good = run(leases(database, "-n 20 --durability async")).expect(0);
        // Its command line as this test has it would not do: the variable is in it.
        for output in [good.ended.text(), good.ended.json().to_string()] {
            assert!(!output.contains(database.password()), "{output}");
        }
        let wrong = leases(database, "-n 20").env("BRUNT_LEASES_PASSWORD", "wrong-hunter3");
        let wrong = run(wrong).expect(1);
        assert!(wrong.ended.stderr.contains("password"), "{}", wrong.ended);
        assert!(!wrong.ended.stderr.contains("hunter3"), "{}", wrong.ended.stderr);
        let requested = BackendRequest::default();
        assert!(database.backend(&requested).version().is_ok(), "the server lets others in");
    });
}

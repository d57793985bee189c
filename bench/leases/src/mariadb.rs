//! MariaDB: brunt beside a C program on libmariadb, over the same Unix socket.

use crate::effort::Effort;
use crate::place::scratch;
use crate::{ours, peers};
use brunt_bench_tool::{Duel, Lap, overhead, succeeded};
use brunt_testbed::MariaDb;
use std::path::Path;
use std::process::Command;

/// What was asked for: less than five per cent over the bare program.
const MOST: f64 = 1.05;
/// How the C library's flags are found.
const CONFIG: &str = "mariadb_config --include --libs";

/// Measures and prints the tables.
pub(crate) fn print(effort: Effort) {
    let tools = scratch();
    let bare = peers::with_system_library("mariadb_bare.c", tools.path(), CONFIG);
    // Nothing waits for the disk, which would only hide what the client costs.
    let server =
        MariaDb::start_with(&["--innodb-flush-method=nosync", "--innodb-log-file-size=64M"]);
    for (durability, engine) in [("async", "MyISAM"), ("sync", "InnoDB")] {
        let duels = fight(&bare, &server, (durability, engine), effort.questions, effort.rounds);
        let title = format!("MariaDB, {durability} ({engine}), prepared, Unix socket");
        overhead(&title, "bare C", &duels, Some(MOST));
    }
}

/// Panics unless both do the same to the same rows.
pub(crate) fn check() {
    let tools = scratch();
    let bare = peers::with_system_library("mariadb_bare.c", tools.path(), CONFIG);
    fight(&bare, &MariaDb::start_unflushed(), ("async", "MyISAM"), 200, 1);
}

#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
fn fight(
    bare: &Path,
    server: &MariaDb,
    (durability, engine): (&str, &str),
    operations: u64,
    rounds: usize,
) -> Vec<Duel> {
    eprintln!("MariaDB, {engine}, {operations} operations");
    let (count, url, socket) = (operations.to_string(), server.url(), server.socket());
    let password = scratch();
    let secret = password.path().join("password");
    std::fs::write(&secret, MariaDb::PASSWORD).expect("a file can be written");
    let secret = secret.display().to_string();
    Duel::fight(
        rounds,
        || {
            let words = ["leases", &url, "-n", &count, "--durability", durability, "--seed", "1"];
            let more = ["--statements", "prepared", "--password-file", &secret];
            ours::laps(&[&words[..], &more].concat())
        },
        || {
            let mut command = Command::new(bare);
            command.arg(&socket).args([MariaDb::USER, MariaDb::PASSWORD, "bare", &count, engine]);
            let output = succeeded(&mut command);
            Lap::all_in(&String::from_utf8_lossy(&output.stdout))
        },
    )
}

//! The access paths to a name, and the cost of brunt on each.

use crate::effort::Effort;
use crate::sandbox::{FIRST, Sandbox, Source, USERS};
use brunt_bench_tool::{Duel, Lap, brunt, compiled, machine, overhead, stopwatch, succeeded};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What was asked for: less than ten per cent over the bare loop.
const MOST: f64 = 1.1;

/// One way of looking users up.
struct AccessPath {
    title: &'static str,
    /// What it is called by both programs.
    name: &'static str,
    /// How many take about half a second.
    lookups: u64,
    /// The most that was asked for, if anything was.
    most: Option<f64>,
}

const FILES: AccessPath =
    AccessPath { title: "getpwuid_r, /etc/passwd", name: "nss", lookups: 6_000, most: Some(MOST) };
const LDAP: AccessPath = AccessPath {
    title: "getpwuid_r, nslcd and slapd",
    name: "nss",
    lookups: 4_000,
    most: Some(MOST),
};
const NSLCD: AccessPath =
    AccessPath { title: "nslcd's socket", name: "nslcd", lookups: 6_000, most: Some(MOST) };
const NSCD: AccessPath =
    AccessPath { title: "nscd's socket", name: "nscd", lookups: 20_000, most: Some(MOST) };
const ASKED: AccessPath = AccessPath {
    title: "getpwuid_r, nscd over its socket",
    name: "nss",
    lookups: 10_000,
    most: Some(MOST),
};
const MAPPED: AccessPath = AccessPath {
    title: "getpwuid_r, nscd through shared memory",
    name: "nss",
    lookups: 3_000_000,
    // A lookup is a few reads of memory then, and no clock is that cheap.
    most: None,
};

/// Measures and prints the tables.
#[expect(clippy::print_stdout, reason = "the tables are the product")]
pub(crate) fn print(effort: Effort) {
    println!("## Name service, on {}\n", machine());
    println!(
        "Microseconds a lookup of one of {USERS} users takes, warm, in the middle of {} rounds of four runs (brunt, \
         the C loop, the C loop, brunt); `ratio` is the middle of the rounds' ratios, `rounds` the lowest and the \
         highest.\n",
        effort.rounds
    );
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/names_bare.c");
    let bare = compiled(&source, Path::new(&sandbox.path("")), &[]);
    sandbox.configure(Source::Files);
    measure(&bare, &FILES, effort);
    let nscd = sandbox.nscd(true);
    warm(&bare);
    measure(&bare, &NSCD, effort);
    measure(&bare, &MAPPED, effort);
    drop(nscd);
    let nscd = sandbox.nscd(false);
    warm(&bare);
    measure(&bare, &ASKED, effort);
    drop(nscd);
    let _ = std::fs::remove_file("/run/nscd/socket");
    sandbox.configure(Source::Ldap);
    let (_slapd, port) = sandbox.slapd();
    let _nslcd = sandbox.nslcd(port);
    measure(&bare, &LDAP, effort);
    measure(&bare, &NSLCD, effort);
}

/// Looks every user up through nscd once: with random draws, ten times as many lookups would miss one in 22,000.
fn warm(bare: &Path) {
    theirs(bare, "nscd", u64::from(USERS) * 10);
}

#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
fn measure(bare: &Path, path: &AccessPath, effort: Effort) {
    let lookups = (path.lookups / effort.divisor).max(10);
    eprintln!("{}, {lookups} lookups", path.title);
    let duels = Duel::fight(
        effort.rounds,
        || vec![ours(path.name, lookups)],
        || theirs(bare, path.name, lookups),
    );
    for duel in &duels {
        assert_eq!(duel.done, duel.operations, "{}: not every user was found", path.title);
    }
    overhead(path.title, "bare C", &duels, path.most);
}

fn theirs(bare: &Path, path: &str, lookups: u64) -> Vec<Lap> {
    let mut command = Command::new(bare);
    command.args([path, &lookups.to_string(), &FIRST.to_string(), &USERS.to_string()]);
    let output = succeeded(&mut command);
    Lap::all_in(&String::from_utf8_lossy(&output.stdout))
}

fn ours(path: &str, lookups: u64) -> Lap {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = scratch.path().join("record.json");
    let mut command = Command::new(brunt());
    command.args(["names", "lookup", "--by", "uid", "--through", path, "--unlimited"]);
    command.args(["-c", "1", "-n", &lookups.to_string(), "--probe", "0", "--seed", "1"]);
    command.args(["--keys", &format!("{FIRST}..{}", FIRST + USERS), "--pattern", "u%d"]);
    command.args(["--quiet", "--record"]).arg(&file);
    let time = stopwatch();
    succeeded(&mut command);
    let whole = time().as_secs_f64();
    let text = std::fs::read_to_string(&file).expect("brunt has written its record");
    let record: Value = serde_json::from_str(&text).expect("a record is JSON");
    let lap = lap(&record);
    assert!(lap.seconds < whole, "brunt says it took {} s, but it ran for {whole} s", lap.seconds);
    lap
}

fn lap(record: &Value) -> Lap {
    let operation = &record["operations"][0];
    let codes = operation["codes"].as_array().expect("a record has codes");
    let found = codes.iter().filter(|code| code["class"] == "ok" && code["code"] == 0);
    Lap {
        phase: operation["name"].as_str().expect("an operation has a name").to_owned(),
        operations: record["counts"]["sent"].as_u64().expect("a record has counts"),
        seconds: record["rates"]["seconds"].as_f64().expect("a record has the time it took"),
        done: found.filter_map(|code| code["count"].as_u64()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lap_equals_its_record() {
        let record = json!({
            "operations": [{"name": "uid", "codes": [
                {"class": "ok", "code": 0, "count": 90}, {"class": "check", "code": 1, "count": 10},
            ]}],
            "counts": {"sent": 100},
            "rates": {"seconds": 0.25},
        });
        let expected = Lap { phase: "uid".to_owned(), operations: 100, seconds: 0.25, done: 90 };
        assert_eq!(lap(&record), expected);
    }
}

//! How much time each layer took: the same lookups made at each layer below the name service.
//!
//! A lookup passes from `ls` to the C library, from there to a cache or to the daemon that queries the directory, and
//! from that to the directory. Each of them was measured separately. What a layer adds is the difference of the
//! medians. Means would add up exactly, but one pause of the machine adds its length to only one of them. Cold and warm
//! lookups have separate tables.

use brunt_record::Collection;
use brunt_report::figure::{NONE, short};
use brunt_report::median;
use brunt_report::page::{Table, Tone};

use super::cells::{self, Latencies, Which};
use super::digits::{digits, or_none};

/// The layers, from the lowest to the highest.
const ACCESS_PATHS: [(&str, &str); 5] = [
    ("ldap", "LDAP search"),
    ("nslcd", "nslcd's socket"),
    ("nscd", "nscd's socket"),
    ("nss", "getpwuid_r"),
    ("ls", "ls -l"),
];

/// The layers of each back end, for the most users.
pub(super) fn tables(collection: &Collection) -> Vec<Table> {
    let mut tables = Vec::new();
    for backend in cells::backends(collection) {
        let Some(users) = cells::sizes(collection, Some(backend)).last().copied() else { continue };
        let of_both = ["cold", "warm"].map(|at| layers(collection, backend, users, at));
        tables.extend(of_both.into_iter().filter(|table| table.rows.len() > 1));
    }
    tables
}

fn layers(collection: &Collection, backend: &str, users: u64, temperature: &str) -> Table {
    let caption = format!("Where a lookup's time goes: {backend}, {users} users, {temperature}");
    let mut table = Table::new(caption)
        .names(["layer"])
        .figures(["p50 us", "adds us", "p99 us", "mean us", "a second"]);
    let mut below: Option<f64> = None;
    for (path, words) in ACCESS_PATHS {
        let which = Which { path, ..Which::ls(backend, users, temperature) };
        let single = cells::latencies(collection, &which);
        let Some(mean) = single.map(|single| single.mean).or_else(|| shared(collection, &which))
        else {
            continue;
        };
        let p50 = single.map(|single| single.p50);
        let adds = p50.zip(below).map(|(p50, below)| p50 - below);
        let p99 = or_none(single.map(|single| single.p99));
        let rate = rate(single.and_then(|single| single.rate));
        let row = [words.to_owned(), or_none(p50), or_none(adds), p99, digits(mean), rate];
        table.row(Tone::Plain, row);
        below = p50.or(below);
    }
    table
}

/// The mean for the lookups of a program whose single lookups cannot be timed: its total time, divided by their number.
fn shared(collection: &Collection, which: &Which<'_>) -> Option<f64> {
    let seconds = median(&cells::seconds(collection, which))?;
    let requested = cells::requested(collection, which)?;
    (requested > 0 && which.path == "ls").then(|| seconds * 1e6 / requested as f64)
}

/// The latencies of everything that was looked up, by back end.
pub(super) fn singles(collection: &Collection) -> Table {
    let mut table = Table::new("Single lookups")
        .names(["backend", "n users", "road", "by", "run"])
        .figures(["threads", "p50 us", "p99 us", "max us", "a second"]);
    let mut seen = Vec::new();
    for cell in collection.cells(&[("kind", "lookup")]) {
        let labels = ["backend", "road", "by", "temperature"].map(|name| cell.label(name));
        let [Some(backend), Some(path), Some(by), Some(temperature)] = labels else { continue };
        let Some(users) = cells::users(cell) else { continue };
        let threads = cells::threads(cell);
        let which = Which { backend, users, path, by, temperature, threads };
        if seen.contains(&which) {
            continue;
        }
        seen.push(which);
        if let Some(single) = cells::latencies(collection, &which) {
            table.row(Tone::Plain, row(&which, &single));
        }
    }
    table
}

fn row(which: &Which<'_>, single: &Latencies) -> [String; 10] {
    [
        which.backend.to_owned(),
        which.users.to_string(),
        which.path.to_owned(),
        which.by.to_owned(),
        which.temperature.to_owned(),
        which.threads.to_string(),
        digits(single.p50),
        digits(single.p99),
        digits(single.max),
        rate(single.rate),
    ]
}

/// Lookups a second; they reach millions where a cache is in the client's own memory.
fn rate(rate: Option<f64>) -> String {
    rate.map_or_else(|| NONE.to_owned(), short)
}

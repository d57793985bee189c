//! Converts a cell's answers to results in a collection, with their labels, figures and notes.
//!
//! The important rule is here: times count only if everything was found that was looked up. A pass that resolved fewer
//! names, or an insertion after which the system counts fewer users, is kept and marked invalid, with the reason as
//! text, because a wrong answer is often a fast one.

use std::collections::BTreeMap;

use brunt_record::{Cell, Record};

use super::plan::{Keys, Lookup};
use crate::sandbox::{Counted, Estimate, Listed, Provisioned, Ran, Spread, Statistics};

/// Users that were added or removed, and how many there were afterwards.
pub(super) fn provisioned(mut cell: Cell, done: &Provisioned) -> Cell {
    let figures =
        [("seconds", done.seconds), ("cpu_s", done.cpu_s), ("failed", f64::from(done.failed))];
    add(&mut cell, &figures);
    if let Some(each) = &done.each {
        spread(&mut cell, "each", each);
    }
    if done.failed > 0 {
        let why = done.first_failure.as_deref().unwrap_or("whose definition is missing");
        let note = format!("{} of {} users failed; the first: {why}", done.failed, done.users);
        invalid(&mut cell, note);
    }
    cell
}

/// Users whose addition or removal was estimated.
pub(super) fn estimated(mut cell: Cell, estimate: &Estimate) -> Cell {
    add(&mut cell, &[("seconds", estimate.seconds), ("error_s", estimate.error_s)]);
    for point in &estimate.points {
        let name = format!("each_at_{}_us", point.users);
        cell.figures.insert(name, point.each.mean_us);
    }
    let calls: u32 = estimate.points.iter().map(|point| point.calls).sum();
    cell.figures.insert("calls".to_owned(), f64::from(calls));
    cell
}

/// Compares the counts of the system's own tools with the expected number of users.
pub(super) fn counted(cell: &mut Cell, counted: &Counted, expected: u32) {
    let expected = u64::from(expected);
    let counts = [
        ("accounts", counted.accounts, "getent passwd"),
        ("groups", counted.groups, "getent group"),
        ("ldap_accounts", counted.ldap_accounts, "ldapsearch for accounts"),
        ("ldap_groups", counted.ldap_groups, "ldapsearch for groups"),
        ("file_accounts", counted.file_accounts, "the file passwd"),
        ("file_groups", counted.file_groups, "the file group"),
    ];
    for (name, count, tool) in counts {
        let Some(count) = count else { continue };
        cell.figures.insert(name.to_owned(), count as f64);
        if count != expected {
            invalid(
                cell,
                format!("{tool} shows {count} of the users, but there should be {expected}"),
            );
        }
    }
}

/// A listing by `ls`.
pub(super) fn listed(mut cell: Cell, listed: &Listed, files: u32) -> Cell {
    let requested = listed.requested.max(u64::from(files) * u64::from(Keys::UidGid.each()));
    resolved(&mut cell, requested, listed.resolved);
    cell.figures.insert("seconds".to_owned(), listed.seconds);
    cell
}

/// A pass of lookups by a process of our own.
pub(super) fn looked(mut cell: Cell, ran: &Ran, expected: u64) -> Cell {
    let record = ran.record.as_deref().map(Record::from_text);
    match record {
        Some(Ok(record)) => {
            let counts = &record.conservation.counts;
            resolved(&mut cell, counts.planned.max(expected), counts.ok);
            add(
                &mut cell,
                &[
                    ("seconds", record.rates.seconds),
                    ("failed", counts.failed as f64),
                    ("timed_out", counts.timed_out as f64),
                ],
            );
            cell.record = Some(Box::new(record));
        }
        Some(Err(error)) => invalid(&mut cell, format!("its record cannot be decoded: {error}")),
        None => {
            resolved(&mut cell, expected, 0);
            let how =
                ran.code.map_or_else(|| "by a signal".to_owned(), |code| format!("with {code}"));
            let why = ran.complaints.trim();
            let why = why.lines().last().unwrap_or("it said nothing");
            invalid(&mut cell, format!("the lookups ended {how} and wrote no record: {why}"));
        }
    }
    cell
}

/// What happened to daemons between two moments, during lookups of this number of names.
pub(super) fn between(cell: &mut Cell, before: &Statistics, after: &Statistics, remembers: bool) {
    for (daemon, vitals) in &after.daemons {
        let at_first = before.daemons.get(daemon).map_or(0.0, |vitals| vitals.cpu_s);
        cell.figures.insert(format!("{daemon}_cpu_s"), (vitals.cpu_s - at_first).max(0.0));
        cell.figures.insert(format!("rss_{daemon}_kib"), vitals.rss_kib as f64);
    }
    cell.figures.insert("load".to_owned(), after.load);
    let searches = before.searches.zip(after.searches).map(|(b, a)| a.saturating_sub(b) as f64);
    let Some(searches) = searches else { return };
    cell.figures.insert("slapd_searches".to_owned(), searches);
    if let Some(requested) = cell.figure("asked").filter(|requested| remembers && *requested > 0.0)
    {
        cell.figures.insert("hit_ratio".to_owned(), (1.0 - searches / requested).max(0.0));
    }
}

/// nscd's own statistics of its tables.
pub(super) fn tables(cell: &mut Cell, statistics: &Statistics) {
    for (table, values) in statistics.nscd.iter().flatten() {
        for (name, value) in [
            ("longest_chain", values.longest_chain),
            ("values", values.values),
            ("buckets", values.suggested_size),
        ] {
            cell.figures.insert(format!("nscd_{table}_{name}"), value as f64);
        }
    }
}

/// Marks a cell as one whose times mean nothing, and says why.
pub(super) fn invalid(cell: &mut Cell, why: String) {
    cell.figures.insert("invalid".to_owned(), 1.0);
    cell.notes.push(why);
}

/// Whether a cell is marked so.
pub(super) fn is_invalid(cell: &Cell) -> bool {
    cell.figures.contains_key("invalid")
}

/// The labels of a pass of lookups.
pub(super) fn labels(backend: &str, users: u32, pass: u32, lookup: Lookup) -> Cell {
    let labels: BTreeMap<&str, String> = BTreeMap::from([
        ("kind", "lookup".to_owned()),
        ("backend", backend.to_owned()),
        ("users", users.to_string()),
        ("run", pass.to_string()),
        ("road", lookup.path.name().to_owned()),
        ("by", lookup.keys.name().to_owned()),
        ("temperature", lookup.temperature.name().to_owned()),
        ("threads", lookup.threads.to_string()),
    ]);
    Cell::new(labels)
}

fn resolved(cell: &mut Cell, requested: u64, resolved: u64) {
    add(cell, &[("asked", requested as f64), ("resolved", resolved as f64)]);
    if resolved < requested {
        invalid(cell, format!("{resolved} of {requested} names were resolved"));
    }
}

fn spread(cell: &mut Cell, name: &str, spread: &Spread) {
    let figures = [
        ("mean", spread.mean_us),
        ("p50", spread.p50_us),
        ("p95", spread.p95_us),
        ("p99", spread.p99_us),
        ("max", spread.max_us),
    ];
    for (figure, value) in figures {
        cell.figures.insert(format!("{name}_{figure}_us"), value);
    }
}

fn add(cell: &mut Cell, figures: &[(&str, f64)]) {
    cell.figures.extend(figures.iter().map(|(name, figure)| ((*name).to_owned(), *figure)));
}

#[cfg(test)]
mod tests {
    use super::super::plan::{CacheState, PathChoice};
    use super::*;
    use crate::sandbox::ProcessUsage;

    fn cell() -> Cell {
        let lookup = Lookup {
            path: PathChoice::Nss,
            keys: Keys::UidGid,
            temperature: CacheState::Cold,
            threads: 1,
        };
        labels("ldap", 300, 2, lookup)
    }

    #[test]
    fn listing_with_fewer_names_is_invalid() {
        let all = listed(cell(), &Listed { seconds: 0.5, requested: 600, resolved: 600 }, 300);
        assert!(!is_invalid(&all));
        assert_eq!((all.figure("asked"), all.label("run")), (Some(600.0), Some("2")));
        let fewer = listed(cell(), &Listed { seconds: 0.1, requested: 600, resolved: 599 }, 300);
        assert!(is_invalid(&fewer));
        assert_eq!(fewer.notes, ["599 of 600 names were resolved"]);
        // A listing of fewer files than there should be did not look up enough names.
        let short = listed(cell(), &Listed { seconds: 0.1, requested: 598, resolved: 598 }, 300);
        assert_eq!(short.notes, ["598 of 600 names were resolved"]);
    }

    #[test]
    fn lookups_without_a_record_are_invalid() {
        let ran = Ran { code: None, complaints: "a\nkilled\n".to_owned(), ..Ran::default() };
        let cell = looked(cell(), &ran, 600);
        assert!(is_invalid(&cell));
        assert_eq!(cell.notes[0], "0 of 600 names were resolved");
        assert_eq!(cell.notes[1], "the lookups ended by a signal and wrote no record: killed");
    }

    #[test]
    fn counted_users_must_equal_the_inserted() {
        let right = Counted { accounts: Some(300), ldap_groups: Some(300), ..Counted::default() };
        let mut cell = cell();
        counted(&mut cell, &right, 300);
        assert!(!is_invalid(&cell));
        assert_eq!(cell.figure("accounts"), Some(300.0));
        // The default limit of slapd.
        let cut = Counted { accounts: Some(500), ..right };
        counted(&mut cell, &cut, 1_000);
        assert!(is_invalid(&cell));
        assert_eq!(cell.notes[0], "getent passwd shows 500 of the users, but there should be 1000");
    }

    #[test]
    fn failed_insertions_are_reported() {
        let done = Provisioned {
            users: 10,
            failed: 2,
            first_failure: Some("useradd: no sub-ids".to_owned()),
            seconds: 1.0,
            each: Some(Spread { p50_us: 90.0, ..Spread::default() }),
            ..Provisioned::default()
        };
        let cell = provisioned(Cell::default(), &done);
        assert_eq!(cell.notes, ["2 of 10 users failed; the first: useradd: no sub-ids"]);
        assert_eq!((cell.figure("seconds"), cell.figure("each_p50_us")), (Some(1.0), Some(90.0)));
        assert!(is_invalid(&cell));
    }

    #[test]
    fn hit_ratio_is_the_share_without_a_search() {
        let at = |searches, cpu_s| {
            let vitals = ProcessUsage { cpu_s, rss_kib: 1_000 };
            let daemons = [("slapd".to_owned(), vitals)].into();
            Statistics { daemons, searches: Some(searches), ..Statistics::default() }
        };
        let mut cell = listed(cell(), &Listed { seconds: 0.5, requested: 600, resolved: 600 }, 300);
        between(&mut cell, &at(1_000, 1.0), &at(1_150, 1.5), true);
        assert_eq!(cell.figure("slapd_searches"), Some(150.0));
        assert_eq!((cell.figure("hit_ratio"), cell.figure("slapd_cpu_s")), (Some(0.75), Some(0.5)));
        assert_eq!(cell.figure("rss_slapd_kib"), Some(1_000.0));
        cell.figures.remove("hit_ratio");
        between(&mut cell, &at(0, 0.0), &at(600, 0.0), false);
        assert_eq!(cell.figure("hit_ratio"), None);
    }

    #[test]
    fn estimate_states_its_error() {
        let mut estimate = Estimate { seconds: 1390.0, error_s: 100.0, points: Vec::new() };
        estimate.points.resize_with(3, Default::default);
        for point in &mut estimate.points {
            point.calls = 25;
        }
        let cell = estimated(Cell::default(), &estimate);
        let figures = ["seconds", "error_s", "calls"].map(|name| cell.figure(name));
        assert_eq!(figures, [Some(1390.0), Some(100.0), Some(75.0)]);
        assert!(!is_invalid(&cell));
    }
}

//! Every figure of the report, derived by hand from invented cells.

use std::time::Duration;

use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Histogram, Latency, Tool};
use brunt_report::Screen;
use brunt_report::samples::measured;

use super::*;

/// The report for a terminal.
fn text(collection: &Collection, screen: Screen) -> String {
    page(collection).text(screen)
}

fn collection(cells: Vec<Cell>) -> Collection {
    Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "names".to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: vec!["brunt".to_owned()],
        environment: Environment::default(),
        facts: [("data".to_owned(), "tmpfs".to_owned())].into(),
        figures: [("lookups".to_owned(), 1000.0)].into(),
        cells,
    }
}

fn cell(labels: &[(&str, &str)], users: u64, figures: &[(&str, f64)]) -> Cell {
    let mut cell = Cell::new(labels.iter().copied());
    cell.labels.insert("users".to_owned(), users.to_string());
    cell.figures = figures.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect();
    cell
}

fn work(kind: &str, backend: &str, way: &str, users: u64, seconds: f64) -> Cell {
    cell(&[("kind", kind), ("backend", backend), ("way", way)], users, &[("seconds", seconds)])
}

fn listed(backend: &str, users: u64, temperature: &str, seconds: f64) -> Cell {
    let labels = [
        ("kind", "lookup"),
        ("backend", backend),
        ("road", "ls"),
        ("by", "uid+gid"),
        ("temperature", temperature),
    ];
    cell(&labels, users, &[("seconds", seconds), ("asked", 2000.0), ("resolved", 2000.0)])
}

/// A pass of single lookups that took these times.
fn single(backend: &str, path: &str, temperature: &str, micros: &[u64]) -> Cell {
    let labels = [
        ("kind", "lookup"),
        ("backend", backend),
        ("road", path),
        ("by", "uid+gid"),
        ("temperature", temperature),
    ];
    let mut cell = cell(&labels, 1000, &[]);
    cell.record = Some(Box::new(record(micros)));
    cell
}

fn record(micros: &[u64]) -> brunt_record::Record {
    let mut times = Histogram::new();
    for us in micros {
        times.record(Duration::from_micros(*us));
    }
    let mut record = measured(&[]);
    record.rates.target = None;
    record.rates.achieved = Some(4_000.0);
    record.operations[0].service = Latency::new(&times, &[50.0]);
    record
}

/// The article's own figures as if we had measured them.
fn articles() -> Collection {
    let mut cells = Vec::new();
    for (backend, _, rows) in article::TABLES {
        for row in rows {
            cells.push(work("insert", backend, "process", row.users, row.insertion));
            cells.push(work("delete", backend, "process", row.users, row.deletion));
            cells.push(listed(backend, row.users, "cold", row.lookup));
        }
    }
    collection(cells)
}

fn row<'a>(text: &'a str, title: &str, first: &str) -> Vec<&'a str> {
    let table = text.split("\n\n").find(|part| part.starts_with(title)).expect(title);
    let line = table.lines().find(|line| line.trim_start().starts_with(first)).expect(first);
    line.split_whitespace().collect()
}

#[test]
fn tables_equal_those_of_the_article() {
    let text = text(&articles(), Screen { width: 120, ..Screen::default() });
    assert_eq!(
        row(&text, "files (seconds; one process a user)", "6000"),
        [
            "6000",
            "3134",
            "or",
            "0.522",
            "each",
            "1980",
            "or",
            "0.330",
            "each",
            "5.20",
            "-",
            "-",
            "-",
            "2000/2000"
        ]
    );
    assert_eq!(row(&text, "ldap+index (seconds", "11000")[1..4], ["675", "or", "0.0614"]);
    // Our figures equal theirs, so each ratio to theirs is 1.
    let beside = row(&text, "The article's \"Default OpenLDAP System\" beside ldap", "9000");
    let one = "1.00x";
    assert_eq!(beside, ["9000", "467", "467", one, "281", "281", one, "782", "782", one]);
}

#[test]
fn ratios_follow_from_the_article() {
    let collection = articles();
    let text = text(&collection, Screen { width: 120, ..Screen::default() });
    // 1.7 / 77, 1.7 / 4.41 and 1.7 / 0.83.
    let flat = row(&text, "How often as fast as flat files", "1000");
    assert_eq!(flat, ["1000", "0.0221x", "/", "-", "0.39x", "/", "-", "2.05x", "/", "-"]);
    let shape = ratios::shape(&collection);
    let of = |what: &str| -> Vec<(String, String)> {
        let rows = shape.rows.iter().filter(|row| row.cells[0].contains(what));
        rows.map(|row| (row.cells[1].clone(), row.cells[3].clone())).collect()
    };
    let indexed = of("ls: ldap / ldap+index");
    let expected = ["17.5x", "45.1x", "72.3x", "133x", "77.3x"];
    assert_eq!(indexed.iter().map(|row| row.1.as_str()).collect::<Vec<_>>(), expected);
    assert!(shape.rows.iter().all(|row| row.cells[2] == row.cells[3]), "{shape:?}");
    // 135/34 and 10052/609.
    assert_eq!(of("insertion")[0].1, "3.97x");
    assert_eq!(of("insertion")[4].1, "16.5x");
}

/// The text without its line breaks.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Flat files cost 0.01 + n/10,000 s, a directory without an index 1 + n/1,000 s, with it 0.31 s: they cross at
/// n = 3,000, and 1 + n/1,000 = 31 where n = 30,000. Insertion goes with n^1.5 and with n.
fn made_up() -> Collection {
    let mut cells = Vec::new();
    for n in [1_000_u64, 2_000, 4_000] {
        let users = n as f64;
        cells.push(work("insert", "files", "process", n, 1e-4 * users.powf(1.5)));
        cells.push(work("insert", "ldap", "connection", n, 0.002 * users));
        for pass in [0.99, 1.0, 1.01] {
            cells.push(listed("files", n, "cold", pass * (0.01 + users / 1e4)));
            cells.push(listed("ldap", n, "cold", pass * (1.0 + users / 1e3)));
            cells.push(listed("ldap+index", n, "cold", pass * 0.31));
        }
    }
    collection(cells)
}

#[test]
fn article_is_drawn_only_for_equal_file_counts() {
    let cells = vec![listed("ldap", 1_000, "warm", 1.6), listed("ldap", 3_000, "warm", 3.7)];
    let mut collection = collection(cells);
    assert!(html(&collection).contains("ldap (the article)"));
    collection.figures.insert("lookups".to_owned(), 500.0);
    assert!(!html(&collection).contains("ldap (the article)"));
}

#[test]
fn closing_lines_find_the_known_relations() {
    let lines = closing::lines(&made_up());
    let has = |line: &str| assert!(lines.iter().any(|l| l == line), "{line}\nin {lines:#?}");
    // (1 + 4) / 0.41 and 0.41 / 0.31.
    has(
        "At n = 4,000, first run: ldap was slower than flat files: 12.2x, beyond the spread of 2.0 %.",
    );
    has(
        "At n = 4,000, first run: ldap+index was faster than flat files: 1.32x, beyond the spread of 2.0 %.",
    );
    // 5 / 0.31; 100 * 0.31 = 1 + n / 1000.
    has(
        "At n = 4,000 the index is worth 16.1x; straight lines through both reach the article's hundred at n = 30,000 \
         (an extrapolation).",
    );
    has(
        "Listings of ldap+index and of flat files cost the same at n = 3,000; with more users ldap+index is faster.",
    );
    has(
        "Inserting into files (one process a user) grows as n^1.50: a user costs more the more there are.",
    );
    has(
        "Inserting into ldap (one connection) grows as n^1.00: a user costs the same however many there are.",
    );
    // 0.01 + n/10,000 and 1 + n/1,000 meet at n = -1,100: they cost the same for no number of users.
    assert!(!lines.iter().any(|line| line.starts_with("Listings of ldap and")), "{lines:#?}");
}

#[test]
fn closing_lines_see_an_index_that_never_gains_a_hundredfold() {
    let cells = [1_000_u64, 4_000].into_iter().flat_map(|n| {
        let seconds = n as f64 / 1e3;
        [listed("ldap", n, "cold", 10.0 * seconds), listed("ldap+index", n, "cold", seconds)]
    });
    let lines = closing::lines(&collection(cells.collect()));
    assert!(lines[0].starts_with("At n = 4,000 the index is worth 10.0x; "), "{lines:?}");
    assert!(lines[0].ends_with("never reach the article's hundred."), "{lines:?}");
}

#[test]
fn difference_within_the_spread_is_not_claimed() {
    let passes = [(0.30, 0.29), (0.33, 0.32), (0.36, 0.35)];
    let cells = passes.into_iter().flat_map(|(flat, indexed)| {
        [listed("files", 3_000, "cold", flat), listed("ldap+index", 3_000, "cold", indexed)]
    });
    let lines = closing::lines(&collection(cells.collect()));
    // 0.33 / 0.32 = 1.03; (0.35 - 0.29) / 0.32 = 18.75 %.
    let reported = "At n = 3,000, first run: ldap+index beside flat files: no difference: 1.03x lies within the \
                spread of 19 %.";
    assert_eq!(lines[0], reported);
}

#[test]
fn cell_with_fewer_names_is_invalid() {
    let mut broken = listed("ldap", 1_000, "cold", 0.001);
    broken.figures.insert("resolved".to_owned(), 1000.0);
    broken.figures.insert("invalid".to_owned(), 1.0);
    broken.notes.push("1000 of 2000 names were resolved".to_owned());
    let collection = collection(vec![listed("files", 1_000, "cold", 0.1), broken]);
    let text = text(&collection, Screen { width: 120, ..Screen::default() });
    let row = row(&text, "ldap (seconds", "1000");
    assert_eq!(row, ["1000", "-", "-", "-", "-", "-", "-", "1000/2000", "INVALID"]);
    assert!(flowing(&text).contains("its times mean nothing"), "{text}");
    let doubt = "warning: lookup ldap 1000 ls uid+gid cold: 1000 of 2000 names were resolved";
    assert!(flowing(&text).contains(doubt), "{text}");
    assert!(closing::lines(&collection).is_empty());
}

#[test]
fn layer_cost_is_the_difference_of_medians() {
    let backend = "ldap+index";
    let cells = vec![
        single(backend, "ldap", "warm", &[90, 100, 110]),
        single(backend, "nslcd", "warm", &[150, 160, 170]),
        single(backend, "nss", "warm", &[190, 200, 240]),
        single(backend, "nss", "warm", &[190, 200, 240]),
        listed(backend, 1000, "warm", 0.5),
    ];
    let text = text(&collection(cells), Screen { width: 120, ..Screen::default() });
    let table = "Where a lookup's time goes: ldap+index, 1000 users, warm";
    assert_eq!(row(&text, table, "LDAP")[2..4], ["100", "-"]);
    assert_eq!(row(&text, table, "nslcd's")[2..4], ["160", "60.1"]);
    // The difference of the medians is 200 - 160, with the precision of the buckets; the mean is (190 + 200 + 240) / 3.
    assert_eq!(row(&text, table, "getpwuid_r")[1..5], ["200", "39.9", "240", "210"]);
    // 0.5 s for 2,000 lookups are 250 us each; a program whose single lookups are not timed has no median.
    assert_eq!(row(&text, table, "ls -l")[2..6], ["-", "-", "-", "250"]);
    assert_eq!(row(&text, "ldap+index (seconds", "1000")[5..7], ["200", "240"]);
    assert_eq!(row(&text, "Single lookups", "ldap+index")[9], "4k");
}

#[test]
fn sampled_times_and_lookups_without_ls_are_marked() {
    let mut resolved = listed("files", 11_000, "cold", 0.7);
    resolved.labels.insert("road".to_owned(), "nss".to_owned());
    let mut estimated = work("insert", "files", "sample", 11_000, 1390.0);
    estimated.figures.insert("error_s".to_owned(), 139.0);
    let cells = vec![estimated, work("insert", "files", "bulk", 11_000, 0.02), resolved];
    let text = text(&collection(cells), Screen { width: 120, ..Screen::default() });
    let row_of = row(&text, "files (seconds; one process a user)", "11000");
    assert_eq!(row_of[..6], ["11000", "~1390", "or", "0.126", "each", "-"]);
    assert_eq!(row_of[6], "0.700*");
    assert!(
        flowing(&text).contains("give or take 10 %.") && text.contains("* There was no directory"),
        "{text}"
    );
    // 0.02 s of 11,000 users.
    let bulk = row(&text, "files (seconds; in bulk)", "11000");
    assert_eq!(bulk[1..6], ["0.0200", "or", "1.82", "us", "each"]);
}

#[test]
fn sweep_reports_the_effect_of_size_and_primes() {
    let point = |value: &str, micros: u64, hits: f64| {
        let labels = [
            ("kind", "sweep"),
            ("backend", "ldap+index+nscd"),
            ("road", "nss"),
            ("axis", "suggested-size"),
            ("value", value),
        ];
        let mut cell = cell(&labels, 1000, &[("hit_ratio", hits)]);
        cell.record = Some(Box::new(record(&[micros])));
        cell
    };
    let cells = vec![
        point("211", 20, 0.5),
        point("210", 22, 0.5),
        point("4001", 10, 1.0),
        point("4000", 11, 0.999),
    ];
    let text = text(&collection(cells), Screen { width: 120, ..Screen::default() });
    let title = "suggested-size of ldap+index+nscd, 1000 users, by nss";
    assert_eq!(row(&text, title, "211"), ["211", "0.5000", "4k", "20.0", "20.0", "1"]);
    let text = flowing(&text);
    let has = |reported: &str| assert!(text.contains(reported), "{reported}\nin {text}");
    has("took 10.0 us at its best (4001) and 22.0 us at its worst (210): 2.20x in a single run");
    // Primes 10 and 20, others 11 and 22: medians of two are means, and 12 of 16.5 is more than 16.5 of 15.
    has(
        "Non-prime sizes compared with primes: 16.5 us and 15.0 us: no difference: 1.10x lies within the spread of \
         67 %.",
    );
    // 20 and 22 against 10 and 11, which spread by a tenth.
    has(
        "twice the users, compared with more, as the article recommends: 21.0 us and 10.5 us: 2.00x, beyond the \
         spread of 9.5 %.",
    );
    has("Median latency over suggested-size");
    has("Hit ratio over suggested-size");
    assert_eq!(sweep::all(&collection(Vec::new())).len(), 0);
}

/// An estimate is marked everywhere, and the uncertainty it causes is shown.
#[test]
fn estimates_are_marked_everywhere() {
    let estimated = |users: u64, seconds: f64, share: f64| {
        let mut cell = work("insert", "files", "sample", users, seconds);
        cell.figures.insert("error_s".to_owned(), share * seconds);
        cell
    };
    let of =
        |share| collection(vec![estimated(1_000, 27.0, share), estimated(11_000, 297.0, share)]);
    let text = text(&of(1.15), Screen { width: 120, ..Screen::default() });
    let beside = row(&text, "The article's \"Flat-File System\" beside files", "1000");
    assert_eq!(beside[2..4], ["~27.0", "~5.00x"], "{text}");
    assert!(flowing(&text).contains("~ was estimated from samples, give or take 115 %"), "{text}");
    let growth = |share| closing::lines(&of(share)).join("\n");
    assert_eq!(
        growth(1.15),
        "Inserting into files (one process a user) grows with a power of n that its estimates do not show: they may be \
         off by 115 %."
    );
    // A tenth each way: 1.1 / 0.9 over a factor of 11 is 0.08 of an exponent.
    assert_eq!(
        growth(0.1),
        "Inserting into files (one process a user) grows as n^1.00, between n^0.92 and n^1.08 as its estimates may be \
         off by 10 %: a user costs the same however many there are."
    );
    assert!(growth(0.5).ends_with("lies within that."), "{}", growth(0.5));
}

#[test]
fn sweep_with_one_prime_claims_nothing_about_primes() {
    let point = |value: &str, micros: u64| {
        let labels = [
            ("kind", "sweep"),
            ("backend", "ldap+index+nscd"),
            ("road", "nss"),
            ("axis", "suggested-size"),
            ("value", value),
        ];
        let mut cell = cell(&labels, 1000, &[("hit_ratio", 1.0)]);
        cell.record = Some(Box::new(record(&[micros])));
        cell
    };
    // Three passes of the one prime.
    let cells = vec![
        point("4001", 10),
        point("4001", 10),
        point("4001", 10),
        point("210", 22),
        point("212", 22),
        point("214", 22),
    ];
    let text = flowing(&text(&collection(cells), Screen::default()));
    assert!(
        text.contains("Only one size is prime, so this does not say whether primes matter"),
        "{text}"
    );
    assert!(!text.contains("compared with primes"), "{text}");
}

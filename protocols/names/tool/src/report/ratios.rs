//! Ratios: each back end compared with flat files, and ours beside the article's.
//!
//! Seconds of two machines twenty years apart cannot be compared. The shape can: how many times slower or faster one
//! back end is than another on the same machine. So the article's figures are shown beside ours as they were printed,
//! and only ratios within each machine are compared.

use brunt_record::Collection;
use brunt_report::figure::{percent, times};
use brunt_report::median;
use brunt_report::page::{Table, Tone};

use super::article;
use super::cells::{self, Way, Work};
use super::digits::{digits, or_none};

/// The back end with which every other one is compared.
pub(super) const FLAT: &str = "files";

/// How many times as fast as flat files each back end is, where they were measured.
pub(super) fn against_flat(collection: &Collection) -> Table {
    let backends = cells::backends(collection);
    let others: Vec<&str> = backends.iter().copied().filter(|backend| *backend != FLAT).collect();
    let mut table = Table::new("How often as fast as flat files (ls first / ls next)")
        .figures(["n users"])
        .figures(others.iter().copied());
    let sizes = if others.is_empty() { Vec::new() } else { cells::sizes(collection, Some(FLAT)) };
    for users in sizes {
        let ratio = |backend: &str, temperature: &str| {
            let flat = ls(collection, FLAT, users, temperature)?;
            Some(flat / ls(collection, backend, users, temperature)?)
        };
        let cell =
            |backend: &&str| ["cold", "warm"].map(|at| times(ratio(backend, at))).join(" / ");
        table.row(Tone::Plain, [users.to_string()].into_iter().chain(others.iter().map(cell)));
    }
    table
}

/// The warning that is shown beside the article's figures.
pub(super) fn caution() -> String {
    format!(
        "The article is {}. Its machine is not ours: compare the shape, not the seconds. It does not say whether its \
         caches were warm; what of ours stands beside it is the second run. A ratio is theirs to ours.",
        article::SOURCE
    )
}

/// The article's figures beside ours, for each back end it measured too.
pub(super) fn beside_article(collection: &Collection) -> Vec<Table> {
    let mut tables = Vec::new();
    for (backend, name, rows) in article::TABLES {
        let columns = ["n users", "insertion", "ours", "ratio", "deletion", "ours", "ratio"];
        let caption = format!("The article's \"{name}\" beside {backend}");
        let mut table = Table::new(caption).figures(columns).figures(["ls", "ours", "ratio"]);
        let mut errors: Vec<f64> = Vec::new();
        for row in rows {
            let users = row.users;
            let listed = ls_as_theirs(collection, backend, users);
            let pairs = [
                (row.insertion, work(collection, "insert", backend, users)),
                (row.deletion, work(collection, "delete", backend, users)),
                (row.lookup, listed),
            ];
            let all = pairs.iter().filter_map(|pair| pair.1);
            errors.extend(all.filter(|ours| ours.sampled).map(|ours| ours.error));
            if pairs.iter().any(|pair| pair.1.is_some()) {
                let cells = pairs.iter().flat_map(|(theirs, ours)| {
                    let ratio = times(ours.map(|ours| theirs / ours.seconds));
                    let sampled = ours.is_some_and(|ours| ours.sampled);
                    let seconds = or_none(ours.map(|ours| ours.seconds));
                    [digits(*theirs), about(sampled, seconds), about(sampled, ratio)]
                });
                table.row(Tone::Plain, [users.to_string()].into_iter().chain(cells));
            }
        }
        if let Some(error) = errors.into_iter().reduce(f64::max) {
            let share = percent(error);
            table.note(format!(
                "~ was estimated from samples, give or take {share}, and so were its ratios."
            ));
        }
        tables.push(table);
    }
    tables
}

/// The shape: ratios within the article's machine beside the same within ours.
pub(super) fn shape(collection: &Collection) -> Table {
    let mut table = Table::new("The shape: ratios on one machine")
        .names(["what"])
        .figures(["n users", "article", "ours"]);
    let listings = [
        ("ls: ldap / ldap+index", "ldap", "ldap+index"),
        ("ls: files / ldap+index", FLAT, "ldap+index"),
        ("ls: files / ldap+index+nscd", FLAT, "ldap+index+nscd"),
    ];
    for (what, over, under) in listings {
        let theirs =
            |backend: &str, users: u64| article::published(backend, users).map(|row| row.lookup);
        let ours = |backend: &str, users: u64| ls_as_theirs(collection, backend, users);
        push(&mut table, collection, what, [over, under], theirs, ours);
    }
    let theirs =
        |backend: &str, users: u64| article::published(backend, users).map(|row| row.insertion);
    let ours = |backend: &str, users: u64| work(collection, "insert", backend, users);
    push(&mut table, collection, "insertion: files / ldap", [FLAT, "ldap"], theirs, ours);
    table
}

fn push(
    table: &mut Table,
    collection: &Collection,
    what: &str,
    [over, under]: [&'static str; 2],
    theirs: impl Fn(&str, u64) -> Option<f64>,
    ours: impl Fn(&str, u64) -> Option<Work>,
) {
    for users in cells::sizes(collection, Some(over)) {
        let theirs =
            theirs(over, users).zip(theirs(under, users)).map(|(over, under)| over / under);
        if let Some((over, under)) = ours(over, users).zip(ours(under, users)) {
            let sampled = over.sampled || under.sampled;
            let ours = about(sampled, times(Some(over.seconds / under.seconds)));
            let row = [what.to_owned(), users.to_string(), times(theirs), ours];
            table.row(Tone::Plain, row);
        }
    }
}

/// A figure that was estimated from samples is marked as an estimate.
fn about(sampled: bool, figure: String) -> String {
    if sampled { format!("~{figure}") } else { figure }
}

/// The median seconds of a listing.
pub(super) fn ls(
    collection: &Collection,
    backend: &str,
    users: u64,
    temperature: &str,
) -> Option<f64> {
    median(&cells::listing(collection, backend, users, temperature).passes)
}

/// The same, for comparison with the article's: from a second run if there was one, and with as many files as it had.
fn ls_as_theirs(collection: &Collection, backend: &str, users: u64) -> Option<Work> {
    let same = cells::files(collection).is_none_or(|files| files == article::FILES);
    let ours = || ls(collection, backend, users, "warm").or(ls(collection, backend, users, "cold"));
    let seconds = if same { ours() } else { None };
    seconds.map(|seconds| Work { seconds, sampled: false, error: 0.0 })
}

/// Inserting or deleting with a process for each user, as the article did.
fn work(collection: &Collection, kind: &str, backend: &str, users: u64) -> Option<Work> {
    cells::work(collection, kind, backend, users, Way::Process)
}

//! The tables of the article, for each back end: seconds to insert n users, to delete them, and to look 1,000 up.
//!
//! The article has one table for each back end and one line for each number of users, and so has this. Further columns
//! show what it could not: the second run separate from the first, the latency of a single lookup, and how many names
//! were resolved at all. Where several ways of inserting were requested, each has a table, since its seconds measure
//! something different.

use brunt_record::Collection;
use brunt_report::figure::{NONE, percent};
use brunt_report::median;
use brunt_report::page::{Table, Tone};

use super::cells::{self, Listing, Names, Way, Which, Work};
use super::digits::{digits, or_none};

/// The tables of all back ends.
pub(super) fn tables(collection: &Collection) -> Vec<Table> {
    let mut tables = Vec::new();
    for backend in cells::backends(collection) {
        let ways = cells::ways(collection, backend);
        tables.push(whole(collection, backend, ways.first().copied()));
        let others = ways.iter().skip(1);
        tables.extend(others.map(|way| provisioning(collection, backend, *way)));
    }
    tables
}

fn whole(collection: &Collection, backend: &str, way: Option<Way>) -> Table {
    let options = way.map_or("not inserted by us", Way::words);
    let columns =
        ["n users", "insertion", "deletion", "ls first", "ls next", "p50 us", "p99 us", "names"];
    let mut table = Table::new(format!("{backend} (seconds; {options})")).figures(columns);
    let mut marks = Marks::default();
    for users in cells::sizes(collection, Some(backend)) {
        let mut row = vec![users.to_string()];
        for kind in ["insert", "delete"] {
            let work = way.and_then(|way| cells::work(collection, kind, backend, users, way));
            row.push(marks.work(work, users));
        }
        for temperature in ["cold", "warm"] {
            row.push(marks.listing(&cells::listing(collection, backend, users, temperature)));
        }
        let single = single(collection, backend, users);
        row.push(or_none(single.map(|latencies| latencies.p50)));
        row.push(or_none(single.map(|latencies| latencies.p99)));
        let names = cells::names(collection, backend, users);
        let doubtful = names.is_some_and(|names| names.invalid);
        row.push(marks.names(names));
        table.row(if doubtful { Tone::Doubtful } else { Tone::Plain }, row);
    }
    marks.explain(&mut table);
    table
}

/// The latency of single lookups after the first pass, or of the first where there was no other.
fn single(collection: &Collection, backend: &str, users: u64) -> Option<cells::Latencies> {
    ["warm", "cold"].iter().find_map(|temperature| {
        let which = Which { path: "nss", ..Which::ls(backend, users, temperature) };
        cells::latencies(collection, &which)
    })
}

fn provisioning(collection: &Collection, backend: &str, way: Way) -> Table {
    let caption = format!("{backend} (seconds; {})", way.words());
    let mut table = Table::new(caption).figures(["n users", "insertion", "deletion"]);
    let mut marks = Marks::default();
    for users in cells::sizes(collection, Some(backend)) {
        let work = |kind| cells::work(collection, kind, backend, users, way);
        let row = [work("insert"), work("delete")].map(|work| marks.work(work, users));
        if row.iter().any(|cell| cell != NONE) {
            table.row(Tone::Plain, [users.to_string()].into_iter().chain(row));
        }
    }
    marks.explain(&mut table);
    table
}

/// What needs a note below the table.
#[derive(Default)]
struct Marks {
    sampled: bool,
    /// The greatest error of an estimate, as a share.
    error: f64,
    resolved: bool,
    invalid: bool,
}

impl Marks {
    fn work(&mut self, work: Option<Work>, users: u64) -> String {
        let Some(Work { seconds, sampled, error }) = work else { return NONE.to_owned() };
        self.sampled |= sampled;
        self.error = self.error.max(error);
        let about = if sampled { "~" } else { "" };
        format!("{about}{} or {} each", digits(seconds), each(seconds / users.max(1) as f64))
    }

    fn listing(&mut self, listing: &Listing) -> String {
        let Some(seconds) = median(&listing.passes) else { return NONE.to_owned() };
        self.resolved |= !listing.by_ls;
        digits(seconds) + if listing.by_ls { "" } else { "*" }
    }

    fn names(&mut self, names: Option<Names>) -> String {
        let Some(names) = names else { return NONE.to_owned() };
        self.invalid |= names.invalid;
        let invalid = if names.invalid { " INVALID" } else { "" };
        format!("{}/{}{invalid}", names.resolved, names.requested)
    }

    fn explain(&self, table: &mut Table) {
        if self.sampled {
            table.note(format!(
                "~ was estimated: single calls were timed at several sizes and added up over all users, give or \
                 take {}.",
                percent(self.error)
            ));
        }
        if self.resolved {
            table.note(
                "* There was no directory of files with as many owners for ls to list: the same lookups were made \
                 through getpwuid_r and getgrgid_r.",
            );
        }
        if self.invalid {
            table.note(
                "INVALID: fewer names were resolved than asked for, so its times mean nothing and are not shown.",
            );
        }
    }
}

/// Seconds for one user, in the article's format; microseconds where that would show only zeros.
fn each(seconds: f64) -> String {
    if seconds >= 0.001 { digits(seconds) } else { format!("{} us", digits(seconds * 1e6)) }
}

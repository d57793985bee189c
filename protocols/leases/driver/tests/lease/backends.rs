//! Every embedded backend, with every setting that changes its behaviour.

use brunt_leases_driver::memfile::{Format, MemfileBackend, MemfileSetup};
use brunt_leases_driver::redb::{RedbBackend, RedbSetup};
use brunt_leases_driver::sqlite::{Journal, SqliteBackend, SqliteSetup};
use brunt_leases_driver::{Backend, Durability, Family, Schema, Statements};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

pub(crate) const TABLES: [(Schema, Family); 6] = [
    (Schema::Guide, Family::V4),
    (Schema::Guide, Family::V6),
    (Schema::Guide, Family::Prefix),
    (Schema::Kea, Family::V4),
    (Schema::Kea, Family::V6),
    (Schema::Kea, Family::Prefix),
];

/// A temporary directory for the test, in memory if the system has such a place: the data need not outlive the test.
pub(crate) fn directory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn sqlite(directory: &Path, schema: Schema, family: Family) -> SqliteSetup {
    SqliteSetup {
        path: directory.join("leases.db"),
        schema,
        family,
        durability: Durability::Async,
        statements: Statements::Prepared,
        journal: Journal::Wal,
        timeout: Duration::from_secs(5),
        may_destroy: false,
    }
}

pub(crate) fn memfile(directory: &Path, schema: Schema, family: Family) -> MemfileSetup {
    MemfileSetup {
        path: directory.join("leases.csv"),
        format: Format::Csv,
        schema,
        family,
        durability: Durability::Async,
        may_destroy: false,
    }
}

/// Every backend for this table, by name.
pub(crate) fn all(
    directory: &Path,
    schema: Schema,
    family: Family,
) -> Vec<(String, Box<dyn Backend>)> {
    let mut backends: Vec<(String, Box<dyn Backend>)> = Vec::new();
    for (name, statements, journal) in [
        ("prepared", Statements::Prepared, Journal::Wal),
        ("basic", Statements::Basic, Journal::Delete),
    ] {
        let path = directory.join(format!("{name}.db"));
        let setup = SqliteSetup { path, statements, journal, ..sqlite(directory, schema, family) };
        backends.push((format!("SQLite {name}"), Box::new(SqliteBackend::new(setup))));
    }
    for (name, format, durability) in [
        ("lines", Format::Csv, Durability::Async),
        ("lines sync", Format::Csv, Durability::Sync),
        ("blocks", Format::Block, Durability::Async),
    ] {
        if durability == Durability::Sync && !is_flushed(schema, family) {
            continue;
        }
        let path = directory.join(format!("{name}.leases"));
        let setup = MemfileSetup { path, format, durability, ..memfile(directory, schema, family) };
        backends.push((format!("memfile {name}"), Box::new(MemfileBackend::new(setup))));
    }
    for (name, durability) in [("redb", Durability::Async), ("redb sync", Durability::Sync)] {
        if durability == Durability::Sync && !is_flushed(schema, family) {
            continue;
        }
        let path = directory.join(format!("{name}.redb"));
        let setup = RedbSetup { path, schema, family, durability, may_destroy: false };
        backends.push((name.into(), Box::new(RedbBackend::new(setup))));
    }
    backends
}

/// Whether the tests for these tables also use stores that wait for the disk, which takes longer.
fn is_flushed(schema: Schema, family: Family) -> bool {
    (schema, family) == (Schema::Kea, Family::V4)
}

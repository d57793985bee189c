//! When warm, operations on leases in memory allocate nothing, and neither does this program's own part of operations
//! on SQLite, as counted by the allocator itself.
//!
//! This test has its own binary, because the allocator belongs to the whole process. SQLite has its own allocator in C,
//! which is not counted.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_exchange::{BlockingSession, Monotonic, Outcome, Ticket, Watch};
use brunt_leases_driver::memfile::{Format, MemfileBackend, MemfileSetup};
use brunt_leases_driver::sqlite::{Journal, SqliteBackend, SqliteSetup};
use brunt_leases_driver::{
    Backend, By, Contents, Draw, Durability, Family, LeaseSessions, Leases, Schema, Search,
    Statements, Work,
};
use brunt_testbed::{CountingAllocator, allocations};
use std::sync::Arc;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const COUNT: u64 = 2_000;

/// Performs a phase in one session that was warmed up by its first exchanges, and returns the number of allocations
/// after that.
fn phase(backend: &Arc<dyn Backend>, work: Work, contents: Contents) -> u64 {
    let leases = Leases { family: Family::V4, contents, epoch: 1_000_000_000 };
    let factory = Arc::new(LeaseSessions::new(Arc::clone(backend), work, leases, 3, 1));
    let clock = Monotonic::new();
    let mut session = factory.session(0);
    let mut before = 0;
    for number in 0..COUNT {
        if number == 3 {
            before = allocations::by_thread();
        }
        let mut watch = Watch::new(&clock, None);
        session.ready(&mut watch);
        let ticket = Ticket { number, session: 0, turn: number, phase: 0 };
        assert!(matches!(session.exchange(&ticket, &mut watch), Outcome::Ok(_)));
    }
    let allocated = allocations::by_thread() - before;
    session.close();
    allocated
}

/// The four phases, performed twice; only the second pass is counted.
fn allocated(backend: &Arc<dyn Backend>, contents: Contents) -> Vec<u64> {
    backend.prepare().unwrap();
    let by = [By::Address, By::Address, By::ClientId, By::Hardware];
    let searches =
        by.map(|by| Work::Search(Search { population: COUNT, by, draw: Draw::Guide(0.9) }));
    let create = [Work::Create { first: 0 }];
    let change = [Work::Update { population: COUNT }, Work::Delete { first: 0 }];
    let works: Vec<Work> = create.into_iter().chain(searches).chain(change).collect();
    let mut counts = Vec::new();
    for _ in 0..2 {
        counts = works.iter().map(|work| phase(backend, work.clone(), contents)).collect();
    }
    backend.clear().unwrap();
    counts
}

#[test]
fn memfile_allocates_nothing_when_warm() {
    let directory = tempfile::tempdir().unwrap();
    for (format, contents) in [(Format::Csv, Contents::Distinct), (Format::Block, Contents::Guide)]
    {
        let setup = MemfileSetup {
            path: directory.path().join("leases"),
            format,
            schema: Schema::Guide,
            family: Family::V4,
            durability: Durability::Async,
            may_destroy: false,
        };
        let backend: Arc<dyn Backend> = Arc::new(MemfileBackend::new(setup));
        let counts = allocated(&backend, contents);
        assert_eq!(counts, [0; 7], "{format:?}");
    }
}

#[test]
fn prepared_statements_allocate_nothing_when_warm() {
    let directory = tempfile::tempdir().unwrap();
    let setup = SqliteSetup {
        path: directory.path().join("leases.db"),
        schema: Schema::Kea,
        family: Family::V4,
        durability: Durability::Async,
        statements: Statements::Prepared,
        journal: Journal::Wal,
        timeout: Duration::from_secs(5),
        may_destroy: false,
    };
    let backend: Arc<dyn Backend> = Arc::new(SqliteBackend::new(setup));
    let counts = allocated(&backend, Contents::Distinct);
    assert_eq!(counts, [0; 7]);
}

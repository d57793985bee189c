//! Sessions on embedded stores: they do what their work specifies, and report what happened.

use crate::backends;
use brunt_exchange::{BlockingSession, Class, Monotonic, Outcome, Ticket, Watch};
use brunt_leases_driver::sqlite::SqliteBackend;
use brunt_leases_driver::{
    Backend, By, Contents, Draw, Family, LeaseSessions, Leases, MISS, Mix, Schema, Search, Work,
};
use std::path::Path;
use std::sync::Arc;

const LEASES: Leases =
    Leases { family: Family::V4, contents: Contents::Distinct, epoch: 1_000_000_000 };

/// The result of an exchange: its outcome, operation, items and explanation.
type Seen = (Outcome, u16, u64, String);

/// Performs exchanges `from..to` as one session.
fn run(factory: &Arc<LeaseSessions>, from: u64, to: u64) -> Vec<Seen> {
    let clock = Monotonic::new();
    let mut session = factory.session(0);
    let mut seen = Vec::new();
    for number in from..to {
        let mut text = String::new();
        let mut watch = Watch::new(&clock, Some(&mut text));
        session.ready(&mut watch);
        let ticket = Ticket { number, session: 0, turn: number - from, phase: 0 };
        let outcome = session.exchange(&ticket, &mut watch);
        let (operation, items) = (watch.named_operation(), watch.counted_items());
        assert_eq!(operation, factory.operation(&ticket));
        seen.push((outcome, operation, items, text));
    }
    session.close();
    seen
}

fn factory(backend: &Arc<dyn Backend>, work: Work) -> LeaseSessions {
    LeaseSessions::new(Arc::clone(backend), work, LEASES, 5, 1)
}

fn all(directory: &Path) -> impl Iterator<Item = (String, Arc<dyn Backend>)> {
    let backends = backends::all(directory, Schema::Kea, Family::V4);
    backends.into_iter().map(|(name, backend)| (name, Arc::from(backend)))
}

#[test]
fn phases_leave_the_expected_rows() {
    let directory = backends::directory();
    for (name, backend) in all(directory.path()) {
        backend.prepare().unwrap();
        let phase = |work: Work| {
            let operation = match work {
                Work::Create { .. } | Work::Mix(_) => 0,
                Work::Search(_) => 1,
                Work::Update { .. } => 2,
                Work::Delete { .. } => 3,
            };
            let seen = run(&Arc::new(factory(&backend, work)), 0, 60);
            assert!(seen.iter().all(|(_, reported, _, _)| *reported == operation), "{name}");
            seen
        };
        let good = |seen: &[Seen]| {
            seen.iter().filter(|(outcome, ..)| matches!(outcome, Outcome::Ok(_))).count()
        };
        assert_eq!(good(&phase(Work::Create { first: 0 })), 60, "{name}");
        assert_eq!(backend.count().unwrap(), 60, "{name}");
        for by in [By::Address, By::ClientId, By::Hardware] {
            let draw = Draw::Ratio(0.5);
            let found = phase(Work::Search(Search { population: 60, by, draw }));
            assert_eq!(good(&found), 60, "{name}, {by:?}: {found:?}");
            let misses = found.iter().filter(|(outcome, ..)| *outcome == Outcome::Ok(MISS)).count();
            assert!((15..45).contains(&misses), "{name}: {misses}");
        }
        assert_eq!(good(&phase(Work::Update { population: 60 })), 60, "{name}");
        // A population that does not exist is detected.
        let missing = phase(Work::Update { population: 1_000_000 });
        let checked = |(outcome, _, _, text): &Seen| {
            *outcome == Outcome::Failed(Class::Check, 0) && text.contains("was not there: number ")
        };
        assert!(missing.iter().all(checked), "{name}: {missing:?}");
        let draw = Draw::Ratio(1.0);
        let search = Search { population: 1_000_000, by: By::Address, draw };
        let missing = phase(Work::Search(search));
        assert!(missing.iter().all(|(outcome, ..)| *outcome == Outcome::Failed(Class::Check, 0)));
        assert_eq!(good(&phase(Work::Delete { first: 0 })), 60, "{name}");
        assert_eq!(good(&phase(Work::Delete { first: 0 })), 0, "{name}");
        assert_eq!(backend.count().unwrap(), 0, "{name}");
        backend.clear().unwrap();
    }
}

#[test]
fn group_is_committed_entirely_or_not_at_all() {
    let directory = backends::directory();
    for (name, backend) in all(directory.path()) {
        backend.prepare().unwrap();
        let mut connection = backend.open().unwrap();
        connection.create(&LEASES.lease(13)).unwrap();
        drop(connection);
        // Groups of five of 23 leases: the third contains 13, and the last group has three.
        let factory = Arc::new(factory(&backend, Work::Create { first: 0 }).grouped(5, 23));
        assert_eq!(factory.exchanges(), 5);
        let seen = run(&factory, 0, 5);
        let items: Vec<u64> = seen.iter().map(|(_, _, items, _)| *items).collect();
        assert_eq!(items, [5, 5, 0, 5, 3], "{name}: {seen:?}");
        assert!(matches!(seen[2].0, Outcome::Failed(Class::Result, _)), "{name}");
        assert_eq!(backend.count().unwrap(), 19, "{name}");
        backend.clear().unwrap();
    }
}

#[test]
fn mix_leaves_rows_that_match_its_outcomes() {
    let weights = [(40, 45, 10, 5), (40, 30, 30, 0), (10, 0, 60, 30)];
    let directory = backends::directory();
    for (name, backend) in all(directory.path()) {
        for (allocate, renew, release, expire) in weights {
            backend.prepare().unwrap();
            backend.preload(&mut (0..50).map(|number| LEASES.lease(number))).unwrap();
            let by = By::ClientId;
            let (search, pool, held, reclaim) = (20, 200, 50, 3);
            let mix = Mix { allocate, renew, release, expire, search, by, pool, held, reclaim };
            let seen = run(&Arc::new(factory(&backend, Work::Mix(mix))), 0, 400);
            let mut rows = 50_i64;
            for (outcome, operation, items, text) in &seen {
                match (outcome, operation) {
                    (Outcome::Ok(0), 0) => rows += 1,
                    (Outcome::Ok(0), 2) => rows -= 1,
                    (Outcome::Ok(_), 3) => rows -= i64::try_from(*items).unwrap(),
                    (Outcome::Ok(_) | Outcome::Skipped, _) => {}
                    failed => panic!("{name}: {failed:?}: {text}"),
                }
            }
            assert_eq!(backend.count().unwrap(), rows.unsigned_abs(), "{name}");
        }
        backend.clear().unwrap();
    }
}

/// Sessions of a mix that only releases leases finish by themselves.
#[test]
fn mix_without_further_work_is_finished() {
    let directory = backends::directory();
    let setup = backends::sqlite(directory.path(), Schema::Guide, Family::V4);
    let backend: Arc<dyn Backend> = Arc::new(SqliteBackend::new(setup));
    backend.prepare().unwrap();
    backend.preload(&mut (0..9).map(|number| LEASES.lease(number))).unwrap();
    let by = By::Address;
    let mix = Mix {
        allocate: 0,
        renew: 0,
        release: 1,
        expire: 0,
        search: 0,
        by,
        pool: 9,
        held: 9,
        reclaim: 1,
    };
    let factory = Arc::new(LeaseSessions::new(Arc::clone(&backend), Work::Mix(mix), LEASES, 5, 2));
    let clock = Monotonic::new();
    let mut released = 0;
    for number in 0..2 {
        let mut session = factory.session(number);
        while !session.finished() {
            let mut watch = Watch::new(&clock, None);
            session.ready(&mut watch);
            let ticket = Ticket { number: released, session: number, turn: 0, phase: 0 };
            assert_eq!(session.exchange(&ticket, &mut watch), Outcome::Ok(0));
            released += 1;
        }
        let ticket = Ticket { number: 99, session: number, turn: 99, phase: 0 };
        let mut watch = Watch::new(&clock, None);
        assert_eq!(session.exchange(&ticket, &mut watch), Outcome::Skipped);
    }
    assert_eq!((released, backend.count().unwrap()), (9, 0));
}

#[test]
fn store_that_cannot_be_opened_fails_each_exchange() {
    let directory = backends::directory();
    let setup = backends::sqlite(&directory.path().join("missing"), Schema::Guide, Family::V4);
    let backend: Arc<dyn Backend> = Arc::new(SqliteBackend::new(setup));
    let factory = Arc::new(LeaseSessions::new(backend, Work::Create { first: 0 }, LEASES, 5, 1));
    let seen = run(&factory, 0, 4);
    for (outcome, _, _, text) in &seen {
        assert!(matches!(outcome, Outcome::Failed(Class::Connect, _)), "{seen:?}");
        assert!(text.contains("leases.db"), "{text}");
    }
}

//! In any sequence of operations, a store gives the same answers as a map of leases.

use crate::backends;
use brunt_leases_driver::{
    Backend, Connection, Contents, Family, Identity, Lease, Leases, Renewal, Schema,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Operation {
    Create(u64),
    FindAddress(u64),
    FindClient(u64),
    FindHardware(u64),
    Renew(u64, u32),
    Release(u64),
    Expire(i64, u32),
    Begin,
    Commit,
    RollBack,
}

fn requested() -> impl Strategy<Value = Operation> {
    let number = 0_u64..24;
    prop_oneof![
        6 => number.clone().prop_map(Operation::Create),
        2 => number.clone().prop_map(Operation::FindAddress),
        1 => number.clone().prop_map(Operation::FindClient),
        1 => number.clone().prop_map(Operation::FindHardware),
        3 => (number.clone(), 1_u32..3_000).prop_map(|(n, time)| Operation::Renew(n, time)),
        3 => number.prop_map(Operation::Release),
        1 => (1_000_000_000_i64..1_000_004_000, 1_u32..5).prop_map(|(n, k)| Operation::Expire(n, k)),
        1 => Just(Operation::Begin),
        1 => Just(Operation::Commit),
        1 => Just(Operation::RollBack),
    ]
}

/// The model: when each lease expires.
#[derive(Clone, Default)]
struct Model {
    over: BTreeMap<u64, i64>,
    before: Option<BTreeMap<u64, i64>>,
}

impl Model {
    /// The expected answer: 1 or 0 for yes or no, or a number. An error if the address is taken.
    fn answer(&mut self, leases: &Leases, requested: &Operation) -> Result<u32, ()> {
        match requested {
            Operation::Create(number) if self.over.contains_key(number) => return Err(()),
            Operation::Create(number) => {
                self.over.insert(*number, leases.lease(*number).expires());
            }
            Operation::FindAddress(number)
            | Operation::FindClient(number)
            | Operation::FindHardware(number) => {
                return Ok(u32::from(self.over.contains_key(number)));
            }
            Operation::Renew(number, time) => {
                let lease = self.over.get_mut(number);
                let renewed = lease.map(|over| *over = leases.epoch + 500 + i64::from(*time));
                return Ok(u32::from(renewed.is_some()));
            }
            Operation::Release(number) => return Ok(u32::from(self.over.remove(number).is_some())),
            Operation::Expire(now, limit) => {
                let mut over: Vec<(i64, u64)> = self.over.iter().map(|(n, at)| (*at, *n)).collect();
                over.retain(|(at, _)| at < now);
                over.sort_unstable();
                // The order of two leases that expire in the same second is not specified, so the limit is reduced
                // until it does not separate two of them.
                let limit = clean_cut(&over, *limit as usize);
                over.truncate(limit);
                for (_, number) in &over {
                    self.over.remove(number);
                }
                return Ok(over.len() as u32);
            }
            Operation::Begin => self.before = Some(self.over.clone()),
            Operation::Commit => self.before = None,
            Operation::RollBack => self.over = self.before.take().unwrap(),
        }
        Ok(1)
    }
}

/// The largest limit up to `limit` that does not separate two leases that expire at the same time.
fn clean_cut(over: &[(i64, u64)], limit: usize) -> usize {
    let limit = limit.min(over.len());
    (0..=limit)
        .rev()
        .find(|cut| *cut == 0 || *cut == over.len() || over[cut - 1].0 != over[*cut].0)
        .unwrap()
}

fn execute(
    connection: &mut dyn Connection,
    leases: &Leases,
    requested: &Operation,
    limit: u32,
) -> Result<u32, ()> {
    let lease = |number: u64| leases.lease(number);
    let answer = match requested {
        Operation::Create(number) => connection.create(&lease(*number)).map(|()| 1),
        Operation::FindAddress(number) => {
            connection.find(&Identity::Address(leases.address(*number))).map(u32::from)
        }
        Operation::FindClient(number) => {
            connection.find(&Identity::ClientId(lease(*number).client_id)).map(u32::from)
        }
        Operation::FindHardware(number) => {
            connection.find(&Identity::Hardware(lease(*number).hardware)).map(u32::from)
        }
        Operation::Renew(number, valid_lifetime) => {
            let (address, cltt) = (leases.address(*number), leases.epoch + 500);
            connection
                .renew(&Renewal { address, valid_lifetime: *valid_lifetime, cltt })
                .map(u32::from)
        }
        Operation::Release(number) => connection.release(leases.address(*number)).map(u32::from),
        Operation::Expire(now, _) => connection.expire(*now, limit),
        Operation::Begin => connection.begin().map(|()| 1),
        Operation::Commit => connection.commit().map(|()| 1),
        Operation::RollBack => connection.roll_back().map(|()| 1),
    };
    answer.map_err(|_| ())
}

fn run(name: &str, backend: &dyn Backend, family: Family, script: &[Operation]) {
    let leases = Leases { family, contents: Contents::Distinct, epoch: 1_000_000_000 };
    backend.prepare().unwrap();
    assert_eq!(backend.count().unwrap(), 0, "{name}");
    let mut connection = backend.open().unwrap();
    let mut model = Model::default();
    for (place, requested) in script.iter().enumerate() {
        // A transaction is begun once and ended once.
        let fits = match requested {
            Operation::Begin => model.before.is_none(),
            Operation::Commit | Operation::RollBack => model.before.is_some(),
            _ => true,
        };
        let mut limit = 0;
        if let Operation::Expire(now, most) = requested {
            let mut over: Vec<(i64, u64)> =
                model.over.iter().map(|(n, at)| (*at, *n)).filter(|(at, _)| at < now).collect();
            over.sort_unstable();
            limit = clean_cut(&over, *most as usize) as u32;
        }
        if fits {
            let expected = model.answer(&leases, requested);
            let answer = execute(&mut *connection, &leases, requested, limit);
            assert_eq!(answer, expected, "{name}, step {place}: {requested:?}");
        }
    }
    if model.before.take().is_some() {
        connection.commit().unwrap();
    }
    drop(connection);
    assert_eq!(backend.count().unwrap(), model.over.len() as u64, "{name}");
    // The remaining leases are those of the model, read through another connection.
    let mut connection = backend.open().unwrap();
    for number in 0..24 {
        let there = connection.find(&Identity::Address(leases.address(number))).unwrap();
        assert_eq!(there, model.over.contains_key(&number), "{name}: lease {number}");
    }
    drop(connection);
    backend.clear().unwrap();
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 6, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn stores_answer_like_a_map(script in proptest::collection::vec(requested(), 1..120)) {
        for (schema, family) in backends::TABLES {
            let directory = backends::directory();
            for (name, backend) in backends::all(directory.path(), schema, family) {
                let name = format!("{name}, {schema:?}, {family:?}");
                run(&name, &*backend, family, &script);
            }
            let left = std::fs::read_dir(directory.path()).unwrap().count();
            prop_assert_eq!(left, 0, "files were left behind");
        }
    }
}

#[test]
fn preloaded_leases_are_present() {
    let leases = Leases { family: Family::V4, contents: Contents::Distinct, epoch: 1_000_000_000 };
    let directory = backends::directory();
    for (name, backend) in backends::all(directory.path(), Schema::Kea, Family::V4) {
        backend.prepare().unwrap();
        backend.preload(&mut (0..5_000).map(|number| leases.lease(number))).unwrap();
        assert_eq!(backend.count().unwrap(), 5_000, "{name}");
        let mut connection = backend.open().unwrap();
        let by = Identity::ClientId(leases.lease(4_999).client_id);
        assert!(connection.find(&by).unwrap(), "{name}");
        assert!(connection.create(&leases.lease(3)).is_err(), "{name}");
        // Lease n expires 1000 + n % 60 seconds after the epoch: 84 of 5,000 are the first to expire.
        assert_eq!(connection.expire(leases.epoch + 1_001, 1_000).unwrap(), 84, "{name}");
        drop(connection);
        assert_eq!(backend.count().unwrap(), 5_000 - 84, "{name}");
        backend.clear().unwrap();
    }
}

/// Two connections to one backend: one finds what the other has committed.
#[test]
fn connections_share_the_committed_leases() {
    let leases = Leases { family: Family::V6, contents: Contents::Guide, epoch: 0 };
    let directory = backends::directory();
    for (name, backend) in backends::all(directory.path(), Schema::Kea, Family::V6) {
        backend.prepare().unwrap();
        let (mut one, mut other) = (backend.open().unwrap(), backend.open().unwrap());
        one.create(&leases.lease(1)).unwrap();
        assert!(other.release(leases.address(1)).unwrap(), "{name}");
        assert!(!one.find(&Identity::Address(leases.address(1))).unwrap(), "{name}");
        one.begin().unwrap();
        one.create(&leases.lease(2)).unwrap();
        // A connection that is closed in the middle of a transaction leaves no changes.
        drop(one);
        other.create(&leases.lease(2)).unwrap();
        assert_eq!(backend.count().unwrap(), 1, "{name}");
        drop(other);
        backend.clear().unwrap();
    }
}

/// Many threads at the same time: nothing is lost or duplicated.
#[test]
fn threads_lose_and_duplicate_nothing() {
    const EACH: u64 = 200;
    let leases = Leases { family: Family::V4, contents: Contents::Distinct, epoch: 0 };
    let directory = backends::directory();
    for (name, backend) in backends::all(directory.path(), Schema::Kea, Family::V4) {
        backend.prepare().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let backend = &backend;
                scope.spawn(move || {
                    let mut connection = backend.open().unwrap();
                    for place in 0..EACH {
                        let lease: Lease = leases.lease(place * 4 + thread);
                        connection.create(&lease).unwrap();
                        assert!(connection.find(&Identity::ClientId(lease.client_id)).unwrap());
                        if place % 2 == 0 {
                            assert!(connection.release(lease.address).unwrap());
                        }
                    }
                });
            }
        });
        assert_eq!(backend.count().unwrap(), 4 * EACH / 2, "{name}");
        backend.clear().unwrap();
    }
}

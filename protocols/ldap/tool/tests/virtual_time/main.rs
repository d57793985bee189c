//! `searchrate` against the embedded directory, both in this process and in virtual time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use brunt_engine::RunClock;
use brunt_engine::virtual_time::VirtualTime;
use brunt_ldap_server::{Clock, Config, InMemory, Operation};
use brunt_ldap_tool::TOOLS;
use brunt_net::Network;
use brunt_net::memory::Memory;
use brunt_net::network::Options;
use brunt_record::Record;
use brunt_run::environment::Environment;
use brunt_run::options::run_options::RunOptions;
use brunt_run::tool::{Grammar, Reading};
use brunt_run::{Load, Step, StepLoad, World};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};

const SERVER: &str = "10.0.0.1:389";
const LASTING: Duration = Duration::from_secs(3_600);
/// How long octets are on their way.
const WAY: Duration = Duration::from_millis(1);
const WORDS: &str = "-h 10.0.0.1 -p 389 -b ou=people,dc=example,dc=com -F -c 4 -i 1 -g rand(0,1000) --seed 7 \
     --workers 1 --no-pin (uid=user.{1})";

/// The load of this command line.
fn searchrate(world: &World) -> Box<dyn Load> {
    let tool = TOOLS.iter().find(|tool| tool.name == "searchrate").expect("the tool");
    let Grammar::Own { read, .. } = tool.grammar else { panic!("it has a grammar of its own") };
    let words: Vec<String> = WORDS.split_whitespace().map(str::to_owned).collect();
    match read(tool.name, &words, world) {
        Ok(Reading::Load(load)) => load,
        other => panic!("{other:?}"),
    }
}

/// Takes what is sent to the other end, in its time.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    time: VirtualTime,
) {
    let mut octets = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut octets).await {
        time.pass(WAY).await;
        if to.write_all(&octets[..count]).await.is_err() {
            return;
        }
    }
    // A client that is gone needs no end.
    let _ = to.shutdown().await;
}

async fn over_a_wire(client: DuplexStream, directory: Arc<InMemory>, time: VirtualTime) {
    let (near, far) = tokio::io::duplex(4_096);
    let (from_client, to_client) = tokio::io::split(client);
    let (from_server, to_server) = tokio::io::split(near);
    let there = carry(from_client, to_server, time.clone());
    tokio::join!(directory.serve(far, false), there, carry(from_server, to_client, time));
}

/// A network with a directory at one address.
fn network(directory: &Arc<InMemory>, time: &VirtualTime) -> Network {
    let (directory, time) = (Arc::clone(directory), time.clone());
    let server: SocketAddr = SERVER.parse().expect("an address");
    let accept = move |to: SocketAddr, client: DuplexStream| {
        let (directory, time) = (Arc::clone(&directory), time.clone());
        tokio::task::spawn_local(over_a_wire(client, directory, time));
        to == server
    };
    Network::in_memory(Options::default(), Memory::new(accept))
}

/// The record of an hour, and how many searches the directory counted.
fn hour() -> (Record, u64) {
    let time = VirtualTime::new(7);
    // It has no script, so it looks at no clock.
    let directory = InMemory::new(Config::default(), Clock::new()).expect("a directory");
    let directory = Arc::new(directory);
    let network = network(&directory, &time);
    let mut world = World::kept(Environment::default());
    world.clock = RunClock::standing(SystemTime::UNIX_EPOCH);
    world.time = Some(time.into());
    let load = searchrate(&world);
    let prepared = load.prepare(&world, &network, &|_| Ok(())).expect("it is prepared");
    let step = Step {
        load: StepLoad::Poisson(5.0),
        warm_up: Duration::ZERO,
        lasting: LASTING,
        drain: Duration::from_secs(5),
        interval: Duration::from_secs(10),
        first: 0,
        all_cores: false,
        results: RunOptions::default(),
    };
    let finished = prepared.carry_out(&step, &mut [], &world).expect("it is carried out");
    // A run has a number of its own.
    let record = Record { run: None, ..finished.record };
    (record, directory.stats().answers_of(Operation::Search, 0))
}

#[test]
fn searchrate_repeats_a_virtual_hour_exactly() {
    let ((one, served), (same, _)) = (hour(), hour());
    assert!((17_000..19_000).contains(&one.counts.ok), "{:?}", one.counts);
    assert_eq!((one.counts.planned, one.counts.items), (one.counts.ok, one.counts.ok));
    assert_eq!(served, one.counts.ok, "by the directory");
    let service = &one.operations[0].service;
    let there_and_back = Some(2 * WAY.as_nanos() as u64);
    assert_eq!((service.min_ns, service.max_ns), (there_and_back, there_and_back));
    let [one, same] = [one, same].map(|record| serde_json::to_string(&record).expect("JSON"));
    assert!(one == same, "two records of {} and {} octets", one.len(), same.len());
}

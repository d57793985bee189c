//! Leases over real sockets, with real messages of both families: a warm exchange allocates nothing.
//!
//! This test has its own binary, because the allocator belongs to the whole process. The servers are threads that
//! compute each answer from the message received, and only the allocations of the measuring thread are counted.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_dhcp_driver::tally::{Counter, Overall};
use brunt_dhcp_driver::{
    CaptureOptions, Dhcp, Dialogue, Limits, Mix, Population, Session, Setup, Stage, Task, v4, v6,
};
use brunt_dhcp_wire::{dhcp4, dhcp6};
use brunt_exchange::{Monotonic, Outcome, Session as _, Slots, Ticket, Watch};
use brunt_net::udp::{Bound, Options, Socket};
use brunt_testbed::{CountingAllocator, allocations};
use std::cell::Cell;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::rc::Rc;
use std::sync::Arc;
use tokio::runtime::{Builder, LocalOptions};

/// How many exchanges are performed, how many of them are a warm-up whose allocations do not count, and how many run
/// at the same time.
const EXCHANGES: u64 = 3_000;
const WARM: u64 = 1_500;
const SESSIONS: u64 = 16;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Starts a server that answers with `answer`, for as long as the process runs.
fn serve(at: &str, answer: fn(&[u8], &mut Vec<u8>)) -> SocketAddr {
    let socket = UdpSocket::bind(at).unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut room, mut out) = ([0; 2048], Vec::new());
        while let Ok((length, from)) = socket.recv_from(&mut room) {
            out.clear();
            answer(&room[..length], &mut out);
            if !out.is_empty() {
                let _ = socket.send_to(&out, from);
            }
        }
    });
    address
}

/// The address that a client is given is derived from its transaction id; a client with an address keeps it.
fn answer_v4(request: &[u8], out: &mut Vec<u8>) {
    use dhcp4::{Header, Message, MessageType, Writer, option};
    let request = Message::scan(request).unwrap();
    let kind = match request.message_type().unwrap() {
        MessageType::Discover => MessageType::Offer,
        MessageType::Request => MessageType::Ack,
        _ => return,
    };
    let given = Some(request.ciaddr()).filter(|address| !address.is_unspecified());
    let mut header = Header::reply_to(&request);
    header.yiaddr = given
        .or(request.requested_address())
        .unwrap_or_else(|| Ipv4Addr::from_bits(0x0a00_0000 + request.xid()));
    let mut writer = Writer::new(out, &header, kind);
    writer.seconds(option::LEASE_TIME, 3600);
    writer.address(option::SERVER_ID, Ipv4Addr::LOCALHOST);
    writer.end();
}

fn answer_v6(request: &[u8], out: &mut Vec<u8>) {
    use dhcp6::{IaKind, Message, MessageType, Writer, code};
    let request = Message::parse(request).unwrap();
    let kind = if request.kind() == MessageType::SOLICIT {
        MessageType::ADVERTISE
    } else {
        MessageType::REPLY
    };
    let mut writer = Writer::message(out, kind, request.xid());
    writer.option(code::CLIENT_ID, request.client_id().unwrap());
    writer.option(code::SERVER_ID, &[0, 3, 0, 1, 2, 0, 0, 0, 0, 1]);
    if request.kind() != MessageType::RELEASE {
        let association = writer.open_ia(IaKind::Na, 1, 1800, 2880);
        let address = Ipv6Addr::from_bits((0x2001_0db8 << 96) + u128::from(request.xid()));
        writer.address(address, 3600, 3600).close(&association);
    }
}

fn setup<D: Dialogue>(
    plan: D::Plan,
    socket: Bound,
    destination: SocketAddr,
    population: Population,
) -> Setup<D, Socket> {
    Setup {
        plans: vec![Arc::new(plan)],
        population,
        clock: Arc::new(Monotonic::new()),
        sockets: vec![Box::new(move || socket.register())],
        destination,
        task: Task::Mix(Mix::new(2, 1, 1)),
        seed: 5,
        slots: Slots::default(),
        preload: 0,
        leases_max: 200,
        limits: Arc::new(Limits::none()),
        unique: false,
        expectations: Vec::new(),
        capture: CaptureOptions::default(),
    }
}

/// Performs every exchange of a mix and returns how many allocations the second half made.
fn carry_out<D: Dialogue>(setup: Setup<D, Socket>) -> (Dhcp<D, Socket>, u64) {
    let dhcp = Dhcp::new(setup, 1);
    let runtime =
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap();
    let (next, warm, last) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    runtime.block_on(async {
        let tasks: Vec<_> = dhcp
            .sessions(0, 0..SESSIONS as u32)
            .into_iter()
            .map(|session| {
                let (next, warm, last) = (Rc::clone(&next), Rc::clone(&warm), Rc::clone(&last));
                tokio::task::spawn_local(work(session, next, warm, last))
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    drop(runtime);
    assert!(warm.get() > 0, "the first exchanges allocate, or nothing is counted at all");
    (dhcp, last.get() - warm.get())
}

async fn work<D: Dialogue>(
    mut session: Session<D, Socket>,
    next: Rc<Cell<u64>>,
    warm: Rc<Cell<u64>>,
    last: Rc<Cell<u64>>,
) {
    let clock = Monotonic::new();
    while next.get() < EXCHANGES {
        let number = next.replace(next.get() + 1);
        if number == WARM {
            warm.set(allocations::by_thread());
        }
        let mut watch = Watch::new(&clock, None);
        session.ready(&mut watch).await;
        let ticket = Ticket { number, session: 0, turn: 0, phase: 0 };
        let outcome = session.exchange(&ticket, &mut watch).await;
        assert!(matches!(outcome, Outcome::Ok(_) | Outcome::Skipped), "{number}: {outcome:?}");
        if number < EXCHANGES - SESSIONS {
            last.set(allocations::by_thread());
        }
    }
    session.close(&clock).await;
}

/// What the run must have counted, for either family.
fn check<D: Dialogue>(dhcp: &Dhcp<D, Socket>, released: Counter) {
    let tally = &dhcp.tallies()[0];
    let of = |stage, counter| tally.stage(stage, counter);
    let acquired = EXCHANGES / 2;
    for stage in [Stage::First, Stage::Second] {
        let both = [Counter::Sent, Counter::Received].map(|counter| of(stage, counter));
        assert_eq!(both, [acquired; 2], "{stage:?}");
    }
    for (stage, ended) in [(Stage::Renew, Counter::Received), (Stage::Release, released)] {
        let (sent, ended) = (of(stage, Counter::Sent), of(stage, ended));
        assert_eq!(sent, ended);
        // The first of them are due before there is a lease.
        assert!(
            (EXCHANGES / 4 - 2 * SESSIONS..=EXCHANGES / 4).contains(&sent),
            "{stage:?}: {sent}"
        );
    }
    assert_eq!(tally.orphans(), 0);
    for overall in Overall::ALL {
        let forgotten = overall == Overall::LeasesForgotten;
        assert!(forgotten || tally.overall(overall) == 0, "{overall:?}");
    }
    assert!(Stage::ALL.into_iter().all(|stage| tally.waiting(stage) == 0));
    let held = acquired - of(Stage::Release, Counter::Sent);
    let forgotten = tally.overall(Overall::LeasesForgotten);
    assert_eq!(dhcp.take_leases().len() as u64 + forgotten, held);
}

#[test]
fn dhcpv4_exchanges_allocate_nothing() {
    let destination = serve("127.0.0.1:0", answer_v4);
    let socket = Bound::open(
        &brunt_net::Network::private(),
        &Options::new(destination, "127.0.0.1:0".parse().unwrap()),
    )
    .unwrap();
    let population = Population::cycle([0, 0x0c, 1, 2, 3, 4], 1 << 20);
    let role = v4::Role::Relay { addresses: Vec::new(), hops: 1 };
    let plan = v4::Setup::new(population.clone(), role, Ipv4Addr::LOCALHOST);
    let plan = v4::Plan::compile(plan).unwrap();
    let (dhcp, allocated) = carry_out::<v4::Client>(setup(plan, socket, destination, population));
    check(&dhcp, Counter::NoReplyExpected);
    assert_eq!(allocated, 0);
}

#[test]
fn dhcpv6_exchanges_allocate_nothing() {
    let destination = serve("[::1]:0", answer_v6);
    let socket = Bound::open(
        &brunt_net::Network::private(),
        &Options::new(destination, "[::1]:0".parse().unwrap()),
    )
    .unwrap();
    let population = Population::cycle([0, 0x0c, 1, 2, 3, 4], 1 << 20);
    let plan = v6::Setup::new(population.clone(), v6::BaseDuid::LinkLayer);
    let plan = v6::Plan::compile(plan).unwrap();
    let (dhcp, allocated) = carry_out::<v6::Client>(setup(plan, socket, destination, population));
    check(&dhcp, Counter::Received);
    assert_eq!(allocated, 0);
}

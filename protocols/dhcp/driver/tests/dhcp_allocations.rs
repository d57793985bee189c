//! A warm DHCP exchange allocates nothing, as counted by the allocator itself.
//!
//! This test has its own binary, because the allocator belongs to the whole process. Dialogues need no socket, so
//! replies are written into a reused buffer, and all allocations of the thread are counted.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_dhcp_driver::v4::{Client, Lease, Plan, Retransmission, Role, Setup, VariedOption};
use brunt_dhcp_driver::varied::Pattern;
use brunt_dhcp_driver::{
    Dialogue, Ending, ExchangeRequest, Kind, Offsets, Population, ReceivedReply, Step, Template,
};
use brunt_dhcp_wire::dhcp4::{Draft, Header, Message, MessageType, Writer, option};
use brunt_exchange::Outcome;
use brunt_testbed::{CountingAllocator, allocations};
use std::net::Ipv4Addr;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

/// A client, its plan and the buffers of both sides.
struct Play {
    plan: Plan,
    client: Client,
    out: Vec<u8>,
    reply: Vec<u8>,
}

impl Play {
    fn new(change: impl FnOnce(&mut Setup)) -> Self {
        let relays = (1..9).map(|n| Ipv4Addr::new(10, 0, n, 1)).collect();
        let population = Population::cycle([0, 12, 1, 2, 3, 4], 1_000_000);
        let mut setup = Setup::new(population, Role::Relay { addresses: relays, hops: 1 }, SERVER);
        setup.retransmission = Some(Retransmission::default());
        change(&mut setup);
        let (out, reply) = (Vec::new(), Vec::new());
        Self { plan: Plan::compile(setup).unwrap(), client: Client::default(), out, reply }
    }

    fn begin(&mut self, kind: Kind, number: u64, lease: Option<Lease>) {
        let client = self.plan.population().client(number);
        let request = ExchangeRequest { kind, number, client, lease, at: Duration::from_secs(5) };
        let step = self.client.begin(&self.plan, request, &mut self.out);
        assert!(matches!(step, Step::Send(_)));
    }

    fn receive(&mut self, kind: MessageType) -> Step<Lease> {
        self.reply.clear();
        let request = Message::scan(&self.out).unwrap();
        let header = Header { yiaddr: Ipv4Addr::new(10, 0, 0, 9), ..Header::reply_to(&request) };
        let mut writer = Writer::new(&mut self.reply, &header, kind);
        writer.address(option::SERVER_ID, SERVER).seconds(option::LEASE_TIME, 4_000);
        writer.end();
        let (xid, message) = Client::open(&self.plan, &self.reply).unwrap();
        assert_eq!(xid, request.xid());
        let second = Duration::from_secs(1);
        self.client.reply(
            &self.plan,
            &ReceivedReply { message, took: second, at: 6 * second },
            &mut self.out,
        )
    }

    /// Acquires a lease, with one lost message, and then performs every other kind of exchange.
    fn live(&mut self, number: u64) {
        self.begin(Kind::Acquire, number, None);
        let step = self.client.expired(&self.plan, Duration::from_secs(4), &mut self.out);
        assert!(matches!(step, Step::Again(_)));
        assert!(matches!(self.receive(MessageType::Offer), Step::Send(_)));
        let Step::Done(Ending { lease: Some(lease), .. }) = self.receive(MessageType::Ack) else {
            panic!("an ACK ends it")
        };
        for kind in [Kind::Renew, Kind::Rebind, Kind::Reboot, Kind::Inform] {
            self.begin(kind, number, Some(lease));
            let done = self.receive(MessageType::Ack);
            assert!(matches!(done, Step::Done(Ending { outcome: Outcome::Ok(5), .. })));
        }
        self.begin(Kind::Release, number, Some(lease));
        self.begin(Kind::Decline, number, Some(lease));
    }
}

fn allocates_nothing(mut play: Play) {
    // The longest client number comes first, so that buffers do not grow afterwards.
    play.live(999_999);
    let before = allocations::by_thread();
    for number in 0..2_000 {
        play.live(number);
    }
    assert_eq!(allocations::by_thread() - before, 0);
}

#[test]
fn composed_packets_allocate_nothing() {
    allocates_nothing(Play::new(|_| {}));
}

#[test]
fn varied_options_allocate_nothing() {
    let varied = |code, sub, text| VariedOption { code, sub, value: Pattern::parse(text).unwrap() };
    allocates_nothing(Play::new(|setup| {
        setup.varied = vec![varied(60, None, "class {n}"), varied(82, Some(1), "eth0/{n}")];
        setup.first_server = true;
    }));
}

#[test]
fn templates_allocate_nothing() {
    let template = |kind| {
        let draft = Draft::new(Header::request(), kind)
            .with(option::REQUESTED_ADDRESS, &[0; 4])
            .with(option::SERVER_ID, &[0; 4]);
        Template {
            name: "packet.hex".into(),
            packet: draft.to_bytes(),
            offsets: Offsets::default(),
        }
    };
    allocates_nothing(Play::new(|setup| {
        setup.first_template = Some(template(MessageType::Discover));
        setup.second_template = Some(template(MessageType::Request));
    }));
}

//! Runs a client against handmade replies: every path through an exchange, without a socket.

mod hostile;
mod packets;
mod paths;
mod templates;

use super::{Client, Lease, Plan, Role, Setup};
use crate::population::{Mac, Population};
use crate::{Dialogue, ExchangeRequest, Kind, OutgoingMessage, ReceivedReply, Step};
use brunt_dhcp_wire::dhcp4::{Header, Message, MessageType, Writer, option};
use std::net::Ipv4Addr;
use std::time::Duration;

const BASE: Mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const LOCAL: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);
const OFFERED: Ipv4Addr = Ipv4Addr::new(10, 9, 1, 2);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn setup() -> Setup {
    let role = Role::Relay { addresses: Vec::new(), hops: 1 };
    let mut setup = Setup::new(Population::cycle(BASE, 3), role, LOCAL);
    setup.waits = [seconds(1), seconds(2)];
    setup
}

/// A client with its plan and the packet that it sent last.
struct Play {
    plan: Plan,
    client: Client,
    out: Vec<u8>,
}

impl Play {
    fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = setup();
        change(&mut setup);
        Self { plan: Plan::compile(setup).unwrap(), client: Client::default(), out: Vec::new() }
    }

    fn plain() -> Self {
        Self::with(|_| {})
    }

    /// Begins an exchange at the tenth second of the run.
    fn begin(&mut self, kind: Kind, number: u64, lease: Option<Lease>) -> Step<Lease> {
        let client = self.plan.population().client(number);
        let client = lease.map_or(client, |lease| lease.client);
        let request = ExchangeRequest { kind, number, client, lease, at: seconds(10) };
        self.client.begin(&self.plan, request, &mut self.out)
    }

    /// The same, when a message is expected.
    fn outgoing(&mut self, kind: Kind, number: u64, lease: Option<Lease>) -> OutgoingMessage {
        outgoing(self.begin(kind, number, lease))
    }

    /// Passes on a reply that arrived after half a second.
    fn receive(&mut self, message: &[u8]) -> Step<Lease> {
        self.receive_after(message, Duration::from_millis(500))
    }

    fn receive_after(&mut self, message: &[u8], took: Duration) -> Step<Lease> {
        let received = ReceivedReply { message, took, at: seconds(10) + took };
        self.client.reply(&self.plan, &received, &mut self.out)
    }

    fn expire(&mut self, since: Duration) -> Step<Lease> {
        self.client.expired(&self.plan, since, &mut self.out)
    }

    /// The packet sent last.
    fn packet(&self) -> Message<'_> {
        Message::scan(&self.out).unwrap()
    }

    /// A reply to the packet sent last.
    fn reply(&self, kind: MessageType) -> Answer {
        let mut header = Header::reply_to(&self.packet());
        header.yiaddr = OFFERED;
        let options = vec![
            (option::SERVER_ID, SERVER.octets().to_vec()),
            (option::LEASE_TIME, 4_000u32.to_be_bytes().to_vec()),
            (option::RENEWAL_TIME, 900u32.to_be_bytes().to_vec()),
            (option::REBINDING_TIME, 1_800u32.to_be_bytes().to_vec()),
        ];
        Answer { kind, header, options }
    }

    /// Gets a lease for exchange `number`.
    fn leased(&mut self, number: u64) -> Lease {
        self.outgoing(Kind::Acquire, number, None);
        outgoing(self.receive(&self.reply(MessageType::Offer).bytes()));
        let Step::Done(ending) = self.receive(&self.reply(MessageType::Ack).bytes()) else {
            panic!("an ACK ends it")
        };
        ending.lease.unwrap()
    }
}

/// A reply under construction.
#[derive(Clone)]
struct Answer {
    kind: MessageType,
    header: Header,
    options: Vec<(u8, Vec<u8>)>,
}

impl Answer {
    fn without(mut self, code: u8) -> Self {
        self.options.retain(|(there, _)| *there != code);
        self
    }

    fn with(mut self, code: u8, value: &[u8]) -> Self {
        self.options.push((code, value.to_vec()));
        self
    }

    fn giving(mut self, address: Ipv4Addr) -> Self {
        self.header.yiaddr = address;
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, &self.header, self.kind);
        for (code, value) in &self.options {
            writer.option(*code, value);
        }
        writer.end();
        out
    }
}

fn outgoing(step: Step<Lease>) -> OutgoingMessage {
    match step {
        Step::Send(outgoing) => outgoing,
        other => panic!("not a message: {other:?}"),
    }
}

/// One side of a captured conversation between perfdhcp and Kea.
fn captured(mark: &str) -> Vec<Vec<u8>> {
    let text = include_str!("../../../../wire/testdata/dhcp4/perfdhcp.hex");
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
    let digit = |byte: &u8| (*byte as char).to_digit(16).unwrap() as u8;
    let bytes = |line: &str| {
        let pairs = line.trim().as_bytes().chunks(2);
        pairs.map(|pair| digit(&pair[0]) << 4 | digit(&pair[1])).collect()
    };
    lines.map(bytes).collect()
}

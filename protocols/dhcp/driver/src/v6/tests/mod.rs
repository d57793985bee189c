//! Runs clients against handmade replies and against those of real servers.

mod capture;
mod hostile;
mod lives;
mod relays;
mod replies;
mod templates;

use super::{BaseDuid, Client, Lease, Plan, Setup};
use crate::{
    Dialogue, ExchangeRequest, Kind, OutgoingMessage, Population, ReceivedReply, Stage, Step,
};
use brunt_dhcp_wire::dhcp6::{IaKind, Message, MessageType, Writer, code};
use std::net::Ipv6Addr;
use std::time::Duration;

const MAC: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];
const SERVER: &[u8] = &[0, 3, 0, 1, 2, 2, 2, 2, 2, 2];
const ADDRESS: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x10);
const PREFIX: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0x100, 0, 0, 0, 0, 0);
const TOOK: Duration = Duration::from_millis(250);

/// This many clients with DUIDs made of a MAC and a time.
fn clients(range: u64) -> Setup {
    Setup::new(Population::cycle(MAC, range), BaseDuid::Time(0x3293_e00b))
}

fn plan(change: impl FnOnce(&mut Setup)) -> Plan {
    let mut setup = clients(1);
    change(&mut setup);
    Plan::compile(setup).unwrap()
}

/// One client and the buffer that its messages are sent from.
#[derive(Default)]
struct Player {
    client: Client,
    out: Vec<u8>,
}

impl Player {
    fn begin(&mut self, plan: &Plan, kind: Kind, number: u64, lease: Option<Lease>) -> Step<Lease> {
        let client = plan.population().client(number);
        let request = ExchangeRequest { kind, number, client, lease, at: Duration::ZERO };
        self.client.begin(plan, request, &mut self.out)
    }

    fn receives(&mut self, plan: &Plan, message: &[u8]) -> Step<Lease> {
        let received = ReceivedReply { message, took: TOOK, at: Duration::from_secs(9) };
        self.client.reply(plan, &received, &mut self.out)
    }

    fn message(&self) -> Message<'_> {
        Message::parse(&self.out).unwrap()
    }

    /// The identifier with which the client has just identified itself.
    fn duid(&self) -> Vec<u8> {
        self.message().client_id().unwrap().to_vec()
    }

    /// Requests a lease and gets it.
    fn acquires(&mut self, plan: &Plan, number: u64) -> Lease {
        outgoing(self.begin(plan, Kind::Acquire, number, None));
        let advertise = self.answer(MessageType::ADVERTISE, gives);
        outgoing(self.receives(plan, &advertise));
        let reply = self.answer(MessageType::REPLY, gives);
        done(self.receives(plan, &reply)).lease.unwrap()
    }

    /// An answer to the last message by [`SERVER`].
    fn answer(&self, kind: MessageType, more: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        answer(kind, self.message().xid(), Some(&self.duid()), Some(SERVER), more)
    }
}

fn answer(
    kind: MessageType,
    xid: u32,
    client: Option<&[u8]>,
    server: Option<&[u8]>,
    more: impl FnOnce(&mut Writer<'_>),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::message(&mut out, kind, xid);
    for (code, id) in [(code::CLIENT_ID, client), (code::SERVER_ID, server)] {
        if let Some(id) = id {
            writer.option(code, id);
        }
    }
    more(&mut writer);
    out
}

/// Writes an address.
fn gives(writer: &mut Writer<'_>) {
    let open = writer.open_ia(IaKind::Na, 1, 1000, 2000);
    writer.address(ADDRESS, 3000, 4000).close(&open);
}

/// Writes a prefix.
fn delegates(writer: &mut Writer<'_>) {
    let open = writer.open_ia(IaKind::Pd, 1, 900, 0);
    writer.prefix(PREFIX, 56, 2000, 3500).close(&open);
}

/// Refuses an address with a status inside the association.
fn refuses(status: u16) -> impl FnOnce(&mut Writer<'_>) {
    move |writer| {
        let open = writer.open_ia(IaKind::Na, 1, 0, 0);
        writer.status(status, "no").close(&open);
    }
}

fn outgoing(step: Step<Lease>) -> OutgoingMessage {
    match step {
        Step::Send(outgoing) => outgoing,
        other => panic!("no message but {other:?}"),
    }
}

/// An ending whose lease can be compared.
#[derive(Debug)]
struct End {
    outcome: brunt_exchange::Outcome,
    answered: bool,
    anomaly: Option<crate::Anomaly>,
    lease: Option<Lease>,
}

fn done(step: Step<Lease>) -> End {
    match step {
        Step::Done(end) => End {
            outcome: end.outcome,
            answered: end.answered,
            anomaly: end.anomaly,
            lease: end.lease,
        },
        other => panic!("no end but {other:?}"),
    }
}

/// The codes of the options in a message.
fn codes(message: &Message<'_>) -> Vec<u16> {
    message.options().into_iter().map(|option| option.code).collect()
}

#[test]
fn transaction_ids_follow_from_the_number() {
    let halves = plan(|setup| setup.first_half = true);
    let all: Vec<u32> = (0..4).map(|number| halves.xid(number, Stage::First)).collect();
    assert_eq!(all, [0, 1, 2, 3]);
    let plan = plan(|_| ());
    assert_eq!((plan.xid(0, Stage::First), plan.xid(0, Stage::Second)), (0, 1));
    assert_eq!((plan.xid(5, Stage::Renew), plan.xid(5, Stage::Second)), (10, 11));
    let last = (1 << 23) - 1;
    assert_eq!(plan.xid(last, Stage::Second), 0xff_ffff);
    assert_eq!(plan.xid(last + 1, Stage::First), 0, "three octets");
    assert_eq!(plan.xid(u64::MAX, Stage::Second), 0xff_ffff);
}

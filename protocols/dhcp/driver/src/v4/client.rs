//! A [`Client`]: one exchange of a DHCPv4 client, from its first message to its end.
//!
//! It accepts an answer only if the answer contains the client's own hardware address: transaction
//! ids count up from 0 in every run, so the answers to a neighbouring client may well have the same
//! ids.

use super::lease::Lease;
use super::plan::{AtOnce, Plan};
use super::recipe::Fields;
use crate::dialogue::Times;
use crate::field::Field;
use crate::population::Mac;
use crate::{
    Anomaly, Dialogue, Ending, ExchangeRequest, Kind, OutgoingMessage, ReceivedReply, Rejected,
    Stage, Step,
};
use brunt_dhcp_wire::dhcp4::{BOOTREPLY, DecodeError, Message, MessageType, at, option, patch};
use brunt_exchange::{Class, Outcome};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// One exchange of a client.
#[derive(Debug)]
pub struct Client {
    stage: Stage,
    number: u64,
    /// The number of the client.
    holder: u64,
    mac: Mac,
    relay: Ipv4Addr,
    /// The seconds that the current message claims when it is sent for the first time.
    secs: u16,
    /// When the exchange began, counted from the beginning of the run.
    began: Duration,
    /// How many times the current message was sent again.
    again: u32,
    /// The lease that the exchange concerns.
    lease: Option<Lease>,
    offered: Option<Ipv4Addr>,
    /// The server that the REQUEST names.
    server: Ipv4Addr,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            stage: Stage::First,
            number: 0,
            holder: 0,
            mac: [0; 6],
            relay: Ipv4Addr::UNSPECIFIED,
            secs: 0,
            began: Duration::ZERO,
            again: 0,
            lease: None,
            offered: None,
            server: Ipv4Addr::UNSPECIFIED,
        }
    }
}

impl Client {
    /// Writes the current stage's message and returns how it must be sent.
    fn outgoing(&mut self, plan: &Plan, out: &mut Vec<u8>) -> OutgoingMessage {
        let held = self.lease.map(|lease| lease.address);
        let none = Ipv4Addr::UNSPECIFIED;
        let ciaddr = match self.stage {
            Stage::Renew | Stage::Rebind | Stage::Release => held.unwrap_or(none),
            Stage::Inform => plan.informed_at(held),
            Stage::First | Stage::Second | Stage::Reboot | Stage::Decline => none,
        };
        let (requested, server) = match self.stage {
            Stage::Second => (self.offered.unwrap_or(none), self.server),
            _ => (held.unwrap_or(none), self.lease.map_or(none, |lease| plan.named(lease.server))),
        };
        // The user's own DISCOVER keeps its seconds unless clients pretend to have waited.
        let kept = self.stage == Stage::First && self.secs == 0;
        let fields = Fields {
            xid: self.xid(),
            secs: self.secs,
            secs_in_template: (!kept).then_some(self.secs),
            mac: self.mac,
            client: self.holder,
            ciaddr,
            giaddr: self.relay,
            requested,
            server,
        };
        plan.write(self.stage, &fields, out);
        self.again = 0;
        let answered = !matches!(self.stage, Stage::Release | Stage::Decline);
        let unicast = matches!(self.stage, Stage::Renew | Stage::Release);
        OutgoingMessage {
            stage: self.stage,
            xid: self.xid(),
            wait: answered.then(|| self.reply_timeout(plan, Duration::ZERO)),
            to: self.lease.filter(|_| unicast).and_then(|lease| plan.unicast(&lease)),
            offered: self.offered.map(IpAddr::V4),
        }
    }

    /// The transaction id: the same for all messages of an exchange.
    const fn xid(&self) -> u32 {
        self.number as u32
    }

    /// How long to wait for the answer to a message that was sent `since` the stage began.
    fn reply_timeout(&self, plan: &Plan, since: Duration) -> Duration {
        plan.reply_timeout(self.stage, self.number, self.again, self.left(since))
    }

    /// The remaining time in which a lease can be renewed, or rebound.
    fn left(&self, since: Duration) -> Option<Duration> {
        let lease = self.lease?;
        let ends = match self.stage {
            Stage::Renew => lease.rebind_after?,
            _ => lease.lasts?,
        };
        Some((lease.granted + ends).saturating_sub(self.began.saturating_add(since)))
    }

    /// Processes an OFFER.
    fn offer(
        &mut self,
        plan: &Plan,
        offer: &Message<'_>,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        match self.stage {
            Stage::First => {}
            Stage::Second => return Step::Ignore(Anomaly::Duplicate),
            _ => return Step::Ignore(Anomaly::Unexpected),
        }
        let Some(server) = offer.server_id() else { return self.failed(Anomaly::Malformed) };
        if offer.yiaddr().is_unspecified() && !plan.no_address {
            return self.failed(Anomaly::Rejected);
        }
        self.offered = Some(offer.yiaddr());
        self.server = plan.server(server);
        if plan.first_half {
            return ended(MessageType::Offer, None);
        }
        self.stage = Stage::Second;
        let waited = u16::try_from(received.took.as_secs()).unwrap_or(u16::MAX);
        self.secs = waited;
        Step::Send(self.outgoing(plan, out))
    }

    /// Processes an ACK.
    fn ack(&mut self, plan: &Plan, ack: &Message<'_>, received: &ReceivedReply<'_>) -> Step<Lease> {
        if self.stage == Stage::Inform {
            return ended(MessageType::Ack, self.lease);
        }
        let at_once = match plan.at_once {
            AtOnce::Never => false,
            AtOnce::Rapid => ack.rapid_commit(),
            AtOnce::Any => true,
        };
        if self.stage == Stage::First && !at_once {
            return Step::Ignore(Anomaly::Unexpected);
        }
        // A renewed or remembered lease is for one address, so an ACK with another address is not
        // an answer.
        let wanted = self.lease.map(|lease| lease.address);
        let given = ack.yiaddr();
        if given.is_unspecified() && plan.no_address {
            return ended(MessageType::Ack, None);
        }
        if given.is_unspecified() || wanted.is_some_and(|wanted| wanted != given) {
            return self.failed(Anomaly::Rejected);
        }
        let known = match self.stage {
            Stage::Second => Some(self.server),
            _ => self.lease.map(|lease| lease.server),
        };
        let Some(server) = ack.server_id().or(known) else {
            return self.failed(Anomaly::Malformed);
        };
        self.offered = Some(given);
        let lease = Lease {
            client: self.holder,
            address: given,
            server,
            relay: self.relay,
            granted: Duration::ZERO,
            lasts: None,
            renew_after: None,
            rebind_after: None,
        };
        let requested = received.at.saturating_sub(received.took);
        ended(MessageType::Ack, Some(lease.timed(ack, requested)))
    }

    /// Processes a NAK: the client loses its lease.
    fn nak(&self, plan: &Plan) -> Step<Lease> {
        let expected = match self.stage {
            Stage::First => plan.at_once == AtOnce::Any,
            Stage::Inform => false,
            _ => true,
        };
        if !expected {
            return Step::Ignore(Anomaly::Unexpected);
        }
        let code = u32::from(MessageType::Nak.byte());
        Step::Done(Ending {
            outcome: Outcome::Failed(Class::Result, code),
            answered: false,
            anomaly: Some(Anomaly::Nak),
            lease: None,
        })
    }

    /// Ends the exchange after an unusable reply. If only the lease is missing, the reply still
    /// counts as an answer. The client keeps a lease that it had before.
    fn failed(&self, anomaly: Anomaly) -> Step<Lease> {
        Step::Done(Ending {
            outcome: Outcome::Failed(Class::Check, 0),
            answered: anomaly == Anomaly::Rejected,
            anomaly: Some(anomaly),
            lease: self.lease,
        })
    }

    fn unanswered(&self, outcome: Outcome) -> Step<Lease> {
        Step::Done(Ending { outcome, answered: false, anomaly: None, lease: self.lease })
    }
}

fn ended(by: MessageType, lease: Option<Lease>) -> Step<Lease> {
    let outcome = Outcome::Ok(u32::from(by.byte()));
    Step::Done(Ending { outcome, answered: true, anomaly: None, lease })
}

impl Dialogue for Client {
    type Plan = Plan;
    type Lease = Lease;

    fn address(lease: &Lease) -> IpAddr {
        lease.address.into()
    }

    fn holder(lease: &Lease) -> u64 {
        lease.client
    }

    fn times(lease: &Lease) -> Times {
        let Lease { granted, renew_after, rebind_after, lasts, .. } = *lease;
        Times { given: granted, renew: renew_after, rebind: rebind_after, ends: lasts }
    }

    fn open<'a>(_plan: &Plan, datagram: &'a [u8]) -> Result<(u32, &'a [u8]), Rejected> {
        let message = Message::scan(datagram).map_err(|error| match error {
            DecodeError::TooShort { .. } => Rejected::TooShort,
            _ => Rejected::Malformed,
        })?;
        let answers = [Some(MessageType::Offer), Some(MessageType::Ack), Some(MessageType::Nak)];
        if message.op() != BOOTREPLY || !answers.contains(&message.message_type()) {
            return Err(Rejected::Unexpected);
        }
        Ok((message.xid(), datagram))
    }

    fn answers(message: &[u8]) -> Option<Stage> {
        let message = Message::scan(message).ok()?;
        let first = match message.message_type()? {
            MessageType::Offer => true,
            MessageType::Ack => message.rapid_commit(),
            _ => false,
        };
        first.then_some(Stage::First)
    }

    fn is_offer(message: &[u8]) -> bool {
        let message = Message::scan(message);
        message.is_ok_and(|message| message.message_type() == Some(MessageType::Offer))
    }

    fn field(message: &[u8], field: Field) -> Option<&[u8]> {
        let text = |from: usize, to: usize| {
            let text = message.get(from..to)?.split(|octet| *octet == 0).next()?;
            (!text.is_empty()).then_some(text)
        };
        match field {
            Field::Option(code) => Message::scan(message).ok()?.option(code.try_into().ok()?),
            Field::Address => message.get(at::YIADDR..at::SIADDR),
            Field::NextServer => message.get(at::SIADDR..at::GIADDR),
            Field::ServerName => text(at::SNAME, at::FILE),
            Field::BootFile => text(at::FILE, at::COOKIE),
        }
    }

    fn server(message: &[u8]) -> Option<&[u8]> {
        Message::scan(message).ok()?.option(option::SERVER_ID)
    }

    fn offered(&self) -> Option<IpAddr> {
        self.offered.map(IpAddr::V4)
    }

    fn begin(
        &mut self,
        plan: &Plan,
        request: ExchangeRequest<Lease>,
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        let ExchangeRequest { kind, number, client, lease, at } = request;
        let leaseless = matches!(kind, Kind::Acquire | Kind::Inform);
        let lease = lease.filter(|_| kind != Kind::Acquire);
        *self = Self {
            stage: Plan::opening(kind),
            number,
            holder: client,
            mac: plan.mac(client),
            relay: lease.map_or_else(|| plan.relay(number), |lease| lease.relay),
            began: at,
            lease,
            ..Self::default()
        };
        if self.lease.is_none() && !leaseless {
            return self.unanswered(Outcome::Skipped);
        }
        if kind == Kind::Acquire {
            self.secs =
                plan.rising.map_or(0, |rising| rising.seconds(at)).try_into().unwrap_or(u16::MAX);
        }
        Step::Send(self.outgoing(plan, out))
    }

    fn reply(
        &mut self,
        plan: &Plan,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        let Ok(message) = Message::scan(received.message) else {
            return Step::Ignore(Anomaly::Malformed);
        };
        if !message.is_reply() || plan.bears_mac && message.chaddr() != self.mac {
            return Step::Ignore(Anomaly::Unexpected);
        }
        match message.message_type() {
            Some(MessageType::Offer) => self.offer(plan, &message, received, out),
            Some(MessageType::Ack) => self.ack(plan, &message, received),
            Some(MessageType::Nak) => self.nak(plan),
            _ => Step::Ignore(Anomaly::Unexpected),
        }
    }

    fn expired(&mut self, plan: &Plan, since: Duration, out: &mut Vec<u8>) -> Step<Lease> {
        let tries = plan.retransmission.map_or(Some(1), |retransmission| retransmission.tries);
        self.again += 1;
        let outlived = matches!(self.stage, Stage::Renew | Stage::Rebind)
            && self.left(since).is_some_and(|left| left.is_zero());
        if outlived || tries.is_some_and(|tries| self.again >= tries) {
            return self.unanswered(Outcome::TimedOut);
        }
        if plan.claims_time(self.stage) {
            let waited = u16::try_from(since.as_secs()).unwrap_or(u16::MAX);
            patch::secs(out, self.secs.saturating_add(waited));
        }
        Step::Again(self.reply_timeout(plan, since))
    }
}

//! A [`Client`]: one exchange of one simulated client, as a state machine over bytes.

use super::layout::Contents;
use super::offer::{self, Offer, Refusal};
use super::plan::hundredths;
use super::retransmission::Retransmission;
use super::{Lease, Plan};
use crate::dialogue::Times;
use crate::field::Field;
use crate::{
    Anomaly, Dialogue, Ending, ExchangeRequest, Kind, OutgoingMessage, ReceivedReply, Rejected,
    Stage, Step,
};
use brunt_dhcp_wire::dhcp6::relay::unwrap;
use brunt_dhcp_wire::dhcp6::{Duid, HEADER_LENGTH, Message, MessageType, set_elapsed, status};
use brunt_exchange::{Class, Outcome};
use std::net::IpAddr;
use std::time::Duration;

/// A client in the middle of an exchange, or between two.
#[derive(Debug)]
pub struct Client {
    kind: Kind,
    stage: Stage,
    number: u64,
    /// The number of the client that sends the messages.
    speaker: u64,
    duid: Duid,
    /// The lease that the exchange concerns.
    lease: Option<Lease>,
    /// The address or prefix that was offered last.
    offered: Option<IpAddr>,
    /// Where in the datagram the elapsed time begins, and its first value.
    elapsed_at: Option<usize>,
    elapsed: u16,
    retransmission: Retransmission,
    /// How long the last attempt waited for the answer.
    wait: Duration,
    /// How many times the message was sent.
    tries: u32,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            kind: Kind::Acquire,
            stage: Stage::First,
            number: 0,
            speaker: 0,
            duid: Duid::link_layer([0; 6]),
            lease: None,
            offered: None,
            elapsed_at: None,
            elapsed: 0,
            retransmission: Retransmission::CONFIRM,
            wait: Duration::ZERO,
            tries: 0,
        }
    }
}

impl Dialogue for Client {
    type Plan = Plan;
    type Lease = Lease;

    fn address(lease: &Lease) -> IpAddr {
        lease.address().into()
    }

    fn holder(lease: &Lease) -> u64 {
        lease.client()
    }

    fn times(lease: &Lease) -> Times {
        lease.times()
    }

    fn open<'a>(_plan: &Plan, datagram: &'a [u8]) -> Result<(u32, &'a [u8]), Rejected> {
        if datagram.len() < HEADER_LENGTH {
            return Err(Rejected::TooShort);
        }
        if datagram.first() == Some(&MessageType::RELAY_FORW.0) {
            return Err(Rejected::Unexpected);
        }
        let message = unwrap(datagram).map_err(|_| Rejected::Malformed)?.message;
        match message.kind() {
            MessageType::ADVERTISE | MessageType::REPLY => Ok((message.xid(), message.bytes())),
            _ => Err(Rejected::Unexpected),
        }
    }

    fn answers(message: &[u8]) -> Option<Stage> {
        Self::is_offer(message).then_some(Stage::First)
    }

    fn is_offer(message: &[u8]) -> bool {
        message.first() == Some(&MessageType::ADVERTISE.0)
    }

    fn field(message: &[u8], field: Field) -> Option<&[u8]> {
        let Field::Option(code) = field else { return None };
        Message::parse(message).ok()?.option(code).map(|option| option.data)
    }

    fn server(message: &[u8]) -> Option<&[u8]> {
        Message::parse(message).ok()?.server_id()
    }

    fn offered(&self) -> Option<IpAddr> {
        self.offered
    }

    fn begin(
        &mut self,
        plan: &Plan,
        request: ExchangeRequest<Lease>,
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        out.clear();
        let ExchangeRequest { kind, number, client, lease, at } = request;
        let needs_lease = !matches!(kind, Kind::Acquire | Kind::Inform);
        if needs_lease && lease.is_none() {
            return Step::Done(Ending {
                outcome: Outcome::Skipped,
                answered: false,
                anomaly: None,
                lease: None,
            });
        }
        // If the lease belongs to another client than the request says, the lease's client sends
        // the messages.
        let speaker = lease.as_ref().map_or(client, Lease::client);
        let duid = plan.duid(speaker);
        *self = Self { kind, number, speaker, duid, lease, ..Self::default() };
        let (stage, message) = plan.opening(kind);
        let elapsed = if stage == Stage::First { plan.risen(at) } else { 0 };
        let held = self.lease.as_ref();
        let contents = Contents {
            client: speaker,
            duid: duid.octets(),
            server: held.map_or(&[], Lease::server),
            addresses: held.map_or(&[], Lease::addresses),
            prefixes: held.map_or(&[], Lease::prefixes),
            elapsed,
        };
        let link = held.map_or(number, Lease::exchange);
        self.elapsed_at = plan.write(message, plan.xid(number, stage), link, &contents, out);
        self.elapsed = elapsed;
        Step::Send(self.outgoing(plan, stage, message, at))
    }

    fn reply(
        &mut self,
        plan: &Plan,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        let Ok(message) = Message::parse(received.message) else {
            return Step::Ignore(Anomaly::Malformed);
        };
        let advertise = match (self.stage, message.kind()) {
            (Stage::First, MessageType::ADVERTISE) => true,
            // A REPLY commits immediately only if it says so (RFC 8415 section 18.2.1).
            (Stage::First, MessageType::REPLY) if plan.rapid_commit() && message.rapid_commit() => {
                false
            }
            (Stage::First, _) => return Step::Ignore(Anomaly::Unexpected),
            (_, MessageType::REPLY) => false,
            (Stage::Second, MessageType::ADVERTISE) => return Step::Ignore(Anomaly::Duplicate),
            _ => return Step::Ignore(Anomaly::Unexpected),
        };
        // RFC 8415 section 16.3 and 16.10: without both identifiers it is not an answer, and with
        // another client identifier it belongs to another client.
        let (Some(client), Some(server)) = (message.client_id(), message.server_id()) else {
            return self.malformed();
        };
        if client != self.duid.octets() {
            return Step::Ignore(Anomaly::Unexpected);
        }
        if advertise {
            return self.advertised(plan, received, (&message, server), out);
        }
        match self.stage {
            Stage::Release | Stage::Decline | Stage::Inform => self.noted(&message),
            Stage::Reboot if plan.opening(self.kind).1 == MessageType::CONFIRM => {
                self.noted(&message)
            }
            _ => self.given(plan, received, (&message, server)),
        }
    }

    fn expired(&mut self, plan: &Plan, since: Duration, out: &mut Vec<u8>) -> Step<Lease> {
        if plan.retransmits() {
            let chance = plan.chance(self.number, self.stage, self.tries);
            if let Some(wait) = self.retransmission.next(self.wait, self.tries, since, chance) {
                if let Some(at) = self.elapsed_at {
                    set_elapsed(out, at, self.elapsed.saturating_add(hundredths(since)));
                }
                self.tries += 1;
                self.wait = wait;
                return Step::Again(wait);
            }
        }
        let keeps = !matches!(self.kind, Kind::Acquire | Kind::Release | Kind::Decline);
        let lease = self.lease.take().filter(|_| keeps);
        Step::Done(Ending { outcome: Outcome::TimedOut, answered: false, anomaly: None, lease })
    }
}

impl Client {
    /// The message that starts a stage, and how long to wait for its answer.
    fn outgoing(
        &mut self,
        plan: &Plan,
        stage: Stage,
        message: MessageType,
        at: Duration,
    ) -> OutgoingMessage {
        self.stage = stage;
        self.tries = 1;
        self.wait = if plan.retransmits() {
            self.retransmission = plan.retransmission(stage, message, self.lease.as_ref(), at);
            self.retransmission.first(plan.chance(self.number, stage, 0))
        } else {
            plan.drop_time(stage)
        };
        OutgoingMessage {
            stage,
            xid: plan.xid(self.number, stage),
            wait: Some(self.wait),
            to: None,
            offered: self.offered,
        }
    }

    /// Processes an offer: requests it, unless the exchange ends with the offer.
    fn advertised(
        &mut self,
        plan: &Plan,
        received: &ReceivedReply<'_>,
        (message, server): (&Message<'_>, &[u8]),
        out: &mut Vec<u8>,
    ) -> Step<Lease> {
        let offer = match offer::read(message, plan.wanted()) {
            Ok(offer) => offer,
            Err(refusal) => return self.refused(refusal),
        };
        self.offered = Some(offer.address.into());
        if plan.first_half() {
            return Step::Done(Ending {
                outcome: Outcome::Ok(MessageType::ADVERTISE.0.into()),
                answered: true,
                anomaly: None,
                lease: None,
            });
        }
        let Offer { addresses, prefixes, .. } = offer;
        self.elapsed = if plan.request_is_timed() { hundredths(received.took) } else { 0 };
        let contents = Contents {
            client: self.speaker,
            duid: self.duid.octets(),
            server: plan.server(server),
            addresses,
            prefixes,
            elapsed: self.elapsed,
        };
        let (request, stage) = (MessageType::REQUEST, Stage::Second);
        out.clear();
        let xid = plan.xid(self.number, stage);
        self.elapsed_at = plan.write(request, xid, self.number, &contents, out);
        Step::Send(self.outgoing(plan, stage, request, received.at))
    }

    /// Processes a REPLY that should grant a lease.
    fn given(
        &mut self,
        plan: &Plan,
        received: &ReceivedReply<'_>,
        (message, server): (&Message<'_>, &[u8]),
    ) -> Step<Lease> {
        let offer = match offer::read(message, plan.wanted()) {
            Ok(offer) => offer,
            Err(refusal) => return self.refused(refusal),
        };
        self.offered = Some(offer.address.into());
        let exchange = self.lease.as_ref().map_or(self.number, Lease::exchange);
        let lease = Lease::new((self.speaker, exchange), server, &offer, received.at);
        ended(Outcome::Ok(MessageType::REPLY.0.into()), None, Some(lease))
    }

    /// Processes a REPLY that only contains a status.
    fn noted(&mut self, message: &Message<'_>) -> Step<Lease> {
        let lease = self.lease.take();
        match offer::status(message) {
            Err(_) => self.malformed(),
            Ok(status::SUCCESS) => {
                let keeps = matches!(self.kind, Kind::Reboot | Kind::Inform);
                let outcome = Outcome::Ok(MessageType::REPLY.0.into());
                ended(outcome, None, lease.filter(|_| keeps))
            }
            Ok(status) => {
                let keeps = self.kind == Kind::Inform;
                let outcome = Outcome::Failed(Class::Result, status.into());
                ended(outcome, None, lease.filter(|_| keeps))
            }
        }
    }

    /// Ends the exchange after an answer without the wanted lease.
    fn refused(&mut self, refusal: Refusal) -> Step<Lease> {
        let outcome = match refusal {
            Refusal::Malformed(_) => return self.malformed(),
            Refusal::Status(status) => Outcome::Failed(Class::Result, status.into()),
            Refusal::Nothing => Outcome::Failed(Class::Check, 0),
        };
        // These two statuses are about the request, not about the lease that the client has.
        let keeps_lease =
            [status::UNSPEC_FAIL, status::USE_MULTICAST].map(Refusal::Status).contains(&refusal);
        let lease = self.lease.take().filter(|_| keeps_lease && self.kind != Kind::Acquire);
        ended(outcome, Some(Anomaly::Rejected), lease)
    }

    /// Ends the exchange after a reply that is not an answer.
    fn malformed(&mut self) -> Step<Lease> {
        let keeps = !matches!(self.kind, Kind::Acquire | Kind::Release | Kind::Decline);
        Step::Done(Ending {
            outcome: Outcome::Failed(Class::Check, 0),
            answered: false,
            anomaly: Some(Anomaly::Malformed),
            lease: self.lease.take().filter(|_| keeps),
        })
    }
}

/// Ends an exchange that was answered.
fn ended(outcome: Outcome, anomaly: Option<Anomaly>, lease: Option<Lease>) -> Step<Lease> {
    Step::Done(Ending { outcome, answered: true, anomaly, lease })
}

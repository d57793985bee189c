//! A [`Session`]: one place among a worker's exchanges in flight, for the engine.
//!
//! What its exchange does and for whom follows from the exchange's number alone. Everything it needs
//! of the network it asks of the hub it shares. It must not know a packet.

use super::Kind;
use super::dialogue::{Dialogue, Note, Order};
use super::hub::{Ended, Hub};
use super::setup::Task;
use crate::chance::mix;
use crate::net::carrier::Carrier;
use brunt_exchange::{Outcome, Part, Ticket, Watch};
use std::rc::Rc;

/// A session that asks for leases, renews and releases them.
pub struct Session<D: Dialogue, C: Carrier + 'static> {
    hub: Rc<Hub<D, C>>,
    slot: u32,
}

impl<D: Dialogue, C: Carrier + 'static> Session<D, C> {
    pub(super) fn new(hub: Rc<Hub<D, C>>, slot: u32) -> Self {
        Self { hub, slot }
    }

    /// What exchange `number` is: its kind, its client and the lease it is about; or its kind
    /// alone, where it needs a lease and none is held.
    fn order(&self, number: u64, watch: &Watch<'_>) -> Result<Order<D::Lease>, Kind> {
        let shared = self.hub.shared();
        let now = watch.now();
        let at = now - shared.origin(now);
        let (kind, rank) = match &shared.task {
            Task::Mix(mix) => {
                let turn = mix.turn(number);
                (turn.kind, turn.rank)
            }
            Task::Release(_) => (Kind::Release, number),
        };
        if kind == Kind::Acquire {
            let client = shared.population.client(rank);
            return Ok(Order { kind, number, client, lease: None, at });
        }
        let lease = match &shared.task {
            Task::Mix(_) => self.hub.take_lease(mix(shared.seed ^ mix(number))),
            Task::Release(leases) => {
                usize::try_from(rank).ok().and_then(|n| leases.get(n)).cloned()
            }
        };
        let lease = lease.ok_or(kind)?;
        Ok(Order { kind, number, client: D::holder(&lease), lease: Some(lease), at })
    }
}

impl<D: Dialogue, C: Carrier + 'static> brunt_exchange::Session for Session<D, C> {
    async fn ready(&mut self, _: &mut Watch<'_>) {
        self.hub.preload().await;
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        match self.order(ticket.number, watch) {
            Ok(order) => {
                watch.operation(order.kind as u16);
                let client = order.client;
                let ended = self.hub.carry_out(self.slot, order).await;
                let v6 = self.hub.shared().destination.is_ipv6();
                report(&ended, ended.stage.title(v6), client, watch);
                ended.outcome
            }
            Err(kind) => {
                watch.operation(kind as u16);
                Outcome::Skipped
            }
        }
    }

    async fn close(&mut self) {
        self.hub.leave();
    }
}

/// Tells the engine what it has to know of an exchange.
pub(super) fn report(ended: &Ended, title: &str, client: u64, watch: &mut Watch<'_>) {
    if let Some(sent) = ended.sent {
        watch.sent_as(sent);
    }
    watch.ended_as(ended.at);
    for (stage, took) in ended.took.iter().flatten() {
        watch.part(Part(*stage as u8), *took);
    }
    if !watch.wants_text() || !matches!(ended.outcome, Outcome::Failed(..)) {
        return;
    }
    let what = match (ended.note, ended.outcome) {
        (Some(Note::Nak), _) => "the server refused by DHCPNAK",
        (Some(Note::Rejected), _) => "the answer brought no lease",
        (Some(Note::Malformed), _) => "the answer was malformed",
        (_, Outcome::Failed(brunt_exchange::Class::Connect, errno)) => {
            let error = std::io::Error::from_raw_os_error(errno.cast_signed());
            return watch.explain(format_args!("client {client}: not sent: {error}"));
        }
        _ => "the answer was not what was asked for",
    };
    watch.explain(format_args!("client {client}: {what} [{title}]"));
}

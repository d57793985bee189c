//! A [`Session`]: for the engine, one place among a worker's exchanges in flight, or one client with a lifecycle.
//!
//! If exchanges are started at rates, the kind and the client of an exchange are derived from its number, and any
//! session performs it. In a fleet, each session is a client with a [`Lifecycle`], which decides what comes next and
//! when. It uses the network only through the hub it shares. It must not depend on the format of packets.

use super::dialogue::{Anomaly, Dialogue, ExchangeRequest};
use super::expectation::found_instead;
use super::hub::{EndedExchange, Hub, Terms};
use super::lifecycle::{ExchangeResult, Lifecycle};
use super::task::Task;
use super::{Kind, Stage};
use brunt_exchange::{Class, Clock, Moment, Outcome, Part, Ticket, Want, Watch};
use brunt_net::carrier::Carrier;
use brunt_net::chance::mix;
use std::rc::Rc;
use std::time::Duration;

/// The part that measures how long a client waited for the server in its whole life; it follows the parts of the
/// stages.
pub const LEASE_LIFE: Part = Part(Stage::ALL.len() as u8);

/// A session that acquires, renews and releases leases.
pub struct Session<D: Dialogue, C: Carrier + 'static> {
    hub: Rc<Hub<D, C>>,
    slot: u32,
    /// The number of the session in the whole run.
    number: u32,
    lifecycle: Option<Box<Lifecycle<D::Lease>>>,
}

impl<D: Dialogue, C: Carrier + 'static> Session<D, C> {
    pub(super) fn new(hub: Rc<Hub<D, C>>, slot: u32, number: u32) -> Self {
        Self { hub, slot, number, lifecycle: None }
    }

    /// The exchange with this number: its kind, its client and the lease it concerns. If it needs a lease and none is
    /// available, the error is its kind.
    fn request(&self, number: u64, now: Moment) -> Result<ExchangeRequest<D::Lease>, Kind> {
        let shared = self.hub.shared();
        let at = now - shared.origin(now);
        let (kind, rank) = match &shared.task {
            Task::Mix(mix) => {
                // Each node applies the mix to its own numbers, so that its clients are its own as well.
                let turn = mix.turn(shared.slots.place(number));
                (turn.kind, turn.rank)
            }
            Task::Release(_) => (Kind::Release, number),
            Task::Live(_) => (Kind::Acquire, u64::from(self.number)),
        };
        if kind == Kind::Acquire {
            let client = match &shared.task {
                Task::Mix(_) => shared.client(rank),
                Task::Release(_) | Task::Live(_) => shared.population.client(rank),
            };
            return Ok(ExchangeRequest { kind, number, client, lease: None, at });
        }
        let lease = match &shared.task {
            Task::Release(leases) => {
                usize::try_from(rank).ok().and_then(|n| leases.get(n)).cloned()
            }
            _ => self.hub.take_lease(mix(shared.seed ^ mix(number))),
        };
        let lease = lease.ok_or(kind)?;
        Ok(ExchangeRequest { kind, number, client: D::holder(&lease), lease: Some(lease), at })
    }

    /// Performs the next exchange in the client's life.
    async fn live(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let now = watch.now();
        let Ok(mut request) = self.request(ticket.number, now) else { return Outcome::Skipped };
        let next =
            self.lifecycle.as_ref().and_then(|lifecycle| Some((lifecycle, lifecycle.next()?.0)));
        let Some((lifecycle, kind)) = next else { return Outcome::Skipped };
        (request.kind, request.lease) = (kind, lifecycle.lease(kind).cloned());
        let terms = Terms { phase: ticket.phase, until: lifecycle.until(kind, now) };
        let client = request.client;
        watch.operation(kind as u16);
        let mut ended = self.hub.carry_out(self.slot, request, terms).await;
        self.report(&ended, client, watch);
        let waited = ended.sent.map_or(Duration::ZERO, |sent| ended.at - sent);
        let (outcome, lease, at) = (ended.outcome, ended.lease.take(), ended.at);
        let turn = ExchangeResult { kind, outcome, lease, waited, at };
        if let Some(lifecycle) = &mut self.lifecycle {
            if let Some(waited) = lifecycle.ended(turn) {
                watch.part(LEASE_LIFE, waited);
            }
            let presence = &self.hub.shared().presence;
            lifecycle.take_changes().for_each(|change| presence.note(change));
        }
        outcome
    }

    /// Reports to the engine what it must know about an exchange.
    fn report(&self, ended: &EndedExchange<D::Lease>, client: u64, watch: &mut Watch<'_>) {
        if let Some(sent) = ended.sent {
            watch.sent_as(sent);
        }
        watch.ended_as(ended.at);
        for (stage, took) in ended.took.iter().flatten() {
            watch.part(Part(*stage as u8), *took);
        }
        explain(ended, &self.hub, self.slot, client, watch);
    }
}

impl<D: Dialogue, C: Carrier + 'static> brunt_exchange::Session for Session<D, C> {
    async fn ready(&mut self, _: &mut Watch<'_>) {
        self.hub.preload().await;
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        if self.lifecycle.is_some() {
            return self.live(ticket, watch).await;
        }
        match self.request(ticket.number, watch.now()) {
            Ok(request) => {
                watch.operation(request.kind as u16);
                let client = request.client;
                let terms = Terms { phase: ticket.phase, until: None };
                let ended = self.hub.carry_out(self.slot, request, terms).await;
                self.report(&ended, client, watch);
                ended.outcome
            }
            Err(kind) => {
                watch.operation(kind as u16);
                Outcome::Skipped
            }
        }
    }

    fn wants(&mut self, free: Moment) -> Want {
        let shared = self.hub.shared();
        let Task::Live(lives) = &shared.task else { return Want::Next };
        let lifecycle = self.lifecycle.get_or_insert_with(|| {
            let origin = shared.origin(free);
            Box::new(Lifecycle::new(*lives, D::times, shared.seed, self.number, origin))
        });
        lifecycle.next().map_or(Want::Nothing, |(_, at)| Want::At(at))
    }

    async fn close(&mut self, _: &dyn Clock) {
        let lease = self.lifecycle.as_mut().and_then(|lifecycle| lifecycle.take_lease());
        if self.hub.shared().leases_max > 0 {
            self.hub.shared().give_back(lease.into_iter().collect());
        }
        self.hub.leave();
    }
}

/// Reports why an exchange failed, if it did.
pub(super) fn explain<D: Dialogue, C: Carrier + 'static>(
    ended: &EndedExchange<D::Lease>,
    hub: &Hub<D, C>,
    slot: u32,
    client: u64,
    watch: &mut Watch<'_>,
) {
    if !watch.wants_text() || !matches!(ended.outcome, Outcome::Failed(..) | Outcome::TimedOut) {
        return;
    }
    let title = ended.stage.title(hub.shared().destination.is_ipv6());
    if ended.sent.is_some() {
        // A stage is named by its request and its answer.
        let request = title.split('-').next().unwrap_or(title);
        watch.requested(format_args!("{request} of client {client}"));
    }
    let what = match (ended.anomaly, ended.outcome) {
        (_, Outcome::TimedOut) => "no answer within the drop time",
        (Some(Anomaly::Nak), _) => "the server refused by DHCPNAK",
        (Some(Anomaly::Rejected), _) => "the answer brought no lease",
        (Some(Anomaly::Malformed), _) => "the answer was malformed",
        (_, Outcome::Failed(Class::Unsent | Class::Descriptors | Class::Fenced, errno)) => {
            let error = std::io::Error::from_raw_os_error(errno.cast_signed());
            return watch.explain(format_args!("client {client}: not sent: {error} [{title}]"));
        }
        _ => {
            let expected = &hub.shared().expectations;
            let found = |answer: &[u8]| found_instead::<D>(expected, ended.outcome, answer);
            if let Some(found) = hub.with_answer(slot, found) {
                return watch
                    .explain(format_args!("client {client}: the answer has {found} [{title}]"));
            }
            "the answer was not what was asked for"
        }
    };
    watch.explain(format_args!("client {client}: {what} [{title}]"));
}

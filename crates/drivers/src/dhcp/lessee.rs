//! [`Lessee`]: one client that does as it is told, and holds a lease between two steps.
//!
//! Its identity follows from its number. The hub it shares keeps a clock of its own, so stamps are carried over to the
//! clock of whoever watches: both run at the same pace and differ in where they begin.

use super::access::{Access, Family};
use super::describe::DescribeReply;
use super::dialogue::{Anomaly, Dialogue, ExchangeRequest};
use super::hub::{Hub, Terms};
use super::session::explain;
use super::{Kind, v4, v6};
use crate::net::udp::Socket;
use brunt_exchange::{Class, Moment, Outcome, Watch};
use std::cell::Cell;
use std::rc::Rc;

/// What the clients of a worker share.
pub struct Station(Seats);

enum Seats {
    V4(Rc<Room<v4::Client>>),
    V6(Rc<Room<v6::Client>>),
}

struct Room<D: Dialogue> {
    hub: Rc<Hub<D, Socket>>,
    /// How many slots are taken.
    taken: Cell<u32>,
    /// How many exchanges there were: transaction ids follow from it.
    count: Cell<u64>,
}

impl Station {
    /// A station for so many clients. To be made once, within a runtime where tasks may be spawned that cannot be
    /// sent.
    pub fn new(access: &Access, clients: usize) -> Self {
        Self(match &access.0 {
            Family::V4(dhcp) => Seats::V4(Room::new(dhcp.hub(0, clients))),
            Family::V6(dhcp) => Seats::V6(Room::new(dhcp.hub(0, clients))),
        })
    }
}

impl std::fmt::Debug for Station {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Station").finish_non_exhaustive()
    }
}

impl<D: Dialogue> Room<D> {
    fn new(hub: Rc<Hub<D, Socket>>) -> Rc<Self> {
        hub.keep_answers();
        Rc::new(Self { hub, taken: Cell::new(0), count: Cell::new(0) })
    }
}

/// One client.
pub struct Lessee(Seat);

enum Seat {
    V4(Box<Client<v4::Client>>),
    V6(Box<Client<v6::Client>>),
}

struct Client<D: Dialogue> {
    room: Rc<Room<D>>,
    slot: u32,
    /// The number of the client in the whole run.
    number: u64,
    lease: Option<D::Lease>,
    /// What the last answer told.
    told: Vec<(String, Vec<u8>)>,
}

impl Lessee {
    /// Client `number` of the whole run.
    ///
    /// # Panics
    ///
    /// If there are more clients than the station was made for.
    pub fn new(station: &Station, number: u32) -> Self {
        Self(match &station.0 {
            Seats::V4(room) => Seat::V4(Box::new(Client::new(room, number))),
            Seats::V6(room) => Seat::V6(Box::new(Client::new(room, number))),
        })
    }

    /// Carries out an exchange of this kind. Where `wanted`, what the answer tells can be asked afterwards.
    /// `phase` is that in which it fell due.
    pub async fn carry_out(
        &mut self,
        kind: Kind,
        wanted: bool,
        phase: u8,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        match &mut self.0 {
            Seat::V4(client) => client.carry_out(kind, wanted, phase, watch).await,
            Seat::V6(client) => client.carry_out(kind, wanted, phase, watch).await,
        }
    }

    /// What the last answer told, by name: `address`, `lease-time` and so on, and each option as `option-N` in
    /// hexadecimal.
    pub fn told(&self) -> &[(String, Vec<u8>)] {
        match &self.0 {
            Seat::V4(client) => &client.told,
            Seat::V6(client) => &client.told,
        }
    }

    /// Takes leave: the lease it holds is left to end by itself.
    pub fn leave(&mut self) {
        match &mut self.0 {
            Seat::V4(client) => client.room.hub.leave(),
            Seat::V6(client) => client.room.hub.leave(),
        }
    }
}

impl<D: DescribeReply> Client<D> {
    fn new(room: &Rc<Room<D>>, number: u32) -> Self {
        let slot = room.taken.replace(room.taken.get() + 1);
        let number = room.hub.shared().population.client(number.into());
        Self { room: Rc::clone(room), slot, number, lease: None, told: Vec::new() }
    }

    async fn carry_out(
        &mut self,
        kind: Kind,
        wanted: bool,
        phase: u8,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        self.told.clear();
        let lease = self.lease.clone().filter(|_| kind != Kind::Acquire);
        if lease.is_none() && kind != Kind::Acquire {
            watch.explain(format_args!("client {}: it holds no lease", self.number));
            return Outcome::Failed(Class::Check, 0);
        }
        let hub = &self.room.hub;
        let shared = hub.shared();
        let (here, there) = (watch.now(), shared.clock.now());
        let number = self.room.count.replace(self.room.count.get() + 1);
        let at = there - shared.origin(there);
        let request = ExchangeRequest { kind, number, client: self.number, lease, at };
        let ended = hub.carry_out(self.slot, request, Terms { phase, until: None }).await;
        let moment = |stamp: Moment| here + (stamp - there);
        if let Some(sent) = ended.sent {
            watch.sent_as(moment(sent));
        }
        watch.ended_as(moment(ended.at));
        explain(&ended, ended.stage.title(shared.destination.is_ipv6()), self.number, watch);
        let well = matches!(ended.outcome, Outcome::Ok(_));
        if well && wanted {
            hub.with_answer(self.slot, |answer| D::describe(answer, &mut self.told));
        }
        self.lease = match (kind, well) {
            (Kind::Release | Kind::Decline, _) => None,
            (_, true) => ended.lease.or(self.lease.take()),
            // Whoever is refused has nothing left.
            _ if ended.anomaly == Some(Anomaly::Nak) => None,
            _ => self.lease.take(),
        };
        ended.outcome
    }
}

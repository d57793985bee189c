//! [`DhcpClient`]: one client that performs single exchanges and keeps its lease between them.
//!
//! Its identity follows from its number. The clock of the hub it shares and that of the watch run at the same pace, but
//! may have different origins, so times are converted.

use super::describe::DescribeReply;
use super::dialogue::{Anomaly, Dialogue, ExchangeRequest};
use super::endpoint::{DhcpEndpoint, Family};
use super::hub::{Hub, Terms};
use super::session::explain;
use super::{Kind, v4, v6};
use brunt_exchange::{Class, Moment, Outcome, Watch};
use brunt_net::udp::Socket;
use std::cell::Cell;
use std::rc::Rc;

/// What the clients of a worker share.
pub struct DhcpAccess(FamilyHub);

enum FamilyHub {
    V4(Rc<SharedHub<v4::Client>>),
    V6(Rc<SharedHub<v6::Client>>),
}

struct SharedHub<D: Dialogue> {
    hub: Rc<Hub<D, Socket>>,
    /// How many slots are in use.
    taken: Cell<u32>,
    /// How many exchanges were started: transaction ids are derived from it.
    count: Cell<u64>,
}

impl DhcpAccess {
    /// Creates the access for this number of clients. Create it once, within a runtime in which tasks that are not
    /// `Send` can be spawned.
    pub fn new(access: &DhcpEndpoint, clients: usize) -> Self {
        Self(match &access.0 {
            Family::V4(dhcp) => FamilyHub::V4(SharedHub::new(dhcp.hub(0, clients))),
            Family::V6(dhcp) => FamilyHub::V6(SharedHub::new(dhcp.hub(0, clients))),
        })
    }
}

impl std::fmt::Debug for DhcpAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DhcpAccess").finish_non_exhaustive()
    }
}

impl<D: Dialogue> SharedHub<D> {
    fn new(hub: Rc<Hub<D, Socket>>) -> Rc<Self> {
        hub.keep_answers();
        Rc::new(Self { hub, taken: Cell::new(0), count: Cell::new(0) })
    }
}

/// One client.
pub struct DhcpClient(FamilyClient);

enum FamilyClient {
    V4(Box<ClientState<v4::Client>>),
    V6(Box<ClientState<v6::Client>>),
}

struct ClientState<D: Dialogue> {
    shared: Rc<SharedHub<D>>,
    slot: u32,
    /// The number of the client in the whole run.
    number: u64,
    lease: Option<D::Lease>,
    /// The values in the last answer.
    values: Vec<(String, Vec<u8>)>,
}

impl DhcpClient {
    /// Creates client `number` of the whole run.
    ///
    /// # Panics
    ///
    /// If there are more clients than the access was created for.
    pub fn new(access: &DhcpAccess, number: u32) -> Self {
        Self(match &access.0 {
            FamilyHub::V4(shared) => FamilyClient::V4(Box::new(ClientState::new(shared, number))),
            FamilyHub::V6(shared) => FamilyClient::V6(Box::new(ClientState::new(shared, number))),
        })
    }

    /// Performs an exchange of this kind. If `wanted` is set, the values of the answer are available afterwards.
    /// `phase` is the phase in which the exchange was due.
    pub async fn carry_out(
        &mut self,
        kind: Kind,
        wanted: bool,
        phase: u8,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        match &mut self.0 {
            FamilyClient::V4(client) => client.carry_out(kind, wanted, phase, watch).await,
            FamilyClient::V6(client) => client.carry_out(kind, wanted, phase, watch).await,
        }
    }

    /// The values of the last answer, by name: `address`, `lease-time` and so on, and each option as `option-N` in
    /// hexadecimal.
    pub fn values(&self) -> &[(String, Vec<u8>)] {
        match &self.0 {
            FamilyClient::V4(client) => &client.values,
            FamilyClient::V6(client) => &client.values,
        }
    }

    /// Closes the client. Its lease is not released and expires on the server.
    pub fn leave(&mut self) {
        match &mut self.0 {
            FamilyClient::V4(client) => client.shared.hub.leave(),
            FamilyClient::V6(client) => client.shared.hub.leave(),
        }
    }
}

impl<D: DescribeReply> ClientState<D> {
    fn new(shared: &Rc<SharedHub<D>>, number: u32) -> Self {
        let slot = shared.taken.replace(shared.taken.get() + 1);
        let number = shared.hub.shared().population.client(number.into());
        Self { shared: Rc::clone(shared), slot, number, lease: None, values: Vec::new() }
    }

    async fn carry_out(
        &mut self,
        kind: Kind,
        wanted: bool,
        phase: u8,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        self.values.clear();
        let lease = self.lease.clone().filter(|_| kind != Kind::Acquire);
        if lease.is_none() && kind != Kind::Acquire {
            watch.explain(format_args!("client {}: it holds no lease", self.number));
            return Outcome::Failed(Class::Check, 0);
        }
        let hub = &self.shared.hub;
        let shared = hub.shared();
        let (here, there) = (watch.now(), shared.clock.now());
        let number = self.shared.count.replace(self.shared.count.get() + 1);
        let at = there - shared.origin(there);
        let request = ExchangeRequest { kind, number, client: self.number, lease, at };
        let ended = hub.carry_out(self.slot, request, Terms { phase, until: None }).await;
        let moment = |stamp: Moment| here + (stamp - there);
        if let Some(sent) = ended.sent {
            watch.sent_as(moment(sent));
        }
        watch.ended_as(moment(ended.at));
        explain(&ended, hub, self.slot, self.number, watch);
        let well = matches!(ended.outcome, Outcome::Ok(_));
        if well && wanted {
            hub.with_answer(self.slot, |answer| D::describe(answer, &mut self.values));
        }
        self.lease = match (kind, well) {
            (Kind::Release | Kind::Decline, _) => None,
            (_, true) => ended.lease.or(self.lease.take()),
            // The client has no lease after a refusal.
            _ if ended.anomaly == Some(Anomaly::Nak) => None,
            _ => self.lease.take(),
        };
        ended.outcome
    }
}

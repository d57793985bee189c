//! The answers of a DHCPv4 server (RFC 2131 section 4.3) and its leases.
//!
//! Options that are the same for all clients are encoded once, at the start; a reply is a header, two options, and
//! those. Every client is served from the same pools, whichever relay it uses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;

use brunt_dhcp_wire::dhcp4::{
    BOOTREQUEST, BROADCAST, CLIENT_PORT, DecodeError, Header, Message, MessageType, SERVER_PORT,
    Writer, option,
};

use super::config::V4;
use super::handler::{Context, Handler, Lease, Reply};
use super::leases::{HeldLease, Leases};
use super::pool::Pools;
use super::script::Faults;
use super::stats::NoReply;
use super::words::{Answer, Family, RequestKind};

/// The identifier of another server: an address reserved for documentation (RFC 5737).
const STRANGER: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 254);

/// Answers DHCPv4 messages.
#[derive(Debug)]
pub(super) struct V4Handler {
    places: Pools,
    leases: Leases,
    server_id: Ipv4Addr,
    lifetime: Duration,
    offer_holds: Duration,
    quarantine: Duration,
    rapid_commit: bool,
    reply_to_source: bool,
    /// Whether answers may be broadcast to clients that have no address yet.
    broadcasts: bool,
    /// The options that every client receives.
    common: Vec<(u8, Vec<u8>)>,
    /// The options that are sent with a lease.
    times: [(u8, u32); 3],
    /// A buffer for the identity of a client.
    client: Vec<u8>,
}

/// The kind of an answer.
#[derive(Clone, Copy)]
enum Response {
    /// An offer or a lease of this address; true if by rapid commit.
    Lease(Answer, Ipv4Addr, bool),
    /// An ACK with options only.
    Options,
    /// A NAK.
    Nak,
}

impl V4Handler {
    pub(super) fn new(config: &V4, server_id: Ipv4Addr, broadcasts: bool) -> Self {
        let places = Pools::of4(&config.pools);
        let mask = config.pools.first().map_or(Ipv4Addr::BROADCAST, |pool| pool.mask());
        let mut common = vec![(option::SUBNET_MASK, mask.octets().to_vec())];
        let lists = [
            (option::ROUTERS, &config.routers),
            (option::DOMAIN_NAME_SERVERS, &config.name_servers),
        ];
        for (code, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            // An option has room for 63 addresses.
            common.push((code, list.iter().take(63).flat_map(Ipv4Addr::octets).collect()));
        }
        let life = config.lifetime;
        let times = [
            (option::LEASE_TIME, life),
            (option::RENEWAL_TIME, life / 2),
            (option::REBINDING_TIME, (u64::from(life) * 7 / 8) as u32),
        ];
        Self {
            leases: Leases::new(places.count()),
            places,
            server_id,
            lifetime: Duration::from_secs(u64::from(life)),
            offer_holds: config.offer_holds,
            quarantine: config.quarantine,
            rapid_commit: config.rapid_commit,
            reply_to_source: config.reply_to_source,
            broadcasts,
            common,
            times,
            client: Vec::with_capacity(256),
        }
    }

    /// Executes a message and returns what to answer.
    fn execute(
        &mut self,
        message: &Message<'_>,
        act: RequestKind,
        now: Duration,
        faults: &Faults,
    ) -> Result<Response, NoReply> {
        if faults.nak {
            return Ok(Response::Nak);
        }
        let ours = message.server_id().is_none_or(|id| id == self.server_id);
        if !ours {
            if act == RequestKind::Request {
                self.leases.withdraw(&self.client);
            }
            return Err(NoReply::NotOurs);
        }
        let requested = message.requested_address();
        if let Some(IpAddr::V4(address)) = faults.address {
            let answer = if act == RequestKind::Discover { Answer::Offer } else { Answer::Ack };
            return Ok(Response::Lease(answer, address, false));
        }
        match act {
            RequestKind::Discover => self.offer(message, now),
            RequestKind::Request => Ok(self.bind(requested, now)),
            RequestKind::Reboot => self.confirm(requested, now),
            RequestKind::Renew | RequestKind::Rebind => Ok(self.bind(Some(message.ciaddr()), now)),
            RequestKind::Release => {
                if let Some(place) = self.place(message.ciaddr()) {
                    self.leases.release(&self.client, place, now);
                }
                Err(NoReply::NoneDefined)
            }
            RequestKind::Decline => {
                if let Some(place) = requested.and_then(|address| self.place(address)) {
                    self.leases.decline(&self.client, place, now + self.quarantine);
                }
                Err(NoReply::NoneDefined)
            }
            RequestKind::Inform => Ok(Response::Options),
        }
    }

    fn offer(&mut self, message: &Message<'_>, now: Duration) -> Result<Response, NoReply> {
        let wanted = message.requested_address().and_then(|address| self.place(address));
        let until = now + self.offer_holds;
        let place =
            self.leases.offer(&self.client, wanted, now, until).ok_or(NoReply::Exhausted)?;
        let address = Ipv4Addr::from_bits(self.places.at(place) as u32);
        if self.rapid_commit && message.rapid_commit() {
            self.leases.bind(&self.client, place, now, now + self.lifetime);
            return Ok(Response::Lease(Answer::Ack, address, true));
        }
        Ok(Response::Lease(Answer::Offer, address, false))
    }

    fn bind(&mut self, address: Option<Ipv4Addr>, now: Duration) -> Response {
        let place = address.and_then(|address| self.place(address));
        let until = now + self.lifetime;
        match (address, place) {
            (Some(address), Some(place)) if self.leases.bind(&self.client, place, now, until) => {
                Response::Lease(Answer::Ack, address, false)
            }
            _ => Response::Nak,
        }
    }

    /// Answers a client that reboots. An unknown client may belong to another server, unless its address does not
    /// belong to this link (RFC 2131 section 4.3.2).
    fn confirm(&mut self, address: Option<Ipv4Addr>, now: Duration) -> Result<Response, NoReply> {
        let Some(address) = address else { return Err(NoReply::Unknown) };
        if !self.places.on_link(u128::from(address.to_bits())) {
            return Ok(Response::Nak);
        }
        let place = self.place(address);
        match self.leases.of(&self.client) {
            None => Err(NoReply::Unknown),
            had if had == place => Ok(self.bind(Some(address), now)),
            Some(_) => Ok(Response::Nak),
        }
    }

    fn place(&self, address: Ipv4Addr) -> Option<u32> {
        self.places.of(u128::from(address.to_bits()))
    }

    /// Puts the identity of the client into `self.client`: its identifier, or else its hardware address.
    fn identify(&mut self, message: &Message<'_>) -> Result<(), NoReply> {
        self.client.clear();
        message.joined(option::CLIENT_ID, &mut self.client);
        if self.client.is_empty() {
            self.client.push(message.htype());
            self.client.extend_from_slice(message.chaddr());
        }
        if self.client.len() < 2 { Err(NoReply::Malformed) } else { Ok(()) }
    }

    fn write(&self, message: &Message<'_>, response: Response, faults: &Faults, out: &mut Vec<u8>) {
        let mut header = Header::reply_to(message);
        header.xid ^= faults.wrong_xid;
        let server_id = if faults.wrong_server { STRANGER } else { self.server_id };
        let (kind, lease) = match response {
            Response::Lease(Answer::Offer, address, _) => (MessageType::Offer, Some(address)),
            Response::Lease(_, address, _) => (MessageType::Ack, Some(address)),
            Response::Options => (MessageType::Ack, None),
            Response::Nak => (MessageType::Nak, None),
        };
        let lease = lease.filter(|_| !faults.no_lease);
        header.yiaddr = lease.unwrap_or(Ipv4Addr::UNSPECIFIED);
        match kind {
            MessageType::Ack => header.ciaddr = message.ciaddr(),
            // The relay must broadcast it (RFC 2131 section 4.3.2).
            MessageType::Nak if header.giaddr != Ipv4Addr::UNSPECIFIED => header.flags |= BROADCAST,
            _ => {}
        }
        let mut writer = Writer::new(out, &header, kind);
        writer.address(option::SERVER_ID, server_id);
        if let Some(id) = message.client_id() {
            // So that clients that share a hardware address can distinguish answers (RFC 6842 section 3).
            writer.option(option::CLIENT_ID, id);
        }
        if matches!(response, Response::Lease(_, _, true)) {
            writer.option(option::RAPID_COMMIT, &[]);
        }
        if lease.is_some() {
            for (code, seconds) in self.times {
                writer.seconds(code, seconds);
            }
        }
        if kind != MessageType::Nak {
            for (code, value) in &self.common {
                writer.option(*code, value);
            }
        }
        if let Some(info) = message.relay_info() {
            writer.option(option::RELAY_INFO, info);
        }
        writer.end();
    }

    /// Where the answer goes (RFC 2131 section 4.1).
    fn destination(
        &self,
        message: &Message<'_>,
        response: Response,
        from: SocketAddr,
    ) -> SocketAddr {
        let (giaddr, ciaddr) = (message.giaddr(), message.ciaddr());
        if self.reply_to_source {
            from
        } else if giaddr != Ipv4Addr::UNSPECIFIED {
            SocketAddrV4::new(giaddr, SERVER_PORT).into()
        } else if ciaddr != Ipv4Addr::UNSPECIFIED && !matches!(response, Response::Nak) {
            SocketAddrV4::new(ciaddr, CLIENT_PORT).into()
        } else if self.broadcasts {
            // A client without an address receives unicast only from a server that writes link-layer frames itself. RFC
            // 2131 allows other servers to broadcast.
            SocketAddrV4::new(Ipv4Addr::BROADCAST, CLIENT_PORT).into()
        } else {
            from
        }
    }
}

impl Handler for V4Handler {
    fn answer(
        &mut self,
        context: &Context<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Reply, NoReply> {
        let message = Message::scan(message).map_err(|error| match error {
            DecodeError::TooShort { .. } => NoReply::TooShort,
            _ => NoReply::Malformed,
        })?;
        if message.op() != BOOTREQUEST {
            return Err(NoReply::Unexpected);
        }
        let named = [message.giaddr(), message.ciaddr()];
        if named.iter().any(|address| address.is_broadcast() || address.is_multicast()) {
            // A message must not make the server send a broadcast.
            return Err(NoReply::Malformed);
        }
        let act = act(&message)?;
        self.identify(&message)?;
        let relayed = message.giaddr() != Ipv4Addr::UNSPECIFIED;
        let faults = context.receive(Family::V4, act, &self.client, relayed)?;
        let response = self.execute(&message, act, context.now, &faults)?;
        self.write(&message, response, &faults, out);
        let answer = match response {
            Response::Lease(answer, ..) => answer,
            Response::Options => Answer::Ack,
            Response::Nak => Answer::Nak,
        };
        Ok(Reply { to: self.destination(&message, response, context.from), answer, faults })
    }

    fn leases(&self) -> Vec<Lease> {
        let lease = |held: HeldLease<'_>| Lease {
            address: Ipv4Addr::from_bits(self.places.at(held.place) as u32).into(),
            length: 32,
            client: held.client.to_vec(),
            state: held.state,
            until: held.until,
            messages: held.messages,
        };
        self.leases.held().map(lease).collect()
    }
}

/// What a client asks for. The kinds of REQUEST are distinguished by RFC 2131 section 4.3.2.
fn act(message: &Message<'_>) -> Result<RequestKind, NoReply> {
    let addressed = message.ciaddr() != Ipv4Addr::UNSPECIFIED;
    Ok(match message.message_type().ok_or(NoReply::Malformed)? {
        MessageType::Discover => RequestKind::Discover,
        MessageType::Request if message.server_id().is_some() => RequestKind::Request,
        MessageType::Request if addressed => RequestKind::Renew,
        MessageType::Request if message.requested_address().is_some() => RequestKind::Reboot,
        MessageType::Request => return Err(NoReply::Malformed),
        MessageType::Release => RequestKind::Release,
        MessageType::Decline => RequestKind::Decline,
        MessageType::Inform => RequestKind::Inform,
        _ => return Err(NoReply::Unexpected),
    })
}

//! The answers of a DHCPv6 server (RFC 8415 section 18.3) and its leases.
//!
//! An identity association has one address or one prefix. It is identified by the DUID of the client and the number of
//! the association. Every client is served from the same pools, whichever relays it uses.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use brunt_dhcp_wire::dhcp6::relay::unwrap;
use brunt_dhcp_wire::dhcp6::{
    DecodeError, Ia, IaKind, Message, MessageType, RelayNesting, Writer, code, status,
};

use super::config::V6;
use super::handler::{Context, Handler, Lease, Reply};
use super::leases::{HeldLease, Leases};
use super::pool::Pools;
use super::script::Faults;
use super::stats::{Counters, NoReply};
use super::words::{Answer, Family, RequestKind};

/// Answers DHCPv6 messages.
#[derive(Debug)]
pub(super) struct V6Handler {
    addresses: LeasePool,
    prefixes: LeasePool,
    duid: Vec<u8>,
    /// The DUID of another server.
    stranger: Vec<u8>,
    preferred: u32,
    valid: u32,
    offer_holds: Duration,
    quarantine: Duration,
    rapid_commit: bool,
    name_servers: Vec<u8>,
    /// A buffer for the identity of an association.
    key: Vec<u8>,
}

/// The addresses or the prefixes, with their leases.
#[derive(Debug)]
struct LeasePool {
    places: Pools,
    leases: Leases,
}

/// A message that is being executed.
#[derive(Clone, Copy)]
struct Request<'a> {
    message: Message<'a>,
    act: RequestKind,
    /// Whether it creates leases rather than offers.
    binds: bool,
    now: Duration,
    faults: Faults,
}

/// The answer to one association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IaOutcome {
    /// This address, or this prefix with its length in bits.
    Given(Ipv6Addr, u8),
    /// Its leases do not belong to the link and must no longer be used.
    Withdrawn,
    /// Refused with this status code.
    Refused(u16),
}

impl V6Handler {
    pub(super) fn new(config: &V6, duid: Vec<u8>) -> Self {
        let mut stranger = duid.clone();
        if let Some(last) = stranger.last_mut() {
            *last = !*last;
        }
        let pool = |places: Pools| LeasePool { leases: Leases::new(places.count()), places };
        Self {
            addresses: pool(Pools::of6(&config.pools)),
            prefixes: pool(Pools::of_prefixes(&config.prefixes)),
            duid,
            stranger,
            preferred: config.preferred,
            valid: config.valid,
            offer_holds: config.offer_holds,
            quarantine: config.quarantine,
            rapid_commit: config.rapid_commit,
            name_servers: config.name_servers.iter().flat_map(Ipv6Addr::octets).collect(),
            key: Vec::with_capacity(256),
        }
    }

    /// Executes the message and writes the options that follow the identifiers.
    fn execute(
        &mut self,
        request: &Request<'_>,
        writer: &mut Writer<'_>,
        counters: &Counters,
    ) -> Result<(), NoReply> {
        match request.act {
            RequestKind::Discover
            | RequestKind::Request
            | RequestKind::Renew
            | RequestKind::Rebind => {
                self.associate(request, writer, counters);
            }
            RequestKind::Reboot => {
                let fits = self.fits(request.message).ok_or(NoReply::Unknown)?;
                let code = if fits { status::SUCCESS } else { status::NOT_ON_LINK };
                write_status(writer, counters, request.faults.status.unwrap_or(code));
            }
            RequestKind::Release | RequestKind::Decline => {
                self.take_back(request, writer, counters);
                write_status(writer, counters, request.faults.status.unwrap_or(status::SUCCESS));
            }
            RequestKind::Inform => {
                if let Some(code) = request.faults.status {
                    write_status(writer, counters, code);
                }
            }
        }
        if !self.name_servers.is_empty()
            && request.message.requested().any(|code| code == code::DNS_SERVERS)
        {
            writer.option(code::DNS_SERVERS, &self.name_servers);
        }
        Ok(())
    }

    /// Answers each association with a lease or with a status.
    fn associate(&mut self, request: &Request<'_>, writer: &mut Writer<'_>, counters: &Counters) {
        let (t1, t2) = (self.preferred / 2, (u64::from(self.preferred) * 4 / 5) as u32);
        for ia in request.message.associations().flatten() {
            let outcome = match request.faults.status {
                Some(code) => IaOutcome::Refused(code),
                None => self.outcome(request, &ia),
            };
            let open = writer.open_ia(ia.kind, ia.iaid, t1, t2);
            match outcome {
                IaOutcome::Given(..) if request.faults.no_lease => {}
                IaOutcome::Given(address, bits) if ia.kind == IaKind::Pd => {
                    writer.prefix(address, bits, self.preferred, self.valid);
                }
                IaOutcome::Given(address, _) => {
                    writer.address(address, self.preferred, self.valid);
                }
                IaOutcome::Withdrawn => {
                    for lease in ia.leases().flatten() {
                        match ia.kind {
                            IaKind::Pd => writer.prefix(lease.address, lease.bits, 0, 0),
                            _ => writer.address(lease.address, 0, 0),
                        };
                    }
                }
                IaOutcome::Refused(code) => write_status(writer, counters, code),
            }
            writer.close(&open);
        }
    }

    /// Executes the request for one association.
    fn outcome(&mut self, request: &Request<'_>, ia: &Ia<'_>) -> IaOutcome {
        let mut wanted = ia.leases().flatten().map(|lease| (lease.address, lease.bits));
        let hint = wanted.find(|(address, _)| !address.is_unspecified());
        self.name(request.message, ia.iaid);
        let until = request.now + Duration::from_secs(u64::from(self.valid));
        let (pool, none) = match ia.kind {
            IaKind::Na => (&mut self.addresses, status::NO_ADDRS_AVAIL),
            IaKind::Pd => (&mut self.prefixes, status::NO_PREFIX_AVAIL),
            IaKind::Ta => return IaOutcome::Refused(status::NO_ADDRS_AVAIL),
        };
        if let (Some(IpAddr::V6(address)), IaKind::Na) = (request.faults.address, ia.kind) {
            return IaOutcome::Given(address, 128);
        }
        let place = hint.and_then(|(address, bits)| pool.place(address, bits));
        let astray = hint.is_some_and(|(address, _)| !pool.places.on_link(address.to_bits()));
        if matches!(request.act, RequestKind::Renew | RequestKind::Rebind) {
            if astray {
                return IaOutcome::Withdrawn;
            }
            let bound = place.filter(|place| {
                pool.leases.of(&self.key) == Some(*place)
                    && pool.leases.bind(&self.key, *place, request.now, until)
            });
            return match bound {
                Some(place) => pool.given(place),
                None => IaOutcome::Refused(status::NO_BINDING),
            };
        }
        if request.act == RequestKind::Request && astray {
            return IaOutcome::Refused(status::NOT_ON_LINK);
        }
        let holds = request.now + self.offer_holds;
        let Some(place) = pool.leases.offer(&self.key, place, request.now, holds) else {
            return IaOutcome::Refused(none);
        };
        if request.binds {
            pool.leases.bind(&self.key, place, request.now, until);
        }
        pool.given(place)
    }

    /// Takes leases back, and answers with a status for those that the client did not have.
    fn take_back(&mut self, request: &Request<'_>, writer: &mut Writer<'_>, counters: &Counters) {
        for ia in request.message.associations().flatten() {
            self.name(request.message, ia.iaid);
            let pool = if ia.kind == IaKind::Pd { &mut self.prefixes } else { &mut self.addresses };
            let mut known = false;
            for lease in ia.leases().flatten() {
                let Some(place) = pool.place(lease.address, lease.bits) else { continue };
                known |= if request.act == RequestKind::Release {
                    pool.leases.release(&self.key, place, request.now)
                } else {
                    pool.leases.decline(&self.key, place, request.now + self.quarantine)
                };
            }
            if !known {
                let open = writer.open_ia(ia.kind, ia.iaid, 0, 0);
                write_status(writer, counters, status::NO_BINDING);
                writer.close(&open);
            }
        }
    }

    /// Whether all addresses of a message belong to the link; `None` if it has no address.
    fn fits(&self, message: Message<'_>) -> Option<bool> {
        let leases = message.associations().flatten().flat_map(|ia| ia.leases().flatten());
        let fit = leases.map(|lease| self.addresses.places.on_link(lease.address.to_bits()));
        fit.reduce(|all, fits| all && fits)
    }

    /// Puts the identity of an association into `self.key`.
    fn name(&mut self, message: Message<'_>, iaid: u32) {
        self.key.clear();
        self.key.extend_from_slice(message.client_id().unwrap_or_default());
        self.key.extend_from_slice(&iaid.to_be_bytes());
    }
}

impl LeasePool {
    fn place(&self, address: Ipv6Addr, bits: u8) -> Option<u32> {
        self.places.of(address.to_bits()).filter(|place| bits == self.places.bits(*place))
    }

    fn at(&self, place: u32) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.places.at(place))
    }

    fn given(&self, place: u32) -> IaOutcome {
        IaOutcome::Given(self.at(place), self.places.bits(place))
    }

    fn lease(&self, held: &HeldLease<'_>) -> Lease {
        Lease {
            address: self.at(held.place).into(),
            length: self.places.bits(held.place),
            client: held.client.to_vec(),
            state: held.state,
            until: held.until,
            messages: held.messages,
        }
    }
}

impl Handler for V6Handler {
    fn answer(
        &mut self,
        context: &Context<'_>,
        datagram: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Reply, NoReply> {
        if datagram.first().is_some_and(|first| MessageType(*first) == MessageType::RELAY_REPL) {
            return Err(NoReply::Unexpected);
        }
        let wrong = |error: DecodeError| match error {
            DecodeError::TooShort { .. } => NoReply::TooShort,
            _ => NoReply::Malformed,
        };
        let unwrapped = unwrap(datagram).map_err(wrong)?;
        let message = unwrapped.message;
        let act = act(&message)?;
        if !is_whole(message) {
            return Err(NoReply::Malformed);
        }
        let nest = RelayNesting::answering(datagram, out).map_err(wrong)?;
        let client = message.client_id().unwrap_or_default();
        let faults = context.receive(Family::V6, act, client, unwrapped.depth > 0)?;
        if message.server_id().is_some_and(|id| id != self.duid) {
            return Err(NoReply::NotOurs);
        }
        let rapid = act == RequestKind::Discover && self.rapid_commit && message.rapid_commit();
        let binds = act != RequestKind::Discover || rapid;
        let (kind, answer) = if binds {
            (MessageType::REPLY, Answer::Ack)
        } else {
            (MessageType::ADVERTISE, Answer::Offer)
        };
        let mut writer = Writer::message(out, kind, message.xid() ^ faults.wrong_xid);
        if !client.is_empty() {
            writer.option(code::CLIENT_ID, client);
        }
        writer
            .option(code::SERVER_ID, if faults.wrong_server { &self.stranger } else { &self.duid });
        if rapid {
            writer.option(code::RAPID_COMMIT, &[]);
        }
        let request = Request { message, act, binds, now: context.now, faults };
        self.execute(&request, &mut writer, context.counters)?;
        nest.close(out);
        Ok(Reply { to: context.from, answer, faults })
    }

    fn leases(&self) -> Vec<Lease> {
        let lease_pools = [&self.addresses, &self.prefixes];
        lease_pools
            .iter()
            .flat_map(|pool| pool.leases.held().map(|held| pool.lease(&held)))
            .collect()
    }
}

/// Writes a status, and counts it unless it is success.
fn write_status(writer: &mut Writer<'_>, counters: &Counters, code: u16) {
    if code != status::SUCCESS {
        counters.status(code);
    }
    writer.status(code, status::name(code).unwrap_or("as the script has it"));
}

/// Whether every association and every lease in it can be decoded.
fn is_whole(message: Message<'_>) -> bool {
    message.associations().all(|ia| ia.is_ok_and(|ia| ia.leases().all(|lease| lease.is_ok())))
}

/// What a client asks for. Fails if the message is not valid for this server (RFC 8415 section 16).
fn act(message: &Message<'_>) -> Result<RequestKind, NoReply> {
    // Whether the message names a server: it must, it must not, or it may.
    let (act, names) = match message.kind() {
        MessageType::SOLICIT => (RequestKind::Discover, Some(false)),
        MessageType::REQUEST => (RequestKind::Request, Some(true)),
        MessageType::CONFIRM => (RequestKind::Reboot, Some(false)),
        MessageType::RENEW => (RequestKind::Renew, Some(true)),
        MessageType::REBIND => (RequestKind::Rebind, Some(false)),
        MessageType::RELEASE => (RequestKind::Release, Some(true)),
        MessageType::DECLINE => (RequestKind::Decline, Some(true)),
        MessageType::INFORMATION_REQUEST => (RequestKind::Inform, None),
        _ => return Err(NoReply::Unexpected),
    };
    let server = message.server_id();
    let anonymous = act != RequestKind::Inform && message.client_id().is_none_or(<[u8]>::is_empty);
    if anonymous || names.is_some_and(|names| names != server.is_some()) {
        return Err(NoReply::Malformed);
    }
    Ok(act)
}

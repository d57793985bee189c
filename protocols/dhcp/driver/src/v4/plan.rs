//! A [`Plan`]: what all DHCPv4 clients of a run share, ready to be sent.

use super::error::SetupError;
use super::lease::Lease;
use super::recipe::{Fields, Recipe, Shape};
use super::setup::{Retransmission, Role, Setup};
use super::template::Form;
use crate::population::{Mac, Population, pick};
use crate::rising::Rising;
use crate::template::{Offsets, Template};
use crate::{Kind, Stage};
use brunt_dhcp_wire::dhcp4::{BROADCAST, Draft, Header, Message, MessageType, at, option};
use brunt_net::chance::mix;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

/// What the clients of a run share: their identities, packets and waiting times.
#[derive(Debug)]
pub struct Plan {
    pub(super) seed: u64,
    pub(super) population: Population,
    pub(super) first_half: bool,
    pub(super) rising: Option<Rising>,
    pub(super) retransmission: Option<Retransmission>,
    role: Role,
    address: Ipv4Addr,
    waits: [Duration; 2],
    packets: Packets,
    first: Option<Form>,
    second: Option<Form>,
    /// The server that made the first offer, if all requests must name it.
    first_server: Option<OnceLock<Ipv4Addr>>,
    /// Whether an answer without an address counts as an answer.
    pub(super) no_address: bool,
    /// Which acknowledgements end an exchange in its first stage.
    pub(super) at_once: AtOnce,
    /// Whether answers contain the client's MAC in `chaddr`.
    pub(super) bears_mac: bool,
}

/// Which acknowledgements end an exchange in its first stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtOnce {
    /// None.
    Never,
    /// One with the rapid commit option.
    Rapid,
    /// Any: the first message is the user's own and is not a DISCOVER.
    Any,
}

/// The packets of a run.
#[derive(Debug)]
struct Packets {
    discover: Recipe,
    request: Recipe,
    /// Renewing and rebinding.
    extend: Recipe,
    reboot: Recipe,
    inform: Recipe,
    release: Recipe,
    decline: Recipe,
}

/// The parameters that clients request, as in perfdhcp: subnet mask, broadcast address, time offset, routers, domain
/// name, domain name servers, host name.
const PARAMETERS: [u8; 7] = [1, 28, 2, 3, 15, 6, 12];

impl Plan {
    /// Composes all packets and checks the user's own.
    pub fn compile(setup: Setup) -> Result<Self, SetupError> {
        let packets = Packets::compose(&setup)?;
        let form = |template: &Option<Template>, called| {
            let Some(template) = template else { return Ok(None) };
            let mut form = Form::check(template)?;
            for (code, value) in &setup.options {
                let added = form.add(*code, value);
                added.map_err(|source| SetupError::Present { message: called, source })?;
            }
            Ok(Some(form))
        };
        let first = form(&setup.first_template, "template of the DISCOVER")?;
        let second = form(&setup.second_template, "template of the REQUEST")?;
        let at_once = match &first {
            Some(form) if form.kind() != Some(MessageType::Discover) => AtOnce::Any,
            Some(form) if form.rapid_commit() => AtOnce::Rapid,
            None if setup.rapid_commit => AtOnce::Rapid,
            _ => AtOnce::Never,
        };
        let bears_mac = first.iter().chain(&second).all(Form::varies_chaddr);
        Ok(Self {
            seed: setup.seed,
            population: setup.population,
            first_half: setup.first_half,
            no_address: setup.no_address,
            rising: setup.rising,
            retransmission: setup.retransmission,
            role: setup.role,
            address: setup.address,
            waits: setup.waits,
            packets,
            first,
            second,
            first_server: setup.first_server.then(OnceLock::new),
            at_once,
            bears_mac,
        })
    }

    /// The clients of the run.
    pub const fn population(&self) -> &Population {
        &self.population
    }

    /// The server that made the first offer, if requests must name it and there was one.
    pub fn first_server(&self) -> Option<Ipv4Addr> {
        self.first_server.as_ref().and_then(OnceLock::get).copied()
    }

    /// Where fields are filled in, in the message that starts a stage of an acquisition. Offsets are counted from its
    /// first byte; those of options point at the code. `packet` is a message of this kind.
    pub fn offsets(&self, stage: Stage, packet: &[u8]) -> Offsets {
        let form = if stage == Stage::First { &self.first } else { &self.second };
        if let Some(form) = form {
            return form.offsets();
        }
        let place = |code| {
            let message = Message::scan(packet).ok()?;
            message.options().flatten().find(|each| each.code == code).map(|each| each.offset)
        };
        Offsets {
            xid: Some(at::XID),
            identity: Some(at::CHADDR + 5),
            elapsed: Some(at::SECS),
            server_id: place(option::SERVER_ID),
            lease: place(option::REQUESTED_ADDRESS),
        }
    }

    /// The server that a request names, given the server that made the offer.
    pub(super) fn server(&self, offering: Ipv4Addr) -> Ipv4Addr {
        self.first_server.as_ref().map_or(offering, |first| *first.get_or_init(|| offering))
    }

    /// The server that a message about a lease names, given the server that granted the lease.
    pub(super) fn named(&self, giving: Ipv4Addr) -> Ipv4Addr {
        self.first_server().unwrap_or(giving)
    }

    /// The relay agent of an exchange; unspecified if clients send directly.
    pub(super) fn relay(&self, number: u64) -> Ipv4Addr {
        match &self.role {
            Role::Client { .. } => Ipv4Addr::UNSPECIFIED,
            Role::Relay { addresses, .. } if addresses.is_empty() => self.address,
            Role::Relay { addresses, .. } => {
                addresses[pick(addresses.len(), self.seed ^ RELAYS, number)]
            }
        }
    }

    /// The destination of a message to the server of a lease, if it is not the default destination.
    pub(super) fn unicast(&self, lease: &Lease) -> Option<SocketAddr> {
        match self.role {
            Role::Client { server_port } => Some((lease.server, server_port).into()),
            Role::Relay { .. } => None,
        }
    }

    /// The address at which a client wants to receive the answer to an INFORM. Servers send the answer there, whatever
    /// relay forwarded the message (RFC 2131 section 4.3.5), to the port of clients. If the clients are behind a relay,
    /// no socket listens on that port; the address is then left out, and the answer goes to the relay.
    pub(super) fn informed_at(&self, held: Option<Ipv4Addr>) -> Ipv4Addr {
        match self.role {
            Role::Client { .. } => held.unwrap_or(self.address),
            Role::Relay { .. } => Ipv4Addr::UNSPECIFIED,
        }
    }

    /// How long to wait for an answer to a message that was sent for the `attempt`th time, counted from 0. `left` is
    /// the remaining time in which the message can be sent at all.
    pub(super) fn reply_timeout(
        &self,
        stage: Stage,
        number: u64,
        attempt: u32,
        left: Option<Duration>,
    ) -> Duration {
        if self.retransmission.is_none() {
            let [first, others] = self.waits;
            return if stage == Stage::First { first } else { others };
        }
        match (stage, left) {
            (Stage::Renew | Stage::Rebind, Some(left)) if !left.is_zero() => halving(left),
            _ => doubling(self.seed, number, stage, attempt),
        }
    }

    /// A client's MAC.
    pub(super) fn mac(&self, client: u64) -> Mac {
        self.population.mac(client)
    }

    /// Writes the message that starts a stage.
    pub(super) fn write(&self, stage: Stage, fields: &Fields, out: &mut Vec<u8>) {
        out.clear();
        let packets = &self.packets;
        match stage {
            Stage::First => match &self.first {
                Some(form) => form.write(fields, out),
                None => packets.discover.write(fields, out),
            },
            Stage::Second => match &self.second {
                Some(form) => form.write(fields, out),
                None => packets.request.write(fields, out),
            },
            Stage::Renew | Stage::Rebind => packets.extend.write(fields, out),
            Stage::Reboot => packets.reboot.write(fields, out),
            Stage::Inform => packets.inform.write(fields, out),
            Stage::Release => packets.release.write(fields, out),
            Stage::Decline => packets.decline.write(fields, out),
        }
    }

    /// Whether the message that starts a stage says how long its client has been waiting.
    pub(super) fn claims_time(&self, stage: Stage) -> bool {
        let form = match stage {
            Stage::First => &self.first,
            Stage::Second => &self.second,
            _ => &None,
        };
        form.as_ref().is_none_or(Form::claims_time)
    }

    /// The first stage of an exchange.
    pub(super) const fn opening(kind: Kind) -> Stage {
        match kind {
            Kind::Acquire => Stage::First,
            Kind::Renew => Stage::Renew,
            Kind::Release => Stage::Release,
            Kind::Rebind => Stage::Rebind,
            Kind::Reboot => Stage::Reboot,
            Kind::Inform => Stage::Inform,
            Kind::Decline => Stage::Decline,
        }
    }
}

/// A salt that makes the choice of a relay independent of other choices of the same exchange.
const RELAYS: u64 = 0x7265_6c61_7973;

impl Packets {
    fn compose(setup: &Setup) -> Result<Self, SetupError> {
        use MessageType::{Decline, Discover, Inform, Release, Request};
        let hops = match setup.role {
            Role::Relay { hops, .. } => hops,
            Role::Client { .. } => 0,
        };
        let compose = |called, kind, broadcast, parameters, shape| {
            let flags = if broadcast && setup.broadcast { BROADCAST } else { 0 };
            let header = Header { hops, flags, ..Header::request() };
            let mut draft = Draft::new(header, kind);
            if parameters {
                draft = draft.with(option::PARAMETER_REQUEST_LIST, &PARAMETERS);
            }
            if setup.rapid_commit && kind == MessageType::Discover {
                draft = draft.with(option::RAPID_COMMIT, &[]);
            }
            Recipe::compose(called, draft, shape, &setup.options, &setup.varied)
        };
        let shape = |requested, server| Shape { requested, server };
        Ok(Self {
            discover: compose("DISCOVER", Discover, true, true, shape(false, false))?,
            request: compose("REQUEST", Request, true, true, shape(true, true))?,
            extend: compose("renewing REQUEST", Request, false, false, shape(false, false))?,
            reboot: compose("REQUEST of INIT-REBOOT", Request, true, true, shape(true, false))?,
            inform: compose("INFORM", Inform, false, true, shape(false, false))?,
            release: compose("RELEASE", Release, false, false, shape(false, true))?,
            decline: compose("DECLINE", Decline, false, false, shape(true, true))?,
        })
    }
}

const SECOND: u128 = 1_000_000_000;

/// The wait after a message was sent for the `attempt`th time, counted from 0: 4, 8, 16, 32 and from then on 64
/// seconds, each up to a second longer or shorter (RFC 2131 section 4.1). It is a function of the seed, the exchange
/// and the attempt, so that a run repeats.
fn doubling(seed: u64, number: u64, stage: Stage, attempt: u32) -> Duration {
    let chance = mix(mix(seed ^ mix(number)) ^ (u64::from(attempt) << 8 | stage as u64));
    let jitter = ((u128::from(chance) * (2 * SECOND + 1)) >> 64) as u64;
    Duration::from_secs((4 << attempt.min(4)) - 1) + Duration::from_nanos(jitter)
}

/// The wait of a client that renews or rebinds: half of the remaining time, but at least a minute, and never more than
/// the remaining time (RFC 2131 section 4.4.5).
fn halving(left: Duration) -> Duration {
    (left / 2).max(Duration::from_secs(60)).min(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_64_seconds() {
        for number in 0..1_000 {
            for (attempt, seconds) in [(0, 4), (1, 8), (2, 16), (3, 32), (4, 64), (5, 64), (99, 64)]
            {
                let wait = doubling(7, number, Stage::First, attempt);
                let off = wait.abs_diff(Duration::from_secs(seconds));
                assert!(off <= Duration::from_secs(1), "attempt {attempt} waits {wait:?}");
                assert_eq!(wait, doubling(7, number, Stage::First, attempt));
            }
        }
    }

    #[test]
    fn backoff_is_randomized() {
        let waits =
            |seed| (0..2_000).map(move |n| doubling(seed, n, Stage::First, 0).as_secs_f64());
        let mean = waits(1).sum::<f64>() / 2_000.0;
        // Five standard errors of a uniform distribution two seconds wide.
        assert!((mean - 4.0).abs() < 5.0 * (2.0 / 12f64.sqrt()) / 2_000f64.sqrt(), "{mean}");
        assert!(waits(1).any(|wait| wait < 3.1) && waits(1).any(|wait| wait > 4.9));
        assert!(waits(1).zip(waits(2)).any(|(one, other)| (one - other).abs() > 0.1));
        let other_stage = doubling(1, 0, Stage::Second, 0);
        assert_ne!(doubling(1, 0, Stage::First, 0), other_stage);
    }

    #[test]
    fn renewal_retry_halves_the_remaining_time() {
        let seconds = Duration::from_secs;
        assert_eq!(halving(seconds(1_000)), seconds(500));
        assert_eq!(halving(seconds(100)), seconds(60));
        assert_eq!(halving(seconds(20)), seconds(20));
        assert_eq!(halving(Duration::ZERO), Duration::ZERO);
    }
}

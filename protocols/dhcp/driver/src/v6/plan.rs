//! A [`Plan`]: a checked [`Setup`], with every message ready to be written.

use super::super::rising::Rising;
use super::super::template::Offsets;
use super::identity::Identity;
use super::layout::{Contents, Layout, Piece};
use super::retransmission::Retransmission;
use super::{Lease, Relay, Setup, SetupError, VariedOption, Wanted};
use crate::population::pick;
use crate::{Kind, Population, Stage};
use brunt_dhcp_wire::dhcp6::{
    Duid, IaKind, MessageType, Opt, RelayNesting, Writer, XID_MAX, code, option, relay,
};
use brunt_net::chance::mix;
use std::net::Ipv6Addr;
use std::sync::OnceLock;
use std::time::Duration;

/// The maximum size of a datagram over IPv6 without jumbograms.
pub(super) const DATAGRAM_MAX: usize = 65_527;

/// The association that every client requests, with the same times as in perfdhcp.
const IAID: u32 = 1;
const T1_REQUESTED: u32 = 3600;
const T2_REQUESTED: u32 = 5400;

/// DNS servers and search domains, as perfdhcp requests them.
const ORO: [u8; 4] = [0, code::DNS_SERVERS as u8, 0, code::DOMAIN_LIST as u8];

/// What all clients of a run share.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that stands for itself")]
pub struct Plan {
    population: Population,
    identity: Identity,
    wanted: Wanted,
    first_half: bool,
    rapid_commit: bool,
    retransmit: bool,
    lease_seconds: f64,
    waits: [Duration; 2],
    rising: Option<Rising>,
    seed: u64,
    layouts: Vec<Layout>,
    /// Whether the REQUEST of a template says how long ago the SOLICIT was sent.
    request_is_timed: bool,
    /// The relay agents, beginning with the one nearest to the clients.
    relays: Vec<Hop>,
    links: Vec<Ipv6Addr>,
    /// Present if all REQUESTs go to the first server that answered.
    first_server: Option<OnceLock<Box<[u8]>>>,
}

/// A relay agent, with its options encoded.
#[derive(Debug)]
struct Hop {
    link: Ipv6Addr,
    peer: Ipv6Addr,
    pieces: Vec<Piece>,
}

impl Plan {
    /// Checks the settings of a run's clients and prepares their messages.
    pub fn compile(setup: Setup) -> Result<Self, SetupError> {
        check(&setup)?;
        let mut layouts = default_layouts(&setup);
        let mut identity = Identity::new(setup.population.clone(), setup.duid);
        if let Some(first) = &setup.first_template {
            let timed = setup.retransmit || setup.rising.is_some();
            let (layout, duids) = first
                .solicit(&setup.population, timed)
                .map_err(|why| SetupError::Template { name: first.name.clone(), why })?;
            identity = duids;
            replace(&mut layouts, with_extras(layout, &setup));
        }
        let request_is_timed = setup.second_template.is_some();
        if let Some(second) = &setup.second_template {
            let layout = second
                .request()
                .map_err(|why| SetupError::Template { name: second.name.clone(), why })?;
            replace(&mut layouts, with_extras(layout, &setup));
        }
        let plan = Self {
            population: setup.population,
            identity,
            wanted: setup.wanted,
            first_half: setup.first_half,
            rapid_commit: setup.rapid_commit,
            retransmit: setup.retransmit,
            lease_seconds: setup.lease_seconds,
            waits: setup.waits,
            rising: setup.rising,
            seed: setup.seed,
            layouts,
            request_is_timed,
            relays: setup.relays.into_iter().map(Hop::new).collect(),
            links: setup.links,
            first_server: setup.first_server.then(OnceLock::new),
        };
        match plan.longest() {
            length if length > DATAGRAM_MAX => Err(SetupError::TooLong { length }),
            _ => Ok(plan),
        }
    }

    /// The clients of the run.
    pub const fn population(&self) -> &Population {
        &self.population
    }

    /// The DUID of a client.
    pub fn duid(&self, client: u64) -> Duid {
        self.identity.duid(client)
    }

    /// What the clients ask for.
    pub const fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// The first server that answered, if all REQUESTs go to it and there was one.
    pub fn first_server(&self) -> Option<&[u8]> {
        self.first_server.as_ref().and_then(OnceLock::get).map(AsRef::as_ref)
    }

    /// Where fields are filled in, in a packet that a client sends. Offsets are counted from the first byte of the
    /// message inside its relay messages; those of options point at the code.
    pub fn offsets(&self, packet: &[u8]) -> Offsets {
        let Ok(unwrapped) = relay::unwrap(packet) else { return Offsets::default() };
        let of = |code| unwrapped.message.option(code);
        let at = |code| of(code).map(|option| option.offset - unwrapped.offset);
        let last = |option: Opt<'_>| {
            let end = self.identity.varying_end(option.data.len());
            option.offset - unwrapped.offset + option::HEADER_LENGTH + end.saturating_sub(1)
        };
        Offsets {
            xid: Some(1),
            identity: of(code::CLIENT_ID).map(last),
            elapsed: at(code::ELAPSED_TIME),
            server_id: at(code::SERVER_ID),
            lease: at(code::IA_NA),
        }
    }

    /// The transaction id of a stage of an exchange. An exchange has two ids unless it ends with its first half; only a
    /// REQUEST uses the second.
    pub const fn xid(&self, number: u64, stage: Stage) -> u32 {
        let second = matches!(stage, Stage::Second);
        let each = if self.first_half { 1 } else { 2 };
        (number as u32).wrapping_mul(each).wrapping_add(second as u32) & XID_MAX
    }

    pub(super) const fn first_half(&self) -> bool {
        self.first_half
    }

    pub(super) const fn rapid_commit(&self) -> bool {
        self.rapid_commit
    }

    pub(super) const fn retransmits(&self) -> bool {
        self.retransmit
    }

    pub(super) const fn request_is_timed(&self) -> bool {
        self.request_is_timed
    }

    /// The stage and the message that begin an exchange.
    pub(super) const fn opening(&self, kind: Kind) -> (Stage, MessageType) {
        match kind {
            Kind::Acquire => (Stage::First, MessageType::SOLICIT),
            Kind::Renew => (Stage::Renew, MessageType::RENEW),
            Kind::Release => (Stage::Release, MessageType::RELEASE),
            Kind::Rebind => (Stage::Rebind, MessageType::REBIND),
            // A CONFIRM is only for addresses; a client with prefixes sends a REBIND instead (RFC 8415 section
            // 18.2.12).
            Kind::Reboot if self.wanted.prefixes() => (Stage::Reboot, MessageType::REBIND),
            Kind::Reboot => (Stage::Reboot, MessageType::CONFIRM),
            Kind::Inform => (Stage::Inform, MessageType::INFORMATION_REQUEST),
            Kind::Decline => (Stage::Decline, MessageType::DECLINE),
        }
    }

    /// How long an answer may take if messages are not sent again.
    pub(super) const fn drop_time(&self, stage: Stage) -> Duration {
        let [first, second] = self.waits;
        if matches!(stage, Stage::First) { first } else { second }
    }

    /// How the message of a stage is sent again, if the stage began `at` this time of the run.
    pub(super) fn retransmission(
        &self,
        stage: Stage,
        kind: MessageType,
        lease: Option<&Lease>,
        at: Duration,
    ) -> Retransmission {
        if stage == Stage::Reboot {
            return Retransmission::CONFIRM;
        }
        // A RENEW is tried until T2, a REBIND until the lease expires. Neither begins before its time, however young
        // the lease is according to the run's clock.
        let altogether = lease.map(|lease| {
            let (begin, end) = if kind == MessageType::RENEW {
                (lease.t1(), lease.t2())
            } else {
                (lease.t2(), lease.valid())
            };
            let age = at.saturating_sub(lease.given()).as_secs_f64() * self.lease_seconds;
            let left = end.as_secs_f64() - age.max(begin.as_secs_f64());
            Duration::try_from_secs_f64(left / self.lease_seconds).unwrap_or_default()
        });
        Retransmission::with(kind, altogether)
    }

    /// The random value of one attempt to send a stage's message.
    pub(super) fn chance(&self, number: u64, stage: Stage, tries: u32) -> u64 {
        mix(self.seed ^ mix(number)) ^ ((stage as u64) << 32) ^ u64::from(tries)
    }

    /// The elapsed time that a SOLICIT claims at this time of the run, in hundredths of a second. Like perfdhcp, it
    /// counts whole seconds from the beginning of the rise.
    pub(super) fn risen(&self, at: Duration) -> u16 {
        let seconds = self.rising.map_or(0, |rising| rising.seconds(at));
        hundredths(Duration::from_secs(seconds))
    }

    /// The server that REQUESTs go to, after an answer from the server `received`.
    pub(super) fn server<'a>(&'a self, received: &'a [u8]) -> &'a [u8] {
        self.first_server.as_ref().map_or(received, |first| first.get_or_init(|| received.into()))
    }

    /// Writes a message with all relay messages around it to `out`, which must be empty. Returns where its elapsed time
    /// begins, if it has one. `link` is the number of the exchange, which selects the link address.
    pub(super) fn write(
        &self,
        kind: MessageType,
        xid: u32,
        link: u64,
        contents: &Contents<'_>,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let mut nest = RelayNesting::default();
        for (hops, hop) in self.relays.iter().enumerate().rev() {
            let chosen = if hops == 0 { self.link(link) } else { None };
            let link = chosen.unwrap_or(hop.link);
            relay::header(MessageType::RELAY_FORW, hops as u8, link, hop.peer, out);
            for piece in &hop.pieces {
                piece.write(contents, out);
            }
            let fits = nest.open(out);
            debug_assert!(fits, "the number of relay agents was checked");
        }
        let layout = self.layouts.iter().find(|layout| layout.kind() == kind);
        let elapsed_at = layout.and_then(|layout| layout.write(xid, contents, out));
        nest.close(out);
        elapsed_at
    }

    fn link(&self, number: u64) -> Option<Ipv6Addr> {
        let count = self.links.len();
        if count == 0 { None } else { Some(self.links[pick(count, mix(!self.seed), number)]) }
    }

    /// The maximum length of a message, without the parts that come from a server.
    fn longest(&self) -> usize {
        let duid = self.identity.duid(0).octets().len();
        let message = self.layouts.iter().map(|layout| layout.longest(duid)).max().unwrap_or(0);
        let hop = |hop: &Hop| {
            let options = Layout::in_order(MessageType::RELAY_FORW, hop.pieces.iter().cloned());
            relay::HEADER_LENGTH + option::HEADER_LENGTH + options.longest(duid)
        };
        message + self.relays.iter().map(hop).sum::<usize>()
    }
}

impl Hop {
    fn new(relay: Relay) -> Self {
        let mut pieces: Vec<(u16, Piece)> = Vec::new();
        pieces.extend(relay.options.iter().map(|(code, data)| (*code, Piece::fixed(*code, data))));
        pieces.extend(relay.varied.into_iter().map(|varied| (varied.code, Piece::Varied(varied))));
        pieces.sort_by_key(|(code, _)| *code);
        let pieces = pieces.into_iter().map(|(_, piece)| piece).collect();
        Self { link: relay.link, peer: relay.peer, pieces }
    }
}

/// A time in hundredths of a second, up to the maximum of two octets (RFC 8415 section 21.9).
pub(super) fn hundredths(time: Duration) -> u16 {
    u16::try_from(time.as_millis() / 10).unwrap_or(u16::MAX)
}

fn check(setup: &Setup) -> Result<(), SetupError> {
    if setup.relays.len() > relay::DEPTH_MAX {
        return Err(SetupError::Relays { count: setup.relays.len() });
    }
    if setup.relays.is_empty() && !setup.links.is_empty() {
        return Err(SetupError::Links { count: setup.links.len() });
    }
    let relayed = setup.relays.iter().flat_map(|relay| &relay.options);
    for (code, data) in setup.options.iter().chain(relayed) {
        if data.len() > usize::from(u16::MAX) {
            return Err(SetupError::OptionLength { code: *code, length: data.len() });
        }
    }
    let relayed = setup.relays.iter().flat_map(|relay| &relay.varied);
    for VariedOption { code, text, .. } in setup.varied.iter().chain(relayed) {
        if text.longest() + 6 > usize::from(u16::MAX) {
            return Err(SetupError::OptionLength { code: *code, length: text.longest() });
        }
    }
    if !(setup.lease_seconds.is_finite() && setup.lease_seconds > 0.0) {
        return Err(SetupError::LeaseSeconds(setup.lease_seconds));
    }
    let templates = setup.first_template.is_some() || setup.second_template.is_some();
    if templates && setup.wanted != Wanted::Addresses {
        return Err(SetupError::TemplatePrefixes);
    }
    Ok(())
}

/// Every message that a client sends. The options of the first five are those in captures of perfdhcp; the others
/// follow RFC 8415 section 18.2.
fn default_layouts(setup: &Setup) -> Vec<Layout> {
    let layout = |kind, extra: &[Piece]| {
        let mut pieces: Vec<(u16, Piece)> = vec![(code::CLIENT_ID, Piece::ClientId)];
        pieces.extend(extra.iter().map(|piece| (piece.code(), piece.clone())));
        if setup.retransmit && !extra.contains(&Piece::Elapsed) {
            pieces.push((code::ELAPSED_TIME, Piece::Elapsed));
        }
        pieces.extend(extras(setup));
        Layout::ascending(kind, pieces)
    };
    let requested = |kind: IaKind| {
        let mut bytes = Vec::new();
        let mut writer = Writer::behind(&mut bytes);
        let open = writer.open_ia(kind, IAID, T1_REQUESTED, T2_REQUESTED);
        writer.close(&open);
        Piece::Fixed(bytes)
    };
    let oro = || Piece::fixed(code::ORO, &ORO);
    let mut solicit = vec![oro(), Piece::Elapsed];
    if setup.wanted.addresses() {
        solicit.push(requested(IaKind::Na));
    }
    if setup.rapid_commit {
        solicit.push(Piece::fixed(code::RAPID_COMMIT, &[]));
    }
    if setup.wanted.prefixes() {
        solicit.push(requested(IaKind::Pd));
    }
    let (server, elapsed) = (Piece::ServerId, Piece::Elapsed);
    let (addresses, prefixes) = (Piece::Addresses, Piece::Prefixes);
    let held = [server.clone(), addresses.clone(), prefixes.clone()];
    let mut request = held.to_vec();
    request.push(elapsed.clone());
    vec![
        layout(MessageType::SOLICIT, &solicit),
        layout(MessageType::REQUEST, &request),
        layout(MessageType::RENEW, &held),
        layout(MessageType::RELEASE, &held),
        layout(MessageType::REBIND, &[addresses.clone(), oro(), elapsed.clone(), prefixes]),
        layout(MessageType::CONFIRM, &[addresses.clone(), elapsed.clone()]),
        // Prefixes are not declined (RFC 8415 section 18.2.8).
        layout(MessageType::DECLINE, &[server, addresses, elapsed.clone()]),
        layout(MessageType::INFORMATION_REQUEST, &[oro(), elapsed]),
    ]
}

/// The options that the user adds to every message.
fn extras(setup: &Setup) -> impl Iterator<Item = (u16, Piece)> {
    let fixed = setup.options.iter().map(|(code, data)| (*code, Piece::fixed(*code, data)));
    let varied = setup.varied.iter().map(|varied| (varied.code, Piece::Varied(varied.clone())));
    fixed.chain(varied)
}

/// Adds the user's options. In a template, they follow its own options, whose order does not change.
fn with_extras(layout: Layout, setup: &Setup) -> Layout {
    let kind = layout.kind();
    let mut pieces = layout.into_pieces();
    let solicit = kind == MessageType::SOLICIT;
    let rapid_commit = Piece::fixed(code::RAPID_COMMIT, &[]);
    if solicit && setup.rapid_commit && !has_rapid_commit(&pieces) {
        pieces.push(rapid_commit);
    }
    pieces.extend(extras(setup).map(|(_, piece)| piece));
    Layout::in_order(kind, pieces)
}

fn has_rapid_commit(pieces: &[Piece]) -> bool {
    let fixed = pieces.iter().filter_map(|piece| match piece {
        Piece::Fixed(bytes) => brunt_dhcp_wire::dhcp6::Options::parse(bytes, 0).ok(),
        _ => None,
    });
    fixed.into_iter().any(|options| options.find(code::RAPID_COMMIT).is_some())
}

fn replace(layouts: &mut [Layout], layout: Layout) {
    if let Some(place) = layouts.iter_mut().find(|other| other.kind() == layout.kind()) {
        *place = layout;
    }
}

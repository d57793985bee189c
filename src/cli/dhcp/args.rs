//! What a command line of perfdhcp asks for, as values that can only be legal.
//!
//! Whoever carries a run out needs no second look at the words: defaults are filled in, special words are addresses,
//! and what excludes each other cannot stand here together. Files stay paths and schedules and objectives stay text:
//! whoever understands them reads them, before the run starts.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use brunt_drivers::dhcp::expectation::Expectation;
use brunt_drivers::dhcp::field::Field;
use brunt_drivers::dhcp::varied::Pattern;
use brunt_drivers::net::source::Sources;

use super::varied::VariedOption;
use crate::cli::arrivals::Rate;
use crate::cli::run_options::RunOptions;

/// Everything a run of perfdhcp needs to know.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DhcpArgs {
    /// The words it was called with, beginning with the name of the tool, each switch and each value a word.
    pub(crate) words: Vec<String>,
    /// The protocol.
    pub(crate) family: Family,
    /// What the clients live through.
    pub(crate) scenario: Scenario,
    /// Who is asked, and from where.
    pub(crate) route: Route,
    /// What an exchange consists of.
    pub(crate) exchange: Exchange,
    /// Who asks.
    pub(crate) clients: Clients,
    /// Messages from files, if any.
    pub(crate) templates: Option<Templates>,
    /// When and how much.
    pub(crate) load: Load,
    /// When an answer is missing, and when the run ends.
    pub(crate) limits: Limits,
    /// Where results go.
    pub(crate) output: Output,
    /// What the user should be told on standard error before the run starts.
    pub(crate) notes: Vec<String>,
}

/// The protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// DHCPv4.
    V4,
    /// DHCPv6.
    V6,
}

/// What the clients live through.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scenario {
    /// Exchanges at a rate, nothing sent twice.
    Basic,
    /// Every client at once, until all are answered.
    Avalanche,
    /// Clients with lives of their own.
    Fleet(Fleet),
}

/// How the clients of a fleet live.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fleet {
    /// When they come up for the first time.
    pub(crate) births: Births,
    /// Whether leases are renewed and rebound when their times say so.
    pub(crate) renewals: bool,
    /// The share of lives that end with a release instead of in silence, 0 to 1.
    pub(crate) release_share: f64,
    /// The share of leases that are declined, 0 to 1.
    pub(crate) decline_share: f64,
    /// The share of lives that begin by asking for options only, 0 to 1.
    pub(crate) inform_share: f64,
    /// The share of lives that begin by confirming a remembered lease, 0 to 1.
    pub(crate) reboot_share: f64,
    /// How much faster lease times pass than they say.
    pub(crate) time_scale: f64,
    /// When all lose their power at once, if ever.
    pub(crate) power_cut: Option<PowerCut>,
}

/// When the clients of a fleet come up for the first time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Births {
    /// So many a second.
    PerSecond(f64),
    /// All of them, spread evenly over this time.
    Over(Duration),
}

/// Every client goes away without a word and comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PowerCut {
    /// When, counted from the start.
    pub(crate) at: Duration,
    /// The time over which they come back.
    pub(crate) within: Duration,
}

/// Who is asked, and from where.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The address that everything is sent to. It may be a broadcast or multicast address only with `lab`.
    pub(crate) server: IpAddr,
    /// Its port.
    pub(crate) server_port: u16,
    /// The interface of `-l`.
    pub(crate) interface: Option<String>,
    /// The local address of `-l`; without one, that of the interface or of the route to the server.
    pub(crate) local: Option<IpAddr>,
    /// The local port.
    pub(crate) local_port: u16,
    /// Set `SO_BROADCAST` (`-B`, or the server is a broadcast address).
    pub(crate) broadcast: bool,
    /// Set the broadcast flag in messages (the server was called `all`, or nothing, in DHCPv4).
    pub(crate) broadcast_flag: bool,
    /// Relays between the clients and the server; 0 sends what clients themselves send.
    pub(crate) relay_levels: u8,
    /// A real client without a relay, on the link layer where need be (`--client`, DHCPv4 only).
    pub(crate) client: bool,
    /// A file of relay addresses, one of them for each exchange (`-J`).
    pub(crate) relay_addresses: Option<PathBuf>,
    /// Addresses to send from. Empty: `local`.
    pub(crate) source_ips: Sources,
    /// Ports to send from. Empty: `local_port`.
    pub(crate) source_ports: Vec<u16>,
    /// Whether all that hear a broadcast belong to a laboratory.
    pub(crate) lab: bool,
}

impl Route {
    /// The number of addresses and ports to send from, each of which has a socket.
    pub(crate) fn sources(&self) -> usize {
        self.source_ips.count(self.server) * self.source_ports.len().max(1)
    }
}

/// What an exchange consists of.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchange {
    /// Stop after the first answer (`-i`).
    pub(crate) first_half: bool,
    /// Ask for rapid commit (`-c`).
    pub(crate) rapid_commit: bool,
    /// What is leased (`-e`).
    pub(crate) lease: Lease,
    /// Ask whichever server answered first for everything (`-1`).
    pub(crate) same_server: bool,
    /// Renewals a second (`-f`); 0 for none.
    pub(crate) renew_rate: f64,
    /// Releases a second (`-F`); 0 for none.
    pub(crate) release_rate: f64,
    /// Options added to every message of a client (`-o`, `--option`), in the order given.
    pub(crate) options: Vec<VariedOption>,
    /// Options added by relays (`--or`, `--relay-option`), in the order given.
    pub(crate) relay_options: Vec<VariedOption>,
    /// Send a rising elapsed time from the first moment (`-Y`) for so long (`-y`).
    pub(crate) elapsed: Option<Elapsed>,
    /// Send unanswered messages again as the RFCs say.
    pub(crate) retransmit: bool,
    /// Give back every lease at the end.
    pub(crate) release_on_exit: bool,
    /// What answers have to hold (`--expect`), in the order given.
    pub(crate) expected: Vec<Expected>,
}

/// What an answer has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    /// As it was given.
    pub(crate) text: String,
    /// What it says.
    pub(crate) expectation: Expectation,
}

impl Expected {
    /// Whether an answer without an address is what is wanted, as from a boot server beside a DHCP server.
    pub(crate) fn wants_no_address(&self) -> bool {
        let none = Pattern::fixed(vec![0; 4]);
        self.expectation.field == Field::Address && self.expectation.value == Some(none)
    }
}

/// What is leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lease {
    /// An address.
    Address,
    /// A prefix.
    Prefix,
    /// Both.
    Both,
}

/// When clients claim to have waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elapsed {
    /// From when on.
    pub(crate) after: Duration,
    /// For how long.
    pub(crate) lasting: Duration,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clients {
    /// How many different ones.
    pub(crate) count: NonZeroU32,
    /// The MAC address of the first.
    pub(crate) mac: [u8; 6],
    /// The DUID of the first, if not one made from its MAC address.
    pub(crate) duid: Option<Vec<u8>>,
    /// A file of MAC addresses to be drawn from instead (`-M`).
    pub(crate) macs: Option<PathBuf>,
    /// Count addresses that were given twice (`-u`).
    pub(crate) unique: bool,
}

/// Messages from files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Templates {
    /// DISCOVER or SOLICIT.
    pub(crate) first: Template,
    /// REQUEST, which is built otherwise.
    pub(crate) second: Option<SecondTemplate>,
}

/// One message from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// The file, hexadecimal.
    pub(crate) path: PathBuf,
    /// Where the transaction id stands, if not where its protocol has it.
    pub(crate) xid: Option<usize>,
    /// Where the last byte of the MAC address or DUID stands, if not where the message has it.
    pub(crate) random: Option<usize>,
}

/// The second message from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecondTemplate {
    /// The message.
    pub(crate) template: Template,
    /// Where the elapsed time stands.
    pub(crate) elapsed: ElapsedOffset,
    /// Where the server identifier option stands, if not where the message has it.
    pub(crate) server_id: Option<usize>,
    /// Where the requested address option or the `IA_NA` stands, if not where the message has it.
    pub(crate) address: Option<usize>,
}

/// Where the elapsed time of a template stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElapsedOffset {
    /// Where the message has it.
    Found,
    /// At this offset.
    At(usize),
    /// It is left as the template has it.
    Off,
}

impl ElapsedOffset {
    /// The offset as the old switch spells it: 0 leaves the time alone.
    pub(crate) const fn offset(self) -> Option<usize> {
        match self {
            Self::Found => None,
            Self::At(offset) => Some(offset),
            Self::Off => Some(0),
        }
    }
}

/// When and how much.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    /// When exchanges start. Only the basic scenario has another than [`Rate::Unlimited`].
    pub(crate) rate: Rate,
    /// Most exchanges in flight, if not the default.
    pub(crate) window: Option<NonZeroU32>,
    /// Due exchanges that may wait, if not the default.
    pub(crate) backlog: Option<usize>,
    /// Exchanges before all others, back to back and not counted (`-P`).
    pub(crate) preload: u32,
    /// Time before anything is counted.
    pub(crate) warm_up: Duration,
    /// Worker threads, where it matters: as many as there are sources.
    pub(crate) workers: Option<usize>,
    /// Whether workers stay on their processors.
    pub(crate) pin: bool,
    /// Most datagrams in one system call (`-a`, `--batch`), if not the default.
    pub(crate) batch: Option<usize>,
    /// Seed of everything random; one is to be drawn if there is none.
    pub(crate) seed: Option<u64>,
}

/// When an answer is missing, and when the run ends. Pairs are for the first and the second stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limits {
    /// How long to wait for an answer (`-d`).
    pub(crate) drop_time: [Duration; 2],
    /// Drops at which to stop (`-D`).
    pub(crate) drops: [DropLimit; 2],
    /// Messages after which to stop (`-n`).
    pub(crate) numbers: [Option<u64>; 2],
    /// Time after which to stop (`-p`).
    pub(crate) period: Option<Duration>,
    /// How long to wait for the last answers (`-W`); without it, as long as `drop_time` allows.
    pub(crate) exit_wait: Option<Duration>,
}

/// Drops at which to stop: whichever of the two is reached first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DropLimit {
    /// So many, which is at least one.
    pub(crate) count: Option<u64>,
    /// This share of what was sent, above 0 and below 1, once ten were to be answered.
    pub(crate) share: Option<f64>,
}

/// Where results go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// Whose words the report uses.
    pub(crate) style: Style,
    /// Time between interim reports (`-t`).
    pub(crate) interim: Option<Duration>,
    /// What happened since the last of them as well (`--deltas`).
    pub(crate) deltas: bool,
    /// Bare values with this between them, and no banner (`-C`).
    pub(crate) separator: Option<String>,
    /// What else is shown (`-x`).
    pub(crate) diagnostics: Diagnostics,
    /// A command to call at the start and at the end (`-w`).
    pub(crate) wrapped: Option<String>,
    /// Time between intervals of the record.
    pub(crate) interval: Duration,
    /// What every run takes; the objectives were seen to be legal.
    pub(crate) run: RunOptions,
    /// Take the moment of receiving from the kernel.
    pub(crate) kernel_stamps: bool,
}

/// Whose words the report uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Those of the guide of 2012.
    Guide,
    /// Those of current Kea.
    Kea,
}

/// What else is shown, letter by letter of `-x`.
#[expect(clippy::struct_excessive_bools, reason = "each is a letter, independent of the others")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Diagnostics {
    /// `a`: the decoded command line.
    pub(crate) arguments: bool,
    /// `e`: why the run ended.
    pub(crate) exit_reason: bool,
    /// `i`: details of the rate.
    pub(crate) rate: bool,
    /// `l`: the leases received.
    pub(crate) leases: bool,
    /// `r`: what was drawn at random.
    pub(crate) randomness: bool,
    /// `s`: the first server identifier.
    pub(crate) server_id: bool,
    /// `t`: the moments of every exchange.
    pub(crate) timers: bool,
    /// `T`: the first message of each kind.
    pub(crate) templates: bool,
}

//! The settings of a perfdhcp command line, as types whose values are always legal.
//!
//! A caller that carries a run out need not look at the words again: defaults are filled in, special words are
//! addresses, and combinations that exclude each other cannot be represented. Files stay paths, and schedules and
//! objectives stay text: the modules that use them parse them, before the run starts.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use brunt_dhcp_driver::expectation::Expectation;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::field::Field;
use brunt_dhcp_driver::varied::Pattern;
use brunt_net::source::Sources;
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::output::OutputArgs;

use super::varied::VariedOption;

/// Everything a run of perfdhcp needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct DhcpArgs {
    /// The protocol.
    pub family: Family,
    /// The clients' scenario.
    pub scenario: Scenario,
    /// The server, and the addresses to send from.
    pub route: Route,
    /// The parts of an exchange.
    pub exchange: Exchange,
    /// The clients.
    pub clients: Clients,
    /// Messages from files, if there are any.
    pub templates: Option<Templates>,
    /// When exchanges begin, and how many there are.
    pub load: Load,
    /// When an answer is missing, and when the run ends.
    pub limits: Limits,
    /// What it has in common with all loads. Of the words it was called with, each switch and each value is a word.
    pub output: OutputArgs,
    /// What is printed.
    pub report: ReportOptions,
    /// Notes to print on standard error before the run starts.
    pub notes: Vec<String>,
}

/// The clients' scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Scenario {
    /// Exchanges at a rate, without retransmissions.
    Basic,
    /// All clients at once, until every one is answered.
    Avalanche,
    /// Clients with independent lives.
    Fleet(Fleet),
}

/// The lives of a fleet's clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// When they start for the first time.
    pub births: FleetStart,
    /// Whether leases are renewed and rebound when their times say so.
    pub renewals: bool,
    /// The share of lives that end with a release instead of silently, 0 to 1.
    pub release_share: f64,
    /// The share of leases that are declined, 0 to 1.
    pub decline_share: f64,
    /// The share of lives that begin by requesting only options, 0 to 1.
    pub inform_share: f64,
    /// The share of lives that begin by confirming a remembered lease, 0 to 1.
    pub reboot_share: f64,
    /// The factor by which lease times are shortened.
    pub time_scale: f64,
    /// When all clients lose their power at once, if they do.
    pub power_cut: Option<PowerCut>,
}

/// When the clients of a fleet start for the first time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FleetStart {
    /// This number a second.
    PerSecond(f64),
    /// All of them, spread evenly over this time.
    Over(Duration),
}

/// Every client stops without a message and comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// When, counted from the start.
    pub at: Duration,
    /// The time over which they come back.
    pub within: Duration,
}

/// The server, and the addresses to send from.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The destination of all messages. It may be a broadcast or multicast address only with `lab`.
    pub server: IpAddr,
    /// Its port.
    pub server_port: u16,
    /// The interface of `-l`.
    pub interface: Option<String>,
    /// The local address of `-l`; without one, that of the interface or of the route to the server.
    pub local: Option<IpAddr>,
    /// The local port.
    pub local_port: u16,
    /// Set `SO_BROADCAST` (`-B`, or the server is a broadcast address).
    pub broadcast: bool,
    /// Set the broadcast flag in messages (the server was called `all`, or nothing, in DHCPv4).
    pub broadcast_flag: bool,
    /// Relays between the clients and the server; 0 sends the clients' own messages.
    pub relay_levels: u8,
    /// A real client without a relay, on the link layer if necessary (`--client`, DHCPv4 only).
    pub client: bool,
    /// A file of relay addresses, one of them for each exchange (`-J`).
    pub relay_addresses: Option<PathBuf>,
    /// Addresses to send from. Empty: `local`.
    pub source_ips: Sources,
    /// Ports to send from. Empty: `local_port`.
    pub source_ports: Vec<u16>,
    /// Whether all hosts that receive a broadcast belong to a laboratory.
    pub lab: bool,
}

impl Route {
    /// The number of addresses and ports to send from, each of which has a socket.
    pub fn sources(&self) -> usize {
        self.source_ips.count(self.server) * self.source_ports.len().max(1)
    }
}

/// The parts of an exchange.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Stop after the first answer (`-i`).
    pub first_half: bool,
    /// Ask for rapid commit (`-c`).
    pub rapid_commit: bool,
    /// What is leased (`-e`).
    pub lease: Lease,
    /// Send all messages to the server that answered first (`-1`).
    pub same_server: bool,
    /// Renewals a second (`-f`); 0 for none.
    pub renew_rate: f64,
    /// Releases a second (`-F`); 0 for none.
    pub release_rate: f64,
    /// Options added to every message of a client (`-o`, `--option`), in the order given.
    pub options: Vec<VariedOption>,
    /// Options added by relays (`--or`, `--relay-option`), in the order given.
    pub relay_options: Vec<VariedOption>,
    /// Send an elapsed time that rises from this moment (`-Y`) for this long (`-y`).
    pub elapsed: Option<Elapsed>,
    /// Retransmit unanswered messages as the RFCs require.
    pub retransmit: bool,
    /// Give back every lease at the end.
    pub release_on_exit: bool,
    /// The options that answers must contain (`--expect`), in the order given.
    pub expected: Vec<Expected>,
}

/// A condition on answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// As it was given.
    pub text: String,
    /// The parsed condition.
    pub expectation: Expectation,
}

impl Expected {
    /// Whether the condition asks for an answer without an address, as from a boot server beside a DHCP server.
    pub fn wants_no_address(&self) -> bool {
        let none = Pattern::fixed(vec![0; 4]);
        self.expectation.field == Field::Address && self.expectation.value == Some(none)
    }
}

/// What is leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// An address.
    Address,
    /// A prefix.
    Prefix,
    /// Both.
    Both,
}

/// The elapsed time that clients report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed {
    /// The moment from which it rises.
    pub after: Duration,
    /// How long it rises.
    pub lasting: Duration,
}

/// The clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clients {
    /// The number of different clients.
    pub count: NonZeroU32,
    /// The MAC address of the first.
    pub mac: [u8; 6],
    /// The DUID of the first, if not one made from its MAC address.
    pub duid: Option<Vec<u8>>,
    /// A file of MAC addresses to draw from instead (`-M`).
    pub macs: Option<PathBuf>,
    /// Count addresses that were assigned twice (`-u`).
    pub unique: bool,
}

/// Messages from files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Templates {
    /// DISCOVER or SOLICIT.
    pub first: Template,
    /// REQUEST; built by the program if there is no file.
    pub second: Option<SecondTemplate>,
}

/// One message from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The file, hexadecimal.
    pub path: PathBuf,
    /// The offset of the transaction id, if not that of the protocol.
    pub xid: Option<usize>,
    /// The offset of the last byte of the MAC address or DUID, if not its position in the message.
    pub random: Option<usize>,
}

/// The second message from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondTemplate {
    /// The message.
    pub template: Template,
    /// The offset of the elapsed time.
    pub elapsed: ElapsedOffset,
    /// The offset of the server identifier option, if not its position in the message.
    pub server_id: Option<usize>,
    /// The offset of the requested address option or the `IA_NA`, if not its position in the message.
    pub address: Option<usize>,
}

/// The offset of the elapsed time in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElapsedOffset {
    /// Its position in the message.
    Found,
    /// At this offset.
    At(usize),
    /// The template's value is sent unchanged.
    Off,
}

impl ElapsedOffset {
    /// The offset in the notation of the original switch: 0 sends the time unchanged.
    pub const fn offset(self) -> Option<usize> {
        match self {
            Self::Found => None,
            Self::At(offset) => Some(offset),
            Self::Off => Some(0),
        }
    }
}

/// When exchanges begin, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// What every load has. Only the basic scenario has a rate or a think time.
    pub options: LoadOptions,
    /// Most exchanges in flight, if not the default.
    pub window: Option<NonZeroU32>,
    /// Exchanges before all others, back to back and not counted (`-P`).
    pub preload: u32,
    /// The number of worker threads, if it matters: the number of sources.
    pub workers: Option<usize>,
    /// Most datagrams in one system call (`-a`, `--batch`), if not the default.
    pub batch: Option<usize>,
}

/// When an answer is missing, and when the run ends. Pairs are for the first and the second stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// How long to wait for an answer (`-d`).
    pub drop_time: [Duration; 2],
    /// Drops at which to stop (`-D`).
    pub drops: [DropLimit; 2],
    /// Messages after which to stop (`-n`).
    pub numbers: [Option<u64>; 2],
    /// Time after which to stop (`-p`).
    pub period: Option<Duration>,
    /// How long to wait for the last answers (`-W`); without it, as long as `drop_time` allows.
    pub exit_wait: Option<Duration>,
}

/// Drops at which to stop: whichever of the two is reached first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DropLimit {
    /// This number, which is at least one.
    pub count: Option<u64>,
    /// This share of the messages sent, above 0 and below 1, once ten were due to be answered.
    pub share: Option<f64>,
}

/// What is printed, and from which times.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// The wording of the report.
    pub style: Style,
    /// Time between interim reports (`-t`).
    pub interim: Option<Duration>,
    /// Also what happened since the last of them (`--deltas`).
    pub deltas: bool,
    /// Plain values separated by this text, and no banner (`-C`).
    pub separator: Option<String>,
    /// What else is printed (`-x`).
    pub diagnostics: Diagnostics,
    /// A command to call at the start and at the end (`-w`).
    pub wrapped: Option<String>,
    /// Use the kernel's receive timestamps.
    pub kernel_stamps: bool,
}

/// The wording of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// That of the guide of 2012.
    Guide,
    /// That of current Kea.
    Kea,
}

/// What else is printed, by the letters of `-x`.
#[expect(clippy::struct_excessive_bools, reason = "each is a letter, independent of the others")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// `a`: the decoded command line.
    pub arguments: bool,
    /// `e`: why the run ended.
    pub exit_reason: bool,
    /// `i`: details of the rate.
    pub rate: bool,
    /// `l`: the leases received.
    pub leases: bool,
    /// `r`: the random choices.
    pub randomness: bool,
    /// `s`: the first server identifier.
    pub server_id: bool,
    /// `t`: the timestamps of every exchange.
    pub timers: bool,
    /// `T`: the first message of each kind.
    pub templates: bool,
}

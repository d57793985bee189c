//! A [`Setup`]: the settings of DHCPv4 clients, before they have been checked.

use super::recipe::VariedOption;
use crate::population::Population;
use crate::rising::Rising;
use crate::template::Template;
use std::net::Ipv4Addr;
use std::time::Duration;

/// The settings of the clients of a run.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that stands for itself")]
pub struct Setup {
    /// The seed from which all random choices are derived.
    pub seed: u64,
    /// The clients.
    pub population: Population,
    /// Whether messages are sent by relay agents or by the clients themselves.
    pub role: Role,
    /// The address of the socket: that of the relay agent, and that of a client which sends an INFORM without having a
    /// lease.
    pub address: Ipv4Addr,
    /// Whether clients without an address ask for broadcast answers.
    pub broadcast: bool,
    /// Whether an exchange ends with the OFFER.
    pub first_half: bool,
    /// Whether an answer without an address counts as an answer, as those of boot servers that accompany a DHCP server
    /// do.
    pub no_address: bool,
    /// Whether DISCOVER asks for rapid commit (RFC 4039).
    pub rapid_commit: bool,
    /// Whether all later requests name the first server that makes an offer.
    pub first_server: bool,
    /// Options for every message, by code and value. A parameter request list is appended to the existing one; any
    /// other option must not exist already.
    pub options: Vec<(u8, Vec<u8>)>,
    /// Options that differ from client to client, for every message that is not a template.
    pub varied: Vec<VariedOption>,
    /// The packet to send in place of DISCOVER.
    pub first_template: Option<Template>,
    /// The packet to send in place of the REQUEST that follows an OFFER.
    pub second_template: Option<Template>,
    /// When clients pretend that they have been waiting for a long time.
    pub rising: Option<Rising>,
    /// How long to wait for the answer to a DISCOVER, and to any other message.
    pub waits: [Duration; 2],
    /// Whether unanswered messages are sent again; if so, `waits` has no effect.
    pub retransmission: Option<Retransmission>,
}

impl Setup {
    /// Creates the default settings.
    pub fn new(population: Population, role: Role, address: Ipv4Addr) -> Self {
        Self {
            seed: 0,
            population,
            role,
            address,
            broadcast: false,
            first_half: false,
            no_address: false,
            rapid_commit: false,
            first_server: false,
            options: Vec::new(),
            varied: Vec::new(),
            first_template: None,
            second_template: None,
            rising: None,
            waits: [Duration::from_secs(1); 2],
            retransmission: None,
        }
    }
}

/// Whether messages are sent by relay agents or by the clients themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A relay agent that all clients are behind.
    Relay {
        /// The relay agents, one chosen for each exchange; if empty, the socket's address.
        addresses: Vec<Ipv4Addr>,
        /// How many relay agents a message passed through. Only the first, to which the server sends the answer, leaves
        /// its address (RFC 1542 section 4.1.1).
        hops: u8,
    },
    /// Clients that send directly: no hops, no giaddr. Messages that renew or release a lease go to the server that
    /// granted it; all others go to the plan's default destination.
    Client {
        /// The port of servers.
        server_port: u16,
    },
}

/// Sends unanswered messages again, after 4, 8, 16, 32, 64, 64 ... seconds, each up to a second longer or shorter (RFC
/// 2131 section 4.1); a renewal is sent again when half of the remaining time has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retransmission {
    /// The maximum number of times that a message is sent; `None` means without limit.
    pub tries: Option<u32>,
}

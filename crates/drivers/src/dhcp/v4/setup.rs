//! A [`Setup`]: what is asked of DHCPv4 clients, before it is known whether it can be done.

use super::varied::VariedOption;
use crate::dhcp::population::Population;
use crate::dhcp::rising::Rising;
use crate::dhcp::template::Template;
use std::net::Ipv4Addr;
use std::time::Duration;

/// What is asked of the clients of a run.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that stands for itself")]
pub struct Setup {
    /// From it all choices follow.
    pub seed: u64,
    /// Who the clients are.
    pub population: Population,
    /// For whom the messages are sent.
    pub role: Role,
    /// The address of the socket: the relay agent's, and that of a client which informs itself
    /// without having a lease.
    pub address: Ipv4Addr,
    /// Whether clients without an address ask for broadcast answers.
    pub broadcast: bool,
    /// Whether an exchange ends with the OFFER.
    pub first_half: bool,
    /// Whether an answer without an address is one, as those of boot servers beside a DHCP server are.
    pub no_address: bool,
    /// Whether DISCOVER asks for rapid commit (RFC 4039).
    pub rapid_commit: bool,
    /// Whether the first server that makes an offer is the one that all later requests name.
    pub first_server: bool,
    /// Options for every message, by code and value. A list of requested parameters is appended to
    /// the one that is there; any other option must not be there yet.
    pub options: Vec<(u8, Vec<u8>)>,
    /// Options that differ from client to client, for every message that is not a template.
    pub varied: Vec<VariedOption>,
    /// The packet to send in place of DISCOVER.
    pub first_template: Option<Template>,
    /// The packet to send in place of the REQUEST that follows an OFFER.
    pub second_template: Option<Template>,
    /// When clients pretend that they have been waiting for long.
    pub rising: Option<Rising>,
    /// How long to wait for the answer to a DISCOVER, and to any other message.
    pub waits: [Duration; 2],
    /// Whether messages without an answer are sent again; if so, `waits` do not matter.
    pub retransmission: Option<Retransmission>,
}

impl Setup {
    /// What is asked if nothing else is said.
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

/// For whom messages are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A relay agent that all clients are behind.
    Relay {
        /// The relay agents, one picked for each exchange; the socket's address if there is none.
        addresses: Vec<Ipv4Addr>,
        /// How many relay agents a message went through. Only the first, which is the one the server
        /// answers, leaves its address (RFC 1542 section 4.1.1).
        hops: u8,
    },
    /// Clients that talk for themselves: no hops, no giaddr. Leases are renewed with, and given back
    /// to, the server that gave them, all else goes where the plan sends everything.
    Client {
        /// The port of servers.
        server_port: u16,
    },
}

/// That messages without an answer are sent again, after 4, 8, 16, 32, 64, 64 ... seconds, each a
/// second more or less (RFC 2131 section 4.1); a renewal when half the time has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retransmission {
    /// How often a message is sent at most; nothing if forever.
    pub tries: Option<u32>,
}

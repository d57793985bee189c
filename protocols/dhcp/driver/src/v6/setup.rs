//! The settings of a run's clients, as given on a command line or in a plan file.

use super::super::Population;
use super::super::varied::Pattern;
use super::TemplateError;
use crate::rising::Rising;
use crate::template::Template;
use brunt_dhcp_wire::dhcp6::{Duid, relay};
use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// All settings of the clients of a run.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that stands for itself")]
pub struct Setup {
    /// The clients.
    pub population: Population,
    /// What their DUIDs are made of.
    pub duid: BaseDuid,
    /// What they request.
    pub wanted: Wanted,
    /// Whether an exchange ends with the ADVERTISE.
    pub first_half: bool,
    /// Whether a SOLICIT requests an immediate REPLY.
    pub rapid_commit: bool,
    /// Whether all REQUESTs go to the server that was the first to answer in the run.
    pub first_server: bool,
    /// Options to add to every message; they follow existing options with the same code.
    pub options: Vec<(u16, Vec<u8>)>,
    /// Options to add to every message whose values differ from client to client.
    pub varied: Vec<VariedOption>,
    /// The relay agents on the path, beginning with the one nearest to the clients. If empty, the clients send directly
    /// to the server.
    pub relays: Vec<Relay>,
    /// Link addresses from which the nearest relay agent takes one for each exchange, if there are any.
    pub links: Vec<Ipv6Addr>,
    /// How long the answer of a first stage and of any other stage may take if messages are not sent again.
    pub waits: [Duration; 2],
    /// Whether messages are sent again as described in RFC 8415 section 15. In that case every message contains the
    /// elapsed time that section 21.9 requires; perfdhcp's RENEW and RELEASE have none.
    pub retransmit: bool,
    /// How many seconds of a lease pass in one second of the run.
    pub lease_seconds: f64,
    /// When to claim that servers have not answered for a long time.
    pub rising: Option<Rising>,
    /// The packet to send in place of SOLICIT.
    pub first_template: Option<Template>,
    /// The packet to send in place of REQUEST.
    pub second_template: Option<Template>,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Setup {
    /// Creates the settings of perfdhcp without any options, for these clients.
    pub fn new(population: Population, duid: BaseDuid) -> Self {
        Self {
            population,
            duid,
            wanted: Wanted::Addresses,
            first_half: false,
            rapid_commit: false,
            first_server: false,
            options: Vec::new(),
            varied: Vec::new(),
            relays: Vec::new(),
            links: Vec::new(),
            waits: [Duration::from_secs(1); 2],
            retransmit: false,
            lease_seconds: 1.0,
            rising: None,
            first_template: None,
            second_template: None,
            seed: 0,
        }
    }
}

/// What DUIDs are made of. Where there are several clients, the last six octets are the client's MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseDuid {
    /// DUID-LLT with the time at which the run was started, in seconds since the beginning of 2000.
    Time(u32),
    /// DUID-LL: the same in every run.
    LinkLayer,
    /// These octets.
    Given(Duid),
}

/// What clients request. An answer must contain all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// An address.
    #[default]
    Addresses,
    /// A prefix.
    Prefixes,
    /// An address and a prefix.
    Both,
}

impl Wanted {
    /// Whether an address is requested.
    pub const fn addresses(self) -> bool {
        matches!(self, Self::Addresses | Self::Both)
    }

    /// Whether a prefix is requested.
    pub const fn prefixes(self) -> bool {
        matches!(self, Self::Prefixes | Self::Both)
    }
}

/// An option whose value differs from client to client.
///
/// The text is framed as its code requires: a user class (15) is one instance of class data, a vendor class (16) is the
/// same after the enterprise number, a remote-id (37) is the text after the enterprise number, and every other option
/// is only the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariedOption {
    /// The code of the option.
    pub code: u16,
    /// The enterprise number, where the option has one.
    pub enterprise: u32,
    /// Its text.
    pub text: Pattern,
}

/// A relay agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The link address: the link that the clients, or the previous relay agent, are on.
    pub link: Ipv6Addr,
    /// The peer address: where the message came from.
    pub peer: Ipv6Addr,
    /// Options it adds before the relayed message.
    pub options: Vec<(u16, Vec<u8>)>,
    /// Options it adds that differ from client to client, such as an interface-id.
    pub varied: Vec<VariedOption>,
}

/// Why a run cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// More relay agents than relay messages can be nested.
    #[error("wrap messages for {count} relay agents: at most {} are possible", relay::DEPTH_MAX)]
    Relays {
        /// How many.
        count: usize,
    },
    /// Link addresses, without a relay agent that could use them.
    #[error("choose among {count} link addresses: there is no relay agent; add one with -A 1")]
    Links {
        /// How many.
        count: usize,
    },
    /// An option that is too long for its length field.
    #[error("add option {code}: it has {length} bytes, and no option has more than 65535")]
    OptionLength {
        /// Its code.
        code: u16,
        /// How many bytes.
        length: usize,
    },
    /// Messages that are too long for a datagram.
    #[error("send messages of {length} bytes: no datagram has more than {max}", max = super::plan::DATAGRAM_MAX)]
    TooLong {
        /// How many bytes a message would have.
        length: usize,
    },
    /// A pace at which leases cannot age.
    #[error("let {0} seconds of a lease pass in a second: it must be more than none")]
    LeaseSeconds(f64),
    /// Prefixes requested in templates.
    #[error("ask for prefixes in packet templates: they ask for what stands in them")]
    TemplatePrefixes,
    /// A template that is not of the expected kind.
    #[error("use the packet template {}: {why}", name.display())]
    Template {
        /// Where it comes from.
        name: PathBuf,
        /// What is wrong with it.
        why: TemplateError,
    },
}

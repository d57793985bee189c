//! The interface between the threads that receive datagrams and the handlers that answer them.
//!
//! A handler implements one protocol: it takes a datagram and writes the answer. Of a script's faults it applies those
//! that change the answer itself. It must not know sockets or threads, and the time is an argument.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use brunt_dhcp_wire::dhcp4::BOOTREPLY;
use brunt_embedded::script;

use super::leases::State;
use super::script::{Facts, Faults, Rules};
use super::stats::{Counters, NoReply};
use super::words::{Answer, Family, RequestKind};

/// What a handler receives besides a datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// The time since the start of the server.
    pub(super) now: Duration,
    /// The sender of the datagram.
    pub(super) from: SocketAddr,
    pub(super) rules: Option<&'a Rules>,
    pub(super) counters: &'a Counters,
}

/// An answer, whose bytes are in the buffer that the handler received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) to: SocketAddr,
    pub(super) answer: Answer,
    /// The faults that remain to be applied when it is sent.
    pub(super) faults: Faults,
}

impl Reply {
    /// Applies the faults that replace or shorten what is sent. Returns what it counts as, if anything.
    pub(super) fn spoil(&self, bytes: &mut Vec<u8>) -> Option<Answer> {
        if let Some((random, count)) = self.faults.garbage {
            *bytes = script::garbage(random, count, BOOTREPLY);
        }
        if let Some(length) = self.faults.truncate {
            bytes.truncate(length);
        }
        let is_spoiled = self.faults.garbage.is_some() || self.faults.truncate.is_some();
        (!is_spoiled).then_some(self.answer)
    }

    /// How often it is sent.
    pub(super) fn copies(&self) -> usize {
        match (self.faults.drop, self.faults.duplicate) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }
}

/// A lease of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The address, or the first address of the prefix.
    pub address: IpAddr,
    /// The length of the prefix: that of the whole address for an address.
    pub length: u8,
    /// The identity of the client: in DHCPv4 its identifier, or else its hardware type and address; in
    /// DHCPv6 its DUID and the IAID.
    pub client: Vec<u8>,
    /// The state of the lease.
    pub state: State,
    /// When it ends, counted from the start of the server.
    pub until: Duration,
    /// How many messages about it were executed since the client first had it.
    pub messages: u32,
}

/// The answers of one protocol, with its leases.
pub(super) trait Handler: Send {
    /// Executes a message and writes the answer into `out`, which is empty.
    fn answer(
        &mut self,
        context: &Context<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Reply, NoReply>;

    /// All leases.
    fn leases(&self) -> Vec<Lease>;
}

impl Context<'_> {
    /// Counts a message and returns its faults. Fails if the script makes the server ignore it.
    pub(super) fn receive(
        &self,
        family: Family,
        act: RequestKind,
        client: &[u8],
        relayed: bool,
    ) -> Result<Faults, NoReply> {
        self.counters.received(act, relayed);
        let Some(rules) = self.rules else { return Ok(Faults::default()) };
        let faults = rules.faults(&Facts { family, act, client }, self.now);
        if faults.ignore { Err(NoReply::Ignored) } else { Ok(faults) }
    }
}

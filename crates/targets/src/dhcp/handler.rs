//! What stands between the threads that carry datagrams and the handlers that know the answers.
//!
//! A handler knows one protocol: it takes in a datagram and writes the answer, as if nothing ever went
//! wrong but what it is told to do wrong in the answer itself. It must not know sockets or threads,
//! and has no clock: it is told the time.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::leases::State;
use super::script::{Facts, Faults, Rules};
use super::stats::{Counters, NoReply};
use super::words::{Act, Answer, Family};

/// What a handler needs to know of the outside for one datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// The time since the start of the server.
    pub(super) now: Duration,
    /// Where the datagram came from.
    pub(super) from: SocketAddr,
    pub(super) rules: Option<&'a Rules>,
    pub(super) counters: &'a Counters,
}

/// An answer, whose bytes stand in the buffer that the handler was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) to: SocketAddr,
    pub(super) answer: Answer,
    /// What is still to go wrong on its way.
    pub(super) faults: Faults,
}

/// Who has what of a server's pools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The address, or the first address of the prefix.
    pub address: IpAddr,
    /// The length of the prefix: that of the whole address for an address.
    pub length: u8,
    /// The identity of the client: in DHCPv4 its identifier, or else its hardware type and address; in
    /// DHCPv6 its DUID and the IAID.
    pub client: Vec<u8>,
    /// What the client may do with it.
    pub state: State,
    /// Until when, counted from the start of the server.
    pub until: Duration,
    /// How many messages about it were carried out since it was first the client's.
    pub heard: u32,
}

/// One protocol's way of answering, with its leases.
pub(super) trait Handler: Send {
    /// Takes in a message and writes the answer into `out`, which is empty.
    fn answer(
        &mut self,
        context: &Context<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Reply, NoReply>;

    /// Who has what.
    fn leases(&self) -> Vec<Lease>;
}

impl Context<'_> {
    /// Counts a message and says what is to go wrong with it, unless it never came.
    pub(super) fn receive(
        &self,
        family: Family,
        act: Act,
        client: &[u8],
        relayed: bool,
    ) -> Result<Faults, NoReply> {
        self.counters.received(act, relayed);
        let Some(rules) = self.rules else { return Ok(Faults::default()) };
        let faults = rules.faults(&Facts { family, act, client }, self.now);
        if faults.ignore { Err(NoReply::Ignored) } else { Ok(faults) }
    }
}

//! A [`Dialogue`]: what one client sends and receives in one exchange, as a state machine over bytes.
//!
//! The caller sends what it writes, passes it what comes back and tells it when it has waited long enough. So a
//! dialogue needs no socket, no clock and no runtime, and two of them can be run against each other in a test. It keeps
//! no counts: it reports what happened, and the caller counts.

use super::field::Field;
use super::{Kind, Stage};
use brunt_exchange::Outcome;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// What a dialogue is to do.
#[derive(Debug)]
pub struct ExchangeRequest<L> {
    /// What the exchange is about.
    pub kind: Kind,
    /// The number of the exchange in the whole run: transaction ids and choices follow from it.
    pub number: u64,
    /// The number of the simulated client: its identity follows from it.
    pub client: u64,
    /// The lease it is about. Every kind but [`Kind::Acquire`] and [`Kind::Inform`] has one.
    pub lease: Option<L>,
    /// The time since the run began, for what changes as a run goes on.
    pub at: Duration,
}

/// A reply to the exchange, as received.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedReply<'a> {
    /// The message, without any relay messages around it.
    pub message: &'a [u8],
    /// The time since the message it answers was first sent.
    pub took: Duration,
    /// The time since the run began.
    pub at: Duration,
}

/// A message to be sent. Its bytes stand in the buffer that the dialogue was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The stage it opens.
    pub stage: Stage,
    /// The transaction id its answer will bear. One that differs from the message before frees that
    /// message's.
    pub xid: u32,
    /// How long to wait for the answer; nothing if none will come, which ends the exchange well as
    /// soon as the message is sent.
    pub wait: Option<Duration>,
    /// Where to, if not to where the plan sends everything.
    pub to: Option<SocketAddr>,
    /// The address or prefix that the reply which led to this message offered.
    pub offered: Option<IpAddr>,
}

/// What happens next in an exchange.
#[derive(Debug, PartialEq)]
pub enum Step<L> {
    /// Send the message: the stage before it, if any, was answered.
    Send(OutgoingMessage),
    /// Send what stands in the buffer again, with the same transaction id, and wait so long.
    Again(Duration),
    /// The reply changes nothing: continue to wait.
    Ignore(Anomaly),
    /// The exchange is over.
    Done(Ending<L>),
}

/// How an exchange ended.
#[derive(Debug, PartialEq)]
pub struct Ending<L> {
    /// For the record.
    pub outcome: Outcome,
    /// Whether a reply ended it that counts as the answer of its stage.
    pub answered: bool,
    /// What is to be counted separately.
    pub anomaly: Option<Anomaly>,
    /// The lease the client has now.
    pub lease: Option<L>,
}

/// A reply that is counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// DHCPNAK.
    Nak,
    /// An answer without the lease that was asked for.
    Rejected,
    /// Another answer where one was had already.
    Duplicate,
    /// A message of an unexpected type.
    Unexpected,
    /// The reply is malformed.
    Malformed,
}

/// A datagram that is no reply to any exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Shorter than the shortest message.
    TooShort,
    /// Not the protocol.
    Malformed,
    /// A valid message of a type that no client waits for: another client's or relay's request.
    Unexpected,
}

/// How a lease ages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When it was given, counted from the beginning of the run.
    pub given: Duration,
    /// T1: how long after that the server that gave it is to be asked for more time; never if
    /// nothing.
    pub renew: Option<Duration>,
    /// T2: how long after that any server is to be asked.
    pub rebind: Option<Duration>,
    /// How long after that it ends.
    pub ends: Option<Duration>,
}

/// The exchanges of one address family.
pub trait Dialogue: Default + 'static {
    /// What all dialogues of a run share: identities, packets, drop times.
    type Plan: Send + Sync + 'static;
    /// What a client holds between exchanges.
    type Lease: Clone + Send + Sync + std::fmt::Debug + 'static;

    /// The lease's address or prefix, which no two clients may have at once.
    fn address(lease: &Self::Lease) -> IpAddr;

    /// The number of the client that holds the lease.
    fn holder(lease: &Self::Lease) -> u64;

    /// How the lease ages.
    fn times(lease: &Self::Lease) -> Times;

    /// Takes a datagram out of its relay messages; says whose transaction it belongs to and what
    /// to hand to [`reply`](Self::reply).
    fn open<'a>(plan: &Self::Plan, datagram: &'a [u8]) -> Result<(u32, &'a [u8]), Rejected>;

    /// The stage that a reply of this type answers, where its type alone determines it: an OFFER or an
    /// ADVERTISE answers the first, whatever its transaction has come to since.
    fn answers(message: &[u8]) -> Option<Stage> {
        let _ = message;
        None
    }

    /// The server's identifier in a reply, as it stands there.
    fn server(message: &[u8]) -> Option<&[u8]> {
        let _ = message;
        None
    }

    /// Whether an answer only offers what another will give: an OFFER or an ADVERTISE.
    fn is_offer(message: &[u8]) -> bool {
        let _ = message;
        false
    }

    /// A part of an answer, as it stands there; text in a field of a fixed length ends before the first zero.
    fn field(message: &[u8], field: Field) -> Option<&[u8]> {
        let _ = (message, field);
        None
    }

    /// The address or prefix that the last reply to this exchange offered or gave.
    fn offered(&self) -> Option<IpAddr> {
        None
    }

    /// Begins an exchange, whatever became of the one before: clears `out` and writes the first
    /// message into it.
    fn begin(
        &mut self,
        plan: &Self::Plan,
        request: ExchangeRequest<Self::Lease>,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;

    /// Takes in a reply. A message that follows is written to `out` in place of the one before.
    fn reply(
        &mut self,
        plan: &Self::Plan,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;

    /// Nothing came in time. `since` is the time since the stage's message was first sent.
    fn expired(
        &mut self,
        plan: &Self::Plan,
        since: Duration,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;
}

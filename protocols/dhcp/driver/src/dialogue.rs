//! A [`Dialogue`]: what one client sends and receives in one exchange, as a state machine over bytes.
//!
//! The caller sends the messages that the dialogue writes, passes received messages to it, and calls it when a wait has
//! expired. A dialogue therefore needs no socket, clock or runtime, and two dialogues can be run against each other in
//! a test. It does not count: it reports what happened, and the caller counts.

use super::field::Field;
use super::{Kind, Stage};
use brunt_exchange::Outcome;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// What a dialogue must do.
#[derive(Debug)]
pub struct ExchangeRequest<L> {
    /// The kind of the exchange.
    pub kind: Kind,
    /// The number of the exchange in the whole run: transaction ids and random choices are derived from it.
    pub number: u64,
    /// The number of the simulated client: its identity is derived from it.
    pub client: u64,
    /// The lease that the exchange concerns. Every kind except [`Kind::Acquire`] and [`Kind::Inform`] has one.
    pub lease: Option<L>,
    /// The time since the run began, for values that change during a run.
    pub at: Duration,
}

/// A reply to the exchange, as received.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedReply<'a> {
    /// The message, without the relay messages around it.
    pub message: &'a [u8],
    /// The time since the message it answers was sent for the first time.
    pub took: Duration,
    /// The time since the run began.
    pub at: Duration,
}

/// A message to send. Its bytes are in the buffer that was passed to the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The stage that the message starts.
    pub stage: Stage,
    /// The transaction id that its answer must contain. If it differs from that of the previous message, the previous
    /// id is freed.
    pub xid: u32,
    /// How long to wait for the answer; `None` if there will be none, in which case the exchange succeeds as soon as
    /// the message is sent.
    pub wait: Option<Duration>,
    /// The destination, if it is not the plan's default destination.
    pub to: Option<SocketAddr>,
    /// The address or prefix offered in the reply that led to this message.
    pub offered: Option<IpAddr>,
}

/// What happens next in an exchange.
#[derive(Debug, PartialEq)]
pub enum Step<L> {
    /// Send the message. The previous stage, if there was one, was answered.
    Send(OutgoingMessage),
    /// Send the contents of the buffer again, with the same transaction id, and wait this long.
    Again(Duration),
    /// The reply changes nothing: keep waiting.
    Ignore(Anomaly),
    /// The exchange is over.
    Done(Ending<L>),
}

/// How an exchange ended.
#[derive(Debug, PartialEq)]
pub struct Ending<L> {
    /// The outcome to record.
    pub outcome: Outcome,
    /// Whether the exchange was ended by a reply that counts as the answer of its stage.
    pub answered: bool,
    /// An anomaly to count separately.
    pub anomaly: Option<Anomaly>,
    /// The lease that the client has now.
    pub lease: Option<L>,
}

/// A reply that is counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// DHCPNAK.
    Nak,
    /// An answer without the requested lease.
    Rejected,
    /// A further answer to a message that has already been answered.
    Duplicate,
    /// A message of an unexpected type.
    Unexpected,
    /// The reply is malformed.
    Malformed,
}

/// A datagram that is not a reply to any exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Shorter than the shortest message.
    TooShort,
    /// Not a message of the protocol.
    Malformed,
    /// A valid message of a type that no client waits for, such as a request of another client or relay.
    Unexpected,
}

/// When a lease must be renewed and rebound, and when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When it was granted, counted from the beginning of the run.
    pub given: Duration,
    /// T1: how long after that time the client asks the server that granted it for an extension; `None` if never.
    pub renew: Option<Duration>,
    /// T2: how long after that time the client asks any server for an extension.
    pub rebind: Option<Duration>,
    /// How long after that time it expires.
    pub ends: Option<Duration>,
}

/// The exchanges of one address family.
pub trait Dialogue: Default + 'static {
    /// What all dialogues of a run share: identities, packets, drop times.
    type Plan: Send + Sync + 'static;
    /// What a client keeps between exchanges.
    type Lease: Clone + Send + Sync + std::fmt::Debug + 'static;

    /// The lease's address or prefix, which must be unique among the clients.
    fn address(lease: &Self::Lease) -> IpAddr;

    /// The number of the client that holds the lease.
    fn holder(lease: &Self::Lease) -> u64;

    /// When the lease must be renewed and rebound, and when it expires.
    fn times(lease: &Self::Lease) -> Times;

    /// Removes the relay messages around a datagram. Returns the transaction id and the message to pass to
    /// [`reply`](Self::reply).
    fn open<'a>(plan: &Self::Plan, datagram: &'a [u8]) -> Result<(u32, &'a [u8]), Rejected>;

    /// The stage that a reply of this type answers, if its type is sufficient to determine it: an OFFER or an ADVERTISE
    /// answers the first stage, whatever has happened to its transaction since.
    fn answers(message: &[u8]) -> Option<Stage> {
        let _ = message;
        None
    }

    /// The server's identifier in a reply, unchanged.
    fn server(message: &[u8]) -> Option<&[u8]> {
        let _ = message;
        None
    }

    /// Whether an answer is only an offer: an OFFER or an ADVERTISE.
    fn is_offer(message: &[u8]) -> bool {
        let _ = message;
        false
    }

    /// A field of an answer, unchanged; text in a fixed-length field ends before the first zero byte.
    fn field(message: &[u8], field: Field) -> Option<&[u8]> {
        let _ = (message, field);
        None
    }

    /// The address or prefix that the last reply to this exchange offered or granted.
    fn offered(&self) -> Option<IpAddr> {
        None
    }

    /// Begins an exchange, whatever the state of the previous one: clears `out` and writes the first message into it.
    fn begin(
        &mut self,
        plan: &Self::Plan,
        request: ExchangeRequest<Self::Lease>,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;

    /// Processes a reply. If another message follows, it replaces the previous one in `out`.
    fn reply(
        &mut self,
        plan: &Self::Plan,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;

    /// Called when no answer arrived in time. `since` is the time since the stage's message was first sent.
    fn expired(
        &mut self,
        plan: &Self::Plan,
        since: Duration,
        out: &mut Vec<u8>,
    ) -> Step<Self::Lease>;
}

//! [`Shared`]: HTTP/2 over one connection that several users of a worker share, a stream for each request.
//!
//! A task of the worker drives the connection, so a user that is dropped during an exchange ends only its own stream.
//! The first user that needs a connection opens it and the others wait; if this fails, it fails for all that waited.
//! Windows are large and are enlarged as a body comes in, so that no answer waits for flow control. A stream that
//! exceeds the server's limit waits, and this time counts as the server's.

mod answer_heads;
mod connection;
mod ending;
mod exchange;
mod incoming;
mod request_block;
mod streams;

use super::failure::{Failure, FailureStage, Http2Failure};
use super::limits::Limits;
use super::request_spec::RequestSpec;
use super::response::Response;
use super::settings::Version;
use brunt_exchange::{Clock, Moment, Watch};
use brunt_net::stream::Stream;
use brunt_net::within;
use connection::{Connection, Input};
use exchange::Exchange;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How long closing may take: a server that does not read must not keep a run from ending.
const FAREWELL: Duration = Duration::from_secs(1);

/// A connection that several users share, or the place for one.
#[derive(Debug)]
pub(super) struct Shared {
    state: RefCell<State>,
    changed: Notify,
    input: Input,
    /// The server ended a connection that should be kept, and it is not open again yet.
    pub(super) lapsed: Cell<bool>,
    /// It was ended after its last request, as the settings demand.
    pub(super) worn: Cell<bool>,
    /// When it was last opened.
    pub(super) opened: Cell<Moment>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Closed,
    /// A user is opening it.
    Opening,
    Open(Link),
    /// The failure of the last attempt, for the users that waited for it.
    Failed(Rc<Failure>),
    /// The server selected HTTP/1.1, so each user needs its own connection.
    Declined,
}

#[derive(Debug)]
struct Link {
    connection: Rc<Connection>,
    /// How many requests it has carried.
    carried: u64,
    task: JoinHandle<()>,
}

impl Drop for Link {
    /// The task continues until every answer has arrived, and then closes the connection.
    fn drop(&mut self) {
        self.connection.leave();
    }
}

/// The status of a connection that has been idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedStatus {
    /// It can carry a request.
    Open,
    /// There is no connection.
    Closed,
    /// There was a connection until now: the server has ended it, or is about to.
    Ended {
        /// Whether a request was answered over it.
        used: bool,
    },
    /// The server selected HTTP/1.1.
    Declined,
}

/// The result of opening a connection.
#[derive(Debug)]
pub(super) enum Opened {
    /// A connection that all users share.
    Shared,
    /// HTTP/1.1, over a connection for this user only: this one, if it is already open.
    Alone(Option<Stream>),
}

impl Shared {
    /// The place for a connection that reads into this buffer.
    pub(super) fn new(input: Input) -> Self {
        Self {
            state: RefCell::default(),
            changed: Notify::default(),
            input,
            lapsed: Cell::default(),
            worn: Cell::default(),
            opened: Cell::default(),
        }
    }

    /// Checks whether the connection is open and the server has not closed it.
    pub(super) fn status(&self) -> SharedStatus {
        let mut state = self.state.borrow_mut();
        let link = match &mut *state {
            State::Open(link) => link,
            State::Declined => return SharedStatus::Declined,
            State::Closed | State::Opening | State::Failed(_) => return SharedStatus::Closed,
        };
        if link.connection.is_usable() {
            return SharedStatus::Open;
        }
        let used = link.connection.is_answered();
        *state = State::Closed;
        self.lapsed.set(true);
        SharedStatus::Ended { used }
    }

    /// Whether the server selected HTTP/1.1.
    pub(super) fn is_declined(&self) -> bool {
        matches!(*self.state.borrow(), State::Declined)
    }

    /// Whether a request was answered over the connection.
    pub(super) fn is_used(&self) -> bool {
        matches!(&*self.state.borrow(), State::Open(link) if link.connection.is_answered())
    }

    /// How many requests the connection has carried.
    pub(super) fn carried(&self) -> u64 {
        match &*self.state.borrow() {
            State::Open(link) => link.carried,
            _ => 0,
        }
    }

    /// Makes sure that there is a connection; calls `connect` if there is none and no other user is opening it.
    pub(super) async fn open(
        &self,
        version: Version,
        limits: &Limits,
        connect: impl AsyncFnOnce() -> Result<Stream, Failure>,
    ) -> Result<Opened, Failure> {
        let mut waited = false;
        loop {
            let changed = self.changed.notified();
            match &*self.state.borrow() {
                State::Open(_) => return Ok(Opened::Shared),
                State::Declined => return Ok(Opened::Alone(None)),
                State::Failed(failure) if waited => {
                    return Err(Failure::Shared(Rc::clone(failure)));
                }
                State::Closed | State::Failed(_) => break,
                State::Opening => {}
            }
            changed.await;
            waited = true;
        }
        let mut opening = Opening { shared: self, outcome: State::Closed };
        *self.state.borrow_mut() = State::Opening;
        let began = async {
            let stream = connect().await?;
            match version {
                _ if agreed(&stream) => Ok(self.begin(stream, limits)),
                Version::Http2 if stream.is_secured() => Err(Http2Failure::NotAgreed.into()),
                Version::Http2 | Version::Http2PriorKnowledge => Ok(self.begin(stream, limits)),
                Version::Http1 | Version::Negotiate => Ok(BegunExchange::Declined(stream)),
            }
        };
        match began.await {
            Ok(BegunExchange::Link(link)) => {
                opening.outcome = State::Open(link);
                Ok(Opened::Shared)
            }
            Ok(BegunExchange::Declined(stream)) => {
                opening.outcome = State::Declined;
                Ok(Opened::Alone(Some(stream)))
            }
            Err(failure) => {
                let failure = Rc::new(failure);
                opening.outcome = State::Failed(Rc::clone(&failure));
                Err(Failure::Shared(failure))
            }
        }
    }

    /// Starts HTTP/2 on a stream.
    fn begin(&self, stream: Stream, limits: &Limits) -> BegunExchange {
        let connection = Connection::new(limits);
        let driving = Rc::clone(&connection).drive(stream, Rc::clone(&self.input));
        let task = tokio::task::spawn_local(driving);
        BegunExchange::Link(Link { connection, carried: 0, task })
    }

    /// Carries out one exchange and returns when its last byte arrived. The connection must be open.
    pub(super) async fn exchange(
        &self,
        spec: &RequestSpec<'_>,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Moment, Failure> {
        // A request that is sent again, or redirected, left at another moment than the first request of the exchange.
        let again = watch.sent_at().map(|_| watch.now());
        watch.sent();
        let sent = again.or(watch.sent_at()).unwrap_or_else(|| watch.now());
        let mut exchange = Exchange::new(self.take(spec.last)?, spec, response, sent);
        poll_fn(|context| exchange.poll(context, watch)).await
    }

    /// The open connection, for another request.
    fn take(&self, last: bool) -> Result<Rc<Connection>, Failure> {
        let mut state = self.state.borrow_mut();
        let State::Open(link) = &mut *state else {
            return Err(Failure::Closed(FailureStage::Sending));
        };
        link.carried += 1;
        let connection = Rc::clone(&link.connection);
        if last {
            *state = State::Closed;
            self.worn.set(true);
        }
        Ok(connection)
    }

    /// Closes the connection, once no answer is pending. The first of the users that share it does this.
    pub(super) async fn close(&self, clock: &dyn Clock) {
        let state = std::mem::take(&mut *self.state.borrow_mut());
        if let State::Open(mut link) = state {
            link.connection.leave();
            // What the server does with it no longer matters.
            let _ = within(FAREWELL, clock, &mut link.task).await;
        }
    }
}

/// Held while a connection is opened; if it is dropped before the end, the next waiting user opens it.
struct Opening<'a> {
    shared: &'a Shared,
    outcome: State,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        *self.shared.state.borrow_mut() = std::mem::take(&mut self.outcome);
        self.shared.changed.notify_waiters();
    }
}

enum BegunExchange {
    Link(Link),
    Declined(Stream),
}

/// Whether HTTP/2 was negotiated in the handshake (RFC 9113 section 3.2).
fn agreed(stream: &Stream) -> bool {
    stream.agreement().is_some_and(|agreement| agreement.alpn.as_deref() == Some(b"h2"))
}

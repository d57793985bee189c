//! [`Shared`]: HTTP/2 over one connection that several users of a worker share, a stream for each request.
//!
//! The protocol is implemented by the crate h2. A task of the worker drives the connection, so a user that is dropped
//! during an exchange ends only its own stream. The first user that needs a connection opens it and the others wait; if
//! this fails, it fails for all that waited. Windows are large and are released as a body comes in, so that no answer
//! waits for flow control. A stream that exceeds the server's limit waits in h2, and this time counts as the server's.

mod failure;
mod head;

use super::FIRST_BYTE;
use super::failure::{Failure, FailureStage, Http2Failure};
use super::limits::Limits;
use super::request::Body;
use super::request_spec::RequestSpec;
use super::response::{Response, Wanted};
use super::settings::Version;
use brunt_exchange::{Moment, Watch};
use brunt_net::stream::Stream;
use bytes::Bytes;
use h2::client::{Builder, ResponseFuture, SendRequest};
use head::Heads;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How many bytes of one body the server may send before they are read.
const STREAM_WINDOW: u32 = 1 << 20;
/// The same for all bodies of a connection together.
const CONNECTION_WINDOW: u32 = 4 << 20;
/// How long closing may take: a server that does not read must not keep a run from ending.
const FAREWELL: Duration = Duration::from_secs(1);

/// A connection that several users share, or the place for one.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: RefCell<State>,
    changed: Notify,
    heads: RefCell<Heads>,
    /// The server ended a connection that should be kept, and it is not open again yet.
    pub(super) lapsed: Cell<bool>,
    /// It was ended after its last request, because the settings said so.
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
    send: SendRequest<Bytes>,
    /// How many requests it has carried.
    carried: u64,
    /// Whether any of them was answered.
    used: bool,
    task: JoinHandle<()>,
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
    /// Checks whether the connection is open and the server has not closed it.
    pub(super) fn status(&self) -> SharedStatus {
        let mut state = self.state.borrow_mut();
        let link = match &mut *state {
            State::Open(link) => link,
            State::Declined => return SharedStatus::Declined,
            State::Closed | State::Opening | State::Failed(_) => return SharedStatus::Closed,
        };
        // A connection that has received GOAWAY, an error or its end is not ready for another stream.
        match link.send.poll_ready(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Err(_)) => {
                let used = link.used;
                *state = State::Closed;
                self.lapsed.set(true);
                SharedStatus::Ended { used }
            }
            _ => SharedStatus::Open,
        }
    }

    /// Whether the server selected HTTP/1.1.
    pub(super) fn is_declined(&self) -> bool {
        matches!(*self.state.borrow(), State::Declined)
    }

    /// Whether a request was answered over the connection.
    pub(super) fn is_used(&self) -> bool {
        matches!(&*self.state.borrow(), State::Open(link) if link.used)
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
                _ if agreed(&stream) => begin(stream, limits).await,
                Version::Http2 if stream.is_secured() => Err(Http2Failure::NotAgreed.into()),
                Version::Http2 | Version::Http2PriorKnowledge => begin(stream, limits).await,
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

    /// Carries out one exchange and returns when its last byte arrived. The connection must be open.
    pub(super) async fn exchange(
        &self,
        spec: &RequestSpec<'_>,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Moment, Failure> {
        let head = self.heads.borrow_mut().of(spec)?;
        let (answer, sent) = self.send(spec, head, watch)?;
        let answer =
            answer.await.map_err(|error| failure::of_head(error, head_max(spec.limits)))?;
        if head::size(answer.headers()) > spec.limits.head {
            return Err(Failure::HeadTooLong(spec.limits.head));
        }
        let first = watch.now();
        if let State::Open(link) = &mut *self.state.borrow_mut() {
            link.used = true;
        }
        super::report(watch, FIRST_BYTE, first - sent);
        response.first = Some(first);
        response.status = answer.status().as_u16();
        if spec.wanted.fields_of(response.status) {
            head::keep(answer.headers(), response);
        }
        let late = receive(answer.into_body(), spec.wanted, spec.limits, response).await?;
        Ok(if late { watch.now() } else { first })
    }

    /// Passes a request to the task that drives the connection, and returns the time.
    fn send(
        &self,
        spec: &RequestSpec<'_>,
        head: http::Request<()>,
        watch: &mut Watch<'_>,
    ) -> Result<(ResponseFuture, Moment), Failure> {
        let mut state = self.state.borrow_mut();
        let State::Open(link) = &mut *state else {
            return Err(Failure::Closed(FailureStage::Sending));
        };
        link.carried += 1;
        // A clone, as one handle can have only one stream that waits to be opened.
        let mut send = link.send.clone();
        if spec.last {
            // The task continues until every answer has arrived, and then closes the connection.
            *state = State::Closed;
            self.worn.set(true);
        }
        drop(state);
        let body = bytes_of(spec.request.body());
        // A request that is sent again, or redirected, left at another moment than the first request of the exchange.
        let again = watch.sent_at().map(|_| watch.now());
        watch.sent();
        let left = again.or(watch.sent_at()).unwrap_or_else(|| watch.now());
        let handed = send.send_request(head, body.is_empty());
        let (answer, mut outgoing) =
            handed.map_err(|error| failure::from_error(error, FailureStage::Sending))?;
        if !body.is_empty() {
            // The body is sent as the server makes room; until then the bytes are shared and not copied.
            outgoing
                .send_data(body, true)
                .map_err(|error| failure::from_error(error, FailureStage::Sending))?;
        }
        Ok((answer, left))
    }

    /// Closes the connection, once no answer is pending. The first of the users that share it does this.
    pub(super) async fn close(&self) {
        let state = std::mem::take(&mut *self.state.borrow_mut());
        if let State::Open(Link { send, task, .. }) = state {
            drop(send);
            // What the server does with it no longer matters.
            let _ = tokio::time::timeout(FAREWELL, task).await;
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

/// Starts HTTP/2 on a stream.
async fn begin(stream: Stream, limits: &Limits) -> Result<BegunExchange, Failure> {
    let began = Builder::new()
        .enable_push(false)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(head_max(limits))
        .handshake(stream)
        .await;
    let (send, connection) =
        began.map_err(|error| failure::from_error(error, FailureStage::Sending))?;
    // Every stream on the connection receives the error that ended it.
    let task = tokio::task::spawn_local(async move { drop(connection.await) });
    Ok(BegunExchange::Link(Link { send, carried: 0, used: false, task }))
}

/// The longest head that h2 reads. It does not say that a head is too long, so it reads longer ones than are allowed,
/// and the limit is checked here.
fn head_max(limits: &Limits) -> u32 {
    u32::try_from(limits.head).unwrap_or(u32::MAX).saturating_mul(4)
}

/// The bytes of a body; bytes that are the same for all requests are shared and not copied.
fn bytes_of(body: &Body) -> Bytes {
    match body {
        Body::None => Bytes::new(),
        Body::Rendered(bytes) => Bytes::copy_from_slice(bytes),
        Body::Shared(bytes) => Bytes::from_owner(Arc::clone(bytes)),
    }
}

/// Receives a body and keeps the part that is wanted. Returns whether any of it arrived later than the head.
async fn receive(
    mut body: h2::RecvStream,
    wanted: Wanted,
    limits: &Limits,
    response: &mut Response,
) -> Result<bool, Failure> {
    let mut late = false;
    let mut next = |body: &mut h2::RecvStream, context: &mut Context<'_>| {
        let polled = body.poll_data(context);
        late |= polled.is_pending();
        polled
    };
    while let Some(bytes) = poll_fn(|context| next(&mut body, context)).await {
        let bytes = bytes.map_err(|error| failure::from_error(error, FailureStage::Body))?;
        response.receive(&bytes, wanted, limits);
        if response.received > limits.body {
            return Err(Failure::BodyTooLong(limits.body));
        }
        // A stream that is dropped at its end releases its window by itself.
        if body.is_end_stream() {
            break;
        }
        // If the window cannot be enlarged, the stream has been reset, which the next frame reports.
        let _ = body.flow_control().release_capacity(bytes.len());
    }
    Ok(late)
}

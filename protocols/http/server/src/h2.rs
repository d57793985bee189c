//! A connection of HTTP/2, over TLS or with prior knowledge: hyper with the same handlers.
//!
//! Actions on the bytes of HTTP/1 do not apply here. Silence, delays, statuses and bodies that are long, truncated,
//! chunked or slow are supported; every other action ends the connection.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use brunt_embedded::script::period::Period;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::timer::Sleep;
use http::header::{self, HeaderValue};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use tokio::sync::Notify;

use super::call::Call;
use super::reader::{Fields, Request, Version};
use super::reply::{FILLING, Reply};
use super::script::{Action, Faults};
use super::worker::Worker;

/// How many requests of a connection may be in progress at once.
const STREAMS: u32 = 1000;

/// Serves a connection, of which some bytes were read already.
pub(super) async fn serve(
    worker: Rc<Worker>,
    stream: Stream,
    read: Vec<u8>,
    number: u64,
) -> io::Result<()> {
    let end = Rc::new(Notify::new());
    let ended = Rc::clone(&end);
    let service = service_fn(move |request| {
        let (worker, end) = (Rc::clone(&worker), Rc::clone(&end));
        async move { Ok::<_, Infallible>(answer(worker, request, number, &end).await) }
    });
    let mut builder = http2::Builder::new(Local);
    builder.max_concurrent_streams(STREAMS);
    let connection = builder.serve_connection(Io { stream, read, taken: 0 }, service);
    tokio::select! {
        served = connection => served.map_err(io::Error::other),
        () = ended.notified() => Ok(()),
    }
}

/// Answers one request.
async fn answer(
    worker: Rc<Worker>,
    request: http::Request<Incoming>,
    connection: u64,
    end: &Notify,
) -> http::Response<Outgoing> {
    let (mut parts, incoming) = request.into_parts();
    if let Some(authority) = parts.uri.authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        // The handlers expect the field of HTTP/1.
        parts.headers.entry(header::HOST).or_insert(host);
    }
    let (body, body_bytes) = receive(incoming, worker.realm.config.body_bytes_kept).await;
    worker.stand_still().await;
    let mut reply = worker.reply();
    let call = Call {
        realm: &worker.realm,
        request: Request {
            method: parts.method.as_str(),
            target: parts.uri.path_and_query().map_or("/", |target| target.as_str()),
            version: Version::Http2,
            fields: Fields::of(&parts.headers),
            body: &body,
            body_bytes,
            keep_alive: true,
        },
        number: worker.realm.number(),
        now: worker.clock.now(),
    };
    let faults = worker.answer(&call, connection, &mut reply);
    let until = call.now + faults.delay + reply.wait;
    if until > call.now {
        worker.timer.sleep().until(until).await;
        worker.stand_still().await;
    }
    let head_only = call.request.method == "HEAD";
    let Some(body) = Outgoing::of(&worker, &reply, faults) else {
        if !matches!(faults.done, Some((Action::Silence, _))) {
            end.notify_one();
        }
        // The stream ends with the connection.
        return std::future::pending().await;
    };
    let response = respond(&reply, body, head_only);
    worker.keep(reply);
    response
}

fn respond(reply: &Reply, body: Outgoing, head_only: bool) -> http::Response<Outgoing> {
    let mut response = http::Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(reply.status).unwrap_or_default();
    let fields = response.headers_mut();
    if reply.has_body() {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    }
    for (name, value) in &reply.fields {
        if let (Ok(name), Ok(value)) =
            (header::HeaderName::try_from(*name), HeaderValue::from_str(value))
        {
            fields.append(name, value);
        }
    }
    if head_only {
        let length = response.body().size_hint().exact();
        if let Some(length) = length {
            response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
        }
        *response.body_mut() = Outgoing::default();
    }
    response
}

/// The part of a request's body that is kept, and the length of the whole.
async fn receive(mut incoming: Incoming, room: usize) -> (Vec<u8>, u64) {
    let (mut kept, mut bytes) = (Vec::new(), 0);
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut incoming).poll_frame(cx)).await {
        if let Ok(data) = frame.into_data() {
            let more = data.len().min(room - kept.len());
            kept.extend_from_slice(&data[..more]);
            bytes += data.len() as u64;
        }
    }
    (kept, bytes)
}

/// The body of an answer.
#[derive(Default)]
struct Outgoing {
    whole: Bytes,
    /// How many bytes of filler follow.
    filling: u64,
    /// The most that is sent at once; no limit if it is 0.
    piece: usize,
    /// The time before each piece.
    pace: Option<(Duration, Duration, Sleep)>,
    /// Whether it ends with a reset.
    cut_off: bool,
    /// Whether the length is not announced.
    unannounced: bool,
}

impl Outgoing {
    /// The body of an answer after the faults of a script; `None` if there must be no answer.
    fn of(worker: &Worker, reply: &Reply, faults: Faults) -> Option<Self> {
        let mut body = Self { whole: Bytes::copy_from_slice(&reply.body), ..Self::default() };
        if let Some(filler) = reply.filler {
            (body.filling, body.unannounced) = (filler.bytes, filler.chunked);
        }
        match faults.done {
            None => {}
            Some((Action::Body(announced), _)) => {
                body.whole.clear();
                (body.filling, body.unannounced) = (announced.bytes, announced.chunked);
            }
            Some((Action::Half, _)) => body.cut(body.whole.len() / 2),
            Some((Action::Truncate(bytes), _)) => body.cut(bytes),
            Some((Action::Chunked(bytes), _)) => (body.piece, body.unannounced) = (bytes, true),
            Some((Action::Drip(Period(each)), _)) => {
                let at = worker.clock.now() + each;
                body.piece = 1;
                body.pace = Some((each, at, worker.timer.sleep()));
            }
            Some(_) => return None,
        }
        Some(body)
    }

    fn cut(&mut self, bytes: usize) {
        self.whole.truncate(bytes);
        self.filling = 0;
        (self.cut_off, self.unannounced) = (true, true);
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = &mut *self;
        if body.whole.is_empty() && body.filling > 0 {
            let more = (FILLING.len() as u64).min(body.filling);
            body.whole = Bytes::from_static(&FILLING).split_to(more as usize);
            body.filling -= more;
        }
        if body.whole.is_empty() {
            return Poll::Ready(body.cut_off.then(|| Err(io::ErrorKind::ConnectionAborted.into())));
        }
        if let Some((each, at, sleep)) = &mut body.pace {
            if sleep.poll_until(*at, cx).is_pending() {
                return Poll::Pending;
            }
            *at += *each;
        }
        let piece = if body.piece == 0 { body.whole.len() } else { body.piece };
        let piece = body.whole.split_to(piece.min(body.whole.len()));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.whole.is_empty() && self.filling == 0 && !self.cut_off
    }

    fn size_hint(&self) -> SizeHint {
        if self.unannounced {
            return SizeHint::default();
        }
        SizeHint::with_exact(self.whole.len() as u64 + self.filling)
    }
}

/// Spawns the tasks of a connection on its own thread.
#[derive(Clone, Copy, Debug)]
struct Local;

impl<F: Future + 'static> hyper::rt::Executor<F> for Local {
    fn execute(&self, future: F) {
        tokio::task::spawn_local(async move {
            future.await;
        });
    }
}

/// An adapter of a stream for hyper, with the bytes that were read already.
struct Io {
    stream: Stream,
    read: Vec<u8>,
    taken: usize,
}

impl hyper::rt::Read for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut into: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let io = &mut *self;
        if io.taken == io.read.len() {
            io.read.resize(16 << 10, 0);
            let count = match io.stream.poll_read(cx, &mut io.read) {
                Poll::Ready(Ok(count)) => count,
                other => {
                    io.read.clear();
                    io.taken = 0;
                    return other.map_ok(drop);
                }
            };
            io.read.truncate(count);
            io.taken = 0;
        }
        let count = (io.read.len() - io.taken).min(into.remaining());
        into.put_slice(&io.read[io.taken..io.taken + count]);
        io.taken += count;
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_shutdown(cx)
    }
}

//! [`Connection`]: HTTP/1.1 over one stream, one request at a time.
//!
//! An exchange takes one write and one read: the head is built in a buffer of the worker and sent with the body in one
//! piece; the answer is scanned in the buffer it was read into, and a body that is not wanted is counted and discarded.
//! The answer is read while the request is still being written, as a server may refuse a body before it has received
//! all of it. A connection whose exchange was dropped half-way is not used again.

use super::FIRST_BYTE;
use super::failure::{Failure, FailureStage};
use super::group::Group;
use super::message::Trailing;
use super::request_spec::RequestSpec;
use super::response::{Field, Response};
use brunt_exchange::{Clock, Moment, Watch};
use brunt_http_wire::{self as wire, Framing, Malformed};
use brunt_net::stream::Stream;
use brunt_net::tcp::Close;
use brunt_net::within;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::AsyncWrite;

/// The most interim answers before a final one.
const INTERIM_MAX: u8 = 16;
/// How long a request that expects `100 Continue` waits before it sends its body without it (by RFC 9110 section
/// 10.1.1, a client must not wait indefinitely).
const CONTINUE_WAIT: Duration = Duration::from_secs(1);
/// How long closing may take: a server that does not read must not keep a run from ending.
const FAREWELL: Duration = Duration::from_secs(1);
/// A buffer that grew beyond this size for one request is released.
const OUTPUT_KEPT: usize = 256 * 1024;

/// A connection that speaks HTTP/1.1.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    /// When it was opened.
    opened: Moment,
    /// How many requests it has carried.
    carried: u64,
    /// An exchange is in progress on it; if the exchange was dropped, the connection cannot be used again.
    engaged: bool,
}

/// The state of a connection on which no request was pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    /// Nothing has arrived.
    Quiet,
    /// The connection has ended.
    Ended,
    /// Bytes have arrived that were not requested.
    Unsolicited,
    /// An exchange on it was dropped before its end.
    Abandoned,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// When the last byte arrived.
    pub(super) at: Moment,
    /// Whether the connection can carry another request.
    pub(super) persistent: bool,
}

impl Connection {
    pub(super) fn new(stream: Stream, opened: Moment) -> Self {
        Self { stream, opened, carried: 0, engaged: false }
    }

    /// How many requests it carried.
    pub(super) fn carried(&self) -> u64 {
        self.carried
    }

    /// When it was opened.
    pub(super) fn opened(&self) -> Moment {
        self.opened
    }

    /// Checks whether the server has closed the connection meanwhile. Needs no system call unless bytes or the end have
    /// arrived.
    pub(super) fn status(&mut self, group: &Group) -> Idle {
        if self.engaged {
            return Idle::Abandoned;
        }
        if self.stream.is_quiet() {
            return Idle::Quiet;
        }
        let input = &mut **group.input.borrow_mut();
        let mut context = Context::from_waker(Waker::noop());
        match self.stream.poll_read_into(&mut context, input) {
            Poll::Pending => Idle::Quiet,
            Poll::Ready(Ok(0) | Err(_)) => Idle::Ended,
            Poll::Ready(Ok(_)) => Idle::Unsolicited,
        }
    }

    /// Carries out one exchange.
    pub(super) async fn exchange(
        &mut self,
        group: &Group,
        spec: &RequestSpec<'_>,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Done, Failure> {
        self.engaged = true;
        self.carried += 1;
        // Under TLS it is not known how much a failed write has sent.
        let left = self.stream.is_secured();
        let mut in_flight = ExchangeInFlight {
            stream: &mut self.stream,
            group,
            spec,
            response,
            outgoing: Outgoing::default(),
            phase: Phase::Unsent,
            unread: Vec::new(),
            interims: 0,
            left,
            first: None,
            broken: None,
        };
        let early =
            if spec.flags.expects() { Box::pin(in_flight.hold(watch)).await? } else { None };
        let done = match early {
            Some(done) => done,
            None => poll_fn(|context| in_flight.poll(context, watch)).await?,
        };
        self.engaged = false;
        Ok(done)
    }

    /// Closes the connection.
    pub(super) async fn close(self, how: Close, clock: &dyn Clock) {
        // What the server does with it no longer matters.
        let _ = within(FAREWELL, clock, self.stream.close(how)).await;
    }
}

/// One exchange being carried out.
struct ExchangeInFlight<'a> {
    stream: &'a mut Stream,
    group: &'a Group,
    spec: &'a RequestSpec<'a>,
    response: &'a mut Response,
    outgoing: Outgoing<'a>,
    phase: Phase,
    /// The beginning of a message that is not complete yet.
    unread: Vec<u8>,
    interims: u8,
    /// Whether any part of the request may have been sent.
    left: bool,
    /// When the first byte of an answer arrived.
    first: Option<Moment>,
    /// The error that ended the writing, reported unless an answer arrives nevertheless.
    broken: Option<io::Error>,
}

/// The part of a request that has not been sent yet.
#[derive(Default)]
struct Outgoing<'a> {
    head: Vec<u8>,
    trailing: Trailing<'a>,
    /// The part after the head waits for permission to be sent.
    held: bool,
    unflushed: bool,
}

#[derive(Clone, Copy)]
enum Phase {
    Unsent,
    Head,
    Body { framing: Framing, persistent: bool },
}

impl ExchangeInFlight<'_> {
    /// Sends only the head and waits for permission to send the rest, for a limited time. The final answer may also
    /// arrive at once.
    async fn hold(&mut self, watch: &mut Watch<'_>) -> Result<Option<Done>, Failure> {
        let clock = watch.clock();
        let leave = poll_fn(|context| self.poll_leave(context, watch));
        let waited = within(CONTINUE_WAIT, clock, leave).await;
        self.outgoing.held = false;
        waited.unwrap_or(Ok(None))
    }

    /// Polls until the rest may be sent.
    fn poll_leave(
        &mut self,
        context: &mut Context<'_>,
        watch: &mut Watch<'_>,
    ) -> Poll<Result<Option<Done>, Failure>> {
        loop {
            let step = ready!(self.step(context, watch))?;
            if step.is_some() || !self.outgoing.held {
                return Poll::Ready(Ok(step));
            }
        }
    }

    /// Polls until the answer is complete.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        watch: &mut Watch<'_>,
    ) -> Poll<Result<Done, Failure>> {
        loop {
            if let Some(done) = ready!(self.step(context, watch))? {
                return Poll::Ready(Ok(done));
            }
        }
    }

    /// Sends what can be sent and reads what has arrived, once.
    fn step(
        &mut self,
        context: &mut Context<'_>,
        watch: &mut Watch<'_>,
    ) -> Poll<Result<Option<Done>, Failure>> {
        if matches!(self.phase, Phase::Unsent) {
            self.begin(context, watch);
        }
        if self.outgoing.is_due() && self.broken.is_none() {
            self.advance(context);
        }
        let group = self.group;
        let input = &mut **group.input.borrow_mut();
        match self.stream.poll_read_into(context, input) {
            Poll::Ready(read) => Poll::Ready(self.arrived(read, input, watch)),
            Poll::Pending => match self.broken.take() {
                None => Poll::Pending,
                Some(error) => {
                    let when = if self.left { FailureStage::Sending } else { FailureStage::Unsent };
                    Poll::Ready(Err(Failure::broken(when, error)))
                }
            },
        }
    }

    /// Builds the request and writes it, in one piece if the socket takes it.
    fn begin(&mut self, context: &mut Context<'_>, watch: &mut Watch<'_>) {
        let spec = self.spec;
        self.phase = Phase::Head;
        // A request without added fields is sent as the same bytes as before.
        let plain = !spec.last && spec.extra.is_empty();
        let cache = spec.request.cache();
        if plain && let Some(bytes) = cache.borrow().of(spec.origin, false) {
            return self.write(bytes, context, watch);
        }
        let out = &mut *self.group.output.borrow_mut();
        out.clear();
        self.outgoing.trailing =
            spec.flags.write(out, spec.request, spec.origin, spec.last, spec.extra);
        self.outgoing.held = spec.flags.expects();
        if plain && self.outgoing.trailing.is_empty() {
            cache.borrow_mut().sent(spec.origin, false, out);
        }
        self.write(out, context, watch);
        if out.capacity() > OUTPUT_KEPT {
            *out = Vec::new();
        }
    }

    /// Writes the first bytes and keeps those that the socket does not take.
    fn write(&mut self, bytes: &[u8], context: &mut Context<'_>, watch: &mut Watch<'_>) {
        watch.sent();
        let written = match Pin::new(&mut *self.stream).poll_write(context, bytes) {
            Poll::Ready(Ok(count)) => count,
            Poll::Ready(Err(error)) => {
                self.broken = Some(error);
                return;
            }
            Poll::Pending => 0,
        };
        self.left |= written > 0;
        self.outgoing.unflushed = self.stream.is_secured();
        if let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            self.outgoing.head = rest.to_vec();
        }
    }

    /// Continues writing, as far as the socket takes the bytes without waiting.
    fn advance(&mut self, context: &mut Context<'_>) {
        // The exact number is not recorded: a socket that had no room at first has taken some bytes since.
        self.left = true;
        if let Poll::Ready(Err(error)) = self.outgoing.poll(self.stream, context) {
            self.broken = Some(error);
        }
    }

    /// Interprets what was read.
    fn arrived(
        &mut self,
        read: io::Result<usize>,
        input: &[u8],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Done>, Failure> {
        let count = match read {
            Ok(0) => return self.ended(watch),
            Ok(count) => count,
            Err(error) => {
                let error = self.broken.take().unwrap_or(error);
                return Err(Failure::broken(self.when(), error));
            }
        };
        let alone = self.first.is_none();
        if alone {
            self.first = Some(watch.now());
            self.response.first = self.first;
        }
        let bytes = input.get(..count).unwrap_or_default();
        if !self.take(bytes)? {
            return Ok(None);
        }
        // An answer that arrived in one piece was read at the moment of its first byte.
        let at = self.first.filter(|_| alone).unwrap_or_else(|| watch.now());
        Ok(Some(self.done(at, watch)))
    }

    /// The connection has ended: some bodies end with it.
    fn ended(&mut self, watch: &mut Watch<'_>) -> Result<Option<Done>, Failure> {
        match self.phase {
            Phase::Body { framing, .. } if framing.may_end_here() => {
                Ok(Some(self.done(watch.now(), watch)))
            }
            _ => Err(match self.broken.take() {
                Some(error) => Failure::broken(self.when(), error),
                None => Failure::Closed(self.when()),
            }),
        }
    }

    fn done(&self, at: Moment, watch: &mut Watch<'_>) -> Done {
        if let (Some(sent), Some(first)) = (watch.sent_at(), self.first) {
            super::report(watch, FIRST_BYTE, first - sent);
        }
        // If the server did not read a request to its end, the connection stays in the middle of that request.
        let sent = !self.outgoing.is_left() && self.broken.is_none();
        let persistent = matches!(self.phase, Phase::Body { persistent: true, .. }) && sent;
        Done { at, persistent }
    }

    fn when(&self) -> FailureStage {
        match self.phase {
            _ if !self.left => FailureStage::Unsent,
            _ if self.first.is_none() => FailureStage::Waiting,
            Phase::Unsent | Phase::Head => FailureStage::Head,
            Phase::Body { .. } => FailureStage::Body,
        }
    }

    /// Continues reading the answer. Returns whether it is complete.
    fn take(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        if self.unread.is_empty() {
            let (used, whole) = self.consume(bytes)?;
            self.unread.extend_from_slice(bytes.get(used..).unwrap_or_default());
            return Ok(whole);
        }
        // Only an incomplete head is kept. It is scanned again when it may be complete, and not for every byte.
        let known = self.unread.len();
        self.unread.extend_from_slice(bytes);
        if !may_end(&self.unread, known) && self.unread.len() <= self.spec.limits.head {
            return Ok(false);
        }
        let mut unread = std::mem::take(&mut self.unread);
        let (used, whole) = self.consume(&unread)?;
        unread.drain(..used);
        self.unread = unread;
        Ok(whole)
    }

    /// Uses as many bytes as possible. Returns how many, and whether the answer is complete.
    fn consume(&mut self, bytes: &[u8]) -> Result<(usize, bool), Failure> {
        let mut used = 0;
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            match &mut self.phase {
                Phase::Unsent => return Ok((used, false)),
                Phase::Head => match self.head(rest)? {
                    None => return Ok((used, false)),
                    Some(length) => used += length,
                },
                Phase::Body { framing, .. } => {
                    let taken = framing.take(rest, |data| {
                        self.response.receive(data, self.spec.wanted, self.spec.limits);
                    })?;
                    used += taken.used;
                    if self.response.received > self.spec.limits.body {
                        return Err(Failure::BodyTooLong(self.spec.limits.body));
                    }
                    if taken.ended && used < bytes.len() {
                        return Err(Malformed::Excess.into());
                    }
                    return Ok((used, taken.ended));
                }
            }
        }
    }

    /// Reads a head, if it is complete, and returns its length.
    fn head(&mut self, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        let RequestSpec { limits, wanted, flags, .. } = *self.spec;
        let response = &mut *self.response;
        let scanned = if wanted.fields {
            let show = |name, value| response.fields.push(Field { name, value });
            wire::scan(bytes, flags.requested(), limits.fields, show)
        } else {
            let mut heads = self.group.heads.borrow_mut();
            heads.scan(bytes, flags.requested(), limits.fields)
        };
        let scanned = scanned.map_err(|malformed| Failure::of_head(malformed, bytes))?;
        let Some(head) = scanned else {
            let too_long = bytes.len() > limits.head;
            return if too_long { Err(Failure::HeadTooLong(limits.head)) } else { Ok(None) };
        };
        if head.length > limits.head {
            return Err(Failure::HeadTooLong(limits.head));
        }
        if head.is_interim() {
            response.fields.clear();
            self.interim(head.status)?;
            return Ok(Some(head.length));
        }
        if !wanted.fields && wanted.fields_of(head.status) {
            let show = |name, value| response.fields.push(Field { name, value });
            wire::scan(bytes, flags.requested(), limits.fields, show)?;
        }
        if wanted.fields_of(head.status) {
            response.keep_head(bytes.get(..head.length).unwrap_or_default());
        }
        response.status = head.status;
        let announced = head.framing.announced();
        if announced.is_some_and(|length| length > limits.body) {
            return Err(Failure::BodyTooLong(limits.body));
        }
        self.phase = Phase::Body { framing: head.framing, persistent: head.persistent };
        Ok(Some(head.length))
    }

    /// Handles an interim answer before the final one (RFC 9110 section 15.2).
    fn interim(&mut self, status: u16) -> Result<(), Failure> {
        self.interims += 1;
        match status {
            101 => return Err(Malformed::Switching.into()),
            _ if self.interims > INTERIM_MAX => return Err(Malformed::Interim.into()),
            100 => self.outgoing.held = false,
            _ => {}
        }
        Ok(())
    }
}

impl Outgoing<'_> {
    /// Whether there are bytes that may be written now.
    fn is_due(&self) -> bool {
        self.unflushed || !self.head.is_empty() || !self.held && !self.trailing.is_empty()
    }

    /// Whether there are bytes that have not been written.
    fn is_left(&self) -> bool {
        !self.head.is_empty() || !self.trailing.is_empty()
    }

    fn poll(&mut self, stream: &mut Stream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut stream = Pin::new(stream);
        loop {
            let next = match &self.head[..] {
                [] if self.held => &[],
                [] => self.trailing.next(),
                head => head,
            };
            if next.is_empty() {
                break;
            }
            let count = ready!(stream.as_mut().poll_write(context, next))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            if self.head.is_empty() {
                self.trailing.advance(count);
            } else {
                self.head.drain(..count);
            }
            self.unflushed = true;
        }
        if self.unflushed {
            ready!(stream.poll_flush(context))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}

/// Whether the end of a head may be among the bytes after the first `known`.
fn may_end(bytes: &[u8], known: usize) -> bool {
    let fresh = bytes.get(known.saturating_sub(3)..).unwrap_or_default();
    fresh.windows(2).any(|two| two == b"\n\n") || fresh.windows(3).any(|three| three == b"\n\r\n")
}

//! [`Connection`]: one connection over HTTP/2: what is sent, the streams, and the task that reads and writes.
//!
//! Exchanges append their requests to one buffer, and the task of the connection writes all of them at once when the
//! exchanges of this turn have run. It reads for all exchanges, into a buffer that all connections of a worker share,
//! and wakes those whose answers have arrived. A body is sent by its own exchange as the server makes room, so it is
//! not copied before. Everything that a server can enlarge is bounded.

use super::answer_heads::AnswerHeads;
use super::ending::Ending;
use super::request_block;
use super::streams::{Phase, Stream, Streams};
use crate::failure::{Failure, FailureStage};
use crate::limits::Limits;
use crate::request_spec::RequestSpec;
use crate::response::Response;
use brunt_http_wire::http2::{self as wire, ErrorCode, Kind, Setting};
use brunt_net::stream::Stream as Socket;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use tokio::io::AsyncWrite;

/// How many bytes of one body the server may send before it is given more room.
pub(super) const STREAM_WINDOW: u32 = 1 << 20;
/// The same for all bodies of a connection together.
pub(super) const CONNECTION_WINDOW: u32 = 4 << 20;
/// The largest window that there may be (RFC 9113 section 6.9.1).
pub(super) const WINDOW_MAX: i64 = (1 << 31) - 1;
/// The last number of a stream.
const NUMBER_MAX: u32 = (1 << 31) - 1;
/// While more than this has not been written, nothing is read and no more of a body is added.
const OUTPUT_MAX: usize = 256 * 1024;
/// How many times a socket is read before others have their turn.
const READS: usize = 8;

/// The input buffer that connections of a worker share.
pub(super) type Input = Rc<RefCell<Box<[u8]>>>;

/// What exchanges and the task of a connection share.
#[derive(Debug)]
pub(super) struct Connection {
    state: RefCell<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) output: Vec<u8>,
    /// How much of it was written.
    written: usize,
    /// The beginning of a frame that is not complete yet.
    pub(super) unread: Vec<u8>,
    pub(super) streams: Streams,
    /// The number of the next stream.
    pub(super) next: u32,
    pub(super) peer: Peer,
    /// How many bytes of bodies the server may still receive.
    pub(super) window: i64,
    /// How many bytes of bodies have arrived since the server was given more room.
    pub(super) received: u32,
    pub(super) heads: AnswerHeads,
    /// A head whose end has not arrived.
    pub(super) partial: Option<PartialHead>,
    /// Whether any request was answered.
    pub(super) answered: bool,
    pub(super) limits: Limits,
    /// Exchanges that wait until the server allows another stream, by ticket.
    waiting: VecDeque<(u64, Waker)>,
    tickets: u64,
    /// Why no other stream can begin.
    pub(super) ending: Option<Ending>,
    /// The task ends once no stream is left.
    pub(super) leaving: bool,
    /// The task, and whether it will run anyway.
    task: Option<Waker>,
    woken: bool,
    scratch: Vec<u8>,
}

/// The settings of the server.
#[derive(Debug)]
pub(super) struct Peer {
    /// Whether they have arrived.
    pub(super) known: bool,
    pub(super) streams_max: usize,
    pub(super) window: i64,
    pub(super) frame_max: usize,
    pub(super) table: u32,
    /// Its table has shrunk, which the next head must acknowledge.
    pub(super) shrunk: bool,
}

/// A head whose end has not arrived.
#[derive(Debug)]
pub(super) struct PartialHead {
    pub(super) stream: u32,
    pub(super) ends: bool,
    pub(super) block: Vec<u8>,
    pub(super) frames: usize,
}

impl Connection {
    /// A connection that begins now.
    pub(super) fn new(limits: &Limits) -> Rc<Self> {
        let mut output = wire::PREFACE.to_vec();
        wire::settings(
            &mut output,
            &[
                Setting::EnablePush(0),
                Setting::InitialWindowSize(STREAM_WINDOW),
                Setting::MaxHeaderListSize(u32::try_from(limits.head).unwrap_or(u32::MAX)),
            ],
        );
        wire::window_update(&mut output, 0, CONNECTION_WINDOW - wire::WINDOW);
        let state = State {
            output,
            written: 0,
            unread: Vec::new(),
            streams: Streams::default(),
            next: 1,
            peer: Peer {
                known: false,
                streams_max: usize::MAX,
                window: i64::from(wire::WINDOW),
                frame_max: wire::FRAME_SIZE,
                table: wire::TABLE_SIZE_MAX as u32,
                shrunk: false,
            },
            window: i64::from(wire::WINDOW),
            received: 0,
            heads: AnswerHeads::default(),
            partial: None,
            answered: false,
            limits: *limits,
            waiting: VecDeque::new(),
            tickets: 0,
            ending: None,
            leaving: false,
            task: None,
            woken: false,
            scratch: Vec::new(),
        };
        Rc::new(Self { state: RefCell::new(state) })
    }

    /// The task, which ends with the connection.
    pub(super) async fn drive(self: Rc<Self>, mut socket: Socket, input: Input) {
        let mut finishing = false;
        std::future::poll_fn(|context| {
            self.state.borrow_mut().poll(&mut socket, &input, &mut finishing, context)
        })
        .await;
    }

    /// Whether another stream can begin.
    pub(super) fn is_usable(&self) -> bool {
        let state = self.state.borrow();
        state.ending.is_none() && state.next <= NUMBER_MAX
    }

    /// Whether any request was answered.
    pub(super) fn is_answered(&self) -> bool {
        self.state.borrow().answered
    }

    /// Ends the connection once no stream is left.
    pub(super) fn leave(&self) {
        let mut state = self.state.borrow_mut();
        state.leaving = true;
        state.wake_task();
    }

    pub(super) fn state(&self) -> std::cell::RefMut<'_, State> {
        self.state.borrow_mut()
    }
}

impl State {
    /// Reads what has arrived, and writes what is to be sent.
    fn poll(
        &mut self,
        socket: &mut Socket,
        input: &Input,
        finishing: &mut bool,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        self.woken = false;
        match &mut self.task {
            Some(task) => task.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        if !*finishing && let Err(ending) = self.read(socket, input, context) {
            let Ending::Violation(code) = ending else {
                self.end(ending);
                return Poll::Ready(());
            };
            wire::go_away(&mut self.output, code);
            self.end(ending);
            *finishing = true;
        }
        if self.leaving && !*finishing && self.streams.len() == 0 && self.waiting.is_empty() {
            wire::go_away(&mut self.output, ErrorCode::NO_ERROR);
            *finishing = true;
        }
        if let Err(error) = ready!(self.write(socket, context)) {
            self.end(Ending::from_error(&error));
            return Poll::Ready(());
        }
        if *finishing {
            // What the server does with it no longer matters.
            let _ = ready!(Pin::new(socket).poll_shutdown(context));
            self.end(Ending::Closed);
            return Poll::Ready(());
        }
        Poll::Pending
    }

    fn read(
        &mut self,
        socket: &mut Socket,
        input: &Input,
        context: &mut Context<'_>,
    ) -> Result<(), Ending> {
        let input = &mut **input.borrow_mut();
        for _ in 0..READS {
            if self.output.len() - self.written > OUTPUT_MAX {
                // Reading continues once this is written.
                return Ok(());
            }
            let count = match socket.poll_read_into(context, input) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(0)) => return Err(Ending::Closed),
                Poll::Ready(Ok(count)) => count,
                Poll::Ready(Err(error)) => return Err(Ending::from_error(&error)),
            };
            self.receive(input.get(..count).unwrap_or_default()).map_err(Ending::Violation)?;
        }
        context.waker().wake_by_ref();
        Ok(())
    }

    fn write(&mut self, socket: &mut Socket, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.output.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let held = self.output.len() - self.written > OUTPUT_MAX;
        while let Some(rest) = self.output.get(self.written..).filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut *socket).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        ready!(Pin::new(socket).poll_flush(context))?;
        self.written = 0;
        self.output.clear();
        if self.output.capacity() > OUTPUT_MAX {
            self.output = Vec::new();
        }
        self.unblock();
        if held {
            context.waker().wake_by_ref();
        }
        Poll::Ready(Ok(()))
    }

    /// The connection has ended, and with it every exchange that has no answer.
    fn end(&mut self, ending: Ending) {
        for (_, stream) in self.streams.iter_mut() {
            let when = match stream.phase {
                Phase::Waiting => FailureStage::Waiting,
                Phase::Body => FailureStage::Body,
                Phase::Ended | Phase::Failed(_) => continue,
            };
            stream.phase = Phase::Failed(ending.failure(when));
            stream.wake();
        }
        self.ending.get_or_insert(ending);
        self.wake_waiting();
    }

    /// Wakes every exchange that has not begun.
    pub(super) fn wake_waiting(&self) {
        self.waiting.iter().for_each(|(_, waker)| waker.wake_by_ref());
    }

    /// Wakes exchanges that wait to send more of a body.
    pub(super) fn unblock(&mut self) {
        for (_, stream) in self.streams.iter_mut().filter(|(_, stream)| stream.blocked) {
            stream.blocked = false;
            stream.wake();
        }
    }

    /// Wakes the task, unless it will run anyway.
    fn wake_task(&mut self) {
        if let Some(task) = self.task.as_ref().filter(|_| !self.woken) {
            task.wake_by_ref();
            self.woken = true;
        }
    }

    /// Begins a stream with the head of a request, and returns its slot; `None` as long as the server does not allow
    /// another one, with the ticket under which the exchange is woken.
    pub(super) fn begin(
        &mut self,
        spec: &RequestSpec<'_>,
        response: &mut Response,
        ticket: &mut Option<u64>,
        waker: &Waker,
    ) -> Result<Option<usize>, Failure> {
        if let Some(ending) = &self.ending {
            return Err(ending.failure(FailureStage::Waiting));
        }
        if self.next > NUMBER_MAX {
            return Err(Failure::Closed(FailureStage::Unsent));
        }
        if self.streams.len() >= self.peer.streams_max {
            self.wait(ticket, waker);
            return Ok(None);
        }
        let ends = spec.request.body().bytes().is_none_or(<[u8]>::is_empty);
        let cache = spec.request.cache();
        let plain = spec.extra.is_empty();
        if plain && let Some(block) = cache.borrow().of(spec.origin, true) {
            self.write_head(block, ends);
        } else {
            let mut block = std::mem::take(&mut self.scratch);
            block.clear();
            request_block::write(&mut block, spec)?;
            if plain {
                cache.borrow_mut().sent(spec.origin, true, &block);
            }
            self.write_head(&block, ends);
            self.scratch = block;
        }
        if let Some(ticket) = ticket.take() {
            self.waiting.retain(|(known, _)| *known != ticket);
        }
        let headless = spec.request.method() == b"HEAD";
        let answer = std::mem::take(response);
        let stream = Stream::new(answer, spec.wanted, headless, self.peer.window);
        let slot = self.streams.insert(self.next, stream);
        self.next += 2;
        self.wake_task();
        self.wake_next();
        Ok(Some(slot))
    }

    /// Appends a head, in as many frames as it needs.
    fn write_head(&mut self, block: &[u8], ends: bool) {
        let update: &[u8] = if self.peer.shrunk { &[wire::TABLE_SIZE] } else { &[] };
        self.peer.shrunk = false;
        let end_stream = if ends { wire::END_STREAM } else { 0 };
        let most = self.peer.frame_max - update.len();
        let (first, mut rest) = block.split_at(block.len().min(most));
        let end_headers = if rest.is_empty() { wire::END_HEADERS } else { 0 };
        let length = update.len() + first.len();
        wire::frame(&mut self.output, Kind::Headers, end_stream | end_headers, self.next, length);
        self.output.extend_from_slice(update);
        self.output.extend_from_slice(first);
        while !rest.is_empty() {
            let (next, after) = rest.split_at(rest.len().min(self.peer.frame_max));
            let flags = if after.is_empty() { wire::END_HEADERS } else { 0 };
            wire::frame(&mut self.output, Kind::Continuation, flags, self.next, next.len());
            self.output.extend_from_slice(next);
            rest = after;
        }
    }

    /// Sends as much of a body as there is room for.
    pub(super) fn send_body(&mut self, slot: usize, body: &mut &[u8]) {
        let Some((number, stream)) = self.streams.in_slot(slot) else { return };
        let before = body.len();
        while !body.is_empty() && stream.is_pending() {
            let window = usize::try_from(self.window.min(stream.window)).unwrap_or(0);
            let room = OUTPUT_MAX.saturating_sub(self.output.len() - self.written);
            let length = body.len().min(window).min(self.peer.frame_max).min(room);
            if length == 0 {
                stream.blocked = true;
                break;
            }
            let (part, rest) = body.split_at(length);
            let flags = if rest.is_empty() { wire::END_STREAM } else { 0 };
            wire::frame(&mut self.output, Kind::Data, flags, number, length);
            self.output.extend_from_slice(part);
            let sent = length.cast_signed() as i64;
            self.window -= sent;
            stream.window -= sent;
            *body = rest;
        }
        if body.len() < before {
            self.wake_task();
        }
    }

    /// Waits for a stream to end; an exchange that waits already keeps its place.
    fn wait(&mut self, ticket: &mut Option<u64>, waker: &Waker) {
        let number = *ticket.get_or_insert_with(|| {
            self.tickets += 1;
            self.tickets
        });
        match self.waiting.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => known.clone_from(waker),
            None => self.waiting.push_back((number, waker.clone())),
        }
    }

    /// Removes an exchange that waits and will not begin.
    pub(super) fn give_up(&mut self, ticket: u64) {
        self.waiting.retain(|(known, _)| *known != ticket);
        self.wake_next();
        self.wake_task();
    }

    /// Removes a stream. If it is not finished on both sides, it is reset.
    pub(super) fn remove(&mut self, slot: usize, body_sent: bool) -> Option<Stream> {
        let (number, stream) = self.streams.remove(slot)?;
        let unfinished = match stream.phase {
            Phase::Waiting | Phase::Body => true,
            Phase::Ended => !body_sent,
            Phase::Failed(_) => false,
        };
        if unfinished && !matches!(self.ending, Some(Ending::Closed)) {
            wire::reset(&mut self.output, number, ErrorCode::CANCEL);
            self.wake_task();
        } else if self.leaving {
            self.wake_task();
        }
        self.wake_next();
        Some(stream)
    }

    /// Wakes the exchange that has waited longest, if it may begin. It keeps its place until it does.
    fn wake_next(&self) {
        if self.streams.len() < self.peer.streams_max
            && let Some((_, waker)) = self.waiting.front()
        {
            waker.wake_by_ref();
        }
    }
}

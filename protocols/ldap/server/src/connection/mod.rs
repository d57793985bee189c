//! A connection: reads requests, executes all of them, and writes the answers at once.
//!
//! Requests are executed within the poll that read them, and one write sends the answers to all requests of one read.
//! While a client does not read its answers, nothing more is read from it, so a connection never buffers more than a
//! few messages.
//!
//! Faults are applied in [`faulty`], after a request is answered and before the answer is written. Without a script
//! none of that code runs, and the clock is not read.

mod dialogue;
mod faulty;

use std::future::poll_fn;
use std::io;
use std::net::TcpStream;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use brunt_embedded::tcp::accepted::Accepted;
use brunt_embedded::tcp::socket::Socket;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::timer::Sleep;
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::response;

use super::script::{Occasion, Rules};
use super::session::Next;
use super::stats::add;
use super::worker::Worker;

use dialogue::Dialogue;

/// With this much unwritten, nothing more is read.
const UNWRITTEN_MAX: usize = 256 << 10;
/// A buffer that grew beyond this is freed once it is empty.
const KEPT_BYTES: usize = 16 << 10;

/// Serves a connection to its end.
pub(super) async fn serve(worker: Rc<Worker>, accepted: Accepted) {
    let Accepted { stream, tls, number, open } = accepted;
    // Errors of a connection matter only to its client.
    let _ = open_and_run(&worker, stream, tls, number).await;
    drop(open);
}

async fn open_and_run(
    worker: &Rc<Worker>,
    stream: TcpStream,
    tls: bool,
    number: u64,
) -> io::Result<()> {
    let stream = Stream::Clear(Socket::accepted(stream)?);
    run(worker, stream, tls, number).await
}

/// Serves an open connection.
pub(super) async fn run(
    worker: &Rc<Worker>,
    mut stream: Stream,
    tls: bool,
    number: u64,
) -> io::Result<()> {
    if let Some(rules) = &worker.realm.rules {
        let Some(spared) =
            faulty::disturb(worker, rules, Occasion::Connect, number, stream).await?
        else {
            return Ok(());
        };
        stream = spared;
    }
    if tls {
        let Some(secured) = secure(worker, number, stream).await? else { return Ok(()) };
        stream = secured;
    }
    Connection::new(Rc::clone(worker), number, stream.is_tls()).run(stream).await
}

/// Performs the TLS handshake, unless a script ends the connection.
async fn secure(
    worker: &Rc<Worker>,
    number: u64,
    mut stream: Stream,
) -> io::Result<Option<Stream>> {
    let counters = &worker.counters;
    if let Some(rules) = &worker.realm.rules {
        let spared = faulty::disturb(worker, rules, Occasion::Handshake, number, stream).await;
        let Ok(Some(spared)) = spared else {
            add(&counters.handshakes_failed, 1);
            return Ok(None);
        };
        stream = spared;
    }
    let secured = stream.secure(&worker.acceptor).await;
    add(if secured.is_ok() { &counters.handshakes } else { &counters.handshakes_failed }, 1);
    secured.map(Some)
}

struct Connection {
    dialogue: Dialogue,
    /// The beginning of a message that is not complete yet, or complete messages that wait for room for their answers.
    partial: Vec<u8>,
    /// Whether it is the latter.
    backlog: bool,
    /// How much of the answers is written.
    written: usize,
    /// Whether silence is limited or a script is at work, so that time matters.
    timed: bool,
    /// When the last bytes arrived.
    last_read: Duration,
    sleep: Sleep,
}

/// What a connection woke up for.
enum Event {
    /// There is something to do about the connection itself.
    Turn,
    /// The client is gone, or has been silent for too long.
    End,
}

impl Connection {
    fn new(worker: Rc<Worker>, number: u64, secure: bool) -> Self {
        let timed = worker.realm.rules.is_some() || worker.realm.config.idle_limit.is_some();
        Self {
            partial: Vec::new(),
            backlog: false,
            written: 0,
            timed,
            last_read: worker.clock.now(),
            sleep: worker.timer.sleep(),
            dialogue: Dialogue::new(worker, number, secure),
        }
    }

    async fn run(&mut self, mut stream: Stream) -> io::Result<()> {
        loop {
            if matches!(poll_fn(|cx| self.poll(cx, &mut stream)).await?, Event::End) {
                break;
            }
            match self.dialogue.next {
                Next::StartTls => {
                    self.dialogue.next = Next::Continue;
                    // Bytes behind the request are not authenticated; accepting them would allow injection.
                    if !self.partial.is_empty() {
                        break;
                    }
                    let Some(secured) =
                        secure(&self.dialogue.worker, self.dialogue.number, stream).await?
                    else {
                        return Ok(());
                    };
                    stream = secured;
                    self.dialogue.session.secure = true;
                }
                Next::Reset => {
                    stream.reset_on_drop();
                    return Ok(());
                }
                _ => break,
            }
        }
        poll_fn(|cx| stream.poll_shutdown(cx)).await
    }

    /// Writes and reads for as long as there is something to write or read.
    fn poll(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<Event>> {
        loop {
            if self.timed && self.poll_time(cx).is_pending() {
                return Poll::Pending;
            }
            let flushed = match self.poll_write(cx, stream) {
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => true,
                Poll::Pending => false,
            };
            if self.dialogue.next != Next::Continue {
                if flushed {
                    return Poll::Ready(Ok(Event::Turn));
                }
            } else if self.has_room() && self.backlog {
                self.answer_partial(&[]);
                continue;
            } else if self.has_room() {
                match self.poll_read(cx, stream) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Ok(Event::End)),
                    Poll::Ready(Ok(_)) => continue,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => {}
                }
            }
            if !self.timed {
                return Poll::Pending;
            }
            match self.poll_wake(cx) {
                Poll::Ready(true) => return Poll::Ready(Ok(Event::End)),
                Poll::Ready(false) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Writes until all is written.
    fn poll_write(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<()>> {
        while self.written < self.dialogue.out.len() {
            let mut end = self.dialogue.out.len();
            if let Some((each, at)) = self.dialogue.trickle {
                let now = self.dialogue.worker.clock.now();
                if now < at {
                    return Poll::Pending;
                }
                end = self.written + 1;
                self.dialogue.trickle = Some((each, at.max(now) + each));
            }
            match stream.poll_write(cx, &self.dialogue.out[self.written..end]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    self.written += count;
                    add(&self.dialogue.worker.counters.bytes_written, count as u64);
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
            if self.dialogue.trickle.is_some() && stream.poll_flush(cx).is_pending() {
                return Poll::Pending;
            }
        }
        self.written = 0;
        self.dialogue.trickle = None;
        self.dialogue.out.clear();
        if self.dialogue.out.capacity() > KEPT_BYTES {
            self.dialogue.out = Vec::new();
        }
        stream.poll_flush(cx)
    }

    /// Reads once and executes what is complete. Ready with the number of bytes read.
    fn poll_read(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<usize>> {
        let worker = Rc::clone(&self.dialogue.worker);
        let mut input = worker.input.borrow_mut();
        let count = match stream.poll_read(cx, &mut input) {
            Poll::Ready(Ok(0)) => return Poll::Ready(Ok(0)),
            Poll::Ready(Ok(count)) => count,
            other => return other,
        };
        add(&worker.counters.bytes_read, count as u64);
        if self.timed {
            self.last_read = worker.clock.now();
        }
        if self.partial.is_empty() {
            let used = self.answer_all(&input[..count]);
            self.partial.extend_from_slice(&input[used..count]);
        } else {
            self.answer_partial(&input[..count]);
        }
        Poll::Ready(Ok(count))
    }

    /// Answers the messages that waited, and those that arrived after them.
    fn answer_partial(&mut self, more: &[u8]) {
        let mut partial = std::mem::take(&mut self.partial);
        partial.extend_from_slice(more);
        let used = self.answer_all(&partial);
        partial.drain(..used);
        if partial.is_empty() && partial.capacity() > KEPT_BYTES {
            partial = Vec::new();
        }
        self.partial = partial;
    }

    /// Whether more may be answered before something is written.
    fn has_room(&self) -> bool {
        self.dialogue.out.len() - self.written <= UNWRITTEN_MAX
    }

    /// Answers the complete messages and returns how many bytes they took.
    fn answer_all(&mut self, bytes: &[u8]) -> usize {
        let worker = Rc::clone(&self.dialogue.worker);
        let mut used = 0;
        self.backlog = false;
        while self.dialogue.next == Next::Continue {
            if !self.has_room() {
                self.backlog = true;
                return used;
            }
            match response::frame_limited(&bytes[used..], worker.realm.config.message_bytes_max) {
                Ok(Some(length)) if bytes.len() - used >= length => {
                    let message = &bytes[used..used + length];
                    used += length;
                    match Message::decode(message) {
                        Ok(message) => match &worker.realm.rules {
                            None => self.dialogue.answer(&message),
                            Some(rules) => self.dialogue.answer_by(rules, &message),
                        },
                        Err(error) => self.dialogue.disconnect(&error.to_string()),
                    }
                }
                Ok(_) => return used,
                Err(error) => self.dialogue.disconnect(&error.to_string()),
            }
        }
        // Bytes behind the last request matter only after StartTLS, which requires that there are none.
        if self.dialogue.next == Next::StartTls { used } else { bytes.len() }
    }

    /// Pending during a stall; afterwards appends the replies that are due.
    fn poll_time(&mut self, cx: &Context<'_>) -> Poll<()> {
        let worker = Rc::clone(&self.dialogue.worker);
        let Some(rules) = &worker.realm.rules else { return Poll::Ready(()) };
        let mut now = worker.clock.now();
        while let Some(end) = rules.stalled_until(now) {
            if self.sleep.poll_until(end, cx).is_pending() {
                return Poll::Pending;
            }
            now = worker.clock.now();
        }
        self.dialogue.release(now);
        Poll::Ready(())
    }

    /// Waits for the next time at which there is something to do. Ready with whether the client is idle for too long.
    fn poll_wake(&mut self, cx: &Context<'_>) -> Poll<bool> {
        let worker = &self.dialogue.worker;
        let silent = worker.realm.config.idle_limit.map(|limit| self.last_read + limit);
        let next_byte = self.dialogue.trickle.map(|(_, at)| at);
        let stall = worker
            .realm
            .rules
            .as_ref()
            .and_then(|rules: &Rules| rules.next_stall(worker.clock.now()));
        let moments = [silent, next_byte, self.dialogue.held.due(), stall];
        let Some(at) = moments.into_iter().flatten().min() else { return Poll::Pending };
        match self.sleep.poll_until(at, cx) {
            Poll::Ready(()) => Poll::Ready(silent == Some(at)),
            Poll::Pending => Poll::Pending,
        }
    }
}

//! A connection: reads what came, answers all of it, writes the answers at once.
//!
//! Requests are carried out within the poll that read them, and the answers of one read leave in
//! one write. A client that does not read its answers is not read from until it does, so a
//! connection holds no more than a few messages whatever it sends.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use brunt_wire::ldap::message::Message;
use brunt_wire::ldap::reply::{self, Answer};
use brunt_wire::ldap::{code, response};

use super::session::{Next, Session, kind};
use super::stats::add;
use super::stream::Stream;
use super::timer::Sleep;
use super::worker::{Accepted, Worker};

/// With this much unwritten, nothing more is read.
const UNWRITTEN_MAX: usize = 256 << 10;
/// A buffer that grew beyond this is given back once it is empty.
const KEPT_BYTES: usize = 16 << 10;

/// Serves a connection to its end.
pub(super) async fn serve(worker: Rc<Worker>, accepted: Accepted) {
    let counted = Counted(Rc::clone(&worker));
    add(&worker.counters.connections_accepted, 1);
    if let Ok(stream) = open(&worker, accepted).await {
        let mut connection = Connection::new(Rc::clone(&worker), &stream);
        // However it ended, the peer is the one who knows why.
        let _ = connection.run(stream).await;
    }
    drop(counted);
}

/// Counts the end of a connection, whether it was served to its end or dropped with the server.
struct Counted(Rc<Worker>);

impl Drop for Counted {
    fn drop(&mut self) {
        add(&self.0.counters.connections_closed, 1);
    }
}

async fn open(worker: &Worker, accepted: Accepted) -> io::Result<Stream> {
    let stream = tokio::net::TcpStream::from_std(accepted.stream)?;
    let stream = Stream::Clear(stream);
    if accepted.tls { secure(worker, stream).await } else { Ok(stream) }
}

async fn secure(worker: &Worker, stream: Stream) -> io::Result<Stream> {
    let secured = stream.secure(&worker.acceptor).await;
    let counters = &worker.counters;
    add(if secured.is_ok() { &counters.handshakes } else { &counters.handshakes_failed }, 1);
    secured
}

struct Connection {
    worker: Rc<Worker>,
    session: Session,
    /// The beginning of a message whose end has not come yet.
    partial: Vec<u8>,
    /// What is to be written.
    out: Vec<u8>,
    /// How much of it is written.
    written: usize,
    next: Next,
    /// When the last bytes came. Kept only where silence is limited.
    last_read: Duration,
    idle: Sleep,
}

/// What a connection woke up for.
enum Event {
    /// Bytes came or went, and there is more to wait for.
    Progress,
    /// The client is gone, or has been silent for too long.
    End,
}

impl Connection {
    fn new(worker: Rc<Worker>, stream: &Stream) -> Self {
        let session = Session::new(Arc::clone(&worker.realm), stream.is_tls());
        let idle = worker.timer.sleep();
        let last_read = worker.clock.now();
        Self {
            worker,
            session,
            partial: Vec::new(),
            out: Vec::new(),
            written: 0,
            next: Next::Continue,
            last_read,
            idle,
        }
    }

    async fn run(&mut self, mut stream: Stream) -> io::Result<()> {
        loop {
            let event = poll_fn(|cx| self.poll(cx, &mut stream)).await?;
            if matches!(event, Event::End) {
                break;
            }
            match self.next {
                Next::StartTls if self.out.is_empty() => {
                    self.next = Next::Continue;
                    // Bytes behind the request would be believed although anybody may have sent them.
                    if !self.partial.is_empty() {
                        break;
                    }
                    stream = secure(&self.worker, stream).await?;
                    self.session.secure = true;
                }
                Next::Close if self.out.is_empty() => break,
                _ => {}
            }
        }
        poll_fn(|cx| stream.poll_shutdown(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<Event>> {
        loop {
            match self.poll_write(cx, stream) {
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) if self.next != Next::Continue => {
                    return Poll::Ready(Ok(Event::Progress));
                }
                Poll::Ready(Ok(())) => {}
                Poll::Pending if self.next != Next::Continue => return Poll::Pending,
                Poll::Pending => {}
            }
            if self.out.len() - self.written > UNWRITTEN_MAX {
                return self.poll_idle(cx);
            }
            match self.poll_read(cx, stream) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(Event::End)),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return self.poll_idle(cx),
            }
        }
    }

    /// Writes until all is written.
    fn poll_write(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<()>> {
        while self.written < self.out.len() {
            match stream.poll_write(cx, &self.out[self.written..]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    self.written += count;
                    add(&self.worker.counters.bytes_written, count as u64);
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        self.written = 0;
        self.out.clear();
        if self.out.capacity() > KEPT_BYTES {
            self.out = Vec::new();
        }
        stream.poll_flush(cx)
    }

    /// Reads once and carries out what is complete. Ready with how many bytes came.
    fn poll_read(&mut self, cx: &mut Context<'_>, stream: &mut Stream) -> Poll<io::Result<usize>> {
        let worker = Rc::clone(&self.worker);
        let mut input = worker.input.borrow_mut();
        let count = match stream.poll_read(cx, &mut input) {
            Poll::Ready(Ok(0)) => return Poll::Ready(Ok(0)),
            Poll::Ready(Ok(count)) => count,
            other => return other,
        };
        add(&worker.counters.bytes_read, count as u64);
        if worker.realm.config.idle_limit.is_some() {
            self.last_read = worker.clock.now();
        }
        if self.partial.is_empty() {
            let used = self.answer_all(&input[..count]);
            self.partial.extend_from_slice(&input[used..count]);
        } else {
            let mut partial = std::mem::take(&mut self.partial);
            partial.extend_from_slice(&input[..count]);
            let used = self.answer_all(&partial);
            partial.drain(..used);
            if partial.is_empty() && partial.capacity() > KEPT_BYTES {
                partial = Vec::new();
            }
            self.partial = partial;
        }
        Poll::Ready(Ok(count))
    }

    fn poll_idle(&mut self, cx: &Context<'_>) -> Poll<io::Result<Event>> {
        let Some(limit) = self.worker.realm.config.idle_limit else { return Poll::Pending };
        match self.idle.poll_until(self.last_read + limit, cx) {
            Poll::Ready(()) => Poll::Ready(Ok(Event::End)),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Answers the complete messages and returns how many bytes they took.
    fn answer_all(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while self.next == Next::Continue {
            match response::frame_limited(
                &bytes[used..],
                self.worker.realm.config.message_bytes_max,
            ) {
                Ok(Some(length)) if bytes.len() - used >= length => {
                    self.answer(&bytes[used..used + length]);
                    used += length;
                }
                Ok(_) => return used,
                Err(error) => {
                    self.disconnect(&error.to_string());
                    return bytes.len();
                }
            }
        }
        if self.next == Next::Close { bytes.len() } else { used }
    }

    fn answer(&mut self, bytes: &[u8]) {
        let message = match Message::decode(bytes) {
            Ok(message) => message,
            Err(error) => return self.disconnect(&error.to_string()),
        };
        let operation = kind(&message.request);
        let worker = Rc::clone(&self.worker);
        worker.counters.request(operation);
        let (code, next) = self.session.answer(&message, message.message_id, &mut self.out);
        if let Some(code) = code {
            worker.counters.answer(operation, code);
        }
        add(&worker.counters.entries_returned, self.session.entries);
        self.next = match next {
            Next::Abandon(_) | Next::Cancel(_) => Next::Continue,
            next => next,
        };
    }

    /// Tells a client that it does not speak LDAP (RFC 4511 section 4.1.1), and has done with it.
    fn disconnect(&mut self, reason: &str) {
        add(&self.worker.counters.malformed, 1);
        let answer = Answer::because(code::PROTOCOL_ERROR, reason);
        reply::notice_of_disconnection(&mut self.out, &answer);
        self.next = Next::Close;
    }
}

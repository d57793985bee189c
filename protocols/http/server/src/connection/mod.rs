//! A connection of HTTP/1: reads requests, executes all of them in their order, and writes the answers at once.
//!
//! Faults are applied in [`faulty`]; without a script none of that code runs. A connection that begins with the preface
//! of HTTP/2 is passed to [`h2`].
//!
//! hyper, which serves HTTP/2, costs 24 to 29 % more CPU time here: with the same handlers, 8.7 us a request against
//! 6.8 us for `/` over 50 connections, 12.5 against 9.7 us for a user, 11.8 against 9.6 us over one connection.

mod encode;
mod faulty;

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use brunt_embedded::counter::add;
use brunt_embedded::tcp::accepted::Accepted;
use brunt_embedded::tcp::stream::Stream;

use super::call::Call;
use super::h2;
use super::reader::{Limits, Malformed, Progress, Reader, Version};
use super::reply::{FILLING, Filler, Reply};
use super::worker::Worker;

use encode::{Form, Length};

/// With this much unwritten, it is written before more requests are answered.
const UNWRITTEN_MAX: usize = 64 << 10;
/// A buffer that grew beyond this is freed once it is empty.
const KEPT_BYTES: usize = 4 << 10;
/// How long and how much is read from a client after the connection was closed for writing, so that what it still sends
/// does not cause a reset that discards the answer (RFC 9112 section 9.6).
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;
/// The first bytes of a client that uses HTTP/2 with prior knowledge (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Serves a connection to its end.
pub(super) async fn serve(worker: Rc<Worker>, accepted: Accepted) {
    let Accepted { stream, tls, number, open } = accepted;
    // Errors of a connection matter only to its client.
    let _ = open_and_run(worker, stream, tls, number).await;
    drop(open);
}

async fn open_and_run(
    worker: Rc<Worker>,
    stream: std::net::TcpStream,
    tls: bool,
    number: u64,
) -> io::Result<()> {
    let mut stream = Stream::Clear(tokio::net::TcpStream::from_std(stream)?);
    if tls {
        let secured = stream.secure(&worker.acceptor).await;
        let counters = &worker.counters;
        add(if secured.is_ok() { &counters.handshakes } else { &counters.handshakes_failed }, 1);
        stream = secured?;
        if stream.resumed() {
            add(&counters.handshakes_resumed, 1);
        }
        if stream.protocol() == Some(b"h2") {
            // Boxed so that the future of a connection of HTTP/1 is small.
            return Box::pin(h2::serve(worker, stream, Vec::new(), number)).await;
        }
    }
    let config = &worker.realm.config;
    let limits = Limits { head: config.head_bytes_max, body_kept: config.body_bytes_kept };
    let (reader, out) = (Reader::new(limits), Vec::new());
    Connection { worker, number, stream, reader, out }.run().await
}

struct Connection {
    worker: Rc<Worker>,
    number: u64,
    stream: Stream,
    reader: Reader,
    /// The answers that are not written yet.
    out: Vec<u8>,
}

/// What to do with the connection after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Continue,
    /// Write the replies and close.
    Close,
    /// Drop the connection.
    Abort,
}

impl Connection {
    async fn run(mut self) -> io::Result<()> {
        let mut fresh = true;
        loop {
            if fresh && self.reader.rest().len() >= 4 && PREFACE.starts_with(self.prefix()) {
                if self.reader.rest().len() >= PREFACE.len() {
                    let read = self.reader.rest().to_vec();
                    let served = h2::serve(self.worker, self.stream, read, self.number);
                    return Box::pin(served).await;
                }
                if self.read().await? == 0 {
                    return Ok(());
                }
                continue;
            }
            match self.reader.advance() {
                Ok(Progress::Request) => {
                    fresh = false;
                    match self.answer().await? {
                        Next::Continue if self.out.len() <= UNWRITTEN_MAX => {}
                        Next::Continue => self.flush().await?,
                        Next::Close => return self.close().await,
                        Next::Abort => return Ok(()),
                    }
                }
                Ok(Progress::More { go_on }) => {
                    if go_on {
                        self.out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                    }
                    self.flush().await?;
                    if self.read().await? == 0 {
                        return Ok(());
                    }
                }
                Err(malformed) => {
                    self.refuse(malformed);
                    return self.close().await;
                }
            }
        }
    }

    /// The bytes to compare with the preface of HTTP/2.
    fn prefix(&self) -> &[u8] {
        let read = self.reader.rest();
        &read[..read.len().min(PREFACE.len())]
    }

    /// Answers the complete request.
    async fn answer(&mut self) -> io::Result<Next> {
        let worker = Rc::clone(&self.worker);
        if worker.realm.rules.is_some() {
            worker.stand_still().await;
        }
        let Some(request) = self.reader.request() else { return Ok(Next::Continue) };
        let mut reply = worker.reply();
        let call = Call {
            realm: &worker.realm,
            request,
            number: worker.realm.number(),
            now: worker.clock.now(),
        };
        let faults = worker.answer(&call, self.number, &mut reply);
        let form = Form {
            keep: request.keep_alive,
            old: request.version == Version::Http10,
            head_only: request.method == "HEAD",
        };
        let until = call.now + faults.delay + reply.wait;
        let waits = until > call.now;
        self.reader.finish();
        if waits {
            self.flush().await?;
            worker.timer.sleep().until(until).await;
            worker.stand_still().await;
        }
        let next = match faults.done {
            None => self.write(&reply, form).await?,
            Some((action, random)) => {
                self.flush().await?;
                Box::pin(self.misbehave(action, random, &mut reply, form)).await?
            }
        };
        worker.keep(reply);
        Ok(next)
    }

    /// Writes an answer without faults.
    async fn write(&mut self, reply: &Reply, form: Form) -> io::Result<Next> {
        match reply.filler {
            Some(filler) => self.pour(reply, filler, form).await?,
            None => encode::whole(&mut self.out, reply, form),
        }
        Ok(if form.keep { Next::Continue } else { Next::Close })
    }

    /// Writes an answer whose body is too long for memory.
    async fn pour(&mut self, reply: &Reply, filler: Filler, form: Form) -> io::Result<()> {
        // HTTP/1.0 has no chunks.
        let chunked = filler.chunked && !form.old;
        let length = if chunked { Length::Chunked } else { Length::Exact(filler.bytes) };
        encode::head(&mut self.out, reply, length, form);
        if form.head_only {
            return Ok(());
        }
        let filling = FILLING.repeat(8);
        let mut left = filler.bytes;
        while left > 0 {
            let piece = &filling[..filling.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            if chunked {
                encode::chunk(&mut self.out, piece);
            } else {
                self.out.extend_from_slice(piece);
            }
            left -= piece.len() as u64;
            self.flush().await?;
        }
        if chunked {
            encode::chunk(&mut self.out, b"");
        }
        Ok(())
    }

    fn refuse(&mut self, malformed: Malformed) {
        add(&self.worker.counters.malformed, 1);
        let mut reply = Reply::new();
        reply.error(malformed.status(), &malformed.to_string());
        let form = Form { keep: false, old: false, head_only: false };
        encode::whole(&mut self.out, &reply, form);
    }

    /// Writes the answers, and closes the connection so that the client can read them.
    async fn close(mut self) -> io::Result<()> {
        self.flush().await?;
        poll_fn(|cx| self.stream.poll_shutdown(cx)).await?;
        let mut end = self.worker.timer.sleep();
        let at = self.worker.clock.now() + LINGER;
        let mut left = LINGER_BYTES;
        poll_fn(|cx| {
            let mut input = self.worker.input.borrow_mut();
            loop {
                match self.stream.poll_read(cx, &mut input) {
                    Poll::Ready(Ok(count)) if count > 0 && left > count => left -= count,
                    Poll::Ready(_) => return Poll::Ready(()),
                    Poll::Pending => return end.poll_until(at, cx),
                }
            }
        })
        .await;
        Ok(())
    }

    /// Reads once. Returns the number of bytes.
    async fn read(&mut self) -> io::Result<usize> {
        let count = poll_fn(|cx| {
            let mut input = self.worker.input.borrow_mut();
            let read = self.stream.poll_read(cx, &mut input);
            if let Poll::Ready(Ok(count)) = &read {
                self.reader.feed(&input[..*count]);
            }
            read
        })
        .await?;
        add(&self.worker.counters.bytes_read, count as u64);
        Ok(count)
    }

    /// Writes all answers.
    async fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let mut written = 0;
        poll_fn(|cx| {
            while written < self.out.len() {
                match self.stream.poll_write(cx, &self.out[written..]) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    Poll::Ready(Ok(count)) => written += count,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
                }
            }
            self.stream.poll_flush(cx)
        })
        .await?;
        add(&self.worker.counters.bytes_written, written as u64);
        self.out.clear();
        if self.out.capacity() > KEPT_BYTES {
            self.out = Vec::new();
        }
        Ok(())
    }
}
